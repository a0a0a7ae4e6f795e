"""The way from one class to the next by search of positions, where arranging does not find it.

See docs/search.md, section 6.
"""

from solver.engine.bits import lowest, popcount
from solver.engine.classes.board import FOUNDED, NONE, SPACE, decode, encode_hosts, space_takes
from solver.engine.classes.levels import analyze, canonicalize, held_cards
from solver.engine.classes.workspace import enter_new, find, forget
from solver.engine.jit import bare_kernel
from solver.engine.line.moves import FARTHEST, MAX_TRACE, play


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
    held = held_cards(after)
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
def _nth(cards, n):
    """The card of a set with ``n`` lower ones."""
    for _ in range(n):
        cards &= cards - 1
    return lowest(cards)


@bare_kernel
def _may_land(board, state, card, target, tops, has_space):
    """Whether the rules let a top card move to a target: a card, SPACE or FOUNDED."""
    if target == FOUNDED:
        return state.founded[card & 3] == card >> 2
    if target == SPACE:
        return has_space and state.host[card] != SPACE and space_takes(board, card)
    return tops >> target & 1 and target != state.host[card]


@bare_kernel
def _target(board, card, choice):
    """The target of a number from 0 to 5: four cards one rank higher, a space, the foundation; -1 if there is none."""
    if choice < 4:
        return 4 * (card >> 2) + 4 + choice if card >> 2 < board.ranks - 1 else -1
    return SPACE if choice == 4 else FOUNDED


@bare_kernel
def _is_key(key, other):
    return key[0] == other[0] and key[1] == other[1] and key[2] == other[2]


@bare_kernel
def _wait(line, n, distance):
    """Have position ``n`` wait at its distance from the goal."""
    line.way_next[n] = line.way_first[distance]
    line.way_first[distance] = n


@bare_kernel
def _play_way(line, n):
    """Play the way found, which ends with position ``n``; False if a move fails."""
    links = line.way_links
    length = 0
    while n > 0:
        line.way_chain[length] = n
        length += 1
        n = links[n, 0]
    for k in range(length - 1, -1, -1):
        play(line, links[line.way_chain[k], 1], links[line.way_chain[k], 2])
    return line.counts.failed == 0


@bare_kernel
def find_way(board, work, line, step_card, start, goal):
    """Play from a member of one class to a member of the class one step further, by search of positions, nearest first.

    For the few steps, one won deal in a thousand, that ``arrange_step`` cannot make. Only positions of the first class
    are passed through, so this finds a way if the classes are right and ``MAX_TRACE`` positions suffice. ``start`` and
    ``goal`` are the keys, int64[3], of the two classes. Returns False, and plays nothing, where no way is found.
    """
    counts, state, child = work.counts, work.state, work.child
    keys, links = line.way_keys, line.way_links
    forget(work)
    encode_hosts(board, line.now.host, keys[0])
    line.way_first[:] = NONE
    _wait(line, 0, 0)
    n, nearest = 1, 0
    while nearest <= FARTHEST:
        at = line.way_first[nearest]
        if at == NONE:
            nearest += 1
            continue
        line.way_first[nearest] = line.way_next[at]
        decode(keys[at, 0], keys[at, 1], keys[at, 2], board, state)
        tops = state.live & ~state.ridden
        has_space = popcount(state.bottom) < board.piles
        for move in range(6 * popcount(tops)):
            card = _nth(tops, move // 6)
            target = _target(board, card, move % 6)
            if target < 0 or not _may_land(board, state, card, target, tops, has_space):
                continue
            if n == MAX_TRACE or 5 * counts.table_used >= 4 << counts.table_bits:
                return False
            came_from = state.host[card]
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
            links[n, 0], links[n, 1], links[n, 2] = at, card, target
            if _is_key(child.key, goal):
                return _play_way(line, n)
            if _is_key(child.key, start):
                _wait(line, n, distance)
                nearest = min(nearest, distance)
                n += 1
    return False
