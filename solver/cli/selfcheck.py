"""``citadel selfcheck``."""

import time
from itertools import takewhile

import click

from solver.checking.self_check import LARGEST_SEED, Case, SelfCheck, cases, check_minutes, compare, new_seed
from solver.cli.application import DIFFERENT, Command, say
from solver.cli.progress import PLAIN_EVERY, announce_compiling
from solver.cli.work import work_through
from solver.solving import ENGINES


@click.command(cls=Command)
@click.option(
    "--minutes",
    type=click.FloatRange(0, 1_000_000),
    default=1.0,
    show_default=True,
    metavar="N",
    help="How long to compare.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, LARGEST_SEED),
    metavar="S",
    help="Compare the cases of an earlier check again; without it they are new ones.",
)
@click.option("-q", "--quiet", is_flag=True, help="No progress and no notes.")
@click.pass_context
def selfcheck(context: click.Context, minutes: float, seed: int | None, quiet: bool) -> None:
    """Cross-check the engines on random positions.

    Random small positions are searched by every engine and exhaustively, nothing pruned; random full deals by every
    engine. All rule sets take part. Each engine also searches the same with the piles in another order and the suits
    renamed. Prints how many verdicts were compared, and every difference with all that is needed to look into it.

    The exit status is 0 if there was none, 1 if there was one; after an interrupt, what was compared is printed too.
    """
    check_minutes(minutes)
    report = SelfCheck(new_seed() if seed is None else seed)
    if not quiet:
        for engine in ENGINES:
            announce_compiling(engine)
    begun = said = time.monotonic()

    def is_time_left(_: Case) -> bool:
        return time.monotonic() < begun + 60 * minutes

    def tick(_: Case | None) -> None:
        nonlocal said
        if not quiet and time.monotonic() >= said + PLAIN_EVERY:
            said = time.monotonic()
            say(f"{report.compared} compared in {said - begun:.0f} s, {len(report.differences)} differences")

    interrupt = work_through(compare, takewhile(is_time_left, cases(report.seed)), 1, report.add, tick)
    click.echo(report.text())
    if interrupt is not None:
        say("interrupted")
        context.exit(interrupt)
    context.exit(DIFFERENT if report.differences else 0)
