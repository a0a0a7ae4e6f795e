"""Work in threads that an interrupt ends within a moment, its results used in order by the thread that waits."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

from solver.cli.application import GRACE, interrupts
from solver.cli.progress import TICK
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
