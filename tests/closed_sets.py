"""A slow, obvious producer of certificates: everything that the checker's own steps reach from the board."""

from collections.abc import Callable, Iterable
from typing import Any

from solver.deals import DealId
from solver.position import Position
from solver.referee import Certificate
from solver.referee.check import PlainGame
from solver.referee.classes import ClassGame, Levels
from solver.referee.relaxed import RelaxedGame
from solver.referee.table import Board, Skeleton, hosts_of
from solver.rules import Rules


class NotLost(Exception):
    """The board, or what was given up for lost, is not lost in this game, or takes too many records to prove so."""


def closed_set(game: Any, starts: Iterable[Any], most: int, is_lost: Callable[[Any], bool] = lambda _: False) -> dict:
    """What ``starts`` lead to, by keys: settled first, and not beyond what is known to be lost."""
    members: dict[bytes, Any] = {}
    waiting = list(starts)
    while waiting:
        node = waiting.pop()
        safe = next(game.safe_foundings(node), None)
        if game.key(node) in members or is_lost(node):
            continue
        if game.is_won(node) or len(members) == most:
            raise NotLost
        if safe is not None:
            waiting.append(next(safe))  # what comes of a safe founding is won or lost all together
            continue
        members[game.key(node)] = node
        waiting += [after for _, results in game.steps(node) for after in results]
    return members


def certificate(
    kind: str, start: Position, rules: Rules, *, rung: int = 0, most: int = 20_000, deal: DealId | None = None
) -> Certificate:
    """A certificate that the start is lost. Raises NotLost if this kind, leaning on this rung, proves nothing."""
    board = Board(start, rules)
    if kind == "strict":
        game = PlainGame(board)
        positions = closed_set(game, [start], most)
        return _certificate(kind, start, rules, deal, 0, positions=_records(board, map(hosts_of, positions.values())))
    relaxed = Relaxed(board, most)
    if kind == "skeleton":
        relaxed.lost_from(board.skeleton(hosts_of(start)))
        return _certificate(kind, start, rules, deal, 0, skeletons=relaxed.records())
    on_rung = Rung(board, rung, relaxed, most)
    if kind == "rung":
        on_rung.lost_from(on_rung.game.levels(hosts_of(start)))
        if not on_rung.members:
            raise NotLost  # its skeleton alone proves it
        records = {"rung_classes": on_rung.records(), "skeletons": relaxed.records()}
        return _certificate(kind, start, rules, deal, rung, **records)
    exact = ClassGame(board, 0)
    is_lost = on_rung.is_lost if rung else relaxed.is_lost
    classes = closed_set(exact, [exact.levels(hosts_of(start))], most, is_lost)
    if not classes:
        raise NotLost
    records = {
        "classes": _records(board, (node.hosts for node in classes.values())),
        "rung_classes": on_rung.records(),
        "skeletons": relaxed.records(),
    }
    return _certificate(kind, start, rules, deal, rung if on_rung.members else 0, **records)


class Relaxed:
    """The lost skeletons that were asked for so far."""

    def __init__(self, board: Board, most: int) -> None:
        self.board, self.game, self.most = board, RelaxedGame(board), most
        self.members: dict[bytes, Skeleton] = {}

    def lost_from(self, skeleton: Skeleton) -> None:
        self.members |= closed_set(self.game, [skeleton], self.most)

    def is_lost(self, node: Levels) -> bool:
        try:
            self.lost_from(self.board.skeleton(node.hosts))
        except NotLost:
            return False
        return True

    def records(self) -> bytes:
        return b"".join(sorted(self.board.skeleton_record(skeleton) + b"\n" for skeleton in self.members.values()))


class Rung:
    """The lost classes of a rung that were asked for so far."""

    def __init__(self, board: Board, rung: int, relaxed: Relaxed, most: int) -> None:
        self.board, self.game, self.relaxed, self.most = board, ClassGame(board, rung), relaxed, most
        self.members: dict[bytes, Levels] = {}

    def lost_from(self, node: Levels) -> None:
        self.members |= closed_set(self.game, [node], self.most, self.relaxed.is_lost)

    def is_lost(self, node: Levels) -> bool:
        try:
            self.lost_from(self.game.levels(node.hosts))
        except NotLost:
            return False
        return True

    def records(self) -> bytes:
        return _records(self.board, (node.hosts for node in self.members.values()))


def _records(board: Board, positions: Iterable[list[int]]) -> bytes:
    return b"".join(sorted(board.record(hosts) + b"\n" for hosts in positions))


def _certificate(
    kind: str, start: Position, rules: Rules, deal: DealId | None, rung: int, **sections: bytes
) -> Certificate:
    named = {name.replace("_", "-"): section for name, section in sections.items()}
    return Certificate(kind, rules, start, deal, rung, named)
