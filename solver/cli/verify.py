"""``citadel verify``."""

import click

from solver.cli.application import REFUSED, Command
from solver.cli.inputs import board_or_deal, open_file, read_moves
from solver.cli.options import rule_set, rules_line, transpose_option
from solver.errors import InputError
from solver.notation import move_text
from solver.referee import replay
from solver.rules import Rules


@click.command(cls=Command)
@click.argument("board")
@click.argument("moves")
@transpose_option
@rule_set
@click.pass_context
def verify(context: click.Context, board: str, moves: str, transpose: bool, rules: Rules) -> None:
    """Replay a list of moves and say whether it wins.

    BOARD is a file, or a deal (ms:24, or 617 for pysol:617). MOVES is a file with a move a line, CARD FROM TO, as
    `citadel solve` prints it. One of the two may be -, standard input.

    The exit status is 0 if the moves win, 1 if they do not, 2 if something cannot be read.
    """
    if board == moves == "-":
        raise InputError("board and moves cannot both come from standard input")
    position = board_or_deal(board, rules, transpose)
    line = read_moves(open_file(moves))
    game = replay(position, rules, line)
    click.echo(rules_line(rules))
    if game.wins:
        click.echo(f"wins: {_count(game.played, 'move')}, all legal")
        return
    if game.problem is not None:
        move = move_text(line[game.played])
        click.echo(f"does not win: move {game.played + 1}, {move}, is illegal: {game.problem}")
    else:
        last = game.positions[-1]
        left = sum(map(len, last.piles))
        leave = "leaves" if game.played == 1 else "leave"
        click.echo(f"does not win: {_count(game.played, 'move')}, all legal, {leave} {_count(left, 'card')} to found")
    context.exit(REFUSED)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
