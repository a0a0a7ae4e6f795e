"""``citadel analyze``."""

import json
from typing import TYPE_CHECKING, Any

import click

from solver.analysis import Analysis, MoveVerdict
from solver.analysis import analyze as analyze_position
from solver.cli.application import Command
from solver.cli.inputs import board_or_deal, deal_named
from solver.cli.options import budget, engine_option, json_option, rule_set, rules_json, rules_line, transpose_option
from solver.cli.progress import announce_compiling
from solver.cli.solve import STATUS, WHY
from solver.cli.work import work_alone
from solver.notation import move_text
from solver.position import Position
from solver.rules import Rules
from solver.solving import Verdict, engine_for

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@click.command(cls=Command)
@click.argument("board", metavar="BOARD|DEAL")
@transpose_option
@rule_set
@budget
@engine_option
@json_option("Print a JSON object.")
@click.option("-q", "--quiet", is_flag=True, help="No progress and no notes.")
@click.pass_context
def analyze(
    context: click.Context,
    board: str,
    transpose: bool,
    rules: Rules,
    max_nodes: int,
    max_memory: int,
    engine: str,
    as_json: bool,
    quiet: bool,
) -> None:
    """Say how a position stands: its verdict, that of every legal move, and a hint.

    BOARD is a file, or - for standard input; DEAL is ms:24, or 617 for pysol:617. The budgets are those of one search;
    there is one from the position and one from after each move. Empty piles are one target.

    The exit status is 0 for won, 1 for lost, 3 for unknown, 2 for bad input and 130 when interrupted.
    """
    position = board_or_deal(board, rules, transpose)
    searcher = engine_for(rules, engine)
    if not quiet:
        announce_compiling(searcher)

    def work(position: Position, abort: "NDArray[np.uint8]") -> Analysis:
        return analyze_position(position, rules, max_nodes=max_nodes, max_memory=max_memory, engine=engine, abort=abort)

    analysis = work_alone(context, work, position, quiet)
    if as_json:
        _write_json(rules, board, analysis)
    else:
        _write_text(rules, analysis)
    context.exit(STATUS[analysis.verdict])


def _write_json(rules: Rules, board: str, analysis: Analysis) -> None:
    deal = deal_named(board)
    record: dict[str, Any] = {
        **rules_json(rules),
        "deal": None if deal is None else str(deal),
        "verdict": analysis.verdict,
        "why_unknown": _why_unknown(analysis),
        "nodes": analysis.nodes,
        "node_unit": analysis.outcome.node_unit,
        "seconds": round(analysis.seconds, 6),
        "moves_to_win": analysis.moves_to_win,
        "stuck": analysis.is_stuck,
        "dead": analysis.is_dead,
        "plays_itself_out": analysis.plays_itself_out,
        "hint": None if analysis.hint is None else move_text(analysis.hint),
        "moves": [
            {
                "move": move_text(one.move),
                "verdict": one.verdict,
                "why_unknown": one.why_unknown,
                "moves_to_win": one.moves_to_win,
            }
            for one in analysis.moves
        ],
        "losing_moves": [move_text(move) for move in analysis.losing_moves],
        "engine": analysis.outcome.engine,
    }
    click.echo(json.dumps(record))


def _write_text(rules: Rules, analysis: Analysis) -> None:
    click.echo(rules_line(rules))
    click.echo(f"position: {_in_words(analysis.verdict, _why_unknown(analysis), analysis.moves_to_win)}")
    if analysis.is_stuck:
        click.echo("stuck: no legal move is left")
    elif analysis.is_dead:
        click.echo("dead: no move wins")
    elif analysis.plays_itself_out:
        click.echo("plays itself out: no card lies on a lower one")
    if analysis.hint is not None:
        click.echo(f"hint: {move_text(analysis.hint)}")
    elif analysis.verdict is Verdict.UNKNOWN:
        click.echo("hint: none, no move is known to win")
    if not analysis.is_dead:
        for one in sorted(analysis.moves, key=_best_first):
            click.echo(f"{move_text(one.move):8} {_in_words(one.verdict, one.why_unknown, one.moves_to_win)}")
    if analysis.losing_moves:
        lose = "loses" if len(analysis.losing_moves) == 1 else "lose"
        click.echo(f"{len(analysis.losing_moves)} of {len(analysis.moves)} moves {lose} the win")


def _best_first(one: MoveVerdict) -> tuple[int, int]:
    return [Verdict.WON, Verdict.UNKNOWN, Verdict.LOST].index(one.verdict), one.moves_to_win or 0


def _in_words(verdict: Verdict, why_unknown: str | None, moves_to_win: int | None) -> str:
    words = verdict.value
    if why_unknown is not None:
        words += f" ({WHY[why_unknown]})"
    if moves_to_win is not None:
        words += f", {moves_to_win} {'move' if moves_to_win == 1 else 'moves'}"
    return words


def _why_unknown(analysis: Analysis) -> str | None:
    return analysis.outcome.why_unknown if analysis.verdict is Verdict.UNKNOWN else None
