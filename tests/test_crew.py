"""Threads that work on items and hand the results out in order."""

import threading
from collections.abc import Iterator
from itertools import count

import pytest

from solver.crew import AHEAD, Crew

LONG = 60.0


def all_results(crew: "Crew[int, int]") -> list[int]:
    """Everything that a crew hands out."""
    results: list[int] = []
    while not crew.finished:
        results += crew.wait(LONG)
    return results


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_results_come_in_order(threads: int) -> None:
    def work(item: int) -> int:
        threading.Event().wait(0.001 * (item % 3))
        return item * item

    assert all_results(Crew(work, iter(range(50)), threads)) == [item * item for item in range(50)]


def test_no_items_no_results() -> None:
    assert all_results(Crew(abs, iter(()), 2)) == []


def test_a_result_is_handed_out_while_others_are_worked_on() -> None:
    go_on = threading.Event()

    def work(item: int) -> int:
        if item == 1:
            go_on.wait(LONG)
        return item

    crew = Crew(work, iter([0, 1]), 2)
    assert crew.wait(LONG) == [0]
    assert crew.wait(0.01) == []
    assert crew.in_work == 1
    go_on.set()
    assert all_results(crew) == [1]


def test_an_endless_range_is_taken_a_little_at_a_time() -> None:
    taken: list[int] = []
    go_on = threading.Event()

    def items() -> Iterator[int]:
        for item in count():
            taken.append(item)
            yield item

    def work(item: int) -> int:
        if item == 0:
            go_on.wait(LONG)
        return item

    crew = Crew(work, items(), 2)
    assert crew.wait(0.2) == []
    assert len(taken) <= 2 * AHEAD + 1
    go_on.set()
    assert crew.wait(LONG)[0] == 0
    assert crew.stop(LONG)


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_is_raised_in_its_turn(threads: int) -> None:
    def work(item: int) -> int:
        return 6 // (3 - item)

    crew = Crew(work, iter(range(9)), threads)
    results: list[int] = []
    with pytest.raises(ZeroDivisionError):  # noqa: PT012 - what comes before is part of the test
        while True:
            results += crew.wait(LONG)
    assert results == [2, 3, 6]


def test_an_error_of_the_items_is_raised_in_its_turn() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise OSError("the pipe broke")

    crew = Crew(abs, items(), 2)
    results: list[int] = []
    with pytest.raises(OSError, match="the pipe broke"):  # noqa: PT012
        while not crew.finished:
            results += crew.wait(LONG)
    assert results == [1]


def test_stopping_keeps_what_is_finished() -> None:
    go_on = threading.Event()
    last_done = threading.Event()

    def work(item: int) -> int:
        if item == 0:
            go_on.wait(LONG)
        if item == 5:
            last_done.set()
        return item

    crew = Crew(work, iter(range(6)), 2)
    assert last_done.wait(LONG)
    go_on.set()
    assert crew.stop(LONG)
    assert crew.leftovers() == [0, 1, 2, 3, 4, 5]


def test_a_thread_that_does_not_end_is_told() -> None:
    go_on = threading.Event()
    crew = Crew(lambda _: go_on.wait(LONG), iter([1]), 1)
    while crew.in_work is None:
        crew.wait(0.01)
    assert not crew.stop(0.01)
    go_on.set()
    assert crew.stop(LONG)
