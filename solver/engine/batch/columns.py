"""What a batch of searches comes to: arrays with one value a deal. Knows nothing of searching."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

REFUSED = 20
"""Beside the words of ``result``: a win whose line the compiled referee refuses, which is a fault of the engine."""

MOST_MOVES = 4000
"""More moves than a line has."""


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Results of ``n`` deals, in the order of the deals.

    Attributes
    ----------
    status
        int8[n], the words of ``result``, or REFUSED.
    nodes, skeletons
        int64[n]: classes opened; skeletons met.
    moves
        int32[n]: moves of the win, 0 unless won.
    seconds
        float64[n]: wall-clock time of the search and of making the moves.
    first_move
        int64[n + 1]: the moves of deal ``i`` are ``lines[first_move[i] : first_move[i + 1]]``.
    lines
        int16[m], packed moves as in ``replaying.compiled_replay``; empty where none were asked for.
    faults
        What the engine failed on, in words, for some of the deals that are REFUSED.
    """

    status: NDArray[np.int8]
    nodes: NDArray[np.int64]
    skeletons: NDArray[np.int64]
    moves: NDArray[np.int32]
    seconds: NDArray[np.float64]
    first_move: NDArray[np.int64]
    lines: NDArray[np.int16]
    faults: dict[int, str] = field(default_factory=dict)


def new_columns(deals: int, with_lines: bool) -> Columns:
    """Room for so many deals; with lines, for some MOST_MOVES more moves than deals have on the average."""
    return Columns(
        np.zeros(deals, np.int8),
        np.zeros(deals, np.int64),
        np.zeros(deals, np.int64),
        np.zeros(deals, np.int32),
        np.zeros(deals, np.float64),
        np.zeros(deals + 1, np.int64),
        np.zeros(128 * deals + MOST_MOVES if with_lines else MOST_MOVES, np.int16),
    )
