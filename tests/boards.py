"""What the tests share: boards drawn as text, rule sets, the boards and counts in ``data``."""

from pathlib import Path

from hypothesis import strategies as st

from solver.cards import SUIT_LETTERS, SUITS, parse_card, rank_of, suit_of
from solver.deals import DealId, parse_deal
from solver.notation import parse_board
from solver.position import Move, Position
from solver.rules import CHOICES, DEAL_SWITCHES, VARIANTS, Rules, rules_of

DATA = Path(__file__).parent / "data"
LONG_DEAL = DealId("pysol", 1008283)
"""A deal of Penelope's Web that neither engine decides within half a minute, whatever its budget: an interrupt finds
it unfinished. What a test interrupts must take that long, or a faster engine is done before the signal comes."""

FIXTURES = sorted((DATA / "boards").glob("*/*.board"))


def fixture_of(path: Path) -> tuple[DealId, Rules]:
    """The deal and the rule set that a fixture's path names."""
    name = path.stem
    deal = parse_deal("ms:" + name.removeprefix("ms") if name.startswith("ms") else name)
    return deal, rules_of(path.parent.name.replace("_", "-"))


def small_rules(piles: int, **switches: str) -> Rules:
    """The rules of a small game: single cards, spaces for any card, unless switched."""
    return Rules("small", piles=piles, **switches)


def draw(text: str, rules: Rules, ranks: int = 13) -> Position:
    """A whole board, drawn as text."""
    return parse_board(text, rules, ranks=ranks)


def sketch(*piles: str, founded: str = "", ranks: int = 13) -> Position:
    """A position of just the cards that matter: ``sketch("8S 7H", "9D", "", founded="H-3")``."""
    counts = [0] * SUITS
    for word in founded.split():
        counts[SUIT_LETTERS.index(word[0])] = rank_of(card(word[2:] + word[0])) + 1
    hearts, clubs, diamonds, spades = counts
    return Position((hearts, clubs, diamonds, spades), tuple(map(cards, piles)), ranks)


def card(text: str) -> int:
    """The card that a text names."""
    found = parse_card(text)
    assert found is not None, text
    return found


def cards(text: str) -> tuple[int, ...]:
    """The cards that a text names."""
    return tuple(map(card, text.split()))


def canonical(position: Position, move: Move) -> Move:
    """The move with the first empty pile for whichever it goes to."""
    spaces = position.spaces()
    return move._replace(target=spaces[0]) if move.target in spaces else move


def switches(names: tuple[str, ...]) -> st.SearchStrategy[dict[str, str]]:
    """Values for some rule switches."""
    return st.fixed_dictionaries({name: st.sampled_from(CHOICES[name]) for name in names})


PLAY_SWITCHES = tuple(name for name in CHOICES if name not in DEAL_SWITCHES)


@st.composite
def any_rules(draw: st.DrawFn) -> Rules:
    """Every rule set that can be written: a variant with any switches that apply to it."""
    variant = draw(st.sampled_from(sorted(VARIANTS)))
    castle = VARIANTS[variant].layout == "castle"
    return rules_of(variant, draw(switches(tuple(CHOICES) if castle else PLAY_SWITCHES)))


@st.composite
def positions(draw: st.DrawFn, ranks: int, piles: int) -> Position:
    """A position of a whole deck with any cards founded and piles of any heights, empty ones anywhere."""
    counts = [draw(st.integers(0, ranks)) for _ in range(SUITS)]
    left = [code for code in range(SUITS * ranks) if rank_of(code) >= counts[suit_of(code)]]
    left = draw(st.permutations(left))
    cuts = sorted(draw(st.lists(st.integers(0, len(left)), min_size=piles - 1, max_size=piles - 1)))
    edges = [0, *cuts, len(left)]
    hearts, clubs, diamonds, spades = counts
    tableau = tuple(tuple(left[edges[pile] : edges[pile + 1]]) for pile in range(piles))
    return Position((hearts, clubs, diamonds, spades), tableau, ranks)


@st.composite
def games(draw: st.DrawFn) -> tuple[Position, Rules]:
    """A small position some moves into its game, and rules to play it by."""
    ranks, piles = draw(st.integers(2, 4)), draw(st.integers(2, 5))
    rules = small_rules(piles, **{k.replace("-", "_"): v for k, v in draw(switches(PLAY_SWITCHES)).items()})
    position = draw(positions(ranks, piles))
    for _ in range(draw(st.integers(0, 6))):
        moves = list(position.legal_moves(rules))
        if not moves:
            break
        position = position.apply(draw(st.sampled_from(moves)), rules)
    return position, rules
