"""The exact search passes over classes whose image on a rung is lost."""

from collections.abc import Iterable

import numpy as np
import pytest
from desk import Desk
from naive_classes import Game, Key, few_games, games

from solver.deals import DealId, deal_position
from solver.engine.deepening import search_deal
from solver.engine.pruning import IMAGE_LOST, IMAGE_WON, KEY_MASK, VERDICT_SHIFT, image_is_lost, reset_images
from solver.engine.result import LOST, WON
from solver.engine.skeleton import reset_skeletons
from solver.engine.workspace import (
    FIRST_BUDGET,
    FIRST_VISIT,
    LOWEST_RUNG,
    NODE_LIMIT,
    NODES,
    PRUNE_CAP,
    PRUNE_FROM_ELSE,
    PRUNE_HIGHEST,
    PRUNE_LOWEST,
    PRUNED,
    SETTINGS,
    TOP,
    Workspace,
    new_workspace,
)
from solver.rules import VARIANTS

DEALS = range(1, 61)
MAX_NODES = 4_000
NEVER = np.zeros(1, np.uint8)


def searched(number: int, work: Workspace) -> tuple[int, int, int]:
    """How the search of a deal of Penelope's Web ends, the classes it opened and those it passed over."""
    rules = VARIANTS["penelopes-web"]
    desk = Desk(deal_position(DealId("ms", number), rules), rules)
    status = search_deal(desk.board, desk.root, work, MAX_NODES, NEVER)
    return status, int(work.counts[NODES]), int(work.counts[PRUNED])


def pruning(first_round: int) -> Workspace:
    """A workspace that prunes from a round of the schedule on, and searches no rung from the root."""
    work = new_workspace(1 << 24)
    work.settings[PRUNE_FROM_ELSE] = first_round
    work.settings[LOWEST_RUNG] = 99
    work.settings[PRUNE_HIGHEST] = work.settings[PRUNE_LOWEST] = 10
    return work


def test_pruning_changes_no_verdict_and_knows_nothing_of_other_deals() -> None:
    never, always = pruning(99), pruning(0)
    pruned, more = 0, 0
    for number in DEALS:
        with_it, without = searched(number, always), searched(number, never)
        assert with_it == searched(number, pruning(0)), number
        decided = {with_it[0], without[0]} & {WON, LOST}
        assert len(decided) < 2, number
        assert without[2] == 0
        pruned += with_it[2]
        more += with_it[0] == LOST and without[0] != LOST
    assert pruned > 100
    assert more > 0, "no deal is proved lost sooner"


def test_pruning_begins_in_the_round_that_is_set() -> None:
    late = pruning(1)
    pruned_at_all = 0
    for number in DEALS:
        _status, nodes, pruned = searched(number, late)
        assert nodes > SETTINGS[FIRST_BUDGET] or pruned == 0
        pruned_at_all += pruned
    assert pruned_at_all > 0


def won_of(desk: Desk, reached: dict[Key, int], rung: int) -> set[Key]:
    """Those classes that are won on the rung, of all those reached, each with its skeleton."""
    before: dict[Key, list[Key]] = {key: [] for key in reached}
    for key, skeleton in reached.items():
        for after, _skeleton in desk.steps(key, skeleton, rung=rung):
            before[after].append(key)
    won = {key for key in reached if all(count == desk.ranks for count in desk.state_of(key)[0])}
    waiting = list(won)
    while waiting:
        fresh = {*before[waiting.pop()]} - won
        won |= fresh
        waiting += fresh
    return won


def answered(desk: Desk, reached: dict[Key, int], won: set[Key], rung: int, cap: int, work: Workspace) -> int:
    """Ask for the image of every class, with explorations of at most ``cap`` classes; how many are said to be lost.

    Checks what is answered, and each verdict that is kept.
    """
    reset_skeletons(work.skeletons)
    reset_images(work)
    work.settings[PRUNE_CAP] = cap
    work.counts[TOP] = 0
    work.counts[NODE_LIMIT] = 1 << 40
    lost = 0
    for key, skeleton in reached.items():
        is_lost = image_is_lost(desk.board, work, rung, *key, skeleton, NEVER)
        assert not (is_lost and key in won), (rung, cap, key)
        lost += is_lost
    for first, second, last in work.images.tolist():
        if last >> VERDICT_SHIFT + 2 < work.counts[FIRST_VISIT]:
            continue
        key, verdict = (first, second, last & KEY_MASK), last >> VERDICT_SHIFT & 3
        assert verdict != IMAGE_LOST or key not in won, (rung, cap, key)
        assert verdict != IMAGE_WON or key in won, (rung, cap, key)
    return lost


def check_images(these: Iterable[Game], most: int) -> None:
    """Without a cap all lost images of small games are found, with a low one some, and never one that is won."""
    work = new_workspace(1 << 22)
    all_lost, cut_short = 0, 0
    for game in these:
        desk = Desk(game.position, game.rules)
        for rung in range(game.ranks):
            reached = desk.reached(rung=rung, most=most)
            if reached is None:
                continue
            won = won_of(desk, reached, rung)
            lost = len(reached) - len(won)
            assert answered(desk, reached, won, rung, 1 << 20, work) == lost, (game, rung)
            all_lost += lost
            cut_short += answered(desk, reached, won, rung, 3, work)
    assert 0 < cut_short < all_lost


def test_images_called_lost_are_lost_on_the_rung() -> None:
    check_images(few_games()[::6], most=500)


@pytest.mark.slow
def test_more_images_called_lost_are_lost_on_the_rung() -> None:
    check_images(games(range(1000, 2500), most=4000), most=10_000)
