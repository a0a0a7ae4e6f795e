"""A slow, obvious producer of certificates: everything that the checker's own steps reach from the board."""

from collections.abc import Callable, Iterable
from typing import Any

from solver.deals import DealId
from solver.position import Position
from solver.referee import Certificate
from solver.referee.check import PlainGame
from solver.referee.classes import ClassGame, Levels
from solver.referee.relaxed import RelaxedGame
from solver.referee.table import Board, Hosts, hosts_of
from solver.rules import Rules


class NotLost(Exception):
    """A game can be won, or takes too many records to say; or the kind of certificate asked for is not needed."""


def never(_node: Any) -> bool:
    """Nothing is known to be lost."""
    return False


def reached(
    game: Any, start: Any, most: int, is_lost: Callable[[Any], bool] = never, *, despite_wins: bool = False
) -> dict[bytes, Any]:
    """What a node leads to, by keys, but for what is won.

    Safe foundings are followed, and nothing is gone into that is known to be lost. Raises NotLost if something is won,
    unless it is asked for all the same, and if there is more than ``most``.
    """
    met: dict[bytes, Any] = {}
    waiting = [start]
    while waiting:
        node = waiting.pop()
        if game.key(node) in met or is_lost(node):
            continue
        if game.is_won(node):
            if despite_wins:
                continue
            raise NotLost
        safe = next(game.safe_foundings(node), None)
        if safe is not None:
            waiting += safe
            continue
        if len(met) == most:
            raise NotLost
        met[game.key(node)] = node
        waiting += [after for _, results in game.steps(node) for after in results]
    return met


class Lost:
    """What was proved lost in a game, as far as it was asked for."""

    def __init__(self, game: Any, most: int, is_lost: Callable[[Any], bool] = never) -> None:
        self.game, self.most, self.is_known_lost = game, most, is_lost
        self.members: dict[bytes, Any] = {}
        self.verdicts: dict[bytes, bool] = {}

    def prove(self, start: Any) -> None:
        """Gather a closed set around a node, or raise NotLost."""
        self.members |= reached(self.game, start, self.most, self.is_known_lost)

    def is_lost(self, node: Any) -> bool:
        """Whether a node is lost."""
        key = self.game.key(node)
        if key not in self.verdicts:
            try:
                self.prove(node)
                self.verdicts[key] = True
            except NotLost:
                self.verdicts[key] = False
        return self.verdicts[key]


def certificate(
    kind: str, start: Position, rules: Rules, *, rung: int = 0, most: int = 20_000, deal: DealId | None = None
) -> Certificate:
    """A certificate that the start is lost.

    A class certificate leans on a rung if one is given. Raises NotLost if there is no certificate of this kind, or if
    nothing but what it would lean on is needed.
    """
    board = Board(start, rules)
    hosts = hosts_of(start)
    skeletons = Lost(RelaxedGame(board), most)

    def skeleton_is_lost(node: Levels) -> bool:
        return skeletons.is_lost(board.skeleton(node.hosts))

    classes_of_rung = Lost(ClassGame(board, rung), most, skeleton_is_lost)

    def image_is_lost(node: Levels) -> bool:
        return classes_of_rung.is_lost(classes_of_rung.game.levels(node.hosts))

    classes = Lost(ClassGame(board, 0), most, image_is_lost if rung else skeleton_is_lost)
    positions = Lost(PlainGame(board), most)
    main: Lost
    match kind:
        case "strict":
            main = positions
            main.prove(start)
        case "skeleton":
            main = skeletons
            main.prove(board.skeleton(hosts))
        case "rung":
            main = classes_of_rung
            main.prove(main.game.levels(hosts))
        case _:
            main = classes
            main.prove(main.game.levels(hosts))
    if not main.members:
        raise NotLost
    sections = {
        "skeletons": section(map(board.skeleton_record, skeletons.members.values())),
        "rung-classes": section(board.record(node.hosts) for node in classes_of_rung.members.values()),
        "classes": section(board.record(node.hosts) for node in classes.members.values()),
        "positions": section(board.record(hosts_of(position)) for position in positions.members.values()),
    }
    return Certificate(kind, rules, start, deal, rung if classes_of_rung.members else 0, sections)


def everything(kind: str, start: Position, rules: Rules, rung: int = 0, most: int = 20_000) -> Certificate:
    """What looks like a certificate of a board that can be won: everything that is reached, but for what is won.

    Raises NotLost if that is too much.
    """
    board = Board(start, rules)
    hosts: Hosts = hosts_of(start)
    match kind:
        case "strict":
            met = reached(PlainGame(board), start, most, despite_wins=True)
            records = [board.record(hosts_of(position)) for position in met.values()]
        case "skeleton":
            met = reached(RelaxedGame(board), board.skeleton(hosts), most, despite_wins=True)
            records = [*map(board.skeleton_record, met.values())]
        case _:
            game = ClassGame(board, rung)
            met = reached(game, game.levels(hosts), most, despite_wins=True)
            records = [board.record(node.hosts) for node in met.values()]
    empty = Certificate(kind, rules, start, None, rung)
    return Certificate(kind, rules, start, None, rung, {empty.main_section(): section(records)})


def section(records: Iterable[bytes]) -> bytes:
    """A section that holds these records, in order."""
    return b"".join(sorted(record + b"\n" for record in {*records}))
