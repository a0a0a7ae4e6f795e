"""What the quota search decides within a budget, and what decides it.

    python benchmarks/decided.py [--deals ms:101-1100] [--max-nodes 100000]

Prints a line a game: deals won, lost and unknown; classes opened, all rungs included; CPU time a deal, from the dealt
position to the moves, the referee left out; the length of the winning lines in moves; and which part of the search
proved the lost ones.
"""

import argparse
import statistics
import time
from collections import Counter

from solver.deals import DealId, deal_position, parse_deals
from solver.engine.quota.class_search import search
from solver.engine.result import LOST, WON
from solver.rules import VARIANTS, Rules

GAMES = [variant for variant, rules in VARIANTS.items() if rules.piles == 8]
"""The games of eight piles, which README.md here gives figures of."""


def main() -> None:
    """Search every deal of every game and print a table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--games", nargs="+", choices=VARIANTS, default=GAMES)
    options.add_argument("--deals", default="ms:101-1100")
    options.add_argument("--max-nodes", type=int, default=100_000)
    options.add_argument("--max-memory", type=int, default=256, help="MiB")
    options.add_argument("--name-unknown", action="store_true", help="print the deals that stay unknown as well")
    chosen = options.parse_args()
    print(f"{chosen.deals}, {chosen.max_nodes:,} classes, {chosen.max_memory} MiB\n")
    print(
        "| game | won | lost | unknown | classes mean | median | won, median | ms mean | median | moves median | most |"
        " proved lost by |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|", flush=True)
    for name in chosen.games:
        print(line_of(VARIANTS[name], chosen.deals, chosen.max_nodes, chosen.max_memory << 20, chosen.name_unknown))


def line_of(rules: Rules, deals: str, max_nodes: int, max_memory: int, name_unknown: bool) -> str:
    """A game's line of the table."""
    search(deal_position(DealId("ms", 1), rules), rules, max_nodes=max_nodes, max_memory=max_memory)  # warm
    classes, won_classes, milliseconds, lengths = [], [], [], []
    decided_by: Counter[str] = Counter()
    statuses: Counter[int] = Counter()
    for deal in parse_deals(deals):
        position = deal_position(deal, rules)
        begun = time.thread_time()
        found = search(position, rules, max_nodes=max_nodes, max_memory=max_memory)
        milliseconds.append(1000 * (time.thread_time() - begun))
        classes.append(found.nodes)
        statuses[found.status] += 1
        if found.status == WON:
            lengths.append(len(found.moves))
            won_classes.append(found.nodes)
        elif found.status == LOST:
            decided_by[found.trace["decided by"]] += 1
        elif name_unknown:
            print(f"unknown: {rules.variant} {deal}", flush=True)
    parts = ", ".join(f"{part} {count}" for part, count in decided_by.most_common())
    cells = [
        rules.variant,
        statuses[WON],
        statuses[LOST],
        len(classes) - statuses[WON] - statuses[LOST],
        f"{statistics.mean(classes):,.0f}",
        f"{statistics.median(classes):,.0f}",
        f"{statistics.median(won_classes or [0]):,.0f}",
        f"{statistics.mean(milliseconds):.2f}",
        f"{statistics.median(milliseconds):.2f}",
        f"{statistics.median(lengths or [0]):.0f}",
        max(lengths, default=0),
        parts,
    ]
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
