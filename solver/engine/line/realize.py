"""From a line of classes to moves: real single-card moves that lead from each class of a won line to the next.

See docs/search.md, section 6. The ideas have a file each; this one puts them together.
"""

from solver.engine.bits import popcount
from solver.engine.classes.board import FOUNDED, NONE, copy_play, decode
from solver.engine.classes.levels import analyze, classify
from solver.engine.jit import bare_kernel
from solver.engine.line.arrange import arrange_step
from solver.engine.line.blocks import choose_arrangements
from solver.engine.line.find_way import find_way
from solver.engine.line.moves import MAX_TRACE, play
from solver.engine.line.relocations import cut_relocations
from solver.engine.line.trace import collect_steps


@bare_kernel
def _play_steps(board, work, line):
    """Play the line's steps one after the other."""
    keys, counts = line.step_keys, line.counts
    for i in range(counts.n_steps):
        for card in range(52):
            line.due[card] = counts.n_steps
        for later in range(counts.n_steps - 1, i - 1, -1):
            line.due[line.step_card[later]] = later
        decode(keys[i, 0], keys[i, 1], keys[i, 2], board, line.before)
        analyze(board, line.before, 0)
        decode(keys[i, 3], keys[i, 4], keys[i, 5], board, line.after)
        analyze(board, line.after, 0)
        n_moves, used = counts.n_moves, counts.used_piles
        copy_play(line.now, line.saved)
        if not arrange_step(board, line, line.step_kind[i], line.step_card[i]):
            copy_play(line.saved, line.now)
            counts.n_moves = n_moves
            counts.used_piles = used
            counts.failed = 0
            if not find_way(board, work, line, line.step_card[i], keys[i, :3], keys[i, 3:]):
                return False
    return True


@bare_kernel
def realize(board, root, work, line):
    """Write the moves of the line of classes that ``search_deal`` found. Returns False if some step resisted."""
    counts = work.counts
    ranks = board.ranks
    line.counts.n_moves = 0
    line.counts.failed = 0
    line.piles = board.piles
    decode(root[0], root[1], root[2], board, line.now)
    line.counts.used_piles = popcount(line.now.bottom)
    bits = 11
    while 1 << bits < 2 * MAX_TRACE and 2 << bits <= len(work.table):
        bits += 1
    counts.table_bits = bits
    line.counts.n_steps = 0
    cut_relocations(board, work, line)
    classify(root[0], root[1], root[2], board, 0, line.before)
    first = line.trace_keys[0]  # where the first trace begins
    for word in range(3):
        first[word] = line.before.key[word]
    first[3] = root[3]
    if not collect_steps(board, work, line, first, work.path[0], False):
        return False
    for i in range(counts.line - 1):
        if not collect_steps(board, work, line, work.path[i], work.path[i + 1], True):
            return False
    if board.makes_blocks and not choose_arrangements(board, work, line):
        return False
    if not _play_steps(board, work, line):
        return False
    # No card lies on a lower one: found them all, lowest first.
    founded = line.now.founded
    for rank in range(ranks):
        for _ in range(4):
            for suit in range(4):
                if founded[suit] == rank and line.now.rider[4 * rank + suit] == NONE:
                    play(line, 4 * rank + suit, FOUNDED)
    return line.counts.failed == 0 and founded[0] + founded[1] + founded[2] + founded[3] == 4 * ranks
