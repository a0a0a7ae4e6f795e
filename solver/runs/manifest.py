"""What a run is: rules, deals, budgets, and how it is cut into chunks. Knows nothing of searching."""

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from solver.deals import DealRange
from solver.errors import InputError
from solver.rules import Rules, rules_of
from solver.solving import engine_for
from solver.version import __version__

FORMAT = 1
"""Raised when folders of an older format cannot be read any more."""

MANY_CHUNKS = 200
"""A run is cut into about so many chunks ..."""

SMALLEST_CHUNK = 10
LARGEST_CHUNK = 1000
"""... but no part is so small that there are too many files, nor so large that a lost one is a lost day."""


@dataclass(frozen=True, slots=True)
class Retry:
    """A second search of the deals that stayed unknown, with larger budgets."""

    max_nodes: int
    max_memory: int
    version: str
    begun: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a run is.

    Attributes
    ----------
    rules, deals
        What is searched.
    max_nodes, max_memory
        Budgets of each search; ``max_memory`` in bytes.
    engine, node_unit
        The name of the search, and what it counts as a node.
    solutions
        Whether the winning moves are kept.
    chunk
        Number of deals a part; the last part may have fewer.
    version
        Version of this package.
    begun
        When the run was begun, UTC, ISO 8601.
    retries
        Later searches of the unknown deals, oldest first.
    """

    rules: Rules
    deals: DealRange
    max_nodes: int
    max_memory: int
    engine: str
    node_unit: str
    solutions: bool
    chunk: int
    version: str
    begun: str
    retries: tuple[Retry, ...] = ()

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return -(-self.deals.count // self.chunk)

    def chunk_deals(self, number: int) -> DealRange:
        """The deals of a chunk, numbered from 0."""
        first = self.deals.first + number * self.chunk
        return DealRange(self.deals.scheme, first, min(first + self.chunk - 1, self.deals.last))

    def differences(self, other: "Manifest") -> list[str]:
        """What makes the other one another run, in words: ``max-nodes is 100, not 200``."""
        mine, others = _identity(self), _identity(other)
        return [f"{name} is {mine[name]}, not {others[name]}" for name in mine if mine[name] != others[name]]

    def with_retry(self, max_nodes: int, max_memory: int) -> "Manifest":
        """The manifest with one more retry; the same one if that retry is the last already."""
        if self.retries and (self.retries[-1].max_nodes, self.retries[-1].max_memory) == (max_nodes, max_memory):
            return self
        return replace(self, retries=(*self.retries, Retry(max_nodes, max_memory, __version__, now())))

    def text(self) -> str:
        """The manifest as JSON; numbers of deals are strings, as everywhere."""
        record = {
            "format": FORMAT,
            "variant": self.rules.variant,
            "rules": self.rules.switches(),
            "scheme": self.deals.scheme,
            "first": str(self.deals.first),
            "last": str(self.deals.last),
            "max_nodes": self.max_nodes,
            "max_memory": self.max_memory,
            "engine": self.engine,
            "node_unit": self.node_unit,
            "solutions": self.solutions,
            "chunk": self.chunk,
            "version": self.version,
            "begun": self.begun,
            "retries": [
                {
                    "max_nodes": retry.max_nodes,
                    "max_memory": retry.max_memory,
                    "version": retry.version,
                    "begun": retry.begun,
                }
                for retry in self.retries
            ],
        }
        return json.dumps(record, indent=2) + "\n"


def new_manifest(
    rules: Rules,
    deals: DealRange,
    *,
    max_nodes: int,
    max_memory: int,
    engine: str = "auto",
    solutions: bool = False,
    chunk: int | None = None,
) -> Manifest:
    """The manifest of a run that begins now; ``engine`` is as for ``solver.solve``, ``chunk`` None cuts it sensibly.

    Raises
    ------
    InputError
        If there is no such engine, or if it does not serve the rule set.
    """
    searcher = engine_for(rules, engine)
    if chunk is None:
        chunk = min(max(-(-deals.count // MANY_CHUNKS), SMALLEST_CHUNK), LARGEST_CHUNK)
    return Manifest(
        rules,
        deals,
        max_nodes,
        max_memory,
        searcher.name,
        searcher.node_unit,
        solutions,
        chunk,
        __version__,
        now(),
    )


def read_manifest(text: str) -> Manifest:
    """Read the JSON of a manifest.

    Raises
    ------
    InputError
        If it is no manifest, or of a format that this version cannot read.
    """
    try:
        record: dict[str, Any] = json.loads(text)
        if record["format"] != FORMAT:
            raise InputError(f"its format is {record['format']}, this version reads {FORMAT}")
        return Manifest(
            rules_of(record["variant"], record["rules"]),
            DealRange(record["scheme"], int(record["first"]), int(record["last"])),
            record["max_nodes"],
            record["max_memory"],
            record["engine"],
            record["node_unit"],
            record["solutions"],
            record["chunk"],
            record["version"],
            record["begun"],
            tuple(Retry(**retry) for retry in record["retries"]),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"it is no manifest of a run: {error!r}") from None


def now() -> str:
    """The time, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _identity(manifest: Manifest) -> dict[str, object]:
    """What two manifests of one run agree on, by the names of the options."""
    switches = {switch: value or "fixed by the variant" for switch, value in manifest.rules.switches().items()}
    return {
        "variant": manifest.rules.variant,
        **switches,
        "deals": manifest.deals,
        "max-nodes": manifest.max_nodes,
        "memory": manifest.max_memory,
        "engine": manifest.engine,
        "solutions": "kept" if manifest.solutions else "not kept",
        "chunk": manifest.chunk,
        "version": manifest.version,
    }
