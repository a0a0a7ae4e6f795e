"""One step of classes, played: rearrange the floats, clear the way, move the card. See docs/search.md, section 6."""

from solver.engine.bits import RANK_MASK, cards_of, lowest
from solver.engine.classes.board import FOUNDED, NONE, SPACE, SPACES_ANY
from solver.engine.classes.steps import BREAK, FOUND
from solver.engine.jit import bare_kernel
from solver.engine.line.moves import play


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
def arrange_step(board, line, kind, card):
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
