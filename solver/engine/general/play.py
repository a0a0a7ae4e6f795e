"""What may be played in a packed position, in which order to try it, and what a move brings with it.

Knows the rules of play and the two dominances (``docs/general.md`` argues for them); knows nothing of search.

A *move* is ``card | place << 6``. Beside it there is a *trail*, an int64 array of all single steps from the
first position on, foundings that came by themselves included: ``card | old << 6 | new << 12``. It is what
takes a move back, and at the end it is the winning line.
"""

import numpy as np

from solver.engine.bits import RANK_MASK, lowest
from solver.engine.general.state import (
    AUTO,
    CARDS,
    DESCENTS,
    FOUND,
    FOUNDED,
    HOST,
    KING,
    LOWEST,
    MOVES_CARDS,
    MOVES_SEQUENCES,
    NONE,
    RIDER,
    RUNS,
    SPACE,
    SPACES,
    TAKES,
    TAKES_ANY,
    TAKES_KINGS,
    TOPS,
    WEIGHT,
    WITHDRAWAL,
    put,
)
from solver.engine.jit import kernel

MOST_MOVES = 320
"""More than a position has moves: 52 cards of runs to 4 hosts or a space, 4 foundings, 4 withdrawals."""

MOST_STEPS = 64
"""More than one move brings single steps: itself and every card founded at most once."""

_LOWEST_OF_RANKS = 0x1111111111111

# What a move changes of the position's worth, in hundredths (lower is better): docs/general.md, "Move order".
_UNFOUNDED = 300
_BAD_BOND = 170
_ABOVE_LOWER = 120
_ON_NEXT = 117
_ON_NEXT_BUT_ONE = 100
_SPACE = 330
_KING_DOWN = 125


@kernel
def is_won_early(state: np.ndarray) -> bool:
    """Whether no card lies on one of lower rank: then the lowest card left is always a top."""
    return bool(state[DESCENTS] == 0)


@kernel
def step(state: np.ndarray, trail: np.ndarray, length: int, card: int, place: int) -> int:
    """Put a card and note it on the trail; the trail's new length."""
    trail[length] = card | state[HOST + card] << 6 | place << 12
    put(state, card, place)
    return length + 1


@kernel
def found_safe(state: np.ndarray, trail: np.ndarray, length: int) -> int:
    """Found, one after the other, every card that no line of play can miss; the trail's new length.

    These are the top cards next in their suit whose rank is at most two above the least founded one: only
    cards one rank lower could want them as hosts, and those can go up the moment they are uncovered.
    """
    while True:
        least = min(min(state[FOUND], state[FOUND + 1]), min(state[FOUND + 2], state[FOUND + 3]))
        safe = 0
        for suit in range(4):
            rank = state[FOUND + suit]
            safe |= (rank <= least + 1) << 4 * rank + suit
        safe &= state[TOPS]
        if safe == 0:
            return length
        while safe:
            length = step(state, trail, length, lowest(safe), FOUNDED)
            safe &= safe - 1


@kernel
def play(state: np.ndarray, trail: np.ndarray, length: int, card: int, place: int) -> int:
    """Play a legal move and what it brings with it; the trail's new length.

    With automatic founding these are the forced foundings, else the safe ones. The trail needs room for
    ``MOST_STEPS``.
    """
    source = state[HOST + card]
    length = step(state, trail, length, card, place)
    if not state[AUTO]:
        return found_safe(state, trail, length)
    while source < CARDS and state[FOUND + (source & 3)] == source >> 2:
        below = state[HOST + source]
        length = step(state, trail, length, source, FOUNDED)
        source = below
    return length


@kernel
def take_back(state: np.ndarray, trail: np.ndarray, length: int, mark: int) -> None:
    """Undo the steps of the trail from its end back to the length ``mark``."""
    while length > mark:
        length -= 1
        put(state, trail[length] & 63, trail[length] >> 6 & 63)


@kernel
def found_all(state: np.ndarray, trail: np.ndarray, length: int) -> int:
    """Found every card of a position that is won early, lowest first; the trail's new length."""
    for rank in range(state[KING] + 1):
        for _ in range(4):
            # The four cards of a rank may lie on one another, so whichever is a top goes first.
            for other in range(4):
                if state[FOUND + other] == rank and state[TOPS] >> (4 * rank + other) & 1:
                    length = play(state, trail, length, 4 * rank + other, FOUNDED)
    return length


@kernel
def _weigh(state: np.ndarray) -> None:
    """Fill the ``WEIGHT`` slots: how much one more card on each top counts for the cards next in turn."""
    for card in range(CARDS):
        state[WEIGHT + card] = 0
    for suit in range(4):
        weight = _ON_NEXT
        for rank in range(state[FOUND + suit], min(state[FOUND + suit] + 2, state[KING] + 1)):
            card = 4 * rank + suit
            while state[RIDER + card] != NONE:
                card = state[RIDER + card]
            state[WEIGHT + card] += weight
            weight = _ON_NEXT_BUT_ONE


@kernel
def _insert(moves: np.ndarray, values: np.ndarray, count: int, move: int, value: int) -> int:
    """Insert a move into a list that has the highest value first; the list's new length."""
    at = count
    while at > 0 and values[at - 1] < value:
        moves[at] = moves[at - 1]
        values[at] = values[at - 1]
        at -= 1
    moves[at] = move
    values[at] = value
    return count + 1


@kernel
def _longest_run(state: np.ndarray, into_space: bool) -> int:
    """How many cards one move may carry at most; ``into_space`` only while there is a space."""
    if state[RUNS] == MOVES_SEQUENCES:
        return CARDS
    if state[RUNS] == MOVES_CARDS:
        return 1
    # Supermoves are listed only where spaces take any card: one card, doubled for each space not moved into.
    return int(1 << (state[SPACES] - into_space))


@kernel
def _moves_of(
    state: np.ndarray, card: int, length: int, value: int, moves: np.ndarray, values: np.ndarray, count: int
) -> int:
    """Add the moves of a card and the run on it, ``length`` cards in all, to other piles and to a space."""
    rank = card >> 2
    if rank < state[KING] and length <= _longest_run(state, False):
        hosts = state[TOPS] >> 4 * (rank + 1) & 15
        for suit in range(4):
            if hosts >> suit & 1:
                host = 4 * (rank + 1) + suit
                worth = value + state[WEIGHT + host]
                if state[LOWEST + host] < rank:
                    worth += _ABOVE_LOWER
                count = _insert(moves, values, count, card | host << 6, worth)
    if (
        state[SPACES] > 0
        and state[HOST + card] != SPACE
        and length <= _longest_run(state, True)
        and (state[TAKES] == TAKES_ANY or (state[TAKES] == TAKES_KINGS and rank == state[KING]))
    ):
        worth = value + _SPACE - (_KING_DOWN if rank == state[KING] else 0)
        count = _insert(moves, values, count, card | SPACE << 6, worth)
    return count


@kernel
def _leaving(state: np.ndarray, card: int, top: int) -> int:
    """What a card's leaving its place changes of the position's worth; ``top`` ends the run on it."""
    host = state[HOST + card]
    value = -int(state[WEIGHT + top])
    if host == SPACE:
        return value - _SPACE
    if host >> 2 != (card >> 2) + 1:
        value -= _BAD_BOND
    if state[LOWEST + host] < card >> 2:
        value -= _ABOVE_LOWER
    return value


@kernel
def _movable(state: np.ndarray) -> int:
    """The top cards that have somewhere to go, as bits, and maybe a few more."""
    tops: int = state[TOPS]
    if state[SPACES] > 0 and state[TAKES] == TAKES_ANY:
        return tops
    ranks = (tops | tops >> 1 | tops >> 2 | tops >> 3) & _LOWEST_OF_RANKS
    movable = (ranks >> 4) * RANK_MASK
    for suit in range(4):
        movable |= 1 << 4 * state[FOUND + suit] + suit
    if state[SPACES] > 0 and state[TAKES] == TAKES_KINGS:
        movable |= RANK_MASK << 4 * state[KING]
    return tops & movable


@kernel
def list_moves(state: np.ndarray, last: int, moves: np.ndarray, values: np.ndarray) -> int:
    """List the legal moves of a position, the most promising one last; their number.

    All empty piles count as one target, and a whole pile into a space is no move. Supermoves are listed as moves
    only with automatic founding: elsewhere single cards reach the same positions.

    Parameters
    ----------
    state
        int64 array of ``LENGTH``; only its ``WEIGHT`` slots change.
    last
        A card whose moves are left out, or NONE.
    moves, values
        int64 arrays with room for ``MOST_MOVES``.
    """
    _weigh(state)
    count = 0
    waiting = state[TOPS] if state[RUNS] == MOVES_SEQUENCES else _movable(state)
    while waiting:
        top = lowest(waiting)
        waiting &= waiting - 1
        if top != last and state[FOUND + (top & 3)] == top >> 2:
            count = _insert(moves, values, count, top | FOUNDED << 6, _leaving(state, top, top) - _UNFOUNDED)
        card = top
        length = 1
        longest = _longest_run(state, False)
        while length <= longest:
            if card != last:
                count = _moves_of(state, card, length, _leaving(state, card, top), moves, values, count)
            host = state[HOST + card]
            if host >= CARDS or host >> 2 != (card >> 2) + 1:
                break
            card = host
            length += 1
    if state[WITHDRAWAL]:
        for suit in range(4):
            rank = state[FOUND + suit] - 1
            if rank >= 0 and 4 * rank + suit != last:
                card = 4 * rank + suit
                count = _moves_of(state, card, 1, _UNFOUNDED, moves, values, count)
    return count
