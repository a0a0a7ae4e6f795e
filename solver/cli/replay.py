"""``citadel replay``."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from solver.cli.application import Command, printable
from solver.cli.inputs import board_or_deal, deal_named, open_file, read_board
from solver.cli.options import budget, engine_option, output_option, rule_set, rules_line, transpose_option
from solver.cli.progress import announce_compiling
from solver.cli.solve import STATUS, outcome_line
from solver.cli.work import work_alone
from solver.errors import InputError
from solver.position import Position
from solver.rules import Rules
from solver.solving import Outcome, engine_for
from solver.solving import solve as solve_position

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@click.command(cls=Command)
@click.argument("deal", required=False, metavar="[DEAL|BOARD]")
@click.option("--board", metavar="FILE", help="Show the board of a file; - is standard input.")
@output_option("Write the page to a file, and say the verdict.")
@transpose_option
@rule_set
@budget
@engine_option
@click.option("--short", is_flag=True, help="Look for a shorter solution of a win, for some seconds.")
@click.option("-q", "--quiet", is_flag=True, help="No progress and no notes.")
@click.pass_context
def replay(
    context: click.Context,
    deal: str | None,
    board: str | None,
    output: Path | None,
    transpose: bool,
    rules: Rules,
    max_nodes: int,
    max_memory: int,
    engine: str,
    short: bool,
    quiet: bool,
) -> None:
    """Write a page on which a deal's solution is played, card by card.

    DEAL is ms:24, or 617 for pysol:617; BOARD is a file, or - for standard input. The page is one HTML file that loads
    nothing. A won deal is stepped through by keys, buttons, a slider or the list of moves, and #move=17 behind the
    page's address opens it after that move. A lost deal is shown with how it was proved. Without -o the page goes to
    standard output.

    The exit status is 0 for won, 1 for lost, 3 for unknown, 2 for bad input and 130 when interrupted.
    """
    from solver.files import write_whole
    from solver.report.replay import replay_page

    name, position = _named_position(deal, board, rules, transpose)
    searcher = engine_for(rules, engine)
    if not quiet:
        announce_compiling(searcher)

    def work(position: Position, abort: "NDArray[np.uint8]") -> Outcome:
        return solve_position(
            position,
            rules,
            max_nodes=max_nodes,
            max_memory=max_memory,
            engine=engine,
            short=short,
            tidy=True,
            abort=abort,
        )

    outcome = work_alone(context, work, position, quiet)
    page = replay_page(position, rules, outcome, name).encode()
    if output is None:
        click.echo(page, nl=False)
    else:
        write_whole(output, page)
        click.echo(rules_line(rules))
        click.echo(outcome_line(name, outcome))
    context.exit(STATUS[outcome.verdict])


def _named_position(deal: str | None, board: str | None, rules: Rules, transpose: bool) -> tuple[str, Position]:
    """The position to show, and what to call it."""
    if deal is not None and board is None:
        name = str(deal_named(deal) or _board_name(deal))
        return name, board_or_deal(deal, rules, transpose)
    if board is not None and deal is None:
        return _board_name(board), read_board(open_file(board), rules, transpose)
    raise InputError("name a deal or a board, and not both")


def _board_name(file: str) -> str:
    return "A board" if file == "-" else printable(Path(file).name)
