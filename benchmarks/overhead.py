"""What the commands add to the batch API, in CPU time, and where that goes.

    python benchmarks/overhead.py [--games citadel] [--deals ms:1-1000] [--solve-deals ms:1-200]

`citadel run` and `citadel solve --json` run in this process, as if from the command line, but without the start of a
process; `solve_many` solves the same deals. They take turns, and the median of several turns counts. The JSON has the
moves, so `citadel solve` is also compared with `solve_many(solutions=True)`. At the end come the functions that take
most of each command's CPU time, from a profile of all its threads. A profile slows functions down, so only shares are
given.
"""

import argparse
import cProfile
import io
import pstats
import threading
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
from measuring import GAMES, command_here, digits, run_here, table_head, table_row

import solver

FUNCTIONS = 12
"""How many functions of a profile are shown."""


def main() -> None:
    """Measure both commands, and profile them."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--games", nargs="+", choices=GAMES, default=["citadel", "streets-and-alleys"])
    options.add_argument("--deals", default="ms:1-1000", help="deals of `citadel run`")
    options.add_argument("--solve-deals", default="ms:1-200", help="deals of `citadel solve`")
    options.add_argument("--max-nodes", type=int, default=100_000)
    options.add_argument("--turns", type=int, default=5)
    chosen = options.parse_args()
    lines, profiles = [], []
    for game in chosen.games:
        ways = ways_of(game, chosen.deals, chosen.solve_deals, chosen.max_nodes)
        seconds = {name: np.median(times) for name, times in in_turns(ways, chosen.turns).items()}
        for command, base in COMPARED:
            lines.append(
                table_row(
                    game,
                    command,
                    digits(1000 * seconds[command]),
                    base,
                    digits(1000 * seconds[base]),
                    f"{seconds[command] / seconds[base]:.2f}",
                )
            )
        for command in dict.fromkeys(command for command, _ in COMPARED):
            profiles.append(f"{game}, {command}:\n\n" + profile(ways[command]))
    print(f"run: {chosen.deals}; solve: {chosen.solve_deals}; {chosen.max_nodes:,} nodes; CPU ms in all\n")
    print(table_head("game", "command", "ms", "beside", "ms", "ratio"))
    print("\n".join(lines))
    print("\nOwn CPU time of functions, share of all:\n\n" + "\n\n".join(profiles))


RUN, RUN_ONE_PART, RUN_MANY = "`citadel run`", "`citadel run`, one part", "`solve_many`"
SOLVE, SOLVE_MANY, SOLVE_MANY_MOVES = (
    "`citadel solve --json`",
    "`solve_many`, the deals of solve",
    "`solve_many(solutions=True)`",
)
COMPARED = [(RUN, RUN_MANY), (RUN_ONE_PART, RUN_MANY), (SOLVE, SOLVE_MANY), (SOLVE, SOLVE_MANY_MOVES)]


def ways_of(game: str, deals: str, solve_deals: str, max_nodes: int) -> dict[str, Callable[[], object]]:
    """What is measured, by name."""

    def solve() -> None:
        with redirect_stdout(io.StringIO()):
            command_here("solve", solve_deals, "--variant", game, "--json", "--max-nodes", str(max_nodes), "-q")

    return {
        RUN: lambda: run_here(game, deals, max_nodes),
        RUN_ONE_PART: lambda: run_here(game, deals, max_nodes, "--chunk", "1000000"),
        RUN_MANY: lambda: solver.solve_many(deals, game, max_nodes=max_nodes),
        SOLVE: solve,
        SOLVE_MANY: lambda: solver.solve_many(solve_deals, game, max_nodes=max_nodes),
        SOLVE_MANY_MOVES: lambda: solver.solve_many(solve_deals, game, max_nodes=max_nodes, solutions=True),
    }


def in_turns(ways: dict[str, Callable[[], object]], turns: int) -> dict[str, list[float]]:
    """CPU seconds of each way in each turn, after one that does not count."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(turns + 1):
        for name, way in ways.items():
            begun = time.process_time()
            way()
            if turn:
                times[name].append(time.process_time() - begun)
    return times


def profile(way: Callable[[], object]) -> str:
    """The functions with the most CPU time of their own, in all threads, as a table."""
    profiles: list[cProfile.Profile] = []

    def profiled(work: Callable[[], object]) -> None:
        found = cProfile.Profile(time.thread_time)
        profiles.append(found)
        found.runcall(work)

    run = threading.Thread.run
    threading.Thread.run = lambda thread: profiled(lambda: run(thread))  # type: ignore[method-assign]
    try:
        profiled(way)
    finally:
        threading.Thread.run = run  # type: ignore[method-assign]
    functions = pstats.Stats(*profiles).get_stats_profile()
    total = functions.total_tt
    rows = sorted(functions.func_profiles.items(), key=lambda row: -row[1].tottime)
    return "\n".join(
        [
            table_head("share", "calls", "function"),
            *(
                table_row(f"{row.tottime / total:.1%}", row.ncalls, f"`{name}` of {where(row)}")
                for name, row in rows[:FUNCTIONS]
            ),
        ]
    )


def where(row: pstats.FunctionProfile) -> str:
    """The file of a function."""
    return "the interpreter" if row.file_name == "~" else Path(row.file_name).name


if __name__ == "__main__":
    main()
