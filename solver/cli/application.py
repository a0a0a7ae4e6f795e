"""How the command line ends: errors as one line, interrupts, and the exit statuses."""

import errno
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn

import click

from solver.errors import InputError

LOST = REFUSED = DIFFERENT = 1
BAD_INPUT = 2
UNKNOWN = 3
FAULT = 70
INTERRUPTED = 130
OUTPUT_CLOSED = 141

STATUSES = {
    0: "The one deal is won; the moves win; the certificate holds; several deals are done, whatever their verdicts.",
    LOST: "The one deal is lost; the moves do not win; the certificate is refused; searches disagree.",
    BAD_INPUT: "Bad input. Of a stream of boards, those that could be read have been searched.",
    UNKNOWN: "The verdict of the one deal is unknown; fewer deals were found than wanted.",
    FAULT: "A fault of the program, with its traceback.",
    INTERRUPTED: "Interrupted by Ctrl-C (143: terminated). What was finished has been printed.",
    OUTPUT_CLOSED: "The reader of the output is gone, as after `| head`.",
}

GRACE = 1.5
"""Seconds that an interrupted command has to end by itself before it is cut off."""


class _OutputClosed(Exception):
    """The reader of the output is gone; click would end with the status of a lost deal."""


class Command(click.Command):
    """A click command that refuses an option with a value which is given twice, instead of taking the last value."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; of the options that are given, flags alone may be repeated."""
        given = list(args)
        left = super().parse_args(ctx, args)  # answers --help, and refuses what cannot be read
        _, _, order = self.make_parser(ctx).parse_args(args=given)
        for option in self.params:
            repeatable = not isinstance(option, click.Option) or option.is_flag or option.multiple or option.count
            if not repeatable and order.count(option) > 1:
                raise click.UsageError(
                    f"{option.opts[-1]} is given {order.count(option)} times, it takes one value", ctx
                )
        return left


class Application(click.Group):
    """A click group that says each error in one line, and never ends with a verdict's status by accident."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Read the command line; ``--help`` and ``--version`` answer here."""
        try:
            return super().make_context(*args, **extra)
        except BrokenPipeError:
            raise _OutputClosed from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            status = super().invoke(ctx)
            _flush()
        except BrokenPipeError:
            raise _OutputClosed from None
        return status

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        """Run a command and raise SystemExit with its status."""
        extra["standalone_mode"] = False
        try:
            status = super().main(*args, **extra)
        except click.exceptions.NoArgsIsHelpError as usage:
            _write_error(usage.format_message())
            status = BAD_INPUT
        except (click.ClickException, InputError) as error:
            say(_in_words(error))
            status = BAD_INPUT
        except click.Abort:
            status = INTERRUPTED
        except _OutputClosed:
            _drop_output()
            status = OUTPUT_CLOSED
        except OSError as error:
            full = error.filename is None and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
            say(f"cannot write to standard output: {error.strerror}" if full else str(error))
            _drop_output()
            status = BAD_INPUT
        except Exception:
            _write_error(traceback.format_exc())
            say("this is a fault of the program, please report it with the lines above")
            status = FAULT
        sys.exit(status)


def say(message: str) -> None:
    """Write one line to standard error; what a terminal would obey instead of showing it is escaped."""
    _write_error("citadel: " + printable(" ".join(message.split())))


def printable(text: str) -> str:
    """A text with escapes for all that does not print."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def leave_now(status: int) -> NoReturn:
    """End the process at once, whatever its threads are doing."""
    with suppress(OSError):
        _flush()
    os._exit(status)


class Interrupts:
    """Whether the user, or the system, wants the command to end.

    Attributes
    ----------
    status
        The exit status to end with; None while nothing has happened.
    """

    def __init__(self) -> None:
        self.status: int | None = None
        self._last_resort: threading.Timer | None = None

    def heed(self, number: int, _frame: FrameType | None) -> None:
        """Handle a signal; the second one ends the process."""
        status = 128 + number
        if self.status is not None:
            os._exit(status)
        self.status = status
        self._last_resort = threading.Timer(GRACE, os._exit, (status,))
        self._last_resort.daemon = True
        self._last_resort.start()

    def over(self) -> None:
        """The command has ended by itself."""
        if self._last_resort is not None:
            self._last_resort.cancel()


@contextmanager
def interrupts() -> Iterator[Interrupts]:
    """While the block runs, Ctrl-C and a request to terminate are noted for the block to look at.

    Nothing is raised, so that no finished result is lost between being known and being printed.
    """
    state = Interrupts()
    usual = {number: signal.signal(number, state.heed) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield state
    finally:
        state.over()
        for number, handler in usual.items():
            signal.signal(number, handler)


def _in_words(error: click.ClickException | InputError) -> str:
    if not isinstance(error, click.ClickException):
        return str(error)
    message = error.format_message()
    if isinstance(error, click.UsageError) and not isinstance(error, click.BadParameter) and error.ctx:
        message += f" (see {error.ctx.command_path} --help)"
    return message


def _write_error(text: str) -> None:
    with suppress(OSError):  # nobody reads it: no reason to end, and least of all with a verdict's status
        click.echo(text, err=True)


def _flush() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()


def _drop_output() -> None:
    """Let nothing more be written to an output that cannot take it; the exit would try again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
