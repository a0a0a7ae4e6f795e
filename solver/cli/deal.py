"""``citadel deal``."""

import sys

import click

from solver.cards import SUIT_SYMBOLS
from solver.cli.application import Command
from solver.cli.options import rule_set
from solver.deals import deal_position, parse_deals
from solver.notation import SEPARATOR, board_text
from solver.rules import Rules


@click.command(cls=Command)
@click.argument("deals", nargs=-1, required=True)
@rule_set
@click.option(
    "--unicode",
    "symbols",
    is_flag=True,
    help="Print suit symbols, or letters where the output cannot show them.",
)
def deal(deals: tuple[str, ...], rules: Rules, symbols: bool) -> None:
    """Print the boards that deals start from.

    DEALS are numbers (617), ranges (1-1000), or either with a scheme (ms:24, pysol:1-100). One pile is a
    line, bottom card first; several boards are separated by lines ---. `citadel solve -` reads all of it.
    """
    ranges = [parse_deals(token) for token in deals]
    symbols = symbols and _can_print(SUIT_SYMBOLS)
    separator = ""
    for some in ranges:
        for name in some:
            click.echo(separator + board_text(deal_position(name, rules), symbols), nl=False)
            separator = f"{SEPARATOR}\n"


def _can_print(text: str) -> bool:
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except UnicodeEncodeError:
        return False
    return True
