"""The compiled referee: plays a line move by move by the rules, and says how far it got and whether it wins.

It writes ``Position.why_illegal`` and ``Position.apply`` a second time, and the tests hold it against them on whole and
on broken lines. It keeps piles of cards, as a person at a table does, and knows nothing of classes, keys or bonds.

A move is one int16: the card in bits 0 to 5, the pile that it leaves in bits 6 to 9, the pile that it goes to in bits
10 to 13. Pile number 15 is the foundations. For a run, the card is the one that lies lowest.
"""

from typing import Any

import numpy as np

from solver.engine.jit import bare_kernel
from solver.errors import InputError
from solver.rules import Rules, unknown_setting

FOUNDATIONS = 15
"""The pile number of the foundations in a packed move."""

_NOBODY = -1

GAME = np.dtype(
    [
        ("ranks", np.int64),
        ("piles", np.int64),
        ("space_takes", np.int64),  # 0 nothing, 1 Kings, 2 any card
        ("unit", np.int64),  # 0 a card, 1 a supermove, 2 a sequence
        ("withdrawal", np.int64),  # 0 or 1
        ("founds_uncovered", np.int64),  # 0 or 1
    ],
    align=True,
)
"""What a referee has to know of a rule set."""

TABLE = np.dtype(
    [
        ("cards", np.int8, (13, 52)),  # bottom card first
        ("heights", np.int64, 13),
        ("founded", np.int64, 4),
        ("due", np.int64),  # the pile whose top card has to go up next, or -1
    ],
    align=True,
)
"""The cards on the table while a line is played."""

_SPACE_TAKES = {"none": 0, "kings": 1, "any": 2}
_UNITS = {"card": 0, "supermove": 1, "sequence": 2}
_SWITCH = {"no": 0, "yes": 1, "never": 0, "uncovered": 1}

_KNOWN: dict[str, Any] = {
    "piles": range(1, 14),
    "layout": ("castle", "bakers-dozen", "portuguese"),
    "aces": ("first", "in-deck", None),
    "skim": ("no", "yes", None),
    "skim-gap": ("skip", "refill", None),
    "order": ("rows", "columns", None),
    "spaces": tuple(_SPACE_TAKES),
    "unit": tuple(_UNITS),
    "withdrawal": ("no", "yes"),
    "auto-found": ("never", "uncovered"),
}
"""Every rule that this referee knows; it refuses all others."""


def game_of(rules: Rules, ranks: int) -> Any:
    """A rule set as a GAME record.

    Raises
    ------
    InputError
        For a rule that this referee does not know.
    """
    unknown = unknown_setting(rules, _KNOWN)
    if unknown is not None:
        raise InputError(f"the compiled referee does not know the rule {unknown}")
    game = np.zeros(1, GAME)
    game["ranks"], game["piles"] = ranks, rules.piles
    game["space_takes"], game["unit"] = _SPACE_TAKES[rules.spaces], _UNITS[rules.unit]
    game["withdrawal"], game["founds_uncovered"] = _SWITCH[rules.withdrawal], _SWITCH[rules.auto_found]
    return game.view(np.recarray)[0]


def new_table() -> Any:
    """An empty TABLE record."""
    return np.zeros(1, TABLE).view(np.recarray)[0]


@bare_kernel
def play_line(piles, heights, founded, game, line, first, last, table):
    """Play moves ``first`` to ``last - 1`` of a line until one is illegal.

    Parameters
    ----------
    piles, heights, founded
        The deal: int8[13, 52] bottom card first, int8[13], int8[4]; only read.
    game, table
        GAME; TABLE, which is the position after the moves played when this returns.
    line
        int16[n], packed moves.

    Returns
    -------
    int
        Number of legal moves played.
    """
    for suit in range(4):
        table.founded[suit] = founded[suit]
    for pile in range(13):
        table.heights[pile] = heights[pile] if pile < game.piles else 0
        for place in range(table.heights[pile]):
            table.cards[pile, place] = piles[pile, place]
    table.due = _NOBODY
    for index in range(first, last):
        card, source, target = line[index] & 63, line[index] >> 6 & 15, line[index] >> 10 & 15
        start = _start_of_legal(game, table, card, source, target)
        if start < 0:
            return index - first
        _play(game, table, card, source, target, start)
    return last - first


@bare_kernel
def is_won(game, table):
    """Whether every card is founded."""
    founded = table.founded
    ranks = game.ranks
    return founded[0] == ranks and founded[1] == ranks and founded[2] == ranks and founded[3] == ranks


@bare_kernel
def _start_of_legal(game, table, card, source, target):
    """The place in its pile of the card that a legal move takes, 0 for one from a foundation; -1 if it is illegal."""
    rank, suit = card >> 2, card & 3
    if card >= 4 * game.ranks or is_won(game, table):
        return -1
    if (source != FOUNDATIONS and source >= game.piles) or (target != FOUNDATIONS and target >= game.piles):
        return -1
    heights, founded = table.heights, table.founded
    if table.due != _NOBODY:
        top = heights[table.due] - 1
        return top if source == table.due and target == FOUNDATIONS and table.cards[source, top] == card else -1
    if source == target:
        return -1
    if source == FOUNDATIONS:
        is_top = founded[suit] > 0 and founded[suit] - 1 == rank
        return 0 if game.withdrawal and is_top and _accepts(game, table, target, rank) else -1
    start = heights[source] - 1
    while start >= 0 and table.cards[source, start] != card:
        start -= 1
    if start < 0:
        return -1
    length = heights[source] - start
    if target == FOUNDATIONS:
        return start if length == 1 and founded[suit] == rank else -1
    if length > 1 and not _is_run(table, source, start):
        return -1
    into_space = heights[target] == 0
    if not _accepts(game, table, target, rank) or (into_space and start == 0):
        return -1
    return start if length <= _longest_run(game, table, into_space) else -1


@bare_kernel
def _is_run(table, pile, start):
    """Whether the cards of a pile from a place up go down by one rank each."""
    for place in range(start + 1, table.heights[pile]):
        if table.cards[pile, place - 1] >> 2 != (table.cards[pile, place] >> 2) + 1:
            return False
    return True


@bare_kernel
def _accepts(game, table, pile, rank):
    """Whether a pile takes a card of a rank."""
    height = table.heights[pile]
    if height:
        return table.cards[pile, height - 1] >> 2 == rank + 1
    return game.space_takes == 2 or (game.space_takes == 1 and rank == game.ranks - 1)


@bare_kernel
def _longest_run(game, table, into_space):
    """How many cards one move may carry at most."""
    if game.unit == 2:
        return game.ranks
    if game.unit == 0 or game.space_takes != 2:
        return 1
    spaces = -1 if into_space else 0
    for pile in range(game.piles):
        spaces += table.heights[pile] == 0
    return 1 << spaces


@bare_kernel
def _play(game, table, card, source, target, start):
    """Play a legal move."""
    heights, founded = table.heights, table.founded
    table.due = _NOBODY
    if source == FOUNDATIONS:
        founded[card & 3] -= 1
        table.cards[target, heights[target]] = card
        heights[target] += 1
        return
    if target == FOUNDATIONS:
        founded[card & 3] += 1
    else:
        for place in range(start, heights[source]):
            table.cards[target, heights[target]] = table.cards[source, place]
            heights[target] += 1
    heights[source] = start
    if game.founds_uncovered and start > 0:
        top = table.cards[source, start - 1]
        if founded[top & 3] == top >> 2:
            table.due = source
