"""The command group and its commands."""

import click

from solver.cli.analyze import analyze
from solver.cli.application import Application
from solver.cli.check import check
from solver.cli.deal import deal
from solver.cli.lists import daily, winnable
from solver.cli.prove import prove
from solver.cli.replay import replay
from solver.cli.report import report
from solver.cli.rules import rules
from solver.cli.run import merge, run
from solver.cli.selfcheck import selfcheck
from solver.cli.solve import solve
from solver.cli.stats import compare, stats
from solver.cli.verify import verify
from solver.version import __version__


@click.group(cls=Application, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="citadel", message="%(prog)s %(version)s")
def citadel() -> None:
    """Prove castle-family solitaire deals won or lost.

    `citadel solve ms:24` solves a deal of Citadel, `citadel rules` lists the games.
    """


for command in (
    solve,
    analyze,
    deal,
    verify,
    prove,
    check,
    rules,
    run,
    merge,
    stats,
    compare,
    report,
    winnable,
    daily,
    replay,
    selfcheck,
):
    citadel.add_command(command)
