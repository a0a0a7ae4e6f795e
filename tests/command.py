"""Running the command line in tests, in this process or in one of its own, and engines made for a test."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner, Result

from solver import solving
from solver.cli.commands import citadel
from solver.engine.result import SearchResult

COMMAND = [sys.executable, "-m", "solver"]


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(citadel, arguments, input=stdin)


def run_apart(*arguments: str, stdin: bytes = b"", **options: Any) -> "subprocess.CompletedProcess[bytes]":
    """Run the command line in a process of its own."""
    return subprocess.run([*COMMAND, *arguments], input=stdin, capture_output=True, timeout=300, **options)


@contextmanager
def started(*command: str, **options: Any) -> Iterator["subprocess.Popen[str]"]:
    """A process whose output is read as text; if the block fails, it is killed, so that nobody waits for it."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **(pipes | options)) as process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise


def use_engine(monkeypatch: pytest.MonkeyPatch, search: Callable[..., SearchResult]) -> None:
    """Have every rule set searched by a function, for what no real search does on demand."""
    module = ModuleType("made_for_a_test")
    module.search = search  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    engine = solving.Engine("made-for-a-test", module.__name__, "position", serves=lambda _: True)
    monkeypatch.setattr(solving, "ENGINES", (engine,))
    monkeypatch.setattr(solving, "_prepared", {engine.name})


def check_plain_python(module: str, drawn: str, seeds: int = 40) -> None:
    """Compiled and not, an engine searches boards that an expression draws in the same way."""
    check_both_ways(
        "from random import Random\n"
        "from solver.checking.samples import small_castle, small_position\n"
        f"from solver.engine.{module} import search\n"
        f"for seed in range({seeds}):\n"
        f"    print(search(*{drawn}, max_nodes=300, max_memory=1 << 26))\n",
        seeds,
    )


def check_both_ways(script: str, lines: int) -> None:
    """Compiled and not, a script prints the same, so many lines."""
    outputs = [
        subprocess.run(
            [sys.executable, "-W", "ignore::RuntimeWarning", "-c", script],  # integers wrap around in hashes
            env=os.environ | {"NUMBA_DISABLE_JIT": switch},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for switch in "01"
    ]
    assert outputs[0].count("\n") == lines
    assert outputs[0] == outputs[1]
