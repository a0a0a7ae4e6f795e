"""The command line with an engine for the tests: it never ends on ms:1, and every other deal is lost at once."""

import sys
import time
from typing import Any

import pytest
from command import use_engine

from solver.cli import main
from solver.engine.result import ABORTED, LOST, SearchResult
from solver.position import Position
from solver.rules import Rules
from solver.solving import deal


def search(position: Position, rules: Rules, *, abort: Any, **_: Any) -> SearchResult:
    """Wait for an interrupt, or say lost."""
    if position != deal("ms:1", rules):
        return SearchResult(LOST, 1)
    while not abort[0]:
        time.sleep(0.01)
    return SearchResult(ABORTED, 1)


if __name__ == "__main__":
    use_engine(pytest.MonkeyPatch(), search)
    sys.exit(main())
