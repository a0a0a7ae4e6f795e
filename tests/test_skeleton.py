"""Skeletons and the relaxed game, against a plain twin and against every position of small games."""

from collections.abc import Iterable

import pytest
from desk import Desk
from naive_classes import Game, Relaxed, few_games, games, won_states

from solver.deals import DealId, deal_position
from solver.engine.classes.relaxed import relaxed_verdict
from solver.engine.classes.skeletons import (
    FIRST_LOOKUP_BITS,
    RELAXED_LOST,
    RELAXED_WON,
    UNDECIDED,
    Skeletons,
    new_skeletons,
    reset_skeletons,
)
from solver.rules import VARIANTS, rules_of

TABLE = new_skeletons(16)


def fresh(table: Skeletons = TABLE) -> Skeletons:
    reset_skeletons(table)
    return table


def check_relaxed(these: Iterable[Game]) -> tuple[int, int]:
    """The kernel's verdict is the twin's on every skeleton, and where it is lost so is every position.

    Returns how many skeletons are won and lost.
    """
    won_and_lost = [0, 0]
    for game in these:
        desk, relaxed, table = Desk(game.position, game.rules), Relaxed(game.position, game.rules), fresh()
        won = won_states(game.graph, game.ranks)
        skeletons = {relaxed.skeleton(state) for state in game.graph}
        lost = set()
        for skeleton in skeletons:
            verdict = relaxed_verdict(desk.board, table, desk.skeleton_number(*skeleton))
            assert verdict == (RELAXED_WON if relaxed.is_won(*skeleton) else RELAXED_LOST), (game, skeleton)
            if verdict == RELAXED_LOST:
                lost.add(skeleton)
        assert not [state for state in won if relaxed.skeleton(state) in lost], game
        won_and_lost[0] += len(skeletons) - len(lost)
        won_and_lost[1] += len(lost)
    return won_and_lost[0], won_and_lost[1]


def test_relaxed_game() -> None:
    won, lost = check_relaxed(few_games())
    assert won > 1000
    assert lost > 1000


@pytest.mark.slow
def test_relaxed_game_on_more_small_games() -> None:
    check_relaxed(games(range(1000, 3000), most=4000))


def test_steps_keep_count_of_the_skeleton() -> None:
    """The number that a class is given on the way is that of its skeleton; different skeletons have different ones."""
    for game in few_games():
        desk, relaxed = Desk(game.position, game.rules), Relaxed(game.position, game.rules)
        numbers = {}
        for key, number in desk.reached(settling=False).items():
            skeleton = relaxed.skeleton(desk.state_of(key))
            assert number == desk.skeleton_number(*skeleton), game
            assert numbers.setdefault(number, skeleton) == skeleton, game


@pytest.mark.parametrize("variant", VARIANTS)
def test_relaxed_game_on_full_deals(variant: str) -> None:
    rules = rules_of(variant)
    verdicts = set()
    for number in range(1, 16):
        position = deal_position(DealId("ms", number), rules)
        desk, relaxed = Desk(position, rules), Relaxed(position, rules)
        root = relaxed.skeleton(position.arrangement())
        assert int(desk.root[3]) == desk.skeleton_number(*root)
        verdict = relaxed_verdict(desk.board, fresh(), int(desk.root[3]))
        twin = relaxed.is_won(*root, most=400)
        if twin is not None:
            assert verdict == (RELAXED_WON if twin else RELAXED_LOST), number
            verdicts.add(int(verdict))
    assert RELAXED_WON in verdicts


def test_a_budget_that_runs_out_proves_nothing() -> None:
    """Case 6: steps of the relaxed game that run out make no skeleton lost."""
    rules = rules_of("penelopes-web")
    lost = 0
    for number in range(1, 21):
        desk = Desk(deal_position(DealId("ms", number), rules), rules)
        root = int(desk.root[3])
        if relaxed_verdict(desk.board, fresh(), root) != RELAXED_LOST or TABLE.search.counts.n_known == 1:
            continue
        lost += 1
        known = int(TABLE.search.counts.n_known)
        for steps in (0, 1, known // 2):
            fresh().search.counts.steps_left = steps
            assert relaxed_verdict(desk.board, TABLE, root) == UNDECIDED
            # What was decided on the way stays right.
            TABLE.search.counts.steps_left = 10**6
            assert relaxed_verdict(desk.board, TABLE, root) == RELAXED_LOST
    assert lost > 5


def test_a_table_that_is_full_proves_nothing() -> None:
    rules, small = rules_of("penelopes-web"), new_skeletons(FIRST_LOOKUP_BITS - 1)
    lost = 0
    for number in range(1, 201):
        desk = Desk(deal_position(DealId("ms", number), rules), rules)
        root = int(desk.root[3])
        is_lost = relaxed_verdict(desk.board, fresh(), root) == RELAXED_LOST
        if is_lost and TABLE.search.counts.n_known > len(small.known):
            lost += 1
            assert relaxed_verdict(desk.board, fresh(small), root) == UNDECIDED
    assert lost > 2
