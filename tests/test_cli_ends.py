"""How the command line ends, in processes of their own: statuses, signals, pipes, terminals, start-up."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from boards import LONG_DEAL
from command import COMMAND, run_apart

from solver.solving import deal, solve

UNLIMITED = ["--variant", "penelopes-web", "--max-nodes", "9" * 15, "--memory", "8G"]

ENDLESS = [sys.executable, str(Path(__file__).with_name("endless.py"))]
"""The command line with an engine that never ends on ms:1, and finds every other deal lost at once."""

PATIENCE = 120
"""Seconds after which a process that should have ended fails the test."""


def start(*arguments: str, command: list[str] = COMMAND, **options: object) -> "subprocess.Popen[str]":
    """Start the command line, its output read as text."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([*command, *arguments], text=True, **{**pipes, **options})  # type: ignore[call-overload]


def test_statuses_of_single_deals() -> None:
    assert run_apart("solve", "ms:24").returncode == 0
    assert run_apart("solve", "ms:25").returncode == 1
    assert run_apart("solve", "ms:24", "--max-nodes", "1").returncode == 3


def test_case_28_errors_are_on_standard_error_with_status_2() -> None:
    for arguments in (["solve", "ms:0"], ["solve", "--var", "citadel", "1"], ["deal", "x"], ["nonsense"], []):
        result = run_apart(*arguments)
        assert (result.returncode, result.stdout) == (2, b"")
        assert result.stderr


def test_deal_solve_and_verify_in_a_pipe() -> None:
    board = run_apart("deal", "ms:24").stdout
    moves = run_apart("solve", "-", stdin=board).stdout
    assert run_apart("verify", "ms:24", "-", stdin=moves).returncode == 0


def test_the_script_is_the_module() -> None:
    script = Path(sys.executable).with_name("citadel")
    if not script.exists():
        pytest.skip("the project is not installed")
    assert subprocess.run([script, "--help"], capture_output=True).stdout == run_apart("--help").stdout


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from solver.cli.commands import citadel\n"
        "try: citadel.main(['solve', '--help'])\n"
        "except SystemExit: print(sorted({'numpy', 'numba', 'rich', 'scipy'} & set(sys.modules)), file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stderr == "[]\n"


@pytest.mark.parametrize("arguments", [["solve", "ms:1-100000", "-q"], ["deal", "ms:1-100000"]])
def test_case_26_a_reader_that_leaves_is_no_error(arguments: list[str]) -> None:
    with start(*arguments) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.wait(PATIENCE) == 141
        assert process.stderr.read() == ""


def test_case_26_a_reader_of_the_errors_that_leaves_changes_no_status() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        assert [start(*arguments, stderr=writing).wait(PATIENCE) for arguments in (["solve", "x"], [])] == [2, 2]
        assert start("solve", "ms:24-25", stderr=writing).wait(PATIENCE) == 0
    finally:
        os.close(writing)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_said_in_one_line() -> None:
    with Path("/dev/full").open("w") as full, start("deal", "1", stdout=full) as process:
        assert process.stderr is not None
        assert process.stderr.read() == "citadel: cannot write to standard output: No space left on device\n"
        assert process.wait(PATIENCE) == 2


@pytest.mark.parametrize("engine", ["quota", "general"])
def test_case_24_an_interrupt_reaches_the_kernels(engine: str) -> None:
    with start("solve", *UNLIMITED, "ms:21", str(LONG_DEAL), "--json", "--engine", engine) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=PATIENCE)
        assert (process.returncode, rest) == (130, "")
    assert json.loads(first)["deal"] == "ms:21"


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_case_24_an_interrupt_keeps_what_is_finished(number: signal.Signals, status: int, jobs: str) -> None:
    with start("solve", "ms:2", "ms:1", "--jobs", jobs, command=ENDLESS) as process:
        assert process.stdout is not None
        first = [process.stdout.readline(), process.stdout.readline()]
        process.send_signal(number)
        rest, errors = process.communicate(timeout=PATIENCE)
        assert (process.returncode, rest) == (status, "")
    assert first[1].startswith("ms:2: lost, ")
    assert errors.splitlines()[-1] == "citadel: interrupted; finished before: 0 won, 1 lost, 0 unknown"


def test_case_24_results_that_waited_for_their_turn_are_printed() -> None:
    """The endless deal comes first; the others are finished when the first line of progress comes."""
    with start("solve", "ms:1-4", "--json", "--jobs", "2", command=ENDLESS) as process:
        assert process.stderr is not None
        assert any("0 of 4 deals" in line for line in process.stderr)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130
    assert [json.loads(line)["deal"] for line in output.splitlines()] == ["ms:2", "ms:3", "ms:4"]


def test_case_24_an_output_that_nobody_reads_does_not_hold_the_end_up() -> None:
    with start("solve", "ms:2-100000", "--json", "-q", command=ENDLESS) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        time.sleep(0.5)  # the pipe is full by now, or nearly: both ways the process ends
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130


def test_case_24_an_interrupt_while_compiling(tmp_path: Path) -> None:
    with start("solve", "ms:24", env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}) as process:
        assert process.stderr is not None
        assert "compiling" in process.stderr.readline()
        time.sleep(1.5)  # into the compiling, as a rule; any moment has to do
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=PATIENCE)
        assert (process.returncode, output) == (130, "")


def test_case_24_an_interrupt_while_waiting_for_boards() -> None:
    with start("solve", "-", "--json", stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        board = run_apart("deal", "ms:25").stdout.decode()
        process.stdin.write(board + "---\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["verdict"] == "lost"
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130


def test_case_23_a_terminal_shows_progress() -> None:
    ours, theirs = os.openpty()
    with start("solve", "ms:1", command=ENDLESS, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        while b"at ms:1" not in shown:
            shown += os.read(ours, 4096)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
    os.close(ours)
    assert b"0/1" in shown


def test_same_in_a_process_of_its_own() -> None:
    record = json.loads(run_apart("solve", "ms:24", "--json").stdout)
    outcome = solve(deal("ms:24", "citadel"), "citadel")
    assert (record["verdict"], record["nodes"]) == (outcome.verdict, outcome.nodes)
