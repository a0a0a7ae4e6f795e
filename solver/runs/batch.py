"""The search of a run's deals by threads. Knows nothing of terminals and signals: the caller keeps asking for more.

The threads take deal after deal, whatever chunk it is of, so a slow deal holds up its own chunk's part and nobody
else; a chunk's part is written as soon as the last of its rows is there.
"""

from collections.abc import Iterator

import numpy as np

from solver.crew import Crew
from solver.runs.folder import RunFolder
from solver.runs.rows import Budget, Row, Task, search_row, tasks_of
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
        self._rows: dict[int, dict[str, Row]] = {}  # of the chunks in work, by the deal's name
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
            rows = {row.deal: row for row in known}
            self._rows[chunk] = rows
            yield chunk, [deal.number for deal in self.run.manifest.chunk_deals(chunk) if str(deal) not in rows]

    def add(self, chunk: int, row: Row, fault: str | None) -> None:
        """Take a row in, and write the part of its chunk if it was the last one."""
        if fault is not None:
            self.faults.append(fault)
        rows = self._rows[chunk]
        rows[row.deal] = row
        self._count([row])
        self.searched += 1
        deals = self.run.manifest.chunk_deals(chunk)
        if len(rows) == deals.count:
            self.run.write(chunk, [rows[str(deal)] for deal in deals])
            del self._rows[chunk]

    def keep_partial(self) -> None:
        """Write the rows of the chunks that are not finished; a retry leaves those parts as they are."""
        if self._retry:
            return
        for chunk, rows in list(self._rows.items()):
            if 0 < len(rows) < self.run.manifest.chunk_deals(chunk).count:
                self.run.write_partial(chunk, rows.values())

    def _count(self, rows: list[Row]) -> None:
        for row in rows:
            self.tally.add(row.verdict)

    def _is_open(self, chunk: int) -> bool:
        return any(map(self._is_open_row, self.run.rows(chunk)))

    def _is_open_row(self, row: Row) -> bool:
        """Whether a retry searches a deal again: it is unknown, and this budget has not been spent on it."""
        return row.verdict == "unknown" and not (row.why_unknown == "nodes" and row.nodes >= self.budget.max_nodes)


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
        self._crew = Crew(self._search, self._tasks(), jobs, in_order=False)

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
        for task, row, fault in self._crew.wait(seconds):
            self._work.add(task.chunk, row, fault)

    def stop(self, grace: float) -> None:
        """End, and keep what is known of unfinished chunks."""
        self._abort[0] = 1
        self._crew.stop(grace)
        for task, row, fault in self._crew.leftovers():
            if row.why_unknown != "interrupted":
                self._work.add(task.chunk, row, fault)
        self._work.keep_partial()

    def _tasks(self) -> Iterator[Task]:
        for chunk, numbers in self._work.chunks():
            yield from tasks_of(self._work.run.manifest, chunk, numbers)

    def _search(self, task: Task) -> tuple[Task, Row, str | None]:
        return task, *search_row(task, self._work.run.manifest, self._work.budget, self._abort)
