"""Tune the heuristic's weights: random steps on some deals, the gain measured on others.

    python benchmarks/tune.py --minutes 5

A trial multiplies one or two settings by a random factor and is kept if the games' mean cost falls. The cost of a game
is the mean of the nodes a deal, a deal that is not decided within ``--max-nodes`` counting twice that; games are
averaged by the logarithm, so that each weighs the same. Deals come from ms:20001 on, outside every range that results
are given for.
"""

import argparse
import math
import random
import time

import numpy as np
from decided import GAMES

from solver.deals import DealId, deal_position
from solver.engine.classes.board import BOARD, load_board, new_record, pack
from solver.engine.classes.settings import SETTINGS
from solver.engine.classes.workspace import new_workspace
from solver.engine.quota.schedule import search_deal
from solver.engine.result import LOST, WON
from solver.rules import rules_of

WEIGHTS = [name for name in SETTINGS if name.startswith("weight_")]


class Games:
    """The deals of each game in a range, packed once, and what they cost under some settings."""

    def __init__(self, first: int, count: int, max_nodes: int) -> None:
        self.max_nodes = max_nodes
        self.work = new_workspace(64 << 20)
        self.board, self.root, self.abort = new_record(BOARD), np.zeros(4, np.int64), np.zeros(1, np.uint8)
        self.deals = {}
        for game in GAMES:
            rules = rules_of(game)
            positions = [deal_position(DealId("ms", number), rules) for number in range(first, first + count)]
            self.deals[game] = [pack(position, rules) for position in positions]

    def costs(self, settings: dict[str, int]) -> dict[str, float]:
        """Mean cost a deal of each game."""
        for name, value in settings.items():
            self.work.settings[name] = value
        means = {}
        for game, packed in self.deals.items():
            total = 0
            for deal in packed:
                load_board(deal, self.board, self.root)
                status = search_deal(self.board, self.root, self.work, self.max_nodes, self.abort)
                total += int(self.work.counts.nodes) if status in (WON, LOST) else 2 * self.max_nodes
            means[game] = total / len(packed)
        return means


def score(costs: dict[str, float]) -> float:
    """The geometric mean over the games."""
    return math.exp(sum(map(math.log, costs.values())) / len(costs))


def main() -> None:
    """Tune, then compare the settings found with the present ones on deals that were not tuned on."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--deals", type=int, default=120, help="deals a game to tune on, and to measure on")
    parser.add_argument("--max-nodes", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    tuned_on = Games(20001, options.deals, options.max_nodes)
    present = dict(SETTINGS)
    best, least = present.copy(), score(tuned_on.costs(present))
    print(f"present settings: {least:.1f} nodes a deal")
    until = time.monotonic() + 60 * options.minutes
    while time.monotonic() < until:
        trial = best.copy()
        for name in chance.sample(WEIGHTS, chance.choice((1, 1, 2))):
            trial[name] = max(1, round(trial[name] * chance.choice((0.5, 0.7, 0.85, 1.2, 1.4, 2))))
        cost = score(tuned_on.costs(trial))
        if cost < least:
            best, least = trial, cost
            print(f"{least:.1f}: {[int(best[number]) for number in WEIGHTS]}", flush=True)
    measured_on = Games(40001, options.deals, options.max_nodes)
    before, after = measured_on.costs(present), measured_on.costs(best)
    print("on deals not tuned on, nodes a deal before and after:")
    for game in GAMES:
        print(f"  {game:20} {before[game]:8.1f} {after[game]:8.1f}")
    print(f"  {'geometric mean':20} {score(before):8.1f} {score(after):8.1f}")


if __name__ == "__main__":
    main()
