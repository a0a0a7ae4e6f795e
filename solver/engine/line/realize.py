"""From a line of classes to moves: real single-card moves that lead from each class of a won line to the next.

See docs/search.md, section 6. A move here is a card and what it lands on: a card, SPACE or FOUNDED. The position
being played is a ``State`` of which only ``host``, ``rider``, ``founded`` and the number of piles in use are kept up.
"""

import numpy as np

from solver.engine.bits import RANK_MASK, lowest, popcount
from solver.engine.classes.board import (
    FOUNDED,
    NONE,
    SPACE,
    SPACES_ANY,
    SPACES_KINGS,
    SPACES_NONE,
    STATE,
    copy_play,
    decode,
    encode_hosts,
)
from solver.engine.classes.commits import BREAK, FOUND, RELOCATE, list_steps, safe_founding, take_step
from solver.engine.classes.levels import analyze, canonicalize, cards_of, classify
from solver.engine.classes.workspace import children_limit, enter_new, find, forget
from solver.engine.jit import bare_kernel

MAX_MOVES = 4000
MAX_TRACE = 1 << 16
FEW_RELOCATIONS = 2
"""Relocations in a row that are taken as the search made them."""
MOST_RELOCATED = 20_000
"""Classes that are looked at for one short cut between relocations."""
FARTHEST = 255
"""The largest distance to its goal that ``_find_way`` tells apart."""


LINE_OF_MOVES = np.dtype(
    [
        ("moves", np.int64, (MAX_MOVES, 2)),  # cards and what they land on
        (
            "counts",
            [
                ("n_moves", np.int64),
                ("used_piles", np.int64),
                ("failed", np.int64),  # 1 when no way was found
                ("n_steps", np.int64),  # single steps of the whole line
            ],
        ),
        ("piles", np.int64),  # the number of piles
        ("forbidden", np.int64),  # cards that nothing may be moved onto
        ("now", STATE),  # the position after those moves
        ("saved", STATE),  # the position before the step being made
        # The two classes of a step, canonical members
        ("before", STATE),
        ("after", STATE),
        # Classes met on the way from one class of the line to the next: key and skeleton; the place of the one before
        # it and its step's kind, card and target; the places that lead to the goal
        ("trace_keys", np.int64, (MAX_TRACE, 4)),
        ("trace_steps", np.int64, (MAX_TRACE, 4)),
        ("chain", np.int64, MAX_TRACE),
        # The single steps of the whole line: the classes before and after, the kind and the card
        ("step_keys", np.int64, (MAX_MOVES, 6)),
        ("step_kind", np.int64, MAX_MOVES),
        ("step_card", np.int64, MAX_MOVES),
        # Where each card must lie after each step, by its code in a key, so that blocks end as they do; -1: anywhere
        ("wanted", np.int64, (MAX_MOVES, 52)),
        ("due", np.int64, 52),  # the next step that is a card's own; the number of steps where there is none
        # Positions met by `_find_way`; the place of the one before, the card moved and what it landed on; the way found
        ("way_keys", np.int64, (MAX_TRACE, 3)),
        ("way_links", np.int64, (MAX_TRACE, 3)),
        ("way_chain", np.int64, MAX_TRACE),
        # The positions that wait there, in a list for each distance to the goal
        ("way_first", np.int64, FARTHEST + 1),
        ("way_next", np.int64, MAX_TRACE),
    ],
    align=True,
)
"""Moves being written, and the scratch for finding them."""


@bare_kernel
def play(line, card, target):
    """Move a bare card and write the move down."""
    host, rider, counts = line.now.host, line.now.rider, line.counts
    full = target == SPACE and counts.used_piles - (host[card] == SPACE) >= line.piles
    if counts.n_moves == MAX_MOVES or rider[card] != NONE or full:
        counts.failed = 1
        return
    line.moves[counts.n_moves, 0] = card
    line.moves[counts.n_moves, 1] = target
    counts.n_moves += 1
    if host[card] == SPACE:
        counts.used_piles -= 1
    else:
        rider[host[card]] = NONE
    host[card] = target
    if target == SPACE:
        counts.used_piles += 1
    elif target == FOUNDED:
        line.now.founded[card & 3] += 1
    else:
        rider[target] = card


@bare_kernel
def _bare_host(line, ranks, card):
    """A bare card of the next rank that may be moved onto, other than the one that ``card`` lies on; -1 if none is.

    Of several, the one under which it will be longest before a card is wanted: what lies on that has to move again.
    """
    host, rider, due = line.now.host, line.now.rider, line.due
    rank = card >> 2
    best, best_due = -1, -1
    if rank + 1 < ranks:
        for below in range(4 * rank + 4, 4 * rank + 8):
            if host[below] == FOUNDED or rider[below] != NONE or below == host[card]:
                continue
            if line.forbidden >> below & 1:
                continue
            wanted = due[below]
            under = host[below]
            while under != SPACE:
                wanted = min(wanted, due[under])
                under = host[under]
            if wanted > best_due:
                best, best_due = below, wanted
    return best


@bare_kernel
def _make_space(board, line, keep):
    """See that a pile is empty, by moving a float from the bottom of one onto a host; ``keep`` are not to be moved."""
    host, rider = line.now.host, line.now.rider
    ranks = board.ranks
    if line.counts.used_piles < board.piles:
        return True
    floats = line.before.floats & ~keep
    while floats:
        card = lowest(floats)
        floats &= floats - 1
        if host[card] == SPACE and _bare_host(line, ranks, card) >= 0:
            if rider[card] != NONE and not _clear(board, line, card, False):
                continue
            below = _bare_host(line, ranks, card)
            if below >= 0:
                play(line, card, below)
                return True
    return False


@bare_kernel
def _clear(board, line, card, park):
    """Move everything that lies on a card elsewhere, top card first; onto spaces only where ``park`` allows it."""
    rider = line.now.rider
    ranks = board.ranks
    while rider[card] != NONE:
        top = rider[card]
        while rider[top] != NONE:
            top = rider[top]
        below = _bare_host(line, ranks, top)
        if below >= 0:
            play(line, top, below)
        elif park and line.counts.used_piles < board.piles:
            play(line, top, SPACE)
        else:
            return False
        if line.counts.failed:
            return False
    return True


@bare_kernel
def _clear_hard(board, line, card, keep):
    """As ``_clear``, making a space where one is needed."""
    rider = line.now.rider
    any_card = board.spaces == SPACES_ANY
    while not _clear(board, line, card, any_card):
        if line.counts.failed or not any_card:
            return False
        top = rider[card]
        above = 0
        while top != NONE:
            above |= 1 << top
            top = rider[top]
        if not _make_space(board, line, keep | above):
            return False
    return True


@bare_kernel
def _clear_for_space(board, line, card, keep):
    """Clear a card and see that a pile is empty, which may each undo the other for a while."""
    for _ in range(4):
        if not _clear_hard(board, line, card, keep) or not _make_space(board, line, keep):
            return False
        if line.now.rider[card] == NONE:
            return True
    return False


@bare_kernel
def _seat_hosts(board, line, seats, keep, below):
    """Seat the committed cards ``seats`` of the levels under ``below`` on their hosts, from the top level downwards.

    Clearing a card moves cards of lower ranks only, so seating one never disturbs those seated before it.
    """
    host = line.now.host
    for rank in range(below - 1, -1, -1):
        rest = seats & (RANK_MASK << (4 * rank))
        while rest:
            seat = lowest(rest)
            rest &= rest - 1
            place = line.after.host[seat]
            if host[seat] == place:
                continue
            if not _clear_hard(board, line, place, keep) or not _clear_hard(board, line, seat, keep):
                return False
            play(line, seat, place)
    return True


@bare_kernel
def _arrange(board, line, kind, card):
    """Make the moves from the position at hand, a member of ``before``, to a member of ``after``: one step.

    Committed cards go to their hosts first, while there is room to permute, then those committed to spaces; at last
    what ``card`` will land on is cleared, and ``card`` itself.
    """
    host, after = line.now.host, line.after
    ranks = board.ranks
    lifted = line.before.floats & cards_of(line.before.free)
    floating = after.floats & cards_of(after.free)
    committed = lifted & ~floating & ~(1 << card)
    keep = 0
    rest = committed
    while rest:
        seat = lowest(rest)
        rest &= rest - 1
        if after.host[seat] == SPACE:
            keep |= 1 << seat
    line.forbidden = 0
    if not _seat_hosts(board, line, committed & ~keep, 0, ranks):
        return False
    for seat in range(4 * ranks - 1, -1, -1):
        if keep >> seat & 1 and host[seat] != SPACE:
            if not _clear_for_space(board, line, seat, keep):
                return False
            play(line, seat, SPACE)
            if not _seat_hosts(board, line, committed & ~keep, keep, seat >> 2):
                return False
    landing = FOUNDED
    if kind != FOUND:
        landing = after.host[card]
        if kind == BREAK and floating >> card & 1:
            landing = _bare_host(line, ranks, card)
            if landing < 0:
                landing = SPACE
        if landing != SPACE:
            if not _clear_hard(board, line, landing, keep):
                return False
            line.forbidden |= 1 << landing
    line.forbidden |= 1 << card
    if not _clear_hard(board, line, card, keep):
        return False
    if landing == SPACE and not _clear_for_space(board, line, card, keep):
        return False
    play(line, card, landing)
    return not line.counts.failed


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
                if slot >= 0 or n == MAX_TRACE:
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
def _cut_relocations(board, work, line):
    """Take short cuts in each run of more than ``FEW_RELOCATIONS`` relocations of the path."""
    path, counts = work.path, work.counts
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
                met, length = _relocate(board, work, line, first, last)
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


@bare_kernel
def _collect(board, work, line, start, goal, settled):
    """Append the single steps from one class of the line to the next to the line's steps."""
    if start[0] == goal[0] and start[1] == goal[1] and start[2] == goal[2]:
        return True
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


@bare_kernel
def _held(state):
    """The cards on built bonds that no rearranging moves: all but the floats of free levels."""
    return state.live & ~state.bad & ~(state.floats & cards_of(state.free))


@bare_kernel
def _want(board, line):
    """Look back from the end of the line at where each card must lie after each step, of those that could not move."""
    n = line.counts.n_steps
    after, wanted = line.after, line.wanted
    for i in range(n - 1, -1, -1):
        decode(line.step_keys[i, 3], line.step_keys[i, 4], line.step_keys[i, 5], board, after)
        analyze(board, after, 0)
        fixed = _held(after) & ~after.bottom
        for card in range(52):
            wanted[i, card] = -1
            if fixed >> card & 1:
                if i < n - 1 and after.blocked >> card & 1:
                    wanted[i, card] = wanted[i + 1, card]
                else:
                    wanted[i, card] = after.host[card] & 3


@bare_kernel
def _choose(board, work, line):
    """Put one class without blocks in the place of each class of the line. Returns False if the steps forbid it.

    A block stands for all arrangements of its cards. Which one it was is decided by how it ends. So the steps are
    made once more with commits, and a result is taken that has every card where the rest of the line wants it.
    """
    pending, state = work.pending, work.state
    _want(board, line)
    board.makes_blocks = 0
    for i in range(line.counts.n_steps):
        if i > 0:
            for word in range(3):
                line.step_keys[i, word] = line.step_keys[i - 1, 3 + word]
        decode(line.step_keys[i, 0], line.step_keys[i, 1], line.step_keys[i, 2], board, state)
        analyze(board, state, 0)
        pending.size.count = 0
        pending.size.left_out = 0
        pending.size.limit = len(pending.keys)
        take_step(board, state, 0, 0, line.step_kind[i], line.step_card[i], 0, work.commits, pending)
        chosen = -1
        for j in range(pending.size.count):
            decode(pending.keys[j, 0], pending.keys[j, 1], pending.keys[j, 2], board, work.child)
            fits = True
            for card in range(4 * board.ranks):
                if line.wanted[i, card] >= 0 and work.child.host[card] & 3 != line.wanted[i, card]:
                    fits = False
            if fits:
                chosen = j
                break
        if chosen < 0:
            return False
        for word in range(3):
            line.step_keys[i, 3 + word] = pending.keys[chosen, word]
    return True


@bare_kernel
def _play_steps(board, work, line):
    """Play the line's steps one after the other."""
    keys, counts = line.step_keys, line.counts
    for i in range(counts.n_steps):
        for card in range(52):
            line.due[card] = counts.n_steps
        for later in range(counts.n_steps - 1, i - 1, -1):
            line.due[line.step_card[later]] = later
        decode(keys[i, 0], keys[i, 1], keys[i, 2], board, line.before)
        analyze(board, line.before, 0)
        decode(keys[i, 3], keys[i, 4], keys[i, 5], board, line.after)
        analyze(board, line.after, 0)
        n_moves, used = counts.n_moves, counts.used_piles
        copy_play(line.now, line.saved)
        if not _arrange(board, line, line.step_kind[i], line.step_card[i]):
            copy_play(line.saved, line.now)
            counts.n_moves = n_moves
            counts.used_piles = used
            counts.failed = 0
            if not _find_way(board, work, line, line.step_card[i], keys[i, :3], keys[i, 3:]):
                return False
    return True


@bare_kernel
def _cards_on(state, card):
    """Number of cards above a card."""
    n = 0
    card = state.rider[card]
    while card != NONE:
        n += 1
        card = state.rider[card]
    return n


@bare_kernel
def _distance(line, step_card, state):
    """How far a position is from the class ``line.after``, roughly: cards out of place, and cards in their way."""
    after = line.after
    held = _held(after)
    distance = 0
    if state.host[step_card] == line.before.host[step_card]:
        distance = 2 + _cards_on(state, step_card)
    while held:
        card = lowest(held)
        held &= held - 1
        place = after.host[card]
        if state.host[card] != place:
            distance += 2 + _cards_on(state, card)
            if place < SPACE:
                distance += _cards_on(state, place)
    return min(distance, FARTHEST)


@bare_kernel
def _find_way(board, work, line, step_card, start, goal):
    """Play from a member of one class to a member of the class one step further, by search of positions, nearest first.

    For the few steps, one won deal in a thousand, that ``_arrange`` cannot make. Only positions of the first class are
    passed through, so this finds a way if the classes are right and ``MAX_TRACE`` positions suffice.
    """
    counts, state, child = work.counts, work.state, work.child
    keys, links = line.way_keys, line.way_links
    ranks = board.ranks
    spaces = board.spaces
    forget(work)
    encode_hosts(board, line.now.host, keys[0])
    for distance in range(FARTHEST + 1):
        line.way_first[distance] = NONE
    line.way_first[0] = 0
    line.way_next[0] = NONE
    n, nearest = 1, 0
    while nearest <= FARTHEST:
        at = line.way_first[nearest]
        if at == NONE:
            nearest += 1
            continue
        line.way_first[nearest] = line.way_next[at]
        decode(keys[at, 0], keys[at, 1], keys[at, 2], board, state)
        tops = state.live & ~state.ridden
        bare = tops
        empty = popcount(state.bottom) < board.piles
        while tops:
            card = lowest(tops)
            tops &= tops - 1
            rank = card >> 2
            came_from = state.host[card]
            for choice in range(6):
                if choice < 4:
                    target = 4 * rank + 4 + choice
                    if rank == ranks - 1 or not bare >> target & 1 or target == came_from:
                        continue
                elif choice == 4:
                    target = SPACE
                    if not empty or came_from == SPACE or spaces == SPACES_NONE:
                        continue
                    if spaces == SPACES_KINGS and rank < ranks - 1:
                        continue
                else:
                    target = FOUNDED
                    if state.founded[card & 3] != rank:
                        continue
                if n == MAX_TRACE or 5 * counts.table_used >= 4 << counts.table_bits:
                    return False
                state.host[card] = target
                found = keys[n]
                encode_hosts(board, state.host, found)
                state.host[card] = came_from
                slot = find(work.table, counts.table_bits, counts.table_stamp, found[0], found[1], found[2])
                if slot >= 0:
                    continue
                enter_new(work, -1 - slot, found[0], found[1], found[2])
                decode(found[0], found[1], found[2], board, child)
                distance = _distance(line, step_card, child)
                analyze(board, child, 0)
                canonicalize(board, child)
                image = child.key
                links[n, 0], links[n, 1], links[n, 2] = at, card, target
                if image[0] == goal[0] and image[1] == goal[1] and image[2] == goal[2]:
                    length = 0
                    while n > 0:
                        line.way_chain[length] = n
                        length += 1
                        n = links[n, 0]
                    for k in range(length - 1, -1, -1):
                        play(line, links[line.way_chain[k], 1], links[line.way_chain[k], 2])
                    return line.counts.failed == 0
                if image[0] == start[0] and image[1] == start[1] and image[2] == start[2]:
                    line.way_next[n] = line.way_first[distance]
                    line.way_first[distance] = n
                    nearest = min(nearest, distance)
                    n += 1
    return False


@bare_kernel
def realize(board, root, work, line):
    """Write the moves of the line of classes that ``search_deal`` found. Returns False if some step resisted."""
    counts = work.counts
    ranks = board.ranks
    line.counts.n_moves = 0
    line.counts.failed = 0
    line.piles = board.piles
    decode(root[0], root[1], root[2], board, line.now)
    line.counts.used_piles = popcount(line.now.bottom)
    bits = 11
    while 1 << bits < 2 * MAX_TRACE and 2 << bits <= len(work.table):
        bits += 1
    counts.table_bits = bits
    line.counts.n_steps = 0
    _cut_relocations(board, work, line)
    classify(root[0], root[1], root[2], board, 0, line.before)
    first = line.trace_keys[0]  # where the first trace begins
    for word in range(3):
        first[word] = line.before.key[word]
    first[3] = root[3]
    if not _collect(board, work, line, first, work.path[0], False):
        return False
    for i in range(counts.line - 1):
        if not _collect(board, work, line, work.path[i], work.path[i + 1], True):
            return False
    if board.makes_blocks and not _choose(board, work, line):
        return False
    if not _play_steps(board, work, line):
        return False
    # No card lies on a lower one: found them all, lowest first.
    founded = line.now.founded
    for rank in range(ranks):
        for _ in range(4):
            for suit in range(4):
                if founded[suit] == rank and line.now.rider[4 * rank + suit] == NONE:
                    play(line, 4 * rank + suit, FOUNDED)
    return line.counts.failed == 0 and founded[0] + founded[1] + founded[2] + founded[3] == 4 * ranks
