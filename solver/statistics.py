"""Rates and their intervals over many verdicts. Knows nothing of engines."""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

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

    def add(self, verdict: str) -> None:
        """Count one verdict, named as a field."""
        setattr(self, verdict, getattr(self, verdict) + 1)

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
    return Interval(
        _wilson(tally.won, tally.deals, confidence).low,
        _wilson(tally.won + tally.unknown, tally.deals, confidence).high,
    )


def _wilson(won: int, deals: int, confidence: float) -> Interval:
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    middle = won + z * z / 2
    reach = z * sqrt(won * (deals - won) / deals + z * z / 4)
    return Interval(max(0.0, middle - reach) / (deals + z * z), min(1.0, (middle + reach) / (deals + z * z)))
