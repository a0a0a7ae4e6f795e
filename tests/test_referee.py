"""The referee: what it replays, what it refuses, and that it stands on nothing but the rules."""

import subprocess
import sys
from collections import deque

import pytest
from boards import draw, games, small_rules
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from solver.notation import parse_moves
from solver.position import FOUNDATION, Move, Position
from solver.referee import Replay, replay
from solver.rules import Rules

RULES = small_rules(3)
BOARD = draw(
    """
    Foundations: H-A C-A
    2D AS 2H
    2C AD
    2S
    """,
    RULES,
    ranks=2,
)
WIN = """
2H 1 F
AS 1 F
AD 2 F
2D 1 F
2C 2 F
2S 3 F
"""


def judged(text: str, board: Position = BOARD, rules: Rules = RULES) -> Replay:
    """What the referee says of a move list."""
    return replay(board, rules, parse_moves(text))


def test_a_win() -> None:
    result = judged(WIN)
    assert result.wins
    assert result.problem is None
    assert (result.played, len(result.positions)) == (6, 7)
    assert result.positions[0] == BOARD
    assert result.positions[-1].is_won()
    assert not result.repeats


def test_no_moves() -> None:
    result = judged("")
    assert (result.played, result.problem, result.wins, result.positions) == (0, None, False, (BOARD,))


def test_a_list_that_ends_too_early_does_not_win() -> None:
    result = judged(WIN.replace("2S 3 F\n", ""))
    assert (result.played, result.problem, result.wins) == (5, None, False)


@pytest.mark.parametrize(
    ("old", "new", "played", "problem"),
    [
        ("2H 1 F\n", "", 0, "AS is not the top card of pile 1"),
        ("AS 1 F\n", "", 2, "2D is not the top card of pile 1"),
        ("2H 1 F\nAS 1 F", "AS 1 F\n2H 1 F", 0, "AS is not the top card of pile 1"),
        ("AD 2 F\n2D 1 F", "2D 1 F\nAD 2 F", 2, "2D does not fit its foundation"),
        ("AD 2 F", "AD 1 F", 2, "AD is not in pile 1"),
        ("AD 2 F", "AD 2 2", 2, "a move to the same place is not a move"),
        ("AS 1 F", "AS 1 2", 1, "pile 2 does not accept AS"),
        ("2C 2 F", "2C 2 1", 4, "a whole pile into a space is not a move"),
        ("2C 2 F", "2C F 2", 4, "founded cards stay"),
        ("2C 2 F", "2C 4 F", 4, "there is no pile 4"),
        ("2S 3 F", "2S 3 F\n2S 3 F", 6, "the game is already won"),
    ],
)
def test_an_edited_list_is_refused_and_it_says_where_and_why(old: str, new: str, played: int, problem: str) -> None:
    assert old in WIN
    result = judged(WIN.replace(old, new))
    assert (result.played, result.problem, result.wins) == (played, problem, False)


def test_an_edit_that_is_legal_may_win_another_way() -> None:
    assert judged(WIN.replace("AS 1 F\nAD 2 F", "AD 2 F\nAS 1 F")).wins


def test_automatic_moves_are_demanded() -> None:
    rules = small_rules(3, auto_found="uncovered")
    assert judged(WIN.replace("AS 1 F\nAD 2 F", "AD 2 F\nAS 1 F"), rules=rules).problem == (
        "AS was uncovered and goes to its foundation first"
    )
    demanded = "2H 1 F\nAS 1 F\nAD 2 F\n2C 2 F\n2D 1 F\n2S 3 F"
    assert judged(demanded, rules=rules).wins
    assert not judged(WIN, rules=rules).wins


def test_a_line_that_comes_back_repeats_a_position() -> None:
    assert not judged("2H 1 F\nAS 1 3").repeats
    assert judged("2H 1 F\nAS 1 3\nAS 3 1").repeats


def shortest_win(position: Position, rules: Rules, most: int) -> list[Move] | None:
    """A shortest winning line, found breadth first; None if there is none within ``most`` positions."""
    came_from: dict = {position: None}
    waiting = deque([position])
    while waiting and len(came_from) < most:
        here = waiting.popleft()
        for move in here.legal_moves(rules):
            reached = here.apply(move, rules)
            if reached in came_from:
                continue
            came_from[reached] = (here, move)
            if reached.is_won():
                line = []
                while came_from[reached] is not None:
                    reached, move = came_from[reached]
                    line.append(move)
                return line[::-1]
            waiting.append(reached)
    return None


@settings(max_examples=200)
@given(games(), st.data())
def test_a_shortest_win_replays_and_no_edit_of_it_wins(game: tuple[Position, Rules], data: st.DataObject) -> None:
    """Without one of its moves a shortest win is too short; a move from elsewhere is illegal right there."""
    position, rules = game
    win = shortest_win(position, rules, 2000)
    assume(win)
    result = replay(position, rules, win)
    assert result.wins
    assert not result.repeats
    assert result.played == len(win)
    at = data.draw(st.integers(0, len(win) - 1))
    assert not replay(position, rules, win[:at] + win[at + 1 :]).wins
    elsewhere = [place for place in range(FOUNDATION, rules.piles + 1) if place != win[at].source]
    altered = win[at]._replace(source=data.draw(st.sampled_from(elsewhere)))
    result = replay(position, rules, [*win[:at], altered, *win[at + 1 :]])
    assert (result.played, result.wins) == (at, False)
    assert result.problem


RULES_ALONE = {"errors", "cards", "rules", "position", "notation", "shuffles", "deals", "version"}


def test_it_imports_the_standard_library_and_the_rules_alone() -> None:
    code = "import sys; before = set(sys.modules); import solver.referee; print(*(set(sys.modules) - before))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = set(run.stdout.split())
    ours = {name for name in modules if name.split(".")[0] == "solver"}
    assert {name.split(".")[0] for name in modules - ours} <= sys.stdlib_module_names
    parts = {name.split(".")[1] for name in ours - {"solver"}}
    assert {"referee", "position"} <= parts <= {"referee", *RULES_ALONE}
