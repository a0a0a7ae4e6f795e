"""``citadel analyze``."""

import json
import signal
import subprocess
from pathlib import Path

import pytest
from boards import DATA, LONG_DEAL
from command import COMMAND, run

BOARD = (DATA / "boards/citadel/24.board").read_text()
RULES_LINE = (
    "# citadel: aces=first skim=yes skim-gap=skip order=rows spaces=any unit=card withdrawal=no auto-found=never"
)
NEARLY_WON = "Foundations: H-K C-K D-K S-J\nKS QS\n"


def test_a_board_that_plays_itself_out() -> None:
    result = run("analyze", "-", stdin=NEARLY_WON)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        RULES_LINE,
        "position: won, 2 moves",
        "plays itself out: no card lies on a lower one",
        "hint: QS 1 F",
        "QS 1 F   won, 2 moves",
        "QS 1 2   won, 3 moves",
    ]
    assert result.stderr == ""


def test_a_deal_and_its_board_say_the_same(tmp_path: Path) -> None:
    file = tmp_path / "a.board"
    file.write_text(BOARD)
    by_deal = run("analyze", "ms:24")
    assert by_deal.exit_code == 0
    assert by_deal.stdout.splitlines()[2].startswith("hint: ")
    assert run("analyze", str(file)).stdout == by_deal.stdout == run("analyze", "-", stdin=BOARD).stdout


def test_a_lost_deal() -> None:
    result = run("analyze", "ms:26")
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [RULES_LINE, "position: lost", "dead: no move wins"]


def test_a_stuck_deal() -> None:
    result = run("analyze", "ms:25")
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [RULES_LINE, "position: lost", "stuck: no legal move is left"]


def test_a_move_that_loses() -> None:
    """The Queen on the King of Spades shuts the Ten in for good."""
    board = "Foundations: H-K C-K D-9 S-Q\nKD JD\nTD KS\nQD\n"
    result = run("analyze", "-", "--spaces", "none", stdin=board)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1:] == [
        "position: won, 5 moves",
        "hint: KS 2 F",
        "KS 2 F   won, 5 moves",
        "JD 1 3   won, 6 moves",
        "QD 3 2   lost",
        "1 of 3 moves loses the win",
    ]
    record = json.loads(run("analyze", "-", "--spaces", "none", "--json", stdin=board).stdout)
    assert record["losing_moves"] == ["QD 3 2"]


def test_unknown() -> None:
    result = run("analyze", "ms:24", "--max-nodes", "1")
    assert result.exit_code == 3
    lines = result.stdout.splitlines()
    assert lines[1:3] == ["position: unknown (out of nodes)", "hint: none, no move is known to win"]
    assert any("unknown (out of nodes)" in line for line in lines[3:])


def test_json() -> None:
    result = run("analyze", "-", "--json", stdin=NEARLY_WON)
    assert result.exit_code == 0
    record = json.loads(result.stdout)
    assert record.pop("seconds") >= 0
    assert (record["variant"], record["rules"]["spaces"]) == ("citadel", "any")
    assert {key: value for key, value in record.items() if key not in ("variant", "rules")} == {
        "deal": None,
        "verdict": "won",
        "why_unknown": None,
        "nodes": 0,
        "node_unit": "class",
        "moves_to_win": 2,
        "stuck": False,
        "dead": False,
        "plays_itself_out": True,
        "hint": "QS 1 F",
        "moves": [
            {"move": "QS 1 F", "verdict": "won", "why_unknown": None, "moves_to_win": 2},
            {"move": "QS 1 2", "verdict": "won", "why_unknown": None, "moves_to_win": 3},
        ],
        "losing_moves": [],
        "engine": "quota",
    }


def test_json_of_a_lost_position() -> None:
    result = run("analyze", "ms:26", "--json")
    assert result.exit_code == 1
    record = json.loads(result.stdout)
    assert (record["verdict"], record["dead"], record["hint"], record["losing_moves"]) == ("lost", True, None, [])
    assert record["stuck"] is False
    assert record["deal"] == "ms:26"
    assert {move["verdict"] for move in record["moves"]} == {"lost"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing argument"),
        (["no/such/file"], "No such file"),
        (["ms:0"], "out of range"),
        (["ms:1-3"], "No such file"),
        (["ms:24", "--engine", "quota", "--withdrawal", "yes"], "the quota engine does not serve these rules"),
        (["ms:24", "--engine", "brute"], "'brute' is not one of 'auto', 'quota', 'general'"),
    ],
)
def test_bad_input(arguments: list[str], message: str) -> None:
    result = run("analyze", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_several_boards_are_refused() -> None:
    result = run("analyze", "-", stdin=f"{BOARD}---\n{BOARD}")
    assert result.exit_code == 2
    assert "several boards" in result.stderr


def test_case_24_an_interrupt() -> None:
    budget = ["--engine", "general", "--max-nodes", "9" * 15, "--memory", "8G"]
    command = [*COMMAND, "analyze", str(LONG_DEAL), "--variant", "penelopes-web", *budget]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        while b" so far" not in process.stderr.readline():
            pass
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=120)
        assert (process.returncode, output) == (130, b"")
        assert errors.endswith(b"citadel: interrupted\n")
