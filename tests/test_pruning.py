"""The exact search passes over classes whose image on a rung is lost."""

import numpy as np
from desk import Desk

from solver.deals import DealId, deal_position
from solver.engine.deepening import search_deal
from solver.engine.result import LOST, WON
from solver.engine.workspace import (
    FIRST_BUDGET,
    LOWEST_RUNG,
    NODES,
    PRUNE_FROM,
    PRUNE_HIGHEST,
    PRUNE_LOWEST,
    PRUNED,
    SETTINGS,
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
    work.settings[PRUNE_FROM] = first_round
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
    late = pruning(2)  # counted for games where any card may fill a space; a round sooner here
    pruned_at_all = 0
    for number in DEALS:
        _status, nodes, pruned = searched(number, late)
        assert nodes > SETTINGS[FIRST_BUDGET] or pruned == 0
        pruned_at_all += pruned
    assert pruned_at_all > 0
