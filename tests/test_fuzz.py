"""Spoilt input of every kind gives verdicts or one line with status 2, and the faults that were found so."""

import json
import sys
import tempfile
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import run, run_apart
from fuzz import KINDS, RUN_BUDGET, finished_run, fuzz, on_runs, peak_memory, problem_of, trials
from hypothesis import given
from hypothesis import strategies as st

from solver.deals import parse_deals
from solver.errors import InputError
from solver.notation import parse_board, parse_moves, split_boards
from solver.rules import rules_of
from solver.runs.manifest import read_manifest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a command that hangs is ended by an alarm")

MEMORY_SLACK = 512 << 20
"""Bytes that a hundred thousand inputs may add to the peak of the process: engines, Arrow, and what Python keeps."""


@pytest.mark.parametrize("kind", KINDS)
def test_case_17_spoilt_input(kind: str) -> None:
    ends = fuzz(kind, seed=17, count=100)
    assert min(ends["answered"], ends["refused"]) > 3, ends


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_case_17_a_hundred_thousand_spoilt_inputs(kind: str) -> None:
    before = peak_memory()
    ends = fuzz(kind, seed=1717, count=-(-100_000 // len(KINDS)))
    assert min(ends["answered"], ends["refused"]) > 200, ends
    assert peak_memory() < before + MEMORY_SLACK


def check_apart(kind: str, seed: int, count: int) -> None:
    """Trials in processes of their own."""
    with tempfile.TemporaryDirectory() as name:
        for trial in islice(trials(kind, seed, Path(name)), count):
            result = run_apart(*trial.arguments, stdin=trial.stdin)
            problem = problem_of(trial, result.returncode, result.stdout.decode(), result.stderr.decode())
            assert problem is None, (problem, trial, result)


@pytest.mark.parametrize("kind", KINDS)
def test_case_17_spoilt_input_to_a_process(kind: str) -> None:
    check_apart(kind, seed=3, count=1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_case_17_spoilt_input_to_many_processes(kind: str) -> None:
    check_apart(kind, seed=5, count=60)


# --- The readers of the library


def refusal(read: Callable[[], object]) -> str:
    """The message of a reader that refuses; empty if it does not."""
    try:
        read()
    except InputError as error:
        return str(error)
    return ""


@given(st.text() | st.text("ms:pysol0123456789-", max_size=30))
def test_any_text_names_deals_or_is_refused(text: str) -> None:
    assert "\n" not in refusal(lambda: parse_deals(text))


@given(st.text() | st.text("A23456789TJQKHCDSF:- \n#", max_size=300))
def test_any_text_is_boards_and_moves_or_is_refused(text: str) -> None:
    citadel = rules_of("citadel")
    assert "\n" not in refusal(lambda: [parse_board(part.text, citadel) for part in split_boards(text)])
    assert "\n" not in refusal(lambda: parse_moves(text))


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()


@given(st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_no_json_is_a_manifest(value: Any) -> None:
    with pytest.raises(InputError, match="it is not a manifest of a run: "):
        read_manifest(json.dumps(value))


# --- Found by these tests


@pytest.fixture(name="folder")
def run_of_four(tmp_path: Path) -> Path:
    """A finished run that may be spoilt."""
    return finished_run(tmp_path)


def refused(*arguments: str) -> str:
    """What a command is refused with, in one line."""
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, ""), (arguments, result)
    (line,) = result.stderr.splitlines()
    return line


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("first", float("inf")),
        ("last", "9" * 20),  # 10^20 deals in parts of two: every one was looked for
        ("first", "0"),
        ("first", "٣"),
        ("chunk", 0),
        ("chunk", "2"),
        ("chunk", 10**9),
        ("max_nodes", -1),
        ("max_memory", 10**30),
        ("solutions", 1),
        ("variant", []),
        ("rules", {}),
        ("rules", {"spaces": "any"}),
        ("scheme", "MS"),
        ("scheme", None),
        ("version", None),
        ("retries", [1]),
        ("retries", [{"max_nodes": 1}]),
        ("begun", 3),
    ],
)
def test_a_manifest_with_a_value_that_we_never_write(folder: Path, name: str, value: object) -> None:
    manifest = folder / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {name: value}))
    for arguments in on_runs(folder, folder):
        assert "manifest.json: " in refused(*arguments)


@pytest.mark.parametrize("content", [b"\xff\xfe{", b"[" * 100_000, b" " * (1 << 21), b"{}", b"null", b"1e999"])
def test_a_manifest_that_is_none(folder: Path, content: bytes) -> None:
    (folder / "manifest.json").write_bytes(content)
    assert "manifest.json: " in refused("stats", str(folder))


def test_no_run_is_begun_that_could_not_be_gone_on_with(tmp_path: Path) -> None:
    out = ["--out", str(tmp_path / "run")]
    assert "take fewer deals" in refused("run", "--deals", "1-99999999999999999999", *out)
    assert "take fewer deals" in refused("run", "--deals", "1-2000000", "--chunk", "1", *out)
    assert "at most 1000000 deals" in refused("run", "--deals", "1-9", "--chunk", "1000001", *out)
    assert "--max-nodes" in refused("run", "--deals", "1-9", "--max-nodes", "9" * 30, *out)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("verdict", ["won", "maybe"]),
        ("verdict", [1, 2]),
        ("nodes", ["many", "few"]),
        ("seconds", [[1.0], [2.0]]),
        ("deal", None),
        ("verdict", None),
    ],
)
def test_a_part_with_columns_that_we_never_write(folder: Path, column: str, values: list[object] | None) -> None:
    path = folder / "part-000001.parquet"
    table = pq.read_table(path).drop_columns([column])
    pq.write_table(table if values is None else table.append_column(column, pa.array(values)), path)
    for arguments in (
        ["compare", str(folder), str(folder)],
        ["run", "--deals", "ms:1-4", "--out", str(folder), *RUN_BUDGET],
    ):
        if column in ("verdict", "deal") or arguments[0] == "run":
            assert "part-000001.parquet is damaged (" in refused(*arguments)


def test_a_part_of_a_great_many_rows(folder: Path) -> None:
    """A few kilobytes that unpack to gigabytes."""
    path = folder / "part-000001.parquet"
    table = pq.read_table(path)
    pq.write_table(table.take(pa.array([0] * 1_000_001)), path, compression="zstd")
    assert "part-000001.parquet is damaged (1000001 rows" in refused("stats", str(folder))


def test_a_changed_byte_in_a_part_is_noticed(folder: Path) -> None:
    """Not only where the file stops being one: a verdict that was won must not become lost."""
    path = folder / "part-000000.parquet"
    content = path.read_bytes()
    place = content.index(b"\x28\xb5\x2f\xfd") + 8  # in the first compressed page
    path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
    assert "part-000000.parquet is damaged (" in refused("compare", str(folder), str(folder))


JOURNAL = ["winnable", "--from", "ms:1-4", "--max-nodes", "50", "-q"]


@pytest.mark.parametrize(
    "line",
    [
        b"[]",
        b"{}",
        b"null",
        b"nonsense",
        b"\xff",
        b'["ms:2", "won", 1, 1, 1, 1, 1.0, null, null]',  # another deal's
        b'["ms:1", "maybe", 1, 1, 1, 1, 1.0, null, null]',
        b'["ms:1", "won", true, 1, 1, 1, 1.0, null, null]',
        b'["ms:1", "won", 1, 1, 1, 1, 1.0, null, null, null]',
        b"[" * 100_000,
    ],
)
def test_a_journal_with_a_line_that_we_never_write(tmp_path: Path, line: bytes) -> None:
    output, journal = tmp_path / "list", tmp_path / "list.scan"
    assert run(*JOURNAL, "-o", str(output)).exit_code == 0
    head = json.loads(finished_run(tmp_path).joinpath("manifest.json").read_text())
    head |= {"max_nodes": 50, "max_memory": 256 << 20, "chunk": 1, "retries": []}
    journal.write_bytes(json.dumps(head).encode() + b"\n" + line + b"\n")
    assert "list.scan: " in refused(*JOURNAL, "-o", str(output))
    assert journal.exists()


def test_what_a_terminal_would_obey_is_escaped() -> None:
    line = refused("stats", "/nowhere/\x1b[2J\x07\udcff")
    assert line.isprintable()
    assert "/nowhere/\\x1b[2J\\x07\\udcff is not a run" in line
