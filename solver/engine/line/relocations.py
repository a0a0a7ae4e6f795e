"""Short cuts through long runs of relocations in a line of classes. See docs/search.md, section 6."""

from solver.engine.classes.board import decode
from solver.engine.classes.commits import take_step
from solver.engine.classes.levels import analyze
from solver.engine.classes.steps import RELOCATE, list_steps, safe_founding
from solver.engine.classes.workspace import enter_new, find, forget
from solver.engine.jit import bare_kernel
from solver.engine.line.moves import MAX_TRACE

FEW_RELOCATIONS = 2
"""Relocations in a row that are taken as the search made them."""
SHORT_RUN = 32
SHORT_RUN_BITS = 12
"""A run of at most so many relocations is cut with a table of two to the power of so many classes, which stays in the
processor's cache."""
MOST_RELOCATED = 20_000
"""Classes that are looked at for one short cut between relocations."""


@bare_kernel
def _relocate(board, work, line, first, last):
    """Find the fewest relocations from a class of the path to the farthest one met, breadth first.

    Those from ``first`` to ``last`` have one skeleton. Returns the place on the path of the one met and the number of
    relocations; the classes on the way, that one first, are the places of the trace in ``line.chain``.
    """
    counts, pending, steps, path = work.counts, work.pending, work.steps, work.path
    keys, links = line.trace_keys, line.trace_steps
    forget(work)
    for k in range(4):
        keys[0, k] = path[first, k]
    slot = find(work.table, counts.table_bits, counts.table_stamp, keys[0, 0], keys[0, 1], keys[0, 2])
    enter_new(work, -1 - slot, keys[0, 0], keys[0, 1], keys[0, 2])
    met, met_at = first, 0
    n, at = 1, 0
    while at < n < MOST_RELOCATED and met < last and 5 * counts.table_used < 3 << counts.table_bits:
        decode(keys[at, 0], keys[at, 1], keys[at, 2], board, work.state)
        analyze(board, work.state, 0)
        for i in range(list_steps(board, work.state, 0, steps)):
            if steps.kind[i] != RELOCATE:
                continue
            pending.size.count = 0
            pending.size.left_out = 0
            pending.size.limit = MOST_RELOCATED // 8
            take_step(
                board, work.state, 0, keys[at, 3], RELOCATE, steps.card[i], steps.target[i], work.commits, pending
            )
            for j in range(pending.size.count):
                found = pending.keys[j]
                slot = find(work.table, counts.table_bits, counts.table_stamp, found[0], found[1], found[2])
                is_full = n == MAX_TRACE or 5 * counts.table_used >= 4 << counts.table_bits
                if slot >= 0 or is_full:  # a table without an empty slot would be searched for ever
                    continue
                decode(found[0], found[1], found[2], board, work.child)
                analyze(board, work.child, 0)
                if safe_founding(board, work.child) >= 0:
                    continue
                enter_new(work, -1 - slot, found[0], found[1], found[2])
                for k in range(4):
                    keys[n, k] = found[k]
                links[n, 0] = at
                for place in range(last, met, -1):
                    if path[place, 0] == found[0] and path[place, 1] == found[1] and path[place, 2] == found[2]:
                        met, met_at = place, n
                        break
                n += 1
        at += 1
    length = 0
    while met_at > 0:
        line.chain[length] = met_at
        length += 1
        met_at = links[met_at, 0]
    return met, length


@bare_kernel
def cut_relocations(board, work, line):
    """Take short cuts in each run of more than ``FEW_RELOCATIONS`` relocations of the path."""
    path, counts = work.path, work.counts
    large_table = counts.table_bits
    first, kept = 0, 0
    while first < counts.line:
        last = first
        while last + 1 < counts.line and path[last + 1, 3] == path[first, 3]:
            last += 1
        is_long = last - first > FEW_RELOCATIONS
        for k in range(4):
            path[kept, k] = path[first, k]
        kept += 1
        while first < last:
            met, length = first, 0
            if is_long:
                if last - first <= SHORT_RUN:
                    counts.table_bits = min(SHORT_RUN_BITS, large_table)
                met, length = _relocate(board, work, line, first, last)
                counts.table_bits = large_table
            if met == first:
                met = first + 1
                for k in range(4):
                    path[kept, k] = path[met, k]
                kept += 1
            for i in range(length - 1, -1, -1):
                for k in range(4):
                    path[kept, k] = line.trace_keys[line.chain[i], k]
                kept += 1
            first = met
        first += 1
    counts.line = kept
