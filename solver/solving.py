"""The library's front door: deal a board, solve it, get a verdict that the referee has checked.

Picks the engine by the rules and loads it on first use. Knows nothing of files, click or text.
"""

import time
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from solver.cards import RANKS
from solver.deals import DealId, as_deal, deal_position
from solver.engine.result import LOST, OUT_OF_MEMORY, WHY_UNKNOWN, WON, SearchResult
from solver.errors import InputError, check_abort, check_callable, check_kind
from solver.position import Move, Position, padded
from solver.referee import replay
from solver.rules import VARIANTS, Rules, as_rules, unknown_setting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEFAULT_MAX_NODES = 2_000_000
"""Node budget of a search: decides every Citadel deal tried so far, and takes seconds where it does not suffice."""

DEFAULT_MAX_MEMORY = 256 << 20
"""Memory budget of a search, in bytes: room for all classes of the node budget's longest iteration."""

LONG_WIN = 110
"""Moves above which a win is called long: most wins of the games with the fewest lie below."""

LARGEST_BUDGET = 2**62
"""No budget is larger: the kernels count nodes, and bytes, in 64 bits with a sign."""


class Verdict(StrEnum):
    """What is known of a position: ``won`` and ``lost`` are proved, ``unknown`` is neither."""

    WON = "won"
    LOST = "lost"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer of ``solve``.

    Attributes
    ----------
    verdict
        ``won`` and ``lost`` are proved; ``unknown`` means that the search was cut short.
    nodes, node_unit
        Nodes opened, and what the engine calls a node: ``position`` or ``class``.
    seconds
        Wall-clock time of the search; loading and compiling the engine is not counted.
    why_unknown
        ``nodes``, ``memory`` or ``interrupted``; None for a proved verdict.
    moves
        A winning line that the referee has replayed; None unless won.
    moves_saved
        How many moves shorter the line has become by ``short=True``; None where nothing was tried.
    engine
        The engine's name.
    trace
        How the verdict came about: plain values by name.
    """

    verdict: Verdict
    nodes: int
    node_unit: str
    seconds: float
    why_unknown: str | None
    moves: tuple[Move, ...] | None
    engine: str
    trace: dict[str, Any] = field(default_factory=dict)
    moves_saved: int | None = None


class RefusedWin(RuntimeError):
    """An engine's winning line that the referee refuses: a fault of the engine, never of the input."""


@dataclass(frozen=True, slots=True)
class Engine:
    """A search, where to find it, and for which rules it works.

    ``module`` has a function ``search(position, rules, *, max_nodes, max_memory, abort)``; it is imported on
    first use, because compiled code takes a second to load. It holds the kernel that calls all others, so compiled
    last. ``limits`` says what the engine does not serve, in words.
    """

    name: str
    module: str
    node_unit: str
    serves: Callable[[Rules], bool]
    limits: str = ""

    def prepare(self) -> None:
        """Load the engine, and compile it if it was never compiled, by having it search a won board."""
        if self.name not in _prepared:
            won = Position((RANKS, RANKS, RANKS, RANKS), ())
            rules = next(rules for rules in VARIANTS.values() if self.serves(rules))
            self.search(padded(won, rules), rules, max_nodes=1, max_memory=DEFAULT_MAX_MEMORY, abort=None)
            _prepared.add(self.name)

    def search(
        self,
        position: Position,
        rules: Rules,
        *,
        max_nodes: int,
        max_memory: int,
        abort: "NDArray[np.uint8] | None",
    ) -> SearchResult:
        """Run the search; a machine without the memory for it ends it like a budget does."""
        search = import_module(self.module).search
        try:
            result: SearchResult = search(position, rules, max_nodes=max_nodes, max_memory=max_memory, abort=abort)
        except MemoryError:
            return SearchResult(OUT_OF_MEMORY, 0)
        return result


_Served: TypeAlias = Mapping[str, Container[str | int | None]]

_GENERAL_RULES: _Served = {
    "piles": range(1, 14),
    "layout": ("castle", "bakers-dozen", "portuguese"),
    "aces": ("first", "in-deck", None),
    "skim": ("no", "yes", None),
    "skim-gap": ("skip", "refill", None),
    "order": ("rows", "columns", None),
    "spaces": ("any", "kings", "none"),
    "unit": ("card", "supermove", "sequence"),
    "withdrawal": ("no", "yes"),
    "auto-found": ("never", "uncovered"),
}
"""What the general engine serves: every rule that it has been compared with the exhaustive search on."""

_QUOTA_RULES: _Served = {
    "piles": range(1, 14),
    "layout": ("castle", "bakers-dozen", "portuguese"),
    "aces": ("first", "in-deck", None),
    "skim": ("no", "yes", None),
    "skim-gap": ("skip", "refill", None),
    "order": ("rows", "columns", None),
    "spaces": ("any", "kings", "none"),
    "unit": ("card", "supermove"),
    "withdrawal": ("no",),
    "auto-found": ("never",),
}
"""What the quota engine serves: single cards decide what can be won, and nothing comes back or goes up by itself."""


def _serves(served: _Served, rules: Rules) -> bool:
    return unknown_setting(rules, served) is None


_prepared: set[str] = set()

ENGINES = (
    Engine(
        "quota",
        "solver.engine.quota.class_search",
        "class",
        serves=partial(_serves, _QUOTA_RULES),
        limits="takes no sequences (unit=sequence), no withdrawal=yes and no auto-found=uncovered",
    ),
    Engine("general", "solver.engine.general.position_search", "position", serves=partial(_serves, _GENERAL_RULES)),
)
"""All engines; a rule set is searched by the first one that serves it."""

ENGINE_NAMES = ("auto", *(engine.name for engine in ENGINES))
"""What callers choose between; ``auto`` is the first engine that serves the rule set."""


def engine_for(rules: Rules, name: str = "auto") -> Engine:
    """The engine that searches a rule set, or the one that is named.

    Raises
    ------
    InputError
        If there is no such engine, or if it does not serve the rule set: no engine serves a rule that it does not know.
    """
    if name == "auto":
        served_by = next((engine for engine in ENGINES if engine.serves(rules)), None)
        if served_by is None:
            raise InputError(f"no engine knows the rule {unknown_setting(rules, _GENERAL_RULES)}")
        return served_by
    engine = next((engine for engine in ENGINES if engine.name == name), None)
    if engine is None:
        raise InputError(f"no engine {name!r}; there are {', '.join(ENGINE_NAMES)}")
    if not engine.serves(rules):
        engine_for(rules)  # says so if none does
        raise InputError(f"the {name} engine does not serve these rules: it {engine.limits}")
    return engine


def deal(deal: DealId | str | int, rules: Rules | str, **switches: str) -> Position:
    """The position that a deal starts from.

    Parameters
    ----------
    deal
        ``ms:24``; a number alone, as text or not, is ``pysol``.
    rules
        A rule set, or a variant's name.
    switches
        Changes to the rule set, with ``_`` for ``-``: ``skim_gap="refill"``.

    Raises
    ------
    InputError
        For a deal that does not exist, or an unknown variant, switch or value.

    Examples
    --------
    >>> position = solver.deal("ms:24", "citadel")
    >>> position.foundations
    (2, 3, 3, 4)
    >>> solver.deal(617, "citadel", skim="no").foundations
    (1, 1, 1, 1)
    """
    wanted = as_rules(rules).with_switches({name.replace("_", "-"): value for name, value in switches.items()})
    return deal_position(as_deal(deal), wanted)


def board_of(position: Position, rules: Rules) -> Position:
    """A position as a board of a rule set, with all its piles.

    Raises
    ------
    InputError
        If it is none, with all that is wrong with it.
    """
    check_kind("position", position, Position)
    problems = position.problems(rules)
    if problems:
        raise InputError("; ".join(problems))
    return padded(position, rules)


def solve(
    position: Position,
    rules: Rules | str,
    *,
    max_nodes: int = DEFAULT_MAX_NODES,
    max_memory: int = DEFAULT_MAX_MEMORY,
    engine: str = "auto",
    short: bool = False,
    tidy: bool = False,
    abort: "NDArray[np.uint8] | None" = None,
    on_verdict: Callable[[Outcome], None] | None = None,
) -> Outcome:
    """Prove a position won or lost, within a budget.

    Parameters
    ----------
    position
        The position; missing last piles count as empty.
    rules
        A rule set, or a variant's name.
    max_nodes
        Nodes that the search may open.
    max_memory
        Bytes that the search may use for its tables.
    engine
        ``auto``, or the name of the engine to search with: ``general`` or ``quota``.
    short
        Look for a shorter win, for some seconds.
    tidy
        Spend some hundredths of a second more on a win of more than LONG_WIN moves, as for people to read.
    abort
        An array of one element; another thread that sets it ends the search within a moment, as unknown.
    on_verdict
        Called with the outcome as soon as it is known, before ``short`` makes a win shorter.

    Raises
    ------
    InputError
        If the position is not a board of the rule set (the message lists everything that is wrong with it), if a budget
        is not an integer, is below 1 or is more than the machine has, or if the engine does not serve the rule set.
    RefusedWin
        If the referee refuses the winning line.

    Examples
    --------
    >>> outcome = solver.solve(solver.deal("ms:24", "citadel"), "citadel")
    >>> outcome.verdict.value, outcome.nodes, outcome.node_unit
    ('won', 25, 'class')
    >>> len(outcome.moves), solver.move_text(outcome.moves[0])
    (74, '6D 1 3')
    """
    rules = as_rules(rules)
    position = board_of(position, rules)
    check_budgets(max_nodes, max_memory)
    check_kind("engine", engine, str)
    check_kind("short", short, bool)
    check_kind("tidy", tidy, bool)
    check_abort(abort)
    check_callable("on_verdict", on_verdict)
    searcher = engine_for(rules, engine)
    searcher.prepare()
    begun = time.perf_counter()
    result = searcher.search(position, rules, max_nodes=max_nodes, max_memory=max_memory, abort=abort)
    seconds = time.perf_counter() - begun
    moves = None
    if result.status == WON:
        moves = result.moves
        check_win(position, rules, moves)
        if tidy and len(moves) > LONG_WIN:
            moves = _shorter(position, rules, moves, abort, thoroughly=False)
    outcome = Outcome(
        verdict={WON: Verdict.WON, LOST: Verdict.LOST}.get(result.status, Verdict.UNKNOWN),
        nodes=result.nodes,
        node_unit=searcher.node_unit,
        seconds=seconds,
        why_unknown=None if result.status in (WON, LOST) else WHY_UNKNOWN[result.status],
        moves=moves,
        engine=searcher.name,
        trace=result.trace,
    )
    if on_verdict is not None:
        on_verdict(outcome)
    if moves is None or not short:
        return outcome
    shorter = _shorter(position, rules, moves, abort, thoroughly=True)
    return replace(outcome, moves=shorter, moves_saved=len(moves) - len(shorter))


def check_budgets(max_nodes: int, max_memory: int) -> None:
    """Raise InputError unless a search's budgets, nodes and bytes, are integers from 1 to LARGEST_BUDGET."""
    for budget, name, what in ((max_nodes, "max_nodes", ""), (max_memory, "max_memory", " number of bytes")):
        check_kind(name, budget, int)
        if not 1 <= budget <= LARGEST_BUDGET:
            raise InputError(f"{name} must be an integer{what} from 1 to 2^62, got {budget!r}")


def _shorter(
    position: Position, rules: Rules, moves: tuple[Move, ...], abort: "NDArray[np.uint8] | None", *, thoroughly: bool
) -> tuple[Move, ...]:
    """A shorter win, refereed too; the one given where memory does not allow to look for one."""
    polish = import_module("solver.engine.general.polish").polish
    try:
        shorter: tuple[Move, ...] = polish(position, rules, moves, abort, thoroughly=thoroughly)
    except MemoryError:
        return moves
    check_win(position, rules, shorter)
    return shorter


def check_win(position: Position, rules: Rules, moves: tuple[Move, ...]) -> None:
    """Have a winning line replayed; raise RefusedWin unless it wins."""
    game = replay(position, rules, moves)
    if not game.wins:
        problem = game.problem or "the cards are not all founded at the end"
        raise RefusedWin(f"the referee refuses the engine's win after {game.played} moves: {problem}")
