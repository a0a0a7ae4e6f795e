"""The engine for the suit-blind, single-card games: a position in, a verdict and a line of moves out.

Puts the kernels together: ``schedule`` decides, ``realize`` turns a won line of classes into moves, ``trim`` cuts
them. It serves every rule set whose winnability is that of single cards moving, without withdrawal and automatic
founding; supermoves only count the same moves differently.
"""

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np

from solver.engine.classes.board import BOARD, FOUNDED, SPACE, SPACES_ANY, SPACES_CODE, load_board, new_record, pack
from solver.engine.classes.workspace import Workspace, new_workspace
from solver.engine.jit import bare_kernel
from solver.engine.line.realize import LINE_OF_MOVES, realize
from solver.engine.line.trim import SHORTENING, shorten
from solver.engine.quota.schedule import search_deal
from solver.engine.result import LOST, OUT_OF_MEMORY, WON, SearchResult
from solver.errors import InputError
from solver.position import FOUNDATION, Move, Position
from solver.rules import Rules


@dataclass(frozen=True)
class _Desk:
    """What one thread works with, allocated once for a memory budget."""

    max_memory: int
    work: Workspace
    board: Any
    root: np.ndarray
    line: Any
    shortening: Any


_desks = threading.local()


def _desk(max_memory: int) -> _Desk:
    desk: _Desk | None = getattr(_desks, "desk", None)
    if desk is None or desk.max_memory != max_memory:
        _desks.desk = None  # free the old arrays before the new ones are made
        try:
            work = new_workspace(max_memory)
        except MemoryError:
            raise InputError(
                f"this machine does not give a search {max_memory} bytes; take a smaller budget of memory"
            ) from None
        desk = _Desk(
            max_memory,
            work,
            new_record(BOARD),
            np.zeros(4, np.int64),
            new_record(LINE_OF_MOVES),
            new_record(SHORTENING),
        )
        _desks.desk = desk
    return desk


def workspace(max_memory: int) -> Workspace:
    """This thread's workspace for a memory budget, as its last search has left it."""
    return _desk(max_memory).work


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
    desk = _desk(max_memory)
    work = desk.work
    piles, heights = pack(position)
    founded = np.array(position.foundations, np.int64)
    spaces = SPACES_CODE[rules.spaces]
    if abort is None:
        abort = np.zeros(1, np.uint8)
    status = _prove(
        piles,
        heights,
        founded,
        position.ranks,
        rules.piles,
        spaces,
        max_nodes,
        abort,
        desk.board,
        desk.root,
        work,
        desk.line,
        desk.shortening,
    )
    counts = work.counts
    trace: dict[str, Any] = {
        "decided by": _decided_by(status, int(counts.phase_rung), position.ranks),
        "iterations": int(counts.iterations),
        "last quota": int(counts.quota),
        "skeletons": int(work.skeletons.search.counts.n_known),
        "classes": int(counts.nodes),
        "classes pruned by a rung": int(counts.pruned),
        "deepest line": int(counts.deepest),
    }
    moves: tuple[Move, ...] = ()
    if status == WON:
        trace["winning line"] = int(counts.line)
        trace["moves saved"] = int(counts.moves_saved)
        moves = _moves(position, desk.line)
    return SearchResult(int(status), trace["classes"], moves, trace)


@bare_kernel
def _prove(piles, heights, founded, ranks, n_piles, spaces, max_nodes, abort, board, root, work, line, shortening):
    """Everything in one call, as handing over so many arrays costs more than a small search.

    Returns how the search ended; after WON the moves are in ``line``. OUT_OF_MEMORY also where the room for finding the
    moves of a win did not suffice: no win is reported without its moves.
    """
    load_board(piles, heights, founded, ranks, n_piles, spaces, board, root)
    board.makes_blocks = spaces != SPACES_ANY
    status = search_deal(board, root, work, max_nodes, abort)
    if status == WON:
        if not realize(board, root, work, line):
            return OUT_OF_MEMORY
        work.counts.moves_saved = shorten(board, root, line, shortening)
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
