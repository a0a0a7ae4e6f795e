"""Many deals at a time: decks in, columns out. The one path of ``solve_many`` and of runs, lists and clusters.

Threads take small blocks of deals from one queue, so a hard deal holds nobody up, and a block is searched in one
compiled call without the interpreter's lock. Knows nothing of files, click or text.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from solver.cards import DECK, RANKS, Card
from solver.crew import Crew
from solver.deals import DealId, DealRange, as_deal, parse_deals
from solver.engine.batch.columns import MOST_MOVES, REFUSED, Columns, new_columns
from solver.engine.dealing.compiled_deals import PackedDeals, deal_batch, deal_decks
from solver.engine.replaying.compiled_replay import FOUNDATIONS
from solver.engine.result import LOST, OUT_OF_MEMORY, WHY_UNKNOWN, WON
from solver.errors import InputError, check_abort, check_callable, check_kind
from solver.position import FOUNDATION, Move
from solver.rules import Rules, as_rules
from solver.solving import (
    DEFAULT_MAX_MEMORY,
    DEFAULT_MAX_NODES,
    Engine,
    Outcome,
    RefusedWin,
    Verdict,
    check_budgets,
    engine_for,
    solve,
)

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

BLOCK = 32
"""Most deals of a block: some ten milliseconds of search, beside some 0.1 ms for handing it out."""

BLOCK_SECONDS = 0.05
"""How long a block is meant to take at most."""

MOST_THREADS = 1024


class Pace:
    """How many deals a block has: few while deals are slow, so that what is finished is soon known, else BLOCK.

    May be told from several threads.
    """

    def __init__(self) -> None:
        self._seconds = BLOCK_SECONDS  # of a deal, lately

    @property
    def size(self) -> int:
        """Deals of the next block."""
        return max(1, min(BLOCK, int(BLOCK_SECONDS / self._seconds)))

    def note(self, columns: Columns) -> None:
        """Take note of how long deals took."""
        if len(columns.seconds):
            self._seconds = max(1e-6, (self._seconds + float(columns.seconds.mean())) / 2)


_VERDICTS = {WON: Verdict.WON.value, LOST: Verdict.LOST.value}
_WHY = WHY_UNKNOWN | {REFUSED: "fault"}


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """What came of many deals: arrays with one value a deal, in the order of the deals.

    Attributes
    ----------
    rules
        The rule set.
    engine, node_unit
        The engine's name, and what it counts as a node: ``class`` or ``position``.
    deal
        str[n], the names of the deals; for decks their numbers from 1.
    verdict
        str[n]: ``won`` and ``lost`` are proved, ``unknown`` means that the search was cut short.
    why_unknown
        str[n]: ``nodes``, ``memory`` or ``interrupted``; ``fault`` for a fault of the engine; empty for what is proved.
    nodes, skeletons
        int64[n], nodes opened; skeletons met, 0 where the engine knows none.
    moves
        int32[n], number of moves of the win, 0 unless won.
    skimmed
        int8[n], number of cards that the deal founded by skimming.
    seconds
        float64[n], wall-clock time of the search.
    """

    rules: Rules
    engine: str
    node_unit: str
    deal: NDArray[np.str_]
    verdict: NDArray[np.str_]
    why_unknown: NDArray[np.str_]
    nodes: NDArray[np.int64]
    skeletons: NDArray[np.int64]
    moves: NDArray[np.int32]
    skimmed: NDArray[np.int8]
    seconds: NDArray[np.float64]
    _first_move: NDArray[np.int64]
    _lines: NDArray[np.int16] | None

    def __len__(self) -> int:
        return len(self.verdict)

    def solution(self, index: int) -> tuple[Move, ...] | None:
        """The winning moves of a deal, replayed by the compiled referee; None unless it is won.

        Raises
        ------
        InputError
            If the moves were not kept: ``solutions=True`` keeps them.
        """
        if self._lines is None:
            raise InputError("the moves were not kept; solve_many keeps them with solutions=True")
        if self.verdict[index] != Verdict.WON:
            return None
        return moves_of(self._lines[self._first_move[index] : self._first_move[index + 1]])

    def columns(self) -> dict[str, NDArray[Any]]:
        """The arrays by name."""
        names = ("deal", "verdict", "why_unknown", "nodes", "skeletons", "moves", "skimmed", "seconds")
        return {name: getattr(self, name) for name in names}

    def to_arrow(self) -> "pa.Table":
        """The arrays as an Arrow table; ``moves`` is null unless won, ``why_unknown`` unless unknown."""
        import pyarrow as pa

        arrays: dict[str, Any] = dict(self.columns())
        arrays["moves"] = pa.array(self.moves, mask=self.verdict != Verdict.WON)
        arrays["why_unknown"] = pa.array(self.why_unknown.tolist(), mask=self.verdict != Verdict.UNKNOWN)
        for name in ("deal", "verdict"):
            arrays[name] = pa.array(arrays[name].tolist())
        about = {"variant": self.rules.variant, "rules": self.rules.text(), "node_unit": self.node_unit}
        return pa.table(arrays).replace_schema_metadata(about)

    def to_pandas(self) -> "pd.DataFrame":
        """The Arrow table as a data frame.

        Raises
        ------
        InputError
            If pandas is not installed.
        """
        try:
            frame: pd.DataFrame = self.to_arrow().to_pandas()
        except ImportError:
            raise InputError("to_pandas wants pandas: pip install pandas") from None
        return frame


def moves_of(line: NDArray[np.int16]) -> tuple[Move, ...]:
    """The moves of a packed line."""
    return tuple(map(_move_of, line.tolist()))


@cache
def _move_of(code: int) -> Move:
    """The move of a packed one; of the 16 thousand that there may be, wins have some thousand."""
    source, target = (FOUNDATION if pile == FOUNDATIONS else pile for pile in (code >> 6 & 15, code >> 10 & 15))
    return Move(code & 63, source, target)


def packed_line(moves: Sequence[Move]) -> NDArray[np.int16]:
    """Moves as a packed line, the inverse of ``moves_of``."""
    codes = [
        move.card | (move.source & 15) << 6 | (move.target & 15) << 10
        for move in moves  # FOUNDATION is -1, so its lowest four bits are FOUNDATIONS
    ]
    return np.array(codes, np.int16)


@dataclass(frozen=True, slots=True)
class Search:
    """How deals are searched.

    Attributes
    ----------
    rules, engine
        The rule set, and an engine that serves it.
    max_nodes, max_memory
        The budget of each deal, in nodes and bytes.
    keeps_moves, shortens
        Whether the moves of wins are kept, which makes them fewer too; whether they are made fewer, if only to be
        counted.
    """

    rules: Rules
    engine: Engine
    max_nodes: int
    max_memory: int
    keeps_moves: bool
    shortens: bool = False

    def prepare(self) -> None:
        """Load the kernels, and compile them if they were never compiled."""
        deals = deal_batch("ms", 1, 1, self.rules)
        deals.heights[:] = 0
        deals.founded[:] = RANKS
        self.search(deals, np.zeros(1, np.uint8))

    @property
    def module(self) -> str:
        """The module whose kernels search, compiled last."""
        return "solver.engine.batch.quota_batch" if self._is_compiled_batch else self.engine.module

    @property
    def _is_compiled_batch(self) -> bool:
        return self.engine.name == "quota"

    def search(self, deals: PackedDeals, abort: NDArray[np.uint8]) -> Columns:
        """Search packed deals in this thread; raised, ``abort`` leaves those not yet begun interrupted."""
        return self._search_classes(deals, abort) if self._is_compiled_batch else self._search_one_by_one(deals, abort)

    def outcomes(self, columns: Columns) -> list[Outcome]:
        """What came of each deal, as ``solve`` says it, for a search that keeps moves; but without a trace.

        Raises
        ------
        RefusedWin
            If the engine failed on a deal.
        """
        found = []
        for index, (status, nodes, seconds) in enumerate(
            zip(columns.status.tolist(), columns.nodes.tolist(), columns.seconds.tolist(), strict=True)
        ):
            if status == REFUSED:
                raise RefusedWin(columns.faults.get(index, "the compiled referee refuses the engine's win"))
            line = columns.lines[columns.first_move[index] : columns.first_move[index + 1]]
            found.append(
                Outcome(
                    verdict=Verdict(_VERDICTS.get(status, Verdict.UNKNOWN)),
                    nodes=nodes,
                    node_unit=self.engine.node_unit,
                    seconds=seconds,
                    why_unknown=WHY_UNKNOWN.get(status),
                    moves=moves_of(line) if status == WON else None,
                    engine=self.engine.name,
                )
            )
        return found

    def _search_classes(self, deals: PackedDeals, abort: NDArray[np.uint8]) -> Columns:
        from solver.engine.batch.quota_batch import QuotaBatch

        columns = new_columns(len(deals), self.keeps_moves)
        try:
            batch = QuotaBatch(
                self.rules, RANKS, self.max_nodes, self.max_memory, self.shortens or self.keeps_moves, self.keeps_moves
            )
        except MemoryError:
            columns.status[:] = OUT_OF_MEMORY
            return columns
        reached = 0
        while (reached := batch.search(deals, reached, len(deals), columns, abort)) < len(deals):
            room = np.zeros(2 * len(columns.lines) + MOST_MOVES, np.int16)
            room[: len(columns.lines)] = columns.lines
            columns = replace(columns, lines=room)
        return columns

    def _search_one_by_one(self, deals: PackedDeals, abort: NDArray[np.uint8]) -> Columns:
        columns = new_columns(len(deals), with_lines=False)
        lines: list[NDArray[np.int16]] = []
        status_of = {why: status for status, why in WHY_UNKNOWN.items()}
        for index in range(len(deals)):
            columns.first_move[index + 1] = columns.first_move[index]
            try:
                outcome = solve(
                    deals[index].position(self.rules),
                    self.rules,
                    max_nodes=self.max_nodes,
                    max_memory=self.max_memory,
                    engine=self.engine.name,
                    abort=abort,
                )
            except RuntimeError as error:  # a fault of the engine, never of the deal, and no end of the batch
                columns.status[index] = REFUSED
                columns.faults[index] = f"{error or repr(error)}"
                continue
            columns.nodes[index], columns.seconds[index] = outcome.nodes, outcome.seconds
            columns.skeletons[index] = outcome.trace.get("skeletons", 0)
            if outcome.moves is not None:
                columns.status[index], columns.moves[index] = WON, len(outcome.moves)
                if self.keeps_moves:
                    lines.append(packed_line(outcome.moves))
                    columns.first_move[index + 1] += len(outcome.moves)
            else:
                columns.status[index] = status_of[outcome.why_unknown] if outcome.why_unknown else LOST
        return replace(columns, lines=np.concatenate(lines)) if lines else columns


Progress = Callable[[int, int], None]
"""Told how many deals are done, and of how many."""


def solve_many(
    deals: "str | DealRange | Sequence[DealId | str | int] | NDArray[Any]",
    rules: Rules | str,
    *,
    max_nodes: int = DEFAULT_MAX_NODES,
    max_memory: int = DEFAULT_MAX_MEMORY,
    engine: str = "auto",
    solutions: bool = False,
    threads: int = 1,
    progress: Progress | None = None,
    abort: "NDArray[np.uint8] | None" = None,
) -> Solved:
    """Prove many deals won or lost, each within a budget. Verdicts and moves do not depend on the number of threads.

    Parameters
    ----------
    deals
        A range, ``"ms:1-1000"``; a list of deals, ``["ms:24", "pysol:5"]``; or an array of decks, integers ``(n, 52)``:
        card ``4 * rank + suit``, ranks from the Ace at 0, suits in the order hearts, clubs, diamonds, spades, the card
        that is dealt first in column 0.
    rules
        A rule set, or a variant's name.
    max_nodes, max_memory
        Nodes that the search of one deal may open; bytes that one thread may use for its tables.
    engine
        ``auto``, or the name of the engine to search with.
    solutions
        Keep the winning moves. They take time: up to a millisecond a win for making them fewer.
    threads
        Deals searched at the same time.
    progress
        Called with the number of deals done and the number of deals, every some ten deals.
    abort
        uint8[1]; another thread that sets it ends the work within a moment, the deals left ``interrupted``.

    Returns
    -------
    Solved
        Arrays with one value a deal, in the order of the deals.

    Raises
    ------
    InputError
        For deals that do not exist, a deck that does not have every card once, unknown rules, or a budget that is not
        an integer, is below 1, or is more than the machine has.

    Examples
    --------
    >>> import solver
    >>> solved = solver.solve_many("ms:24-26", "citadel", solutions=True)
    >>> print(*solved.verdict, *solved.nodes)
    won lost lost 25 0 0
    >>> len(solved.solution(0)) == int(solved.moves[0])
    True
    """
    rules = as_rules(rules)
    check_budgets(max_nodes, max_memory)
    check_kind("engine", engine, str)
    check_kind("solutions", solutions, bool)
    check_kind("threads", threads, int)
    if not 1 <= threads <= MOST_THREADS:
        raise InputError(f"threads must be an integer from 1 to {MOST_THREADS}, got {threads!r}")
    check_callable("progress", progress)
    check_abort(abort)
    search = Search(rules, engine_for(rules, engine), int(max_nodes), int(max_memory), solutions)
    pace = Pace()
    names, total, blocks = _blocks(deals, rules, pace)
    flag = np.zeros(1, np.uint8) if abort is None else abort
    search.prepare()
    found: list[Columns] = []
    skimmed: list[NDArray[np.int8]] = []
    done = 0
    for columns, cards in _searched(search, blocks, int(threads), flag):
        found.append(columns)
        skimmed.append(cards)
        pace.note(columns)
        done += len(columns.status)
        if progress is not None:
            progress(done, total)
    return _solved(search, names, found, skimmed)


def _searched(
    search: Search, blocks: Iterator[PackedDeals], threads: int, abort: NDArray[np.uint8]
) -> Iterator[tuple[Columns, NDArray[np.int8]]]:
    """What comes of each block, in order, and its numbers of skimmed cards; one thread alone is the caller's own."""
    if threads == 1:
        for block in blocks:
            yield search.search(block, abort), block.skimmed
        return
    crew = Crew(lambda block: (search.search(block, abort), block.skimmed), blocks, threads)
    try:
        while not crew.finished:
            yield from crew.wait(0.1)
    finally:
        if not crew.finished:
            abort[0] = 1
        crew.stop(10)


_Blocks = tuple[Callable[[], NDArray[np.str_]], int, Iterator[PackedDeals]]
"""The names of deals, made when they are wanted; how many there are; and the deals, block by block."""


def _blocks(deals: Any, rules: Rules, pace: Pace) -> _Blocks:
    if isinstance(deals, str):
        deals = parse_deals(deals)
    if isinstance(deals, DealRange):
        scheme, first, last = deals.scheme, deals.first, deals.last
        return (
            lambda: np.array([f"{scheme}:{number}" for number in range(first, last + 1)], dtype=str),
            deals.count,
            (deal_batch(scheme, start, count, rules) for start, count in cut(first, last, pace)),
        )
    if isinstance(deals, np.ndarray):
        decks = checked_decks(deals)
        return (
            lambda: np.arange(1, len(decks) + 1).astype(str),
            len(decks),
            (deal_decks(decks[start : start + count], rules) for start, count in cut(0, len(decks) - 1, pace)),
        )
    if not isinstance(deals, list | tuple):
        raise InputError(f"deals must be a range, a list of deals or an array of decks, not {type(deals).__name__}")
    wanted = [as_deal(deal) for deal in deals]
    return (
        lambda: np.array([str(deal) for deal in wanted], dtype=str),
        len(wanted),
        (deal_batch(deal.scheme, deal.number, 1, rules) for deal in wanted),
    )


def cut(first: int, last: int, pace: Pace) -> Iterator[tuple[int, int]]:
    """The numbers from ``first`` to ``last`` in blocks: the first number of each, and how many."""
    while first <= last:
        count = min(pace.size, last - first + 1)
        yield first, count
        first += count


def checked_decks(decks: NDArray[Any]) -> NDArray[np.int8]:
    """Decks as int8[n, 52].

    Raises
    ------
    InputError
        If they are not integers ``(n, 52)``, or a row does not have every card once; the first such row is named.
    """
    if decks.ndim != 2 or decks.shape[1] != DECK or decks.dtype.kind not in "iu":
        raise InputError(f"deals must be an array of integers (n, {DECK}), not {decks.dtype} {decks.shape}")
    wrong = np.flatnonzero((np.sort(decks, axis=1) != np.arange(DECK)).any(axis=1))
    if len(wrong):
        row: list[Card] = decks[wrong[0]].tolist()
        missing = sorted({*range(DECK)} - {*row})
        raise InputError(f"deck {wrong[0] + 1} must have every card from 0 to {DECK - 1} once; {missing[0]} is missing")
    return decks.astype(np.int8)


def _solved(
    search: Search,
    names: Callable[[], NDArray[np.str_]],
    found: list[Columns],
    skimmed: list[NDArray[np.int8]],
) -> Solved:
    """The results of all blocks, put together."""

    def joined(name: str, kind: Any) -> Any:
        return np.concatenate([np.zeros(0, kind), *(getattr(columns, name) for columns in found)]).astype(kind)

    status = joined("status", np.int8)
    lengths = [np.diff(columns.first_move) for columns in found]
    first_move = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate([np.zeros(0, np.int64), *lengths]))])
    lines = [columns.lines[: columns.first_move[-1]] for columns in found]
    return Solved(
        rules=search.rules,
        engine=search.engine.name,
        node_unit=search.engine.node_unit,
        deal=names(),
        verdict=verdicts_of(status),
        why_unknown=whys_of(status),
        nodes=joined("nodes", np.int64),
        skeletons=joined("skeletons", np.int64),
        moves=joined("moves", np.int32),
        skimmed=np.concatenate([np.zeros(0, np.int8), *skimmed]),
        seconds=joined("seconds", np.float64),
        _first_move=first_move,
        _lines=np.concatenate([np.zeros(0, np.int16), *lines]) if search.keeps_moves else None,
    )


_VERDICT_OF = np.array([_VERDICTS.get(status, Verdict.UNKNOWN.value) for status in range(REFUSED + 1)], dtype=str)
_WHY_OF = np.array([_WHY.get(status, "") for status in range(REFUSED + 1)], dtype=str)


def verdicts_of(status: NDArray[np.int8]) -> NDArray[np.str_]:
    """The verdict of each status."""
    return _VERDICT_OF[status]


def whys_of(status: NDArray[np.int8]) -> NDArray[np.str_]:
    """Why each is unknown; empty for what is proved."""
    return _WHY_OF[status]
