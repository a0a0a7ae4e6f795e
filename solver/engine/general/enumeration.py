"""The closed set of a lost deal in plain positions: everything that legal moves lead to, with no theory at all.

Serves every rule set. Knows nothing of files.
"""

import numpy as np

from solver.engine.general.play import MOST_MOVES, MOST_STEPS, is_won_early, list_moves, play, step, take_back
from solver.engine.general.state import (
    AUTO,
    CARDS,
    HOST,
    KEY,
    NONE,
    pack,
    unpack,
)
from solver.engine.general.visited import FULL, copy_into, find
from solver.engine.jit import kernel
from solver.position import Position
from solver.rules import Rules

_CLOSED, _NOT_LOST, _TOO_LARGE, _RUNNING = 0, 1, 2, 3

_SLICE = 1 << 14
"""Positions followed between two looks at the abort flag."""

_FIRST_ROWS = 1 << 14


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
        unpack(keys[progress[1]], dealt, piles, state)
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
        int64[n, 3]: the keys of ``state``.
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
