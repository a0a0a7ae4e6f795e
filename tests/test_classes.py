"""Classes and steps of the quota search, held against every position of small games.

The exhaustive side knows plain moves only; a class's key serves it to tell which positions belong together.
"""

from collections.abc import Iterable

import pytest
from desk import Desk
from naive_classes import Game, Key, few_games, games, members, won_states

from solver.cards import make_card
from solver.checking.naive import State


def by_class(game: Game, desk: Desk) -> dict[Key, set[State]]:
    """Every position of a game, sorted into classes."""
    found: dict[Key, set[State]] = {}
    for state, (key, _card) in zip(game.graph, desk.classes(map(desk.key, game.graph)), strict=True):
        found.setdefault(key, set()).add(state)
    return found


def connected(game: Game, states: set[State]) -> set[State]:
    """What plain moves reach from one of the states without leaving them."""
    first = next(iter(states))
    met, waiting = {first}, [first]
    while waiting:
        for after in game.graph[waiting.pop()]:
            if after in states and after not in met:
                met.add(after)
                waiting.append(after)
    return met


def card_founded(state: State, after: State) -> int | None:
    """The card that a move founded, or None."""
    for suit in range(4):
        if after[0][suit] > state[0][suit]:
            return make_card(state[0][suit], suit)
    return None


def settled_classes(game: Game, desk: Desk) -> set[Key]:
    """The classes that plain moves reach when every class is settled first.

    Where settling founds a card, only moves within the class and the founding of that card are allowed.
    """
    states = list(game.graph)
    class_of = dict(zip(states, desk.classes(map(desk.key, states)), strict=True))
    first = game.position.arrangement()
    met, waiting = {first}, [first]
    while waiting:
        state = waiting.pop()
        key, settling = class_of[state]
        for after in game.graph[state]:
            if settling >= 0 and card_founded(state, after) != settling and class_of[after][0] != key:
                continue
            if after not in met:
                met.add(after)
                waiting.append(after)
    return {class_of[state][0] for state in met}


def check_classes(these: Iterable[Game]) -> None:
    """A class is all arrangements of its floats, built moves connect it, and its key is one of them."""
    for game in these:
        desk = Desk(game.position, game.rules)
        for key, states in by_class(game, desk).items():
            assert connected(game, states) == states, game
            assert members(next(iter(states)), game.rules, game.ranks) == states, game
            assert desk.state_of(key) in states, game
            assert desk.classes([key])[0][0] == key, game


def check_steps(these: Iterable[Game]) -> None:
    """Steps lead to exactly the classes of the positions that can be reached."""
    for game in these:
        desk = Desk(game.position, game.rules)
        assert set(desk.reached(settling=False)) == set(by_class(game, desk)), game


def check_settled_steps(these: Iterable[Game]) -> None:
    """With settling too."""
    for game in these:
        desk = Desk(game.position, game.rules)
        assert set(desk.reached()) == settled_classes(game, desk), game


def check_settling(these: Iterable[Game]) -> tuple[int, int]:
    """Founding the card that settling names changes no verdict; how many won and lost classes it was tried on."""
    tried = {True: 0, False: 0}
    for game in these:
        desk = Desk(game.position, game.rules)
        won = won_states(game.graph, game.ranks)
        for state, (_key, card) in zip(game.graph, desk.classes(map(desk.key, game.graph)), strict=True):
            for after in game.graph[state]:
                if card >= 0 and card_founded(state, after) == card:
                    assert (after in won) == (state in won), (game, card)
                    tried[state in won] += 1
    return tried[True], tried[False]


def test_classes_are_connected() -> None:
    check_classes(few_games())


def test_steps_are_complete_and_not_too_many() -> None:
    check_steps(few_games())


def test_steps_with_settling_are_complete_and_not_too_many() -> None:
    check_settled_steps(few_games())


def test_settling_is_safe() -> None:
    won, lost = check_settling(few_games())
    assert won > 300
    assert lost > 300


def test_small_games_are_of_every_kind() -> None:
    """What the tests above are worth."""
    for spaces in ("any", "kings", "none"):
        these = [game for game in few_games() if game.rules.spaces == spaces]
        assert len(these) > 50
        first = [game.position.arrangement() in won_states(game.graph, game.ranks) for game in these]
        assert 5 < sum(first) < len(these) - 5
    assert {len(game.position.piles) for game in few_games()} == {2, 3, 4, 5, 6}
    assert {game.ranks for game in few_games()} == {3, 4, 5, 6}


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 3000, 500))
def test_more_small_games(first: int) -> None:
    for game in games(range(first, first + 500), most=4000):
        check_classes([game])
        check_steps([game])
        check_settled_steps([game])
        check_settling([game])
