"""What commands read: streams of boards, move lists, and arguments that name a deal or a file."""

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

import click

from solver.deals import DealId, deal_position, parse_deal
from solver.errors import InputError
from solver.notation import SEPARATOR, iter_boards, parse_board, parse_moves
from solver.position import Move, Position
from solver.rules import Rules

LARGEST_BOARD = 1 << 16
"""Characters that a board may have, comments included; a real one has about 200."""

LARGEST_MOVES = 1 << 23
"""Characters that a move list may have; a line of 900,000 moves has about 7 million. Replaying it takes 0.5 GB."""


@dataclass(frozen=True, slots=True)
class BadBoard:
    """A board of a stream that cannot be read, and why."""

    problem: str


def read_boards(stream: IO[bytes], rules: Rules, transpose: bool) -> Iterator[Position | BadBoard]:
    """Read the boards of a stream, each as soon as its end is there.

    A board that is far too large ends the reading; a stream that never ends does not fill the memory.
    """
    name = _name(stream)
    boards = iter_boards(_lines(_text(stream)))
    while True:
        try:
            board = next(boards, None)
            if board is None:
                return
            yield parse_board(board.text, rules, transpose=transpose, first_line=board.first_line)
        except InputError as error:
            yield BadBoard(f"{name}: {error}")


def read_board(stream: IO[bytes], rules: Rules, transpose: bool) -> Position:
    """Read the one board of a stream.

    Raises
    ------
    InputError
        If it cannot be read, or there are several.
    """
    boards = read_boards(stream, rules, transpose)
    board = next(boards)
    if isinstance(board, BadBoard):
        raise InputError(board.problem)
    if next(boards, None) is not None:
        raise InputError(f"{_name(stream)} holds several boards, one is wanted")
    return board


def read_moves(stream: IO[bytes]) -> list[Move]:
    """Read a move list.

    Raises
    ------
    InputError
        With the place of its first problem.
    """
    text = _text(stream).read(LARGEST_MOVES + 1)
    if len(text) > LARGEST_MOVES:
        raise InputError(f"{_name(stream)}: more than {LARGEST_MOVES} characters are no move list")
    try:
        return parse_moves(text)
    except InputError as error:
        raise InputError(f"{_name(stream)}: {error}") from None


_DEAL = re.compile(r"(?:[A-Za-z]+:)?[0-9]+", re.ASCII)


def deal_named(argument: str) -> DealId | None:
    """The deal that an argument names, ``ms:24`` or ``617``; None if it names a file.

    A file with a name like a deal's is reached as ``./ms:24``.
    """
    return parse_deal(argument) if _DEAL.fullmatch(argument) else None


def board_or_deal(argument: str, rules: Rules, transpose: bool) -> Position:
    """The position that an argument names: a deal, or a file, or ``-``.

    Raises
    ------
    InputError
        If it cannot be read, or is a deal that is to be transposed.
    """
    deal = deal_named(argument)
    if deal is not None:
        check_not_transposed(transpose)
        return deal_position(deal, rules)
    return read_board(open_file(argument), rules, transpose)


def check_not_transposed(transpose: bool) -> None:
    """Refuse ``--transpose`` where nothing is read."""
    if transpose:
        raise InputError("--transpose is for boards that are read; a deal has its piles already")


def open_file(name: str) -> IO[bytes]:
    """Open a file to read, or standard input for ``-``."""
    stream: IO[bytes] = click.File("rb").convert(name, None, None)
    return stream


def _text(stream: IO[bytes]) -> io.TextIOWrapper:
    """Bytes as text; what is not UTF-8 becomes a character that no card has."""
    return io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace")


def _lines(text: io.TextIOWrapper) -> Iterator[str]:
    size = 0
    while line := text.readline(LARGEST_BOARD + 1):
        size = 0 if line.startswith(SEPARATOR) else size + len(line)
        if size > LARGEST_BOARD:
            raise InputError(f"more than {LARGEST_BOARD} characters without a line {SEPARATOR} are no board")
        yield line.removesuffix("\n")


def _name(stream: IO[bytes]) -> str:
    name = getattr(stream, "name", None)
    return name if isinstance(name, str) and name != "<stdin>" else "standard input"
