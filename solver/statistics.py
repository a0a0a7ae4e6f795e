"""Rates, their intervals, quantiles and comparisons over many verdicts. Knows nothing of engines and files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CONFIDENCE = 0.95
"""Confidence of every interval that is printed."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A range of rates, each from 0 to 1."""

    low: float
    high: float


@dataclass(slots=True)
class Tally:
    """A count of verdicts."""

    won: int = 0
    lost: int = 0
    unknown: int = 0

    def add(self, verdict: str, count: int = 1) -> None:
        """Count one verdict, named as a field, or several alike."""
        setattr(self, verdict, getattr(self, verdict) + count)

    @property
    def deals(self) -> int:
        """All verdicts together."""
        return self.won + self.lost + self.unknown

    def __str__(self) -> str:
        return f"{self.won} won, {self.lost} lost, {self.unknown} unknown"


def win_rate(tally: Tally) -> Interval:
    """The share of deals won if every unknown one is lost, and if every one is won."""
    return Interval(tally.won / tally.deals, (tally.won + tally.unknown) / tally.deals)


def win_rate_interval(tally: Tally, confidence: float = CONFIDENCE) -> Interval:
    """The interval of the win rate, unknowns counted both ways.

    The low end is that of Wilson's score interval with every unknown deal lost, the high end that with every
    unknown deal won, so that the interval covers whatever they turn out to be.
    """
    from scipy.stats import binomtest  # takes half a second to load

    all_lost, all_won = (
        binomtest(won, tally.deals).proportion_ci(confidence, method="wilson")
        for won in (tally.won, tally.won + tally.unknown)
    )
    return Interval(float(all_lost.low), float(all_won.high))


QUANTILES = (0.5, 0.9, 0.99, 1.0)
"""The quantiles that are printed; the last is the largest value."""


def quantiles(values: "Sequence[float] | NDArray[Any]") -> list[float]:
    """The ``QUANTILES`` of some values, at least one; each is one of the values, none is in between."""
    import numpy as np

    return [float(value) for value in np.quantile(values, QUANTILES, method="inverted_cdf")]


def waits(won: "NDArray[np.bool_]", places: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """How many deals it takes from a deal on, in order and that one included, until one is won.

    Parameters
    ----------
    won
        Whether each deal is won.
    places
        Where each lies in the order of deals, increasing; a wait does not reach across a gap.

    Returns
    -------
    The wait from each deal after which a won one comes, in order; the others have none.
    """
    import numpy as np

    winners = np.flatnonzero(won)
    starts = np.arange(winners[-1] + 1 if len(winners) else 0)
    ends = winners[np.searchsorted(winners, starts)]
    steps = ends - starts
    waited: NDArray[np.int64] = steps[places[ends] - places[starts] == steps] + 1
    return waited


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two games, or two searches, on the same deals.

    Attributes
    ----------
    both_won, only_first, only_second, both_lost
        The paired table, of the deals whose verdict is known in both.
    undecided
        Deals unknown in at least one.
    difference
        Win rate of the second minus that of the first, on all common deals: from every unknown verdict counted
        against it to every one counted for it.
    interval
        Interval of the difference, unknown verdicts counted both ways.
    p_value
        McNemar's exact test that a deal won in one of the two only is as likely to be won in either, on the
        deals whose verdict is known in both.
    """

    both_won: int
    only_first: int
    only_second: int
    both_lost: int
    undecided: int
    difference: Interval
    interval: Interval
    p_value: float

    @property
    def deals(self) -> int:
        """Number of common deals."""
        return self.both_won + self.only_first + self.only_second + self.both_lost + self.undecided


def compare(first: Mapping[str, str], second: Mapping[str, str], confidence: float = CONFIDENCE) -> Comparison:
    """Compare two sets of verdicts, each a map from a deal to ``won``, ``lost`` or ``unknown``.

    Raises
    ------
    ValueError
        If they have no deal in common.
    """
    from scipy.stats import binomtest  # takes half a second to load

    pairs = [(verdict, second[deal]) for deal, verdict in first.items() if deal in second]
    if not pairs:
        raise ValueError("no deal is in both")
    known = [pair for pair in pairs if "unknown" not in pair]
    only_first, only_second = known.count(("won", "lost")), known.count(("lost", "won"))
    discordant = only_first + only_second
    against = [(one != "lost", two == "won") for one, two in pairs]
    in_favour = [(one == "won", two != "lost") for one, two in pairs]
    low, high = _paired_difference(against, confidence), _paired_difference(in_favour, confidence)
    return Comparison(
        both_won=known.count(("won", "won")),
        only_first=only_first,
        only_second=only_second,
        both_lost=known.count(("lost", "lost")),
        undecided=len(pairs) - len(known),
        difference=Interval(_mean_difference(against), _mean_difference(in_favour)),
        interval=Interval(low.low, high.high),
        p_value=float(binomtest(only_second, discordant).pvalue) if discordant else 1.0,
    )


def _mean_difference(pairs: Sequence[tuple[bool, bool]]) -> float:
    return sum(second - first for first, second in pairs) / len(pairs)


def _paired_difference(pairs: Sequence[tuple[bool, bool]], confidence: float) -> Interval:
    """Agresti and Min's interval of a difference of paired rates: the normal one, half a pair more in each cell.

    A. Agresti, Y. Min, "Simple improved confidence intervals for comparing matched proportions", Statistics in
    Medicine 24 (2005).
    """
    count = len(pairs) + 2
    gained, missed = pairs.count((False, True)) + 0.5, pairs.count((True, False)) + 0.5
    centre = (gained - missed) / count
    spread = NormalDist().inv_cdf((1 + confidence) / 2) * sqrt((gained + missed) / count - centre**2) / sqrt(count)
    return Interval(max(centre - spread, -1.0), min(centre + spread, 1.0))
