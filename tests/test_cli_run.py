"""``citadel run`` and ``merge``, most of it in processes of their own: signals, full disks, terminals."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command import COMMAND, run, run_apart

from solver.runs.batch import Work
from solver.runs.folder import RunFolder

ENDLESS = [sys.executable, str(Path(__file__).with_name("endless.py"))]
"""The command line with an engine that never ends on ms:1, and finds every other deal lost at once."""

PATIENCE = 120
"""Seconds after which a process that should have ended fails the test."""

DEALS = ["--deals", "ms:1-60", "--max-nodes", "5000", "--memory", "64M", "--chunk", "10"]
"""A run of six parts."""


def start(*arguments: str, command: list[str] = COMMAND, stderr: int = subprocess.PIPE) -> "subprocess.Popen[str]":
    return subprocess.Popen([*command, *arguments], text=True, stdin=subprocess.DEVNULL, stderr=stderr)


def rows_of(folder: Path) -> list[dict[str, object]]:
    """All rows of a run without their times."""
    return [{**row, "seconds": None} for row in RunFolder(folder).table().to_pylist()]


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(scope="module", name="whole")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing has interrupted."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    result = run("run", *DEALS, "--out", str(folder))
    assert (result.exit_code, result.stdout) == (0, "")
    assert "60 deals: " in result.stderr
    return folder


def test_the_same_command_does_nothing_again(whole: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in whole.iterdir()}
    assert run("run", *DEALS, "--out", str(whole)).exit_code == 0
    assert {path: path.stat().st_mtime_ns for path in whole.iterdir()} == before


@pytest.mark.parametrize(
    ("changed", "difference"),
    [
        (["--max-nodes", "6000"], "max-nodes is 5000, not 6000"),
        (["--variant", "exiled-kings"], "variant is citadel, not exiled-kings"),
        (["--skim-gap", "refill"], "skim-gap is skip, not refill"),
        (["--deals", "1-60"], "deals is ms:1-60, not pysol:1-60"),
        (["--engine", "general"], "engine is quota, not general"),
    ],
)
def test_a_changed_rule_or_budget_is_refused(whole: Path, changed: list[str], difference: str) -> None:
    given = dict(zip(DEALS[::2], DEALS[1::2], strict=True)) | {changed[0]: changed[1]}
    result = run("run", *(word for option in given.items() for word in option), "--out", str(whole))
    assert result.exit_code == 2
    assert difference in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "DIR"], "name the deals"),
        (["--out", "DIR", "--deals", "ms:0-5"], "out of range"),
        (["--out", "DIR", "--deals", "ms:1-5", "--shard", "3/2"], "'3/2' is not a share"),
        (["--out", "DIR", "--deals", "ms:1-5", "--shard", "half"], "'half' is not a share"),
        (["--out", "DIR", "--deals", "ms:1-5", "--withdrawal", "yes", "--engine", "quota"], "quota engine does not"),
        (["--out", "DIR", "--retry-unknown"], "is not a run"),
        (["--out", "DIR/file", "--deals", "ms:1-5"], "is a file"),
        (["--out", "DIR/file/below", "--deals", "ms:1-5"], "cannot make"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], message: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = run("run", *(argument.replace("DIR", str(tmp_path)) for argument in arguments))
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_retry_needs_no_rules_and_takes_no_others(tmp_path: Path) -> None:
    folder = str(tmp_path / "run")
    run("run", "--variant", "exiled-kings", "--deals", "ms:1-20", "--max-nodes", "50", "--out", folder)
    for others in (["--variant", "citadel"], ["--skim", "no"], ["--deals", "ms:1-21"], ["--engine", "general"]):
        result = run("run", "--retry-unknown", *others, "--out", folder)
        assert result.exit_code == 2
        assert "the run is of " in result.stderr
    before = RunFolder(tmp_path / "run").tally()
    result = run("run", "--retry-unknown", "--max-nodes", "2000", "--out", folder)
    assert result.exit_code == 0
    after = RunFolder(tmp_path / "run").tally()
    assert f"{before.unknown} deals: " in result.stderr
    assert after.unknown < before.unknown
    assert after.deals == before.deals


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_case_24_an_interrupt_keeps_what_is_finished_and_the_same_command_goes_on(tmp_path: Path, jobs: str) -> None:
    arguments = ["run", "--deals", "ms:1-30", "--chunk", "10", "--out", str(tmp_path / "run")]
    with start(*arguments, "--jobs", jobs, command=ENDLESS) as process:
        assert process.stderr is not None
        assert any(" of 30 deals" in line for line in process.stderr)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    done = 0 if jobs == "1" else 29
    assert errors == f"citadel: interrupted; the same command goes on: {done} of 30 deals are done\n"
    assert len(list((tmp_path / "run").glob("part-*"))) == (0 if jobs == "1" else 2)
    assert Work(RunFolder(tmp_path / "run")).tally.deals == done


def test_case_24_a_killed_run_resumes_to_the_same_rows(whole: Path, tmp_path: Path) -> None:
    """Killed again and again, each time as soon as there is one more part."""
    folder = tmp_path / "run"
    for parts in (1, 2, 4):
        with start("run", *DEALS, "--out", str(folder), "-q") as process:
            end = time.monotonic() + PATIENCE
            while len(list(folder.glob("part-*.parquet"))) < parts and time.monotonic() < end:
                time.sleep(0.001)
            process.kill()
        assert len(list(folder.glob("part-*.parquet"))) >= parts
    assert run_apart("run", *DEALS, "--out", str(folder), "--jobs", "2").returncode == 0
    assert names_in(folder) == names_in(whole)
    assert rows_of(folder) == rows_of(whole)


def limit_files() -> None:
    """No file may be larger than 1 KB, as if the disk were full: the manifest fits, no part does."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))


def test_a_full_disk_is_said_in_one_line(tmp_path: Path) -> None:
    result = run_apart(
        "run", "--deals", "ms:24-25", "--out", str(tmp_path / "run"), "-q", preexec_fn=limit_files, cwd=tmp_path
    )
    assert result.returncode == 2
    (line,) = result.stderr.decode().splitlines()
    assert "cannot write" in line
    assert "part-000000.parquet: File too large; what is finished is kept" in line
    assert names_in(tmp_path / "run") == ["manifest.json"]


def test_case_23_a_terminal_shows_progress(tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    arguments = ["run", "--deals", "ms:1-5", "--out", str(tmp_path / "run"), "--jobs", "2"]
    with start(*arguments, command=ENDLESS, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        while b"won so far" not in shown:
            shown += os.read(ours, 4096)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
    os.close(ours)
    assert b"4/5" in shown


def test_shares_are_merged(whole: Path, tmp_path: Path) -> None:
    folders = [str(tmp_path / f"share-{share}") for share in (1, 2)]
    for share, folder in enumerate(folders, 1):
        assert run("run", *DEALS, "--out", folder, "--shard", f"{share}/2").exit_code == 0
    result = run("merge", *folders, "--out", str(tmp_path / "merged"))
    assert result.exit_code == 0
    assert "6 of 6 parts" in result.stderr
    assert rows_of(tmp_path / "merged") == rows_of(whole)


def test_a_fault_is_said_and_gives_the_status(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from command import use_engine

    from solver.engine.result import WON, SearchResult

    use_engine(monkeypatch, lambda *_, **__: SearchResult(WON, 1))
    result = run("run", "--deals", "ms:24", "--out", str(tmp_path / "run"))
    assert result.exit_code == 70
    assert "a fault of the engine, please report it: ms:24: the referee refuses" in result.stderr


def test_the_manifest_says_what_was_run(whole: Path) -> None:
    manifest = json.loads((whole / "manifest.json").read_text())
    assert (manifest["variant"], manifest["scheme"], manifest["first"], manifest["last"]) == (
        "citadel",
        "ms",
        "1",
        "60",
    )
    assert (manifest["max_nodes"], manifest["max_memory"], manifest["chunk"]) == (5000, 64 << 20, 10)


def test_the_folder_alone_goes_on_with_what_the_manifest_says(tmp_path: Path) -> None:
    folder = str(tmp_path / "run")
    begun = ["--variant", "exiled-kings", "--skim", "no", "--deals", "ms:1-20", "--max-nodes", "50", "--solutions"]
    command = ["run", *begun, "--memory", "32M", "--engine", "general", "--chunk", "5", "--out", folder]
    assert run(*command).exit_code == 0
    expected = rows_of(Path(folder))
    for part in (1, 3):
        (tmp_path / "run" / f"part-{part:06}.parquet").unlink()
    result = run("run", "--out", folder)
    assert (result.exit_code, result.stdout) == (0, "")
    assert "20 deals: " in result.stderr
    assert rows_of(Path(folder)) == expected
    assert run(*command).exit_code == 0


@pytest.mark.parametrize(
    ("changed", "difference"),
    [
        (["--variant", "citadel"], "variant is exiled-kings, not citadel"),
        (["--max-nodes", "51"], "max-nodes is 50, not 51"),
        (["--memory", "1G"], "memory is"),
        (["--engine", "general"], "engine is quota, not general"),
        (["--chunk", "7"], "chunk is 100, not 7"),
        (["--solutions"], "solutions is no, not yes"),
    ],
)
def test_what_else_is_given_with_the_folder_must_be_the_runs(
    changed: list[str], difference: str, tmp_path: Path
) -> None:
    folder = str(tmp_path / "run")
    run("run", "--variant", "exiled-kings", "--deals", "ms:1-5", "--max-nodes", "50", "--out", folder)
    result = run("run", "--out", folder, *changed)
    assert result.exit_code == 2
    assert f"holds another run: there, {difference}" in result.stderr


def test_a_folder_without_a_run_is_not_gone_on_with(tmp_path: Path) -> None:
    result = run("run", "--out", str(tmp_path / "run"))
    assert result.exit_code == 2
    assert result.stderr.startswith("citadel: name the deals, --deals pysol:1000000-1099999: there is no run in ")
    assert not (tmp_path / "run").exists()
