"""The replay of a game, a page of HTML that loads nothing: its cards, its moves, how its verdict came about.

The page's script (``replay.js``) moves cards and knows no rules; every word and every picture is made here.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from solver.cards import RANK_LETTERS, RANK_NAMES, SUIT_LETTERS, SUIT_NAMES, Card, card_name, rank_of, suit_of
from solver.position import FOUNDATION, Move, Position, padded
from solver.referee import replay
from solver.report.templates import render
from solver.rules import TITLES, Rules
from solver.solving import Outcome, Verdict
from solver.version import __version__

_LEFT, _MIDDLE, _RIGHT = 13, 25, 37
_TWO = tuple((_MIDDLE, y) for y in (31, 58))
_FOUR = tuple((x, y) for y in (31, 58) for x in (_LEFT, _RIGHT))
_SIX = (*_FOUR, (_LEFT, 44.5), (_RIGHT, 44.5))
_EIGHT = tuple((x, y) for y in (28, 38.5, 49, 59.5) for x in (_LEFT, _RIGHT))
_CENTRE = ((_MIDDLE, 44.5),)

PIPS: tuple[tuple[tuple[float, float], ...], ...] = (
    (),
    _TWO,
    (*_TWO, *_CENTRE),
    _FOUR,
    (*_FOUR, *_CENTRE),
    _SIX,
    (*_SIX, (_MIDDLE, 37.5)),
    (*_SIX, (_MIDDLE, 37.5), (_MIDDLE, 51.5)),
    (*_EIGHT, *_CENTRE),
    (*_EIGHT, (_MIDDLE, 33), (_MIDDLE, 54.5)),
)
"""Where the suit is printed on the cards from Ace to 10, which are 50 wide and 70 high; an Ace has one large one."""


@dataclass(frozen=True, slots=True)
class Face:
    """A card as it is printed."""

    code: Card
    name: str
    rank: str
    suit: str
    pips: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A pile or a foundation and the cards on it; ``key`` names it in the moves."""

    key: str
    name: str
    cards: list[Face]


@dataclass(frozen=True, slots=True)
class Step:
    """A move: its card, the keys of its places, how the list of moves names these, and the move in words."""

    card: Face
    source: str
    target: str
    source_text: str
    target_text: str
    words: str


def replay_page(position: Position, rules: Rules, outcome: Outcome, name: str) -> str:
    """The page of a position that has been solved; the same outcome makes the same page, to the letter.

    Parameters
    ----------
    position
        What was solved; missing last piles count as empty.
    outcome
        What ``solver.solve`` said of it.
    name
        What the page calls it: the deal, or where the board came from.
    """
    position = padded(position, rules)
    positions = replay(position, rules, outcome.moves or ()).positions
    steps = [_step(before, move) for before, move in zip(positions, outcome.moves or (), strict=False)]
    return render(
        "replay.html",
        name=name,
        game=TITLES.get(rules.variant, rules.variant),
        rules=rules,
        verdict=outcome.verdict.value,
        verdict_text=_verdict_text(outcome),
        explanation=list(_explanation(position, rules, outcome)),
        foundations=[
            Place(letter, name.capitalize(), [_face(4 * rank + suit) for rank in range(position.foundations[suit])])
            for suit, (letter, name) in enumerate(zip(SUIT_LETTERS, SUIT_NAMES, strict=True))
        ],
        piles=[
            Place(str(number), str(number), list(map(_face, pile))) for number, pile in enumerate(position.piles, 1)
        ],
        tallest=max(len(pile) for one in positions for pile in one.piles),
        steps=steps,
        suits=dict(zip(SUIT_LETTERS, SUIT_NAMES, strict=True)),
        version=__version__,
    )


def _face(card: Card) -> Face:
    rank, suit = rank_of(card), suit_of(card)
    letter = RANK_LETTERS[rank].replace("T", "10")
    return Face(card, card_name(card), letter, SUIT_LETTERS[suit], PIPS[rank] if rank < len(PIPS) else ())


def _step(position: Position, move: Move) -> Step:
    face = _face(move.card)
    if move.source == FOUNDATION:
        what, source, leaves = face.name, "F", "its foundation"
    else:
        pile = position.piles[move.source]
        riders = len(pile) - pile.index(move.card) - 1
        what = face.name + (f" and the {riders} on it" if riders else "")
        source, leaves = str(move.source + 1), f"pile {move.source + 1}"
    if move.target == FOUNDATION:
        target, lands = "F", "to its foundation"
    else:
        target = str(move.target + 1)
        host = position.piles[move.target][-1:]
        lands = f"onto the {card_name(host[0])} in pile {target}" if host else f"to the empty pile {target}"
    source_key, target_key = (face.suit if place == "F" else place for place in (source, target))
    return Step(face, source_key, target_key, source, target, f"{what} from {leaves} {lands}")


def _verdict_text(outcome: Outcome) -> str:
    match outcome.verdict:
        case Verdict.WON:
            return f"won in {_count(len(outcome.moves or ()), 'move')}"
        case Verdict.LOST:
            return "lost: no play wins it"
    return "unknown: neither won nor lost is proved"


def _explanation(position: Position, rules: Rules, outcome: Outcome) -> Iterator[str]:
    """How the verdict came about, for people who have not read the pages that it points to; a paragraph each."""
    nodes = _count(outcome.nodes, outcome.node_unit)
    if outcome.node_unit == "class":
        nodes += ", a class being all positions that differ only by shifting cards back and forth"
    match outcome.verdict:
        case Verdict.WON:
            yield "The moves are the proof; an independent referee that uses nothing of the search has replayed them."
            yield f"The search looked at {nodes}. There may be shorter wins."
        case Verdict.LOST:
            if position.is_stuck(rules):
                yield "No move is legal in it at all."
            yield from _proof(outcome, nodes)
        case Verdict.UNKNOWN:
            ends = {
                "nodes": "its budget of nodes was spent; a larger one (--max-nodes) may decide it",
                "memory": "its budget of memory was spent; a larger one (--memory) may decide it",
            }
            yield f"The search ended because {ends.get(outcome.why_unknown or '', 'it was interrupted')}."
            yield f"It had looked at {nodes}."


def _proof(outcome: Outcome, nodes: str) -> Iterator[str]:
    decided = str(outcome.trace.get("decided by", ""))
    if decided == "relaxed game":
        yield (
            "Proved lost in the relaxed game, an easier one: cards that play can shift about lie wherever they are "
            "needed there, and only their number has to fit. Whatever wins the real game wins the relaxed one too; "
            "that was searched to its end, and it cannot be won."
        )
        skeletons = _count(outcome.trace.get("skeletons", 0), "skeleton")
        yield (
            f"The search looked at {skeletons}, a skeleton being which cards are founded and how much of every pile "
            "still lies as dealt."
        )
        yield "Explained in docs/search.md, section 3."
    elif decided.startswith("rung "):
        highest = RANK_NAMES[int(decided.removeprefix("rung ")) - 1]
        yield (
            f"Proved lost on {decided} of the ladder, in an easier game: there, cards from ace to {highest} change "
            "places at will, with all that lies on them, once nothing that was dealt out of order lies above them. "
            "Whatever wins the real game wins that one too; it was searched to its end, and it cannot be won."
        )
        yield f"The search looked at {nodes}."
        yield "Explained in docs/search.md, section 5."
    else:
        page = "docs/search.md, section 4" if outcome.node_unit == "class" else "docs/general.md"
        yield (
            "Proved lost by exact search: every position that play can reach was looked at, but for those that "
            "provably make no difference, and none leads to a win."
        )
        yield f"The search looked at {nodes}."
        yield f"Explained in {page}."


def _count(number: int, noun: str) -> str:
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{number:,} {noun if number == 1 else plural}"
