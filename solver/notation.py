"""Board text and move text, read and written. Knows nothing of search.

A board is one pile a line, bottom card first, after an optional ``Foundations:`` line; a move is
``CARD FROM TO`` a line. Reading is forgiving about form (case, ``10`` for ``T``, Unicode suits, blanks,
CRLF, comments) and strict about content: every card exactly once, nothing filled in. Every error knows its
line and column.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from solver.cards import (
    RANK_LETTERS,
    RANKS,
    SUIT_LETTERS,
    SUIT_SYMBOLS,
    SUITS,
    Card,
    card_text,
    make_card,
    parse_card,
    parse_rank,
    parse_suit,
)
from solver.errors import InputError
from solver.position import FOUNDATION, Move, Pile, Position, missing_text, padded
from solver.rules import Rules

SEPARATOR = "---"
"""The line that separates the boards of a stream."""


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing that is wrong with a text, at a line and a column, both from 1."""

    line: int
    column: int
    text: str

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.text}"


class TextError(InputError):
    """A text that cannot be read.

    Attributes
    ----------
    problems
        All problems, in the order of the text; the message names the first and counts the others.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(problems)
        others = len(self.problems) - 1
        more = f" (and {others} other problem{'s' if others > 1 else ''})" if others else ""
        super().__init__(f"{self.problems[0]}{more}")


def board_text(position: Position, symbols: bool = False) -> str:
    """Board text of a position, with a final newline; an empty pile is a line ``:``.

    ``symbols`` writes Unicode suit symbols, which the reader takes as well.
    """
    suits = SUIT_SYMBOLS if symbols else SUIT_LETTERS
    begun = [
        f"{suits[suit]}-{RANK_LETTERS[count - 1]}" for suit, count in enumerate(position.foundations) if count
    ]
    lines = ["Foundations: " + " ".join(begun)] if begun else []
    lines += [" ".join(card_text(card, symbols) for card in pile) or ":" for pile in position.piles]
    return "".join(line + "\n" for line in lines)


@dataclass(frozen=True, slots=True)
class BoardText:
    """The text of one board out of a stream, with the number of the line that it starts on."""

    text: str
    first_line: int


def split_boards(stream: str) -> list[BoardText]:
    """Cut a stream at its ``---`` lines; parts that hold nothing at all are left out.

    A stream with nothing in it gives one empty board, whose reading then says what is missing.
    """
    parts: list[BoardText] = []
    lines: list[str] = []
    first_line = 1
    for number, line in enumerate([*_lines(stream), SEPARATOR], 1):
        if line.strip() == SEPARATOR:
            parts.append(BoardText("\n".join(lines), first_line))
            lines, first_line = [], number + 1
        else:
            lines.append(line)
    filled = [part for part in parts if any(_without_comment(line).strip() for line in part.text.split("\n"))]
    return filled or parts[:1]


def parse_board(
    text: str, rules: Rules, *, ranks: int = RANKS, transpose: bool = False, first_line: int = 1
) -> Position:
    """Read a board.

    Parameters
    ----------
    text
        One board; ``split_boards`` cuts a stream of several.
    rules
        Says how many piles there are.
    ranks
        Ranks in the deck, fewer than 13 on small boards.
    transpose
        Read each line as a row across the piles instead of as a pile.
    first_line
        The number that errors give to the first line.

    Raises
    ------
    TextError
        With all problems of the board.
    """
    return _BoardReader(rules, ranks, first_line).read(text, transpose)


@dataclass(frozen=True, slots=True)
class _Token:
    line: int
    column: int
    text: str

    def problem(self, text: str) -> Problem:
        return Problem(self.line, self.column, text)


class _BoardReader:
    """Reads one board and gathers its problems."""

    def __init__(self, rules: Rules, ranks: int, first_line: int) -> None:
        self.rules = rules
        self.ranks = ranks
        self.first_line = first_line
        self.problems: list[Problem] = []
        self.places: dict[Card, _Token] = {}

    def read(self, text: str, transpose: bool) -> Position:
        founded = [0] * SUITS
        rows: list[tuple[int, list[_Token]]] = []  # line number and tokens; blank lines have none
        foundations_row = None
        last_line = self.first_line
        for number, raw in enumerate(_lines(text), self.first_line):
            line = _without_comment(raw)
            if not line.strip() and line != raw:
                continue  # a comment alone is no line of the board
            tokens = _tokens(line, number)
            if tokens:
                last_line = number
            if tokens and _FOUNDATIONS.match(line):
                if foundations_row is not None or any(row for _, row in rows):
                    self.problems.append(tokens[0].problem("the foundations come first and once"))
                    continue
                founded = self._foundations(line, number)
                foundations_row, rows = number, []
            elif tokens or rows or foundations_row is not None:
                rows.append((number, tokens))
        while rows and not rows[-1][1]:
            rows.pop()
        if foundations_row is not None and rows and not rows[0][1] and len(rows) > self.rules.piles:
            rows.pop(0)  # a blank line after the foundations is an empty pile only where there is room for it
        piles = [self._pile(tokens) for _, tokens in rows]
        if transpose:
            piles = _columns(piles)
        elif self._looks_transposed(piles):
            at = _Token(rows[0][0], 1, "")
            self.problems.append(
                at.problem("the piles seem to be pasted downwards; --transpose reads them so")
            )
            raise TextError(self.problems)
        for (number, _), _pile in (
            list(zip(rows, piles, strict=False))[self.rules.piles :] if not transpose else ()
        ):
            self.problems.append(
                Problem(number, 1, f"a pile too many: {self.rules.variant} has {self.rules.piles} piles")
            )
        if transpose and len(piles) > self.rules.piles:
            text = f"{len(piles)} columns: {self.rules.variant} has {self.rules.piles} piles"
            self.problems.append(Problem(rows[0][0], 1, text))
        missing = [card for card in range(SUITS * self.ranks) if card not in self.places]
        if missing:
            self.problems.append(Problem(last_line, 1, missing_text(missing)))
        if self.problems:
            raise TextError(self.problems)
        hearts, clubs, diamonds, spades = founded
        position = Position((hearts, clubs, diamonds, spades), tuple(piles), self.ranks)
        return padded(position, self.rules)

    def _foundations(self, line: str, number: int) -> list[int]:
        founded = [0] * SUITS
        begun: set[int] = set()
        after = line.index(":") + 1
        for token in _tokens(" " * after + line[after:], number):
            suit_text, dash, rank_text = token.text.partition("-")
            suit, rank = parse_suit(suit_text), parse_rank(rank_text)
            if rank_text == "0":
                rank = -1
            if not dash or suit is None or rank is None or rank >= self.ranks:
                self.problems.append(
                    token.problem(f"{token.text!r} is no foundation; write H-0, H-A, ... H-K")
                )
                continue
            if suit in begun:
                self.problems.append(token.problem(f"the foundation of {SUIT_LETTERS[suit]} is given twice"))
                continue
            begun.add(suit)
            founded[suit] = rank + 1
            for below in range(rank + 1):
                self._place(make_card(below, suit), token)
        return founded

    def _pile(self, tokens: list[_Token]) -> Pile:
        cards = []
        for token in tokens:
            if token.text == ":":
                continue
            card = parse_card(token.text)
            if card is None or card >= SUITS * self.ranks:
                self.problems.append(
                    token.problem(f"{token.text!r} is no card; write a rank and a suit, 5S or TH")
                )
            else:
                self._place(card, token)
                cards.append(card)
        return tuple(cards)

    def _place(self, card: Card, token: _Token) -> None:
        first = self.places.setdefault(card, token)
        if first is not token:
            where = f"first at line {first.line}, column {first.column}"
            self.problems.append(token.problem(f"{card_text(card)} is there twice, {where}"))

    def _looks_transposed(self, piles: list[Pile]) -> bool:
        """Whether the lines are rows across the piles: as many cards a line as there are piles."""
        lengths = [len(pile) for pile in piles]
        across = self.rules.piles
        rows = -(-SUITS * self.ranks // across)
        return (
            across > rows
            and rows - 1 <= len(lengths) <= rows
            and lengths[: rows - 2] == [across] * (rows - 2)
            and lengths == sorted(lengths, reverse=True)
            and lengths[0] == across
        )


def _columns(rows: list[Pile]) -> list[Pile]:
    """Piles out of rows; the first row holds the bottom cards."""
    across = max((len(row) for row in rows), default=0)
    return [tuple(row[column] for row in rows if column < len(row)) for column in range(across)]


_FOUNDATIONS = re.compile(r"\s*:?\s*(foundations|founds)\s*:", re.IGNORECASE)


def _lines(text: str) -> list[str]:
    return re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff"))


def _without_comment(line: str) -> str:
    return line.partition("#")[0]


def _tokens(line: str, number: int) -> list[_Token]:
    """The words of a line; a leading ``:`` is a word of its own."""
    return [
        _Token(number, match.start() + 1, match.group()) for match in re.finditer(r"(?<!\S):|[^\s]+", line)
    ]


def move_text(move: Move) -> str:
    """``5S 3 F``: the card, and the places it comes from and goes to."""
    return f"{card_text(move.card)} {_place_text(move.source)} {_place_text(move.target)}"


def parse_moves(text: str) -> list[Move]:
    """Read a move list, one move a line; blank lines and comments are passed over.

    Raises
    ------
    TextError
        With all problems of the list.
    """
    moves: list[Move] = []
    problems: list[Problem] = []
    for number, line in enumerate(_lines(text), 1):
        tokens = _tokens(_without_comment(line), number)
        if not tokens:
            continue
        if len(tokens) != 3:
            problems.append(tokens[0].problem("a move is CARD FROM TO, as in 5S 3 F"))
            continue
        card, source, target = (
            parse_card(tokens[0].text),
            _parse_place(tokens[1].text),
            _parse_place(tokens[2].text),
        )
        if card is None:
            problems.append(
                tokens[0].problem(f"{tokens[0].text!r} is no card; write a rank and a suit, 5S or TH")
            )
        for token, place in ((tokens[1], source), (tokens[2], target)):
            if place is None:
                problems.append(token.problem(f"{token.text!r} is no place; write a pile's number or F"))
        if card is not None and source is not None and target is not None:
            moves.append(Move(card, source, target))
    if problems:
        raise TextError(problems)
    return moves


def parse_move(text: str) -> Move:
    """Read one move."""
    moves = parse_moves(text)
    if len(moves) != 1:
        raise TextError([Problem(1, 1, "one move is wanted, CARD FROM TO")])
    return moves[0]


def _place_text(place: int) -> str:
    return "F" if place == FOUNDATION else str(place + 1)


def _parse_place(text: str) -> int | None:
    if text in ("F", "f"):
        return FOUNDATION
    if re.fullmatch(r"[1-9][0-9]?", text, re.ASCII) is None:
        return None
    return int(text) - 1
