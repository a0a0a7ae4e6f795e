"""The order of all iterations on a deal: exact searches and rungs in turn, with growing budgets.

See docs/search.md, section 5. Kernels only; ``class_search`` is the front that the rest of the program calls.
"""

from solver.engine.classes.board import SPACES_ANY
from solver.engine.classes.relaxed import relaxed_verdict
from solver.engine.classes.skeletons import RELAXED_LOST, reset_skeletons
from solver.engine.classes.workspace import CUT, FIRST_TABLE_BITS, FULL, SPENT
from solver.engine.jit import bare_kernel
from solver.engine.quota.images import reset_images
from solver.engine.quota.iteration import iterate
from solver.engine.result import ABORTED, LOST, OUT_OF_MEMORY, OUT_OF_NODES, RUNNING, WON

DEEPEST_RUNG = 5
"""From the fourth round of the schedule on the ladder goes down a rung further each time, to this one."""


@bare_kernel
def _pruning_rung(settings, any_card, round_):
    """The rung that prunes an exact search in a round, 0 for none: one lower each round, as the searches get longer."""
    since = round_ - (settings.prune_from if any_card else settings.prune_from_else)
    if since < 0:
        return 0
    return settings.prune_lowest if any_card else max(settings.prune_lowest, settings.prune_highest - since)


@bare_kernel
def _deepen(board, root, work, rung, quota, budget, max_nodes, prune, abort):
    """Iterate from ``quota`` upwards within a budget of nodes.

    Returns how the last iteration ended, and the quota that it had: 0 where the tables were full, as it would be
    searched the same way again.
    """
    counts = work.counts
    counts.node_limit = min(max_nodes, counts.nodes + budget)
    # A small table stays in the processor's cache; where it proves too small the iteration is repeated with more.
    bits = FIRST_TABLE_BITS
    while 1 << bits < 4 * budget and 2 << bits <= len(work.table):
        bits += 1
    counts.phase_rung = rung
    if prune:
        reset_images(work)
    while True:
        counts.table_bits = bits
        end = iterate(board, root, work, rung, quota, prune, abort)
        if end == CUT:
            quota *= work.settings.quota_growth
        elif end == FULL and 2 << bits <= len(work.table) and counts.top < len(work.stack):
            while 2 << bits <= len(work.table) and bits < counts.table_bits + 2:
                bits += 1
        else:
            return end, 0 if end == FULL else quota


@bare_kernel
def search_deal(board, root, work, max_nodes, abort):
    """Prove a deal won or lost: the relaxed game, then exact search and rungs in turn, each time with larger budgets.

    ``root`` int64[4] is the key and skeleton of the first position, ``abort`` uint8[1]. Returns WON, LOST,
    OUT_OF_NODES, OUT_OF_MEMORY or ABORTED. After WON, ``work.path[: work.counts.line]`` is the line of classes, and
    ``counts.phase_rung`` is 0.
    """
    schedule = work.schedule
    _begin(board, work)
    if relaxed_verdict(board, work.skeletons, root[3]) == RELAXED_LOST:
        return LOST
    while True:
        end = _search_exactly(board, root, work, max_nodes, abort)
        if end == RUNNING:
            end = _search_rungs(board, root, work, max_nodes, abort)
        if end != RUNNING:
            return end
        # A rung whose tables were full is searched the same way again, however many nodes it may open.
        if not schedule.more_helps:
            return OUT_OF_MEMORY
        schedule.budget *= work.settings.budget_growth
        schedule.round_number += 1


@bare_kernel
def _begin(board, work):
    """Forget the last deal."""
    counts, schedule = work.counts, work.schedule
    counts.nodes = 0
    counts.iterations = 0
    counts.deepest = 0
    counts.pruned = 0
    counts.quota = 0
    counts.phase_rung = board.ranks
    reset_skeletons(work.skeletons)
    schedule.budget = work.settings.first_budget
    schedule.round_number = 0
    schedule.plain_quota = 1
    schedule.pruned_quota = 1
    schedule.top_rung = min(work.settings.highest_rung, board.ranks - 2)


@bare_kernel
def _search_exactly(board, root, work, max_nodes, abort):
    """The exact searches of a round: the plain one, later pruned lightly, and the pruned one.

    Returns WON, LOST, ABORTED, OUT_OF_NODES, or RUNNING where they decide nothing.
    """
    settings, schedule = work.settings, work.schedule
    any_card = board.spaces == SPACES_ANY
    budget, round_ = schedule.budget, schedule.round_number
    plain_rounds = settings.plain_rounds if any_card else settings.prune_from_else
    is_light = round_ >= settings.light_from
    if schedule.plain_quota and (is_light or round_ < plain_rounds):
        prune = settings.light_rung if is_light else 0
        share = budget * settings.light_share // 100 if is_light else budget
        end, quota = _deepen(board, root, work, 0, schedule.plain_quota, share, max_nodes, prune, abort)
        schedule.plain_quota = quota
        if end in (WON, LOST, ABORTED):
            return end
    prune = _pruning_rung(settings, any_card, round_)
    if schedule.pruned_quota and prune:
        first_quota = max(schedule.plain_quota, schedule.pruned_quota)
        share = budget * settings.prune_share // 100 if round_ < plain_rounds else budget
        end, quota = _deepen(board, root, work, 0, first_quota, share, max_nodes, prune, abort)
        schedule.pruned_quota = quota
        if end in (WON, LOST, ABORTED):
            return end
    schedule.more_helps = schedule.pruned_quota > 0 or schedule.plain_quota > 0
    return OUT_OF_NODES if work.counts.nodes >= max_nodes else RUNNING


@bare_kernel
def _search_rungs(board, root, work, max_nodes, abort):
    """The rungs of a round, from the highest that was not won downwards.

    Returns LOST, ABORTED, OUT_OF_NODES, or RUNNING where they decide nothing.
    """
    settings, schedule = work.settings, work.schedule
    share = schedule.budget * settings.rung_share // 100
    lowest_rung = max(settings.lowest_rung - max(0, schedule.round_number - 2), DEEPEST_RUNG)
    for rung in range(schedule.top_rung, lowest_rung - 1, -1):
        # Each time from the same quota, a large one: on a rung that is lost all of it is seen in the end.
        end, _ = _deepen(board, root, work, rung, settings.rung_quota, share, max_nodes, 0, abort)
        if end in (LOST, ABORTED):
            return end
        if work.counts.nodes >= max_nodes:
            return OUT_OF_NODES
        if end == WON:
            schedule.top_rung = rung - 1
        if end == SPENT:
            schedule.more_helps = True
    return RUNNING
