"""Lists of deals that are proved won: scanning numbers until there are enough, and a deal for every date.

A list says by which rules, which numbers were scanned and with what budget, and names the lost and the unresolved
deals apart: without that nobody can extend it or check it. Knows nothing of click.
"""

import csv
import hashlib
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from solver.batch import Pace, cut
from solver.deals import DealId, DealRange
from solver.engine.result import WON
from solver.errors import InputError
from solver.files import append_line, finished_is_kept, read_whole, write_whole
from solver.rules import Rules
from solver.runs.blocks import Block, Found, search_block, search_of
from solver.runs.manifest import Manifest, read_manifest
from solver.runs.rows import Budget, Row, row_of
from solver.statistics import Tally

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT = 1
"""The version of lists and daily deals, named by their JSON."""

LARGEST_JOURNAL = 1 << 30
"""Bytes that a journal may have: some ten million deals."""

DIFFICULTIES = ((50, "easy"), (500, "medium"), (5_000, "hard"))
"""Most nodes of a class search for each difficulty; beyond, it is ``extreme``. ``docs/lists.md`` has the shares."""

MOST_SHUFFLES = 1000
"""Shuffles after which a date is given up: of a game that people play, one in a few is won."""


class Scan:
    """Deals searched one after the other until enough are won.

    Parameters
    ----------
    manifest
        Rules and budgets, and the deals that may be scanned.
    wanted
        Won deals to find; None scans all deals.
    journal
        A file that keeps what has been searched, so that an interrupted scan goes on; None keeps nothing.
    give_up_after
        Deals in a row without a won one after which the scan ends; None scans on.

    Raises
    ------
    InputError
        If the journal is of another scan, with what differs, or cannot be read or written.

    Attributes
    ----------
    rows, tally
        What the deals came to, and the number of each verdict.
    faults
        What the engine failed on, in words.
    fruitless
        How many deals were searched since the last won one.
    engine
        How the deals are searched.
    goes_further
        Whether the journal has more deals than are wanted.
    """

    def __init__(
        self, manifest: Manifest, wanted: int | None, journal: Path | None = None, give_up_after: int | None = None
    ) -> None:
        self.manifest = manifest
        self.wanted = wanted
        self.give_up_after = give_up_after
        self.fruitless = 0
        self.rows: list[Row] = []
        self.tally = Tally()
        self.faults: list[str] = []
        self.goes_further = False
        self._found = 0
        self.engine = search_of(manifest, Budget(manifest.max_nodes, manifest.max_memory), shortens=True)
        self._pace = Pace()
        self._journal = journal
        if journal is not None:
            self._open(journal)

    @property
    def found(self) -> int:
        """Number of won deals."""
        return self._found

    @property
    def finished(self) -> bool:
        """Whether there is nothing left to scan."""
        return len(self.rows) == self.manifest.deals.count or self._has_enough() or self.gave_up

    @property
    def gave_up(self) -> bool:
        """Whether the scan has ended because none of so many deals in a row was won."""
        return self.give_up_after is not None and self.fruitless >= self.give_up_after and not self._has_enough()

    @property
    def scanned(self) -> DealRange | None:
        """The deals that were searched."""
        deals = self.manifest.deals
        return DealRange(deals.scheme, deals.first, deals.first + len(self.rows) - 1) if self.rows else None

    def blocks(self) -> Iterator[Block]:
        """The deals that are still to be searched, in order."""
        deals = self.manifest.deals
        for first, count in cut(deals.first + len(self.rows), deals.last, self._pace):
            yield Block(0, deals.scheme, list(range(first, first + count)))

    def search(self, block: Block, abort: "NDArray[np.uint8]") -> Found:
        """Search some deals; may be called by several threads."""
        return search_block(block, self.engine, abort, self._pace)

    def add_found(self, found: Found) -> bool:
        """Take in what came of the next block; whether it was searched to its end.

        A block behind one that is missing is dropped, and so are the deals of this one that were interrupted.
        """
        if found.block.numbers[0] != self.manifest.deals.first + len(self.rows):
            return False
        faults = iter(found.faults())
        for row in found.rows():
            self.add(row, next(faults) if row.why_unknown == "fault" else None)
        return len(found.done()) == len(found.block.numbers)

    def add(self, row: Row, fault: str | None = None) -> None:
        """Take in the next deal's row, in order; one behind the last deal that is wanted is dropped."""
        if self.finished:
            return
        if self._journal is not None:
            with finished_is_kept():
                append_line(self._journal, json.dumps([*row]))
        self._take(row)
        if fault is not None:
            self.faults.append(fault)

    def end(self) -> None:
        """Remove the journal, unless it goes further than the list, or the scan can go further: it gave up."""
        if self._journal is not None and not (self.goes_further or self.gave_up):
            self._journal.unlink(missing_ok=True)

    def _has_enough(self) -> bool:
        return self.wanted is not None and self.found >= self.wanted

    def _take(self, row: Row) -> None:
        self.rows.append(row)
        self.tally.add(row.verdict)
        self._found += row.verdict == "won"
        self.fruitless = 0 if row.verdict == "won" else self.fruitless + 1

    def _open(self, journal: Path) -> None:
        """Read what a journal has; half a line, left by a kill, is cut off."""
        try:
            text = read_whole(journal, LARGEST_JOURNAL)
        except FileNotFoundError:
            write_whole(journal, (json.dumps(json.loads(self.manifest.text())) + "\n").encode())
            return
        whole = text[: text.rfind("\n") + 1]
        head, *lines = whole.split("\n")[:-1] or [""]
        try:
            before = read_manifest(head)
        except InputError as error:
            raise InputError(f"cannot go on with {journal}: {error}") from None
        differences = before.differences(self.manifest)
        if differences:
            raise InputError(f"{journal} is of another scan: there, {'; '.join(differences)}")
        for deal, (number, line) in zip(self.manifest.deals, enumerate(lines, 2), strict=False):
            if self.finished:
                self.goes_further = True
                break
            try:
                self._take(row_of(json.loads(line), deal))
            except (ValueError, TypeError, RecursionError):
                raise InputError(f"cannot go on with {journal}: line {number} is not what {deal} came to") from None
        if whole != text:
            write_whole(journal, whole.encode())


def difficulty(row: Row, node_unit: str) -> str | None:
    """The difficulty of a won deal, by the nodes of its search; None where nodes are not classes."""
    if node_unit != "class":
        return None
    return next((name for most, name in DIFFICULTIES if row.nodes <= most), "extreme")


def list_text(scan: Scan, form: str, with_effort: bool) -> str:
    """The list of a scan, as ``txt``, ``csv`` or ``json``.

    In ``txt`` and ``csv`` all lines but those of won deals are comments, or the head of the columns.
    """
    won, lost, unresolved = ([row for row in scan.rows if row.verdict == one] for one in ("won", "lost", "unknown"))
    efforts = [_effort(row, scan.manifest.node_unit) if with_effort else {} for row in won]
    if form == "json":
        head = {
            "variant": scan.manifest.rules.variant,
            "rules": scan.manifest.rules.switches(),
            "scheme": scan.manifest.deals.scheme,
            "first": str(scan.manifest.deals.first),
            "last": str(scan.scanned.last) if scan.scanned else None,
            **budget_json(scan.manifest),
            "format": FORMAT,
            "winnable": [{"deal": row.deal, **effort} for row, effort in zip(won, efforts, strict=True)],
            "lost": [row.deal for row in lost],
            "unresolved": [row.deal for row in unresolved],
        }
        return json.dumps(head, indent=1) + "\n"
    buffer = io.StringIO()
    for line in _head(scan, len(won), lost, unresolved):
        buffer.write(f"# {line}\n")
    if form == "csv":
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(["deal", *(EFFORT if with_effort else ())])
        writer.writerows([row.deal, *effort.values()] for row, effort in zip(won, efforts, strict=True))
    else:
        for row, effort in zip(won, efforts, strict=True):
            said = (f"{name}={value}" for name, value in effort.items() if value is not None)
            buffer.write(" ".join([row.deal, *said]) + "\n")
    return buffer.getvalue()


EFFORT = ("nodes", "moves", "difficulty")
"""What a list says of the effort."""


def _effort(row: Row, node_unit: str) -> dict[str, Any]:
    return dict(zip(EFFORT, (row.nodes, row.moves, difficulty(row, node_unit)), strict=True))


def _head(scan: Scan, won: int, lost: list[Row], unresolved: list[Row]) -> Iterator[str]:
    manifest = scan.manifest
    yield f"{manifest.rules.variant}: {manifest.rules.text()}"
    yield f"scanned: {scan.scanned or 'nothing'}: {won} winnable, {len(lost)} lost, {len(unresolved)} unresolved"
    yield budget_text(manifest)
    yield " ".join(["lost:", *(row.deal for row in lost)])
    yield " ".join(["unresolved:", *(row.deal for row in unresolved)])


def budget_json(manifest: Manifest) -> dict[str, Any]:
    """What JSON says of how the deals were searched."""
    names = ("max_nodes", "max_memory", "engine", "node_unit", "version")
    return {name: getattr(manifest, name) for name in names}


def budget_text(manifest: Manifest) -> str:
    """How the deals were searched, in words."""
    return (
        f"budget a deal: {manifest.max_nodes} nodes ({manifest.node_unit}), {manifest.max_memory} bytes; "
        f"{manifest.engine} engine, citadel-solver {manifest.version}"
    )


@dataclass(frozen=True, slots=True)
class DailyDeal:
    """The deal of a date, the first of its shuffles that is proved won; None if none of so many is."""

    date: date
    deal: DealId | None
    shuffles: int


def daily_number(rules: Rules, day: date, shuffle: int) -> int:
    """The ``pysol`` number of a date's n-th shuffle, n from 1: ten digits, the same on every machine.

    They are those of ``10^9 + h mod 9·10^9``, where h is the SHA-256 digest, read as a big-endian number, of
    ``citadel daily RULES DATE N``: the rules as ``Rules.stored_text``, the date as 2027-01-01. A
    switch that is added later changes the number only where its value is not the default.
    """
    text = f"citadel daily {rules.stored_text()} {day.isoformat()} {shuffle}"
    return 10**9 + int.from_bytes(hashlib.sha256(text.encode()).digest(), "big") % (9 * 10**9)


def daily_deal(manifest: Manifest, day: date, abort: "NDArray[np.uint8] | None" = None) -> DailyDeal | None:
    """The deal of a date, looked for in ``MOST_SHUFFLES`` of them; None if it was interrupted.

    ``manifest`` has the rules and the budget; its deals do not matter.
    """
    search = search_of(manifest, Budget(manifest.max_nodes, manifest.max_memory))
    abort = np.zeros(1, np.uint8) if abort is None else abort
    for shuffle in range(1, MOST_SHUFFLES + 1):
        number = daily_number(manifest.rules, day, shuffle)
        found = search_block(Block(0, "pysol", [number]), search, abort)
        if found.faults():
            raise RuntimeError(found.faults()[0])
        if not len(found.done()):
            return None
        if found.columns.status[0] == WON:
            return DailyDeal(day, DealId("pysol", number), shuffle)
    return DailyDeal(day, None, MOST_SHUFFLES)
