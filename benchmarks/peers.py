"""The quota search and another solver, fc-solve, on the same boards: ``python benchmarks/peers.py [--deals ms:1-300]``.

fc-solve comes with Debian's package freecell-solver-bin; without it there is nothing to compare, and a message says so.
It first runs the fast set of scans ``-l te``, whose "could not solve" is no proof, so wherever it finds no win
fc-solve runs once more, exhaustively. Its time is user and system time of the processes, ours is CPU time of this
process around ``solver.solve``, the referee's replay included, one thread, kernels compiled and one deal solved before.
Exit status 1 if two verdicts contradict each other.
"""

import argparse
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

from decided import GAMES

import solver
from solver.deals import DealId, deal_position, parse_deals
from solver.notation import board_text
from solver.position import Position
from solver.rules import VARIANTS, Rules

PEER = "fc-solve"
PEER_GAME = ["-g", "beleaguered_castle"]
PEER_SPACES = {"any": [], "kings": ["--empty-stacks-filled-by", "kings"]}
PEER_FAST = ["-l", "te"]
PEER_EXHAUSTIVE = ["-to", "0AB", "-sp", "r:tf"]
PEER_LIMIT = ["-mi", "500000", "-sel"]
"""Positions a run may check; ``-sel`` makes it say so when it stops there."""

WON, NOT_WON, LIMIT = "This game is solveable.", "I could not solve this game.", "Iterations count exceeded."
"""How it ends."""


@dataclass(frozen=True)
class Row:
    """One board: verdicts and CPU seconds of both; for our wins, classes opened for each step of the winning line."""

    ours: str
    theirs: str
    our_seconds: float
    their_seconds: float
    opened_a_step: float | None


def main() -> None:
    """Run both on every deal of every game and print a table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--games", nargs="+", choices=GAMES, default=GAMES)
    options.add_argument("--deals", default="ms:1-300")
    options.add_argument("--max-nodes", type=int, default=100_000, help="our node budget")
    chosen = options.parse_args()
    if shutil.which(PEER) is None:
        print(f"{PEER} is not installed, nothing to compare with; on Debian: apt-get install freecell-solver-bin")
        return
    contradictions = 0
    print(f"{chosen.deals}, ours at {chosen.max_nodes:,} nodes; CPU ms a deal\n")
    print("| game | deals | decided by us | by them | mean, us | them | ratio | median, us | them | ratio |")
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    opened = []
    for name in chosen.games:
        rules, rows = VARIANTS[name], []
        solver.solve(deal_position(DealId("ms", 1), rules), rules, max_nodes=chosen.max_nodes)  # compiled and in memory
        for deal in parse_deals(chosen.deals):
            row = compare(deal_position(deal, rules), rules, chosen.max_nodes)
            rows.append(row)
            if "unknown" not in (row.ours, row.theirs) and row.ours != row.theirs:
                contradictions += 1
                print(f"CONTRADICTION {name} {deal}: ours {row.ours}, theirs {row.theirs}", flush=True)
        print(table_line(name, rows), flush=True)
        opened.append(opened_line(name, rows))
    print("\nOur wins, classes opened for each step of the winning line (1 is the limit):\n")
    print("| game | wins | median | mean | 90% below | most |\n|---|---|---|---|---|---|")
    print("\n".join(opened))
    print(f"\n{contradictions} contradictions")
    sys.exit(contradictions > 0)


def compare(position: Position, rules: Rules, max_nodes: int) -> Row:
    """Both verdicts on one board."""
    begun = time.process_time()
    outcome = solver.solve(position, rules, max_nodes=max_nodes)
    seconds = time.process_time() - begun
    opened_a_step = None
    if outcome.moves is not None:
        # The last class of the line is seen to be won when it is met, it is not opened.
        opened_a_step = max(outcome.nodes, 1) / max(outcome.trace["winning line"] - 1, 1)
    theirs, their_seconds = peer_verdict(position, rules)
    return Row(str(outcome.verdict), theirs, seconds, their_seconds, opened_a_step)


def peer_verdict(position: Position, rules: Rules) -> tuple[str, float]:
    """The other solver's verdict, and the CPU seconds of its one or two runs."""
    with tempfile.NamedTemporaryFile("w", suffix=".board") as board:
        board.write(board_text(position))
        board.flush()
        said, seconds = run_peer([*PEER_SPACES[rules.spaces], *PEER_FAST, *PEER_LIMIT, board.name])
        if said == WON:
            return "won", seconds
        said, more_seconds = run_peer([*PEER_SPACES[rules.spaces], *PEER_EXHAUSTIVE, *PEER_LIMIT, board.name])
    return {WON: "won", NOT_WON: "lost", LIMIT: "unknown"}[said], seconds + more_seconds


def run_peer(arguments: list[str]) -> tuple[str, float]:
    """The line in which the other solver says how it ended, and the CPU seconds that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run([PEER, *PEER_GAME, *arguments], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = [line for line in run.stdout.splitlines() if line in (WON, NOT_WON, LIMIT)]
    if len(said) != 1:
        raise RuntimeError(f"{PEER} {' '.join(arguments)} said nothing that is understood: {run.stdout}{run.stderr}")
    return said[0], after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def table_line(name: str, rows: list[Row]) -> str:
    """A game's line of the first table."""
    ours, theirs = [1000 * row.our_seconds for row in rows], [1000 * row.their_seconds for row in rows]
    cells = [
        name,
        len(rows),
        sum(row.ours != "unknown" for row in rows),
        sum(row.theirs != "unknown" for row in rows),
        *ratio_cells(statistics.mean(ours), statistics.mean(theirs)),
        *ratio_cells(statistics.median(ours), statistics.median(theirs)),
    ]
    return f"| {' | '.join(map(str, cells))} |"


def ratio_cells(ours: float, theirs: float) -> list[str]:
    """Two times and how many times longer theirs is."""
    return [f"{ours:.2f}", f"{theirs:.1f}", f"{theirs / ours:.0f}"]


def opened_line(name: str, rows: list[Row]) -> str:
    """A game's line of the second table."""
    values = sorted(row.opened_a_step for row in rows if row.opened_a_step is not None)
    if not values:
        return f"| {name} | 0 | | | | |"
    tenth = values[int(0.9 * (len(values) - 1))]
    numbers = [statistics.median(values), statistics.mean(values), tenth, values[-1]]
    return f"| {name} | {len(values)} | {' | '.join(f'{number:.1f}' for number in numbers)} |"


if __name__ == "__main__":
    main()
