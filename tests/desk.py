"""What the tests of the quota search call its kernels with: a dealt board, and the sets and classes of a position."""

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from naive_classes import Key, Levels, is_built

from solver.cards import rank_of
from solver.checking.naive import State
from solver.engine.classes import board as packed
from solver.engine.classes.board import BOARD, STATE, decode, encode, load_board, new_record, pack
from solver.engine.classes.commits import COMMITS, new_successors, take_step
from solver.engine.classes.levels import analyze, classify
from solver.engine.classes.steps import FOUND, STEPS, list_steps, safe_founding
from solver.engine.jit import bare_kernel
from solver.position import Position
from solver.rules import Rules

MOST_SUCCESSORS = 1 << 14


@bare_kernel
def _classes(keys, rung, board, state, out):
    """For int64[n, 3] keys: int64[n, 4], the key of each one's class and the card that settling founds, or -1."""
    for i in range(len(keys)):
        classify(keys[i, 0], keys[i, 1], keys[i, 2], board, rung, state)
        encode(state.host, state.live, state.bad, board.ranks, out[i])
        analyze(board, state, rung)
        out[i, 3] = safe_founding(board, state)


@bare_kernel
def _steps(key, settling, rung, board, state, steps, commits, out):
    """Every class that a class leads to in one step, settling first if asked to; ``key`` is a class's own."""
    decode(key[0], key[1], key[2], board, state)
    analyze(board, state, rung)
    out.size.count = 0
    out.size.left_out = 0
    card = -1
    if settling:
        card = safe_founding(board, state)
    if card >= 0:
        take_step(board, state, rung, key[3], FOUND, card, 0, commits, out)
        return
    for i in range(list_steps(board, state, rung, steps)):
        take_step(board, state, rung, key[3], steps.kind[i], steps.card[i], steps.target[i], commits, out)


class Desk:
    """A dealt board and the room that the kernels want."""

    def __init__(self, position: Position, rules: Rules) -> None:
        self.rules = rules
        self.ranks = position.ranks
        self.board = new_record(BOARD)
        self.root = np.zeros(4, np.int64)
        load_board(pack(position, rules), self.board, self.root)
        self.board.makes_blocks = 0
        self._state, self._out = new_record(STATE), new_successors(MOST_SUCCESSORS)
        self._steps, self._commits = new_record(STEPS), new_record(COMMITS)

    @property
    def root_key(self) -> Key:
        """The key of the position that was dealt."""
        return _key(self.root)

    def key(self, state: State) -> Key:
        """The key of a position that can be reached, packed here by the drawing in ``packed``, not by a kernel."""
        words = [0, 0, 0]

        def write(card: int, code: int) -> None:
            words[rank_of(card) // 5] |= code << (12 * (rank_of(card) % 5) + 3 * (card & 3))

        for suit, count in enumerate(state[0]):
            for rank in range(count):
                write(4 * rank + suit, packed.CODE_FOUNDED)
        for pile in state[1]:
            for below, card in pairwise((None, *pile)):
                if not is_built(below, card, self.rules, self.ranks):
                    write(card, packed.CODE_BAD)
                else:
                    write(card, packed.CODE_SPACE if below is None else below & 3)
        return words[0], words[1], words[2]

    def state_of(self, key: Key) -> State:
        """The position of a key, as the kernel decodes it."""
        decode(*key, self.board, self._state)
        host, rider, founded = self._state.host, self._state.rider, self._state.founded
        piles: list[tuple[int, ...]] = []
        for card in range(4 * self.ranks):
            if self._state.live >> card & 1 and host[card] == packed.SPACE:
                pile = [card]
                while rider[pile[-1]] >= 0:
                    pile.append(int(rider[pile[-1]]))
                piles.append(tuple(pile))
        empty = [()] * (self.rules.piles - len(piles))
        return tuple(map(int, founded)), tuple(sorted([*piles, *empty])), None

    def encoded(self, key: Key) -> Key:
        """A key, decoded and encoded again."""
        decode(*key, self.board, self._state)
        out = np.zeros(3, np.int64)
        encode(self._state.host, self._state.live, self._state.bad, self.ranks, out)
        return _key(out)

    def levels(self, key: Key, rung: int = 0) -> Levels:
        """The level analysis of a position."""
        decode(*key, self.board, self._state)
        analyze(self.board, self._state, rung)
        state = self._state
        return Levels(
            accessible=members(int(state.accessible)),
            floats=members(int(state.floats)),
            hosts=members(int(state.hosts)),
            fluid=members(int(state.fluid)),
            free=members(int(state.free)),
            spare=int(state.spare),
        )

    def set_of(self, key: Key, field: str) -> frozenset[int]:
        """One of the sets of cards that ``decode`` keeps."""
        decode(*key, self.board, self._state)
        return members(int(self._state[field]))

    def classes(self, keys: Iterable[Key], rung: int = 0) -> list[tuple[Key, int]]:
        """The class of each position, by its key, and the card that settling founds there, or -1."""
        table = np.array(list(keys), np.int64).reshape(-1, 3)
        out = np.zeros((len(table), 4), np.int64)
        _classes(table, rung, self.board, self._state, out)
        return [((a, b, c), card) for a, b, c, card in out.tolist()]

    def skeleton_number(self, founded: tuple[int, ...], left: tuple[int, ...]) -> int:
        """The number of a skeleton: its foundations and the bad bonds left in each dealt pile."""
        pairs = [*zip(founded, self.board.suit_step, strict=True), *zip(left, self.board.pile_step, strict=False)]
        return sum(count * int(step) for count, step in pairs)

    def steps(self, key: Key, skeleton: int = 0, *, settling: bool = True, rung: int = 0) -> list[tuple[Key, int]]:
        """The classes that a class leads to in one step or settling, each with its skeleton.

        Raises OverflowError if there are too many.
        """
        entry = np.array([*key, skeleton], np.int64)
        _steps(entry, settling, rung, self.board, self._state, self._steps, self._commits, self._out)
        count, cut = int(self._out.size.count), int(self._out.size.left_out)
        if cut:
            raise OverflowError
        return [((a, b, c), after) for a, b, c, after in self._out.keys[:count].tolist()]

    def reached(self, *, settling: bool = True, rung: int = 0, most: int = 10**9) -> dict[Key, int] | None:
        """Every class that steps lead to from the dealt position, with its skeleton; None if more than ``most``."""
        ((first, _card),) = self.classes([self.root_key], rung)
        met = {first: int(self.root[3])}
        waiting = [first]
        while waiting:
            key = waiting.pop()
            for after, skeleton in self.steps(key, met[key], settling=settling, rung=rung):
                if after not in met:
                    if len(met) == most:
                        return None
                    met[after] = skeleton
                    waiting.append(after)
        return met


def members(bits: int) -> frozenset[int]:
    """The members of a set that is kept as bits."""
    return frozenset(place for place in range(64) if bits >> place & 1)


def _key(words: np.ndarray) -> Key:
    first, second, third = (int(word) for word in words[:3])
    return first, second, third
