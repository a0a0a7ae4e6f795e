"""``--memory`` holds: the resident size of processes that search hard deals until their memory runs out."""

import json
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from command import run_apart

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the resident size is read from /proc")

MEGABYTE = 1 << 20

SLACK = 24
"""Megabytes a thread beside its budget: what every search has of fixed size, and its thread."""

MUST_FILL = 64
"""Megabytes of a budget that one of the deals has to fill; larger ones may suffice to prove them all."""

MEASURED = """
import re, sys
from solver.cli.commands import citadel
try:
    citadel.main(sys.argv[1:])
finally:
    sys.stdout.flush()
    print(re.search(r"VmHWM:\\s+([0-9]+)", open("/proc/self/status").read())[1], file=sys.stderr)
"""
"""The command line, which says at last how many kilobytes it has had at most."""


def measured(*arguments: str) -> tuple[list[str], int]:
    """Run a command; what it prints, line by line, and the most megabytes it had at a time."""
    command = [sys.executable, "-c", MEASURED, *arguments]
    result = subprocess.run(command, capture_output=True, text=True, timeout=1200)
    return result.stdout.splitlines(), int(result.stderr.splitlines()[-1]) >> 10


def check(game: Sequence[str], deals: Sequence[str], engine: str, megabytes: int) -> None:
    """Search deals at the same time, each until it is proved or its budget of memory is full."""
    common = ["solve", *game, "--engine", engine, "--jobs", str(len(deals)), "--json", "-q"]
    _, before = measured(*common, *deals, "--max-nodes", "1", "--memory", "1M")
    lines, peak = measured(*common, *deals, "--max-nodes", "9" * 15, "--memory", f"{megabytes}M")
    records = [json.loads(line) for line in lines]
    assert [record["deal"] for record in records] == list(deals)
    assert all(record["engine"] == engine and record["why_unknown"] in (None, "memory") for record in records)
    full = [record["verdict"] for record in records if record["why_unknown"] == "memory"]
    assert set(full) <= {"unknown"}
    taken = peak - before
    assert taken <= len(deals) * (megabytes + SLACK)
    assert taken >= len(full) * megabytes / 3  # or else the measuring shows nothing
    assert full or megabytes > MUST_FILL


STREETS = ("--variant", "streets-and-alleys")
PENELOPE = ("--variant", "penelopes-web")


def test_case_22_memory_holds_in_the_general_engine() -> None:
    check([*STREETS, "--withdrawal", "yes"], ["ms:77", "ms:77"], "general", 48)


def test_case_22_memory_holds_in_the_quota_engine() -> None:
    check(PENELOPE, ["ms:370", "ms:373"], "quota", 32)


@pytest.mark.slow
@pytest.mark.parametrize("megabytes", [64, 400])
@pytest.mark.parametrize(
    ("game", "deals", "engine"),
    [
        (PENELOPE, ["pysol:1008283", "pysol:1016006", "pysol:1016638"], "quota"),
        (PENELOPE, ["ms:37", "ms:38", "ms:83"], "general"),
        (STREETS, ["ms:77", "ms:77"], "general"),
        ([*STREETS, "--withdrawal", "yes"], ["ms:77", "ms:37", "ms:38"], "general"),
        ([*PENELOPE, "--auto-found", "uncovered"], ["ms:12", "ms:83"], "general"),
    ],
)
def test_case_22_memory_holds_on_the_hardest_deals(
    game: Sequence[str], deals: Sequence[str], engine: str, megabytes: int
) -> None:
    check(game, deals, engine, megabytes)


def limit_memory() -> None:
    """Let the process have four gigabytes of addresses."""
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


def test_case_22_a_machine_without_the_memory_says_so() -> None:
    """Once and for all deals; none of them is called unknown for it, least of all in a run."""
    result = run_apart("solve", "ms:12-13", *PENELOPE, "--memory", "64G", "--json", "-q", preexec_fn=limit_memory)
    assert (result.returncode, result.stdout) == (2, b"")
    said = b"citadel: this machine does not give a search 68719476736 bytes; take a smaller budget of memory\n"
    assert result.stderr == said
