"""The search of a run's deals by threads. Knows nothing of terminals and signals: the caller keeps asking for more.

The threads take block after block, whatever chunk it is of, so a slow deal holds up its own chunk's part and nobody
else; a chunk's part is written as soon as the last of its rows is there.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from solver.batch import Pace
from solver.crew import Crew
from solver.runs.blocks import Block, Found, blocks_of, search_block, search_of
from solver.runs.folder import RunFolder
from solver.runs.parts import table_of
from solver.runs.rows import Budget, Row
from solver.statistics import Tally


class Work:
    """What is to be done in a run: chunks to fill, or chunks with unknown deals to search again.

    Parameters
    ----------
    run
        The run; its manifest has the budgets unless ``retry`` has.
    shard
        ``(i, n)``: only the i-th of n shares, i from 1, of the chunks.
    retry
        Budgets to search the unknown deals of finished chunks with; None to search the chunks that are missing.

    Attributes
    ----------
    tally
        Verdicts of the deals that are done: for a retry those searched again, else all that this share has.
    total
        How many deals there will be in the tally.
    faults
        What the engine failed on, in words.
    """

    def __init__(self, run: RunFolder, shard: tuple[int, int] = (1, 1), retry: Budget | None = None) -> None:
        self.run = run
        self.budget = retry or Budget(run.manifest.max_nodes, run.manifest.max_memory)
        self.tally = Tally()
        self.faults: list[str] = []
        self.searched = 0
        self._pieces: dict[int, list[_Piece]] = {}  # of the chunks in work
        self._missing: dict[int, int] = {}  # how many of their rows are
        self._retry = retry is not None
        index, shares = shard
        finished = set(run.finished_chunks())
        mine = range(index - 1, run.manifest.chunks, shares)
        if self._retry:
            self._chunks = [chunk for chunk in mine if chunk in finished and self._is_open(chunk)]
            self.total = sum(sum(map(self._is_open_row, run.rows(chunk))) for chunk in self._chunks)
        else:
            self._chunks = [chunk for chunk in mine if chunk not in finished]
            self.total = sum(run.manifest.chunk_deals(chunk).count for chunk in mine)
            for chunk in mine:
                self._count(run.rows(chunk) if chunk in finished else run.partial_rows(chunk))

    def chunks(self) -> Iterator[tuple[int, list[int]]]:
        """Begin chunk after chunk: its number, and the numbers of its deals that are to be searched."""
        for chunk in self._chunks:
            if self._retry:
                known = [row for row in self.run.rows(chunk) if not self._is_open_row(row)]
            else:
                known = self.run.partial_rows(chunk)
            deals = self.run.manifest.chunk_deals(chunk)
            number_of = {str(deal): deal.number for deal in deals} if known else {}
            numbers = [number_of[row.deal] for row in known]
            self._pieces[chunk] = [_Piece(numbers, table_of(known))]
            self._missing[chunk] = deals.count - len(numbers)
            there = set(numbers)
            yield chunk, [number for number in range(deals.first, deals.last + 1) if number not in there]

    def add(self, found: Found) -> None:
        """Take in what came of a block, and write the part of its chunk if that was the last of it."""
        chunk = found.block.chunk
        self.faults += found.faults()
        pieces = self._pieces[chunk]
        piece = _Piece(found.numbers(), found.table())
        pieces.append(piece)
        for count in piece.table["verdict"].value_counts().to_pylist():
            self.tally.add(count["values"], count["counts"])
        self.searched += len(piece.numbers)
        self._missing[chunk] -= len(piece.numbers)
        if self._missing[chunk] == 0:
            self.run.write(chunk, _in_order(pieces))
            del self._pieces[chunk]

    def keep_partial(self) -> None:
        """Write the rows of the chunks that are not finished; a retry leaves those parts as they are."""
        if self._retry:
            return
        for chunk, pieces in self._pieces.items():
            if self._missing[chunk] and any(piece.numbers for piece in pieces):
                self.run.write_partial(chunk, _in_order(pieces))

    def _count(self, rows: list[Row]) -> None:
        for row in rows:
            self.tally.add(row.verdict)

    def _is_open(self, chunk: int) -> bool:
        return any(map(self._is_open_row, self.run.rows(chunk)))

    def _is_open_row(self, row: Row) -> bool:
        """Whether a retry searches a deal again: it is unknown, and this budget has not been spent on it."""
        return row.verdict == "unknown" and not (row.why_unknown == "nodes" and row.nodes >= self.budget.max_nodes)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Some rows of a chunk, and the numbers of their deals."""

    numbers: list[int]
    table: pa.Table


def _in_order(pieces: list[_Piece]) -> pa.Table:
    """All rows in the order of the deals."""
    table = pa.concat_tables([piece.table for piece in pieces])
    numbers = [number for piece in pieces for number in piece.numbers]
    order = sorted(range(len(numbers)), key=numbers.__getitem__)
    return table if order == list(range(len(numbers))) else table.take(pa.array(order))


class Batch:
    """Threads that do a run's work; they start at once.

    Parameters
    ----------
    work
        What is to be done.
    jobs
        Number of threads.
    """

    def __init__(self, work: Work, jobs: int) -> None:
        self._work = work
        self._abort = np.zeros(1, np.uint8)
        self._pace = Pace()
        self._search = search_of(work.run.manifest, work.budget)
        self._crew = Crew(self._search_block, self._blocks(), jobs, in_order=False)

    @property
    def finished(self) -> bool:
        """Whether all is done."""
        return self._crew.finished

    def step(self, seconds: float) -> None:
        """Take in what is known, or wait some seconds for it.

        Raises
        ------
        InputError
            If a part cannot be written.
        """
        for found in self._crew.wait(seconds):
            self._work.add(found)

    def stop(self, grace: float) -> None:
        """End, and keep what is known of unfinished chunks."""
        self._abort[0] = 1
        self._crew.stop(grace)
        for found in self._crew.leftovers():
            self._work.add(found)
        self._work.keep_partial()

    def _blocks(self) -> Iterator[Block]:
        for chunk, numbers in self._work.chunks():
            yield from blocks_of(self._work.run.manifest, chunk, numbers, self._pace)

    def _search_block(self, block: Block) -> Found:
        return search_block(block, self._search, self._abort, self._pace)
