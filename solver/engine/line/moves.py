"""The moves being written: a card and what it lands on, and the position after them.

A move here is a card and what it lands on: a card, SPACE or FOUNDED. The position being played is a STATE of which
only ``host``, ``rider``, ``founded`` and the number of piles in use are kept up.
"""

import numpy as np

from solver.engine.classes.board import FOUNDED, NONE, SPACE, STATE
from solver.engine.jit import bare_kernel

MAX_MOVES = 4000
MAX_TRACE = 1 << 16
FARTHEST = 255
"""The largest distance to its goal that ``find_way`` tells apart."""

LINE_OF_MOVES = np.dtype(
    [
        ("moves", np.int64, (MAX_MOVES, 2)),  # cards and what they land on
        (
            "counts",
            [
                ("n_moves", np.int64),
                ("used_piles", np.int64),
                ("failed", np.int64),  # 1 when no way was found
                ("n_steps", np.int64),  # single steps of the whole line
            ],
        ),
        ("piles", np.int64),  # the number of piles
        ("forbidden", np.int64),  # cards that nothing may be moved onto
        ("now", STATE),  # the position after those moves
        ("saved", STATE),  # the position before the step being made
        # The two classes of a step, canonical members
        ("before", STATE),
        ("after", STATE),
        # Classes met on the way from one class of the line to the next: key and skeleton; the place of the one before
        # it and its step's kind, card and target; the places that lead to the goal
        ("trace_keys", np.int64, (MAX_TRACE, 4)),
        ("trace_steps", np.int64, (MAX_TRACE, 4)),
        ("chain", np.int64, MAX_TRACE),
        # The single steps of the whole line: the classes before and after, the kind and the card
        ("step_keys", np.int64, (MAX_MOVES, 6)),
        ("step_kind", np.int64, MAX_MOVES),
        ("step_card", np.int64, MAX_MOVES),
        # Where each card must lie after each step, by its code in a key, so that blocks end as they do; -1: anywhere
        ("wanted", np.int64, (MAX_MOVES, 52)),
        ("due", np.int64, 52),  # the next step that is a card's own; the number of steps where there is none
        # Positions met by `find_way`; the place of the one before, the card moved and what it landed on; the way found
        ("way_keys", np.int64, (MAX_TRACE, 3)),
        ("way_links", np.int64, (MAX_TRACE, 3)),
        ("way_chain", np.int64, MAX_TRACE),
        # The positions that wait there, in a list for each distance to the goal
        ("way_first", np.int64, FARTHEST + 1),
        ("way_next", np.int64, MAX_TRACE),
    ],
    align=True,
)
"""Moves being written, and the scratch for finding them."""


@bare_kernel
def play(line, card, target):
    """Move a bare card and write the move down."""
    host, rider, counts = line.now.host, line.now.rider, line.counts
    full = target == SPACE and counts.used_piles - (host[card] == SPACE) >= line.piles
    if counts.n_moves == MAX_MOVES or rider[card] != NONE or full:
        counts.failed = 1
        return
    line.moves[counts.n_moves, 0] = card
    line.moves[counts.n_moves, 1] = target
    counts.n_moves += 1
    if host[card] == SPACE:
        counts.used_piles -= 1
    else:
        rider[host[card]] = NONE
    host[card] = target
    if target == SPACE:
        counts.used_piles += 1
    elif target == FOUNDED:
        line.now.founded[card & 3] += 1
    else:
        rider[target] = card
