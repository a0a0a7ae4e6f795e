"""Shorter wins for every rule set: the shortest line through a neighbourhood of a line that is known.

The neighbourhood is a set of positions: those of the line, and those a few moves off it, found breadth first from all
of them at once. What is shortest inside it need not be the shortest there is. With no position off the line this is a
cheap cut that leaves out loops and detours, which the general engine always makes; with many it is ``solve --short``.

Positions are those of ``state`` and are kept as their keys alone. A *line* is a list of steps, each a card and its
new place. Every founding is a step that no win can spare, so what is counted is the other moves: a founding costs
nothing, a withdrawal two (the card must go up again), any other move one.
"""

import numpy as np

from solver.engine.general.play import (
    MOST_MOVES,
    MOST_STEPS,
    found_all,
    found_safe,
    is_won_early,
    list_moves,
    play,
    take_back,
)
from solver.engine.general.state import (
    AUTO,
    CARDS,
    FOUNDED,
    HOST,
    KEY,
    NONE,
    SPACE,
    SPACES,
    pack,
    unpack,
)
from solver.engine.general.visited import FULL, find
from solver.engine.jit import kernel
from solver.position import FOUNDATION, Move, Position
from solver.rules import Rules

FIRST_NEIGHBOURS = 20_000
"""Positions of the first neighbourhood."""
NEIGHBOURS_GROWTH = 4
"""How many times larger the next one is when the line is the shortest in its neighbourhood."""
MOST_NEIGHBOURS = 320_000
"""Positions of the largest: some 30 MB."""
ALL_NEIGHBOURS = 2_000_000
"""Positions of all neighbourhoods of a win together: some seconds."""

_SLICE = 10_000
"""Positions worked on between two looks at the abort flag."""

_RUNNING = -1
_NOT_FOUND = -2
_MOST_COST = 2
"""The most that a move costs."""

# Slots of `progress`
_KNOWN = 0  # positions in the table
_AT = 1  # positions of the queue that have been expanded
_COST = 2  # what the line costs up to the positions that are now looked at
_WAITING = 3  # numbers of positions that wait for each of the next costs
_PROGRESS = _WAITING + _MOST_COST + 1


@kernel
def _enter(state: np.ndarray, table: np.ndarray, queue: np.ndarray, progress: np.ndarray) -> None:
    """Take the position into the neighbourhood unless it is there or the neighbourhood is full."""
    row = find(table, state[KEY], state[KEY + 1], state[KEY + 2])
    if row < 0 and progress[_KNOWN] < queue.shape[0]:
        row = -1 - row
        for word in range(3):
            table[row, word] = state[KEY + word]
        queue[progress[_KNOWN]] = row
        progress[_KNOWN] += 1


@kernel
def _walk(
    state: np.ndarray, trail: np.ndarray, line: np.ndarray, table: np.ndarray, queue: np.ndarray, progress: np.ndarray
) -> None:
    """Enter all positions of a line, ``state`` being the first and at the end the last one.

    What a move brings with it is founded at once, and steps that this has made idle are passed over.
    """
    if not state[AUTO]:
        found_safe(state, trail, 0)
    _enter(state, table, queue, progress)
    for index in range(line.shape[0]):
        card, place = line[index, 0], line[index, 1]
        if state[HOST + card] != place:
            play(state, trail, 0, card, place)
            _enter(state, table, queue, progress)


@kernel
def _explore(
    state: np.ndarray,
    dealt: np.ndarray,
    piles: int,
    trail: np.ndarray,
    moves: np.ndarray,
    values: np.ndarray,
    table: np.ndarray,
    queue: np.ndarray,
    progress: np.ndarray,
    until: int,
) -> None:
    """Enter what is one move away from the positions of the queue, up to the one numbered ``until``."""
    while progress[_AT] < until and progress[_KNOWN] < queue.shape[0]:
        unpack(table[queue[progress[_AT]]], dealt, piles, state)
        progress[_AT] += 1
        for index in range(list_moves(state, NONE, moves, values)):
            length = play(state, trail, 0, moves[index] & 63, moves[index] >> 6)
            _enter(state, table, queue, progress)
            take_back(state, trail, length, 0)


@kernel
def _reach(row: int, cost: int, least: np.ndarray, waiting: np.ndarray, progress: np.ndarray) -> bool:
    """Note a way to a row; False if one that costs no more is known."""
    if cost >= least[row]:
        return False
    least[row] = cost
    bucket = cost % (_MOST_COST + 1)
    waiting[bucket, progress[_WAITING + bucket]] = row
    progress[_WAITING + bucket] += 1
    return True


@kernel
def _shortest(
    state: np.ndarray,
    dealt: np.ndarray,
    piles: int,
    trail: np.ndarray,
    moves: np.ndarray,
    values: np.ndarray,
    table: np.ndarray,
    least: np.ndarray,
    parent: np.ndarray,
    via: np.ndarray,
    waiting: np.ndarray,
    progress: np.ndarray,
    slice_size: int,
) -> int:
    """Look for the cheapest win inside the table, cheapest positions first.

    ``least`` has the cost of each row so far, ``parent`` and ``via`` the row before it and the move from there.
    Returns the row of a position that only foundings part from the end, ``_NOT_FOUND``, or ``_RUNNING`` after
    ``slice_size`` positions.
    """
    empty = 0
    while empty <= _MOST_COST:
        cost = progress[_COST]
        bucket = cost % (_MOST_COST + 1)
        if progress[_WAITING + bucket] == 0:
            progress[_COST] += 1
            empty += 1
            continue
        if slice_size == 0:
            return _RUNNING
        slice_size -= 1
        empty = 0
        progress[_WAITING + bucket] -= 1
        row = waiting[bucket, progress[_WAITING + bucket]]
        if least[row] < cost:
            continue
        unpack(table[row], dealt, piles, state)
        if is_won_early(state):
            return int(row)
        for index in range(list_moves(state, NONE, moves, values)):
            card, place = moves[index] & 63, moves[index] >> 6
            price = 0 if place == FOUNDED else (2 if state[HOST + card] == FOUNDED else 1)
            length = play(state, trail, 0, card, place)
            other = find(table, state[KEY], state[KEY + 1], state[KEY + 2])
            if other >= 0 and _reach(other, cost + price, least, waiting, progress):
                parent[other] = row
                via[other] = moves[index]
            take_back(state, trail, length, 0)
    return _NOT_FOUND


@kernel
def _replay(state: np.ndarray, path: np.ndarray, trail: np.ndarray) -> int:
    """Play the moves of a path from the first position on, and all foundings at its end; the trail's length."""
    length = 0 if state[AUTO] else found_safe(state, trail, 0)
    for index in range(path.shape[0]):
        length = play(state, trail, length, path[index] & 63, path[index] >> 6)
    return found_all(state, trail, length)


def shortest_nearby(root: np.ndarray, line: np.ndarray, neighbours: int, abort: np.ndarray | None = None) -> np.ndarray:
    """The shortest win in the neighbourhood of a winning line.

    Parameters
    ----------
    root
        The packed position that the line starts from.
    line
        int64 array of shape (steps, 2): cards and their new places; what a step brings with it may be left out.
    neighbours
        Positions of the neighbourhood, beside those of the line itself.
    abort
        uint8[1]; when another thread sets it, the line comes back as it is.

    Returns
    -------
    numpy.ndarray
        A winning line with all its steps, of the same shape; the one given if it is no longer.
    """
    most = len(line) + 1 + neighbours
    table = np.zeros((int(most / FULL) + 16, 3), np.int64)
    queue = np.zeros(most, np.int64)
    progress = np.zeros(_PROGRESS, np.int64)
    trail = np.zeros(MOST_STEPS, np.int64)
    moves, values = np.zeros(MOST_MOVES, np.int64), np.zeros(MOST_MOVES, np.int64)
    dealt = root[HOST : HOST + CARDS]
    piles = int(root[SPACES] + np.count_nonzero(dealt == SPACE))
    state = root.copy()
    _walk(state, trail, line, table, queue, progress)
    if neighbours:
        while progress[_AT] < progress[_KNOWN] < most and not _is_raised(abort):
            until = min(progress[_AT] + _SLICE, progress[_KNOWN])
            _explore(state, dealt, piles, trail, moves, values, table, queue, progress, until)
    least = np.full(len(table), np.iinfo(np.int32).max, np.int32)
    parent, via = np.zeros(len(table), np.int64), np.zeros(len(table), np.int64)
    waiting = np.zeros((_MOST_COST + 1, int(progress[_KNOWN])), np.int64)
    first = int(queue[0])
    _reach(first, 0, least, waiting, progress)
    row = _RUNNING
    while row == _RUNNING and not _is_raised(abort):
        row = _shortest(state, dealt, piles, trail, moves, values, table, least, parent, via, waiting, progress, _SLICE)
    if row < 0:
        return line
    path = []
    while row != first:
        path.append(int(via[row]))
        row = int(parent[row])
    # A move brings at most MOST_STEPS steps, but all moves together found each card once, and once more a withdrawal.
    trail = np.zeros(2 * len(path) + 2 * MOST_STEPS, np.int64)
    length = _replay(root.copy(), np.array(path[::-1], np.int64), trail)
    shorter = np.stack([trail[:length] & 63, trail[:length] >> 12], axis=1)
    return shorter if length < len(line) else line


def _is_raised(abort: np.ndarray | None) -> bool:
    return abort is not None and bool(abort[0])


def polish(
    position: Position,
    rules: Rules,
    moves: tuple[Move, ...],
    abort: np.ndarray | None = None,
    *,
    thoroughly: bool = True,
) -> tuple[Move, ...]:
    """Make a win shorter.

    Parameters
    ----------
    position
        A position without problems and with all its piles.
    moves
        Moves that win it.
    abort
        uint8[1]; another thread ends the work by setting it to 1.
    thoroughly
        Spend some seconds, in growing neighbourhoods; otherwise some hundredths of a second, in the first one alone.

    Returns
    -------
    tuple of Move
        Moves that win it, no more than before.
    """
    first = 0
    while position.uncovered is not None:
        position = position.apply(moves[first], rules)
        first += 1
    root = pack(position, rules)
    line = shortest_nearby(root, _line_of(position, rules, moves[first:]), 0, abort)
    neighbours, left = FIRST_NEIGHBOURS, ALL_NEIGHBOURS if thoroughly else FIRST_NEIGHBOURS
    while neighbours <= min(MOST_NEIGHBOURS, left) and not _is_raised(abort):
        shorter = shortest_nearby(root, line, neighbours, abort)
        left -= neighbours
        if len(shorter) == len(line):
            neighbours *= NEIGHBOURS_GROWTH
        line = shorter
    if first + len(line) >= len(moves):
        return moves
    return (*moves[:first], *moves_of(position, rules, line))


def _line_of(position: Position, rules: Rules, moves: tuple[Move, ...]) -> np.ndarray:
    line = np.zeros((len(moves), 2), np.int64)
    for index, move in enumerate(moves):
        if move.target == FOUNDATION:
            place = FOUNDED
        else:
            pile = position.piles[move.target]
            place = pile[-1] if pile else SPACE
        line[index] = move.card, place
        position = position.apply(move, rules)
    return line


def moves_of(position: Position, rules: Rules, line: np.ndarray) -> list[Move]:
    """A line's steps as moves between numbered piles."""
    moves = []
    for card, place in line.tolist():
        source = next((number for number, pile in enumerate(position.piles) if card in pile), FOUNDATION)
        if place == FOUNDED:
            target = FOUNDATION
        elif place == SPACE:
            target = position.spaces()[0]
        else:
            target = next(number for number, pile in enumerate(position.piles) if pile and pile[-1] == place)
        moves.append(Move(card, source, target))
        position = position.apply(moves[-1], rules)
    return moves
