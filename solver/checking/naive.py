"""The slow, obvious search that the engines are compared with: every state, nothing pruned, own move code.

Plain Python; knows nothing of the engines, and of ``position`` no more than how to read one.

A state is ``(founded, piles, due)``: four counts, the sorted tuple of the piles (tuples of cards, bottom
first), and the card that was just uncovered and must go up by itself, or None. It is what
``Position.arrangement`` gives.
"""

from itertools import pairwise
from typing import TypeAlias

from solver.position import Position
from solver.rules import Rules

State: TypeAlias = tuple[tuple[int, ...], tuple[tuple[int, ...], ...], int | None]


def successors(state: State, rules: Rules, ranks: int) -> list[State]:
    """The states that one legal move leads to."""
    founded, piles, due = state
    if due is not None:
        return [_lifted(founded, piles, due, rules)]
    after = []
    spaces = piles.count(())

    def lay(run: tuple[int, ...], source: tuple[int, ...], counts: tuple[int, ...], uncovers: bool) -> None:
        """Add the moves of a run out of the pile ``source`` (empty for a withdrawal) that leaves ``counts``."""
        left = source[: len(source) - len(run)]
        others = list(piles)
        if source:
            others.remove(source)
        for target in dict.fromkeys(others):
            if target:
                fits = target[-1] // 4 == run[0] // 4 + 1
            else:
                any_card = rules.spaces == "any" or (rules.spaces == "kings" and run[0] // 4 == ranks - 1)
                fits = any_card and not (source and not left)
            if len(run) > 1 and rules.unit == "supermove":
                free = spaces - (not target) if rules.spaces == "any" else 0
                fits = fits and len(run) <= 2**free
            if fits:
                rest = list(others)
                rest.remove(target)
                rest.append(target + run)
                if source:
                    rest.append(left)
                after.append(_state(counts, rest, left if uncovers else (), rules))

    if rules.withdrawal == "yes":
        for suit in range(4):
            if founded[suit]:
                counts = tuple(count - (other == suit) for other, count in enumerate(founded))
                lay((4 * (founded[suit] - 1) + suit,), (), counts, False)
    for pile in piles:
        for length in range(1, len(pile) + 1):
            run = pile[-length:]
            if any(below // 4 != above // 4 + 1 for below, above in pairwise(run)):
                break
            if length == 1 or rules.unit != "card":
                lay(run, pile, founded, True)
    for pile in piles:
        if pile and founded[pile[-1] % 4] == pile[-1] // 4:
            after.append(_lifted(founded, piles, pile[-1], rules))
    return after


def _lifted(founded: tuple[int, ...], piles: tuple[tuple[int, ...], ...], card: int, rules: Rules) -> State:
    """The state after a top card went to its foundation."""
    source = next(pile for pile in piles if pile and pile[-1] == card)
    rest = list(piles)
    rest.remove(source)
    rest.append(source[:-1])
    counts = tuple(count + (suit == card % 4) for suit, count in enumerate(founded))
    return _state(counts, rest, source[:-1], rules)


def _state(counts: tuple[int, ...], piles: list[tuple[int, ...]], bared: tuple[int, ...], rules: Rules) -> State:
    """A state, in which the top of the pile ``bared`` is due if it fits and foundings come by themselves."""
    due = None
    if rules.auto_found == "uncovered" and bared and counts[bared[-1] % 4] == bared[-1] // 4:
        due = bared[-1]
    return counts, tuple(sorted(piles)), due


def naive_verdict(position: Position, rules: Rules, most: int) -> bool | None:
    """Whether a position can be won; None when more than ``most`` states would have to be seen."""
    root: State = position.arrangement()
    seen = {root}
    waiting = [root]
    while waiting:
        state = waiting.pop()
        if sum(state[0]) == 4 * position.ranks:
            return True
        for after in successors(state, rules, position.ranks):
            if after not in seen:
                if len(seen) == most:
                    return None
                seen.add(after)
                waiting.append(after)
    return False
