"""fc-solve, the solver that ``peers.py`` compares with: as a library in this process, and as a process.

Debian has it: ``apt-get install libfreecell-solver0 freecell-solver-bin``. Both ways get the same options. The fast set
of scans ``-l te`` runs first. Its "could not solve" proves nothing, so a board that it does not win is searched once
more, exhaustively. Each of the two runs may check 500,000 positions.
"""

import ctypes
import resource
import shutil
import subprocess
import tempfile
import time

from solver.rules import Rules

HOW_TO_INSTALL = (
    "fc-solve is not installed, nothing to compare with: apt-get install libfreecell-solver0 freecell-solver-bin"
)

LIBRARY = "libfreecell-solver.so.0"
PROGRAM = "fc-solve"

GAME = ["-g", "beleaguered_castle"]
SPACES = {"any": [], "kings": ["--empty-stacks-filled-by", "kings"]}
FAST = ["-l", "te"]
EXHAUSTIVE = ["-to", "0AB", "-sp", "r:tf"]
LIMIT = 500_000
"""Positions that a run may check."""

_SOLVED, _NOT_SOLVABLE, _STOPPED = 0, 1, 5
_STATUSES = {_SOLVED: "won", _NOT_SOLVABLE: "lost", _STOPPED: "unknown"}
"""What ``freecell_solver_user_solve_board`` returns."""

_LINES = {
    "This game is solveable.": "won",
    "I could not solve this game.": "lost",
    "Iterations count exceeded.": "unknown",
}
"""What the program prints at the end; the last one with ``-sel`` only."""


def is_installed() -> bool:
    """Whether both the library and the program are there."""
    try:
        ctypes.CDLL(LIBRARY)
    except OSError:
        return False
    return shutil.which(PROGRAM) is not None


class InProcess:
    """The library, ready for the boards of a rule set: the options are read once, each board then reuses the memory."""

    def __init__(self, rules: Rules) -> None:
        self._library = ctypes.CDLL(LIBRARY)
        self._library.freecell_solver_user_alloc.restype = ctypes.c_void_p
        self._solvers = [self._solver(rules, options) for options in (FAST, EXHAUSTIVE)]

    def _solver(self, rules: Rules, options: list[str]) -> ctypes.c_void_p:
        solver = ctypes.c_void_p(self._library.freecell_solver_user_alloc())
        words = [word.encode() for word in (*GAME, *SPACES[rules.spaces], *options)]
        reached, error = ctypes.c_int(), ctypes.c_char_p()
        status = self._library.freecell_solver_user_cmd_line_parse_args(
            solver,
            len(words),
            (ctypes.c_char_p * len(words))(*words),
            0,  # the first word that is an option
            (ctypes.c_char_p * 1)(None),  # no options of our own
            None,
            None,
            ctypes.byref(error),
            ctypes.byref(reached),
        )
        if status != 0 or reached.value != len(words):
            raise RuntimeError(f"{LIBRARY} does not take {words}: {error.value!r}")
        self._library.freecell_solver_user_limit_iterations(solver, LIMIT)
        return solver

    def verdict(self, board: str) -> tuple[str, float]:
        """The verdict on a board, and the CPU seconds that it took."""
        text = board.encode()
        begun = time.process_time()
        for solver in self._solvers:
            self._library.freecell_solver_user_recycle(solver)
            status = self._library.freecell_solver_user_solve_board(solver, text)
            if status == _SOLVED:
                break
        seconds = time.process_time() - begun
        if status not in _STATUSES:
            raise RuntimeError(f"{LIBRARY} ends with status {status} on:\n{board}")
        return _STATUSES[status], seconds


class AsProcess:
    """The program, started once or twice for each board of a rule set."""

    def __init__(self, rules: Rules) -> None:
        self._command = [PROGRAM, *GAME, *SPACES[rules.spaces]]

    def verdict(self, board: str) -> tuple[str, float]:
        """The verdict on a board, and the CPU seconds, user and system, of the processes."""
        with tempfile.NamedTemporaryFile("w", suffix=".board") as file:
            file.write(board)
            file.flush()
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            verdict = self._run(FAST, file.name)
            if verdict != "won":
                verdict = self._run(EXHAUSTIVE, file.name)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return verdict, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def _run(self, options: list[str], board: str) -> str:
        command = [*self._command, *options, "-mi", str(LIMIT), "-sel", board]
        run = subprocess.run(command, capture_output=True, text=True)
        said = [_LINES[line] for line in run.stdout.splitlines() if line in _LINES]
        if len(said) != 1:
            raise RuntimeError(f"{' '.join(command)} said nothing that is understood: {run.stdout}{run.stderr}")
        return said[0]
