"""Slow, obvious twins of the quota search's levels, classes and settling, and small positions to hold both against.

Everything here works on the states of ``naive`` by plain moves; no kernel is called. What a level, a float, a host or
a class is comes from docs/search.md, section 2, not from the kernels.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from random import Random
from typing import NamedTuple, TypeAlias

from naive import State, successors

from solver.cards import SUITS, rank_of, suit_of
from solver.position import Position
from solver.rules import Rules

SPACES = ("any", "kings", "none")
"""What an empty pile may accept, each kind."""

Key: TypeAlias = tuple[int, int, int]
Graph: TypeAlias = dict[State, list[State]]


class Game(NamedTuple):
    """A small position, its rules, and every position that can be reached from it with its successors."""

    position: Position
    rules: Rules
    graph: Graph

    @property
    def ranks(self) -> int:
        """Ranks in the deck."""
        return self.position.ranks


@dataclass(frozen=True)
class Levels:
    """What the levels of a position are: sets of cards, sets of ranks, and the number of spare spaces."""

    accessible: frozenset[int]
    floats: frozenset[int]
    hosts: frozenset[int]
    fluid: frozenset[int]
    free: frozenset[int]
    spare: int


def is_built(below: int | None, card: int, rules: Rules, ranks: int) -> bool:
    """Whether a card's bond is built; ``below`` is None at the bottom of a pile."""
    if below is not None:
        return rank_of(below) == rank_of(card) + 1
    return rules.spaces == "any" or (rules.spaces == "kings" and rank_of(card) == ranks - 1)


def bonds(piles: tuple[tuple[int, ...], ...], rules: Rules, ranks: int) -> dict[int, bool]:
    """Every card of the piles, and whether its bond is built."""
    return {
        card: is_built(below, card, rules, ranks) for pile in piles for below, card in pairwise((None, *pile)) if pile
    }


def bad_bonds(piles: tuple[tuple[int, ...], ...], rules: Rules, ranks: int) -> frozenset[int]:
    """The cards that lie on bad bonds."""
    return frozenset(card for card, built in bonds(piles, rules, ranks).items() if not built)


def levels_of(state: State, rules: Rules, ranks: int, rung: int = 0) -> Levels:
    """The levels of a position, those below ``rung`` optimistic."""
    _founded, piles, _due = state
    built = {card for card, good in bonds(piles, rules, ranks).items() if good}
    rider = {below: card for pile in piles for below, card in pairwise(pile)}
    bottoms = {pile[0] for pile in piles if pile}
    live = {card for pile in piles for card in pile}
    buried = {
        card
        for pile in piles
        for place, card in enumerate(pile)
        if any(higher not in built for higher in pile[place + 1 :])
    }
    may_float = built if rules.spaces == "any" else built - bottoms
    accessible = {card for card in live if rank_of(card) == 0 and card not in rider}
    floats: set[int] = set()
    hosts: set[int] = set()
    fluid = set()
    spare = piles.count(())
    for rank in range(ranks):
        of_rank = {card for card in live if rank_of(card) == rank}
        above = {card for card in live if rank_of(card) == rank + 1}
        if rank < rung:
            f, h = (of_rank & may_float) - buried, above - buried
        else:
            f = of_rank & may_float & accessible
            h = {card for card in above if card not in rider or rider[card] in f}
        if len(h) > len(f):
            fluid.add(rank)
            accessible |= h
        floats |= f
        hosts |= h
        # Bottoms that have a host to go to; below the rung cards lie anywhere, so all floats count alike.
        seated = f - bottoms
        spare += min(len(f & bottoms), len(h) - len(seated))
    if rules.spaces == "any" and spare >= 1:
        free = set(range(ranks))
    else:
        free = fluid | set(range(rung))
    return Levels(frozenset(accessible), frozenset(floats), frozenset(hosts), frozenset(fluid), frozenset(free), spare)


def members(state: State, rules: Rules, ranks: int) -> set[State]:
    """Every arrangement of a position's class: the floats of its free levels, in all ways on hosts and on spaces."""
    levels = levels_of(state, rules, ranks)
    founded, piles, _due = state
    loose = sorted(card for card in levels.floats if rank_of(card) in levels.free)
    below_of = {card: below for pile in piles for below, card in pairwise((None, *pile)) if pile}
    fixed = {card: below for card, below in below_of.items() if card not in loose}
    places = len(piles) - sum(below is None for below in fixed.values())
    found: set[State] = set()

    def seat(number: int, seats: dict[int, int | None], left: int) -> None:
        if number == len(loose):
            found.add((founded, _piles_of(fixed | seats, len(piles)), None))
            return
        card = loose[number]
        for host in levels.hosts:
            if rank_of(host) == rank_of(card) + 1 and host not in seats.values():
                seat(number + 1, seats | {card: host}, left)
        if left > 0 and rules.spaces == "any":
            seat(number + 1, seats | {card: None}, left - 1)

    seat(0, {}, places)
    return found


def _piles_of(below_of: dict[int, int | None], count: int) -> tuple[tuple[int, ...], ...]:
    rider = {below: card for card, below in below_of.items() if below is not None}
    piles = []
    for bottom in (card for card, below in below_of.items() if below is None):
        pile = [bottom]
        while pile[-1] in rider:
            pile.append(rider[pile[-1]])
        piles.append(tuple(pile))
    return tuple(sorted([*piles, *[()] * (count - len(piles))]))


def graph_of(position: Position, rules: Rules, most: int) -> Graph | None:
    """Every position that can be reached, with its successors; None when there are more than ``most``."""
    root: State = position.arrangement()
    graph: Graph = {}
    waiting = [root]
    met = {root}
    while waiting:
        state = waiting.pop()
        graph[state] = successors(state, rules, position.ranks)
        for after in graph[state]:
            if after not in met:
                if len(met) == most:
                    return None
                met.add(after)
                waiting.append(after)
    return graph


def won_states(graph: Graph, ranks: int) -> set[State]:
    """The positions of a graph from which the game can be won."""
    before: dict[State, list[State]] = {state: [] for state in graph}
    for state, after in graph.items():
        for other in after:
            before[other].append(state)
    waiting = [state for state in graph if sum(state[0]) == SUITS * ranks]
    won = set(waiting)
    while waiting:
        for state in before[waiting.pop()]:
            if state not in won:
                won.add(state)
                waiting.append(state)
    return won


def small_castle(random: Random, most_ranks: int = 6) -> tuple[Position, Rules]:
    """A small position for the quota search: any kind of space, 2 to 6 piles; in order here and there, some founded."""
    ranks = random.choice([rank for rank in (3, 4, 4, 5, 5, 6) if rank <= most_ranks])
    piles = random.randint(2, 6)
    rules = Rules("small", piles=piles, spaces=random.choice(SPACES), unit=random.choice(("card", "supermove")))
    most_founded = random.choice((0, 0, 1, 1, ranks - 1))
    founded = [random.randint(most_founded // 2, most_founded) for _ in range(SUITS)]
    deck = [card for card in range(SUITS * ranks) if rank_of(card) >= founded[suit_of(card)]]
    random.shuffle(deck)
    in_use = max(1, piles - random.choice((0, 0, 0, 1, 1, 2)))
    dealt: list[list[int]] = [[] for _ in range(piles)]
    order = random.random()  # how readily a card goes where it makes a built bond
    for card in deck:
        fitting = [pile for pile in dealt if pile and rank_of(pile[-1]) == rank_of(card) + 1]
        if fitting and random.random() < order:
            random.choice(fitting).append(card)
        else:
            dealt[random.randrange(in_use)].append(card)
    hearts, clubs, diamonds, spades = founded
    return Position((hearts, clubs, diamonds, spades), tuple(map(tuple, dealt)), ranks), rules


@cache
def few_games() -> tuple[Game, ...]:
    """The games that the fast tests share."""
    return tuple(games(range(400), most=600))


def games(seeds: range, most: int) -> Iterator[Game]:
    """Small games, those with more than ``most`` positions left out."""
    for seed in seeds:
        position, rules = small_castle(Random(seed))
        graph = graph_of(position, rules, most)
        if graph is not None:
            yield Game(position, rules, graph)
