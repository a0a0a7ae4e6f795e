"""Parts: Parquet files of rows, each whole or absent. Knows nothing of searching.

A file is written aside, forced to the disk and renamed into place, so that neither a full disk nor a power cut
leaves half of one. The rules stand in each file's metadata: a verdict without its rules is worthless.
"""

import io
import json
import os
import uuid
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from solver.errors import InputError
from solver.runs.manifest import Manifest
from solver.runs.rows import Row

SCHEMA = pa.schema(
    [
        pa.field("deal", pa.string(), nullable=False),
        pa.field("verdict", pa.string(), nullable=False),
        pa.field("nodes", pa.int64(), nullable=False),
        pa.field("skeletons", pa.int64()),
        pa.field("moves", pa.int32()),
        pa.field("skimmed", pa.int8(), nullable=False),
        pa.field("seconds", pa.float64(), nullable=False),
        pa.field("why_unknown", pa.string()),
        pa.field("solution", pa.string()),
    ]
)
"""The columns of a part; described in ``docs/runs.md``."""


ASIDE = ".aside-"
"""What stands in the name of a file that is not written yet."""


def write_rows(path: Path, rows: Iterable[Row], manifest: Manifest) -> None:
    """Write a part, replacing the one that is there.

    Raises
    ------
    InputError
        If it cannot be written; what was there before is untouched.
    """
    about = {
        "variant": manifest.rules.variant,
        "rules": json.dumps(manifest.rules.switches()),
        "node_unit": manifest.node_unit,
        "version": manifest.version,
    }
    columns = zip(*rows, strict=True)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, SCHEMA, strict=True)]
    table = pa.Table.from_arrays(arrays, schema=SCHEMA.with_metadata(about))
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    write_whole(path, buffer.getvalue())


def read_rows(path: Path) -> list[Row]:
    """The rows of a part.

    Raises
    ------
    InputError
        If it is damaged.
    """
    table = read_table(path)
    return [Row(*values) for values in zip(*(column.to_pylist() for column in table.columns), strict=True)]


def read_table(path: Path, columns: list[str] | None = None) -> pa.Table:
    """A part as a table; as ``read_rows``."""
    try:
        table = pq.read_table(path, columns=columns or SCHEMA.names, partitioning=None)
    except (OSError, KeyError, pa.ArrowException) as error:
        raise InputError(f"{path} is damaged ({error}); remove it to have its deals searched again") from None
    return table.replace_schema_metadata(None)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file aside and rename it into place; as ``write_rows``."""
    aside = path.with_name(f"{path.name}{ASIDE}{uuid.uuid4().hex}")
    try:
        with aside.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        aside.rename(path)
        _sync_folder(path.parent)
        for left in path.parent.glob(f"{path.name}{ASIDE}*"):  # of a process that was killed while writing
            left.unlink(missing_ok=True)
    except OSError as error:
        with suppress(OSError):
            aside.unlink(missing_ok=True)
        raise InputError(f"cannot write {path}: {error.strerror or error}; what is finished is kept") from None


def _sync_folder(folder: Path) -> None:
    """Force the folder's list of names to the disk, where a system lets one."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
