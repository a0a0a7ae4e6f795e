"""The engine for the suit-blind, single-card games: a position in, a verdict and a line of moves out.

Puts the kernels together: ``schedule`` decides, ``realize`` turns a won line of classes into moves, ``trim`` cuts
them. It serves every rule set whose winnability is that of single cards moving, without withdrawal and automatic
founding; supermoves only count the same moves differently.
"""

from typing import Any

import numpy as np

from solver.engine.classes.board import FOUNDED, SPACE, fields_of, load_board, pack
from solver.engine.jit import bare_kernel
from solver.engine.line.realize import realize
from solver.engine.line.trim import shorten
from solver.engine.quota.bench import bench as bench_of
from solver.engine.quota.schedule import search_deal
from solver.engine.result import LOST, OUT_OF_MEMORY, WON, SearchResult
from solver.position import FOUNDATION, Move, Position
from solver.rules import Rules


def search(
    position: Position, rules: Rules, *, max_nodes: int, max_memory: int, abort: np.ndarray | None = None
) -> SearchResult:
    """Prove a position won or lost.

    Parameters
    ----------
    position
        A position without problems.
    max_nodes
        Classes that may be opened, rungs included.
    max_memory
        Bytes for the tables; allocated once a thread and kept for its next search.
    abort
        uint8[1]; another thread ends the search by setting it to 1.

    Raises
    ------
    InputError
        If the machine does not have so much memory.
    """
    bench = bench_of(max_memory)
    if abort is None:
        abort = np.zeros(1, np.uint8)
    status = _prove(pack(position, rules), max_nodes, abort, bench)
    counts = fields_of(bench.work.counts)
    trace: dict[str, Any] = {
        "decided by": _decided_by(status, counts["phase_rung"], position.ranks),
        "iterations": counts["iterations"],
        "last quota": counts["quota"],
        "skeletons": fields_of(bench.work.skeletons.search.counts)["n_known"],
        "classes": counts["nodes"],
        "classes pruned by a rung": counts["pruned"],
        "deepest line": counts["deepest"],
    }
    moves: tuple[Move, ...] = ()
    if status == WON:
        trace["winning line"] = counts["line"]
        trace["moves saved"] = counts["moves_saved"]
        moves = _moves(position, bench.line)
    return SearchResult(int(status), trace["classes"], moves, trace)


@bare_kernel
def _prove(deal, max_nodes, abort, bench):
    """Everything in one call, as handing over a bench's many arrays costs more than a small search.

    ``deal`` is a DEAL, ``abort`` uint8[1], ``bench`` a Bench. Returns how the search ended; after WON the moves are in
    ``bench.line``. OUT_OF_MEMORY also where the room for finding the moves of a win did not suffice: no win is reported
    without its moves.
    """
    board, root, work, line = bench.board, bench.root, bench.work, bench.line
    load_board(deal, board, root)
    status = search_deal(board, root, work, max_nodes, abort)
    if status == WON:
        if not realize(board, root, work, line):
            return OUT_OF_MEMORY
        work.counts.moves_saved = shorten(board, root, line, bench.shortening)
    return status


def _decided_by(status: int, rung: int, ranks: int) -> str:
    if status not in (WON, LOST):
        return "nothing"
    if rung == 0:
        return "exact search"
    return "relaxed game" if rung == ranks else f"rung {rung}"


def _moves(position: Position, line: Any) -> tuple[Move, ...]:
    """The line with the numbers of the piles."""
    piles = [list(pile) for pile in position.piles]
    pile_of = {card: number for number, pile in enumerate(piles) for card in pile}
    moves = []
    for card, target in line.moves[: line.counts.n_moves].tolist():
        source = pile_of[card]
        if target == FOUNDED:
            number = FOUNDATION
        else:
            number = piles.index([]) if target == SPACE else pile_of[target]
            piles[number].append(card)
            pile_of[card] = number
        piles[source].remove(card)
        moves.append(Move(card, source, number))
    return tuple(moves)
