"""What a run keeps of a deal, and the search of one deal. Knows nothing of files and threads."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple

from solver.cards import card_text
from solver.deals import DealId
from solver.engine.dealing.compiled_deals import PackedDeal, deal_batch, deal_packed
from solver.notation import parse_moves
from solver.position import FOUNDATION, Move
from solver.runs.manifest import Manifest
from solver.solving import Verdict, solve

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FAULT = "fault"
"""Why a deal is unknown when the engine failed on it; never the deal's own fault."""


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
class Task:
    """A deal to be searched for a chunk of a run."""

    chunk: int
    deal: DealId
    packed: PackedDeal


@dataclass(frozen=True, slots=True)
class Budget:
    """What one search may use, ``max_memory`` in bytes."""

    max_nodes: int
    max_memory: int


def search_row(
    task: Task, manifest: Manifest, budget: Budget, abort: "NDArray[np.uint8] | None" = None
) -> tuple[Row, str | None]:
    """Search one deal; also what the engine's fault was, if it had one.

    A fault ends no run: the deal is unknown, and the caller says so aloud.
    """
    rules = manifest.rules
    try:
        outcome = solve(
            task.packed.position(rules),
            rules,
            max_nodes=budget.max_nodes,
            max_memory=budget.max_memory,
            engine=manifest.engine,
            abort=abort,
        )
    except RuntimeError as error:
        row = Row(str(task.deal), "unknown", 0, None, None, task.packed.skimmed, 0.0, FAULT, None)
        return row, f"{task.deal}: {error}"
    moves = outcome.moves
    row = Row(
        deal=str(task.deal),
        verdict=outcome.verdict.value,
        nodes=outcome.nodes,
        skeletons=outcome.trace.get("skeletons"),
        moves=None if moves is None else len(moves),
        skimmed=task.packed.skimmed,
        seconds=outcome.seconds,
        why_unknown=outcome.why_unknown,
        solution=solution_text(moves) if manifest.solutions and moves is not None else None,
    )
    return row, None


def tasks_of(manifest: Manifest, chunk: int, numbers: list[int]) -> Iterator[Task]:
    """Deal some deals of a chunk, given by number and in order; all at once where nearly all are wanted."""
    scheme = manifest.deals.scheme
    if not numbers:
        return
    first, count = numbers[0], numbers[-1] - numbers[0] + 1
    if 2 * len(numbers) > count:
        batch = deal_batch(scheme, first, count, manifest.rules)
        for number in numbers:
            yield Task(chunk, DealId(scheme, number), batch[number - first])
    else:
        for number in numbers:
            yield Task(chunk, DealId(scheme, number), deal_packed(scheme, number, manifest.rules))


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
