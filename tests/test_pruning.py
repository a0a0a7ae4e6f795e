"""The exact search passes over classes whose image on a rung is lost."""

from collections.abc import Iterable

import numpy as np
import pytest
from boards import draw, small_rules
from desk import Desk
from naive_classes import Game, Key, few_games, games, won_states
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from solver.deals import DealId, deal_position
from solver.engine.classes.settings import SETTINGS
from solver.engine.classes.skeletons import reset_skeletons
from solver.engine.classes.workspace import Workspace, new_workspace
from solver.engine.quota.images import (
    IMAGE,
    IMAGE_LOST,
    IMAGE_WON,
    KEY_MASK,
    LEAST,
    VERDICT_SHIFT,
    image_is_lost,
    leave,
    reset_images,
)
from solver.engine.quota.schedule import search_deal
from solver.engine.result import LOST, WON
from solver.rules import VARIANTS

DEALS = range(1, 61)
MAX_NODES = 4_000
NEVER = np.zeros(1, np.uint8)


def searched(number: int, work: Workspace) -> tuple[int, int, int]:
    """How the search of a deal of Penelope's Web ends, the classes it opened and those it passed over."""
    rules = VARIANTS["penelopes-web"]
    desk = Desk(deal_position(DealId("ms", number), rules), rules)
    status = search_deal(desk.board, desk.root, work, MAX_NODES, NEVER)
    return status, int(work.counts.nodes), int(work.counts.pruned)


def pruning(first_round: int) -> Workspace:
    """A workspace that prunes from a round of the schedule on, and searches no rung from the root."""
    work = new_workspace(1 << 24)
    work.settings.prune_from_else = first_round
    work.settings.lowest_rung = 99
    work.settings.prune_highest = work.settings.prune_lowest = 10
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
        assert nodes > SETTINGS["first_budget"] or pruned == 0
        pruned_at_all += pruned
    assert pruned_at_all > 0


def graph_of_classes(desk: Desk, reached: dict[Key, int], rung: int) -> dict[Key, list[Key]]:
    """What each of the classes reached, given with its skeleton, leads to on the rung."""
    return {key: [after for after, _ in desk.steps(key, skeleton, rung=rung)] for key, skeleton in reached.items()}


def won_of(desk: Desk, graph: dict[Key, list[Key]]) -> set[Key]:
    """Those classes of a whole graph that are won."""
    before: dict[Key, list[Key]] = {key: [] for key in graph}
    for key, successors in graph.items():
        for after in successors:
            before[after].append(key)
    won = {key for key in graph if all(count == desk.ranks for count in desk.state_of(key)[0])}
    waiting = list(won)
    while waiting:
        fresh = {*before[waiting.pop()]} - won
        won |= fresh
        waiting += fresh
    return won


def begin(work: Workspace, cap: int) -> None:
    """Forget all images, and explore from now on at most ``cap`` classes for one."""
    reset_images(work)
    work.settings.prune_cap = cap
    work.counts.top = 0
    work.counts.node_limit = 1 << 40


WEIGHTS = (1, 0, -1)
"""What the weights of the heuristic are multiplied by: with good ones an exploration that is to meet a win meets it
before it has a chance to go wrong."""


def weigh(work: Workspace, factor: int) -> None:
    """Change the weights of the heuristic."""
    for name in SETTINGS:
        if name.startswith("weight_"):
            work.settings[name] = factor * SETTINGS[name]


def answered(desk: Desk, reached: dict[Key, int], won: set[Key], rung: int, cap: int, work: Workspace) -> int:
    """Ask for the image of every class, with explorations of at most ``cap`` classes; how many are said to be lost.

    Checks what is answered, and each verdict that is kept.
    """
    reset_skeletons(work.skeletons)
    begin(work, cap)
    lost = 0
    for key, skeleton in reached.items():
        is_lost = image_is_lost(desk.board, work, rung, *key, skeleton, NEVER)
        assert not (is_lost and key in won), (rung, cap, key)
        lost += is_lost
    for first, second, last in work.images.tolist():
        if last >> VERDICT_SHIFT + 2 < work.counts.first_visit:
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
            won = won_of(desk, graph_of_classes(desk, reached, rung))
            lost = len(reached) - len(won)
            for factor in WEIGHTS:
                weigh(work, factor)
                assert answered(desk, reached, won, rung, 1 << 20, work) == lost, (game, rung, factor)
            all_lost += lost
            cut_short += answered(desk, reached, won, rung, 3, work)
    assert 0 < cut_short < all_lost


def test_images_called_lost_are_lost_on_the_rung() -> None:
    check_images(few_games()[::20], most=500)


def test_an_image_that_leads_back_while_it_is_settled_is_not_lost() -> None:
    """A board on which a search that forgets, in ``_settle``, what a class leads back to calls won images lost."""
    board = """
        Foundations: H-A
        2S AD 3C AC 5S
        3S 5D 4S 2C
        3H 4H 3D 2H AS
        4D 2D 5C 5H 4C
        """
    rules = small_rules(4)
    desk = Desk(draw(board, rules, ranks=5), rules)
    work = new_workspace(1 << 22)
    for rung in (0, 2):
        reached = desk.reached(rung=rung, most=1500)
        assert reached is not None
        won = won_of(desk, graph_of_classes(desk, reached, rung))
        for factor in WEIGHTS:
            weigh(work, factor)
            assert answered(desk, reached, won, rung, 1 << 20, work) == len(reached) - len(won)


@pytest.mark.slow
def test_more_images_called_lost_are_lost_on_the_rung() -> None:
    check_images(games(range(1000, 1060), most=2000), most=2000)


@pytest.mark.parametrize(("least", "lost"), [(1, []), (2, [22, 33])])
def test_an_image_that_leads_back_is_not_lost_before_where_it_leads(least: int, lost: list[int]) -> None:
    """A line of images in slots 11 and 22, and 33 that settled to what 22 leads to; 22 leads back to ``least``."""
    work = new_workspace(1 << 20)
    begin(work, 1)
    for slot, visit in ((11, 1), (22, 2), (33, 2)):
        work.images[slot, 2] = visit << VERDICT_SHIFT + 2
        work.visited[work.counts.n_visited] = slot
        work.counts.n_visited += 1
    work.path[0, IMAGE], work.path[0, LEAST] = 11, 1
    work.path[1, IMAGE], work.path[1, LEAST] = 22, least

    def now_lost() -> list[int]:
        return [slot for slot in (11, 22, 33) if work.images[slot, 2] >> VERDICT_SHIFT & 3 == IMAGE_LOST]

    leave(work, 1)
    assert now_lost() == lost
    assert work.path[0, LEAST] == 1
    leave(work, 0)
    assert now_lost() == [11, 22, 33]
    assert work.counts.n_visited == 0


def circles(graph: dict[Key, list[Key]]) -> list[list[Key]]:
    """The strongly connected components of more than one class."""
    keys = list(graph)
    place = {key: number for number, key in enumerate(keys)}
    pairs = np.array([(place[key], place[after]) for key in keys for after in graph[key]], int).reshape(-1, 2)
    matrix = csr_array((np.ones(len(pairs)), pairs.T), shape=(len(keys), len(keys)))
    count, labels = connected_components(matrix, connection="strong")
    members: list[list[Key]] = [[] for _ in range(count)]
    for key, label in zip(keys, labels.tolist(), strict=True):
        members[label].append(key)
    return [component for component in members if len(component) > 1]


def check_circles(these: Iterable[Game], most: int) -> tuple[int, int]:
    """Enter circles at each of their classes, which share a verdict. How many circles are won, and how many lost."""
    work = new_workspace(1 << 22)
    won_circles, lost_circles = 0, 0
    for game in these:
        desk = Desk(game.position, game.rules)
        for rung in range(game.ranks):
            reached = desk.reached(rung=rung, most=most)
            if reached is None:
                continue
            graph = graph_of_classes(desk, reached, rung)
            won = won_of(desk, graph)
            for members in circles(graph):
                reset_skeletons(work.skeletons)
                is_won = members[0] in won
                for start in members:
                    begin(work, 1 << 20)
                    for key in [start, *members]:
                        is_lost = image_is_lost(desk.board, work, rung, *key, reached[key], NEVER)
                        assert is_lost == (not is_won), (game, rung, key)
                won_circles += is_won
                lost_circles += not is_won
    return won_circles, lost_circles


def test_classes_of_a_circle_share_a_verdict() -> None:
    won, lost = check_circles([game for game in few_games() if game.rules.spaces == "any"], most=1000)
    assert won > 10
    assert lost > 10


def check_searches(these: Iterable[Game]) -> None:
    """Small games, pruned from the first class on by every rung, under low caps, have the verdicts of naive search."""
    work = new_workspace(1 << 22)
    work.settings.first_budget = 3
    work.settings.lowest_rung = 99
    work.settings.prune_from = work.settings.prune_from_else = work.settings.plain_rounds = 0
    pruned = 0
    for game in these:
        desk = Desk(game.position, game.rules)
        truth = WON if game.position.arrangement() in won_states(game.graph, game.ranks) else LOST
        for rung in range(1, game.ranks + 1):
            work.settings.prune_highest = work.settings.prune_lowest = rung
            for cap in (1, 4, 1 << 20):
                work.settings.prune_cap = cap
                work.settings.light_from = 0 if cap == 4 else 99
                work.settings.light_rung = rung
                for lazy in {0, int(game.rules.spaces != "any")}:
                    desk.board.makes_blocks = lazy
                    assert search_deal(desk.board, desk.root, work, 1 << 40, NEVER) == truth, (game, rung, cap, lazy)
                    pruned += int(work.counts.pruned)
    assert pruned > 100


def test_searches_pruned_from_the_start_have_the_verdicts_of_an_exhaustive_one() -> None:
    check_searches(few_games())


@pytest.mark.slow
def test_more_searches_pruned_from_the_start_have_the_verdicts_of_an_exhaustive_one() -> None:
    check_searches(games(range(1000, 1600), most=4000))
