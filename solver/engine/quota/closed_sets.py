"""Closed sets of a lost deal: of classes on a rung, and of skeletons. See docs/certificates.md.

The search that proves a deal lost keeps no closed set, so they are gathered anew. A class is not entered where it is
known to be lost for another reason: its skeleton is lost in the relaxed game, or its image on a coarser rung is lost;
those skeletons and images are gathered beside it, to be closed in their turn. Knows nothing of files.
"""

from typing import Any, NamedTuple

import numpy as np

from solver.engine.classes.board import STATE, decode, new_record, scatter
from solver.engine.classes.commits import COMMITS, Successors, new_successors, take_step
from solver.engine.classes.heuristic import evaluate
from solver.engine.classes.levels import analyze, classify
from solver.engine.classes.relaxed import RELAXED_OVER, RELAXED_SAFE, play_relaxed, relaxed_moves, relaxed_verdict
from solver.engine.classes.skeletons import RELAXED_LOST, reset_skeletons, skeleton_place, unpack_skeleton
from solver.engine.classes.steps import FOUND, STEPS, list_steps, safe_founding
from solver.engine.jit import bare_kernel
from solver.engine.quota.bench import load
from solver.engine.quota.images import image_is_lost, reset_images
from solver.position import Position
from solver.rules import Rules

# What `_follow_steps` can end with
CLOSED, NOT_LOST, NO_ROOM, TOO_LARGE = 0, 1, 2, 3

_MOST_RESULTS = 1 << 14
"""Results of one step; where there are more, no closed set is made."""
_FIRST_ROWS = 1 << 10
_BYTES_A_ROW = 57
"""Memory of a row of ``Closure``: a key of four words, two words of index, one of the stack, a mark."""

# Marks in Skeletons.known[:].opened; a skeleton that has a safe founding is passed through, as its check does
_WANTED, _FOLLOWED, _PASSED = 1, 2, 3


MEMBERS_COUNTS = np.dtype(
    [("members", np.int64), ("waiting", np.int64), ("settled", np.int64)],  # the last two are among the members
    align=True,
)
"""How many classes a set has, how many of them wait to be followed, how many have no safe founding."""


class Closure(NamedTuple):
    """A set of classes that is being closed.

    Attributes
    ----------
    keys
        int64[n, 4]: three key words and the skeleton's number, in the order met.
    settled
        int8[n]: whether the class has no safe founding.
    waiting
        int64[n]: stack of the places whose steps have not been followed yet.
    lookup
        int64[2n]: hash index, entries ``place + 1``.
    counts
        MEMBERS_COUNTS.
    """

    keys: np.ndarray
    settled: np.ndarray
    waiting: np.ndarray
    lookup: np.ndarray
    counts: Any


class Desk(NamedTuple):
    """What ``_follow_steps`` works with beside the set itself: records by their layouts, and an int64[4]."""

    state: Any
    child: Any
    steps: Any
    commits: Any
    results: Successors
    image: np.ndarray


def new_closure(rows: int) -> Closure:
    """An empty set with room for ``rows`` classes, a power of two."""
    return Closure(
        np.zeros((rows, 4), np.int64),
        np.zeros(rows, np.int8),
        np.zeros(rows, np.int64),
        np.zeros(2 * rows, np.int64),
        new_record(MEMBERS_COUNTS),
    )


def _new_desk() -> Desk:
    return Desk(
        new_record(STATE),
        new_record(STATE),
        new_record(STEPS),
        new_record(COMMITS),
        new_successors(_MOST_RESULTS),
        np.zeros(4, np.int64),
    )


@bare_kernel
def _slot(closure, key0, key1, key2):
    """The slot of the index that holds a key, else -1 - the empty slot where it would go."""
    lookup = closure.lookup
    mask = len(lookup) - 1
    slot = scatter(key0, key1, key2) & mask
    while lookup[slot]:
        key = closure.keys[lookup[slot] - 1]
        if key[0] == key0 and key[1] == key1 and key[2] == key2:
            return slot
        slot = (slot + 1) & mask
    return -1 - slot


@bare_kernel
def _index_all(closure):
    """Enter every member in an index that is still empty."""
    for place in range(closure.counts.members):
        key = closure.keys[place]
        closure.lookup[-1 - _slot(closure, key[0], key[1], key[2])] = place + 1


@bare_kernel
def _enter(closure, key, settled):
    """Enter a class, if it is new, to be followed. False if there is no room."""
    slot = _slot(closure, key[0], key[1], key[2])
    if slot >= 0:
        return True
    counts = closure.counts
    place = counts.members
    if place == len(closure.keys):
        return False
    for word in range(4):
        closure.keys[place, word] = key[word]
    closure.settled[place] = settled
    closure.lookup[-1 - slot] = place + 1
    closure.waiting[counts.waiting] = place
    counts.members += 1
    counts.waiting += 1
    counts.settled += settled
    return True


@bare_kernel
def _enter_image(board, closure, rung, key, desk):
    """Enter the class on a rung of a position, given by its key and skeleton. False if there is no room."""
    child, image = desk.child, desk.image
    classify(key[0], key[1], key[2], board, rung, child)
    for word in range(3):
        image[word] = child.key[word]
    image[3] = key[3]
    return _enter(closure, image, 1 if safe_founding(board, child) < 0 else 0)


@bare_kernel
def _follow_steps(board, closure, rung, work, desk, coarse, coarse_rung, most, abort):
    """Follow the steps of all waiting classes, until the set is closed on its rung.

    Skeletons that are lost in the relaxed game are marked, not followed. Unless ``coarse_rung`` is 0, classes whose
    images on that rung are lost are not followed either, and their images entered in ``coarse``.

    Returns CLOSED; NOT_LOST where something won was met; NO_ROOM where one of the sets needs more room, after which the
    work can go on; TOO_LARGE where more than ``most`` settled classes were met, or more results of one step than there
    is room for. Ends with TOO_LARGE as well when ``abort`` is raised.
    """
    counts, skeletons = closure.counts, work.skeletons
    state, child, results, steps = desk.state, desk.child, desk.results, desk.steps
    while counts.waiting > 0:
        if counts.settled > most or abort[0]:
            return TOO_LARGE
        place = closure.waiting[counts.waiting - 1]
        key = closure.keys[place]
        decode(key[0], key[1], key[2], board, state)
        analyze(board, state, rung)
        if closure.settled[place]:
            n = list_steps(board, state, rung, steps)
        else:
            n = 1
            steps.kind[0], steps.card[0], steps.target[0] = FOUND, safe_founding(board, state), 0
        # The class stops waiting only when all its results are entered; those entered until then wait above it.
        counts.waiting -= 1
        for i in range(n):
            results.size.count = 0
            results.size.left_out = 0
            kind, card, target = steps.kind[i], steps.card[i], steps.target[i]
            take_step(board, state, rung, key[3], kind, card, target, desk.commits, results)
            if results.size.left_out:
                return TOO_LARGE
            for j in range(results.size.count):
                after = results.keys[j]
                if _slot(closure, after[0], after[1], after[2]) >= 0:
                    continue
                if relaxed_verdict(board, skeletons, after[3]) == RELAXED_LOST:
                    skeletons.known[skeleton_place(skeletons, after[3])].opened = _WANTED
                    continue
                decode(after[0], after[1], after[2], board, child)
                analyze(board, child, rung)
                if evaluate(board, child, work.settings) < 0:
                    return NOT_LOST
                settled = 1 if safe_founding(board, child) < 0 else 0
                if (
                    coarse_rung
                    and settled
                    and image_is_lost(board, work, coarse_rung, after[0], after[1], after[2], after[3], abort)
                ):
                    has_room = _enter_image(board, coarse, coarse_rung, after, desk)
                else:
                    has_room = _enter(closure, after, settled)
                if not has_room:
                    closure.waiting[counts.waiting] = place
                    counts.waiting += 1
                    return NO_ROOM
    return CLOSED


@bare_kernel
def _close_skeletons(board, skeletons):
    """Mark every skeleton that a marked one leads to; False where the table is full, or one of them is won."""
    known, search = skeletons.known, skeletons.search
    now, child = search.left[0], search.left[1]
    is_done = False
    while not is_done:
        is_done = True
        for place in range(search.counts.n_known):
            if known[place].opened != _WANTED:
                continue
            key = known[place].number
            unpack_skeleton(board, key, now)
            kind, moves = relaxed_moves(board, now)
            if kind == RELAXED_OVER:
                return False
            known[place].opened = _PASSED if kind == RELAXED_SAFE else _FOLLOWED
            for move in range(4 + board.piles):
                if not moves >> move & 1:
                    continue
                for i in range(len(now)):
                    child[i] = now[i]
                after = skeleton_place(skeletons, key + play_relaxed(board, child, move))
                if after < 0:
                    return False
                if not known[after].opened:
                    known[after].opened = _WANTED
                    is_done = False
    return True


@bare_kernel
def _unpack_followed(board, skeletons, rows):
    """Write the skeletons followed into int64[n, 17]; returns how many there are, written or not."""
    n = 0
    known = skeletons.known
    for place in range(skeletons.search.counts.n_known):
        if known[place].opened == _FOLLOWED:
            if n < len(rows):
                unpack_skeleton(board, known[place].number, rows[n])
            n += 1
    return n


class ClosedSets(NamedTuple):
    """Closed sets that prove a deal lost.

    Attributes
    ----------
    classes
        int64[n, 3]: keys of the classes on the rung that was asked for, settled ones only.
    coarse_classes
        int64[n, 3]: keys of the classes on the coarser rung that those lean on.
    skeletons
        int64[n, 4 + piles]: the lost skeletons that both lean on, cards founded, then bad bonds left; those without a
        safe founding.
    """

    classes: np.ndarray
    coarse_classes: np.ndarray
    skeletons: np.ndarray

    def size(self) -> int:
        """Number of classes of both kinds."""
        return len(self.classes) + len(self.coarse_classes)


class LostDeal:
    """A deal that the quota search has proved lost; the workspace of this thread's searches is used again.

    Parameters
    ----------
    position, rules
        The deal, with all its piles; the quota search serves the rules.
    max_memory
        Bytes of the search's workspace, and at most as many again for the sets.
    abort
        uint8[1]; another thread sets it to 1 to end the work.
    """

    def __init__(self, position: Position, rules: Rules, max_memory: int, abort: np.ndarray) -> None:
        self._max_rows = max_memory // _BYTES_A_ROW
        self._abort = abort
        self._piles = len(position.piles)
        self._desk = _new_desk()
        bench = load(position, rules, max_memory)
        self._work, self._board, self._root = bench.work, bench.board, bench.root
        self._board.makes_blocks = 0
        reset_skeletons(self._work.skeletons)

    def relaxed(self) -> ClosedSets | None:
        """Skeletons alone; None where the relaxed game is not lost."""
        skeletons, key = self._work.skeletons, self._root[3]
        if relaxed_verdict(self._board, skeletons, key) != RELAXED_LOST:
            return None
        self._clear_marks()
        skeletons.known[skeleton_place(skeletons, key)].opened = _WANTED
        return self._closed_sets(new_closure(1), new_closure(1))

    def on_rung(self, rung: int, most: int, coarse_rung: int = 0, max_images: int = 0) -> ClosedSets | None:
        """Classes on a rung; None where it is not lost, or takes more than ``most`` classes, or too much memory.

        ``coarse_rung`` is the rung that they lean on, 0 for none; at most ``max_images`` classes there are looked at.
        """
        work = self._work
        self._clear_marks()
        reset_images(work)
        work.counts.top, work.counts.nodes, work.counts.node_limit = 0, 0, max_images
        closure, coarse = new_closure(_FIRST_ROWS), new_closure(_FIRST_ROWS)
        _enter_image(self._board, closure, rung, self._root, self._desk)
        end, closure, coarse = self._close(closure, rung, most, coarse, coarse_rung)
        if end == CLOSED and coarse.counts.members:
            most -= int(closure.counts.settled)
            end, coarse, _ = self._close(coarse, coarse_rung, most, closure, 0)
        return self._closed_sets(closure, coarse) if end == CLOSED else None

    def _clear_marks(self) -> None:
        skeletons = self._work.skeletons
        skeletons.known["opened"][: skeletons.search.counts.n_known] = 0

    def _close(
        self, closure: Closure, rung: int, most: int, coarse: Closure, coarse_rung: int
    ) -> tuple[int, Closure, Closure]:
        while True:
            end = _follow_steps(
                self._board, closure, rung, self._work, self._desk, coarse, coarse_rung, most, self._abort
            )
            if end != NO_ROOM:
                return end, closure, coarse
            if 2 * (len(closure.keys) + len(coarse.keys)) > self._max_rows:
                return TOO_LARGE, closure, coarse
            if closure.counts.members == len(closure.keys):
                closure = _enlarged(closure)
            else:
                coarse = _enlarged(coarse)

    def _closed_sets(self, closure: Closure, coarse: Closure) -> ClosedSets | None:
        skeletons = self._work.skeletons
        if not _close_skeletons(self._board, skeletons):
            return None
        rows = np.zeros((_unpack_followed(self._board, skeletons, np.zeros((0, 17), np.int64)), 17), np.int64)
        _unpack_followed(self._board, skeletons, rows)
        return ClosedSets(_settled(closure), _settled(coarse), rows[:, : 4 + self._piles])


def _enlarged(closure: Closure) -> Closure:
    rows = len(closure.keys)
    larger = new_closure(2 * rows)
    for name in ("keys", "settled", "waiting"):
        old = getattr(closure, name)
        getattr(larger, name)[: len(old)] = old
    for name in MEMBERS_COUNTS.names or ():
        larger.counts[name] = closure.counts[name]
    _index_all(larger)
    return larger


def _settled(closure: Closure) -> np.ndarray:
    """The keys of the settled classes: the others are proved lost by what their safe foundings lead to."""
    count = int(closure.counts.members)
    keys: np.ndarray = closure.keys[:count, :3][closure.settled[:count] == 1]
    return keys
