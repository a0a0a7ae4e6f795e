"""A check for the sceptic: do the searches ever disagree? Random small positions and random full deals, without end.

Small positions are searched exhaustively, nothing pruned (``naive``), and by every engine that serves their rules; full
deals by every such engine. Each engine also searches the same position with its piles in another order and its suits
renamed. Two searches disagree when one proves won what another proves lost, or when the referee refuses a win.

A case follows from the seed and its number alone. Knows nothing of click.
"""

import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import TYPE_CHECKING

from solver import solving
from solver.checking.naive import naive_verdict
from solver.checking.samples import any_rules, small_buried, small_castle, small_position, turned
from solver.deals import DealId, deal_position
from solver.errors import InputError, check_abort, check_kind
from solver.notation import board_text
from solver.position import Position
from solver.rules import Rules
from solver.solving import Verdict, solve
from solver.statistics import Tally

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAIVE_STATES = 2000
"""States after which the naive search gives up."""

SMALL_NODES = 1_000_000
"""Node budget of an engine on a small position: far more than one has."""

FULL_NODES = {"quota": 20_000, "general": 100_000}
"""Node budgets of the engines on a full deal: some hundredths of a second, in which they decide most deals."""

MEMORY = 64 << 20
"""Memory budget of each search, in bytes: more than those nodes fill."""

FULL_EVERY = 4
"""Every so many-th case is a full deal."""

LARGEST_SEED = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Case:
    """A position to compare searches on.

    Attributes
    ----------
    name
        What to call it: a deal, or the number of a small position.
    is_small
        Whether the naive search is tried on it.
    other
        The same position with its piles in another order and its suits renamed.
    """

    name: str
    rules: Rules
    position: Position
    is_small: bool
    other: Position


WAYS = {
    "naive": "small positions, exhaustive search against engines",
    "engines": "two engines against each other",
    "orders": "one engine, against itself on piles and suits in another order",
}
"""Ways in which a verdict can be compared, with their descriptions; of a case the first that applies counts."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the searches say of a case.

    Attributes
    ----------
    verdicts
        By the search's name: ``naive``, or an engine's, followed by ``, turned`` for the other position.
    faults
        Why a search came to no verdict at all, by its name: most likely the referee refuses its win.
    """

    case: Case
    verdicts: dict[str, Verdict]
    faults: dict[str, str]

    @property
    def is_difference(self) -> bool:
        """Whether the searches disagree."""
        return bool(self.faults) or {Verdict.WON, Verdict.LOST} <= {*self.verdicts.values()}

    @property
    def way(self) -> str | None:
        """How the verdict was compared, of WAYS; None where too few searches have proved it."""
        proved = [name for name, verdict in self.verdicts.items() if verdict is not Verdict.UNKNOWN]
        if "naive" in proved:
            return "naive" if len(proved) > 1 else None
        if len({name.partition(",")[0] for name in proved}) > 1:
            return "engines"
        return "orders" if len(proved) > 1 else None

    def text(self) -> str:
        """Everything needed to look into a difference: rules, verdicts, the board, and all of it as Python."""
        case = self.case
        lines = [f"{case.name}: {case.rules.variant}: {case.rules.text()}"]
        lines += [f"{name}: {self.faults.get(name, verdict)}" for name, verdict in self.verdicts.items()]
        lines += [board_text(case.position).rstrip(), f"rules = {case.rules!r}"]
        return "\n".join([*lines, f"position = {case.position!r}", f"turned = {case.other!r}"])


@dataclass(slots=True)
class SelfCheck:
    """The answer of ``selfcheck``.

    Attributes
    ----------
    seed
        Gives the same cases again, in the same order.
    alike
        Verdicts on which the searches agree, by the way of comparing them (WAYS).
    undecided
        Number of cases on which too few searches had an answer within their budgets.
    differences
        The cases on which searches disagree.
    """

    seed: int
    alike: dict[str, Tally] = field(default_factory=lambda: {way: Tally() for way in WAYS})
    undecided: int = 0
    differences: list[Comparison] = field(default_factory=list)

    @property
    def compared(self) -> int:
        """Number of cases on which searches were compared."""
        return sum(tally.deals for tally in self.alike.values()) + len(self.differences)

    def add(self, comparison: Comparison) -> None:
        """Count one more case."""
        if comparison.is_difference:
            self.differences.append(comparison)
        elif comparison.way is None:
            self.undecided += 1
        else:
            (verdict,) = {*comparison.verdicts.values()} - {Verdict.UNKNOWN}
            self.alike[comparison.way].add(verdict)

    def text(self) -> str:
        """The report, several lines."""
        lines = [f"seed: {self.seed}"]
        for way, tally in self.alike.items():
            lines.append(f"{WAYS[way]}: {tally.deals} alike, {tally.won} won and {tally.lost} lost")
        lines.append(f"undecided within the budgets: {self.undecided}")
        lines += [f"DIFFERENCE in {difference.text()}" for difference in self.differences]
        lines.append(f"{self.compared} compared, {len(self.differences)} differences")
        return "\n".join(lines)


def check_minutes(minutes: float) -> None:
    """Raise InputError for minutes that would never be over, nan, or below 0."""
    check_kind("minutes", minutes, int, float)
    if not minutes >= 0:
        raise InputError(f"{minutes} is not a number of minutes")


def selfcheck(minutes: float = 1.0, *, seed: int | None = None, abort: "NDArray[np.uint8] | None" = None) -> SelfCheck:
    """Compare searches on random positions and deals for some minutes.

    Parameters
    ----------
    minutes
        How long; the case that is being worked on then is finished.
    seed
        Gives the same cases in every check; None draws one.
    abort
        An array of one element; another thread that sets it ends the check.

    Raises
    ------
    InputError
        For minutes below 0, and for nan, which would never be over.

    Examples
    --------
    >>> solver.selfcheck(minutes=0, seed=1).differences
    []
    """
    check_minutes(minutes)
    check_kind("seed", seed, int, type(None))
    check_abort(abort)
    report = SelfCheck(new_seed() if seed is None else seed)
    end = time.monotonic() + 60 * minutes
    for case in cases(report.seed):
        if time.monotonic() >= end or (abort is not None and abort[0]):
            break
        report.add(compare(case, abort))
    return report


def new_seed() -> int:
    """A seed that nobody has chosen."""
    return secrets.randbelow(LARGEST_SEED + 1)


def cases(seed: int) -> Iterator[Case]:
    """All cases of a seed, without end."""
    return (case(seed, number) for number in count(1))


def case(seed: int, number: int) -> Case:
    """The n-th case of a seed, n from 1."""
    random = Random(f"{seed} {number}")
    is_small = number % FULL_EVERY != 0
    if is_small:
        name = f"small position {number} of seed {seed}"
        position, rules = random.choice((small_position, small_castle, small_buried))(random)
    else:
        deal = DealId(*random.choice((("ms", random.randint(1, 2**33 - 1)), ("pysol", random.randint(1, 10**20 - 1)))))
        name, rules = f"deal {deal}", any_rules(random)
        position = deal_position(deal, rules)
    return Case(name, rules, position, is_small, turned(random, position))


def compare(case: Case, abort: "NDArray[np.uint8] | None" = None) -> Comparison:
    """Have all searches search a case."""
    verdicts: dict[str, Verdict] = {}
    faults: dict[str, str] = {}
    if case.is_small:
        winnable = naive_verdict(case.position, case.rules, NAIVE_STATES)
        verdicts["naive"] = {True: Verdict.WON, False: Verdict.LOST, None: Verdict.UNKNOWN}[winnable]
    for engine in solving.ENGINES:
        if not engine.serves(case.rules):
            continue
        for name, position in ((engine.name, case.position), (f"{engine.name}, turned", case.other)):
            try:
                verdicts[name] = solve(
                    position,
                    case.rules,
                    max_nodes=SMALL_NODES if case.is_small else FULL_NODES[engine.name],
                    max_memory=MEMORY,
                    engine=engine.name,
                    abort=abort,
                ).verdict
            except Exception as error:  # of whatever kind: it has to be reported with its position
                verdicts[name], faults[name] = Verdict.UNKNOWN, f"{error or repr(error)}"
    return Comparison(case, verdicts, faults)
