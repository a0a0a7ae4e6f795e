"""The closed set of a lost deal in plain positions: everything that legal moves lead to, with no theory at all.

Serves every rule set. Knows nothing of files.
"""

import numpy as np

from solver.engine.cache import kernel
from solver.engine.moves import MOST_MOVES, MOST_STEPS, is_won_early, list_moves, play, step, take_back
from solver.engine.packing import (
    AUTO,
    CARDS,
    CODE_BAD,
    CODE_BOTTOM,
    CODE_FOUNDED,
    DESCENTS,
    FOUND,
    FOUNDED,
    HOST,
    KEY,
    KING,
    LOWEST,
    NONE,
    RIDER,
    SPACE,
    SPACES,
    TOPS,
    pack,
)
from solver.engine.table import FULL, copy_into, find
from solver.position import Position
from solver.rules import Rules

_CLOSED, _NOT_LOST, _TOO_LARGE, _RUNNING = 0, 1, 2, 3

_SLICE = 1 << 14
"""Positions followed between two looks at the abort flag."""

_FIRST_ROWS = 1 << 14


@kernel
def _unpack(keys: np.ndarray, dealt: np.ndarray, piles: int, state: np.ndarray) -> None:
    """Set the slots of a position by its key, int64[3]; ``dealt`` int64[52] is what each card lay on at first.

    ``SKELETON`` stays what it was: nothing here asks for it.
    """
    cards = 4 * (state[KING] + 1)
    for suit in range(4):
        state[FOUND + suit] = 0
    tops = 0
    spaces = piles
    for card in range(cards):
        state[RIDER + card] = NONE
    for card in range(cards):
        code = keys[card % 3] >> 3 * (card // 3) & 7
        if code == CODE_FOUNDED:
            state[HOST + card] = FOUNDED
            state[FOUND + (card & 3)] += 1
            continue
        tops |= 1 << card
        if code == CODE_BOTTOM:
            state[HOST + card] = SPACE
            spaces -= 1
        else:
            host = dealt[card] if code == CODE_BAD else 4 * (card // 4 + 1) + code
            state[HOST + card] = host
            state[RIDER + host] = card
    descents = 0
    for bottom in range(cards):
        if state[HOST + bottom] != SPACE:
            continue
        card = bottom
        state[LOWEST + card] = card >> 2
        while state[RIDER + card] != NONE:
            tops &= ~(1 << card)
            rider = state[RIDER + card]
            descents += card >> 2 < rider >> 2
            state[LOWEST + rider] = min(state[LOWEST + card], rider >> 2)
            card = rider
    state[TOPS] = tops
    state[SPACES] = spaces
    state[DESCENTS] = descents
    for word in range(3):
        state[KEY + word] = keys[word]


@kernel
def _follow(
    state: np.ndarray,
    dealt: np.ndarray,
    piles: int,
    table: np.ndarray,
    keys: np.ndarray,
    progress: np.ndarray,
    trail: np.ndarray,
    moves: np.ndarray,
    values: np.ndarray,
    until: int,
) -> int:
    """Follow every legal move of the positions in ``keys`` until ``until`` of them are followed.

    Parameters
    ----------
    state
        int64 array of ``LENGTH``, scratch but for the rules.
    table, keys
        int64 arrays of shape (size, 3): the positions met, for looking up, and in the order met.
    progress
        int64[2]: positions met, positions followed.
    trail, moves, values
        int64 arrays, scratch.

    Returns
    -------
    int
        ``_CLOSED``, ``_NOT_LOST`` where a position is met that can be won, ``_TOO_LARGE`` where ``keys`` is full or
        ``table`` nearly so, ``_RUNNING``.
    """
    full = int(table.shape[0] * FULL)
    while progress[1] < progress[0]:
        if progress[1] >= until:
            return _RUNNING
        if progress[0] + MOST_MOVES > full or progress[0] + MOST_MOVES > keys.shape[0]:
            return _TOO_LARGE
        _unpack(keys[progress[1]], dealt, piles, state)
        progress[1] += 1
        if is_won_early(state):
            return _NOT_LOST
        for index in range(list_moves(state, NONE, moves, values)):
            card, place = moves[index] & 63, moves[index] >> 6
            if state[AUTO]:
                length = play(state, trail, 0, card, place)
            else:
                length = step(state, trail, 0, card, place)
            row = find(table, state[KEY], state[KEY + 1], state[KEY + 2])
            if row < 0:
                for word in range(3):
                    table[-1 - row, word] = state[KEY + word]
                    keys[progress[0], word] = state[KEY + word]
                progress[0] += 1
            take_back(state, trail, length, 0)
    return _CLOSED


def all_positions(position: Position, rules: Rules, most: int, abort: np.ndarray) -> np.ndarray | None:
    """Everything that legal moves lead to; None where something won is among it, or more than ``most`` positions.

    Parameters
    ----------
    position
        A position without problems, with all its piles and no card due to go up by itself.
    abort
        uint8[1]; another thread sets it to 1 to end the work, with None.

    Returns
    -------
    numpy.ndarray or None
        int64[n, 3]: the keys of ``packing``.
    """
    state = pack(position, rules)
    dealt = state[HOST : HOST + CARDS].copy()
    rows = min(_FIRST_ROWS, most + MOST_MOVES)
    keys, table = np.zeros((rows, 3), np.int64), np.zeros((2 * rows, 3), np.int64)
    trail, moves, values = (
        np.zeros(MOST_STEPS, np.int64),
        np.zeros(MOST_MOVES, np.int64),
        np.zeros(MOST_MOVES, np.int64),
    )
    progress = np.array([1, 0], np.int64)
    keys[0] = state[KEY : KEY + 3]
    table[-1 - find(table, *keys[0])] = keys[0]
    while True:
        until = int(progress[1]) + _SLICE
        end = _follow(state, dealt, len(position.piles), table, keys, progress, trail, moves, values, until)
        if end == _CLOSED:
            return keys[: progress[0]] if progress[0] <= most else None
        if end == _NOT_LOST or abort[0] or progress[0] > most:
            return None
        if end == _TOO_LARGE:
            keys = np.concatenate([keys, np.zeros_like(keys)])
            larger = np.zeros((2 * len(table), 3), np.int64)
            copy_into(table, larger)
            table = larger
