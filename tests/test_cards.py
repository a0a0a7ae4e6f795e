"""Card codes and their text."""

import pytest

from solver.cards import DECK, RANK_LETTERS, SUIT_LETTERS, card_text, make_card, parse_card, rank_of, suit_of


def test_codes_run_by_rank_then_suit() -> None:
    assert [card_text(card) for card in (0, 1, 2, 3, 4, 51)] == ["AH", "AC", "AD", "AS", "2H", "KS"]


def test_rank_and_suit_make_the_card() -> None:
    for card in range(DECK):
        assert make_card(rank_of(card), suit_of(card)) == card
        assert card_text(card) == RANK_LETTERS[rank_of(card)] + SUIT_LETTERS[suit_of(card)]


@pytest.mark.parametrize("symbols", [False, True])
def test_every_card_reads_back(symbols: bool) -> None:
    texts = [card_text(card, symbols) for card in range(DECK)]
    assert len(set(texts)) == DECK
    assert [parse_card(text) for text in texts] == list(range(DECK))
    assert [parse_card(text.lower()) for text in texts] == list(range(DECK))


@pytest.mark.parametrize("text", ["TH", "th", "10H", "10h", "Th", "T♥", "10♥", "t♡", "T♥\ufe0f", "T♥\ufe0e"])
def test_ways_to_write_the_ten_of_hearts(text: str) -> None:
    assert parse_card(text) == make_card(9, 0)


@pytest.mark.parametrize(
    "text", ["", "H", "T", "1H", "11H", "0H", "10", "100H", "H10", "5", "5X", "5SS", "XS", "5 S", "٥S", "\ufe0f"]
)
def test_no_card(text: str) -> None:
    assert parse_card(text) is None
