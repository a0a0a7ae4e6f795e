"""Work done by several threads, its results handed out in order, or as they come. Knows nothing of games.

The kernels run without the GIL, so threads are enough to use all cores. Items are taken from an iterator one
at a time, and only a bounded number ahead of the results handed out: a range of 10^20 deals costs nothing.
"""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 256
"""Results a thread that wait at most behind one that is not known yet."""


@dataclass(frozen=True, slots=True)
class _Failure:
    error: BaseException


class Crew(Generic[Item, Result]):
    """Threads that do ``work`` on every item; they start at once and end with the process.

    Parameters
    ----------
    work
        Called with an item, in one of the threads.
    items
        The items; advanced in the threads, never by two at a time.
    threads
        Number of threads.
    in_order
        Whether results wait for those of earlier items; if not, a slow item holds nobody up.
    """

    def __init__(
        self, work: Callable[[Item], Result], items: Iterator[Item], threads: int, in_order: bool = True
    ) -> None:
        self._work = work
        self._items = items
        self._in_order = in_order
        self._feeding = threading.Lock()  # held while an item is taken, which may block on a pipe
        self._changed = threading.Condition()  # guards everything below
        self._working: dict[int, Item] = {}
        self._results: dict[int, Result | _Failure] = {}
        self._taken = 0
        self._given = 0
        self._most_ahead = AHEAD * threads
        self._fed = False
        self._stopped = False
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    @property
    def finished(self) -> bool:
        """Whether every result has been handed out."""
        with self._changed:
            return self._is_finished()

    @property
    def in_work(self) -> Item | None:
        """The first item that is being worked on."""
        with self._changed:
            return self._working[min(self._working)] if self._working else None

    def wait(self, seconds: float) -> list[Result]:
        """The next results, as soon as there is one; none after ``seconds``.

        What ``work`` or the iterator raised for an item is raised when it is that item's turn.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._next() is not None or self._is_finished(), seconds)
            ready: list[Result] = []
            while (number := self._next()) is not None:
                result = self._results[number]
                if isinstance(result, _Failure):
                    if ready:
                        break  # raised by the next call
                    raise result.error
                ready.append(result)
                del self._results[number]
                self._given += 1
            self._changed.notify_all()
            return ready

    def stop(self, grace: float) -> bool:
        """Take no more items and wait for the threads to end; whether all have after ``grace`` seconds."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        end = time.monotonic() + grace
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def leftovers(self) -> list[Result]:
        """After ``stop``: the results that waited behind one that never came, in order."""
        with self._changed:
            waiting = [self._results[number] for number in sorted(self._results)]
        return [result for result in waiting if not isinstance(result, _Failure)]

    def _next(self) -> int | None:
        """The number of the result that is handed out next, if there is one."""
        if self._in_order:
            return self._given if self._given in self._results else None
        return next(iter(self._results), None)

    def _is_finished(self) -> bool:
        return self._fed and self._given == self._taken

    def _run(self) -> None:
        while self._work_once():
            pass

    def _work_once(self) -> bool:
        """Take an item and work on it; whether there may be another one."""
        with self._feeding:
            with self._changed:
                self._changed.wait_for(self._may_take)
                if self._stopped or self._fed:
                    return False
            try:
                item = next(self._items)
            except BaseException as error:
                with self._changed:
                    self._fed = True
                    if not isinstance(error, StopIteration):
                        self._results[self._taken] = _Failure(error)
                        self._taken += 1
                    self._changed.notify_all()
                return False
            with self._changed:
                number = self._taken
                self._taken += 1
                self._working[number] = item
        result: Result | _Failure
        try:
            result = self._work(item)
        except BaseException as error:
            result = _Failure(error)
        with self._changed:
            del self._working[number]
            self._results[number] = result
            self._changed.notify_all()
        return True

    def _may_take(self) -> bool:
        return self._stopped or self._fed or self._taken - self._given < self._most_ahead
