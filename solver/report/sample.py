"""The rows of a run as the report counts them, and what each run is called. Knows nothing of pages."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from solver.rules import TITLES, VARIANTS
from solver.statistics import Tally

if TYPE_CHECKING:
    import pyarrow as pa

    from solver.runs.manifest import Manifest

COLUMNS = ["deal", "verdict", "nodes", "moves", "skimmed", "seconds", "why_unknown"]
"""The columns of a run that are looked at."""


@dataclass(frozen=True)
class Sample:
    """A run: what it is, and its finished rows.

    Attributes
    ----------
    number
        Its place among the runs of a report, from 0, which decides the looks of its marks.
    name
        What the run's folder is called.
    manifest
        What the run is.
    table
        The ``COLUMNS``, a row a deal in the order of the deals; at least one row.
    missing
        Number of parts that are not there yet.
    """

    number: int
    name: str
    manifest: "Manifest"
    table: "pa.Table"
    missing: int

    @cached_property
    def verdicts(self) -> NDArray[np.str_]:
        """The verdict of each deal."""
        return self.column("verdict").astype(str)

    @cached_property
    def verdict_of(self) -> dict[str, str]:
        """The verdict of a deal by its name."""
        return dict(zip(self.column("deal").tolist(), self.verdicts.tolist(), strict=True))

    @cached_property
    def tally(self) -> Tally:
        """The verdicts of all deals."""
        return tally_of(self.verdicts)

    @property
    def reasons(self) -> dict[str, int]:
        """How many deals are unknown for each reason."""
        return dict(sorted(Counter(filter(None, self.column("why_unknown"))).items()))

    @property
    def places(self) -> NDArray[np.int64]:
        """Where each deal lies in the run's range, from 0."""
        first = self.manifest.deals.first  # numbers of deals may be too large for any array
        places = (int(deal.rpartition(":")[2]) - first for deal in self.column("deal"))
        return np.fromiter(places, np.int64)

    def column(self, name: str) -> NDArray[Any]:
        """A column as an array."""
        return self.table[name].to_numpy()  # type: ignore[no-any-return]

    def moves_of_wins(self) -> NDArray[np.int64]:
        """The moves of each win, in the order of the deals."""
        moves: NDArray[np.int64] = self.column("moves")[self.verdicts == "won"].astype(np.int64)
        return moves


def tally_of(verdicts: NDArray[np.str_]) -> Tally:
    """Count verdicts."""
    return Tally(*(int(np.count_nonzero(verdicts == verdict)) for verdict in ("won", "lost", "unknown")))


def labels(samples: Sequence[Sample]) -> list[str]:
    """A short name for each run, different for all: the game, and as much else as it takes."""
    names = [_game(sample) for sample in samples]
    details = [
        [str(sample.manifest.deals) for sample in samples],
        [f"{(sample.manifest.retries or (sample.manifest,))[-1].max_nodes:,} nodes" for sample in samples],
        [f"version {sample.manifest.version}" for sample in samples],
        [f"run {number}" for number in range(1, len(samples) + 1)],
    ]
    for detail in details:
        for name in {name for name in names if names.count(name) > 1}:
            alike = [index for index, other in enumerate(names) if other == name]
            if len({detail[index] for index in alike}) > 1:
                for index in alike:
                    names[index] += f", {detail[index]}"
    return names


def _game(sample: Sample) -> str:
    """The variant's name, with the switches that were changed."""
    rules = sample.manifest.rules
    usual = VARIANTS[rules.variant].switches()
    changed = [f"{switch}={value}" for switch, value in rules.switches().items() if value != usual[switch]]
    return " ".join([TITLES[rules.variant], *changed])
