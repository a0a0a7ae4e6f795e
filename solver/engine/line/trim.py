"""Shorter lines: moves that were not needed are dropped, and detours between positions of a line are cut.

Works on the moves that ``realize`` has written. A change is kept only if all moves after it are still legal and win.
"""

import numpy as np

from solver.engine.bits import popcount
from solver.engine.classes.board import FOUNDED, NONE, SPACE, STATE, copy_play, decode, encode_hosts, space_takes
from solver.engine.jit import bare_kernel
from solver.engine.line.moves import MAX_MOVES

MAX_PASSES = 8
WINDOW = 60
"""How far ahead of a position a shortcut is looked for."""
EVERY_THIRD = 0o111111111111111111111
"""One bit of each card of a key."""
MAX_DIFFERENT = 4
"""Cards that may lie differently in two positions between which a shortcut is looked for."""


SHORTENING = np.dtype(
    [
        # Two positions, each with its piles in use
        ("at", STATE),
        ("at_piles", np.int64, 1),
        ("trial", STATE),
        ("trial_piles", np.int64, 1),
        ("keys", np.int64, (MAX_MOVES + 1, 3)),  # of the positions along the line
        ("trial_moves", np.int64, (MAX_MOVES, 2)),  # moves that may take the place of the line's last ones
        # Cards that lie differently in two positions, and where they go
        ("cards", np.int64, MAX_DIFFERENT + 1),
        ("after", np.int64, MAX_DIFFERENT + 1),
    ],
    align=True,
)
"""Scratch of ``shorten``."""


@bare_kernel
def _start(board, root, state, piles):
    decode(root[0], root[1], root[2], board, state)
    piles[0] = 0
    for card in range(4 * board.ranks):
        if state.host[card] == SPACE:
            piles[0] += 1


@bare_kernel
def _copy(source, source_piles, target, target_piles):
    copy_play(source, target)
    target_piles[0] = source_piles[0]


@bare_kernel
def step(board, state, piles, card, target):
    """Play a move if it is legal: 1 if it was, 0 if not, 2 if the card lies there already."""
    host, rider = state.host, state.rider
    if host[card] == target:
        return 2
    if host[card] == FOUNDED or rider[card] != NONE:
        return 0
    if target == FOUNDED:
        if state.founded[card & 3] != card >> 2:
            return 0
    elif target == SPACE:
        if not space_takes(board, card) or piles[0] >= board.piles:
            return 0
    elif host[target] == FOUNDED or rider[target] != NONE:
        return 0
    if host[card] == SPACE:
        piles[0] -= 1
    else:
        rider[host[card]] = NONE
    host[card] = target
    if target == FOUNDED:
        state.founded[card & 3] += 1
    elif target == SPACE:
        piles[0] += 1
    else:
        rider[target] = card
    return 1


@bare_kernel
def _rest_wins(board, line, scratch, first, skipped):
    """Whether the moves from ``first`` on, without ``skipped``, are legal from ``scratch.trial`` and win.

    A card whose host is taken goes to another of the same rank. Moves that have become idle are left out; those that
    are played are in ``scratch.trial_moves``. Returns their number, -1 if some move is illegal.
    """
    n = 0
    for i in range(first, line.counts.n_moves):
        if i == skipped:
            continue
        card, target = line.moves[i, 0], line.moves[i, 1]
        played = step(board, scratch.trial, scratch.trial_piles, card, target)
        if played == 0 and target < SPACE:
            for other in range(target & ~3, (target & ~3) + 4):
                if played == 0 and other != target:
                    target = other
                    played = step(board, scratch.trial, scratch.trial_piles, card, target)
        if played == 0:
            return -1
        if played == 1:
            scratch.trial_moves[n, 0] = card
            scratch.trial_moves[n, 1] = target
            n += 1
    founded = scratch.trial.founded
    return n if founded[0] + founded[1] + founded[2] + founded[3] == 4 * board.ranks else -1


@bare_kernel
def _take(line, scratch, at, n):
    """Put the ``n`` trial moves in place of the line's moves from ``at`` on."""
    for i in range(n):
        line.moves[at + i, 0] = scratch.trial_moves[i, 0]
        line.moves[at + i, 1] = scratch.trial_moves[i, 1]
    line.counts.n_moves = at + n


@bare_kernel
def _drop_moves(board, root, line, scratch):
    """Leave out each move that can be, and let a card go at once where it goes later. Returns the moves saved."""
    before = line.counts.n_moves
    _start(board, root, scratch.at, scratch.at_piles)
    i = 0
    while i < line.counts.n_moves:
        card, target = line.moves[i, 0], line.moves[i, 1]
        if target != FOUNDED:
            _copy(scratch.at, scratch.at_piles, scratch.trial, scratch.trial_piles)
            n = _rest_wins(board, line, scratch, i + 1, -1)
            if n >= 0:
                _take(line, scratch, i, n)
                continue
            later = i + 1
            while line.moves[later, 0] != card:
                later += 1
            then = line.moves[later, 1]
            _copy(scratch.at, scratch.at_piles, scratch.trial, scratch.trial_piles)
            if step(board, scratch.trial, scratch.trial_piles, card, then) == 1:
                n = _rest_wins(board, line, scratch, i + 1, later)
                if n >= 0:
                    line.moves[i, 1] = then
                    _take(line, scratch, i + 1, n)
                    target = then
            if target == line.moves[i, 1] and target < SPACE:
                for other in range(target & ~3, (target & ~3) + 4):
                    if other == target:
                        continue
                    _copy(scratch.at, scratch.at_piles, scratch.trial, scratch.trial_piles)
                    if step(board, scratch.trial, scratch.trial_piles, card, other) != 1:
                        continue
                    n = _rest_wins(board, line, scratch, i + 1, -1)
                    if n >= 0 and i + 1 + n < line.counts.n_moves:
                        line.moves[i, 1] = other
                        _take(line, scratch, i + 1, n)
                        target = other
                        break
        step(board, scratch.at, scratch.at_piles, card, target)
        i += 1
    return before - line.counts.n_moves


@bare_kernel
def _different(a, b, cards):
    """Number of cards that lie differently in two keys, MAX_DIFFERENT + 1 standing for more; they go into ``cards``."""
    n = 0
    for word in range(3):
        x = a[word] ^ b[word]
        n += popcount((x | x >> 1 | x >> 2) & EVERY_THIRD)
    if n > MAX_DIFFERENT:
        return MAX_DIFFERENT + 1
    n = 0
    for word in range(3):
        x = a[word] ^ b[word]
        place = 0
        while x:
            if x & 7:
                cards[n] = 20 * word + place
                n += 1
            x >>= 3
            place += 1
    return n


@bare_kernel
def _cut_detours(board, root, line, scratch):
    """Go straight from one position of the line to a later one where fewer moves do it. Returns the moves saved."""
    before = line.counts.n_moves
    at, keys, cards, after = scratch.at, scratch.keys, scratch.cards, scratch.after
    n = before
    _start(board, root, at, scratch.at_piles)
    for i in range(n + 1):
        encode_hosts(board, at.host, keys[i])
        if i < n:
            step(board, at, scratch.at_piles, line.moves[i, 0], line.moves[i, 1])
    _start(board, root, at, scratch.at_piles)
    i = 0
    while i < line.counts.n_moves:
        n = line.counts.n_moves
        for j in range(min(n, i + WINDOW), i + 1, -1):
            m = _different(keys[i], keys[j], cards)
            if m > MAX_DIFFERENT or m >= j - i:
                continue
            # Each of those cards goes straight to where it lies at j, in whatever order is legal.
            for k in range(m):
                after[k] = NONE
            for k in range(i, j):
                for q in range(m):
                    if cards[q] == line.moves[k, 0]:
                        after[q] = line.moves[k, 1]
            _copy(at, scratch.at_piles, scratch.trial, scratch.trial_piles)
            done = 0
            progress = True
            while progress and done < m:
                progress = False
                for q in range(m):
                    if after[q] != NONE and step(board, scratch.trial, scratch.trial_piles, cards[q], after[q]) == 1:
                        scratch.trial_moves[done, 0] = cards[q]
                        scratch.trial_moves[done, 1] = after[q]
                        after[q] = NONE
                        done += 1
                        progress = True
            if done == m:
                for k in range(m):
                    line.moves[i + k, 0] = scratch.trial_moves[k, 0]
                    line.moves[i + k, 1] = scratch.trial_moves[k, 1]
                saved = j - i - m
                for k in range(j, n):
                    line.moves[k - saved, 0] = line.moves[k, 0]
                    line.moves[k - saved, 1] = line.moves[k, 1]
                for k in range(j, n + 1):
                    for word in range(3):
                        keys[k - saved, word] = keys[k, word]
                line.counts.n_moves = n - saved
                # The positions between are new; walk over them without looking for shortcuts from inside.
                for _ in range(m - 1):
                    step(board, at, scratch.at_piles, line.moves[i, 0], line.moves[i, 1])
                    i += 1
                break
        if i < line.counts.n_moves:
            step(board, at, scratch.at_piles, line.moves[i, 0], line.moves[i, 1])
        i += 1
    return before - line.counts.n_moves


@bare_kernel
def shorten(board, root, line, scratch):
    """Shorten a winning line in place; returns the number of moves saved."""
    before = line.counts.n_moves
    for _ in range(MAX_PASSES):
        saved = _cut_detours(board, root, line, scratch)
        saved += _drop_moves(board, root, line, scratch)
        if saved == 0:
            break
    while _cut_detours(board, root, line, scratch):  # so that no position comes twice, however the passes ended
        pass
    return before - line.counts.n_moves
