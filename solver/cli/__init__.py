"""The command ``citadel``: thin click commands, one module each; the work is in the library.

Verdicts and boards go to standard output, everything else to standard error. What a command needs of numba
or rich is imported inside the command, so that ``--help`` answers at once.
"""

import sys
import threading

__all__ = ["main"]


def main() -> None:
    """Run the command line and end the process."""
    try:
        from solver.cli.application import leave_now
        from solver.cli.commands import citadel
    except KeyboardInterrupt:  # nothing has begun yet, and nothing listens
        sys.exit(130)
    try:
        citadel.main(prog_name="citadel")
    except SystemExit as ending:
        if threading.active_count() > 1:  # a thread in compiled code, or in a read, would hold the exit up
            leave_now(int(ending.code or 0))
        sys.exit(ending.code)
