"""The shuffles, compiled: the twin of ``solver.shuffles`` for batches. Knows nothing of games.

``pysol`` numbers from 32000 on are shuffled by the Mersenne Twister of M. Matsumoto and T. Nishimura
(ACM Transactions on Modeling and Computer Simulation 8, 1998, 3-30), seeded by an array as in the authors'
version of 2002. Python's ``random.Random(number)`` seeds it with the number's 32-bit words, lowest first, and
``random()`` makes 53 bits of two draws. A number has up to 67 bits here, so it travels as three such words.

All arithmetic is in int64: every product of the recipe stays below 2^63, and the compiled kernels compute
the same as when they run as plain Python.
"""

import numpy as np

from solver.cards import DECK
from solver.engine.jit import kernel
from solver.shuffles import MS_DECK, PYSOL_DECK, PYSOL_TWISTER_FROM, check_number

_WORD = 0xFFFFFFFF

# The constants of MT19937, in the words of the paper: n, m, a, the upper and the lower mask.
_N = 624
_M = 397
_A = 0x9908B0DF
_UPPER = 0x80000000
_LOWER = 0x7FFFFFFF


def _state_before_the_key() -> np.ndarray:
    """The state that seeding by an array starts from: the generator seeded with 19650218."""
    state = [19650218]
    for index in range(1, _N):
        state.append((1812433253 * (state[-1] ^ state[-1] >> 30) + index) & _WORD)
    return np.array(state, dtype=np.int64)


_BEFORE_KEY = _state_before_the_key()
_MS_DECK = np.array(MS_DECK, dtype=np.int8)
_PYSOL_DECK = np.array(PYSOL_DECK, dtype=np.int8)


def words_of(number: int) -> tuple[int, int, int]:
    """The 32-bit words of a deal number, lowest first."""
    return number & _WORD, number >> 32 & _WORD, number >> 64


def deck_of(scheme: str, number: int) -> np.ndarray:
    """The deck in the order in which its cards are dealt, int8[52]; as ``solver.shuffles.shuffled_deck``.

    Raises
    ------
    InputError
        For an unknown scheme or a number out of its range.
    """
    check_number(scheme, number)
    deck = np.empty(DECK, dtype=np.int8)
    shuffle(scheme == "ms", *words_of(number), deck)
    return deck


@kernel
def next_words(low: int, middle: int, high: int) -> tuple[int, int, int]:
    """The words of the number after the one given in words."""
    if low < _WORD:
        return low + 1, middle, high
    if middle < _WORD:
        return 0, middle + 1, high
    return 0, 0, high + 1


@kernel
def shuffle(ms: bool, low: int, middle: int, high: int, deck: np.ndarray) -> None:
    """Fill ``deck`` (int8[52]) with the deal of a number given in words: an ``ms`` or a ``pysol`` one."""
    if ms or (high == 0 and middle == 0 and low < PYSOL_TWISTER_FROM):
        shuffle_ms(middle << 32 | low, deck)
    else:
        shuffle_twister(low, middle, high, deck)


@kernel
def shuffle_ms(number: int, deck: np.ndarray) -> None:
    """Fill ``deck`` (int8[52]) with the ``ms`` deal of a number."""
    deck[:] = _MS_DECK
    state = number if number < 1 << 32 else number - (1 << 32)
    for last in range(DECK - 1, 0, -1):
        state = (state * 214013 + 2531011) & ((1 << 33) - 1)
        if number < 1 << 31:
            draw = state >> 16 & 0x7FFF
        elif number < 1 << 32:
            draw = state >> 16 & 0x7FFF | 0x8000
        else:
            draw = (state >> 16 & 0xFFFF) + 1
        other = draw % (last + 1)
        deck[last], deck[other] = deck[other], deck[last]
    _reverse(deck)


@kernel
def shuffle_twister(low: int, middle: int, high: int, deck: np.ndarray) -> None:
    """Fill ``deck`` (int8[52]) with the deal that the Mersenne Twister makes of a number's words.

    A shuffle takes 102 draws. Draw ``i`` needs the words ``i``, ``i + 1`` and ``i + 397`` of the seeded state
    alone, so the state is never renewed as a whole.
    """
    deck[:] = _PYSOL_DECK
    state = _seeded(low, middle, high)
    draw = 0
    for last in range(DECK - 1, 0, -1):
        upper = _draw(state, draw) >> 5
        lower = _draw(state, draw + 1) >> 6
        draw += 2
        fraction = (upper * 67108864.0 + lower) / 9007199254740992.0  # 27 and 26 bits, over 2^53
        other = int(fraction * (last + 1))
        deck[last], deck[other] = deck[other], deck[last]
    _reverse(deck)


@kernel
def _seeded(low: int, middle: int, high: int) -> np.ndarray:
    """The state after seeding by the array of a number's words, those above the highest set one left out."""
    state = _BEFORE_KEY.copy()
    key = np.array([low, middle, high])
    length = 3 if high else (2 if middle else 1)
    previous = state[0]
    place = 0
    for index in range(1, _N):
        previous = (state[index] ^ (previous ^ previous >> 30) * 1664525) + key[place] + place & _WORD
        state[index] = previous
        place = place + 1 if place + 1 < length else 0
    # Each round runs through all words, word 623 standing for word 0 as well: this one ends at word 1, the
    # next begins at word 2 and ends at word 1.
    previous = (state[1] ^ (previous ^ previous >> 30) * 1664525) + key[place] + place & _WORD
    state[1] = previous
    for index in range(2, _N):
        previous = (state[index] ^ (previous ^ previous >> 30) * 1566083941) - index & _WORD
        state[index] = previous
    state[1] = (state[1] ^ (previous ^ previous >> 30) * 1566083941) - 1 & _WORD
    state[0] = _UPPER
    return state


@kernel
def _draw(state: np.ndarray, index: int) -> int:
    """The draw of a number, from 0 to 226, after seeding: one step of the recurrence, tempered."""
    joined = state[index] & _UPPER | state[index + 1] & _LOWER
    word: int = state[index + _M] ^ joined >> 1
    if joined & 1:
        word ^= _A
    word ^= word >> 11
    word ^= word << 7 & 0x9D2C5680
    word ^= word << 15 & 0xEFC60000
    return word ^ word >> 18


@kernel
def _reverse(deck: np.ndarray) -> None:
    """Both schemes deal the shuffled deck from its end."""
    for place in range(DECK // 2):
        deck[place], deck[DECK - 1 - place] = deck[DECK - 1 - place], deck[place]
