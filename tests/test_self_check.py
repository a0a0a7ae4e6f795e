"""``citadel selfcheck``: what it compares, and that it says so when searches disagree."""

import re
import signal
import subprocess
import sys
from collections import Counter
from itertools import islice
from math import nan
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from command import COMMAND, run, use_engine

from solver import selfcheck
from solver.checking import self_check
from solver.checking.naive import naive_verdict
from solver.checking.samples import RULE_SETS, any_rules, small_position, turned
from solver.checking.self_check import WAYS, SelfCheck, cases, compare
from solver.engine.result import LOST, OUT_OF_NODES, WON, SearchResult
from solver.errors import InputError
from solver.position import Position
from solver.rules import VARIANTS, Rules
from solver.solving import Verdict


def ends_with(status: int) -> Any:
    """An engine that always ends so."""
    return lambda *_, **__: SearchResult(status, 1)


def test_no_search_contradicts_another() -> None:
    report = SelfCheck(7)
    for case in islice(cases(7), 80):
        report.add(compare(case))
    assert report.differences == []
    assert min(tally.deals for tally in report.alike.values()) > 3
    assert min(report.alike["naive"].won, report.alike["naive"].lost) > 10
    assert report.compared + report.undecided == 80


def test_cases_follow_from_the_seed() -> None:
    assert list(islice(cases(3), 12)) == list(islice(cases(3), 12))
    assert list(islice(cases(3), 12)) != list(islice(cases(4), 12))


def test_a_game_that_is_added_leaves_all_cases_of_others_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    before = [any_rules(Random(seed)) for seed in range(400)]
    assert Counter(rules.variant for rules in before).keys() == VARIANTS.keys()
    monkeypatch.setitem(VARIANTS, "added", Rules("added", piles=9))
    after = [any_rules(Random(seed)) for seed in range(400)]
    changed = [new for old, new in zip(before, after, strict=True) if old != new]
    assert {rules.variant for rules in changed} == {"added"}
    assert 20 < len(changed) < 100, "about one in eight"


def test_all_rule_sets_take_part() -> None:
    few = list(islice(cases(1), 4000))  # enough for every rule set, whatever games there are
    play = ("spaces", "unit", "withdrawal", "auto_found")
    for wanted in (True, False):
        seen = Counter(tuple(getattr(case.rules, name) for name in play) for case in few if case.is_small == wanted)
        assert set(seen) == {tuple(switches.values()) for switches in RULE_SETS}
    assert len({case.rules.variant for case in few}) == len(VARIANTS) + 1  # every game and the small one


def test_a_turned_position_is_the_same_game() -> None:
    for seed in range(60):
        position, rules = small_position(Random(seed))
        other = turned(Random(seed), position)
        assert other.problems(rules) == []
        assert naive_verdict(other, rules, 10**4) == naive_verdict(position, rules, 10**4)


@pytest.mark.parametrize("status", [LOST, WON])
def test_a_difference_is_reported_with_all_to_look_into_it(monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    """An engine that always says lost, and one that always says won, with no moves to show for it."""
    use_engine(monkeypatch, ends_with(status))
    monkeypatch.setitem(self_check.FULL_NODES, "made-for-a-test", 1)
    monkeypatch.setattr("solver.cli.selfcheck.cases", lambda seed: islice(cases(seed), 40))
    result = run("selfcheck", "--minutes", "9", "--seed", "5", "-q")
    assert result.exit_code == 1
    assert result.stderr == ""
    assert result.stdout.splitlines()[0] == "seed: 5"
    found = re.findall(
        r"^DIFFERENCE in (.*)\n(.*\n)+?rules = (.*)\nposition = (.*)\nturned = (.*)$", result.stdout, re.M
    )
    assert len(found) > 3
    assert result.stdout.splitlines()[-1].endswith(f" compared, {len(found)} differences")
    if status == LOST:
        assert re.search("^naive: won$", result.stdout, re.MULTILINE)
        assert re.search("^made-for-a-test: lost$", result.stdout, re.MULTILINE)
        rules, position = (eval(found[0][at], {"Rules": Rules, "Position": Position}) for at in (2, 3))
        assert naive_verdict(position, rules, 2000) is True
    else:
        assert "made-for-a-test: the referee refuses" in result.stdout


def test_a_crash_of_an_engine_is_reported_with_the_position(monkeypatch: pytest.MonkeyPatch) -> None:
    def search(*_: Any, **__: Any) -> SearchResult:
        raise IndexError("out of bounds")

    use_engine(monkeypatch, search)
    comparison = compare(next(cases(5)))
    assert comparison.is_difference
    assert "made-for-a-test: out of bounds\n" in comparison.text()


def test_a_case_that_only_one_search_decides_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    use_engine(monkeypatch, ends_with(OUT_OF_NODES))
    comparison = compare(next(cases(5)))
    assert comparison.verdicts["naive"] is not Verdict.UNKNOWN
    assert comparison.way is None
    report = SelfCheck(5)
    report.add(comparison)
    assert (report.compared, report.undecided) == (0, 1)


def test_from_python() -> None:
    assert selfcheck(0).compared == 0
    report = selfcheck(0.01, seed=2)
    assert report.seed == 2
    assert report.compared > 0
    assert all(way in report.alike for way in WAYS)
    assert selfcheck(9, abort=np.ones(1, np.uint8)).compared == 0


def test_case_24_an_interrupt_reports_what_was_compared() -> None:
    command = [*COMMAND, "selfcheck", "--minutes", "9"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert any(" compared in " in line for line in process.stderr)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert int(output.splitlines()[-1].split()[0]) > 0
    assert errors.splitlines()[-1] == "citadel: interrupted"


@pytest.mark.parametrize("minutes", ["nan", "inf", "-1"])
def test_what_is_no_number_of_minutes(minutes: str) -> None:
    result = run("selfcheck", "--minutes", minutes)
    assert (result.exit_code, result.stdout) == (2, "")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("minutes", [nan, -1])
def test_what_is_no_number_of_minutes_from_python(minutes: float) -> None:
    with pytest.raises(InputError, match="is not a number of minutes"):
        selfcheck(minutes, abort=np.ones(1, np.uint8))  # aborted, as otherwise a check of nan minutes has no end


@pytest.mark.slow
def test_ten_minutes_of_it() -> None:
    report = selfcheck(10, seed=20260101)
    assert report.differences == [], report.text()
    assert report.compared > 5000


def test_naive_needs_nothing_compiled() -> None:
    code = "import sys, solver.checking.naive, solver.checking.samples; print({'numba', 'numpy'} & set(sys.modules))"
    package = Path(self_check.__file__).parents[2]
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=package).stdout
    assert printed == "set()\n"
