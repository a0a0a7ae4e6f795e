"""What a run keeps of a deal, as a row. Knows nothing of files, threads and searching."""

from collections.abc import Iterable
from dataclasses import dataclass
from types import NoneType
from typing import Any, NamedTuple

import pyarrow as pa

from solver.cards import card_text
from solver.deals import DealId
from solver.notation import parse_moves
from solver.position import FOUNDATION, Move
from solver.solving import Verdict


class Row(NamedTuple):
    """What is kept of a deal; the columns of a part, documented in ``docs/runs.md``."""

    deal: str
    verdict: str
    nodes: int
    skeletons: int | None
    moves: int | None
    skimmed: int
    seconds: float
    why_unknown: str | None
    solution: str | None


SCHEMA = pa.schema(
    [
        pa.field("deal", pa.string(), nullable=False),
        pa.field("verdict", pa.string(), nullable=False),
        pa.field("nodes", pa.int64(), nullable=False),
        pa.field("skeletons", pa.int64()),
        pa.field("moves", pa.int32()),
        pa.field("skimmed", pa.int8(), nullable=False),
        pa.field("seconds", pa.float64(), nullable=False),
        pa.field("why_unknown", pa.string()),
        pa.field("solution", pa.string()),
    ]
)
"""The columns of a part; described in ``docs/runs.md``."""

ONLY_WITH = {Verdict.WON: "moves", Verdict.UNKNOWN: "why_unknown"}
"""The values that a row has with one verdict, always, and with no other."""

_KINDS: tuple[tuple[type, ...], ...] = (
    (str,),
    (str,),
    (int,),
    (int, NoneType),
    (int, NoneType),
    (int,),
    (float,),
    (str, NoneType),
    (str, NoneType),
)
"""What the values of a row are."""


def row_of(values: Any, deal: DealId) -> Row:
    """The row of a deal, out of what was read as a list of its values.

    Raises
    ------
    ValueError, TypeError
        If they are not what a search of the deal comes to.
    """
    row = Row(*values)
    right = all(type(value) in kinds for value, kinds in zip(row, _KINDS, strict=True))
    if not right or row.deal != str(deal) or row.verdict not in set(Verdict):
        raise ValueError(f"no row of {deal}")
    for verdict, column in ONLY_WITH.items():
        if (row.verdict == verdict) != (getattr(row, column) is not None):
            raise ValueError(f"{column} stands elsewhere than with what is {verdict}")
    return row


@dataclass(frozen=True, slots=True)
class Budget:
    """What one search may use, ``max_memory`` in bytes."""

    max_nodes: int
    max_memory: int


def solution_text(moves: Iterable[Move]) -> str:
    """Moves in four characters each: card, from, to; a pile is a hexadecimal digit, so ``6DA3`` is 6D from 10 to 3."""
    return "".join(card_text(move.card) + _digit(move.source) + _digit(move.target) for move in moves)


def moves_of_solution(text: str) -> list[Move]:
    """The moves of a row's solution.

    Raises
    ------
    TextError
        If it is none.
    """
    fours = [text[start : start + 4] for start in range(0, len(text), 4)]
    return parse_moves("\n".join(f"{four[:2]} {_place(four[2:3])} {_place(four[3:])}" for four in fours))


_PILES = frozenset("123456789ABCD")


def _digit(pile: int) -> str:
    return "F" if pile == FOUNDATION else f"{pile + 1:X}"


def _place(digit: str) -> str:
    return str(int(digit, 16)) if digit in _PILES else digit
