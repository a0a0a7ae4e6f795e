"""The order in which classes are tried, and whether a class is won as it stands. See docs/search.md, section 4."""

from solver.engine.bits import lowest, popcount
from solver.engine.jit import bare_kernel


@bare_kernel
def evaluate(board, state, weights):
    """The heuristic value of a class by its canonical member, lower is better; -1 if no card lies on a lower one.

    Where no card lies on one of lower rank, the lowest card is always on top: won.
    """
    rider, founded = state.rider, state.founded
    ranks = board.ranks
    over_lower = 0
    kings = 0
    bottoms = state.bottom
    while bottoms:
        card = lowest(bottoms)
        bottoms &= bottoms - 1
        least = card >> 2
        if least == ranks - 1:
            kings += 1
        card = rider[card]
        while card >= 0:
            rank = card >> 2
            if rank > least:
                over_lower += 1
            else:
                least = rank
            card = rider[card]
    if over_lower == 0:
        return -1
    value = (
        weights.weight_live * popcount(state.live)
        + weights.weight_bad * popcount(state.bad)
        + weights.weight_over_lower * over_lower
        - weights.weight_spare * state.spare
        - weights.weight_king * kings
    )
    for suit in range(4):
        rank = founded[suit]
        if rank < ranks:
            card = rider[4 * rank + suit]
            while card >= 0:
                value += weights.weight_on_next
                card = rider[card]
            if rank + 1 < ranks:
                card = rider[4 * rank + 4 + suit]
                while card >= 0:
                    value += weights.weight_on_second
                    card = rider[card]
    return max(value + 100_000, 0)
