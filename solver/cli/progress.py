"""Progress on standard error: a line that is redrawn on a terminal, a plain line every few seconds elsewhere."""

import sys
import time
from typing import TYPE_CHECKING

from solver.cli.application import say
from solver.solving import Engine
from solver.statistics import Tally

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import ProgressColumn

    from solver.batch import Search

TICK = 0.2
"""Seconds between two looks at the work, on a terminal between two drawings."""

PATIENCE = 1.0
"""Seconds of work before a terminal shows progress."""

PLAIN_EVERY = 5.0
"""Seconds between two plain lines, and before the first."""


def announce_compiling(engine: "Engine | Search") -> None:
    """Say that what searches has to be compiled first, if so."""
    from solver.engine.code_cache import needs_compiling

    if needs_compiling(engine.module):
        say("compiling the kernels, once; this takes half a minute")


class _Display:
    """What is shown every few moments: a bar that is drawn again on a terminal, plain lines elsewhere."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._begun = time.monotonic()
        self._is_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._next = self._begun + (PATIENCE if self._is_terminal else PLAIN_EVERY)
        self._bar: Bar | None = None

    def end(self) -> None:
        """Take the drawing away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _is_due(self) -> bool:
        """Whether it is time to show something; then the next time is set."""
        now = time.monotonic()
        if self._quiet or now < self._next:
            return False
        self._next = now + (TICK if self._is_terminal else PLAIN_EVERY)
        return True

    def _seconds(self) -> float:
        return time.monotonic() - self._begun

    def _begin_bar(self, *columns: "ProgressColumn", **fields: object) -> "Bar":
        """Begin to draw a bar of one task."""
        from rich.console import Console
        from rich.progress import Progress as Bar

        self._bar = Bar(
            *columns,
            console=Console(stderr=True),
            auto_refresh=False,  # drawn by this thread alone, between two results
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._bar.add_task("", **fields)  # type: ignore[arg-type]
        self._bar.start()
        return self._bar


class Progress(_Display):
    """Progress of a number of deals; ``total`` is None where it is not known."""

    def __init__(self, total: int | None, quiet: bool) -> None:
        super().__init__(quiet)
        self._total = total
        self._shares_terminal = self._is_terminal and sys.stdout is not None and sys.stdout.isatty()

    def show(self, tally: Tally, note: str) -> None:
        """Show how far the work is, and a note behind it, if it is time to."""
        if not self._is_due():
            return
        if self._is_terminal:
            self._draw(tally, note)
        else:
            of = "" if self._total is None else f" of {self._total}"
            say(f"{tally.deals}{of} deals in {self._seconds():.0f} s: {tally}; {note}")

    def make_way(self) -> None:
        """Take the drawing away before something is written to the same terminal."""
        if self._shares_terminal:
            self.end()

    def _draw(self, tally: Tally, note: str) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn
        from rich.table import Column

        if self._bar is None:
            count = Column(min_width=2 * len(str(self._total)) + 1)  # not to be cut off where the terminal is narrow
            known = [BarColumn(bar_width=10), MofNCompleteColumn(table_column=count)]
            text = TextColumn("{task.fields[tally]}; {task.description}; {task.fields[seconds]:.0f} s")
            columns = (SpinnerColumn(), *([] if self._total is None else known), text)
            self._bar = self._begin_bar(*columns, total=self._total, tally="", seconds=0.0)
        self._bar.update(
            self._bar.task_ids[0],
            completed=tally.deals,
            description=note,
            tally=str(tally),
            seconds=self._seconds(),
            refresh=True,
        )


class Counting(_Display):
    """Progress of one piece of work in several stages, each with a number of steps."""

    def show(self, stage: str, done: int, total: int) -> None:
        """Show the stage and how far it is, if it is time to."""
        if not self._is_due():
            return
        if self._is_terminal:
            self._draw(stage, done, total)
        else:
            say(f"{done} of {total} {stage} in {self._seconds():.0f} s")

    def _draw(self, stage: str, done: int, total: int) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn

        bar = self._bar
        if bar is None:
            text = TextColumn("{task.description}")
            bar = self._begin_bar(SpinnerColumn(), BarColumn(), MofNCompleteColumn(), text, TimeElapsedColumn())
        bar.update(bar.task_ids[0], completed=done, total=total, description=stage, refresh=True)
