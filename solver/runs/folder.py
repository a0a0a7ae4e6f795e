"""The folder of a run: its manifest, its parts, and which chunks are finished. Knows nothing of searching.

manifest.json             what the run is
part-000000.parquet       the rows of the first chunk, in the order of the deals; whole or absent
partial-000007.parquet    rows of a chunk that an interrupt left unfinished; gone when the part is there
"""

from pathlib import Path

import pyarrow as pa

from solver.errors import InputError
from solver.files import ASIDE, finished_is_kept, read_whole, write_whole
from solver.runs.manifest import LARGEST_MANIFEST, MOST_IN_CHUNK, Manifest, read_manifest
from solver.runs.parts import read_rows, read_table, write_table
from solver.runs.rows import SCHEMA, Row
from solver.statistics import Tally

MANIFEST = "manifest.json"

MOST_CHUNKS = 1_000_000
"""Chunks that a run may have: as many as the six digits in the names of the parts can number."""


class RunFolder:
    """A run on the disk.

    Parameters
    ----------
    path
        The folder, with a manifest in it.

    Raises
    ------
    InputError
        If there is no manifest, or it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            text = read_whole(path / MANIFEST, LARGEST_MANIFEST)
        except FileNotFoundError:
            raise InputError(f"{path} is not a run: it has no {MANIFEST}") from None
        try:
            self.manifest = read_manifest(text)
            _check_chunks(self.manifest)
        except InputError as error:
            raise InputError(f"cannot read {path / MANIFEST}: {error}") from None

    @classmethod
    def begin(cls, path: Path, manifest: Manifest) -> "RunFolder":
        """Make the folder of a run, or open it again to go on with the same run.

        Raises
        ------
        InputError
            If another run is there, with what differs, the folder cannot be written, or there are too many chunks.
        """
        _check_chunks(manifest)
        try:
            path.mkdir(parents=True, exist_ok=True)
            names = {file.name for file in path.iterdir() if ASIDE not in file.name}
        except OSError as error:
            raise InputError(f"cannot make {path}: {error.strerror}") from None
        if not names:
            try:
                write_whole(path / MANIFEST, manifest.text().encode())
            except InputError:
                if not (path / MANIFEST).exists():  # else another share of the run was faster
                    raise
        elif MANIFEST not in names:
            raise InputError(f"{path} is not empty, and holds no run")
        run = cls(path)
        differences = run.manifest.differences(manifest)
        if differences:
            raise InputError(f"{path} holds another run: there, {'; '.join(differences)}")
        return run

    def part(self, chunk: int) -> Path:
        """The file of a chunk's rows."""
        return self.path / f"part-{chunk:06}.parquet"

    def finished_chunks(self) -> list[int]:
        """The chunks that have a part."""
        there = {path.name for path in self.path.glob("part-*.parquet")}
        return [chunk for chunk in range(self.manifest.chunks) if self.part(chunk).name in there]

    def rows(self, chunk: int) -> list[Row]:
        """The rows of a finished chunk.

        Raises
        ------
        InputError
            If the part is damaged, or not of this run.
        """
        rows = read_rows(self.part(chunk), self.manifest)
        self._check_deals(chunk, [row.deal for row in rows])
        return rows

    def part_content(self, chunk: int) -> bytes:
        """The file of a finished chunk, read once and looked through; errors are as for ``rows``."""
        try:
            content = self.part(chunk).read_bytes()
        except OSError as error:
            raise InputError(f"cannot read {self.part(chunk)}: {error.strerror}") from None
        self._check_deals(chunk, [row.deal for row in read_rows(self.part(chunk), self.manifest, content)])
        return content

    def write(self, chunk: int, table: pa.Table) -> None:
        """Write the part of a chunk, its rows in the order of the deals; its partial rows are no longer needed."""
        write_table(self.part(chunk), table, self.manifest)
        self._partial(chunk).unlink(missing_ok=True)

    def partial_rows(self, chunk: int) -> list[Row]:
        """The rows that an interrupt left of a chunk; errors are as for ``rows``."""
        path = self._partial(chunk)
        if not path.exists():
            return []
        rows = read_rows(path, self.manifest)
        deals = self.manifest.chunk_deals(chunk)
        names = [row.deal for row in rows]
        if len(set(names)) < len(names) or not set(names) <= set(map(str, deals)):
            raise InputError(f"{path} does not hold some of the deals {deals}; remove it to have them searched again")
        return rows

    def write_partial(self, chunk: int, table: pa.Table) -> None:
        """Keep rows of a chunk that is not finished."""
        write_table(self._partial(chunk), table, self.manifest)

    def note_retry(self, max_nodes: int, max_memory: int) -> None:
        """Write into the manifest that the unknown deals are searched again."""
        manifest = self.manifest.with_retry(max_nodes, max_memory)
        if manifest is not self.manifest:
            write_whole(self.path / MANIFEST, manifest.text().encode())
            self.manifest = manifest

    def table(self, columns: list[str] | None = None) -> pa.Table:
        """All finished rows, in the order of the deals; errors are as for ``rows``."""
        wanted = columns or SCHEMA.names
        tables = [self._table(chunk, wanted) for chunk in self.finished_chunks()]
        return pa.concat_tables(tables) if tables else SCHEMA.empty_table().select(wanted)

    def tally(self) -> Tally:
        """The verdicts of all finished rows."""
        counts = self.table(["verdict"])["verdict"].value_counts().to_pylist()
        return Tally(**{count["values"]: count["counts"] for count in counts})

    def _table(self, chunk: int, columns: list[str]) -> pa.Table:
        table = read_table(self.part(chunk), self.manifest, columns)
        self._check_deals(chunk, table["deal"].to_pylist())
        return table.select(columns)

    def _check_deals(self, chunk: int, names: list[str]) -> None:
        deals = self.manifest.chunk_deals(chunk)
        if names != list(map(str, deals)):
            raise InputError(f"{self.part(chunk)} does not hold the deals {deals}")

    def _partial(self, chunk: int) -> Path:
        return self.path / f"partial-{chunk:06}.parquet"


def _check_chunks(manifest: Manifest) -> None:
    if manifest.chunk > MOST_IN_CHUNK:
        raise InputError(f"a part has at most {MOST_IN_CHUNK} deals, not {manifest.chunk}")
    if manifest.chunks > MOST_CHUNKS:
        raise InputError(
            f"{manifest.deals.count} deals in parts of {manifest.chunk} are more than the {MOST_CHUNKS} parts "
            "that a run may have; take fewer deals, or larger parts with --chunk"
        )


def merge(sources: list[RunFolder], path: Path) -> RunFolder:
    """Copy the parts of one run that was searched in several folders, as by ``--shard``, into one.

    A damaged part ends the copying; the same call goes on when it is mended or removed.

    Raises
    ------
    InputError
        If the folders hold different runs, or were searched again with different budgets; if two of them hold the same
        chunk, or a part is damaged.
    """
    first = sources[0].manifest
    owners: dict[int, RunFolder] = {}
    for source in sources:
        differences = first.differences(source.manifest)
        if differences:
            raise InputError(f"{sources[0].path} and {source.path} are different runs: {'; '.join(differences)}")
        if source.manifest.retry_budgets() != first.retry_budgets():
            raise InputError(
                f"{sources[0].path} was searched again {first.retries_text()}, {source.path} "
                f"{source.manifest.retries_text()}; citadel run --retry-unknown makes them alike"
            )
        for chunk in source.finished_chunks():
            if chunk in owners:
                raise InputError(f"{owners[chunk].path} and {source.path} both hold {source.part(chunk).name}")
            owners[chunk] = source
    merged = RunFolder.begin(path, first)
    for chunk, source in owners.items():
        content = source.part_content(chunk)
        with finished_is_kept():
            write_whole(merged.part(chunk), content)
    return merged
