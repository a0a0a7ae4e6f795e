"""The single steps between two classes of a line, found by repeating what the search did.

See docs/search.md, section 6.
"""

from solver.engine.classes.board import decode
from solver.engine.classes.commits import take_step
from solver.engine.classes.levels import analyze
from solver.engine.classes.steps import BREAK, FOUND, RELOCATE, list_steps, safe_founding
from solver.engine.classes.workspace import children_limit, enter_new, find, forget
from solver.engine.jit import bare_kernel
from solver.engine.line.moves import MAX_MOVES, MAX_TRACE

SMALL_TABLE_BITS = 9
"""The first try to trace a step has a table of two to the power of this many classes."""


@bare_kernel
def _trace(board, work, line, start, goal, settled, limit):
    """Find the steps and settlings that lead from one class of a line to the next, by repeating what the search did.

    ``settled`` says that the first class has taken its settlings already; ``limit`` is how many results of one step are
    looked at. Fills the trace and returns the place of ``goal`` in it, -1 if it was not found.
    """
    counts, pending, steps = work.counts, work.pending, work.steps
    keys, links = line.trace_keys, line.trace_steps
    forget(work)
    for k in range(4):
        keys[0, k] = start[k]
    n = 1
    at = 0
    decode(goal[0], goal[1], goal[2], board, work.child)
    live_after, bad_after = work.child.live, work.child.bad
    while at < n:
        decode(keys[at, 0], keys[at, 1], keys[at, 2], board, work.state)
        analyze(board, work.state, 0)
        founding = -1
        if at > 0 or not settled:
            founding = safe_founding(board, work.state)
        if founding >= 0:
            steps.kind[0] = FOUND
            steps.card[0] = founding
            n_steps = 1
        elif at == 0 and settled:
            n_steps = list_steps(board, work.state, 0, steps)
        else:
            n_steps = 0
        for i in range(n_steps):
            kind, card, target = steps.kind[i], steps.card[i], steps.target[i]
            if (kind == FOUND and live_after >> card & 1) or (kind == BREAK and bad_after >> card & 1):
                continue
            if kind != RELOCATE and keys[at, 3] == goal[3]:
                continue  # a founding or a broken bond would change the skeleton
            pending.size.count = 0
            pending.size.left_out = 0
            pending.size.limit = limit
            take_step(board, work.state, 0, keys[at, 3], kind, card, target, work.commits, pending)
            for j in range(pending.size.count):
                found = pending.keys[j]
                slot = find(work.table, counts.table_bits, counts.table_stamp, found[0], found[1], found[2])
                if slot >= 0:
                    continue
                if n == MAX_TRACE or 5 * counts.table_used >= 4 << counts.table_bits:
                    return -1
                enter_new(work, -1 - slot, found[0], found[1], found[2])
                for k in range(4):
                    keys[n, k] = found[k]
                links[n, 0], links[n, 1], links[n, 2], links[n, 3] = at, kind, card, target
                n += 1
                if found[0] == goal[0] and found[1] == goal[1] and found[2] == goal[2]:
                    return n - 1
        at += 1
    return -1


@bare_kernel
def collect_steps(board, work, line, start, goal, settled):
    """Append the single steps from one class of the line to the next to the line's steps."""
    if start[0] == goal[0] and start[1] == goal[1] and start[2] == goal[2]:
        return True
    # Nearly all traces fit a small table, which stays in the processor's cache.
    large_table = work.counts.table_bits
    work.counts.table_bits = SMALL_TABLE_BITS
    at = _trace(board, work, line, start, goal, settled, children_limit(work))
    work.counts.table_bits = large_table
    if at < 0:
        at = _trace(board, work, line, start, goal, settled, children_limit(work))
    # Long settlings may lead to more results than there is room for, so fewer are tried as well; and short cuts may
    # lead to results that the search did not look at, so more.
    limit = 4
    while at < 0:
        if limit > len(work.pending.keys):
            return False
        at = _trace(board, work, line, start, goal, settled, limit)
        limit *= 4
    links, keys, chain = line.trace_steps, line.trace_keys, line.chain
    length = 0
    while at > 0:
        chain[length] = at
        length += 1
        at = links[at, 0]
    for i in range(length - 1, -1, -1):
        at = chain[i]
        n = line.counts.n_steps
        if n == MAX_MOVES:
            return False
        for word in range(3):
            line.step_keys[n, word] = keys[links[at, 0], word]
            line.step_keys[n, 3 + word] = keys[at, word]
        line.step_kind[n] = links[at, 1]
        line.step_card[n] = links[at, 2]
        line.counts.n_steps = n + 1
    return True
