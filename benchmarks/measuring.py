"""What several benchmarks need: the cost of a ``citadel`` command, here or in a process of its own; ratios of times."""

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from solver.cli.commands import citadel

GAMES = ["citadel", "beleaguered-castle", "streets-and-alleys", "exiled-kings", "penelopes-web"]

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Cost:
    """CPU seconds, user and system, and real seconds."""

    cpu: float
    real: float


def command_cost(*arguments: str) -> Cost:
    """Run a ``citadel`` command in a process of its own; what it prints is dropped."""
    with tempfile.TemporaryFile() as errors:
        begun = os.times().elapsed
        process = subprocess.Popen(
            [sys.executable, "-m", "solver", *arguments], stdout=subprocess.DEVNULL, stderr=errors
        )
        _, status, used = os.wait4(process.pid, 0)
        real = os.times().elapsed - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            errors.seek(0)
            raise RuntimeError(f"citadel {' '.join(arguments)} fails: {errors.read().decode()}")
    return Cost(used.ru_utime + used.ru_stime, real)


def run_cost(game: str, deals: str, max_nodes: int, *more: str) -> tuple[Cost, pa.Table]:
    """What ``citadel run`` costs in a process of its own, and its rows."""
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder, "run"))
        return command_cost("run", *_run_options(game, deals, max_nodes, out), *more), rows_of(out)


def command_here(*arguments: str) -> Cost:
    """Run a ``citadel`` command in this process, with no start of a process: imports are done, kernels are loaded."""
    cpu, real = time.process_time(), time.perf_counter()
    try:
        citadel.main(list(arguments), prog_name="citadel")
    except SystemExit as ending:
        if ending.code:
            raise RuntimeError(f"citadel {' '.join(arguments)} ends with {ending.code}") from None
    return Cost(time.process_time() - cpu, time.perf_counter() - real)


def run_here(game: str, deals: str, max_nodes: int, *more: str) -> tuple[Cost, pa.Table]:
    """What ``citadel run`` costs in this process, and its rows."""
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder, "run"))
        return command_here("run", *_run_options(game, deals, max_nodes, out), *more), rows_of(out)


def _run_options(game: str, deals: str, max_nodes: int, out: str) -> list[str]:
    return ["--variant", game, "--deals", deals, "--max-nodes", str(max_nodes), "--out", out, "-q"]


def rows_of(folder: str) -> pa.Table:
    """The rows of a finished run."""
    return pa.concat_tables(map(pq.read_table, sorted(Path(folder).glob("part-*.parquet"))))


def shared_out(cpu: float, seconds: Numbers) -> Numbers:
    """The CPU seconds of a call, shared out to its deals, whose searches took so many real seconds.

    What the call took beyond the searches is shared out evenly. If the searches seem to have taken longer than the
    call, this process had to wait for a core. Nobody knows in which of them, so then the real seconds stand, though
    they are too many.
    """
    return seconds + max(0.0, cpu - seconds.sum()) / len(seconds)


def ratio_interval(above: Numbers, below: Numbers, resamples: int = 10_000) -> tuple[float, float]:
    """The 95% bootstrap interval of the ratio of two means over the same deals, which are drawn in pairs."""
    random, count = np.random.default_rng(1), len(above)
    ratios = []
    for _ in range(0, resamples, 500):
        times_drawn = random.multinomial(count, np.full(count, 1 / count), size=500)
        ratios.append((times_drawn @ above) / (times_drawn @ below))
    low, high = np.percentile(np.concatenate(ratios), [2.5, 97.5])
    return float(low), float(high)


def table_row(*cells: object) -> str:
    """A line of a Markdown table."""
    return f"| {' | '.join(map(str, cells))} |"


def table_head(*names: str) -> str:
    """The first two lines of a Markdown table."""
    return table_row(*names) + "\n" + "|---" * len(names) + "|"


def digits(number: float) -> str:
    """A number with three significant digits, and no fewer than all before the point."""
    return f"{number:.0f}" if abs(number) >= 100 else f"{number:#.3g}".rstrip(".")
