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
from solver.runs.manifest import MOST_IN_CHUNK, Manifest
from solver.runs.rows import Row
from solver.solving import Verdict

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
    pq.write_table(table, buffer, compression="zstd", write_page_checksum=True)
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
    schema = pa.schema([SCHEMA.field(name) for name in columns or SCHEMA.names])
    try:
        with path.open("rb") as source, pq.ParquetFile(source, page_checksum_verification=True) as file:
            about = file.metadata
            size = sum(about.row_group(group).total_byte_size for group in range(about.num_row_groups))
            if about.num_rows > MOST_IN_CHUNK or size > _LARGEST_TABLE:
                raise _damaged(path, f"{about.num_rows} rows of {size} bytes")
            if not set(schema.names) <= set(file.schema_arrow.names):
                raise _damaged(path, "columns are missing")
            table = file.read(schema.names).select(schema.names).replace_schema_metadata(None).cast(schema)
            table.validate(full=True)
    except (OSError, KeyError, pa.ArrowException, UnicodeDecodeError) as error:
        raise _damaged(path, " ".join(str(error).split())) from None
    if "verdict" in schema.names and not set(table["verdict"].unique().to_pylist()) <= set(Verdict):
        raise _damaged(path, "a verdict is none")
    return table


_LARGEST_TABLE = 1 << 30
"""Bytes of a part's columns, unpacked; wins of 250 moves in all rows of the largest part make as many."""


def _damaged(path: Path, why: str) -> InputError:
    return InputError(f"{path} is damaged ({why}); remove it to have its deals searched again")


def read_whole(path: Path, most: int) -> str:
    """The text of a file of at most ``most`` bytes.

    Raises
    ------
    InputError
        If it cannot be read, is larger, or is no text; FileNotFoundError if it is not there.
    """
    try:
        with path.open("rb") as file:
            content = file.read(most + 1)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    if len(content) > most:
        raise InputError(f"cannot read {path}: it has more than {most} bytes")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise InputError(f"cannot read {path}: it is no text") from None


def write_whole(path: Path, content: bytes) -> None:
    """Write a file aside and rename it into place; as ``write_rows``. A device or a pipe is just written to."""
    aside = path.with_name(f"{path.name}{ASIDE}{uuid.uuid4().hex}")
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        with aside.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        for left in path.parent.iterdir():  # before the renaming: a kill in between leaves a file that is written again
            if left.name.startswith(path.name + ASIDE) and left != aside:
                left.unlink(missing_ok=True)
        aside.rename(path)
        _sync_folder(path.parent)
    except OSError as error:
        _remove(aside)
        raise InputError(f"cannot write {path}: {error.strerror or error}; what is finished is kept") from None
    except KeyboardInterrupt:
        _remove(aside)
        raise


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Force the folder's list of names to the disk, where a system lets one."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
