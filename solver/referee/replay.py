"""Replaying a move list on a board."""

from collections.abc import Iterable
from dataclasses import dataclass

from solver.errors import InputError, check_kind
from solver.position import PLAYED_RULES, IllegalMove, Move, Position, check_move, check_shape
from solver.rules import Rules, as_rules, unknown_setting


@dataclass(frozen=True, slots=True)
class Replay:
    """The answer of ``replay``.

    Attributes
    ----------
    positions
        The positions passed through, the first one included; they end where the first illegal move was met.
    problem
        Why the move after the last position is illegal; None if all moves were legal.
    """

    positions: tuple[Position, ...]
    problem: str | None

    @property
    def wins(self) -> bool:
        """Whether every move was legal and the last position is won."""
        return self.problem is None and self.positions[-1].is_won()

    @property
    def played(self) -> int:
        """Number of legal moves played."""
        return len(self.positions) - 1

    @property
    def repeats(self) -> bool:
        """Whether some position, the order of its piles left aside, is met twice."""
        met = {position.arrangement() for position in self.positions}
        return len(met) < len(self.positions)


def replay(position: Position, rules: Rules | str, moves: Iterable[Move]) -> Replay:
    """Play moves one after the other until the list ends or a move is illegal.

    Parameters
    ----------
    position
        Where the game starts.
    rules
        A rule set, or a variant's name.
    moves
        The moves, as ``parse_moves`` reads them.

    Returns
    -------
    Replay
        ``positions`` that were reached, ``problem`` of the first illegal move (None if there is none), ``wins``,
        ``played`` and ``repeats``.

    Raises
    ------
    InputError
        For arguments of a wrong kind, an unknown variant, or a rule that the referee does not know.

    Examples
    --------
    >>> position = solver.parse_board("Foundations: H-K C-K D-K S-J\\nQS\\nKS", "citadel")
    >>> solver.replay(position, "citadel", solver.parse_moves("QS 1 F\\nKS 2 F")).wins
    True
    """
    rules = as_rules(rules)
    unknown = unknown_setting(rules, PLAYED_RULES)
    if unknown is not None:
        raise InputError(f"the referee does not know the rule {unknown}")
    check_shape(position)
    check_kind("moves", moves, Iterable)
    positions = [position]
    for number, move in enumerate(moves):
        check_move(f"moves[{number}]", move)
        try:
            positions.append(positions[-1].apply(move, rules))
        except IllegalMove as error:
            return Replay(tuple(positions), str(error))
    return Replay(tuple(positions), None)
