"""A line of classes with blocks becomes one without: what a block left open is decided by how it ends.

See docs/search.md, section 6.
"""

from solver.engine.classes.board import decode
from solver.engine.classes.commits import take_step
from solver.engine.classes.levels import analyze, held_cards
from solver.engine.jit import bare_kernel


@bare_kernel
def _want(board, line):
    """Look back from the end of the line at where each card must lie after each step, of those that could not move."""
    n = line.counts.n_steps
    after, wanted = line.after, line.wanted
    for i in range(n - 1, -1, -1):
        decode(line.step_keys[i, 3], line.step_keys[i, 4], line.step_keys[i, 5], board, after)
        analyze(board, after, 0)
        fixed = held_cards(after) & ~after.bottom
        for card in range(52):
            wanted[i, card] = -1
            if fixed >> card & 1:
                if i < n - 1 and after.blocked >> card & 1:
                    wanted[i, card] = wanted[i + 1, card]
                else:
                    wanted[i, card] = after.host[card] & 3


@bare_kernel
def choose_arrangements(board, work, line):
    """Put one class without blocks in the place of each class of the line. Returns False if the steps forbid it.

    A block stands for all arrangements of its cards. Which one it was is decided by how it ends. So the steps are
    made once more with commits, and a result is taken that has every card where the rest of the line wants it.
    """
    pending, state = work.pending, work.state
    _want(board, line)
    board.makes_blocks = 0
    for i in range(line.counts.n_steps):
        if i > 0:
            for word in range(3):
                line.step_keys[i, word] = line.step_keys[i - 1, 3 + word]
        decode(line.step_keys[i, 0], line.step_keys[i, 1], line.step_keys[i, 2], board, state)
        analyze(board, state, 0)
        pending.size.count = 0
        pending.size.left_out = 0
        pending.size.limit = len(pending.keys)
        take_step(board, state, 0, 0, line.step_kind[i], line.step_card[i], 0, work.commits, pending)
        chosen = -1
        for j in range(pending.size.count):
            decode(pending.keys[j, 0], pending.keys[j, 1], pending.keys[j, 2], board, work.child)
            fits = True
            for card in range(4 * board.ranks):
                if line.wanted[i, card] >= 0 and work.child.host[card] & 3 != line.wanted[i, card]:
                    fits = False
            if fits:
                chosen = j
                break
        if chosen < 0:
            return False
        for word in range(3):
            line.step_keys[i, 3 + word] = pending.keys[chosen, word]
    return True
