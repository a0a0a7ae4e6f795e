"""The quota search of many packed deals in one call: searched, turned into moves, replayed. Kernels only but the front.

A line is replayed by a referee that shares nothing with the search, on the deal as it was packed before the search saw
it. A win that the referee refuses is REFUSED, never won.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver.engine.batch.clock import now
from solver.engine.batch.columns import MOST_MOVES, REFUSED, Columns
from solver.engine.classes.board import DEAL, FOUNDED, SPACE, SPACES_CODE, load_board, new_record
from solver.engine.dealing.compiled_deals import PackedDeals
from solver.engine.jit import bare_kernel
from solver.engine.line.realize import realize
from solver.engine.line.trim import shorten
from solver.engine.quota.bench import Bench
from solver.engine.quota.bench import bench as bench_of
from solver.engine.quota.schedule import search_deal
from solver.engine.replaying.compiled_replay import FOUNDATIONS, game_of, is_won, new_table, play_line
from solver.engine.result import ABORTED, OUT_OF_MEMORY, RUNNING, WON
from solver.rules import Rules


@bare_kernel
def search_packed(
    piles,
    heights,
    founded,
    first,
    last,
    game,
    deal,
    max_nodes,
    shorten_wins,
    keep,
    bench,
    table,
    status,
    nodes,
    skeletons,
    moves,
    seconds,
    first_move,
    lines,
    abort,
):
    """Search deals ``first`` to ``last - 1`` of a batch, and write what each comes to into its row of the columns.

    Parameters
    ----------
    piles, heights, founded
        The deals: int8[n, 13, 52], int8[n, 13], int8[n, 4].
    game, deal, bench, table
        GAME; DEAL, with ranks, number of piles and spaces set; this thread's Bench; TABLE, scratch.
    max_nodes, shorten_wins, keep
        The node budget of each deal; whether its moves are made fewer, and whether they are kept.
    status ... lines
        The columns.
    abort
        uint8[1]; raised, the deals not begun are ABORTED too.

    Returns
    -------
    int
        The first deal that was not searched: ``last``, or the one for whose moves there is no room.
    """
    board, root, work, line = bench.board, bench.root, bench.work, bench.line
    for index in range(first, last):
        at = first_move[index]
        if at + MOST_MOVES > len(lines):
            return index
        begun = now()
        _unpack(piles[index], heights[index], founded[index], deal)
        load_board(deal, board, root)
        end = ABORTED if abort[0] else search_deal(board, root, work, max_nodes, abort)
        n = 0
        if end == WON:
            if realize(board, root, work, line):
                if shorten_wins:
                    shorten(board, root, line, bench.shortening)
                n = line.counts.n_moves
                _number_piles(piles[index], heights[index], line, lines, at)
                played = play_line(piles[index], heights[index], founded[index], game, lines, at, at + n, table)
                if played < n or not is_won(game, table):
                    end = REFUSED
            else:
                end = OUT_OF_MEMORY
        status[index] = end
        nodes[index] = work.counts.nodes
        skeletons[index] = work.skeletons.search.counts.n_known
        moves[index] = n if end == WON else 0
        first_move[index + 1] = at + n if keep and end == WON else at
        seconds[index] = now() - begun
    return last


@bare_kernel
def _unpack(piles, heights, founded, deal):
    """Fill a DEAL with one packed deal."""
    for suit in range(4):
        deal.founded[suit] = founded[suit]
    for pile in range(13):
        deal.heights[pile] = heights[pile]
        for place in range(heights[pile]):
            deal.piles[pile, place] = piles[pile, place]


@bare_kernel
def _number_piles(piles, heights, line, lines, at):
    """Write the moves of a line from ``at`` on, with numbers of piles in place of the cards that they go to.

    Uses ``line.due`` for the pile of each card, and ``line.way_first`` for the heights of the piles.
    """
    pile_of, left = line.due, line.way_first
    for pile in range(13):
        left[pile] = heights[pile]
        for place in range(heights[pile]):
            pile_of[piles[pile, place]] = pile
    for i in range(line.counts.n_moves):
        card, target = line.moves[i, 0], line.moves[i, 1]
        source = pile_of[card]
        left[source] -= 1
        if target == FOUNDED:
            number = FOUNDATIONS
        else:
            number = 0
            if target == SPACE:
                while left[number] or number == source:
                    number += 1
            else:
                number = pile_of[target]
            left[number] += 1
            pile_of[card] = number
        lines[at + i] = card | source << 6 | number << 10


class QuotaBatch:
    """What one thread searches batches of one rule set with.

    Parameters
    ----------
    rules
        A rule set that the quota engine serves.
    ranks
        Ranks of the deck.
    max_nodes, max_memory
        Budget of each deal: classes, bytes.
    shorten_wins, keep
        Whether the moves of wins are made fewer, at most a millisecond a win, and whether they are kept.

    Raises
    ------
    InputError
        If the machine does not have so much memory, or a referee does not know the rules.
    """

    def __init__(
        self, rules: Rules, ranks: int, max_nodes: int, max_memory: int, shorten_wins: bool, keep: bool
    ) -> None:
        self._bench: Bench = bench_of(max_memory)
        self._game, self._table = game_of(rules, ranks), new_table()
        self._deal: Any = new_record(DEAL)
        self._deal.ranks, self._deal.n_piles, self._deal.spaces = ranks, rules.piles, SPACES_CODE[rules.spaces]
        self._max_nodes, self._shorten_wins, self._keep = max_nodes, shorten_wins, keep

    def search(self, deals: PackedDeals, first: int, last: int, columns: Columns, abort: NDArray[np.uint8]) -> int:
        """Search some deals; returns the first one for whose moves there was no room, ``last`` if there is none."""
        columns.status[first:last] = RUNNING
        reached: int = search_packed(
            deals.piles,
            deals.heights,
            deals.founded,
            first,
            last,
            self._game,
            self._deal,
            self._max_nodes,
            self._shorten_wins,
            self._keep,
            self._bench,
            self._table,
            columns.status,
            columns.nodes,
            columns.skeletons,
            columns.moves,
            columns.seconds,
            columns.first_move,
            columns.lines,
            abort,
        )
        return reached
