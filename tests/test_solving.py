"""The library's front door."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from boards import draw, sketch
from command import use_engine

import solver
from solver.analysis import analyze
from solver.certificates import prove
from solver.deals import parse_deal
from solver.engine.result import ABORTED, LOST, OUT_OF_MEMORY, OUT_OF_NODES, WON, SearchResult
from solver.errors import InputError
from solver.notation import board_text, parse_board, parse_move
from solver.position import Position
from solver.referee import replay
from solver.rules import rules_of
from solver.solving import LARGEST_BUDGET, LONG_WIN, Outcome, RefusedWin, Verdict, deal, engine_for, solve

CITADEL = rules_of("citadel")
WON_BOARD = "Foundations: H-K C-K D-K S-K\n"
NEARLY_WON = "Foundations: H-K C-K D-K S-J\nKS QS\n"
SWAPPED = "Foundations: H-K C-K D-K S-J\nQS KS\n"


def ends_with(status: int, **values: Any) -> Any:
    """An engine that ends at once."""
    return lambda *_, **__: SearchResult(status, 7, **values)


def test_deal_takes_names_and_objects() -> None:
    expected = deal("ms:24", "citadel")
    assert deal(parse_deal("ms:24"), CITADEL) == expected
    assert deal(617, CITADEL) == deal("617", CITADEL) == deal("pysol:617", CITADEL)
    assert board_text(expected).startswith("Foundations: H-2 C-3 D-3 S-4\n4C QH 9H JH 6D\n")


def test_deal_takes_switches() -> None:
    assert deal("ms:24", "citadel", skim="no") == deal("ms:24", "beleaguered-castle")
    assert deal("ms:24", "citadel", skim_gap="refill") != deal("ms:24", "citadel")


@pytest.mark.parametrize(
    ("name", "variant", "switches"),
    [
        ("ms:0", "citadel", {}),
        ("ms:1-2", "citadel", {}),
        ("ms:1", "fortress", {}),
        ("ms:1", "citadel", {"skim": "perhaps"}),
        ("ms:1", "citadel", {"colour": "red"}),
        ("ms:1", "bakers-dozen", {"skim": "no"}),
    ],
)
def test_deal_refuses(name: str, variant: str, switches: dict[str, str]) -> None:
    with pytest.raises(InputError):
        deal(name, variant, **switches)


def test_a_win_has_moves_that_replay() -> None:
    position = deal("ms:24", "citadel")
    outcome = solve(position, "citadel")
    assert outcome.verdict is Verdict.WON
    assert outcome.moves is not None
    assert outcome.why_unknown is None
    assert solver.replay(position, CITADEL, outcome.moves).wins


def test_the_rules_decide() -> None:
    """The Ace lies under the King: with spaces the King moves away, without them it never does."""
    text = "Foundations: H-K C-K D-K\nAS KS\n2S 3S 4S 5S 6S 7S\n8S 9S TS JS QS\n"
    assert solve(draw(text, CITADEL), CITADEL).verdict is Verdict.WON
    no_spaces = rules_of("citadel", {"spaces": "none"})
    outcome = solve(draw(text, no_spaces), no_spaces)
    assert (outcome.verdict, outcome.moves, outcome.why_unknown) == (Verdict.LOST, None, None)


@pytest.mark.parametrize("text", [WON_BOARD, NEARLY_WON, SWAPPED])
def test_boards_at_the_very_end_are_won(text: str) -> None:
    outcome = solve(draw(text, CITADEL), CITADEL)
    assert outcome.verdict is Verdict.WON
    assert outcome.moves is not None


def test_missing_last_piles_are_empty() -> None:
    position = Position((13, 13, 13, 11), (draw(NEARLY_WON, CITADEL).piles[0],))
    assert solve(position, CITADEL).verdict is Verdict.WON


def test_all_problems_of_a_position_are_named() -> None:
    with pytest.raises(InputError, match=r"there twice.*missing"):
        solve(sketch("5S 5S"), CITADEL)


@pytest.mark.parametrize("budget", [0, -1, LARGEST_BUDGET + 1])
def test_budgets_out_of_range_are_refused(budget: int) -> None:
    position = draw(NEARLY_WON, CITADEL)
    with pytest.raises(InputError, match="max_nodes"):
        solve(position, CITADEL, max_nodes=budget)
    with pytest.raises(InputError, match="max_memory"):
        solve(position, CITADEL, max_memory=budget)


@pytest.mark.parametrize("budget", ["256M", 1e6, None])
def test_budgets_that_are_no_whole_numbers_are_refused(budget: Any) -> None:
    with pytest.raises(InputError, match="max_memory must be int, not "):
        solve(draw(NEARLY_WON, CITADEL), CITADEL, max_memory=budget)


@pytest.mark.parametrize("taken", [solve, analyze, prove])
def test_what_is_no_position_is_refused(taken: Callable[[Any, str], object]) -> None:
    with pytest.raises(InputError, match="position must be Position, not str"):
        taken("ms:24", "citadel")


def test_rules_may_be_the_name_of_a_variant() -> None:
    position = parse_board(NEARLY_WON, "citadel")
    assert position == parse_board(NEARLY_WON, CITADEL)
    moves = solve(position, "citadel").moves or ()
    assert replay(position, "citadel", moves).wins
    with pytest.raises(InputError, match="did you mean citadel"):
        parse_board(NEARLY_WON, "citadell")
    with pytest.raises(InputError, match="text must be str, not bytes"):
        parse_board(NEARLY_WON.encode(), "citadel")  # type: ignore[arg-type]


def test_case_4_tiny_budgets_say_unknown() -> None:
    position = deal("ms:24", "citadel")
    few_nodes = solve(position, CITADEL, max_nodes=1)
    assert (few_nodes.verdict, few_nodes.why_unknown, few_nodes.moves) == (Verdict.UNKNOWN, "nodes", None)
    hard = deal("ms:38", "penelopes-web")  # more than is searched between two looks at the flag
    for engine in ("general", "quota"):
        aborted = solve(hard, "penelopes-web", engine=engine, abort=np.ones(1, np.uint8))
        assert (aborted.verdict, aborted.why_unknown) == (Verdict.UNKNOWN, "interrupted")


@pytest.mark.parametrize(
    ("status", "why"), [(OUT_OF_NODES, "nodes"), (OUT_OF_MEMORY, "memory"), (ABORTED, "interrupted")]
)
def test_case_4_every_way_of_giving_up_is_unknown(monkeypatch: pytest.MonkeyPatch, status: int, why: str) -> None:
    use_engine(monkeypatch, ends_with(status))
    outcome = solve(draw(NEARLY_WON, CITADEL), CITADEL)
    assert (outcome.verdict, outcome.why_unknown, outcome.moves) == (Verdict.UNKNOWN, why, None)


def test_case_4_an_unheard_of_status_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    use_engine(monkeypatch, ends_with(99))
    with pytest.raises(KeyError):
        solve(draw(NEARLY_WON, CITADEL), CITADEL)


def test_case_22_a_machine_without_the_memory_says_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def search(*_: Any, **__: Any) -> SearchResult:
        raise MemoryError

    use_engine(monkeypatch, search)
    outcome = solve(draw(NEARLY_WON, CITADEL), CITADEL)
    assert (outcome.verdict, outcome.why_unknown) == (Verdict.UNKNOWN, "memory")


@pytest.mark.parametrize("line", [[], ["QS 1 F"], ["KS 1 F"], ["QS 1 F", "KS 1 2"]])
def test_case_10_a_win_that_the_referee_refuses_is_a_fault(monkeypatch: pytest.MonkeyPatch, line: list[str]) -> None:
    use_engine(monkeypatch, ends_with(WON, moves=tuple(map(parse_move, line))))
    with pytest.raises(RefusedWin):
        solve(draw(NEARLY_WON, CITADEL), CITADEL)


@pytest.mark.parametrize(
    ("switches", "name"),
    [
        ({}, "quota"),
        ({"unit": "supermove"}, "quota"),
        ({"spaces": "none"}, "quota"),
        ({"unit": "sequence"}, "general"),
        ({"withdrawal": "yes"}, "general"),
        ({"auto-found": "uncovered"}, "general"),
    ],
)
def test_the_rules_choose_the_engine(switches: dict[str, str], name: str) -> None:
    rules = rules_of("citadel", switches)
    assert engine_for(rules).name == name
    assert engine_for(rules, "general").name == "general"
    if name == "general":
        with pytest.raises(InputError, match="the quota engine does not serve these rules"):
            engine_for(rules, "quota")


def test_an_engine_that_is_not_there() -> None:
    with pytest.raises(InputError, match="no engine 'brute'; there are auto, quota, general"):
        solve(draw(NEARLY_WON, CITADEL), CITADEL, engine="brute")


def test_engines_agree() -> None:
    for number in range(24, 34):
        position = deal(f"ms:{number}", "citadel")
        general, quota = (solve(position, "citadel", engine=engine) for engine in ("general", "quota"))
        assert (general.engine, quota.engine) == ("general", "quota")
        assert general.verdict is quota.verdict


@pytest.mark.parametrize("engine", ["general", "quota"])
def test_short_wins(engine: str) -> None:
    position = deal("ms:24", "citadel")
    usual = solve(position, "citadel", engine=engine)
    short = solve(position, "citadel", engine=engine, short=True)
    assert usual.moves is not None
    assert short.moves is not None
    assert usual.moves_saved is None
    assert short.moves_saved == len(usual.moves) - len(short.moves) > 0
    assert solver.replay(position, CITADEL, short.moves).wins


def test_case_10_a_short_win_is_refereed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solver.engine.general.polish.polish", lambda *_, **__: ())
    with pytest.raises(RefusedWin):
        solve(deal("ms:24", "citadel"), CITADEL, short=True)


def test_a_machine_without_the_memory_for_a_shorter_win_keeps_the_win(monkeypatch: pytest.MonkeyPatch) -> None:
    def polish(*_: Any, **__: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr("solver.engine.general.polish.polish", polish)
    outcome = solve(deal("ms:24", "citadel"), CITADEL, short=True)
    assert (outcome.verdict, outcome.moves_saved) == (Verdict.WON, 0)


def test_outcome_of_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    use_engine(monkeypatch, ends_with(LOST, trace={"iterations": 3}))
    outcome = solve(draw(NEARLY_WON, CITADEL), CITADEL)
    expected = Outcome(Verdict.LOST, 7, "position", outcome.seconds, None, None, "made-for-a-test", {"iterations": 3})
    assert outcome == expected
    assert outcome.seconds >= 0


def test_the_front_door_has_all_its_names() -> None:
    for name in solver.__all__:
        assert getattr(solver, name) is not None


def test_a_long_win_is_tidied_and_a_short_one_left_alone() -> None:
    for number, long in ((4, True), (24, False)):
        variant = "streets-and-alleys" if long else "citadel"
        position = deal(f"ms:{number}", variant)
        plain, tidied = solve(position, variant), solve(position, variant, tidy=True)
        assert plain.moves is not None
        assert tidied.moves is not None
        assert (len(plain.moves) > LONG_WIN) == long
        assert (len(tidied.moves) < len(plain.moves)) == long
