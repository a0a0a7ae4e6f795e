"""Do the quota search and the slower ones ever disagree? ``python benchmarks/crosscheck.py [--deals N] [--small N]``.

Part one: full deals of every game that the quota search serves, searched by it and by the general engine. Part two:
small random positions, searched by it and exhaustively, nothing pruned (``solver/naive.py``). Every win is replayed by
the referee and may pass no position twice. Prints a line a game, and every contradiction as a board; the exit status is
1 if there is one.
"""

import argparse
import sys
import time
from collections import Counter
from random import Random

from solver.checking.naive import naive_verdict
from solver.checking.samples import small_castle
from solver.deals import deal_position, parse_deals
from solver.engine.general import position_search as general
from solver.engine.quota import class_search as quota
from solver.engine.result import LOST, WON
from solver.notation import board_text
from solver.position import Position
from solver.referee import replay
from solver.rules import CHOICES, VARIANTS, Rules

MEMORY = 256 << 20
WORDS = {WON: "won", LOST: "lost"}


def main() -> None:
    """Run both parts."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--games", nargs="+", choices=VARIANTS, default=list(VARIANTS), help="games of part one")
    options.add_argument(
        "--deals", default="ms:1-1000", help="deals of the games of eight piles; ms:1-1000 unless given"
    )
    options.add_argument("--deals-13", default="ms:1-300", help="deals of the games of 13 piles; ms:1-300 unless given")
    options.add_argument("--classes", type=int, default=100_000, help="node budget of the quota search")
    options.add_argument("--positions", type=int, default=200_000, help="node budget of the general engine")
    options.add_argument("--small", type=int, default=50_000, help="small positions; 50000 unless given")
    options.add_argument("--states", type=int, default=2000, help="states after which the naive search gives up")
    chosen = options.parse_args()
    contradictions = 0
    if chosen.deals != "none":
        print(f"full deals: quota search {chosen.classes} classes, general engine {chosen.positions} positions")
        for name in chosen.games:
            deals = chosen.deals_13 if VARIANTS[name].piles == 13 else chosen.deals
            contradictions += check_deals(VARIANTS[name], deals, chosen.classes, chosen.positions)
    if chosen.small:
        print(f"small positions: naive search of up to {chosen.states} states")
        contradictions += check_small(chosen.small, chosen.states)
    print(f"{contradictions} contradictions")
    sys.exit(contradictions > 0)


def check_deals(rules: Rules, deals: str, classes: int, positions: int) -> int:
    """Compare the engines on a game's deals; the number of contradictions."""
    verdicts: Counter[tuple[str, str]] = Counter()
    begun = time.perf_counter()
    contradictions = 0
    for deal in parse_deals(deals):
        position = deal_position(deal, rules)
        ours = quota_verdict(position, rules, classes)
        theirs = WORDS.get(general.search(position, rules, max_nodes=positions, max_memory=MEMORY).status, "unknown")
        verdicts[ours, theirs] += 1
        if "unknown" not in (ours, theirs) and ours != theirs:
            contradictions += 1
            report(f"{rules.variant} {deal}", ours, theirs, position)
    both = sum(count for pair, count in verdicts.items() if "unknown" not in pair)
    agreed = sum(count for (ours, theirs), count in verdicts.items() if ours == theirs != "unknown")
    print(
        f"  {rules.variant} {deals}: both decide {both}, of these {agreed} alike "
        f"({verdicts['won', 'won']} won, {verdicts['lost', 'lost']} lost); "
        f"quota search alone {verdicts['won', 'unknown'] + verdicts['lost', 'unknown']}, "
        f"general engine alone {verdicts['unknown', 'won'] + verdicts['unknown', 'lost']}, "
        f"neither {verdicts['unknown', 'unknown']}; {time.perf_counter() - begun:.0f} s",
        flush=True,
    )
    return contradictions


def check_small(count: int, states: int) -> int:
    """Compare the quota search with the naive one on ``count`` positions; the number of contradictions."""
    verdicts: Counter[tuple[str, str]] = Counter()
    begun = time.perf_counter()
    contradictions = seed = 0
    while sum(verdicts.values()) < count:
        position, rules = small_castle(Random(seed))
        seed += 1
        winnable = naive_verdict(position, rules, states)
        if winnable is None:
            continue
        ours, theirs = quota_verdict(position, rules, 10**7), "won" if winnable else "lost"
        verdicts[rules.spaces, theirs] += 1
        if ours != theirs:
            contradictions += 1
            report(f"small position {seed - 1}, {rules.piles} piles, spaces={rules.spaces}", ours, theirs, position)
    counts = "; ".join(
        f"spaces={spaces}: {verdicts[spaces, 'won']} won, {verdicts[spaces, 'lost']} lost"
        for spaces in CHOICES["spaces"]
    )
    print(f"  {count} of {seed} drawn, the others too large. {counts}; {time.perf_counter() - begun:.0f} s", flush=True)
    return contradictions


def quota_verdict(position: Position, rules: Rules, classes: int) -> str:
    """The quota search's verdict; a win that the referee refuses, or that repeats a position, is a fault."""
    found = quota.search(position, rules, max_nodes=classes, max_memory=MEMORY)
    if found.status != WON and "winning line" in found.trace:
        return "won, but by no moves"
    if found.status == WON:
        line = replay(position, rules, found.moves)
        if not line.wins or line.repeats:
            return "won, by a line that does not hold"
    return WORDS.get(found.status, "unknown")


def report(what: str, ours: str, theirs: str, position: Position) -> None:
    """Print a contradiction so that it can be looked into."""
    print(f"CONTRADICTION {what}: quota search {ours}, other search {theirs}\n{board_text(position)}", flush=True)


if __name__ == "__main__":
    main()
