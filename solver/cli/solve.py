"""``citadel solve``."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import IO, TYPE_CHECKING, Any

import click

from solver.cli.application import BAD_INPUT, LOST, UNKNOWN, Command, say
from solver.cli.inputs import BadBoard, check_not_transposed, open_file, read_boards
from solver.cli.options import (
    budget,
    engine_option,
    json_option,
    rule_set,
    rules_json,
    rules_line,
    transpose_option,
)
from solver.cli.progress import Progress, announce_compiling
from solver.cli.work import work_through
from solver.deals import DealId, DealRange, deal_position, parse_deals
from solver.errors import InputError
from solver.notation import move_text
from solver.position import Position
from solver.rules import Rules
from solver.solving import Engine, Outcome, Verdict, engine_for
from solver.solving import solve as solve_position
from solver.statistics import CONFIDENCE, Tally, win_rate, win_rate_interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from solver.batch import Pace, Search
    from solver.engine.dealing.compiled_deals import PackedDeals

STATUS = {Verdict.WON: 0, Verdict.LOST: LOST, Verdict.UNKNOWN: UNKNOWN}
"""Exit status after a single deal."""

WHY = {"nodes": "out of nodes", "memory": "out of memory", "interrupted": "interrupted"}
"""Why a verdict is unknown, in words."""


@dataclass(frozen=True, slots=True)
class Task:
    """A deal to be solved, or a board with its number in the stream; the other one is None.

    The position is None where a deal is searched in a block.
    """

    deal: str | None
    board: int | None
    position: Position | BadBoard | None

    @property
    def name(self) -> str:
        """What texts call it."""
        return self.deal or f"board {self.board}"


@dataclass(frozen=True, slots=True)
class Result:
    """A task and what came of it."""

    task: Task
    outcome: Outcome | BadBoard


@click.command(cls=Command)
@click.argument("deals", nargs=-1)
@click.option("--board", type=click.File("rb"), metavar="FILE", help="Solve the boards of a file; - is standard input.")
@transpose_option
@rule_set
@budget
@engine_option
@click.option(
    "--short",
    is_flag=True,
    help="Look for a shorter solution of each win, for some seconds, and say how many moves are saved.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 1024),
    default=1,
    show_default=True,
    metavar="N",
    help="Deals solved at the same time, each by a thread.",
)
@json_option("Print one JSON object per deal, each on its own line.")
@click.option("-v", "--verbose", is_flag=True, help="Say how each verdict came about.")
@click.option("-q", "--quiet", is_flag=True, help="No progress, no notes and no summary.")
@click.pass_context
def solve(
    context: click.Context,
    deals: tuple[str, ...],
    board: IO[bytes] | None,
    transpose: bool,
    rules: Rules,
    max_nodes: int,
    max_memory: int,
    engine: str,
    short: bool,
    jobs: int,
    as_json: bool,
    verbose: bool,
    quiet: bool,
) -> None:
    """Prove deals won or lost.

    DEALS are numbers (617), ranges (1-1000), or either with a scheme (ms:24, pysol:1-100); a number alone is
    pysol. Instead of deals, - reads boards from standard input, separated by lines ---.

    Each verdict is printed as soon as it is known, in the order of the deals. After a single deal the
    moves of its win follow, and the exit status is 0 for won, 1 for lost, 3 for unknown. After several it
    is 0. It is 2 for bad input and 130 when interrupted.
    """
    ranges = _ranges(deals, board, transpose)
    tasks, total = _tasks(ranges, board, transpose, rules)
    searcher = engine_for(rules, engine)
    is_alone = total == 1  # then a person reads the moves, and they may take some hundredths of a second
    writer: _JsonWriter | _TextWriter
    if as_json:
        writer = _JsonWriter(rules, verbose)
    else:
        first_two = list(islice(tasks, 2))
        is_alone = len(first_two) == 1
        tasks = chain(first_two, tasks)
        writer = _TextWriter(rules, with_moves=is_alone, verbose=verbose)
    report = _Report(writer, Progress(total, quiet), says_wins=short and total != 1 and not quiet)

    def work(task: Task, abort: "NDArray[np.uint8]") -> Result:
        if isinstance(task.position, BadBoard):
            return Result(task, task.position)
        assert task.position is not None, "only blocks have tasks without a position"
        outcome = solve_position(
            task.position,
            rules,
            max_nodes=max_nodes,
            max_memory=max_memory,
            engine=engine,
            short=short,
            tidy=is_alone,
            abort=abort,
            on_verdict=(lambda outcome: report.note_verdict(task, outcome)) if short else None,
        )
        return Result(task, outcome)

    def work_on_block(block: _Block, abort: "NDArray[np.uint8]") -> list[Result]:
        return block.results(abort)

    try:
        # Without --short and --verbose, which look at each search, several deals are searched in one call.
        if total is not None and total > 1 and not short and not verbose:
            blocks = _blocks(ranges, rules, searcher, max_nodes, max_memory, quiet)
            interrupt = work_through(work_on_block, blocks, jobs, report.add_all, report.show_progress)
        else:
            if not quiet:
                announce_compiling(searcher)
            interrupt = work_through(work, tasks, jobs, report.add, report.show_progress)
    finally:
        report.end_progress()
    if interrupt is not None:
        # No rate here: the deals that are finished first are the easy ones.
        say(f"interrupted; finished before: {report.tally}")
        context.exit(interrupt)
    if report.tally.deals > 1 and not quiet:
        _summarize(report.tally)
    context.exit(report.status)


def _ranges(deals: tuple[str, ...], board: IO[bytes] | None, transpose: bool) -> list[DealRange]:
    """The deals that are named; none where boards are read."""
    if deals == ("-",) and board is None:
        return []
    if bool(deals) == (board is not None):
        raise InputError("name deals, or boards with --board FILE or -, and not both")
    if board is not None:
        return []
    check_not_transposed(transpose)
    return [_deals_named(token) for token in deals]


def _tasks(
    ranges: list[DealRange], board: IO[bytes] | None, transpose: bool, rules: Rules
) -> tuple[Iterator[Task], int | None]:
    """What is to be solved, and how many there are if that is known; nothing is dealt or read yet."""
    if not ranges:
        boards = read_boards(board or open_file("-"), rules, transpose)
        return (Task(None, number, position) for number, position in enumerate(boards, 1)), None
    names = chain.from_iterable(ranges)
    return (Task(str(name), None, deal_position(name, rules)) for name in names), sum(some.count for some in ranges)


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """Some deals that are searched in one call."""

    deals: list[DealId]
    packed: "PackedDeals"
    search: "Search"
    pace: "Pace"

    @property
    def name(self) -> str:
        """What progress calls it."""
        return str(self.deals[0])

    def results(self, abort: "NDArray[np.uint8]") -> list[Result]:
        """Search the deals, in a thread."""
        columns = self.search.search(self.packed, abort)
        self.pace.note(columns)
        outcomes = self.search.outcomes(columns)
        names = map(str, self.deals)
        return [Result(Task(name, None, None), outcome) for name, outcome in zip(names, outcomes, strict=True)]


def _blocks(
    ranges: list[DealRange], rules: Rules, engine: Engine, max_nodes: int, max_memory: int, quiet: bool
) -> Iterator[_Block]:
    from solver.batch import Pace, Search, cut
    from solver.engine.dealing.compiled_deals import deal_batch

    search = Search(rules, engine, max_nodes, max_memory, keeps_moves=True)
    if not quiet:
        announce_compiling(search)
    pace = Pace()
    for deals in ranges:
        for first, count in cut(deals.first, deals.last, pace):
            named = [DealId(deals.scheme, number) for number in range(first, first + count)]
            yield _Block(named, deal_batch(deals.scheme, first, count, rules), search, pace)


def _deals_named(token: str) -> DealRange:
    """The deals that an argument names; who names a file instead is told how files are read."""
    try:
        return parse_deals(token)
    except InputError:
        if os.path.isfile(token):  # not of Path, which fails on a name that is too long
            raise InputError(f"{token!r} names no deal; a file of boards goes with --board") from None
        raise


class _Report:
    """Writes results, counts them, and shows progress meanwhile."""

    def __init__(self, writer: "_JsonWriter | _TextWriter", progress: Progress, says_wins: bool) -> None:
        self.tally = Tally()
        self._says_wins = says_wins
        self._won: dict[str, int] = {}  # the wins that are being made shorter, and their moves so far
        self._said: set[str] = set()
        self._writer = writer
        self._progress = progress
        self._bad_boards = 0
        self._last: Verdict | None = None

    @property
    def status(self) -> int:
        """The exit status after all that was added."""
        if self._bad_boards:
            return BAD_INPUT
        return STATUS[self._last] if self._last and self.tally.deals == 1 else 0

    def note_verdict(self, task: Task, outcome: Outcome) -> None:
        """Take in a verdict whose win is now made shorter; called by the thread that works on it."""
        if outcome.moves:
            self._won[task.name] = len(outcome.moves)

    def add(self, result: Result) -> None:
        self._won.pop(result.task.name, None)
        outcome = result.outcome
        if isinstance(outcome, BadBoard):
            self._progress.end()
            say(outcome.problem)
            self._bad_boards += 1
        elif outcome.why_unknown != "interrupted":
            self._progress.make_way()
            self._writer.write(result.task, outcome)
            self.tally.add(outcome.verdict)
            self._last = outcome.verdict

    def add_all(self, results: list[Result]) -> None:
        for result in results:
            self.add(result)

    def show_progress(self, current: "Task | _Block | None") -> None:
        name = current.name if current else "the next one"
        moves = self._won.get(name)
        if self._says_wins and moves is not None and name not in self._said:
            self._said.add(name)
            self._progress.end()
            say(f"{name}: won, {moves} moves; looking for fewer")
        self._progress.show(self.tally, f"at {name}" + (", won, looking for fewer moves" if moves else ""))

    def end_progress(self) -> None:
        self._progress.end()


class _JsonWriter:
    """Writes an outcome as a JSON object on a line; numbers that name deals are strings."""

    def __init__(self, rules: Rules, verbose: bool) -> None:
        self._rules = rules_json(rules)
        self._verbose = verbose

    def write(self, task: Task, outcome: Outcome) -> None:
        moves = None if outcome.moves is None else [move_text(move) for move in outcome.moves]
        record: dict[str, Any] = {
            **self._rules,
            "deal": task.deal,
            "board": task.board,
            "verdict": outcome.verdict,
            "why_unknown": outcome.why_unknown,
            "nodes": outcome.nodes,
            "node_unit": outcome.node_unit,
            "seconds": round(outcome.seconds, 6),
            "moves": moves,
            "moves_saved": outcome.moves_saved,
            "engine": outcome.engine,
        }
        if self._verbose:
            record["trace"] = {name.replace(" ", "_"): value for name, value in outcome.trace.items()}
        click.echo(json.dumps(record))


class _TextWriter:
    """Writes the rules, then a line an outcome; with the moves, all other lines are comments."""

    def __init__(self, rules: Rules, with_moves: bool, verbose: bool) -> None:
        self._head = rules_line(rules) + "\n"
        self._with_moves = with_moves
        self._verbose = verbose

    def write(self, task: Task, outcome: Outcome) -> None:
        line = outcome_line(task.name, outcome)
        if self._with_moves:
            moves = "".join("\n" + move_text(move) for move in outcome.moves or ())
            line = f"# {line}{moves}"
        click.echo(self._head + line)
        self._head = ""
        if outcome.moves is not None and outcome.moves_saved is not None:
            say(f"{task.name}: {len(outcome.moves)} moves, {outcome.moves_saved} fewer than without --short")
        if self._verbose:
            values = (f"{name} {value}" for name, value in outcome.trace.items())
            say(f"{task.name}: {outcome.engine} engine; {'; '.join(values)}")


_PLURAL = {"position": "positions", "class": "classes"}


def outcome_line(name: str, outcome: Outcome) -> str:
    """``ms:24: won, 74 moves, 25 classes, 0.001 s``."""
    parts = [outcome.verdict.value]
    if outcome.why_unknown:
        parts[0] += f" ({WHY[outcome.why_unknown]})"
    if outcome.moves is not None:
        parts.append(f"{len(outcome.moves)} moves")
    unit = outcome.node_unit if outcome.nodes == 1 else _PLURAL[outcome.node_unit]
    parts += [f"{outcome.nodes} {unit}", f"{outcome.seconds:.3f} s"]
    return f"{name}: {', '.join(parts)}"


def _summarize(tally: Tally) -> None:
    rate, interval = win_rate(tally), win_rate_interval(tally)
    both_ways = f" to {rate.high:.2%}" if tally.unknown else ""
    note = ", unknown deals counted both ways" if tally.unknown else ""
    say(f"{tally.deals} deals: {tally}")
    say(
        f"win rate {rate.low:.2%}{both_ways}; {CONFIDENCE:.0%} interval {interval.low:.2%} to {interval.high:.2%}{note}"
    )
