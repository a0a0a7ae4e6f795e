"""Parts: Parquet files of rows, each whole or absent. Knows nothing of searching.

The rules stand in each file's metadata, and are looked at when it is read: a verdict without its rules is worthless.
"""

import io
import json
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from solver.errors import InputError
from solver.files import finished_is_kept, write_whole
from solver.runs.manifest import MOST_IN_CHUNK, Manifest
from solver.runs.rows import ONLY_WITH, SCHEMA, Row
from solver.solving import Verdict


def table_of(rows: Iterable[Row]) -> pa.Table:
    """Rows as a table."""
    columns = list(zip(*rows, strict=True)) or [()] * len(SCHEMA)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, SCHEMA, strict=True)]
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


def write_table(path: Path, table: pa.Table, manifest: Manifest) -> None:
    """Write a part, replacing the one that is there.

    Raises
    ------
    InputError
        If it cannot be written; what was there before is untouched.
    """
    about = _identity(manifest) | {"version": manifest.version}
    buffer = io.BytesIO()
    pq.write_table(table.replace_schema_metadata(about), buffer, compression="zstd", write_page_checksum=True)
    with finished_is_kept():
        write_whole(path, buffer.getvalue())


def _identity(manifest: Manifest) -> dict[str, str]:
    """What the parts of a run have in common, as their metadata."""
    return {
        "variant": manifest.rules.variant,
        "rules": json.dumps(manifest.rules.stored_switches()),
        "node_unit": manifest.node_unit,
    }


def read_rows(path: Path, manifest: Manifest, content: bytes | None = None) -> list[Row]:
    """The rows of a part; as ``read_table``."""
    table = read_table(path, manifest, content=content)
    return [Row(*values) for values in zip(*(column.to_pylist() for column in table.columns), strict=True)]


def read_table(
    path: Path, manifest: Manifest, columns: list[str] | None = None, content: bytes | None = None
) -> pa.Table:
    """Some columns of a part, all by default, and those that are looked at. ``content`` is the file, if it was read.

    Raises
    ------
    InputError
        If it is damaged, of another run, or says what no search comes to.
    """
    schema = pa.schema([field for field in SCHEMA if columns is None or field.name in {*columns, *_CHECKED}])
    try:
        with (
            path.open("rb") if content is None else io.BytesIO(content) as source,
            pq.ParquetFile(source, page_checksum_verification=True) as file,
        ):
            about = file.metadata
            size = sum(about.row_group(group).total_byte_size for group in range(about.num_row_groups))
            if about.num_rows > MOST_IN_CHUNK or size > _LARGEST_TABLE:
                raise _damaged(path, f"{about.num_rows} rows of {size} bytes")
            if not set(schema.names) <= set(file.schema_arrow.names):
                raise _damaged(path, "columns are missing")
            _check_identity(path, about.metadata or {}, manifest)
            table = file.read(schema.names).select(schema.names).replace_schema_metadata(None).cast(schema)
            table.validate(full=True)
    except (OSError, KeyError, pa.ArrowException, UnicodeDecodeError) as error:
        raise _damaged(path, " ".join(str(error).split())) from None
    _check_verdicts(path, table)
    return table


_CHECKED = ("deal", "verdict", "moves", "why_unknown")
"""The columns that are looked at whenever a part is read."""

_LARGEST_TABLE = 1 << 30
"""Bytes of a part's columns, unpacked; wins of 250 moves in all rows of the largest part make as many."""


def _check_identity(path: Path, about: dict[bytes, bytes], manifest: Manifest) -> None:
    for name, value in _identity(manifest).items():
        found = about.get(name.encode(), b"").decode()
        if found != value:
            raise InputError(f"{path} is of another run than its folder: its {name} is {found or 'not named'}")


def _check_verdicts(path: Path, table: pa.Table) -> None:
    verdicts = table["verdict"]
    if not set(verdicts.unique().to_pylist()) <= set(Verdict):
        raise _damaged(path, "a verdict is none")
    for verdict, column in ONLY_WITH.items():
        if not pc.all(pc.equal(pc.equal(verdicts, verdict), pc.is_valid(table[column]))).as_py():
            raise _damaged(path, f"{column} stands elsewhere than with what is {verdict}")


def _damaged(path: Path, why: str) -> InputError:
    return InputError(f"{path} is damaged ({why}); remove it to have its deals searched again")
