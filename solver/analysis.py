"""What a player wants to know of a position: its verdict, the verdict of every legal move, and a hint.

Puts ``solving`` to work on a position and on what each of its moves leads to. Knows nothing of files, click or text.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from solver.cards import rank_of
from solver.position import Move, Position, padded
from solver.rules import Rules, as_rules
from solver.solving import DEFAULT_MAX_MEMORY, DEFAULT_MAX_NODES, Outcome, Verdict, solve

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class MoveVerdict:
    """A legal move and what is known of the position that it leads to.

    Attributes
    ----------
    move
        The move; of several empty piles the first stands for all.
    verdict, why_unknown
        As in ``Outcome``.
    moves_to_win
        Length of the shortest win found that begins with this move; None unless won.
    """

    move: Move
    verdict: Verdict
    why_unknown: str | None = None
    moves_to_win: int | None = None


@dataclass(frozen=True, slots=True)
class Analysis:
    """The answer of ``analyze``.

    Attributes
    ----------
    verdict
        Won if the search from here, or from after some move, has won; lost if the one from here, or all of those, have
        proved it lost.
    outcome
        What came of the search from the position itself.
    moves
        Every legal move with its verdict, in the order of ``Position.legal_moves``.
    hint
        The first move of the shortest win found; None unless the position is won and has cards left.
    is_stuck
        Cards are left and no move is legal.
    plays_itself_out
        No card lies on a lower one, so all that are left can be founded one after the other.
    nodes, seconds
        Of all searches together.
    """

    verdict: Verdict
    outcome: Outcome
    moves: tuple[MoveVerdict, ...]
    hint: Move | None
    is_stuck: bool
    plays_itself_out: bool
    nodes: int
    seconds: float

    @property
    def is_dead(self) -> bool:
        """Whether the position is proved lost, stuck or not."""
        return self.verdict is Verdict.LOST

    @property
    def moves_to_win(self) -> int | None:
        """Length of the shortest win found; None unless won."""
        if not self.moves:
            return 0 if self.verdict is Verdict.WON else None
        return min((one.moves_to_win for one in self.moves if one.moves_to_win is not None), default=None)

    @property
    def losing_moves(self) -> tuple[Move, ...]:
        """The moves that lose a won position; none where the position is not won."""
        if self.verdict is not Verdict.WON:
            return ()
        return tuple(one.move for one in self.moves if one.verdict is Verdict.LOST)


def analyze(
    position: Position,
    rules: Rules | str,
    *,
    max_nodes: int = DEFAULT_MAX_NODES,
    max_memory: int = DEFAULT_MAX_MEMORY,
    engine: str = "auto",
    abort: "NDArray[np.uint8] | None" = None,
) -> Analysis:
    """Find the verdict of a position and of every legal move in it.

    Takes what ``solve`` takes and raises what it raises. One search starts from the position and, unless that proves it
    lost, one from after each of its moves. Each of them has the whole budget.

    Examples
    --------
    >>> rules = solver.rules_of("citadel", {"spaces": "none"})
    >>> position = solver.parse_board("Foundations: H-K C-K D-9 S-Q\\nKD JD\\nTD KS\\nQD", rules)
    >>> analysis = solver.analyze(position, rules)
    >>> analysis.verdict.value, solver.move_text(analysis.hint), analysis.moves_to_win
    ('won', 'KS 2 F', 5)
    >>> [solver.move_text(move) for move in analysis.losing_moves]
    ['QD 3 2']
    """
    rules = as_rules(rules)
    outcomes: list[Outcome] = []

    def search(start: Position) -> Outcome:
        found = solve(start, rules, max_nodes=max_nodes, max_memory=max_memory, engine=engine, abort=abort)
        outcomes.append(found)
        return found

    outcome = search(position)
    position = padded(position, rules)
    if outcome.verdict is Verdict.LOST:  # and so is whatever its moves lead to
        moves = tuple(MoveVerdict(move, Verdict.LOST) for move in position.legal_moves(rules))
    else:
        moves = tuple(
            _verdict_of(move, search(position.apply(move, rules)), outcome) for move in position.legal_moves(rules)
        )
    wins = [one for one in moves if one.moves_to_win is not None]
    verdict = outcome.verdict
    if verdict is Verdict.UNKNOWN and wins:
        verdict = Verdict.WON
    elif verdict is Verdict.UNKNOWN and moves and all(one.verdict is Verdict.LOST for one in moves):
        verdict = Verdict.LOST
    return Analysis(
        verdict=verdict,
        outcome=outcome,
        moves=moves,
        hint=min(wins, key=lambda one: one.moves_to_win or 0).move if wins else None,
        is_stuck=position.is_stuck(rules),
        plays_itself_out=_plays_itself_out(position),
        nodes=sum(one.nodes for one in outcomes),
        seconds=sum(one.seconds for one in outcomes),
    )


def _verdict_of(move: Move, after: Outcome, before: Outcome) -> MoveVerdict:
    """A move's verdict: what the search has found after it, or the position's own win where that begins with it."""
    lengths = [] if after.moves is None else [1 + len(after.moves)]
    if before.moves and before.moves[0] == move:
        lengths.append(len(before.moves))
    if lengths:
        return MoveVerdict(move, Verdict.WON, None, min(lengths))
    return MoveVerdict(move, after.verdict, after.why_unknown)


def _plays_itself_out(position: Position) -> bool:
    return all(rank_of(lower) >= rank_of(upper) for pile in position.piles for lower, upper in pairwise(pile))
