"""``citadel solve`` on boards: files and streams, and what people paste into them."""

import json
from pathlib import Path
from typing import Any

import pytest
from boards import DATA
from click.testing import Result
from command import run

from solver.cli.inputs import LARGEST_BOARD

BOARD = (DATA / "boards/citadel/24.board").read_text()
OTHER = (DATA / "boards/citadel/25.board").read_text()  # lost
CASTLE = (DATA / "boards/beleaguered_castle/24.board").read_text()


def solve_text(text: str | bytes, *options: str) -> Result:
    """Solve what comes from standard input."""
    return run("solve", "-", *options, stdin=text)


def verdicts(result: Result) -> list[tuple[int, str]]:
    """Number and verdict of each board."""
    return [(record["board"], record["verdict"]) for record in map(json.loads, result.stdout.splitlines())]


def facts(text: str | bytes) -> tuple[Any, ...]:
    """What solving a board says, the time left out."""
    (line,) = solve_text(text, "--json").stdout.splitlines()
    record = json.loads(line)
    return record["verdict"], record["nodes"], record["moves"]


def test_a_board_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "a.board"
    file.write_text(BOARD)
    result = run("solve", "--board", str(file))
    assert result.exit_code == 0
    assert "\n# board 1: won, " in result.stdout
    assert result.stdout.splitlines()[2:] == solve_text(BOARD).stdout.splitlines()[2:]
    (record,) = map(json.loads, run("solve", "--board", str(file), "--json").stdout.splitlines())
    assert (record["deal"], record["board"]) == (None, 1)


def test_dash_is_standard_input_for_the_option_too() -> None:
    assert run("solve", "--board", "-", stdin=OTHER).exit_code == 1


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + BOARD,
        BOARD.replace("\n", "\r\n"),
        BOARD.replace("\n", "\r"),
        BOARD.rstrip("\n"),
        BOARD.replace(" ", "\t"),
        BOARD.replace("4C QH", ": 4C QH"),
        BOARD.replace("\n", "   \n"),
        "# from a friend\n" + BOARD,
        BOARD.replace("Foundations", "Founds"),
        "\n" + BOARD,
        BOARD + "\n\n",
        "---\n" + BOARD + "---\n",
    ],
)
def test_case_13_forms_of_text_change_nothing(text: str) -> None:
    assert facts(text) == facts(BOARD)


def test_case_13_a_blank_line_is_an_empty_pile() -> None:
    with_colon = "Foundations: H-K C-K D-K S-J\nKS\n:\nQS\n"
    assert facts(with_colon.replace(":\nQS", "\nQS")) == facts(with_colon)
    assert facts(with_colon)[2][0] in ("QS 3 F", "QS 3 1")


@pytest.mark.parametrize("text", [BOARD.replace("T", "10"), BOARD.lower(), BOARD.replace("H", "♥").replace("S", "♠")])
def test_case_14_spellings_of_cards_change_nothing(text: str) -> None:
    assert facts(text) == facts(BOARD)


@pytest.mark.parametrize("word", ["1H", "11H", "TX", "H", "4", "JOKER"])
def test_case_14_no_cards_are_refused(word: str) -> None:
    result = solve_text(BOARD.replace("QH", word, 1))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert f"citadel: standard input: line 2, column 4: '{word}' is not a card" in result.stderr


def test_case_15_missing_cards_are_named_and_not_filled_in() -> None:
    result = solve_text(BOARD.replace(" QH", "", 1).replace(" TS", "", 1))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "2 cards are missing: TS QH" in result.stderr


def test_a_card_twice_names_both_places() -> None:
    result = solve_text(BOARD.replace("QH", "JH", 1))
    assert result.exit_code == 2
    assert "line 2, column 10: JH is there twice, first at line 2, column 4 (and 1 other problem)" in result.stderr


def test_case_16_columns_pasted_downwards_are_noticed() -> None:
    piles = [line.split() for line in CASTLE.splitlines()[1:]]
    rows = [" ".join(pile[row] for pile in piles) for row in range(6)]
    downwards = "\n".join([CASTLE.splitlines()[0], *rows])
    refused = run("solve", "-", stdin=downwards)
    assert refused.exit_code == 2
    assert "--transpose" in refused.stderr
    transposed = run("solve", "-", "--transpose", stdin=downwards)
    assert transposed.stdout.splitlines()[2:] == run("solve", "-", stdin=CASTLE).stdout.splitlines()[2:]


@pytest.mark.parametrize(
    "command", ["solve DEAL", "analyze DEAL", "verify DEAL -", "replay DEAL", "prove DEAL -o none"]
)
def test_a_deal_is_not_transposed(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*command.replace("DEAL", "ms:24").split(), "--transpose")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "citadel: --transpose is for boards that are read; a deal has its piles already\n"
    assert not list(tmp_path.iterdir())


def test_many_boards_in_one_stream() -> None:
    result = solve_text(f"{BOARD}---\n{OTHER}---\n{BOARD}")
    assert result.exit_code == 0
    assert [line.split(",")[0] for line in result.stdout.splitlines()[1:]] == [
        "board 1: won",
        "board 2: lost",
        "board 3: won",
    ]


def test_a_bad_board_in_a_stream_stops_nobody() -> None:
    bad = BOARD.replace("QH", "1H", 1)
    for options in ([], ["--jobs", "2"]):
        result = solve_text(f"{BOARD}---\n{bad}---\n{OTHER}", "--json", *options)
        assert result.exit_code == 2
        assert verdicts(result) == [(1, "won"), (3, "lost")]
        complaints = [line for line in result.stderr.splitlines() if "line" in line]
        assert complaints == [
            "citadel: standard input: line 12, column 4: '1H' is not a card; write a rank and a suit, 5S or TH "
            "(and 1 other problem)"
        ]


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "---\n---\n"])
def test_no_board_at_all_is_bad_input(text: str) -> None:
    result = solve_text(text)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "52 cards are missing" in result.stderr


def test_the_name_of_the_file_is_in_the_complaint(tmp_path: Path) -> None:
    file = tmp_path / "mine.board"
    file.write_text("KS XS\n" + BOARD)
    assert f"citadel: {file}: line 1, column 4: 'XS' is not a card" in run("solve", "--board", str(file)).stderr


def test_a_stream_without_end_is_no_board() -> None:
    text = BOARD + "---\n" + "# more and more\n" * LARGEST_BOARD
    result = solve_text(text, "--json")
    assert result.exit_code == 2
    assert verdicts(result) == [(1, "won")]
    assert f"more than {LARGEST_BOARD} characters" in result.stderr


@pytest.mark.parametrize("game", ["citadel", "streets-and-alleys", "bakers-dozen"])
def test_case_18_deal_piped_into_solve_keeps_the_piles(game: str, tmp_path: Path) -> None:
    """The moves that come out of the pipe name the piles of the board as it was printed."""
    board = tmp_path / "board"
    board.write_text(run("deal", "ms:24", "--variant", game).stdout)
    solved = run("solve", "-", "--variant", game, stdin=board.read_text())
    assert solved.exit_code == 0
    verified = run("verify", str(board), "-", "--variant", game, stdin=solved.stdout)
    assert verified.exit_code == 0
    direct = run("solve", "ms:24", "--variant", game)
    assert solved.stdout.splitlines()[2:] == direct.stdout.splitlines()[2:]


def test_case_18_symbols_are_read_back() -> None:
    assert facts(run("deal", "ms:24", "--unicode").stdout) == facts(BOARD)
