"""``citadel solve``."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import IO

import click

from solver.cli.application import BAD_INPUT, GRACE, interrupts, say
from solver.cli.inputs import BadBoard, open_file, read_boards
from solver.cli.options import budget, json_option, rule_set, rules_json, rules_line, transpose_option
from solver.cli.progress import TICK, Progress
from solver.crew import Crew
from solver.deals import deal_position, parse_deals
from solver.errors import InputError
from solver.notation import move_text
from solver.position import Position
from solver.rules import Rules
from solver.solving import Outcome, Verdict, engine_for
from solver.solving import solve as solve_position
from solver.statistics import CONFIDENCE, Tally, win_rate, win_rate_interval

STATUS = {Verdict.WON: 0, Verdict.LOST: 1, Verdict.UNKNOWN: 3}
"""Exit status after a single deal."""


@dataclass(frozen=True, slots=True)
class Task:
    """A deal to be solved, or a board with its number in the stream; the other one is None."""

    deal: str | None
    board: int | None
    position: Position | BadBoard

    @property
    def name(self) -> str:
        """What texts call it."""
        return self.deal or f"board {self.board}"


@dataclass(frozen=True, slots=True)
class Result:
    """A task and what came of it."""

    task: Task
    outcome: Outcome | BadBoard


@click.command()
@click.argument("deals", nargs=-1)
@click.option("--board", type=click.File("rb"), metavar="FILE", help="Solve the boards of a file; - is standard input.")
@transpose_option
@rule_set
@budget
@click.option(
    "--jobs",
    type=click.IntRange(1, 1024),
    default=1,
    show_default=True,
    metavar="N",
    help="Deals solved at the same time, each by a thread.",
)
@json_option("Print a JSON object a deal, each on its line.")
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
    jobs: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Prove deals won or lost.

    DEALS are numbers (617), ranges (1-1000), or either with a scheme (ms:24, pysol:1-100); a number alone is
    pysol. Instead of deals, - reads boards from standard input, separated by lines ---.

    A verdict a deal is printed as soon as it is known, in the order of the deals. After a single deal the
    moves of its win follow, and the exit status is 0 for won, 1 for lost, 3 for unknown. After several it
    is 0. It is 2 for bad input and 130 when interrupted.
    """
    import numpy as np

    if deals == ("-",) and board is None:
        deals, board = (), open_file("-")
    if bool(deals) == (board is not None):
        raise InputError("name deals, or boards with --board FILE or -, and not both")
    total = None
    if board is None:
        ranges = [parse_deals(token) for token in deals]
        total = sum(some.count for some in ranges)
        tasks: Iterator[Task] = (Task(str(deal), None, deal_position(deal, rules)) for some in ranges for deal in some)
        jobs = min(jobs, total)
    else:
        boards = read_boards(board, rules, transpose)
        tasks = (Task(None, number, position) for number, position in enumerate(boards, 1))
    writer: _JsonWriter | _TextWriter
    if as_json:
        writer = _JsonWriter(rules)
    else:
        first_two = list(islice(tasks, 2))
        tasks = chain(first_two, tasks)
        writer = _TextWriter(rules, with_moves=len(first_two) == 1)
    if not quiet:
        _announce_compiling(rules)

    abort = np.zeros(1, np.uint8)

    def work(task: Task) -> Result:
        if isinstance(task.position, BadBoard):
            return Result(task, task.position)
        outcome = solve_position(task.position, rules, max_nodes=max_nodes, max_memory=max_memory, abort=abort)
        return Result(task, outcome)

    tally = Tally()
    bad_boards = 0
    status = 0
    progress = Progress(total, quiet)

    def report(result: Result) -> None:
        nonlocal bad_boards, status
        if isinstance(result.outcome, BadBoard):
            progress.end()
            say(result.outcome.problem)
            bad_boards += 1
        elif result.outcome.why_unknown != "interrupted":
            progress.make_way()
            writer.write(result.task, result.outcome)
            tally.add(result.outcome.verdict)
            status = STATUS[result.outcome.verdict]

    crew = Crew(work, tasks, jobs)
    with interrupts() as interrupt:
        try:
            while interrupt.status is None and not crew.finished:
                for result in crew.wait(TICK):
                    report(result)
                current = crew.in_work
                progress.show(tally, current.name if current else "the next one")
        finally:
            progress.end()
            abort[0] = 1
            crew.stop(GRACE / 2)
        if interrupt.status is not None:
            for result in crew.leftovers():
                report(result)
            say(f"interrupted; {tally.deals} deals were finished: {tally}")
            context.exit(interrupt.status)  # no rate: the deals that are finished first are the easy ones
    if tally.deals > 1 and not quiet:
        _summarize(tally)
    if bad_boards:
        context.exit(BAD_INPUT)
    context.exit(status if tally.deals == 1 else 0)


class _JsonWriter:
    """Writes an outcome as a JSON object on a line; numbers that name deals are strings."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules_json(rules)

    def write(self, task: Task, outcome: Outcome) -> None:
        moves = None if outcome.moves is None else [move_text(move) for move in outcome.moves]
        record = {
            **self._rules,
            "deal": task.deal,
            "board": task.board,
            "verdict": outcome.verdict,
            "why_unknown": outcome.why_unknown,
            "nodes": outcome.nodes,
            "node_unit": outcome.node_unit,
            "seconds": round(outcome.seconds, 6),
            "moves": moves,
            "engine": outcome.engine,
        }
        click.echo(json.dumps(record))


class _TextWriter:
    """Writes the rules, then a line an outcome; with the moves, all other lines are comments."""

    def __init__(self, rules: Rules, with_moves: bool) -> None:
        self._head = rules_line(rules) + "\n"
        self._with_moves = with_moves

    def write(self, task: Task, outcome: Outcome) -> None:
        parts = [outcome.verdict.value]
        if outcome.why_unknown:
            parts[0] += f" ({_WHY[outcome.why_unknown]})"
        if outcome.moves is not None:
            parts.append(f"{len(outcome.moves)} moves")
        parts += [f"{outcome.nodes} {_PLURAL[outcome.node_unit]}", f"{outcome.seconds:.3f} s"]
        line = f"{task.name}: {', '.join(parts)}"
        if self._with_moves:
            moves = "".join("\n" + move_text(move) for move in outcome.moves or ())
            line = f"# {line}{moves}"
        click.echo(self._head + line)
        self._head = ""


_WHY = {"nodes": "out of nodes", "memory": "out of memory"}
_PLURAL = {"position": "positions", "class": "classes"}


def _announce_compiling(rules: Rules) -> None:
    from solver.engine.cache import needs_compiling

    if needs_compiling(engine_for(rules).module):
        say("compiling the kernels, once; this takes some seconds")


def _summarize(tally: Tally) -> None:
    rate, interval = win_rate(tally), win_rate_interval(tally)
    both_ways = f" to {rate.high:.2%}" if tally.unknown else ""
    note = ", unknown deals counted both ways" if tally.unknown else ""
    say(f"{tally.deals} deals: {tally}")
    say(
        f"win rate {rate.low:.2%}{both_ways}; {CONFIDENCE:.0%} interval {interval.low:.2%} to {interval.high:.2%}{note}"
    )
