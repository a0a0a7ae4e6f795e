"""Rates and intervals."""

from collections.abc import Sequence

import numpy as np
import pytest

from solver.statistics import Tally, compare, quantiles, waits, win_rate, win_rate_interval


def test_tally_counts() -> None:
    tally = Tally()
    for verdict in ("won", "lost", "won", "unknown", "won"):
        tally.add(verdict)
    assert tally == Tally(won=3, lost=1, unknown=1)
    assert tally.deals == 5
    assert str(tally) == "3 won, 1 lost, 1 unknown"


def test_unknown_deals_count_both_ways() -> None:
    rate = win_rate(Tally(won=50, lost=30, unknown=20))
    assert (rate.low, rate.high) == (0.5, 0.7)


def test_interval_is_wilsons() -> None:
    """85 of 100: (k + z²/2 ± z √(k (n - k) / n + z²/4)) / (n + z²) with z = 1.959964."""
    interval = win_rate_interval(Tally(won=85, lost=15))
    assert interval.low == pytest.approx(0.767164, abs=1e-5)
    assert interval.high == pytest.approx(0.906941, abs=1e-5)


def test_interval_covers_both_ways() -> None:
    unsure = win_rate_interval(Tally(won=50, lost=30, unknown=20))
    assert unsure.low == win_rate_interval(Tally(won=50, lost=50)).low
    assert unsure.high == win_rate_interval(Tally(won=70, lost=30)).high


@pytest.mark.parametrize("tally", [Tally(won=3), Tally(lost=3), Tally(unknown=3)])
def test_interval_stays_between_none_and_all(tally: Tally) -> None:
    interval = win_rate_interval(tally)
    assert 0 <= interval.low < interval.high <= 1


def test_more_confidence_is_a_wider_interval() -> None:
    tally = Tally(won=85, lost=15)
    usual, wide = win_rate_interval(tally), win_rate_interval(tally, confidence=0.99)
    assert wide.low < usual.low < usual.high < wide.high


def verdicts(text: str) -> dict[str, str]:
    """The verdicts of deals 0, 1, ... from their first letters."""
    words = {"w": "won", "l": "lost", "u": "unknown"}
    return {str(number): words[letter] for number, letter in enumerate(text)}


def test_quantiles_are_values_that_occur() -> None:
    assert quantiles(range(1, 1001)) == [500, 900, 990, 1000]
    assert quantiles([7]) == [7, 7, 7, 7]


def test_a_comparison_pairs_the_deals() -> None:
    result = compare(verdicts("wwwwwllluuw"), verdicts("wwwlllwlwlu"))
    assert (result.both_won, result.only_first, result.only_second, result.both_lost) == (3, 2, 1, 2)
    assert (result.undecided, result.deals) == (3, 11)


def test_only_common_deals_are_compared() -> None:
    first = verdicts("wwl") | {"mine": "won"}
    second = verdicts("wll") | {"theirs": "won"}
    assert compare(first, second).deals == 3
    with pytest.raises(ValueError, match="no deal"):
        compare({"mine": "won"}, {"theirs": "won"})


def test_unknown_deals_count_both_ways_in_a_difference() -> None:
    unsure = compare(verdicts("wlu" * 10), verdicts("wlw" * 10))
    assert unsure.difference.low == 0
    assert unsure.difference.high == pytest.approx(1 / 3)
    assert unsure.interval.low == compare(verdicts("wlw" * 10), verdicts("wlw" * 10)).interval.low
    assert unsure.interval.high == compare(verdicts("wll" * 10), verdicts("wlw" * 10)).interval.high


def test_the_interval_of_a_difference_is_agresti_and_mins() -> None:
    """12 gained, 3 missed of 40: (9 / 42) ± 1.959964 · √((16 − 9² / 42) / 42²)."""
    result = compare(verdicts("l" * 12 + "w" * 28), verdicts("w" * 12 + "l" * 3 + "w" * 25))
    assert result.difference.low == result.difference.high == pytest.approx(9 / 40)
    assert result.interval.low == pytest.approx(0.214286 - 0.175051, abs=1e-5)
    assert result.interval.high == pytest.approx(0.214286 + 0.175051, abs=1e-5)


def test_no_difference_still_has_an_interval() -> None:
    result = compare(verdicts("wl" * 20), verdicts("wl" * 20))
    assert result.interval.low < 0 < result.interval.high
    assert result.p_value == 1


def test_mcnemars_test_is_exact() -> None:
    """1 against 9: 2 · (1 + 10) / 2^10."""
    result = compare(verdicts("w" + "l" * 9 + "wl" * 5), verdicts("l" + "w" * 9 + "wl" * 5))
    assert result.p_value == pytest.approx(22 / 1024)


@pytest.mark.parametrize(
    ("verdicts", "places", "expected"),
    [
        ("lwllwl", range(6), [2, 1, 3, 2, 1]),
        ("www", range(3), [1, 1, 1]),
        ("lll", range(3), []),
        ("", range(0), []),
        ("lwllw", [0, 1, 2, 7, 8], [2, 1, 2, 1]),  # what lies between 2 and 7 is not known
    ],
)
def test_waits_until_a_win(verdicts: str, places: Sequence[int], expected: list[int]) -> None:
    won = np.array([verdict == "w" for verdict in verdicts], bool)
    assert waits(won, np.array(places, np.int64)).tolist() == expected
