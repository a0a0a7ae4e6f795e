"""How fast the general engine opens positions, and how long its kernels take to compile and to load.

    python benchmarks/kernels.py

The first part searches exhaustively, no quota cutting anything, until some millions of positions are open; it
does so twice and shows the second time, when the memory has been used before. The second part starts fresh
processes, the first of them with an empty folder of compiled kernels.
"""

import os
import subprocess
import sys
import tempfile
import time

from solver.deals import DealId, deal_position
from solver.engine import result
from solver.engine.general import position_search as general
from solver.engine.general.state import pack
from solver.rules import rules_of

POSITIONS = 5_000_000
MEMORY = 2 << 30
ROOTS = [
    ("beleaguered-castle", 48, {}),
    ("streets-and-alleys", 48, {}),
    ("penelopes-web", 12, {}),
    ("portuguese-solitaire", 48, {"withdrawal": "yes"}),
    ("citadel", 26, {"withdrawal": "yes", "auto-found": "uncovered"}),
]

FRESH = """
import time
begun = time.perf_counter()
from solver.deals import DealId, deal_position
from solver.engine.general.position_search import search
from solver.rules import rules_of
rules = rules_of("citadel")
search(deal_position(DealId("ms", 24), rules), rules, max_nodes=10**6, max_memory=1 << 28)
print(time.perf_counter() - begun)
"""


def exhaust(variant: str, deal: int, switches: dict[str, str]) -> tuple[int, float, float]:
    """Open positions without any quota: how many, in how many seconds of this thread's own time, growing apart."""
    rules = rules_of(variant, switches)
    store = general._Store(pack(deal_position(DealId("ms", deal), rules), rules))
    store.begin(1 << 62)
    searching = growing = 0.0
    status = result.RUNNING
    while status == result.RUNNING and store.nodes() < POSITIONS:
        begun = time.thread_time()
        status = store.run(POSITIONS)
        searching += time.thread_time() - begun
        if status == general._NEEDS_ROOM:
            begun = time.thread_time()
            status = store.grow(MEMORY, None)
            growing += time.thread_time() - begun
    return store.nodes(), searching, growing


def main() -> None:
    print("million positions opened a second, one core, exhaustive part (with the time to grow the table):")
    for variant, deal, switches in ROOTS:
        exhaust(variant, deal, switches)
        nodes, searching, growing = exhaust(variant, deal, switches)
        name = " ".join([variant, f"ms:{deal}", *(f"{switch}={value}" for switch, value in switches.items())])
        rates = f"{nodes / searching / 1e6:.2f} ({nodes / (searching + growing) / 1e6:.2f})"
        print(f"  {rates}  {name}, {nodes:,} positions")
    with tempfile.TemporaryDirectory() as folder:
        for what in ("compiling everything", "compiled before"):
            began = time.perf_counter()
            run = subprocess.run(
                [sys.executable, "-c", FRESH],
                env=os.environ | {"NUMBA_CACHE_DIR": folder},
                capture_output=True,
                text=True,
                check=True,
            )
            whole = time.perf_counter() - began
            seconds = f"{float(run.stdout):.2f} s, {whole:.2f} s with Python's start"
            print(f"citadel ms:24 in a fresh process, {what}: {seconds}")


if __name__ == "__main__":
    main()
