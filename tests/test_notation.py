"""Board text and move text, read and written."""

from itertools import zip_longest
from random import Random

import pytest
from boards import DATA, FIXTURES, draw, fixture_of, positions, sketch, small_rules
from fuzz import spoilt
from hypothesis import given
from hypothesis import strategies as st

from solver.cards import DECK, card_text
from solver.deals import deal_position, parse_deal
from solver.errors import InputError
from solver.notation import (
    TextError,
    board_text,
    iter_boards,
    move_text,
    parse_board,
    parse_move,
    parse_moves,
    parse_position,
    split_boards,
)
from solver.position import FOUNDATION, Move, Position
from solver.rules import VARIANTS, Rules, rules_of

CITADEL = rules_of("citadel")
TEXT = (DATA / "boards/citadel/24.board").read_text(encoding="ascii")
BOARD = deal_position(parse_deal("24"), CITADEL)

SMALL = small_rules(3)
"""The games drawn below have three piles and a deck of two or three ranks."""


def problems(text: str, rules: Rules = CITADEL, ranks: int = 13, transpose: bool = False) -> list[str]:
    """The problems of a board, as text."""
    with pytest.raises(TextError) as error:
        parse_board(text, rules, ranks=ranks, transpose=transpose)
    assert "\n" not in str(error.value)
    return list(map(str, error.value.problems))


# --- What is written


def test_the_foundations_are_written_when_one_is_begun() -> None:
    assert board_text(sketch("3H", "", "2S 2D", founded="C-A H-2")) == "Foundations: H-2 C-A\n3H\n:\n2S 2D\n"
    assert board_text(sketch("KS", "")) == "KS\n:\n"


def test_suit_symbols() -> None:
    assert board_text(sketch("3H TC", "2S 2D", founded="C-A"), symbols=True) == "Foundations: ♣-A\n3♥ T♣\n2♠ 2♦\n"


@given(st.integers(1, 5), st.integers(1, 9), st.booleans(), st.data())
def test_what_is_written_reads_back(ranks: int, piles: int, symbols: bool, data: st.DataObject) -> None:
    position = data.draw(positions(ranks, piles))
    assert parse_board(board_text(position, symbols), small_rules(piles), ranks=ranks) == position


@given(st.sampled_from(sorted(VARIANTS)), st.booleans(), st.data())
def test_whole_decks_read_back(variant: str, symbols: bool, data: st.DataObject) -> None:
    rules = VARIANTS[variant]
    position = data.draw(positions(13, rules.piles))
    assert parse_position(board_text(position, symbols), rules, 13) == position
    if not position.problems(rules):
        assert parse_board(board_text(position, symbols), rules) == position


def test_high_piles_beside_an_empty_one_are_not_taken_for_rows() -> None:
    deck = range(DECK)
    position = Position((0, 0, 0, 0), (*(tuple(deck[at : at + 8]) for at in range(0, 52, 8)), ()))
    assert parse_position(board_text(position), CITADEL, 13) == position


# --- Forms that are read


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + TEXT,
        TEXT.replace("\n", "\r\n"),
        TEXT.replace("\n", "\r"),
        "\ufeff" + TEXT.replace("\n", "\r\n").rstrip(),
        TEXT.rstrip("\n"),
        TEXT + "\n\n\n",
        "\n\n" + TEXT,
        TEXT.replace(" ", "\t"),
        TEXT.replace(" ", "   ").replace("\n", "  \t\n"),
        TEXT.replace("\n", "\n: ").removesuffix(": "),
        TEXT.replace("\n", "\n:").removesuffix(":"),
        TEXT.replace("\n", "\n  :\t").removesuffix("  :\t"),
        TEXT.lower(),
        TEXT.replace("T", "10"),
        TEXT.replace("T", "10").lower(),
        TEXT.replace("Foundations:", "Founds:"),
        TEXT.replace("Foundations:", "FOUNDATIONS :"),
        TEXT.replace("Foundations:", ": Foundations:"),
        TEXT.replace("Foundations: ", "Foundations:"),
        TEXT.replace("H-2 C-3 D-3 S-4", "S-4 D-3 C-3 H-2"),
        "# from a friend\n" + TEXT.replace("\n", "  # a pile\n# and another\n"),
        TEXT.replace("H", "♥").replace("S", "♠").replace("D", "♦").replace("C", "♣"),
        TEXT.replace("H", "♡").replace("S", "♤").replace("D", "♢").replace("C", "♧"),
        TEXT.replace("H", "♥\ufe0f").replace("S", "♠\ufe0e"),
    ],
)
def test_forms_of_one_board(text: str) -> None:
    assert parse_board(text, CITADEL) == BOARD


def test_empty_piles() -> None:
    first = draw(":\n2H AH 2C\nAC 2D AD AS 2S", SMALL, ranks=2)
    assert first == sketch("", "2H AH 2C", "AC 2D AD AS 2S", ranks=2)
    for middle in (":", "", "  :  ", " \t"):
        assert draw(f"2H AH 2C\n{middle}\nAC 2D AD AS 2S", SMALL, ranks=2).piles[1] == ()
    for last in ("", "\n", "\n\n\n\n\n", "\n:", "\n:\n\n"):
        assert draw(f"2H AH 2C\nAC 2D AD AS 2S{last}", SMALL, ranks=2).piles[2] == ()


def test_a_blank_line_after_the_foundations_is_a_pile_where_there_is_room_for_one() -> None:
    assert draw("Foundations: H-A\n\n2H 2C\nAC 2D AD AS 2S", SMALL, ranks=2).piles[0] == ()
    full = "2H 2C\nAC 2D\nAD AS 2S"
    expected = draw(f"Foundations: H-A\n{full}", SMALL, ranks=2)
    assert draw(f"Foundations: H-A\n\n{full}", SMALL, ranks=2) == expected
    assert draw(f"Foundations: H-A\n\n\n{full}\n\n", SMALL, ranks=2) == expected


def test_a_comment_line_is_no_pile() -> None:
    text = "2H AH 2C\n# nothing here\nAC 2D AD\nAS 2S # the last"
    assert draw(text, SMALL, ranks=2) == draw("2H AH 2C\nAC 2D AD\nAS 2S", SMALL, ranks=2)


def test_h_0_and_a_missing_suit_are_empty_foundations() -> None:
    assert draw("Foundations: H-0 c-1\n".replace("c-1", "C-A") + "AH 2H 2C AD 2D AS 2S", SMALL, ranks=2) == sketch(
        "AH 2H 2C AD 2D AS 2S", "", "", founded="C-A", ranks=2
    )


def test_foundations_alone_are_a_won_board() -> None:
    won = draw("Foundations: H-K C-K D-K S-K", CITADEL)
    assert won.is_won()
    assert won.piles == ((),) * 8
    assert draw("Founds: ♥-k ♣-K ♦-K s-K\n", CITADEL) == won


def test_tens_on_foundations() -> None:
    higher = " ".join(rank + suit for suit in "HC" for rank in "JQK")
    for ten in ("H-T C-10", "h-t c-10", "H-10 C-T"):
        assert draw(f"Foundations: {ten} D-K S-K\n{higher}", CITADEL).foundations == (10, 10, 13, 13)


# --- Problems, with line and column


@pytest.mark.parametrize("bad", ["1H", "11H", "0H", "H5", "5X", "5HH", "XX", "Joker", "5", "H", "-", "5H,", "(5H)"])
def test_an_unknown_card(bad: str) -> None:
    found = problems(f"2H  {bad} 2C\nAC 2D AD AS 2S", SMALL, 2)
    assert found[0] == f"line 1, column 5: {bad!r} is not a card; write a rank and a suit, 5S or TH"


def test_a_card_of_a_higher_rank_than_the_deck_has() -> None:
    assert "'3H' is not a card" in problems("2H 3H 2C\nAC 2D AD AS 2S AH", SMALL, 2)[0]


def test_a_long_word_is_cut() -> None:
    assert problems("x" * 100_000)[0].startswith(f"line 1, column 1: '{'x' * 20}...' is not a card")


def test_a_colon_in_the_middle_is_no_card() -> None:
    assert "line 1, column 4: ':' is not a card" in problems("2H : AH 2C\nAC 2D AD AS 2S", SMALL, 2)[0]


def test_a_card_twice_names_both_places() -> None:
    assert problems("2H AH 2C\nAC 2D AD 2h AS 2S", SMALL, 2) == [
        "line 2, column 10: 2H is there twice, first at line 1, column 1"
    ]
    assert problems("Foundations: D-A H-2\n2C\nAC 2D 2H\nAS 2S", SMALL, 2) == [
        "line 3, column 7: 2H is there twice, first at line 1, column 18"
    ]


def test_missing_cards_are_named_and_not_filled_in() -> None:
    assert problems("2H AH 2C\nAC 2D\nAS", SMALL, 2) == ["line 3, column 1: 2 cards are missing: AD 2S"]
    assert problems(TEXT.replace(" KS", "").replace("Foundations: H-2 ", "Foundations: ")) == [
        "line 9, column 1: 3 cards are missing: AH 2H KS"
    ]
    assert problems(TEXT.replace("KS", "")) == ["line 9, column 1: 1 card is missing: KS"]


@pytest.mark.parametrize("text", ["", "\n", "\ufeff", "# nothing\n", ":\n:", "  \r\n\r\n"])
def test_an_empty_board_lacks_all_cards(text: str) -> None:
    (problem,) = problems(text, SMALL, 2)
    assert problem.endswith("8 cards are missing: AH AC AD AS 2H 2C 2D 2S")


def test_a_pile_too_many() -> None:
    assert problems("2H AH\n2C\nAC 2D AD AS\n2S", SMALL, 2) == ["line 4, column 1: a pile too many: small has 3 piles"]
    assert problems(TEXT + ":\n:\n") == [
        f"line {line}, column 1: a pile too many: citadel has 8 piles" for line in (10, 11)
    ]
    assert len(problems("\n".join(TEXT.split("\n"))[:-1].replace("\n", "\n\n"))) > 1


@pytest.mark.parametrize("bad", ["H-1", "H-11", "H", "H-", "-3", "X-3", "H-3-4", "3-H", "5S", "H=3", "H-3"])
def test_a_bad_foundation(bad: str) -> None:
    found = problems(f"Foundations: C-A {bad}\nAH 2H 2C\nAD 2D\nAS 2S", SMALL, 2)
    assert found == [f"line 1, column 18: {bad!r} is not a foundation; write H-0, H-A, ... H-K"]


def test_foundations_given_twice_or_late() -> None:
    rest = "2H 2C\nAD 2D AC\nAS 2S"
    assert problems(f"Foundations: H-A h-0\n{rest}", SMALL, 2) == [
        "line 1, column 18: the foundation of H is given twice"
    ]
    late = "line 2, column 1: the foundations come first and once"
    assert problems(f"Foundations: H-A\nFoundations: H-A\n{rest}", SMALL, 2) == [late]
    assert problems("2H 2C\nFounds: H-A\nAD 2D AC\nAS 2S", SMALL, 2)[0] == late
    assert problems(":\nFounds: H-A\nAD 2D AC\nAS 2S 2C 2H", SMALL, 2)[0] == late


def test_all_problems_in_the_order_of_the_text_and_the_first_in_the_message() -> None:
    text = "Foundations: H-Q\nAH XX\n2C AH\nAC 2D\nAS"
    with pytest.raises(TextError) as error:
        parse_board(text, SMALL, ranks=2)
    found = [str(problem) for problem in error.value.problems]
    assert found == [
        "line 1, column 14: 'H-Q' is not a foundation; write H-0, H-A, ... H-K",
        "line 2, column 4: 'XX' is not a card; write a rank and a suit, 5S or TH",
        "line 3, column 4: AH is there twice, first at line 2, column 1",
        "line 5, column 1: a pile too many: small has 3 piles",
        "line 5, column 1: 3 cards are missing: AD 2H 2S",
    ]
    assert str(error.value) == f"{found[0]} (and 4 other problems)"
    assert str(TextError(error.value.problems[:2])) == f"{found[0]} (and 1 other problem)"


def test_lines_are_counted_from_the_first_one_given() -> None:
    with pytest.raises(TextError, match="line 41, column 1: 1 card is missing: 2S"):
        parse_board("AH 2H AC 2C\nAD 2D AS", SMALL, ranks=2, first_line=40)


# --- Columns pasted downwards


def downwards(position: Position, hole: str = "  ", blank: str = " ") -> str:
    """The piles of a position written as columns, ``hole`` where a pile has ended."""
    rows = zip_longest(*map(list, position.piles))
    lines = [blank.join(hole if card is None else card_text(card) for card in row) for row in rows]
    return board_text(Position(position.foundations, ())) + "".join(f"{line}\n" for line in lines)


DEALS_OF_EIGHT = [parse_deal(f"ms:{number}") for number in range(1, 41)]


@pytest.mark.parametrize("variant", ["citadel", "beleaguered-castle", "streets-and-alleys"])
def test_columns_pasted_downwards_say_so_and_are_read_with_transpose(variant: str) -> None:
    rules = rules_of(variant)
    for deal in DEALS_OF_EIGHT:
        position = deal_position(deal, rules)
        for text in (
            downwards(position),
            downwards(position, hole="", blank="\t"),
            downwards(position).replace("\n", "\r\n"),
            downwards(position).replace("T", "t"),
            "\n".join(line.rstrip() for line in downwards(position).split("\n")),
        ):
            assert "--transpose" in problems(text, rules)[0]
            assert "pasted downwards" in problems(text, rules)[0]
            assert parse_board(text, rules, transpose=True) == position


def test_a_lone_downward_board_with_a_bad_card_still_says_so() -> None:
    text = downwards(deal_position(parse_deal("24"), rules_of("beleaguered-castle")))
    found = problems(text.replace("KS", "XX"), rules_of("beleaguered-castle"))
    assert "--transpose" in found[0]
    assert "'XX' is not a card" in found[1]


def test_thirteen_columns() -> None:
    rules = rules_of("bakers-dozen")
    position = deal_position(parse_deal("24"), rules)
    assert "--transpose" in problems(downwards(position), rules)[0]
    assert parse_board(downwards(position), rules, transpose=True) == position


def transposed(text: str) -> Position:
    """A small board of three ranks and three piles, its lines read as rows."""
    return parse_board(text, SMALL, ranks=3, transpose=True)


def test_holes_in_the_rows_keep_cards_on_their_piles() -> None:
    text = """\
Foundations: S-3
3H 2C AH
2H 3C AD
   3D AC
   2D
"""
    assert transposed(text) == sketch("3H 2H", "2C 3C 3D 2D", "AH AD AC", founded="S-3", ranks=3)


def test_tens_of_two_digits_push_a_row_to_the_right() -> None:
    position = deal_position(parse_deal("24"), rules_of("streets-and-alleys"))
    text = downwards(position).replace("T", "10")
    assert parse_board(text, rules_of("streets-and-alleys"), transpose=True) == position


def test_a_short_row_that_stands_nowhere_is_refused() -> None:
    full = "Foundations: S-3\n3H 2C AH\n2H 3C AD\n  3D AC   2D\n"  # read by the order of its cards
    assert transposed(full) == sketch("3H 2H 3D", "2C 3C AC", "AH AD 2D", founded="S-3", ranks=3)
    moved = "Foundations: S-3 D-A\n3H 2C AH\n2H 3C AC\n  3D 2D\n"
    assert problems(moved, SMALL, 3, transpose=True) == [
        "line 4, column 3: this row is short, and its cards do not stand in line with those above"
    ]
    hanging = "Foundations: S-3 D-A\n3H 2C AH\n2H    AC\n3D 3C 2D\n"
    assert problems(hanging, SMALL, 3, transpose=True) == ["line 4, column 7: no card stands above this one"]


def test_a_packed_row_after_a_hole_is_refused() -> None:
    text = "Foundations: S-3\n3H 2C AH 2H\n3C    AC AD\n3D 2D\n"  # is 2D on AC, or on AD?
    assert problems(text, small_rules(4), 3, transpose=True) == [
        "line 4, column 1: this row is short, and its cards do not stand in line with those above"
    ]


def test_columns_in_line_at_the_right() -> None:
    position = deal_position(parse_deal("24"), CITADEL)
    rows = zip_longest(*map(list, position.piles))
    cells = [["" if card is None else card_text(card).replace("T", "10") for card in row] for row in rows]
    text = "Foundations: H-2 C-3 D-3 S-4\n" + "\n".join(" ".join(f"{cell:>3}" for cell in row) for row in cells)
    assert parse_board(text, CITADEL, transpose=True) == position


def test_a_column_too_many() -> None:
    text = "Foundations: S-3 D-A\n3H 2C AH 2D\n2H 3C AC 3D\n"
    assert problems(text, SMALL, 3, transpose=True) == ["line 2, column 1: 4 columns: small has 3 piles"]


def test_transposing_asks_for_the_same_cards() -> None:
    assert problems("2H AH\n2C AC\nAD 2D AS", SMALL, 2, transpose=True) == [
        "line 3, column 1: 1 card is missing: 2S",
        "line 3, column 7: no card stands above this one",
    ]
    assert problems("", SMALL, 2, transpose=True)[0].endswith("AH AC AD AS 2H 2C 2D 2S")


def test_few_lines_need_not_be_rows() -> None:
    """Late positions with the empty piles left out: high piles, and fewer lines than a deal has rows."""
    piles = ["KS QS JS TS 9S 8S 7S 6S", "KH QH JH TH 9H 8H 7H 6H", "KD QD JD TD 9D 8D 7D", "KC QC JC TC 9C 8C 7C"]
    text = "Foundations: H-5 C-6 D-6 S-5\n" + "\n".join(piles)
    assert draw(text, CITADEL).spaces() == [4, 5, 6, 7]


def test_lines_shorter_than_the_piles_are_many_are_no_rows() -> None:
    deck = [card_text(card) for card in range(10, DECK)]  # the founded cards are the ten lowest
    lines = [" ".join(deck[start : start + 7]) for start in range(0, len(deck), 7)]
    text = "Foundations: H-3 C-3 D-2 S-2\n" + "\n".join(lines)
    assert parse_position(text, CITADEL, 13).spaces() == [6, 7]


def test_a_colon_shows_that_lines_are_piles() -> None:
    deck = [card_text(card) for card in range(DECK)]
    lines = [" ".join(deck[start : start + 8]) for start in range(0, DECK, 8)]
    assert "--transpose" in problems("\n".join(lines))[0]
    assert parse_position("\n".join([*lines, ":"]), CITADEL, 13).spaces() == [7]
    assert parse_position("\n".join(f": {line}" for line in lines), CITADEL, 13).spaces() == [7]


# --- Streams


def test_boards_of_a_stream() -> None:
    paths = sorted((DATA / "boards/citadel").glob("*.board"))
    texts = [path.read_text(encoding="ascii") for path in paths]
    for separator in ("---\n", " ---  \n", "---\r\n", "--- # the next\n", "---\n\n---\n", "---\n# nothing\n---\n"):
        parts = split_boards(separator.join(texts))
        assert [parse_board(part.text, CITADEL) for part in parts] == [draw(text, CITADEL) for text in texts]
    parts = split_boards("---\n" + "---\n".join(texts) + "---\n")
    assert len(parts) == len(texts)


def test_errors_in_a_stream_have_the_line_of_the_stream() -> None:
    parts = split_boards(TEXT + "---\n" + TEXT.replace("9C", "9X"))
    assert [part.first_line for part in parts] == [1, 11]
    with pytest.raises(TextError, match="line 19, column 1: '9X' is not a card"):
        parse_board(parts[1].text, CITADEL, first_line=parts[1].first_line)


def test_files_with_byte_order_marks_put_together() -> None:
    marked = "\ufeff" + TEXT
    assert [parse_board(part.text, CITADEL) for part in split_boards(marked + "---\n" + marked)] == [BOARD, BOARD]


@pytest.mark.parametrize("stream", ["", "\n", "---\n", "---\n---", "# nothing\n"])
def test_an_empty_stream_is_one_empty_board(stream: str) -> None:
    (part,) = split_boards(stream)
    assert len(problems(part.text)) == 1


def test_a_board_of_a_stream_is_there_before_the_stream_ends() -> None:
    lines = iter([*TEXT.splitlines(), "---", "never read"])
    assert parse_board(next(iter_boards(lines)).text, CITADEL) == BOARD
    assert next(lines) == "never read"


def test_an_empty_pile_alone_is_a_board() -> None:
    assert [part.text for part in split_boards(":\n---\n:\n")] == [":", ":\n"]


# --- Moves


def test_a_move_list() -> None:
    text = "\ufeff# a win\r\n5S 3 F\r\n\r\n  kd\t2 7   # to a space\r\n4♥ f 5\r\n10c 13 1"
    assert parse_moves(text) == [*(Move(19, 2, FOUNDATION), Move(50, 1, 6), Move(12, FOUNDATION, 4), Move(37, 12, 0))]
    assert parse_moves("") == []


@given(st.builds(Move, st.integers(0, 51), st.integers(-1, 12), st.integers(-1, 12)))
def test_moves_read_back(move: Move) -> None:
    assert parse_move(move_text(move)) == move


def test_all_problems_of_a_move_list() -> None:
    text = "5S 3 F\n5S 3\n1S 0 G\n  5S 3 F F\n5S 123 01\nXX 2 3"
    with pytest.raises(TextError) as error:
        parse_moves(text)
    card, place = "is not a card; write a rank and a suit, 5S or TH", "is not a place; write a pile's number or F"
    assert [str(problem) for problem in error.value.problems] == [
        "line 2, column 1: a move is CARD FROM TO, as in 5S 3 F",
        f"line 3, column 1: '1S' {card}",
        f"line 3, column 4: '0' {place}",
        f"line 3, column 6: 'G' {place}",
        "line 4, column 3: a move is CARD FROM TO, as in 5S 3 F",
        f"line 5, column 4: '123' {place}",
        f"line 5, column 8: '01' {place}",
        f"line 6, column 1: 'XX' {card}",
    ]


def test_what_is_no_move_list_at_all_is_not_read_to_its_end() -> None:
    for text in ("x\n" * 5000, "5S 3 9F\n" * 5000, "x 1 2\n" * 5000):
        with pytest.raises(TextError) as caught:
            parse_moves(text)
        assert len(caught.value.problems) == 1001
        assert str(caught.value.problems[-1]).startswith("line 1001, column 1: too many problems")


@pytest.mark.parametrize("text", ["", "# nothing", "5S 3 F\n5S 3 F", "5S"])
def test_one_move_is_wanted(text: str) -> None:
    with pytest.raises(TextError, match="CARD FROM TO"):
        parse_move(text)


# --- Mutated bytes

FUZZ_RULES = [*VARIANTS.values(), rules_of("streets-and-alleys", {"spaces": "none"}), small_rules(3)]


def check_mutations(count: int) -> None:
    """Read mutated boards and move lists: a sound position, a list of moves, or one line that says what is wrong."""
    random = Random(17)
    sources = [path.read_bytes() for path in FIXTURES]
    sources += [downwards(deal_position(*fixture_of(path))).encode() for path in FIXTURES[:40]]
    sources += [b"5S 3 F\nKD 2 7\n4H F 5\n" * 5, "♥-3 5♠ 10♦".encode()]
    read, said = 0, set()
    for _ in range(count):
        data = spoilt(random, random.choice(sources))
        text = data.decode("utf-8", random.choice(("replace", "surrogateescape")))
        rules, transpose = random.choice(FUZZ_RULES), random.random() < 0.3
        try:
            for part in split_boards(text):
                board = parse_board(part.text, rules, transpose=transpose, first_line=part.first_line)
                assert board.problems(rules) == []
                assert len(board.piles) == rules.piles
                assert parse_board(board_text(board), rules) == board
                read += 1
        except InputError as error:
            said.add(str(error))
        try:
            assert all(isinstance(move, Move) for move in parse_moves(text))
        except InputError as error:
            said.add(str(error))
    assert all(message.isprintable() for message in said)
    assert read > count / 100  # some boards survive, so that more than the refusals is tested


def test_mutated_bytes_are_read_or_refused() -> None:
    check_mutations(4000)


@pytest.mark.slow
def test_a_hundred_thousand_mutations_are_read_or_refused() -> None:
    check_mutations(100_000)
