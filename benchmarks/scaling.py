"""How `citadel run` grows with threads and Dask workers: what holds the interpreter's lock, 1 and 2 threads, a model.

    python benchmarks/scaling.py [--games citadel] [--deals ms:1-10000] [--no-cluster]

The share of the lock is measured on one thread. CPU time inside the two kernels that a block calls, which deal and
search, is without the lock. All other CPU time of the process counts as with the lock. That is an upper limit, for the
lock is released while files are written. Until its arguments are unwrapped, a call of a kernel holds the lock too, so
the CPU time of a call that has nothing to do is counted as with the lock. Other work on the machine hardly changes CPU
times.

Then the same deals are run with 1 and with 2 threads, in turns, in real time. Other work on the machine changes that.

The model hands out the measured blocks. A thread first holds the lock for a block's share of the lock's time, one
thread after the other, then works on the block without it. With Dask, parts are handed out in place of blocks, a worker
is a process with one thread, and what it has to wait for is the process of `citadel run`, which has the scheduler in it
here. The model knows nothing of shared caches and memory, of clocks that slow down when all cores work, or of a
network. Amdahl's law stands beside it.
"""

import argparse
import heapq
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from measuring import GAMES, Numbers, digits, run_here, table_head, table_row

import solver.engine.batch.quota_batch as searching
import solver.engine.dealing.compiled_deals as dealing
from solver.deals import DealRange, parse_deals

MODEL_DEALS = 1_000_000
THREADS = (1, 2, 16, 64)


def main() -> None:
    """Measure every game, and print the tables."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--games", nargs="+", choices=GAMES, default=["citadel", "beleaguered-castle"])
    options.add_argument("--deals", default="ms:1-10000")
    options.add_argument("--chunk", type=int, default=1000, help="deals a part, as in a run of 200,000 deals and more")
    options.add_argument("--max-nodes", type=int, default=100_000)
    options.add_argument("--turns", type=int, default=3, help="how often 1 and 2 threads are compared")
    options.add_argument("--no-cluster", action="store_true", help="leave Dask out")
    chosen = options.parse_args()
    load = f"load {os.getloadavg()[0]:.1f}"
    print(f"{chosen.deals}, {chosen.chunk} deals a part, {chosen.max_nodes:,} nodes a deal; {load}\n")
    for game in chosen.games:
        print(report(game, chosen), flush=True)


def report(game: str, chosen: argparse.Namespace) -> str:
    """All tables of a game."""
    deals = parse_deals(chosen.deals)
    few = DealRange(deals.scheme, deals.first, min(deals.first + 99, deals.last))
    run_here(game, str(few), chosen.max_nodes, "--jobs", "2")  # kernels compiled and loaded
    share = lock_share(game, chosen)
    real = real_times(game, chosen)
    parts = [
        f"## {game}\n",
        table_head("CPU ms a deal", "in kernels", "with the lock", "share of the lock", "deals a block"),
        table_row(
            digits(1000 * (share.free + share.lock)),
            digits(1000 * share.free),
            digits(1000 * share.lock),
            f"{share.share:.1%}",
            digits(share.deals_a_block),
        ),
        "",
        table_head("real seconds", "1 thread", "2 threads", "ratio of the medians"),
        *(
            table_row(f"turn {turn + 1}", *(f"{times[turn]:.2f}" for times in real.values()), "")
            for turn in range(chosen.turns)
        ),
        table_row(
            "median",
            *(f"{np.median(times):.2f}" for times in real.values()),
            f"{np.median(real[1]) / np.median(real[2]):.2f}",
        ),
        "",
        table_head(f"model, {MODEL_DEALS:,} deals", *THREADS),
        table_row("threads: times faster", *(digits(share.speedup(threads)) for threads in THREADS)),
        table_row("threads: by Amdahl's law", *(digits(amdahl(share.share, threads)) for threads in THREADS)),
        table_row("threads: real seconds", *(digits(share.seconds(threads)) for threads in THREADS)),
    ]
    if not chosen.no_cluster:
        cluster = cluster_share(game, chosen, share)
        parts += [
            table_row("Dask workers: times faster", *(digits(cluster.speedup(workers)) for workers in THREADS)),
            table_row("Dask workers: real seconds", *(digits(cluster.seconds(workers)) for workers in THREADS)),
            "",
            f"Dask: {1000 * cluster.lock * chosen.chunk:.1f} ms CPU a part in `citadel run` and the scheduler,"
            f" {1000 * cluster.free * chosen.chunk:.0f} ms in a worker.",
        ]
    return "\n".join(parts) + "\n"


@dataclass(frozen=True)
class Share:
    """What work takes that is done one at a time, and what is done side by side.

    Attributes
    ----------
    lock, free
        CPU seconds a deal of the first and of the second kind.
    units
        Seconds of the second kind of each unit, block or part, that was measured.
    deals_a_block
        Mean number of deals of a unit.
    """

    lock: float
    free: float
    units: Numbers
    deals_a_block: float

    @property
    def share(self) -> float:
        """Of all, what is done one at a time."""
        return self.lock / (self.lock + self.free)

    def seconds(self, threads: int) -> float:
        """Real seconds of MODEL_DEALS deals, as the units are handed out."""
        count = round(MODEL_DEALS / self.deals_a_block)
        held = self.lock * self.deals_a_block
        ready, lock_free = [0.0] * threads, 0.0
        for unit in np.resize(self.units, count).tolist():
            lock_free = max(heapq.heappop(ready), lock_free) + held
            heapq.heappush(ready, lock_free + unit)
        return max(ready)

    def speedup(self, threads: int) -> float:
        """How many times faster than one thread."""
        return self.seconds(1) / self.seconds(threads)


def amdahl(share: float, threads: int) -> float:
    """Speed-up by Amdahl's law, if a share of the work is done one at a time."""
    return 1 / (share + (1 - share) / threads)


def lock_share(game: str, chosen: argparse.Namespace) -> Share:
    """CPU time of a run on one thread, in kernels and beside them."""
    with timed(searching, "search_packed") as search, timed(dealing, "_deal_range") as deal:
        cost, rows = run_here(game, chosen.deals, chosen.max_nodes, "--chunk", str(chosen.chunk))
    count = len(rows)
    no_search = (*search.last[:3], 0, 0, *search.last[5:])  # from deal 0 to before deal 0
    no_deals = (*deal.last[:5], *(column[:0] for column in deal.last[5:]))
    free = search.seconds - search.calls * call_seconds(search.kernel, no_search)
    free += deal.seconds - deal.calls * call_seconds(deal.kernel, no_deals)
    seconds = rows["seconds"].to_numpy()
    size = max(1, round(count / search.calls))
    units = np.add.reduceat(seconds, np.arange(0, count, size))
    return Share((cost.cpu - free) / count, free / count, units * (free / units.sum()), size)


@dataclass
class Timed:
    """A kernel, the CPU seconds of the threads that called it, how often, and with which arguments last."""

    kernel: Any
    seconds: float = 0.0
    calls: int = 0
    last: tuple[Any, ...] = ()

    def __call__(self, *arguments: Any) -> Any:
        begun = time.thread_time()
        found = self.kernel(*arguments)
        self.seconds += time.thread_time() - begun
        self.calls += 1
        self.last = arguments
        return found


@contextmanager
def timed(module: Any, name: str) -> Iterator[Timed]:
    """Have a module call a kernel with a clock around it; for a run on one thread."""
    kernel = getattr(module, name)
    clock = Timed(kernel)
    setattr(module, name, clock)
    try:
        yield clock
    finally:
        setattr(module, name, kernel)


def call_seconds(kernel: Any, arguments: tuple[Any, ...], calls: int = 1000) -> float:
    """CPU seconds of a call that has nothing to do."""
    begun = time.thread_time()
    for _ in range(calls):
        kernel(*arguments)
    return (time.thread_time() - begun) / calls


def real_times(game: str, chosen: argparse.Namespace) -> dict[int, list[float]]:
    """Real seconds of runs with 1 and 2 threads, in turns."""
    times: dict[int, list[float]] = {1: [], 2: []}
    for turn in range(chosen.turns):
        for threads in (1, 2) if turn % 2 == 0 else (2, 1):
            more = ("--chunk", str(chosen.chunk), "--jobs", str(threads))
            times[threads].append(run_here(game, chosen.deals, chosen.max_nodes, *more)[0].real)
    return times


def cluster_share(game: str, chosen: argparse.Namespace, threads: Share) -> Share:
    """CPU time of a run on Dask: of this process, with the scheduler, and of a worker, a process of its own."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        more = ("--scheduler", cluster.scheduler_address, "--chunk", str(chosen.chunk))
        run_here(game, chosen.deals, chosen.max_nodes, *more)  # the worker imports, and loads its kernels
        cost, rows = run_here(game, chosen.deals, chosen.max_nodes, *more)
    count = len(rows)
    starts = np.arange(0, count, chosen.chunk)
    beside = threads.lock  # what a worker does with the lock held, at most
    units = np.add.reduceat(rows["seconds"].to_numpy() + beside, starts)
    return Share(cost.cpu / count, float(units.sum()) / count, units, chosen.chunk)


if __name__ == "__main__":
    main()
