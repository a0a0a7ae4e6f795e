"""Deals: the fixtures, every deal switch, and the compiled twin."""

from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest
from boards import FIXTURES, any_rules, cards, fixture_of, switches
from hypothesis import given, settings
from hypothesis import strategies as st
from pysol_cards.cards import CardRenderer
from pysol_cards.deal_game import Game
from pysol_cards.random_base import RandomBase

from solver.cards import DECK, SUITS, rank_of, suit_of
from solver.deals import DealId, deal_position, parse_deal, parse_deals, position_of_deck
from solver.engine.dealing.compiled_deals import EMPTY, deal_batch, deal_deck, deal_packed, rule_code
from solver.errors import InputError
from solver.notation import board_text, parse_board
from solver.position import Position
from solver.rules import CHOICES, DEAL_SWITCHES, VARIANTS, Rules, rules_of
from solver.shuffles import LARGEST

DECKS = st.permutations(range(DECK))
DEAL_RULES = switches(DEAL_SWITCHES).map(lambda changes: rules_of("citadel", changes))
ALL_DEAL_RULES = [
    rules_of("citadel", dict(zip(DEAL_SWITCHES, values, strict=True)))
    for values in product(*(CHOICES[switch] for switch in DEAL_SWITCHES))
]


def tilted_deck(random: Random) -> list[int]:
    """A deck in which low cards come early, so that much is skimmed: more than chance would."""
    tilt = random.choice((0, 4, 16, 64))
    return sorted(range(DECK), key=lambda card: card * tilt / 16 + random.uniform(0, DECK))


TILTED_DECKS = st.randoms(use_true_random=False).map(tilted_deck)


# --- The fixtures and the reference package


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_fixture_is_dealt_to_the_byte_and_read_back(path: Path) -> None:
    deal, rules = fixture_of(path)
    text = path.read_bytes().decode("ascii")
    position = deal_position(deal, rules)
    assert board_text(position) == text
    assert parse_board(text, rules) == position
    assert position.problems(rules) == []


def test_there_are_fixtures_of_every_variant() -> None:
    assert len(FIXTURES) >= 108
    assert {fixture_of(path)[1].variant for path in FIXTURES} == set(VARIANTS)


@pytest.mark.parametrize("variant", ["citadel", "beleaguered-castle", "streets-and-alleys", "bakers-dozen"])
@pytest.mark.parametrize("scheme", ["ms", "pysol"])
def test_the_package_writes_the_same_boards(variant: str, scheme: str) -> None:
    deals = RandomBase.DEALS_MS if scheme == "ms" else RandomBase.DEALS_PYSOLFC
    random = Random(52)
    for _ in range(50):
        number = random.randint(32001, LARGEST[scheme])
        game = Game(variant.replace("-", "_"), number, deals)
        text = game.calc_layout_string(CardRenderer(print_ts=True))
        assert board_text(deal_position(DealId(scheme, number), rules_of(variant))) == text, number


# --- Deal names


def test_a_bare_number_is_pysol() -> None:
    assert parse_deal("617") == DealId("pysol", 617)
    assert parse_deal("ms:24") == parse_deal("MS:024") == DealId("ms", 24)
    assert str(parse_deal("12345678901234567890")) == "pysol:12345678901234567890"


def test_ranges() -> None:
    deals = parse_deals("ms:9-11")
    assert [str(deal) for deal in deals] == ["ms:9", "ms:10", "ms:11"]
    assert (deals.count, str(deals), str(parse_deals("5-5"))) == (3, "ms:9-11", "pysol:5")
    assert parse_deals("1-99999999999999999999").count == 10**20 - 1


@pytest.mark.parametrize(
    "token",
    [
        *("", "ms", "ms:", ":5", "0", "-1", "1-", "5-4", "1-2-3", "1.5", "1e3", " 5", "٥", "fc:5", "0-5"),
        *("ms:0", "ms:8589934592", "ms:1-8589934592", "100000000000000000000", "9" * 5000),
    ],
)
def test_no_deal(token: str) -> None:
    with pytest.raises(InputError) as error:
        parse_deals(token)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 200


def test_one_deal_is_not_a_range() -> None:
    with pytest.raises(InputError, match="names 2 deals, one is wanted"):
        parse_deal("1-2")


# --- Decks worked by hand

ASCENDING = [*range(DECK)]  # AH AC AD AS 2H ... KS
DESCENDING = ASCENDING[::-1]  # KS KD KC KH QS ... AH


def begins(text: str) -> list[int]:
    """A deck that begins with some cards and goes on with the others from the Kings down."""
    return [*cards(text), *(card for card in DESCENDING if card not in cards(text))]


def dealt(deck: list[int], **changes: str) -> list[str]:
    """The lines of the board that Citadel with some switches changed deals from a deck."""
    rules = rules_of("citadel", {name.replace("_", "-"): value for name, value in changes.items()})
    return board_text(position_of_deck(deck, rules)).splitlines()


def test_a_deck_in_founding_order_is_won_by_skimming() -> None:
    won = ["Foundations: H-K C-K D-K S-K"] + [":"] * 8
    for aces, gap, order in product(CHOICES["aces"], CHOICES["skim-gap"], CHOICES["order"]):
        assert dealt(ASCENDING, aces=aces, skim_gap=gap, order=order) == won


def test_a_card_on_the_table_is_not_looked_at_again_during_the_deal() -> None:
    # The four Twos come last and are skimmed; the Threes on the piles stay.
    assert dealt(DESCENDING) == [
        "Foundations: H-2 C-2 D-2 S-2",
        *("KS JS 9S 7S 5S 3S", "KD JD 9D 7D 5D 3D", "KC JC 9C 7C 5C 3C", "KH JH 9H 7H 5H 3H"),
        *("QS TS 8S 6S 4S", "QD TD 8D 6D 4D", "QC TC 8C 6C 4C", "QH TH 8H 6H 4H"),
    ]


def test_by_columns() -> None:
    assert dealt(DESCENDING, order="columns") == [
        "Foundations: H-2 C-2 D-2 S-2",
        *("KS KD KC KH QS QD", "QC QH JS JD JC JH", "TS TD TC TH 9S 9D", "9C 9H 8S 8D 8C 8H"),
        *("7S 7D 7C 7H 6S 6D", "6C 6H 5S 5D 5C 5H", "4S 4D 4C 4H 3S 3D", "3C 3H"),
    ]


def test_aces_in_the_deal_without_skimming_give_seven_to_the_first_four() -> None:
    assert dealt(DESCENDING, aces="in-deck", skim="no") == [
        *("KS JS 9S 7S 5S 3S AS", "KD JD 9D 7D 5D 3D AD", "KC JC 9C 7C 5C 3C AC", "KH JH 9H 7H 5H 3H AH"),
        *("QS TS 8S 6S 4S 2S", "QD TD 8D 6D 4D 2D", "QC TC 8C 6C 4C 2C", "QH TH 8H 6H 4H 2H"),
    ]
    columns = dealt(DESCENDING, aces="in-deck", skim="no", order="columns")
    assert columns[0] == "KS KD KC KH QS QD QC"
    assert [len(line.split()) for line in columns] == [7, 7, 7, 7, 6, 6, 6, 6]


def test_a_skimmed_card_uses_up_its_turn_or_the_next_card_takes_its_place() -> None:
    deck = begins("AS 2S 3D 2D 3S")  # 2S up, 3D down, 2D up, 3S up; near the end 4S, 2C and 2H go up
    assert dealt(deck, skim_gap="skip") == [
        "Foundations: H-2 C-2 D-2 S-4",
        *("QS TS 8S 6S", "3D QD TD 8D 6D 4D", "QC TC 8C 6C 4C", "QH TH 8H 6H 4H"),
        *("KS JS 9S 7S 5S 3C", "KD JD 9D 7D 5D 3H", "KC JC 9C 7C 5C", "KH JH 9H 7H 5H"),
    ]
    assert dealt(deck, skim_gap="refill") == [
        "Foundations: H-2 C-2 D-2 S-4",
        *("3D QH TH 8H 6H 3C", "KS JS 9S 7S 5S 3H", "KD JD 9D 7D 5D", "KC JC 9C 7C 5C"),
        *("KH JH 9H 7H 5H", "QS TS 8S 6S 4D", "QD TD 8D 6D 4C", "QC TC 8C 6C 4H"),
    ]


def test_an_ace_met_in_the_deal_goes_up() -> None:
    deck = begins("AS KS AD 2S KD")
    skip = dealt(deck, aces="in-deck", skim_gap="skip")
    assert [line[:2] for line in skip[1:]] == ["QD", "KS", "QH", "JS", "KD", "KC", "KH", "QS"]
    refill = dealt(deck, aces="in-deck", skim_gap="refill")
    assert [line[:2] for line in refill[1:]] == ["KS", "KD", "KC", "KH", "QS", "QD", "QC", "QH"]


def test_columns_with_gaps() -> None:
    deck = begins("AS 2S 3D 2D")  # with the Aces out: 2S up, 3D down, 2D up
    assert dealt(deck, order="columns", skim_gap="skip")[1:3] == ["3D KS KD KC", "KH QS QD QC QH JS"]
    assert dealt(deck, order="columns", skim_gap="refill")[1:3] == ["3D KS KD KC KH QS", "QD QC QH JS JD JC"]


def test_bakers_dozen_puts_kings_down_and_portuguese_solitaire_does_not() -> None:
    # Reversed, the descending deck is AH AC AD AS 2H ...: by rows to thirteen piles.
    bakers = board_text(position_of_deck(DESCENDING, rules_of("bakers-dozen"))).splitlines()
    assert bakers[:3] == ["AH 4C 7D TS", "AC 4D 7S JH", "AD 4S 8H JC"]
    assert bakers[8:] == ["3H 6C 9D QS", "KH 6D 9S 3C", "KC 6S TH 3D", "KD 7H TC 3S", "KS 7C TD 4H"]
    portuguese = board_text(position_of_deck(ASCENDING, rules_of("portuguese-solitaire"))).splitlines()
    assert portuguese[9:] == ["3C 6D 9S KH", "3D 6S TH KC", "3S 7H TC KD", "4H 7C TD KS"]


def test_two_kings_of_a_pile_go_down_one_after_the_other() -> None:
    by_rows = list(ASCENDING)
    for place, king in zip((13, 39), cards("KH KC"), strict=True):  # pile 1, second card and top card
        old = by_rows.index(king)
        by_rows[place], by_rows[old] = by_rows[old], by_rows[place]
    position = position_of_deck(by_rows[::-1], rules_of("bakers-dozen"))
    assert position.piles[0] == cards("KH KC 7D AH")


# --- Laws of every deal


@given(DECKS | TILTED_DECKS, any_rules())
def test_every_card_is_dealt_once(deck: list[int], rules: Rules) -> None:
    assert position_of_deck(deck, rules).problems(rules) == []


@given(DECKS | TILTED_DECKS, DEAL_RULES)
def test_no_pile_is_higher_than_its_turns(deck: list[int], rules: Rules) -> None:
    most = [6] * 8 if rules.aces == "first" else [7] * 4 + [6] * 4
    heights = [len(pile) for pile in position_of_deck(deck, rules).piles]
    assert all(height <= limit for height, limit in zip(heights, most, strict=True))
    if rules.skim == "no":
        assert heights == most


@given(DECKS | TILTED_DECKS, DEAL_RULES)
def test_what_is_skimmed_depends_on_the_deck_and_the_aces_alone(deck: list[int], rules: Rules) -> None:
    founded = [rules.aces == "first"] * SUITS
    for card in deck:
        if rules.skim == "yes" and founded[suit_of(card)] == rank_of(card):
            founded[suit_of(card)] += 1
    assert position_of_deck(deck, rules).foundations == tuple(founded)


@given(DECKS | TILTED_DECKS, DEAL_RULES)
def test_cards_lie_in_the_order_dealt_at_the_places_of_their_turns(deck: list[int], rules: Rules) -> None:
    """With ``skip`` a card's turn is its number among the cards dealt; with ``refill`` among those laid down."""
    position = position_of_deck(deck, rules)
    dealt_cards = [card for card in deck if rules.aces == "in-deck" or rank_of(card) > 0]
    laid = [card for card in dealt_cards if rank_of(card) >= position.foundations[suit_of(card)]]
    turns = laid if rules.skim_gap == "refill" else dealt_cards
    total = len(dealt_cards)
    if rules.order == "rows":
        parts = [turns[pile::8] for pile in range(8)]
    else:
        ends = np.cumsum([(total - pile + 7) // 8 for pile in range(8)])
        parts = [turns[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]
    assert position.piles == tuple(tuple(card for card in part if card in laid) for part in parts)


@given(DECKS | TILTED_DECKS)
def test_exiled_kings_and_penelopes_web_have_the_deals_of_their_parents(deck: list[int]) -> None:
    for child, parent in (("exiled-kings", "citadel"), ("penelopes-web", "streets-and-alleys")):
        assert position_of_deck(deck, rules_of(child)) == position_of_deck(deck, rules_of(parent))


@given(DECKS)
def test_bakers_dozen_is_thirteen_fours_with_the_kings_at_the_bottom(deck: list[int]) -> None:
    plain = position_of_deck(deck[::-1], rules_of("portuguese-solitaire"))
    sunk = position_of_deck(deck, rules_of("bakers-dozen"))
    for before, after in zip(plain.piles, sunk.piles, strict=True):
        kings = [rank_of(card) == 12 for card in after]
        assert sorted(before) == sorted(after)
        assert len(after) == 4
        assert kings == sorted(kings, reverse=True)


# --- The rule sets that the sources describe


@given(DECKS | TILTED_DECKS)
def test_exiled_kings_after_the_pysol_tradition(deck: list[int]) -> None:
    for order in CHOICES["order"]:
        rules = rules_of("exiled-kings", {"order": order})
        assert rules.text() == (
            f"aces=first skim=yes skim-gap=skip order={order} spaces=kings unit=card withdrawal=no auto-found=never"
        )
        position = position_of_deck(deck, rules)
        skimmed = sum(position.foundations) - SUITS
        assert max(map(len, position.piles)) <= 6
        assert sum(6 - len(pile) for pile in position.piles) == skimmed


@given(DECKS | TILTED_DECKS)
def test_citadel_with_aces_met_in_the_deal_is_at_most_six_deep(deck: list[int]) -> None:
    position = position_of_deck(deck, rules_of("citadel", {"aces": "in-deck", "skim-gap": "refill"}))
    laid = DECK - sum(position.foundations)
    assert laid <= 48
    assert [len(pile) for pile in position.piles] == [(laid - pile + 7) // 8 for pile in range(8)]


@given(DECKS | TILTED_DECKS)
def test_citadel_with_aces_met_in_the_deal_and_the_turn_used_up(deck: list[int]) -> None:
    position = position_of_deck(deck, rules_of("citadel", {"aces": "in-deck", "skim-gap": "skip"}))
    gaps = [turns - len(pile) for turns, pile in zip([7] * 4 + [6] * 4, position.piles, strict=True)]
    assert min(gaps) >= 0
    assert sum(gaps) == sum(position.foundations) >= SUITS


def test_the_turn_used_up_can_leave_seven_cards_on_a_pile() -> None:
    deck = begins("KS KD KC KH AS AD AC AH 3S 3D 3C 3H 2S 2D 2C 2H")  # piles 5 to 8 lose the turns
    assert dealt(deck, aces="in-deck", skim_gap="skip") == [
        "Foundations: H-2 C-2 D-2 S-2",
        *("KS 3S QS TS 8S 6S 4S", "KD 3D QD TD 8D 6D 4D", "KC 3C QC TC 8C 6C 4C", "KH 3H QH TH 8H 6H 4H"),
        *("JS 9S 7S 5S", "JD 9D 7D 5D", "JC 9C 7C 5C", "JH 9H 7H 5H"),
    ]


@given(DECKS | TILTED_DECKS)
def test_citadel_with_run_moves_is_dealt_as_citadel(deck: list[int]) -> None:
    citadel = position_of_deck(deck, rules_of("citadel"))
    assert position_of_deck(deck, rules_of("citadel", {"unit": "supermove"})) == citadel


@given(DECKS | TILTED_DECKS, any_rules())
def test_with_auto_founding_the_deal_settles(deck: list[int], rules: Rules) -> None:
    rules = rules.with_switches({"auto-found": "uncovered"})
    settled = position_of_deck(deck, rules)
    assert settled == position_of_deck(deck, rules.with_switches({"auto-found": "never"})).settled_deal()
    assert not any(settled.fits_foundation(pile[-1]) for pile in settled.piles if pile)
    assert settled.uncovered is None


# --- The compiled twin


def packed(deck: list[int], rules: Rules) -> tuple[Position, int]:
    """What the kernel deals from a deck, and how many cards it says were skimmed."""
    piles, heights = np.zeros((13, 52), np.int8), np.zeros(13, np.int8)
    founded = np.zeros(4, np.int8)
    skimmed = deal_deck(np.array(deck, np.int8), rule_code(rules), piles, heights, founded)
    assert all(
        (row[:height] != EMPTY).all() and (row[height:] == EMPTY).all()
        for row, height in zip(piles, heights, strict=True)
    )
    assert not heights[rules.piles :].any()
    rows = [tuple(row[:height].tolist()) for row, height in zip(piles, heights, strict=True)]
    hearts, clubs, diamonds, spades = founded.tolist()
    return Position((hearts, clubs, diamonds, spades), tuple(rows[: rules.piles])), skimmed


@settings(max_examples=400)
@given(DECKS | TILTED_DECKS, any_rules())
def test_the_kernel_deals_as_the_plain_code_does(deck: list[int], rules: Rules) -> None:
    position, skimmed = packed(deck, rules)
    assert position == position_of_deck(deck, rules)
    unsettled = position_of_deck(deck, rules.with_switches({"auto-found": "never"}))
    assert skimmed == sum(unsettled.foundations) - (SUITS if rules.aces == "first" else 0)


@pytest.mark.parametrize("auto_found", CHOICES["auto-found"])
@pytest.mark.parametrize("rules", [*ALL_DEAL_RULES, *VARIANTS.values()], ids=Rules.text)
def test_batches_deal_as_the_plain_code_does(rules: Rules, auto_found: str) -> None:
    rules = rules.with_switches({"auto-found": auto_found})
    ranges = [("ms", 1), ("ms", 2**31 - 5), ("ms", 2**32 - 5), ("ms", 2**33 - 10), ("pysol", 31995)]
    ranges += [("pysol", 2**32 - 5), ("pysol", 2**64 - 5), ("pysol", 10**20 - 10)]
    for scheme, first in ranges:
        deals = deal_batch(scheme, first, 10, rules)
        assert len(deals) == 10
        for index in range(10):
            expected = deal_position(DealId(scheme, first + index), rules)
            assert deals[index].position(rules) == expected, (scheme, first + index)


def test_one_packed_deal() -> None:
    rules = rules_of("citadel")
    deal = deal_packed("pysol", 24, rules)
    assert deal.position(rules) == deal_position(parse_deal("24"), rules)
    assert (deal.piles.shape, deal.heights.shape, deal.founded.shape) == ((13, 52), (13,), (4,))
    assert {array.dtype for array in (deal.piles, deal.heights, deal.founded)} == {np.dtype(np.int8)}
    assert deal.heights.tolist() == [5, 6, 5, 6, 5, 4, 6, 3, 0, 0, 0, 0, 0]
    assert (deal.founded.tolist(), deal.skimmed) == ([2, 3, 3, 4], 8)


@pytest.mark.parametrize(
    ("scheme", "first", "count"),
    [("ms", 0, 1), ("ms", 2**33 - 5, 6), ("ms", 2**33, 0), ("pysol", 10**20 - 5, 6), ("fc", 1, 1)],
)
def test_a_batch_out_of_range_is_refused(scheme: str, first: int, count: int) -> None:
    with pytest.raises(InputError):
        deal_batch(scheme, first, count, rules_of("citadel"))


def test_an_empty_batch() -> None:
    assert len(deal_batch("ms", 2**33 - 1, 0, rules_of("citadel"))) == 0
