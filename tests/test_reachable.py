"""Boards with a pile that no play leads to are refused; boards that play leads to are not."""

from random import Random

import pytest
from command import run

from solver.cards import RANKS, card_text
from solver.checking.samples import any_rules
from solver.deals import DealId, deal_position
from solver.errors import InputError
from solver.notation import board_text, parse_board
from solver.position import Position, tallest_pile
from solver.rules import VARIANTS, Rules, rules_of
from solver.shuffles import shuffled_deck
from solver.solving import solve


def with_pile_moved(position: Position, source: int, target: int) -> Position:
    """A position with one pile put on another."""
    piles = list(position.piles)
    piles[target] += piles[source]
    piles[source] = ()
    return Position(position.foundations, tuple(piles))


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=VARIANTS)
def test_the_tallest_pile_is_that_of_deals(rules: Rules) -> None:
    deals = [deal_position(DealId("ms", number), rules) for number in range(1, 60)]
    assert max(len(pile) for position in deals for pile in position.piles) == tallest_pile(rules)


def test_whatever_random_play_leads_to_is_a_board() -> None:
    longest = 0
    for seed in range(150):
        random = Random(seed)
        rules = any_rules(random)
        position = deal_position(DealId("ms", random.randint(1, 10**9)), rules)
        for _ in range(120):
            moves = list(position.legal_moves(rules))
            if not moves:
                break
            position = position.apply(random.choice(moves), rules)
            assert position.problems(rules) == []
            longest = max(longest, max(map(len, position.piles)) - tallest_pile(rules))
    assert longest >= 3


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=VARIANTS)
def test_a_pile_put_on_another_is_refused_where_it_is_read_and_where_it_is_solved(rules: Rules) -> None:
    deal = deal_position(DealId("ms", 7), rules)
    position = with_pile_moved(deal, 1, 0)
    height, most = len(position.piles[0]), tallest_pile(rules)
    why = f"no play leads to this pile of {height} cards: {rules.variant} deals at most {most} to a pile"
    with pytest.raises(InputError, match=f"pile 1: {why}"):
        solve(position, rules, max_nodes=1)
    line = 2 if any(position.foundations) else 1
    with pytest.raises(InputError, match=f"line {line}, column 1: {why}"):
        parse_board(board_text(position), rules)
    result = run("solve", "-", "--variant", rules.variant, stdin=board_text(position))
    assert (result.exit_code, result.stdout) == (2, "")
    assert why in result.stderr


def test_a_run_of_a_whole_suit_on_a_dealt_pile_is_reachable_and_one_card_out_of_order_is_not() -> None:
    rules = rules_of("citadel")
    order = [f"{rank}H" for rank in "QJT98765432"]
    left = [f"{rank}{suit}" for suit in "CDS" for rank in "23456789TJQK"]
    first = ["2C", "2D", "2S", "3C", "KH", *order]
    rest = [card for card in left if card not in first]
    piles = [rest[start : start + 5] for start in range(0, len(rest), 5)]
    assert len(piles) == 7
    text = "\n".join(["Foundations: H-A C-A D-A S-A", *(" ".join(pile) for pile in [first, *piles])])
    assert parse_board(text, rules).problems(rules) == []
    swapped = text.replace("4H 3H 2H", "4H 2H 3H")
    with pytest.raises(InputError, match="no play leads to this pile of 16 cards"):
        parse_board(swapped, rules)


def test_small_boards_may_have_any_piles() -> None:
    rules = rules_of("citadel")
    position = Position((0, 0, 0, 0), (tuple(range(4 * (RANKS - 1))),), RANKS - 1)
    assert position.problems(rules) == []


@pytest.mark.parametrize("command", ["solve", "analyze"])
def test_a_shuffle_in_one_line_is_recognized(command: str) -> None:
    line = " ".join(map(card_text, shuffled_deck("ms", 24))) + "\n"
    arguments = {"solve": ["solve", "-"], "analyze": ["analyze", "-"]}[command]
    result = run(*arguments, stdin=line)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "citadel: standard input: line 1, column 1: 52 cards in one line look like a whole shuffle, not a board; "
        "a board has a line for each pile, its bottom card first, and citadel has 8 piles\n"
    )
