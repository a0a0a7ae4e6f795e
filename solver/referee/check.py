"""Checks certificates: closed sets that the start belongs to, and move lists. See docs/certificates.md.

The games in which a set can be closed are the plain one (here), the relaxed one (``relaxed``) and that of classes
(``classes``). This module knows how a set is checked, and nothing of what makes up a step.
"""

from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from solver.deals import deal_position
from solver.errors import InputError, check_callable
from solver.notation import board_text, move_text, parse_move
from solver.position import PLAYED_RULES, IllegalMove, Position
from solver.referee.certificate import Certificate, read_certificate
from solver.referee.classes import ClassGame, Levels
from solver.referee.relaxed import RelaxedGame
from solver.referee.table import BadRecord, Board, Skeleton, hosts_of
from solver.rules import unknown_setting

Node = TypeVar("Node")

Progress = Callable[[str, int, int], None]
"""Told before each record what is done with the records (``classes read``, ``classes checked``), with how many it is
done, and of how many."""

MOST_REMEMBERED = 1 << 19
"""Results outside a set of which it is remembered whether they are covered."""


@dataclass(frozen=True, slots=True)
class Check:
    """The answer of ``check_certificate``.

    Attributes
    ----------
    certificate
        What was checked.
    problem
        The first thing found wrong, one line; None if the certificate proves what it says.
    board
        The position in which that is wrong, as board text; None where there is none to show.
    """

    certificate: Certificate
    problem: str | None = None
    board: str | None = None

    @property
    def holds(self) -> bool:
        """Whether the verdict is proved."""
        return self.problem is None

    @property
    def verdict(self) -> str:
        """``won`` or ``lost``, to be trusted if ``holds``."""
        return self.certificate.verdict()

    @property
    def beliefs(self) -> str:
        """What the proof assumes besides the rules of the game; ``nothing``, or assumptions joined by ``;``."""
        counts = self.certificate.counts()
        beliefs = [belief for name, belief in _BELIEFS.items() if counts[name]]
        if beliefs and self.certificate.rules.unit == "supermove":
            beliefs.append("that supermoves can be made card by card")
        return "; ".join(beliefs) or "nothing"


_KNOWN_TO_THEORY: dict[str, Container[str | int | None]] = {
    "piles": range(1, 14),
    "layout": ("castle", "bakers-dozen", "portuguese"),
    "aces": ("first", "in-deck", None),
    "skim": ("no", "yes", None),
    "skim-gap": ("skip", "refill", None),
    "order": ("rows", "columns", None),
    "spaces": ("any", "kings", "none"),
    "unit": ("card", "supermove"),
    "withdrawal": ("no",),
    "auto-found": ("never",),
}
"""Every rule under which classes, rungs and skeletons prove a loss; no other list counts here."""

_BELIEFS = {
    "classes": "that a class has no other steps than those listed (docs/search.md, section 2)",
    "rung-classes": "that a rung has every move of the game, and no other steps than those listed (sections 2 and 5)",
    "skeletons": "that the relaxed game has every move of the game (section 3)",
}


class _Refused(Exception):
    """A certificate does not prove what it says."""

    def __init__(self, problem: str, board: str | None = None) -> None:
        super().__init__(problem)
        self.board = board


class Game(Protocol[Node]):
    """A game in which sets can be closed."""

    def node(self, record: bytes) -> Node:
        """What a record describes."""

    def key(self, node: Node) -> bytes:
        """What is the same for equal nodes alone."""

    def is_won(self, node: Node) -> bool:
        """Whether every card is founded."""

    def safe_foundings(self, node: Node) -> Iterator[Iterator[Node]]:
        """What can come of each step that may be made first, all others left aside."""

    def steps(self, node: Node) -> Iterator[tuple[str, Iterator[Node]]]:
        """Every step: its name, what can come of it."""


class PlainGame:
    """The game itself: positions and legal moves."""

    def __init__(self, board: Board) -> None:
        self.board = board

    def node(self, record: bytes) -> Position:
        """The position of a record."""
        return self.board.position(self.board.hosts(record))

    def key(self, position: Position) -> bytes:
        """What is the same for positions that differ in the order of their piles alone."""
        return bytes(hosts_of(position))

    def is_won(self, position: Position) -> bool:
        """Whether every card is founded."""
        return position.is_won()

    def safe_foundings(self, _position: Position) -> Iterator[Iterator[Position]]:
        """None: no theory is used here."""
        return iter([])

    def steps(self, position: Position) -> Iterator[tuple[str, Iterator[Position]]]:
        """Every legal move, with the automatic ones that follow it."""
        rules = self.board.rules
        for move in position.legal_moves(rules):
            after = position.apply(move, rules)
            while after.uncovered is not None:
                (forced,) = after.legal_moves(rules)
                after = after.apply(forced, rules)
            yield move_text(move), iter([after])


class ClosedSet(Generic[Node]):
    """A section that is to be closed.

    Parameters
    ----------
    name, game, records
        The section's name, the game in which it is to be closed, its records.
    leans_on
        Says whether another section covers a node.
    draw
        The board text of a node.
    progress
        Told how far reading and checking are.
    """

    def __init__(
        self,
        name: str,
        game: Game[Node],
        records: Iterable[bytes],
        draw: Callable[[Node], str | None],
        leans_on: Callable[[Node], bool] = lambda _node: False,
        *,
        progress: Progress,
    ) -> None:
        self.name, self.game, self.draw, self.leans_on = name, game, draw, leans_on
        self.records, self.progress = list(records), progress
        self.keys = {game.key(node) for _, node in self._members("read")}
        self._remembered: dict[bytes, bool] = {}

    def _members(self, done: str) -> Iterator[tuple[int, Node]]:
        for number, record in enumerate(self.records, 1):
            self.progress(f"{self.name} {done}", number - 1, len(self.records))
            try:
                yield number, self.game.node(record)
            except BadRecord as error:
                raise _Refused(f"record {number} of the {self.name}: {error}") from None

    def covers(self, node: Node) -> bool:
        """Whether a node is covered: in the set, covered by another section, or so after a safe founding."""
        key = self.game.key(node)
        if key in self.keys:
            return True
        known = self._remembered.get(key)
        if known is None:
            known = self.leans_on(node) or self._is_safe_to_found(node)
            if len(self._remembered) == MOST_REMEMBERED:
                self._remembered.clear()
            self._remembered[key] = known
        return known

    def _is_safe_to_found(self, node: Node) -> bool:
        """Whether there is a safe founding of which everything that can come is covered."""
        for results in self.game.safe_foundings(node):
            outcomes = list(results)
            if outcomes and all(map(self.covers, outcomes)):
                return True
        return False

    def check(self) -> None:
        """Raise ``_Refused`` unless the set is closed and nothing in it is won."""
        for number, node in self._members("checked"):
            member = f"record {number} of the {self.name}"
            if self.game.is_won(node):
                raise _Refused(f"{member} is won", self.draw(node))
            if self._is_safe_to_found(node):
                continue
            for step, results in self.game.steps(node):
                for result in results:
                    if not self.covers(result):
                        raise _Refused(f"{member}: {step} leads out of the {self.name}", self.draw(node))


def _no_progress(_done: str, _count: int, _total: int) -> None:
    pass


def check_certificate(data: bytes, progress: Progress = _no_progress) -> Check:
    """Check a certificate.

    Parameters
    ----------
    data
        The bytes of its file.
    progress
        Told how far the work is: a million records take most of a day.

    Returns
    -------
    Check
        Whether it proves its verdict, else the first thing that is wrong.

    Raises
    ------
    InputError
        If the file cannot be read as a certificate: it is not one, or it is damaged.

    Examples
    --------
    >>> proof = solver.prove(solver.deal("ms:25", "citadel"), "citadel")
    >>> check = solver.check_certificate(proof.file)
    >>> check.holds, check.verdict
    (True, 'lost')
    """
    check_callable("progress", progress)
    certificate = read_certificate(data)
    try:
        _check(certificate, progress)
    except _Refused as refused:
        return Check(certificate, str(refused), refused.board)
    return Check(certificate)


def _check(certificate: Certificate, progress: Progress) -> None:
    start, rules = certificate.start, certificate.rules
    unknown = unknown_setting(rules, PLAYED_RULES)
    if unknown is not None:
        raise _Refused(f"this checker does not know the rule {unknown}")
    if certificate.deal is not None and start != deal_position(certificate.deal, rules):
        raise _Refused(f"the board is not the deal {certificate.deal} of these rules", board_text(start))
    if certificate.kind == "won":
        _check_win(certificate)
        return
    board = Board(start, rules)
    if certificate.kind == "strict":
        plain = ClosedSet(
            "positions", PlainGame(board), certificate.records("positions"), board_text, progress=progress
        )
        _check_start(plain, start)
        plain.check()
        return
    if unknown_setting(rules, _KNOWN_TO_THEORY) is not None:
        raise _Refused(f"a certificate of kind {certificate.kind} proves nothing under these rules")
    _check_theory(certificate, board, progress)


def _check_win(certificate: Certificate) -> None:
    position = certificate.start
    for number, record in enumerate(certificate.records("moves"), 1):
        line = record.decode("latin-1")
        try:
            position = position.apply(parse_move(line), certificate.rules)
        except IllegalMove as error:
            raise _Refused(f"move {number}, {line}, is illegal: {error}", board_text(position)) from None
        except InputError as error:
            raise InputError(f"move {number} of the certificate: {error}") from None
    if not position.is_won():
        raise _Refused("the moves do not win", board_text(position))


def _check_theory(certificate: Certificate, board: Board, progress: Progress) -> None:
    """Check a certificate of classes, of a rung or of skeletons."""

    def draw(node: Levels) -> str:
        return board_text(board.position(node.hosts))

    def draw_skeleton(skeleton: Skeleton) -> str:
        return f"the skeleton {board.skeleton_record(skeleton).decode()} of\n{board_text(board.start)}"

    records = certificate.records
    skeletons = ClosedSet("skeletons", RelaxedGame(board), records("skeletons"), draw_skeleton, progress=progress)
    rung_game, exact_game = ClassGame(board, certificate.rung), ClassGame(board, 0)

    def skeleton_is_covered(node: Levels) -> bool:
        return bool(skeletons.keys) and skeletons.covers(board.skeleton(node.hosts))

    rung = ClosedSet("rung-classes", rung_game, records("rung-classes"), draw, skeleton_is_covered, progress=progress)

    def rung_or_skeleton_is_covered(node: Levels) -> bool:
        return skeleton_is_covered(node) or (bool(rung.keys) and rung.covers(rung_game.levels(node.hosts)))

    classes = ClosedSet("classes", exact_game, records("classes"), draw, rung_or_skeleton_is_covered, progress=progress)
    start = hosts_of(board.start)
    match certificate.kind:
        case "skeleton":
            _check_start(skeletons, board.skeleton(start))
        case "rung":
            _check_start(rung, rung_game.levels(start))
        case _:
            _check_start(classes, exact_game.levels(start))
    skeletons.check()
    rung.check()
    classes.check()


def _check_start(section: ClosedSet[Node], start: Node) -> None:
    if not section.covers(start):
        raise _Refused(f"the board itself is not among the {section.name}", section.draw(start))
