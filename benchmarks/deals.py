"""Deals a second, compiled and plain: ``python benchmarks/deals.py``.

Seeding the Mersenne Twister, 1,247 steps that each wait for the one before, is most of a ``pysol`` deal.
"""

import time

from solver.deals import DealId, deal_position
from solver.engine.dealing.compiled_deals import deal_batch
from solver.rules import rules_of

COMPILED = 200_000
PLAIN = 2_000
RANGES = {"ms": 1, "pysol": 10**19}
"""Where each scheme's deals begin: ``pysol`` far above the numbers that it deals as ``ms`` does."""


def main() -> None:
    """Print a line for each scheme and game."""
    for scheme, first in RANGES.items():
        for variant in ("citadel", "streets-and-alleys", "bakers-dozen"):
            rules = rules_of(variant)
            deal_batch(scheme, first, 1, rules)  # compiles, or loads what an earlier run compiled
            start = time.perf_counter()
            deal_batch(scheme, first, COMPILED, rules)
            compiled = COMPILED / (time.perf_counter() - start)
            start = time.perf_counter()
            for number in range(first, first + PLAIN):
                deal_position(DealId(scheme, number), rules)
            plain = PLAIN / (time.perf_counter() - start)
            print(f"{scheme:6} {variant:20} compiled {compiled:9,.0f}/s   plain {plain:7,.0f}/s")


if __name__ == "__main__":
    main()
