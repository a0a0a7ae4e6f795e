"""The readable position: legal moves, what they do, and the problems of bad boards."""

import csv
from random import Random

import pytest
from boards import DATA, canonical, card, draw, games, positions, sketch, small_rules
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.cards import SUITS
from solver.checking.naive import successors
from solver.checking.samples import small_position
from solver.notation import move_text, parse_board, parse_move
from solver.position import FOUNDATION, IllegalMove, Move, Position, padded
from solver.rules import Rules, rules_of

CITADEL = rules_of("citadel")
EXILED = rules_of("exiled-kings")
DOZEN = rules_of("bakers-dozen")


def why(position: Position, move: str, rules: Rules) -> str | None:
    """Why a move, given as text, is illegal; None if it is legal."""
    return position.why_illegal(parse_move(move), rules)


def after(position: Position, *moves: str, rules: Rules) -> Position:
    """The position after moves given as text."""
    for move in moves:
        position = position.apply(parse_move(move), rules)
    return position


def legal(position: Position, rules: Rules) -> set[str]:
    """The legal moves as text."""
    return {move_text(move) for move in position.legal_moves(rules)}


# --- Counted moves

with (DATA / "perft.csv").open(encoding="ascii") as _file:
    PERFT = list(csv.DictReader(_file))
PERFT_GAMES = sorted({(row["variant"], row["board"], row["withdrawal"]) for row in PERFT})


@pytest.mark.parametrize(("variant", "board", "withdrawal"), PERFT_GAMES)
def test_perft(variant: str, board: str, withdrawal: str) -> None:
    rows = [row for row in PERFT if (row["variant"], row["board"], row["withdrawal"]) == (variant, board, withdrawal)]
    rules = rules_of(variant, {"withdrawal": "yes" if withdrawal == "1" else "no"})
    position = parse_board((DATA / "boards" / board).read_text(encoding="ascii"), rules)
    expected = [(int(row["move_sequences"]), int(row["distinct_positions"])) for row in rows]
    assert [int(row["depth"]) for row in rows] == list(range(1, len(rows) + 1))
    assert perft(position, rules, len(rows)) == expected


def perft(position: Position, rules: Rules, depth: int) -> list[tuple[int, int]]:
    """Move sequences and new positions for each depth, pile order left aside."""
    seen = {position.arrangement()}
    layer = {position.arrangement(): (position, 1)}
    counts = []
    for _ in range(depth):
        following: dict = {}
        for before, ways in layer.values():
            for move in before.legal_moves(rules):
                reached = before.apply(move, rules)
                _, known = following.get(reached.arrangement(), (None, 0))
                following[reached.arrangement()] = (reached, known + ways)
        counts.append((sum(ways for _, ways in following.values()), len(following.keys() - seen)))
        seen |= following.keys()
        layer = following
    return counts


# --- Laws


@settings(max_examples=400)
@given(games())
def test_legal_moves_are_those_that_nothing_speaks_against(game: tuple[Position, Rules]) -> None:
    position, rules = game
    listed = list(position.legal_moves(rules))
    assert len(set(listed)) == len(listed)
    places = range(FOUNDATION, len(position.piles) + 1)  # one place too many as well
    allowed = set()
    for move in (Move(c, s, t) for c in range(SUITS * position.ranks) for s in places for t in places):
        if position.why_illegal(move, rules) is None:
            allowed.add(canonical(position, move))
            position.apply(move, rules)
        else:
            with pytest.raises(IllegalMove):
                position.apply(move, rules)
    assert set(listed) == allowed
    assert position.is_stuck(rules) == (not allowed and not position.is_won())


@given(games())
def test_a_move_keeps_every_card_and_moves_only_what_it_names(game: tuple[Position, Rules]) -> None:
    position, rules = game
    for move in position.legal_moves(rules):
        reached = position.apply(move, rules)
        assert reached.problems(rules) == []
        for place, (before, now) in enumerate(zip(position.piles, reached.piles, strict=True)):
            if place == move.source:
                assert before == now + before[before.index(move.card) :]
            elif place == move.target:
                assert now == before + now[now.index(move.card) :]
            else:
                assert now == before
        moved = sum(reached.foundations) - sum(position.foundations)
        assert moved == (move.target == FOUNDATION) - (move.source == FOUNDATION)


def test_the_naive_move_code_reaches_the_same_positions() -> None:
    random = Random(2)
    for _ in range(5000):
        position, rules = small_position(random)
        reached = {position.apply(move, rules).arrangement() for move in position.legal_moves(rules)}
        assert reached == (
            set() if position.is_won() else set(successors(position.arrangement(), rules, position.ranks))
        )


# --- Single cards


def test_cards_build_down_whatever_the_suit() -> None:
    position = sketch("KS 9H", "TH", "TC", "8H", "9S")
    assert legal(position, CITADEL) == {"9H 1 2", "9H 1 3", "9S 5 2", "9S 5 3", "8H 4 1", "8H 4 5"}
    assert after(position, "9H 1 2", rules=CITADEL) == sketch("KS", "TH 9H", "TC", "8H", "9S")


def test_only_the_top_card_moves_and_only_where_it_fits() -> None:
    position = sketch("KS 9H", "TH", "8H 5C")
    assert why(position, "KS 1 2", CITADEL) == "KS is not the top card of pile 1"
    assert why(position, "9H 2 1", CITADEL) == "9H is not in pile 2"
    assert why(position, "TH 2 1", CITADEL) == "pile 1 does not accept TH"
    assert why(position, "9H 1 1", CITADEL) == "a move to the same place is not a move"
    assert why(position, "9H 1 4", CITADEL) == "there is no pile 4"
    assert why(position, "9H 9 1", CITADEL) == "there is no pile 9"
    assert why(position, "8H 3 1", CITADEL) == "8H is not the top card of pile 3"
    with pytest.raises(IllegalMove, match="pile 1 does not accept TH"):
        after(position, "TH 2 1", rules=CITADEL)


def test_a_card_that_the_deck_does_not_have() -> None:
    for code in (-1, 16, 99):
        move = Move(code, 0, 1)
        problem = f"no card has the code {code} in a deck of 4 ranks"
        assert sketch("2S 4H", "3D", ranks=4).why_illegal(move, CITADEL) == problem


def test_a_king_and_an_ace_do_not_go_round_the_corner() -> None:
    assert legal(sketch("AS", "KH", "2D KC", founded="H-3"), CITADEL) == {"AS 1 F"}


def test_what_a_space_accepts() -> None:
    position = sketch("2S KH", "5D 7C", "", "")
    assert legal(position, CITADEL) == {"KH 1 3", "7C 2 3"}
    assert why(position, "7C 2 4", CITADEL) is None  # the second space is as good, it is only not listed
    assert legal(position, EXILED) == {"KH 1 3"}
    assert why(position, "7C 2 4", EXILED) == "pile 4 does not accept 7C"
    assert legal(position, DOZEN) == set()


def test_the_only_card_of_a_pile_into_a_space_is_no_move() -> None:
    position = sketch("KH", "5D 7C", "")
    assert legal(position, CITADEL) == {"7C 2 3"}
    assert why(position, "KH 1 3", EXILED) == "a whole pile into a space is not a move"


def test_the_highest_rank_of_a_short_deck_is_its_king() -> None:
    position = sketch("2S 4H", "3D", "", founded="C-A", ranks=4)
    assert legal(position, EXILED) == {"4H 1 3", "3D 2 1"}


def test_founding() -> None:
    position = sketch("KS 4H", "AC", "5H", founded="H-3 S-K")
    assert legal(position, CITADEL) == {"4H 1 F", "AC 2 F", "4H 1 3"}
    assert why(position, "5H 3 F", CITADEL) == "5H does not fit its foundation"
    assert why(position, "KS 1 F", CITADEL) == "KS is not the top card of pile 1"
    assert after(position, "4H 1 F", "5H 3 F", rules=CITADEL) == sketch("KS", "AC", "", founded="H-5 S-K")


def test_withdrawal() -> None:
    coming_back = rules_of("citadel", {"withdrawal": "yes"})
    position = sketch("KS 4D", "4S", "", founded="H-3 C-K")
    assert legal(position, coming_back) - legal(position, CITADEL) == {"3H F 1", "3H F 2", "3H F 3", "KC F 3"}
    assert why(position, "3H F 1", CITADEL) == "founded cards stay"
    assert why(position, "2H F 1", coming_back) == "2H is not on top of its foundation"
    assert why(position, "3D F 1", coming_back) == "3D is not on top of its foundation"
    assert why(position, "KC F 1", coming_back) == "pile 1 does not accept KC"
    assert why(position, "3H F F", coming_back) == "a move to the same place is not a move"
    assert after(position, "3H F 2", rules=coming_back) == sketch("KS 4D", "4S 3H", "", founded="H-2 C-K")
    assert legal(position, rules_of("exiled-kings", {"withdrawal": "yes"})) >= {"3H F 1", "KC F 3"}


# --- Runs

SUPERMOVE = rules_of("citadel", {"unit": "supermove"})
RUN = "QH JS TH 9S 8H 7S 6H 5S 4H"


def run_of(length: int) -> str:
    """The first cards of a run that a King takes."""
    return " ".join(RUN.split()[:length])


def by_single_cards(position: Position, goal: Position) -> bool:
    """Whether moves of single cards, none of them founded, lead from one position to another."""
    seen = {position.arrangement()}
    waiting = [position]
    while waiting:
        here = waiting.pop()
        for move in here.legal_moves(CITADEL):
            if move.target != FOUNDATION:
                reached = here.apply(move, CITADEL)
                if reached.arrangement() not in seen:
                    seen.add(reached.arrangement())
                    waiting.append(reached)
    return goal.arrangement() in seen


@pytest.mark.parametrize("spaces", [0, 1, 2, 3])
def test_a_supermove_onto_a_card_is_what_single_cards_can_do(spaces: int) -> None:
    """One card doubled for each space; the bottom Twos accept nothing and go nowhere useful."""
    for length in range(1, len(RUN.split()) + 1):
        position = sketch(f"2C {run_of(length)}", "2D KD", *[""] * spaces)
        goal = sketch("2C", f"2D KD {run_of(length)}", *[""] * spaces)
        movable = why(position, "QH 1 2", SUPERMOVE) is None
        assert movable == (length <= 2**spaces) == by_single_cards(position, goal)
        if movable:
            assert after(position, "QH 1 2", rules=SUPERMOVE) == goal
        else:
            problem = f"a run of {length} cards is longer than the {2**spaces} that can move"
            assert why(position, "QH 1 2", SUPERMOVE) == problem


@pytest.mark.parametrize("spaces", [1, 2, 3])
def test_a_supermove_into_a_space_does_not_count_that_space(spaces: int) -> None:
    for length in range(1, 6):
        position = sketch(f"2C {run_of(length)}", *[""] * spaces)
        goal = sketch("2C", run_of(length), *[""] * (spaces - 1))
        movable = why(position, "QH 1 2", SUPERMOVE) is None
        assert movable == (length <= 2 ** (spaces - 1)) == by_single_cards(position, goal)


def test_spaces_that_do_not_take_any_card_carry_nothing() -> None:
    position = sketch("2C QH JS", "2D KD", "", "")
    for spaces in ("kings", "none"):
        rules = rules_of("citadel", {"unit": "supermove", "spaces": spaces})
        assert why(position, "QH 1 2", rules) == "a run of 2 cards is longer than the 1 that can move"
        assert why(sketch("2C QH", "2D KD", ""), "QH 1 2", rules) is None


def test_a_run_may_be_split() -> None:
    position = sketch("2C QH JS TH", "2D KD", "QS", "JD", "")
    assert legal(position, SUPERMOVE) == {"TH 1 4", "TH 1 5", "JS 1 3", "KD 2 5", "QS 3 2", "JD 4 3"}


def test_cards_out_of_order_do_not_move_together() -> None:
    position = sketch("QH TS", "KD", "", "")
    for unit in ("supermove", "sequence"):
        rules = rules_of("citadel", {"unit": unit})
        assert why(position, "QH 1 2", rules) == "the cards on QH are not in order"


def test_a_sequence_needs_no_spaces() -> None:
    sequence = rules_of("citadel", {"unit": "sequence"})
    position = sketch(f"2C {RUN}", "2D KD")
    assert why(position, "QH 1 2", sequence) is None
    assert after(position, "QH 1 2", rules=sequence) == sketch("2C", f"2D KD {RUN}")
    assert why(position, "QH 1 2", CITADEL) == "QH is not the top card of pile 1"
    assert why(position, "QH 1 F", sequence) == "QH is not the top card of pile 1"


def test_a_sequence_into_a_space() -> None:
    position = sketch("2C KH QS JH", "")
    for spaces, moves in (
        ("any", {"KH 1 2", "QS 1 2", "JH 1 2"}),
        ("kings", {"KH 1 2"}),
        ("none", set()),
    ):
        assert legal(position, rules_of("citadel", {"unit": "sequence", "spaces": spaces})) == moves
    whole = sketch("KH QS JH", "")
    kings = rules_of("exiled-kings", {"unit": "sequence"})
    assert why(whole, "KH 1 2", kings) == "a whole pile into a space is not a move"


# --- Founding by itself

AUTO = rules_of("citadel", {"auto-found": "uncovered", "withdrawal": "yes"})


def test_a_card_that_a_move_uncovers_goes_up_before_anything_else() -> None:
    position = sketch("5C 3H 9S", "TD", "2C", founded="H-2 C-A")
    uncovered = after(position, "9S 1 2", rules=AUTO)
    assert legal(uncovered, AUTO) == {"3H 1 F"}
    assert why(uncovered, "2C 3 F", AUTO) == "3H was uncovered and goes to its foundation first"
    assert not uncovered.is_stuck(AUTO)
    assert after(uncovered, "3H 1 F", rules=AUTO) == sketch("5C", "TD 9S", "2C", founded="H-3 C-A")
    assert after(position, "9S 1 2", rules=CITADEL).uncovered is None


def test_what_a_founding_uncovers_goes_up_too() -> None:
    position = sketch("2S 4H 3H 9S", "TD", founded="H-2 S-A")
    chain = after(position, "9S 1 2", "3H 1 F", rules=AUTO)
    assert legal(chain, AUTO) == {"4H 1 F"}
    chain = after(chain, "4H 1 F", rules=AUTO)
    assert legal(chain, AUTO) == {"2S 1 F"}
    assert after(chain, "2S 1 F", rules=AUTO) == sketch("", "TD 9S", founded="H-4 S-2")


def test_a_founding_by_hand_uncovers_as_well() -> None:
    assert legal(after(sketch("2S 3H", founded="H-2 S-A"), "3H 1 F", rules=AUTO), AUTO) == {"2S 1 F"}


def test_a_card_that_lay_open_before_stays_when_its_foundation_grows() -> None:
    position = sketch("5C 3H 9S", "TD", "KC 4H", founded="H-2")
    grown = after(position, "9S 1 2", "3H 1 F", rules=AUTO)
    assert grown == sketch("5C", "TD 9S", "KC 4H", founded="H-3")
    assert legal(grown, AUTO) >= {"4H 3 F", "4H 3 1"}


def test_a_card_just_withdrawn_stays() -> None:
    back = after(sketch("5C", "KS 4S", founded="H-3"), "3H F 2", rules=AUTO)
    assert back == sketch("5C", "KS 4S 3H", founded="H-2")
    assert "3H 2 F" in legal(back, AUTO)


def test_the_top_that_a_withdrawal_lands_on_is_not_uncovered_by_it() -> None:
    position = sketch("KS 4S", founded="H-3 S-3")  # 4S fits, and lay open
    assert after(position, "3H F 1", rules=AUTO).uncovered is None


def test_a_run_that_leaves_uncovers_too() -> None:
    rules = rules_of("citadel", {"auto-found": "uncovered", "unit": "sequence"})
    assert legal(after(sketch("2S 9H 8S", "TD", founded="S-A"), "9H 1 2", rules=rules), rules) == {"2S 1 F"}


def test_a_board_that_is_read_in_is_not_settled() -> None:
    rules = small_rules(3, auto_found="uncovered")
    position = draw("Foundations: H-A\n2C 2H\n2D AC\n2S AS AD", rules, ranks=2)
    assert position.uncovered is None
    assert legal(position, rules) == {"2H 1 F", "AC 2 F", "AD 3 F", "AC 2 1", "AD 3 1"}


def test_positions_differ_by_the_card_that_is_due() -> None:
    due = after(sketch("5C 3H 9S", "TD", founded="H-2"), "9S 1 2", rules=AUTO)
    read = sketch("5C 3H", "TD 9S", founded="H-2")
    assert due != read
    assert due.arrangement() != read.arrangement()


def test_the_deal_settles_whatever_comes_up_first() -> None:
    position = sketch("5C 4H 2C", "9D 3H", "KD 3C", founded="H-2 C-A")
    settled = sketch("5C", "9D", "KD", founded="H-4 C-3")
    assert position.settled_deal() == settled
    assert settled.settled_deal() == settled


@given(positions(ranks=4, piles=4), st.randoms(use_true_random=False))
def test_settling_does_not_depend_on_the_order(position: Position, random: Random) -> None:
    piles, founded = [list(pile) for pile in position.piles], list(position.foundations)
    while fitting := [pile for pile in piles if pile and founded[pile[-1] % 4] == pile[-1] // 4]:
        founded[random.choice(fitting).pop() % 4] += 1
    assert position.settled_deal() == Position(tuple(founded), tuple(map(tuple, piles)), 4)


# --- Ends


def test_won_and_stuck() -> None:
    won = sketch("", "", founded="H-K C-K D-K S-K")
    assert won.is_won()
    assert not won.is_stuck(CITADEL)
    assert legal(won, rules_of("citadel", {"withdrawal": "yes"})) == set()
    assert why(won, "KH F 1", rules_of("citadel", {"withdrawal": "yes"})) == "the game is already won"
    stuck = sketch("KD QH", "2D QC", founded="S-J")
    assert stuck.is_stuck(CITADEL)
    assert not stuck.is_won()
    assert legal(stuck, rules_of("citadel", {"withdrawal": "yes"})) == {"JS F 1", "JS F 2"}
    assert not stuck.is_stuck(rules_of("citadel", {"withdrawal": "yes"}))
    assert not sketch("KD QS", "2D QC", founded="S-J").is_stuck(CITADEL)  # the Queen of spades can go up


# --- Bad boards


def test_a_good_board_has_no_problems() -> None:
    text = (DATA / "boards/citadel/24.board").read_text(encoding="ascii")
    assert draw(text, CITADEL).problems(CITADEL) == []


def test_all_problems_at_once() -> None:
    piles = [(card("5S"), card("5S")), (card("2H"), 52, -1), *[()] * 7]
    position = Position((3, 14, -1, 13), tuple(piles))
    missing = [f"{rank}{suit}" for rank in "A23456789TJQK" for suit in "HD" if rank + suit not in ("AH", "2H", "3H")]
    assert position.problems(CITADEL) == [
        "9 piles, citadel has 8",
        "14 cards on the foundation of C, which holds 0 to 13",
        "-1 cards on the foundation of D, which holds 0 to 13",
        "no card has the code 52 in a deck of 13 ranks (pile 2)",
        "no card has the code -1 in a deck of 13 ranks (pile 2)",
        "2H is there twice: on its foundation and in pile 2",
        "5S is there twice: on its foundation and in pile 1 and in pile 1",
        f"{len(missing)} cards are missing: {' '.join(missing)}",
    ]


def test_one_missing_card() -> None:
    assert sketch("2H", "AC", founded="D-2 S-2", ranks=2).problems(small_rules(2)) == ["2 cards are missing: AH 2C"]
    assert sketch("2H AH", founded="C-A D-2 S-2", ranks=2).problems(small_rules(2)) == ["1 card is missing: 2C"]


def test_padding_adds_empty_piles_at_the_end() -> None:
    assert padded(sketch("KS", ""), small_rules(4)) == sketch("KS", "", "", "")
    assert padded(sketch("KS", "2H"), small_rules(2)) == sketch("KS", "2H")
