"""Board text and move text, read and written. Knows nothing of search.

A board is one pile a line, bottom card first, after an optional ``Foundations:`` line; a move is
``CARD FROM TO`` a line. Reading is forgiving about form (case, ``10`` for ``T``, Unicode suits, blanks,
CRLF, comments) and strict about content: every card exactly once, nothing filled in. Every error knows its
line and column.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice, pairwise

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
from solver.errors import InputError, check_kind
from solver.position import (
    FOUNDATION,
    Move,
    Pile,
    Position,
    check_move,
    check_shape,
    missing_text,
    padded,
    tallest_pile,
    too_long_text,
)
from solver.rules import Rules, as_rules

SEPARATOR = "---"
"""The line that separates the boards of a stream."""


@dataclass(frozen=True, slots=True)
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
        self.problems = sorted(problems, key=lambda problem: (problem.line, problem.column))
        others = len(self.problems) - 1
        more = f" (and {others} other problem{'s' if others > 1 else ''})" if others else ""
        super().__init__(f"{self.problems[0]}{more}")


def board_text(position: Position, symbols: bool = False) -> str:
    """Board text of a position, with a final newline; an empty pile is a line ``:``.

    ``symbols`` writes Unicode suit symbols, which the reader takes as well.

    Examples
    --------
    >>> print(solver.board_text(solver.deal("ms:24", "citadel")).splitlines()[1])
    4C QH 9H JH 6D
    """
    check_shape(position)
    check_kind("symbols", symbols, bool)
    codes = [card for pile in position.piles for card in pile]
    if max(position.foundations) > RANKS or not all(0 <= card < SUITS * RANKS for card in codes):
        raise InputError("the position has cards that no deck has")
    suits = SUIT_SYMBOLS if symbols else SUIT_LETTERS
    begun = [f"{suits[suit]}-{RANK_LETTERS[count - 1]}" for suit, count in enumerate(position.foundations) if count]
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
    return list(iter_boards(_lines(stream)))


def iter_boards(lines: Iterable[str]) -> Iterator[BoardText]:
    """The boards of a stream that is still being written, each as soon as the ``---`` after it is there.

    ``lines`` are without their line ends; otherwise as ``split_boards``.
    """
    part: list[str] = []
    first_line, is_filled, has_board = 1, False, False
    first_part = BoardText("", 1)
    for number, line in enumerate(chain(lines, [SEPARATOR]), 1):
        content = _without_comment(line).strip()
        if content != SEPARATOR:
            part.append(line)
            is_filled = is_filled or content != ""
            continue
        board = BoardText("\n".join(part), first_line)
        if first_line == 1:
            first_part = board
        if is_filled:
            has_board = True
            yield board
        part, first_line, is_filled = [], number + 1, False
    if not has_board:
        yield first_part


def parse_board(
    text: str, rules: Rules | str, *, ranks: int = RANKS, transpose: bool = False, first_line: int = 1
) -> Position:
    """Read a board.

    Parameters
    ----------
    text
        One board; ``split_boards`` cuts a stream of several.
    rules
        Says how many piles there are; a rule set, or a variant's name.
    ranks
        Ranks in the deck, fewer than 13 on small boards.
    transpose
        Read each line as a row across the piles instead of as a pile, the first one of bottom cards. In a row
        that is shorter than the one above it, each card stands under the card that it lies on.
    first_line
        The number that errors give to the first line.

    Raises
    ------
    InputError
        For arguments of a wrong kind, or an unknown variant; as a TextError for a board that cannot be read, or that no
        play leads to, with all its problems.

    Examples
    --------
    >>> board = "Foundations: H-K C-K D-K S-J\\nQS\\nKS"
    >>> solver.parse_board(board, "citadel").piles[:3]
    ((47,), (51,), ())
    """
    check_kind("text", text, str)
    check_kind("ranks", ranks, int)
    check_kind("transpose", transpose, bool)
    check_kind("first_line", first_line, int)
    if not 1 <= ranks <= RANKS:
        raise InputError(f"ranks must be 1 to {RANKS}, not {ranks}")
    return _BoardReader(as_rules(rules), ranks, first_line).read(text, transpose)


def parse_position(text: str, rules: Rules, ranks: int) -> Position:
    """Read a board as ``parse_board`` does, also one with piles that no play leads to."""
    return _BoardReader(rules, ranks, 1, any_piles=True).read(text, transpose=False)


@dataclass(frozen=True, slots=True)
class _Token:
    line: int
    column: int
    text: str

    @property
    def end(self) -> int:
        return self.column + len(self.text)

    def problem(self, text: str) -> Problem:
        return Problem(self.line, self.column, text)

    def no(self, what: str) -> Problem:
        """That this word is none of the things that may stand here; the word is cut to a readable length."""
        shown = self.text if len(self.text) <= _LONGEST_SHOWN else self.text[:_LONGEST_SHOWN] + "..."
        return self.problem(f"{shown!r} is not a {what}")


_LONGEST_SHOWN = 20
"""Characters of an unreadable word that a message repeats."""

_SHUFFLE_IN_A_LINE = (
    "52 cards in one line look like a whole shuffle, not a board; "
    "a board has a line for each pile, its bottom card first, and {}"
)

_CARD_WANTED = "card; write a rank and a suit, 5S or TH"


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of the board with its words, the leading ``:`` left out; ``marked`` says that it has one."""

    line: int
    tokens: list[_Token]
    marked: bool


class _BoardReader:
    """Reads one board and gathers its problems."""

    def __init__(self, rules: Rules, ranks: int, first_line: int, *, any_piles: bool = False) -> None:
        self.any_piles = any_piles
        self.rules = rules
        self.ranks = ranks
        self.first_line = first_line
        self.problems: list[Problem] = []
        self.places: dict[Card, _Token] = {}
        self.founded = [0] * SUITS

    def read(self, text: str, transpose: bool) -> Position:
        rows = self._rows(text, transpose)
        if transpose:
            columns = self._columns([row.tokens for row in rows if row.tokens])
        else:
            if self._looks_transposed(rows):
                advice = "--transpose reads them so; write : for each empty pile if they are not"
                self._problem(rows[0].line, f"the piles seem to be pasted downwards: {advice}")
            if self._is_whole_shuffle(rows):
                raise TextError([Problem(rows[0].line, 1, _SHUFFLE_IN_A_LINE.format(self._piles_wanted()))])
            for row in rows[self.rules.piles :]:
                self._problem(row.line, f"a pile too many: {self._piles_wanted()}")
            columns = [row.tokens for row in rows]
        piles = tuple(self._pile(tokens) for tokens in columns)
        missing = [card for card in range(SUITS * self.ranks) if card not in self.places]
        if missing:
            self._problem(rows[-1].line if rows else self.first_line, missing_text(missing))
        if not (self.problems or self.any_piles):  # what is read wrongly makes piles too long as well
            self._check_heights(piles, columns)
        if self.problems:
            raise TextError(self.problems)
        hearts, clubs, diamonds, spades = self.founded
        return padded(Position((hearts, clubs, diamonds, spades), piles, self.ranks), self.rules)

    def _problem(self, line: int, text: str) -> None:
        self.problems.append(Problem(line, 1, text))

    def _is_whole_shuffle(self, rows: list[_Row]) -> bool:
        """Whether the board is a single line of as many words as the deck has cards, too many for a pile."""
        deck = SUITS * self.ranks
        return self.ranks == RANKS and len(rows) == 1 and len(rows[0].tokens) == deck > tallest_pile(self.rules)

    def _check_heights(self, piles: tuple[Pile, ...], columns: list[list[_Token]]) -> None:
        """Note the piles that no play leads to."""
        for pile, tokens in zip(piles, columns, strict=True):
            problem = too_long_text(pile, self.ranks, self.rules)
            if problem is not None:
                self.problems.append(tokens[0].problem(problem))

    def _piles_wanted(self) -> str:
        return f"{self.rules.variant} has {self.rules.piles} piles"

    def _rows(self, text: str, transpose: bool) -> list[_Row]:
        """The lines of the tableau, without blank ones at both ends; reads the foundations on the way."""
        rows: list[_Row] = []
        foundations_seen = False
        for number, raw in enumerate(_lines(text), self.first_line):
            line = _without_comment(raw)
            if not line.strip() and line != raw:
                continue  # a comment alone is no line of the board
            if transpose:
                line = line.expandtabs()  # columns are compared, as they stand on the screen
            tokens = _tokens(line, number)
            head = _FOUNDATIONS.match(line)
            if head:
                if foundations_seen or any(row.tokens or row.marked for row in rows):
                    self.problems.append(tokens[0].problem("the foundations come first and once"))
                    continue
                foundations_seen = True
                rows = []
                self._foundations(_tokens(" " * head.end() + line[head.end() :], number))
            elif tokens or rows or foundations_seen:
                marked = bool(tokens) and tokens[0].text == ":"
                rows.append(_Row(number, tokens[marked:], marked))
        while rows and not (rows[-1].tokens or rows[-1].marked):
            rows.pop()
        while len(rows) > self.rules.piles and not (rows[0].tokens or rows[0].marked):
            rows.pop(0)  # blank lines after the foundations are empty piles only where there is room for them
        return rows

    def _foundations(self, tokens: list[_Token]) -> None:
        begun: set[int] = set()
        for token in tokens:
            suit_text, dash, rank_text = token.text.partition("-")
            suit = parse_suit(suit_text)
            rank = -1 if rank_text == "0" else parse_rank(rank_text)
            if not dash or suit is None or rank is None or rank >= self.ranks:
                self.problems.append(token.no("foundation; write H-0, H-A, ... H-K"))
                continue
            if suit in begun:
                self.problems.append(token.problem(f"the foundation of {SUIT_LETTERS[suit]} is given twice"))
                continue
            begun.add(suit)
            self.founded[suit] = rank + 1
            for below in range(rank + 1):
                self._place(make_card(below, suit), token)

    def _pile(self, tokens: list[_Token]) -> Pile:
        cards = []
        for token in tokens:
            card = parse_card(token.text)
            if card is None or card >= SUITS * self.ranks:
                self.problems.append(token.no(_CARD_WANTED))
            else:
                self._place(card, token)
                cards.append(card)
        return tuple(cards)

    def _place(self, card: Card, token: _Token) -> None:
        first = self.places.setdefault(card, token)
        if first is not token:
            where = f"first at line {first.line}, column {first.column}"
            self.problems.append(token.problem(f"{card_text(card)} is there twice, {where}"))

    def _columns(self, rows: list[list[_Token]]) -> list[list[_Token]]:
        """The piles out of rows across them.

        Piles of unequal height leave holes in the rows, so a row shorter than the one above it is read by
        where its cards stand, not by their order: read by order, they would end up on the wrong piles.
        """
        if not rows:
            return []
        if len(rows[0]) > self.rules.piles:
            self._problem(rows[0][0].line, f"{len(rows[0])} columns: {self._piles_wanted()}")
            return rows
        columns = [[token] for token in rows[0]]
        above = list(enumerate(rows[0]))  # the number of each card's pile, and the card
        for row in rows[1:]:
            if len(row) > len(above):
                hanging = row[len(above) :]
                self.problems += [token.problem("no card stands above this one") for token in hanging]
                columns[-1] += hanging  # so that they are not missing as well
            elif len(row) < len(above):
                above = self._stood_on(row, above, every_pile=len(above) == len(columns))
            above = [(pile, token) for (pile, _), token in zip(above, row, strict=False)]
            for pile, token in above:
                columns[pile].append(token)
        return columns

    def _stood_on(
        self, row: list[_Token], above: list[tuple[int, _Token]], every_pile: bool
    ) -> list[tuple[int, _Token]]:
        """Those of the cards above that the cards of a row stand under, in line at the left or at the right.

        A row that begins at the left and leaves no gaps belongs to the first piles, in line or not: tens
        written ``10`` push what follows them to the right. That needs a card in every pile above it.
        """
        under = {}
        for token in row:
            for index, (_, card) in enumerate(above):
                if token.column == card.column or token.end == card.end:
                    under[index] = token
        if list(under.values()) == row and list(under) == sorted(under):
            return [above[index] for index in under]
        packed = all(left.end + 1 == right.column for left, right in pairwise(row))
        if not (every_pile and packed and row[0].column <= above[0][1].column):
            self.problems.append(
                row[0].problem("this row is short, and its cards do not stand in line with those above")
            )
        return above

    def _looks_transposed(self, rows: list[_Row]) -> bool:
        """Whether the lines may be rows across the piles: about as many as a deal has, the first one full.

        Skimming leaves holes, so the others may be shorter, each at most as long as the one above it. Piles
        that happen to look like that have to be marked: a line that begins with ``:`` is none of a row.
        """
        across = self.rules.piles
        full_deal = -(-SUITS * self.ranks // across)
        lengths = [len(row.tokens) for row in rows]
        return (
            across > full_deal >= len(rows)
            and 3 * len(rows) >= 2 * full_deal
            and not any(row.marked for row in rows)
            and lengths[0] == across
            and lengths == sorted(lengths, reverse=True)
        )


_FOUNDATIONS = re.compile(r"\s*:?\s*(foundations|founds)\s*:", re.IGNORECASE)


def _lines(text: str) -> list[str]:
    return re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff"))


def _without_comment(line: str) -> str:
    return line.partition("#")[0]


def _tokens(line: str, number: int, most: int | None = None) -> list[_Token]:
    """The first words of a line; a leading ``:`` is a word of its own."""
    matches = islice(re.finditer(r"(?<!\S):|[^\s]+", line), most)
    return [_Token(number, match.start() + 1, match.group()) for match in matches]


def move_text(move: Move) -> str:
    """``5S 3 F``: the card, and the places it comes from and goes to.

    Examples
    --------
    >>> solver.move_text(solver.Move(card=51, source=1, target=2))
    'KS 2 3'
    """
    check_move("move", move)
    for name, place in (("move.source", move.source), ("move.target", move.target)):
        if place < FOUNDATION:
            raise InputError(f"{name} must be a pile's number from 0, or -1 for the foundations, not {place}")
    if not 0 <= move.card < SUITS * RANKS:
        raise InputError(f"move.card must be 0 to {SUITS * RANKS - 1}, not {move.card}")
    return f"{card_text(move.card)} {_place_text(move.source)} {_place_text(move.target)}"


MOST_PROBLEMS = 1000
"""Problems of a move list that are noted: one of a million lines that is something else does not fill the memory."""


def parse_moves(text: str) -> list[Move]:
    """Read a move list, one move a line; blank lines and comments are passed over.

    Raises
    ------
    TextError
        With all problems of the list, or the first thousand.

    Examples
    --------
    >>> [move.source for move in solver.parse_moves("6D 1 3  # the first pile is 0 in Python\\nKS 2 F")]
    [0, 1]
    """
    check_kind("text", text, str)
    moves: list[Move] = []
    problems: list[Problem] = []
    for number, line in enumerate(_lines(text), 1):
        if len(problems) >= MOST_PROBLEMS:
            problems.append(Problem(number, 1, "too many problems; from here on nothing has been read"))
            break
        tokens = _tokens(_without_comment(line), number, most=4)
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
            problems.append(tokens[0].no(_CARD_WANTED))
        for token, place in ((tokens[1], source), (tokens[2], target)):
            if place is None:
                problems.append(token.no("place; write a pile's number or F"))
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
