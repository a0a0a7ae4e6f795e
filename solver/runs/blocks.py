"""Blocks: some deals of a run, searched in one call, and their rows as a table. Knows nothing of files and threads."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solver.batch import Pace, Search, cut, verdicts_of, whys_of
from solver.cards import DECK, card_text
from solver.engine.batch.columns import REFUSED, Columns
from solver.engine.dealing.compiled_deals import PackedDeals, deal_numbers
from solver.engine.replaying.compiled_replay import FOUNDATIONS
from solver.engine.result import ABORTED, LOST, WON
from solver.runs.manifest import Manifest
from solver.runs.rows import SCHEMA, Budget, Row
from solver.solving import Verdict, engine_for


@dataclass(frozen=True, slots=True)
class Block:
    """Deals of a chunk, by their numbers, in order."""

    chunk: int
    scheme: str
    numbers: list[int]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What came of a block.

    Attributes
    ----------
    block
        The deals.
    columns
        What the search came to; rows of deals that were interrupted stand for nothing.
    skimmed
        int8[n], number of cards that each deal founded by skimming.
    has_skeletons, has_solutions
        Whether these columns are kept.
    """

    block: Block
    columns: Columns
    skimmed: NDArray[np.int8]
    has_skeletons: bool
    has_solutions: bool

    def done(self) -> NDArray[np.int64]:
        """The places in the block of the deals that were searched to an end."""
        return np.flatnonzero(self.columns.status != ABORTED)

    def numbers(self) -> list[int]:
        """The numbers of the deals that were searched to an end."""
        done = self.done()
        return self.block.numbers if len(done) == len(self.block.numbers) else [self.block.numbers[i] for i in done]

    def table(self) -> pa.Table:
        """Their rows, without a Python object a deal but its name."""
        columns = self.columns
        status = columns.status
        prefix = f"{self.block.scheme}:"
        arrays = [
            pa.array(np.array([f"{prefix}{number}" for number in self.block.numbers], dtype=str)),
            _text(_VERDICTS, _VERDICT_OF[status]),
            pa.array(columns.nodes),
            pa.array(columns.skeletons) if self.has_skeletons else pa.nulls(len(status), pa.int64()),
            pa.array(columns.moves, mask=status != WON),
            pa.array(self.skimmed),
            pa.array(columns.seconds),
            _text(_WHYS, status, is_null=(status == WON) | (status == LOST)),
            self._solutions() if self.has_solutions else pa.nulls(len(status), pa.string()),
        ]
        table = pa.Table.from_arrays(arrays, schema=SCHEMA)
        done = self.done()
        return table if len(done) == len(status) else table.take(pa.array(done))

    def rows(self) -> list[Row]:
        """Their rows, one by one."""
        return [Row(**values) for values in self.table().to_pylist()]

    def faults(self) -> list[str]:
        """What the engine failed on, in words."""
        places = np.flatnonzero(self.columns.status == REFUSED).tolist()
        said = self.columns.faults
        usual = "the referee refuses the engine's win"
        return [f"{self.block.scheme}:{self.block.numbers[at]}: {said.get(at, usual)}" for at in places]

    def _solutions(self) -> pa.Array:
        """The solutions as texts, see ``rows.solution_text``: four bytes a move, looked up."""
        columns = self.columns
        line = columns.lines[: columns.first_move[-1]]
        text = np.empty((len(line), 4), np.uint8)
        text[:, :2] = _CARD_TEXT[line & 63]
        text[:, 2] = _DIGITS[line >> 6 & 15]
        text[:, 3] = _DIGITS[line >> 10 & 15]
        return _string_array(4 * columns.first_move, text.tobytes(), columns.status == WON)


_CARD_TEXT = np.array([list(card_text(card).encode()) for card in range(DECK)], np.uint8)
_DIGITS = np.frombuffer(b"123456789ABCD", np.uint8)
_DIGITS = np.concatenate([_DIGITS, np.zeros(FOUNDATIONS - len(_DIGITS), np.uint8), np.frombuffer(b"F", np.uint8)])


_STATUSES = np.arange(REFUSED + 1, dtype=np.int8)
_VERDICTS = pa.array(sorted(verdict.value for verdict in Verdict))
_VERDICT_OF = np.searchsorted(_VERDICTS.to_pylist(), verdicts_of(_STATUSES)).astype(np.int8)
_WHYS = pa.array(whys_of(_STATUSES).tolist())


def _text(words: pa.Array, places: NDArray[np.int8], is_null: NDArray[np.bool_] | None = None) -> pa.Array:
    """A few different words, many times, as an array of strings."""
    return pa.DictionaryArray.from_arrays(pa.array(places, mask=is_null), words).cast(pa.string())


def _string_array(first: NDArray[np.int64], text: bytes, is_valid: NDArray[np.bool_]) -> pa.Array:
    """Strings that lie one behind the other in a text, as Arrow lays them out."""
    valid = pa.py_buffer(np.packbits(is_valid, bitorder="little").tobytes())
    buffers = [valid, pa.py_buffer(first.astype(np.int32).tobytes()), pa.py_buffer(text)]
    return pa.Array.from_buffers(pa.string(), len(is_valid), buffers)


def search_of(manifest: Manifest, budget: Budget, shortens: bool = False) -> Search:
    """How the deals of a run are searched."""
    engine = engine_for(manifest.rules, manifest.engine)
    return Search(manifest.rules, engine, budget.max_nodes, budget.max_memory, manifest.solutions, shortens)


def search_block(block: Block, search: Search, abort: NDArray[np.uint8], pace: Pace | None = None) -> Found:
    """Deal and search a block in this thread; ``pace`` is told how long its deals took."""
    deals: PackedDeals = deal_numbers(block.scheme, block.numbers, search.rules)
    columns = search.search(deals, abort)
    if pace is not None:
        pace.note(columns)
    has_skeletons = search.engine.node_unit == "class"
    return Found(block, columns, deals.skimmed, has_skeletons, search.keeps_moves)


def blocks_of(manifest: Manifest, chunk: int, numbers: list[int], pace: Pace) -> Iterator[Block]:
    """Some deals of a chunk, given by number and in order, as blocks, each cut when it is wanted."""
    for first, count in cut(0, len(numbers) - 1, pace):
        yield Block(chunk, manifest.deals.scheme, numbers[first : first + count])
