"""Kills in the middle of a write, full disks, folders that cannot be written, readers that are gone, early Ctrl-C."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from command import COMMAND, run, started
from fuzz import RUN_BUDGET

PATIENCE = 120
"""Seconds after which a process that should have ended fails the test."""

KILLED = """
import os, signal, sys
from pathlib import Path
from solver.cli import main

usual, left = Path.rename, int(sys.argv.pop(1))

def rename(path, target):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return usual(path, target)

Path.rename = rename
main()
"""
"""The command line, killed where it is about to rename a file into place, after so many that it has renamed."""

RUN = ["run", "--deals", "ms:20-29", "-q", *RUN_BUDGET]
LIST = ["winnable", "--from", "ms:20-29", "--max-nodes", "100", "-q"]


def rows_of(folder: Path) -> list[dict[str, object]]:
    """All rows of a run, without their times."""
    columns = ["deal", "verdict", "nodes", "skeletons", "moves", "skimmed", "why_unknown"]
    rows: list[dict[str, object]] = []
    for path in sorted(folder.glob("part-*.parquet")):
        rows += pq.read_table(path, columns=columns, partitioning=None).to_pylist()
    return rows


def names_in(folder: Path) -> list[str]:
    """The names of a folder's files."""
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(name="whole", scope="module")
def run_that_nothing_happened_to(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "run"
    assert run(*RUN, "--out", str(folder)).exit_code == 0
    return folder


@pytest.mark.parametrize("renamed", [0, 1, 3, 5])
def test_case_24_a_kill_between_write_and_rename(whole: Path, tmp_path: Path, renamed: int) -> None:
    """The first file is the manifest, then come five parts."""
    folder = tmp_path / "run"
    killed = subprocess.run([sys.executable, "-c", KILLED, str(renamed), *RUN, "--out", str(folder)], timeout=PATIENCE)
    assert killed.returncode == -signal.SIGKILL
    left = names_in(folder)
    assert len([name for name in left if ".aside-" in name]) == 1
    assert len([name for name in left if ".aside-" not in name]) == renamed
    assert rows_of(folder) == rows_of(whole)[: len(rows_of(folder))]
    assert run(*RUN, "--out", str(folder)).exit_code == 0
    assert names_in(folder) == names_in(whole)
    assert rows_of(folder) == rows_of(whole)


@pytest.mark.parametrize("renamed", [0, 1])
def test_case_24_a_kill_between_write_and_rename_of_a_list(tmp_path: Path, renamed: int) -> None:
    """The first file is the scan, then comes the list itself."""
    path = tmp_path / "list"
    killed = subprocess.run([sys.executable, "-c", KILLED, str(renamed), *LIST, "-o", str(path)], timeout=PATIENCE)
    assert killed.returncode == -signal.SIGKILL
    assert not path.exists()
    assert path.with_name("list.scan").exists() == bool(renamed)
    assert run(*LIST, "-o", str(path)).exit_code == 0
    assert path.read_text() == run(*LIST).stdout
    assert names_in(tmp_path) == ["list"]


INTERRUPTED = """
import os, signal, sys
from solver.cli import main

usual, left = os.fsync, int(sys.argv.pop(1))

def fsync(file):
    global left
    left -= 1
    if left == 0:
        signal.raise_signal(signal.SIGINT)
    usual(file)

os.fsync = fsync
main()
"""
"""The command line, interrupted while it forces a file, or a folder after it, to the disk for the n-th time."""


@pytest.mark.parametrize(("forced", "kept"), [(1, 0), (3, 2), (4, 2)])
def test_case_24_an_interrupt_while_a_file_is_written(whole: Path, tmp_path: Path, forced: int, kept: int) -> None:
    """Of the manifest nothing is left, as nothing has begun; a part is written to its end."""
    folder = tmp_path / "run"
    command = [sys.executable, "-c", INTERRUPTED, str(forced), *RUN, "--out", str(folder)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert (ended.returncode, ended.stdout) == (130, "")
    assert "Traceback" not in ended.stderr
    names = names_in(folder)
    assert not any(".aside-" in name for name in names)
    assert len([name for name in names if not name.startswith("partial-")]) >= kept
    assert run(*RUN, "--out", str(folder)).exit_code == 0
    assert rows_of(folder) == rows_of(whole)


ON_A_SMALL_DISK = """
set -u
mount -t tmpfs -o size=$1 none "$2" || exit 77
out=$2/$3
shift 3
"$@" "$out"
echo "status $?" >&2
ls "$(dirname "$out")" >&2
mount -o remount,size=16m "$(dirname "$out")"
"$@" "$out"
echo "status $?" >&2
cp -r "$out" "$KEPT"
"""
"""Runs a command on a small disk of its own, then again with room enough, and keeps what it has written."""


def on_a_small_disk(size: str, folder: Path, *arguments: str) -> list[str]:
    """What the command and the shell say; the last argument is the option for the file or folder to write."""
    disk = folder / "disk"
    disk.mkdir()
    shell = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", ON_A_SMALL_DISK, "sh"]
    if shutil.which("unshare") is None:
        pytest.skip("there is no unshare here")
    ended = subprocess.run(
        [*shell, size, str(disk), "out", *COMMAND, *arguments],
        env=os.environ | {"KEPT": str(folder / "kept")},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    if "status" not in ended.stderr:
        pytest.skip(f"no disk can be mounted here: {ended.stderr.strip()}")
    return ended.stderr.splitlines()


def test_case_24_a_run_on_a_full_disk_goes_on_when_there_is_room(whole: Path, tmp_path: Path) -> None:
    """Room for the manifest and some parts, then none."""
    said = on_a_small_disk("16k", tmp_path, *RUN, "--out")
    assert said[0].startswith("citadel: cannot write ")
    assert said[0].endswith(": No space left on device; what is finished is kept")
    assert said[1] == "status 2"
    assert said[-1] == "status 0"
    assert names_in(tmp_path / "kept") == names_in(whole)
    assert rows_of(tmp_path / "kept") == rows_of(whole)


def test_case_24_a_list_on_a_full_disk_goes_on_when_there_is_room(tmp_path: Path) -> None:
    said = on_a_small_disk("4k", tmp_path, *LIST, "-o")
    assert said[0].startswith("citadel: cannot write ")
    assert "No space left on device; what is finished is kept" in said[0]
    assert said[1:3] == ["status 2", "out.scan"]
    assert said[-1] == "status 0"
    assert (tmp_path / "kept").read_text() == run(*LIST).stdout


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no folder in which nobody can write")
@pytest.mark.parametrize("arguments", [[*RUN, "--out", "/proc/run"], [*LIST, "-o", "/proc/list"]])
def test_a_folder_that_cannot_be_written_is_said_in_one_line(arguments: list[str]) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("citadel: cannot ")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["rules"],
        ["--help"],
        ["solve", "--help"],
        ["verify", "ms:24", os.devnull],
        ["analyze", "ms:24", "--max-nodes", "1"],
        ["winnable", "--from", "ms:24-25"],
        ["daily", "--start", "2027-01-01", "--max-nodes", "1000"],
        ["selfcheck", "--minutes", "0"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_case_26_a_reader_that_has_left_already_is_no_error(arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ended = subprocess.run([*COMMAND, *arguments], stdout=writing, stderr=subprocess.PIPE, timeout=PATIENCE)
    finally:
        os.close(writing)
    assert ended.returncode == 141
    assert b"Traceback" not in ended.stderr


EARLY = """
import signal, sys

module = sys.argv[1]

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
from solver.cli import main
sys.argv[1:] = ["solve", "ms:24"]
main()
"""
"""The command line, interrupted where it imports a module."""


@pytest.mark.parametrize("module", ["solver.cli.application", "click", "solver.cli.work", "numpy"])
def test_case_24_an_interrupt_before_anything_has_begun(module: str) -> None:
    ended = subprocess.run([sys.executable, "-c", EARLY, module], capture_output=True, text=True, timeout=PATIENCE)
    assert (ended.returncode, ended.stdout) == (130, "")
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_case_24_an_interrupted_compile_leaves_no_process(tmp_path: Path, number: signal.Signals, status: int) -> None:
    """Whatever is left would hold the pipe open."""
    command = ["run", "--deals", "ms:24", "--out", str(tmp_path / "run")]
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    with started(*COMMAND, *command, env=environment) as process:
        assert process.stderr is not None
        assert "compiling" in process.stderr.readline()
        while not list(tmp_path.glob("kernels-*/*/*.nbc")):
            assert process.poll() is None
        process.send_signal(number)
        output, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, output) == (status, "")
    assert errors.splitlines()[-1] == "citadel: interrupted; the same command goes on: 0 of 1 deals are done"


def test_case_24_what_an_interrupted_analysis_says() -> None:
    endless = Path(__file__).with_name("endless.py")
    with started(sys.executable, str(endless), "analyze", "ms:1") as process:
        assert process.stderr is not None
        assert any(line.endswith(" s so far\n") for line in process.stderr)
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, output, errors.splitlines()[-1]) == (143, "", "citadel: interrupted")
