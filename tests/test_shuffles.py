"""Deal numbers to deck orders: against the package that defines them, and the compiled twin."""

from random import Random

import pytest
from pysol_cards.cards import createCards
from pysol_cards.random import shuffle
from pysol_cards.random_base import RandomBase

from solver.cards import DECK, parse_card
from solver.engine.dealing.compiled_shuffles import deck_of, next_words, words_of
from solver.errors import InputError
from solver.shuffles import LARGEST, PYSOL_TWISTER_FROM, shuffled_deck

BORDERS = {
    "ms": (1, 2, 31999, 32000, 32001, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**33 - 1),
    "pysol": (
        *(1, 2, 31999, 32000, 32001, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**32 + 1, 2**33 - 1, 2**33),
        *(2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**64 + 1, 12345678901234567890, 10**20 - 1),
    ),
}
SCHEMES = sorted(BORDERS)


def numbers(scheme: str, count: int) -> list[int]:
    """The borders and random numbers of all lengths."""
    random = Random(count)
    digits = len(str(LARGEST[scheme]))
    drawn = [random.randint(1, min(10 ** random.randint(1, digits), LARGEST[scheme])) for _ in range(count)]
    return [*BORDERS[scheme], *drawn]


def deck_of_pysol_cards(scheme: str, number: int) -> list[int]:
    """The deck that the package deals, its last card first."""
    deals = RandomBase.DEALS_MS if scheme == "ms" else RandomBase.DEALS_PYSOLFC
    deck = shuffle(createCards(1), number, deals)
    texts = ["0A23456789TJQK"[card.rank] + card.suit_s() for card in reversed(deck)]
    return [parse_card(text) for text in texts]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_package_deals_the_same(scheme: str) -> None:
    for number in numbers(scheme, 200):
        if (scheme, number) == ("pysol", PYSOL_TWISTER_FROM):
            continue  # there PySolFC and the package differ; the fixtures hold PySolFC's deal
        assert shuffled_deck(scheme, number) == deck_of_pysol_cards(scheme, number), number


def test_pysol_deals_as_ms_below_32000_and_not_there() -> None:
    assert shuffled_deck("pysol", 31999) == shuffled_deck("ms", 31999)
    assert shuffled_deck("pysol", 32000) != shuffled_deck("ms", 32000)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_compiled_twin_deals_the_same(scheme: str) -> None:
    for number in numbers(scheme, 4000):
        assert deck_of(scheme, number).tolist() == shuffled_deck(scheme, number), number


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_compiled_twin_deals_the_same_on_many_numbers(scheme: str) -> None:
    for number in numbers(scheme, 300_000):
        assert deck_of(scheme, number).tolist() == shuffled_deck(scheme, number), number


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_shuffle_holds_every_card(scheme: str) -> None:
    for number in BORDERS[scheme]:
        assert sorted(shuffled_deck(scheme, number)) == list(range(DECK))


def test_neighbours_of_20_digits_are_different_deals() -> None:
    first = 12345678901234567890
    decks = {tuple(shuffled_deck("pysol", number)) for number in range(first, first + 1000)}
    assert len(decks) == 1000


@pytest.mark.parametrize(
    ("scheme", "number"),
    [("ms", 0), ("ms", -1), ("ms", 2**33), ("pysol", 0), ("pysol", -5), ("pysol", 10**20), ("pysol", 10**30)],
)
def test_a_number_out_of_range_is_refused(scheme: str, number: int) -> None:
    for deal in (shuffled_deck, deck_of):
        with pytest.raises(InputError, match=f"out of range: {scheme} deals are 1 to {LARGEST[scheme]}"):
            deal(scheme, number)


def test_an_unknown_scheme_lists_the_valid_ones() -> None:
    for deal in (shuffled_deck, deck_of):
        with pytest.raises(InputError, match="no scheme 'fc'; there are ms, pysol"):
            deal("fc", 1)


def test_words_of_a_number_carry() -> None:
    for number in (0, 1, 2**32 - 1, 2**32, 2**64 - 1, 2**64, 10**20 - 2):
        assert tuple(next_words(*words_of(number))) == words_of(number + 1)
        low, middle, high = words_of(number)
        assert low + (middle << 32) + (high << 64) == number
