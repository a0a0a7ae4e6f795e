"""The benchmarks can be started, and what they compute from times and verdicts is right."""

import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
SCRIPTS = sorted(path for path in BENCHMARKS.glob("*.py") if "argparse" in path.read_text())


@pytest.fixture(autouse=True)
def benchmarks_importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripts import each other as they do when they are run."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_benchmark_explains_itself(
    script: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [str(script), "--help"])
    with pytest.raises(SystemExit) as ending:
        runpy.run_path(str(script), run_name="__main__")
    assert not ending.value.code
    assert "usage: " + script.name in capsys.readouterr().out


def test_the_readme_names_every_benchmark() -> None:
    readme = (BENCHMARKS / "README.md").read_text()
    started = [path.name for path in BENCHMARKS.glob("*.py") if "__main__" in path.read_text()]
    assert [name for name in started if f"| `{name}` |" not in readme] == []


def test_what_a_call_takes_beyond_its_searches_is_shared_out_evenly() -> None:
    from measuring import shared_out

    assert shared_out(10.0, np.array([1.0, 5.0])).tolist() == [3.0, 7.0]
    assert shared_out(3.0, np.array([1.0, 5.0])).tolist() == [1.0, 5.0]  # it had to wait for a core


def test_the_interval_of_a_ratio_draws_deals_in_pairs() -> None:
    from measuring import ratio_interval

    times = np.array([1.0, 2.0, 300.0])
    assert ratio_interval(4 * times, times) == pytest.approx((4, 4))
    low, high = ratio_interval(np.array([1.0, 2.0, 300.0]), np.array([1.0, 1.0, 1.0]))
    assert 1 <= low < 101 < high <= 300


def peers_game(theirs: str) -> Any:
    """A game of one deal that we lose, with their verdict."""
    from peers import LIBRARY, RUN, Game, Way

    from solver.deals import DealId, DealRange

    deal, ways = DealId("ms", 1), {RUN: Way(), LIBRARY: Way()}
    ways[RUN].add([deal], ["lost"], [0.1])
    ways[LIBRARY].add([deal], [theirs], [0.1])
    return Game("citadel", DealRange("ms", 1, 1), ways, [], [], Way())


@pytest.mark.parametrize(("theirs", "count"), [("lost", 0), ("unknown", 0), ("won", 1)])
def test_a_contradiction_is_told(theirs: str, count: int, capsys: pytest.CaptureFixture[str]) -> None:
    from peers import tell_contradictions

    assert tell_contradictions(peers_game(theirs)) == count
    assert ("CONTRADICTION citadel ms:1" in capsys.readouterr().out) == bool(count)


def test_the_model_of_threads_is_bound_by_the_lock() -> None:
    from scaling import Share, amdahl

    share = Share(lock=0.001, free=0.009, units=np.array([0.009]), deals_a_block=1.0)
    assert share.share == pytest.approx(0.1)
    assert share.speedup(2) == pytest.approx(2, rel=0.01)  # while one works, the other one has the lock
    assert share.speedup(64) == pytest.approx(10, rel=0.01)  # the lock is held all the time
    assert amdahl(0.1, 2) == pytest.approx(1 / 0.55)
