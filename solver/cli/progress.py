"""Progress on standard error: a line that is redrawn on a terminal, a plain line every few seconds elsewhere."""

import sys
import time
from typing import TYPE_CHECKING

from solver.cli.application import say
from solver.solving import Engine
from solver.statistics import Tally

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

TICK = 0.2
"""Seconds between two looks at the work, on a terminal between two drawings."""

PATIENCE = 1.0
"""Seconds of work before a terminal shows progress."""

PLAIN_EVERY = 5.0
"""Seconds between two plain lines, and before the first."""


def announce_compiling(engine: Engine) -> None:
    """Say that an engine has to be compiled first, if so."""
    from solver.engine.cache import needs_compiling

    if needs_compiling(engine.module):
        say("compiling the kernels, once; this takes some seconds")


class Progress:
    """Progress of a number of deals; ``total`` is None where it is not known."""

    def __init__(self, total: int | None, quiet: bool) -> None:
        self._total = total
        self._quiet = quiet
        self._begun = time.monotonic()
        self._is_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._shares_terminal = self._is_terminal and sys.stdout is not None and sys.stdout.isatty()
        self._next = self._begun + (PATIENCE if self._is_terminal else PLAIN_EVERY)
        self._bar: Bar | None = None

    def show(self, tally: Tally, note: str) -> None:
        """Show how far the work is, and a note behind it, if it is time to."""
        if self._quiet or time.monotonic() < self._next:
            return
        if self._is_terminal:
            self._draw(tally, note)
        else:
            of = "" if self._total is None else f" of {self._total}"
            seconds = time.monotonic() - self._begun
            say(f"{tally.deals}{of} deals in {seconds:.0f} s: {tally}; {note}")
        self._next = time.monotonic() + (TICK if self._is_terminal else PLAIN_EVERY)

    def make_way(self) -> None:
        """Take the drawing away before something is written to the same terminal."""
        if self._shares_terminal:
            self.end()

    def end(self) -> None:
        """Take the drawing away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _draw(self, tally: Tally, note: str) -> None:
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn
            from rich.progress import Progress as Bar
            from rich.table import Column

            count = Column(min_width=2 * len(str(self._total)) + 1)  # not to be cut off where the terminal is narrow
            self._bar = Bar(
                SpinnerColumn(),
                *([] if self._total is None else [BarColumn(bar_width=10), MofNCompleteColumn(table_column=count)]),
                TextColumn("{task.fields[tally]}; {task.description}; {task.fields[seconds]:.0f} s"),
                console=Console(stderr=True),
                auto_refresh=False,  # drawn by this thread alone, between two results
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._bar.add_task("", total=self._total, tally="", seconds=0.0)
            self._bar.start()
        seconds = time.monotonic() - self._begun
        self._bar.update(
            self._bar.task_ids[0],
            completed=tally.deals,
            description=note,
            tally=str(tally),
            seconds=seconds,
            refresh=True,
        )
