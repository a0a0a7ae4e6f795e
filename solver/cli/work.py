"""Work in threads that an interrupt ends within a moment, its results used in order by the thread that waits."""

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

import click

from solver.cli.application import GRACE, interrupts, say
from solver.cli.progress import PLAIN_EVERY, TICK
from solver.crew import Crew

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Item = TypeVar("Item")
Result = TypeVar("Result")


def work_through(
    work: "Callable[[Item, NDArray[np.uint8]], Result]",
    items: Iterator[Item],
    jobs: int,
    use: Callable[[Result], None],
    tick: Callable[[Item | None], None],
) -> int | None:
    """Work on every item and use each result.

    Parameters
    ----------
    work
        Called in a thread with an item and the abort flag that an interrupt raises.
    use
        Called with each result, in the order of the items.
    tick
        Called every moment with the first item that is worked on.

    Returns
    -------
    int or None
        The exit status of an interrupt; None if everything was done.
    """
    import numpy as np

    abort = np.zeros(1, np.uint8)
    crew = Crew(lambda item: work(item, abort), items, jobs)
    with interrupts() as interrupt:
        try:
            while interrupt.status is None and not crew.finished:
                for result in crew.wait(TICK):
                    use(result)
                tick(crew.in_work)
        finally:
            abort[0] = 1
            crew.stop(GRACE / 2)
        if interrupt.status is not None:
            for result in crew.leftovers():
                use(result)
    return interrupt.status


def work_alone(
    context: click.Context, work: "Callable[[Item, NDArray[np.uint8]], Result]", item: Item, quiet: bool
) -> Result:
    """Work on one item, and say every few seconds that the work goes on; an interrupt ends the command."""
    found: list[Result] = []
    interrupt = work_through(work, iter([item]), 1, found.append, tick=(lambda _: None) if quiet else _Patience())
    if interrupt is not None:
        say("interrupted")
        context.exit(interrupt)
    (result,) = found
    return result


class _Patience:
    """Says every few seconds that the work goes on."""

    def __init__(self) -> None:
        self._begun = self._said = time.monotonic()

    def __call__(self, _: object) -> None:
        now = time.monotonic()
        if now - self._said >= PLAIN_EVERY:
            self._said = now
            say(f"{now - self._begun:.0f} s so far")
