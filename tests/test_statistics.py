"""Rates and intervals."""

import pytest

from solver.statistics import Tally, win_rate, win_rate_interval


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
