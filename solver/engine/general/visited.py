"""A set of exact three-word keys: open addressing, nothing dropped, nothing hashed away.

Knows nothing of what the keys mean. A table is an int64 array of shape (size, 3);
a row whose first word is 0 is empty, so no key may have a first word of 0. A table is never filled beyond
``FULL``; the caller grows it before.
"""

import numpy as np

from solver.engine.jit import kernel

FULL = 0.6
"""Share of rows in use from which a table wants to grow; linear probing gets slow from about there."""


@kernel
def find(table: np.ndarray, first: int, second: int, third: int) -> int:
    """The row that holds a key, or ``-1 - row`` with the empty row where it would go."""
    size = table.shape[0]
    mixed = first * 0x1E3779B97F4A7C15 ^ second * 0x42B2AE3D27D4EB4F ^ third * 0x165667B19E3779F9
    mixed = (mixed ^ (mixed >> 29 & 0x7FFFFFFFF)) * 0x3F58476D1CE4E5B9
    row: int = (mixed >> 32 & 0xFFFFFFFF) * size >> 32
    while table[row, 0] != 0:
        if table[row, 0] == first and table[row, 1] == second and table[row, 2] == third:
            return row
        row += 1
        if row == size:
            row = 0
    return -1 - row


@kernel
def copy_into(old: np.ndarray, new: np.ndarray) -> None:
    """Enter all keys of a table, or of a part of its rows, into a larger table that has none of them yet.

    A key's row grows with its hash in tables of every size, so both tables are walked from end to end.
    """
    for row in range(old.shape[0]):
        if old[row, 0] != 0:
            at = -1 - find(new, old[row, 0], old[row, 1], old[row, 2])
            new[at, 0] = old[row, 0]
            new[at, 1] = old[row, 1]
            new[at, 2] = old[row, 2]
