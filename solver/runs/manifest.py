"""What a run is: rules, deals, budgets, and how it is cut into chunks. Knows nothing of searching."""

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from solver.deals import DealRange, parse_deals
from solver.errors import InputError
from solver.rules import LATER_VERSION, Rules, rules_of, rules_of_stored
from solver.solving import LARGEST_BUDGET, engine_for
from solver.version import __version__

FORMAT = 1
"""Raised when an older version cannot read what is written; a new rule switch is no reason (``STORED_SWITCHES``)."""

MANY_CHUNKS = 200
"""A run is cut into about so many chunks ..."""

SMALLEST_CHUNK = 100
LARGEST_CHUNK = 1000
"""... but no part is so small that there are too many files, nor so large that a lost one is a lost day."""

MOST_IN_CHUNK = 1_000_000
"""Deals that a chunk may have: its rows are kept in memory until it is finished."""

LARGEST_MANIFEST = 1 << 20
"""Characters that a manifest may have; a thousand retries take a tenth of it."""

Value = TypeVar("Value")


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

    def retry_budgets(self) -> list[tuple[int, int, str]]:
        """The budgets and versions of the retries, whenever they were."""
        return [(retry.max_nodes, retry.max_memory, retry.version) for retry in self.retries]

    def retries_text(self) -> str:
        """The retries in words."""
        budgets = [f"{retry.max_nodes} nodes and {retry.max_memory} bytes" for retry in self.retries]
        return "with " + ", then ".join(budgets) if budgets else "never"

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
            "rules": self.rules.stored_switches(),
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
        If it is not a manifest, or of a format that this version cannot read.
    """
    if len(text) > LARGEST_MANIFEST:
        raise InputError(f"more than {LARGEST_MANIFEST} characters are no manifest of a run")
    try:
        record = json.loads(text)
        if record["format"] != FORMAT:
            later = type(record["format"]) is int and record["format"] > FORMAT
            advice = f"; {LATER_VERSION}" if later else ""
            raise InputError(f"its format is {record['format']!r:.40}, this version reads {FORMAT}{advice}")
        manifest = _manifest_of(record)
    except InputError:
        raise
    except KeyError as error:
        raise InputError(f"it is not a manifest of a run: {error} is not there") from None
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"it is not a manifest of a run: {error}") from None
    return manifest


def _manifest_of(record: dict[str, Any]) -> Manifest:
    """The manifest of a JSON object; KeyError, TypeError or ValueError if something is not as we write it."""
    game = rules_of(_value(record, "variant", str))
    rules = rules_of_stored(game.variant, game.piles, game.layout, _value(record, "rules", dict))
    first, last = _value(record, "first", str), _value(record, "last", str)
    deals = parse_deals(f"{_value(record, 'scheme', str)}:{first}-{last}")
    if (deals.scheme, str(deals.first), str(deals.last)) != (record["scheme"], first, last):
        raise ValueError(f"deals written as {record['scheme']!r}, {first!r}, {last!r}")
    return Manifest(
        rules=rules,
        deals=deals,
        max_nodes=_number(record, "max_nodes", LARGEST_BUDGET),
        max_memory=_number(record, "max_memory", LARGEST_BUDGET),
        engine=_value(record, "engine", str),
        node_unit=_value(record, "node_unit", str),
        solutions=_value(record, "solutions", bool),
        chunk=_number(record, "chunk", MOST_IN_CHUNK),
        version=_value(record, "version", str),
        begun=_value(record, "begun", str),
        retries=tuple(
            Retry(
                max_nodes=_number(retry, "max_nodes", LARGEST_BUDGET),
                max_memory=_number(retry, "max_memory", LARGEST_BUDGET),
                version=_value(retry, "version", str),
                begun=_value(retry, "begun", str),
            )
            for retry in _value(record, "retries", list)
        ),
    )


def _value(record: dict[str, Any], name: str, kind: type[Value]) -> Value:
    """A field of a JSON object, if it is of a kind."""
    value = record[name]
    if type(value) is not kind:  # a bool is no number
        raise TypeError(f"{name} is {value!r:.40}")
    return value


def _number(record: dict[str, Any], name: str, most: int) -> int:
    """A field that is a whole number from 1 on."""
    number = _value(record, name, int)
    if not 1 <= number <= most:
        raise ValueError(f"{name} is {number}, not 1 to {most}")
    return number


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
        "solutions": "yes" if manifest.solutions else "no",
        "chunk": manifest.chunk,
        "version": manifest.version,
    }
