"""Keys, decoding and the level analysis of the quota search, against the naive twins."""

from itertools import pairwise
from random import Random

import pytest
from boards import cards, draw, small_rules
from desk import Desk
from naive_classes import Game, Levels, bad_bonds, few_games, games, levels_of

from solver.checking.naive import State, successors
from solver.deals import DealId, deal_position
from solver.position import Position
from solver.rules import VARIANTS, Rules, rules_of


def check_keys(desk: Desk, state: State) -> None:
    """A key says everything about a position: it can be decoded, and encoded to the same again."""
    key = desk.key(state)
    assert desk.state_of(key) == state
    assert desk.encoded(key) == key


def check_sets(desk: Desk, state: State, rules: Rules, ranks: int) -> None:
    """The sets of cards that are kept beside a position."""
    key, piles = desk.key(state), state[1]
    bad = bad_bonds(piles, rules, ranks)
    buried = {card for pile in piles for place, card in enumerate(pile) if bad & {*pile[place + 1 :]}}
    assert desk.set_of(key, "live") == {card for pile in piles for card in pile}
    assert desk.set_of(key, "bad") == bad
    assert desk.set_of(key, "bottom") == {pile[0] for pile in piles if pile}
    assert desk.set_of(key, "ridden") == {below for pile in piles for below, _card in pairwise(pile)}
    assert desk.set_of(key, "buried") == buried


def check_game(game: Game) -> None:
    desk = Desk(game.position, game.rules)
    assert desk.root_key == desk.key(game.position.arrangement())
    keys = [desk.key(state) for state in game.graph]
    assert len(set(keys)) == len(keys)
    for state, key in zip(game.graph, keys, strict=True):
        check_keys(desk, state)
        check_sets(desk, state, game.rules, game.ranks)
        for rung in (0, 1, game.ranks - 1, game.ranks):
            assert desk.levels(key, rung) == levels_of(state, game.rules, game.ranks, rung), (state, game.rules, rung)


def test_every_position_of_small_games() -> None:
    assert sum(len(game.graph) for game in few_games()) > 10_000
    for game in few_games():
        check_game(game)


@pytest.mark.slow
def test_every_position_of_more_small_games() -> None:
    for game in games(range(1000, 2000), most=5000):
        check_game(game)


@pytest.mark.parametrize("variant", VARIANTS)
def test_positions_of_full_deals(variant: str) -> None:
    """Random walks from deals of the whole deck."""
    rules, random = rules_of(variant), Random(1)
    for number in range(1, 16):
        position = deal_position(DealId("ms", number), rules)
        desk = Desk(position, rules)
        state: State = position.arrangement()
        for _ in range(60):
            check_keys(desk, state)
            check_sets(desk, state, rules, 13)
            for rung in (0, 8, 11, 13):
                assert desk.levels(desk.key(state), rung) == levels_of(state, rules, 13, rung), (state, rung)
            after = successors(state, rules, 13)
            if not after:
                break
            state = random.choice(after)


def test_a_key_worked_by_hand() -> None:
    """5S on 6H is 000 in the highest bits of the first word, 57 to 59; the second word begins with the 6s."""
    rest = [card for card in range(52) if card not in cards("6H 5S")]
    position = Position((0, 0, 0, 0), (tuple(rest), cards("6H 5S"), (), ()))
    first, second, _third = Desk(position, small_rules(4)).root_key
    assert first >> 57 & 7 == 0
    assert second & 7 == 4, "6H lies at the bottom of a pile"
    assert first & 7 == 4, "so does AH"
    assert first >> 3 & 7 == 5, "AC lies on AH, a bad bond"


def test_levels_drawn() -> None:
    """3H and 3C sit on three 4s, so one 4 can be bared, whichever is wanted, and no 3 needs a space."""
    board = """
        Foundations: H-2 C-2 D-3 S-3
        4C 4D 3H
        4S
        3C
        4H
        """
    levels = drawn_levels(board, 4, small_rules(4))
    assert levels.floats == {*cards("3H 3C 4S 4H")}, "4D lies on a bad bond, 4C under it"
    assert levels.hosts == {*cards("3H 3C 4D 4S 4H")}
    assert levels.accessible == {*cards("3H 3C 4D 4S 4H")}
    assert levels.fluid == {1, 2}
    assert levels.spare == 1, "3C can go from the bottom of its pile onto a 4"
    assert levels.free == {0, 1, 2, 3}


@pytest.mark.parametrize(("spaces", "is_free"), [("any", True), ("kings", False), ("none", False)])
def test_only_spaces_for_any_card_let_cards_change_places(spaces: str, is_free: bool) -> None:
    """2H and 2C sit on all the 3s there are: to change places, one of them must be parked on the space."""
    board = """
        Foundations: H-A C-A D-3 S-3
        3H 2C
        3C 2H
        :
        """
    levels = drawn_levels(board, 3, small_rules(3, spaces=spaces))
    assert levels.spare == 1
    assert (1 in levels.free) == is_free


def drawn_levels(board: str, ranks: int, rules: Rules) -> Levels:
    """The kernel's analysis of a drawn board."""
    desk = Desk(draw(board, rules, ranks=ranks), rules)
    return desk.levels(desk.root_key)
