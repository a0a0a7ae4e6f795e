"""What should iterative deepening run over? Depth, discrepancy and quotas compared on the general engine's moves.

    python benchmarks/deepening.py [DEALS] [POSITIONS]

Searches ms:1 to ms:DEALS of every variant (default 30) within a budget of POSITIONS opened (default 100,000), all
iterations together, and prints a Markdown table of deals won / lost / undecided and of positions opened a deal.
The kernel here serves this comparison alone: each way of deepening is a few lines in it.
"""

import sys
from collections import Counter

import numpy as np
from numba import njit

from solver.deals import DealId, deal_position
from solver.engine.general.play import MOST_MOVES, MOST_STEPS, found_safe, is_won_early, list_moves, play, take_back
from solver.engine.general.state import KEY, NONE, SKELETON, pack
from solver.engine.general.visited import find
from solver.rules import VARIANTS

DEPTH, DISCREPANCY, QUOTA, SKELETON_QUOTA = range(4)
NO_LIMIT = 1 << 40

WAYS = {
    "nothing: one depth-first search": (QUOTA, True, [NO_LIMIT]),
    "depth, by 10": (DEPTH, True, [10 * step for step in range(1, 1000)]),
    "discrepancy: moves that are not the best": (DISCREPANCY, True, list(range(1000))),
    "discrepancy, by 4": (DISCREPANCY, True, list(range(0, 1000, 4))),
    "positions in all, from 64 times 8": (QUOTA, True, [64 * 8**step for step in range(10)]),
    "positions a skeleton, from 1 times 2": (SKELETON_QUOTA, True, [2**step for step in range(30)]),
    "positions a skeleton, from 8 times 8": (SKELETON_QUOTA, True, [8 * 8**step for step in range(10)]),
    "positions a skeleton, from 64 times 64": (SKELETON_QUOTA, True, [64 * 64**step for step in range(5)]),
    "the same from 8 times 8, moves not ordered": (SKELETON_QUOTA, False, [8 * 8**step for step in range(10)]),
}


@njit
def iterate(state, table, left, counters, frames, pending, trail, by, ordered, limit, most):
    """One iteration: (whether won, whether something was cut, positions opened); the state ends as it began.

    ``left`` holds, for each position in the table, the allowance that was left when it was last opened: with
    more of it, it is opened again.
    """
    values = np.zeros(MOST_MOVES, np.int64)
    opened, cut, depth, waiting, length = 0, False, 0, 0, found_safe(state, trail, 0)
    allowance = limit if by < QUOTA else 0
    mark = 0
    while True:
        is_new = False
        if allowance < 0:
            cut = True
        else:
            row = find(table, state[KEY], state[KEY + 1], state[KEY + 2])
            is_new = row < 0 or left[row] < allowance
        if is_new and by >= QUOTA:
            counter = state[SKELETON] & (len(counters) - 1) if by == SKELETON_QUOTA else 0
            if counters[counter] >= limit:
                is_new, cut = False, True
            counters[counter] += is_new
        if is_new:
            if opened == most or waiting + MOST_MOVES > len(pending) or length + MOST_STEPS > len(trail):
                take_back(state, trail, length, 0)
                return False, True, opened
            opened += 1
            if is_won_early(state):
                take_back(state, trail, length, 0)
                return True, cut, opened
            if row < 0:
                row = -1 - row
                for word in range(3):
                    table[row, word] = state[KEY + word]
            left[row] = allowance
            count = list_moves(state, NONE, pending[waiting:], values)
            if not ordered:
                pending[waiting : waiting + count].sort()
            frames[depth, 0], frames[depth, 1], frames[depth, 2] = waiting, mark, allowance
            frames[depth, 3] = waiting + count
            waiting += count
            depth += 1
        else:
            take_back(state, trail, length, mark)
            length = mark
        while depth > 0 and waiting == frames[depth - 1, 0]:
            depth -= 1
            take_back(state, trail, length, frames[depth, 1])
            length = frames[depth, 1]
        if depth == 0:
            return False, cut, opened
        allowance = frames[depth - 1, 2]
        if by == DEPTH or (by == DISCREPANCY and waiting < frames[depth - 1, 3]):
            allowance -= 1
        waiting -= 1
        mark = length
        length = play(state, trail, length, pending[waiting] & 63, pending[waiting] >> 6)


def deepen(state: np.ndarray, by: int, ordered: bool, limits: list[int], budget: int) -> tuple[str, int]:
    """The verdict, and the positions opened in all iterations."""
    nodes = 0
    for limit in limits:
        room = budget - nodes
        table, left = np.zeros((2 * room + 64, 3), np.int64), np.zeros(2 * room + 64, np.int64)
        frames, pending = np.zeros((room + 1, 4), np.int64), np.zeros(8 * room + MOST_MOVES, np.int64)
        trail, counters = np.zeros(2 * room + 1000, np.int64), np.zeros(1 << 16, np.int64)
        won, cut, opened = iterate(state, table, left, counters, frames, pending, trail, by, ordered, limit, room)
        nodes += opened
        if won or not cut:
            return "won" if won else "lost", nodes
        if nodes == budget or opened == room:
            break
    return "undecided", nodes


def main() -> None:
    deals = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    budget = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    print("| deepening over | " + " | ".join(VARIANTS) + " |")
    print("|---|" + "---|" * len(VARIANTS))
    for name, (by, ordered, limits) in WAYS.items():
        cells = []
        for rules in VARIANTS.values():
            verdicts, nodes = Counter(), 0
            for number in range(1, deals + 1):
                state = pack(deal_position(DealId("ms", number), rules), rules)
                verdict, opened = deepen(state, by, ordered, limits, budget)
                verdicts[verdict] += 1
                nodes += opened
            counts = "/".join(str(verdicts[verdict]) for verdict in ("won", "lost", "undecided"))
            cells.append(f"{counts} {nodes / deals:,.0f}")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
