"""The quota search and another solver, fc-solve, on the same boards in the same run: CPU time and verdicts.

    python benchmarks/peers.py [--games citadel] [--deals ms:1-100] [--check]

fc-solve runs as a library in this process, with no start of a process in its figure, and as a process. Ours is measured
as users get it: `citadel run` without solutions, in a process of its own, less its start; `solve_many`; `solve`. All
use one thread and the same boards. They take turns, block by block, so that other work on the machine hits all alike.
The start of `citadel run` is the CPU time of a run of the first two deals, less the time of their searches. `citadel
run` is measured several times, and the median counts. Without fc-solve a line says how to install it.

Exit status 1 if two verdicts contradict each other.
"""

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import fc_solve
import numpy as np
from measuring import GAMES, Numbers, digits, ratio_interval, run_cost, shared_out, table_head, table_row

import solver
from solver.deals import DealId, DealRange, deal_position, parse_deals
from solver.notation import board_text
from solver.position import Position
from solver.rules import VARIANTS, Rules

DEALS = {"citadel": "ms:1-1000", "beleaguered-castle": "ms:1-1000"}
DEALS_ELSE = "ms:1-300"
CHECK = "ms:100001-100300"
"""Deals that nothing was tuned on."""

RUN, MANY, SINGLE = "`citadel run`", "`solve_many`", "`solve`"
LIBRARY, PROGRAM = "fc-solve in process", "fc-solve as a process"

FEW = 2
"""Deals of the run that shows what its start costs."""

REPEATS = 3
"""Calls of ``solve_many`` on each block; the median of the times counts."""


@dataclass
class Way:
    """What one way of solving came to, deal by deal: verdicts by the deal, CPU seconds in the order of the deals."""

    seconds: Numbers = field(default_factory=lambda: np.zeros(0))
    verdicts: dict[str, str] = field(default_factory=dict)

    def add(self, deals: list[DealId], verdicts: list[str], seconds: Numbers | list[float]) -> None:
        """Take in some deals."""
        self.verdicts |= dict(zip(map(str, deals), verdicts, strict=True))
        self.seconds = np.concatenate([self.seconds, seconds])

    def milliseconds(self) -> list[float]:
        """Mean, median, 99th percentile and worst."""
        times = 1000 * self.seconds
        return [float(number) for number in (times.mean(), *np.percentile(times, [50, 99]), times.max())]

    @property
    def decided(self) -> int:
        """How many deals are won or lost."""
        return sum(verdict != "unknown" for verdict in self.verdicts.values())


@dataclass
class Game:
    """What was measured of a game."""

    name: str
    deals: DealRange
    ways: dict[str, Way]
    opened_a_step: list[float]
    starts: list[float]
    on_process: Way
    """The library's times on the deals that the program was given too."""


def main() -> None:
    """Measure every game, and print the tables."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--games", nargs="+", choices=GAMES, default=GAMES)
    options.add_argument(
        "--deals", help="ms:1-1000 for Citadel and Beleaguered Castle and ms:1-300 for the others, unless given"
    )
    options.add_argument(
        "--check", nargs="?", const=CHECK, metavar="DEALS", help=f"deals that nothing was tuned on, too; {CHECK}"
    )
    options.add_argument("--max-nodes", type=int, default=100_000, help="our node budget")
    options.add_argument("--block", type=int, default=100, help="deals that a way solves before it is another's turn")
    options.add_argument("--runs", type=int, default=5, help="how often `citadel run` is measured")
    options.add_argument(
        "--process-every", type=int, default=3, metavar="N", help="give fc-solve as a process every N-th deal"
    )
    chosen = options.parse_args()
    if not fc_solve.is_installed():
        print(fc_solve.HOW_TO_INSTALL)
        return
    contradictions = 0
    for checking in (False, True) if chosen.check else (False,):
        games = []
        for name in chosen.games:
            wanted = parse_deals(chosen.check if checking else chosen.deals or DEALS.get(name, DEALS_ELSE))
            game = measured(name, wanted, chosen)
            contradictions += tell_contradictions(game)
            games.append(game)
            print(f"{name} {wanted}: done", file=sys.stderr, flush=True)
        title = "Deals that nothing was tuned on" if checking else "Both solvers"
        print(f"## {title}\n\nCPU ms a deal, ours at {chosen.max_nodes:,} classes a deal.\n")
        print(tables(games), flush=True)
    print(f"\n{contradictions} contradictions")
    sys.exit(contradictions > 0)


def measured(name: str, wanted: DealRange, chosen: argparse.Namespace) -> Game:
    """Solve a game's deals in every way."""
    rules, ways = VARIANTS[name], {way: Way() for way in (RUN, MANY, SINGLE, LIBRARY, PROGRAM)}
    library, program = fc_solve.InProcess(rules), fc_solve.AsProcess(rules)
    game = Game(name, wanted, ways, [], [], Way())
    deals = list(wanted)
    blocks = [deals[first : first + chosen.block] for first in range(0, len(deals), chosen.block)]
    warm_up(deals[:FEW], rules, chosen.max_nodes, library)
    runs = Runs(wanted, name, chosen.max_nodes)
    for number, block in enumerate(blocks):
        for _ in range(number, chosen.runs, len(blocks)):
            runs.add()
        boards = [board_text(deal_position(deal, rules)) for deal in block]
        ways[LIBRARY].add(block, *by_peer(library.verdict, boards))
        every = slice(-len(ways[MANY].verdicts) % chosen.process_every, None, chosen.process_every)
        ways[PROGRAM].add(block[every], *by_peer(program.verdict, boards[every]))
        ways[MANY].add(block, *by_solve_many(wanted.scheme, block, rules, chosen.max_nodes))
        ways[SINGLE].add(block, *by_solve(block, rules, chosen.max_nodes, game.opened_a_step))
    ways[RUN].add(deals, *runs.result())
    game.starts = runs.starts
    of_library = dict(zip(ways[LIBRARY].verdicts, ways[LIBRARY].seconds, strict=True))
    game.on_process.seconds = np.array([of_library[deal] for deal in ways[PROGRAM].verdicts])
    return game


def warm_up(deals: list[DealId], rules: Rules, max_nodes: int, library: fc_solve.InProcess) -> None:
    """Have kernels compiled and in memory, and the library's memory taken."""
    for deal in deals:
        position = deal_position(deal, rules)
        solver.solve(position, rules, max_nodes=max_nodes)
        library.verdict(board_text(position))
    solver.solve_many([str(deal) for deal in deals], rules, max_nodes=max_nodes)


def by_peer(verdict: Callable[[str], tuple[str, float]], boards: list[str]) -> tuple[list[str], list[float]]:
    """Verdicts and CPU seconds of the other solver."""
    found = [verdict(board) for board in boards]
    return [word for word, _ in found], [seconds for _, seconds in found]


def by_solve_many(scheme: str, block: list[DealId], rules: Rules, max_nodes: int) -> tuple[list[str], Numbers]:
    """Verdicts of ``solve_many``, and its CPU seconds shared out to the deals."""
    cpu, seconds = [], []
    for _ in range(REPEATS):
        begun = time.process_time()
        solved = solver.solve_many(f"{scheme}:{block[0].number}-{block[-1].number}", rules, max_nodes=max_nodes)
        cpu.append(time.process_time() - begun)
        seconds.append(solved.seconds)
    return solved.verdict.tolist(), shared_out(float(np.median(cpu)), np.median(seconds, axis=0))


def by_solve(
    block: list[DealId], rules: Rules, max_nodes: int, opened_a_step: list[float]
) -> tuple[list[str], list[float]]:
    """Verdicts and CPU seconds of ``solve``, the plain referee's replay included, the deal's board made before."""
    verdicts, times = [], []
    for deal in block:
        position: Position = deal_position(deal, rules)
        begun = time.process_time()
        outcome = solver.solve(position, rules, max_nodes=max_nodes)
        times.append(time.process_time() - begun)
        verdicts.append(str(outcome.verdict))
        if outcome.moves is not None:
            # The last class of the line is seen to be won when it is met, it is not opened.
            opened_a_step.append(max(outcome.nodes, 1) / max(outcome.trace["winning line"] - 1, 1))
    return verdicts, times


class Runs:
    """``citadel run`` in processes of its own: of all deals, and of the first few for what a start costs."""

    def __init__(self, deals: DealRange, game: str, max_nodes: int) -> None:
        self._game, self._max_nodes, self._deals = game, max_nodes, deals
        self._few = DealRange(deals.scheme, deals.first, min(deals.first + FEW - 1, deals.last))
        self._cpu: list[float] = []
        self._seconds: list[Numbers] = []
        self._verdicts: list[str] = []
        self.starts: list[float] = []
        """CPU seconds of each start."""

    def add(self) -> None:
        """Measure once more."""
        few, rows = run_cost(self._game, str(self._few), self._max_nodes)
        self.starts.append(few.cpu - sum(rows["seconds"].to_pylist()))
        cost, rows = run_cost(self._game, str(self._deals), self._max_nodes)
        self._cpu.append(cost.cpu - self.starts[-1])
        self._seconds.append(rows["seconds"].to_numpy())
        self._verdicts = rows["verdict"].to_pylist()

    def result(self) -> tuple[list[str], Numbers]:
        """Verdicts, and CPU seconds shared out to the deals."""
        return self._verdicts, shared_out(float(np.median(self._cpu)), np.median(self._seconds, axis=0))


def tell_contradictions(game: Game) -> int:
    """Print every deal that one way proves won and another lost; how many there are."""
    count = 0
    for deal in map(str, game.deals):
        said = {name: way.verdicts[deal] for name, way in game.ways.items() if deal in way.verdicts}
        if {"won", "lost"} <= set(said.values()):
            count += 1
            print(f"CONTRADICTION {game.name} {deal}: {said}", flush=True)
    return count


def tables(games: list[Game]) -> str:
    """All tables, as Markdown."""
    return "\n\n".join(
        [
            "\n".join([SUMMARY_HEAD, *map(summary_line, games)]),
            "Every way of solving, and how many times the library's mean and median are above it, on the same deals:",
            "\n".join([DETAIL_HEAD, *(line for game in games for line in detail_lines(game))]),
            "CPU seconds of a start of `citadel run`, which its figures leave out:",
            "\n".join([START_HEAD, *map(start_line, games)]),
            "Our wins, classes opened for each step of the winning line (1 is the limit):",
            "\n".join([OPENED_HEAD, *map(opened_line, games)]),
        ]
    )


SUMMARY_HEAD = table_head(
    "game", "deals", "mean, run", LIBRARY, "ratio (95%)", "median, run", LIBRARY, "ratio", PROGRAM + ", mean", "median"
)


def summary_line(game: Game) -> str:
    """A game's line of the table that has ``citadel run`` beside the other solver."""
    ours, library, program = (game.ways[name] for name in (RUN, LIBRARY, PROGRAM))
    mean, median, *_ = ours.milliseconds()
    their_mean, their_median, *_ = library.milliseconds()
    program_mean, program_median, *_ = program.milliseconds()
    return table_row(
        game.name,
        len(ours.verdicts),
        digits(mean),
        digits(their_mean),
        ratio_of_means(library, ours),
        digits(median),
        digits(their_median),
        digits(their_median / median),
        digits(program_mean),
        digits(program_median),
    )


def ratio_of_means(above: Way, below: Way) -> str:
    """How many times as long one takes as the other, with the bootstrap interval."""
    low, high = ratio_interval(above.seconds, below.seconds)
    return f"{digits(above.seconds.mean() / below.seconds.mean())} ({digits(low)} to {digits(high)})"


DETAIL_HEAD = table_head(
    "game", "way", "decided", "mean", "median", "99% below", "worst", "ratio of means (95%)", "ratio of medians"
)


def detail_lines(game: Game) -> list[str]:
    """A line for each way of solving."""
    lines = []
    for name in (LIBRARY, PROGRAM, RUN, MANY, SINGLE):
        way = game.ways[name]
        beside = game.on_process if name == PROGRAM else game.ways[LIBRARY]
        ratios = [ratio_of_means(beside, way), digits(np.median(beside.seconds) / np.median(way.seconds))]
        decided = f"{way.decided} of {len(way.verdicts)}"
        lines.append(table_row(game.name, name, decided, *map(digits, way.milliseconds()), *ratios))
    return lines


START_HEAD = table_head("game", "median", "least", "most")


def start_line(game: Game) -> str:
    """A game's line of the table of starts."""
    return table_row(game.name, *(f"{at(game.starts):.2f}" for at in (np.median, min, max)))


OPENED_HEAD = table_head("game", "wins", "median", "mean", "90% below", "most")


def opened_line(game: Game) -> str:
    """A game's line of the table of classes opened."""
    opened = game.opened_a_step
    if not opened:
        return table_row(game.name, 0, "", "", "", "")
    numbers = [*np.percentile(opened, [50]), np.mean(opened), *np.percentile(opened, [90, 100])]
    return table_row(game.name, len(opened), *(f"{number:.1f}" for number in numbers))


if __name__ == "__main__":
    main()
