"""The options that commands share, as decorators, and the types of their values."""

import re
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from solver.rules import CHOICES, VARIANTS, Rules, rules_of
from solver.solving import DEFAULT_MAX_MEMORY, DEFAULT_MAX_NODES, ENGINE_NAMES, LARGEST_BUDGET

Command = TypeVar("Command", bound=Callable[..., Any])

_SWITCH_HELP = {
    "aces": "Aces go to the foundations before the deal, or are dealt with the other cards.",
    "skim": "While dealing, a card that fits its foundation goes there.",
    "skim-gap": "A skimmed card uses up its pile's turn, or the next card takes its place.",
    "order": "Deal a card to each pile in turn, or pile after pile.",
    "spaces": "What an empty pile accepts.",
    "unit": "What moves: one card, a run as far as spaces allow, or a run of any length.",
    "withdrawal": "The top card of a foundation may come back to a pile.",
    "auto-found": "A card just uncovered that fits its foundation goes up by itself.",
}


class VariantName(click.Choice[str]):
    """The name of a variant; a misspelt one is answered with the name that is meant."""

    def __init__(self) -> None:
        super().__init__(list(VARIANTS))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name itself."""
        return super().convert(rules_of(value).variant, param, ctx)


def _field(switch: str) -> str:
    return switch.replace("-", "_")


def switches(command: Command) -> Command:
    """The rule switches; the command gets ``changes``, a dict of those given."""

    @wraps(command)
    def with_changes(*args: Any, **given: Any) -> Any:
        values = {switch: given.pop(_field(switch)) for switch in CHOICES}
        changes = {switch: value for switch, value in values.items() if value is not None}
        return command(*args, changes=changes, **given)

    decorated: Any = with_changes
    for switch, choices in reversed(CHOICES.items()):
        option = click.option(f"--{switch}", type=click.Choice(choices), help=_SWITCH_HELP[switch])
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]


def rule_set(command: Command) -> Command:
    """``--variant`` and the rule switches; the command gets ``rules``."""

    @switches
    @wraps(command)
    def with_rules(*args: Any, variant: str, changes: dict[str, str], **given: Any) -> Any:
        return command(*args, rules=rules_of(variant, changes), **given)

    option = click.option(
        "--variant",
        type=VariantName(),
        default=next(iter(VARIANTS)),
        show_default=True,
        help="The game whose rules hold; the switches below change them.",
    )
    decorated: Any = option(with_rules)
    return decorated  # type: ignore[no-any-return]


_POWERS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
_SIZE = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,9})?)([KMGT]?)(?:I?B)?", re.ASCII)


class MemorySize(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.4
    """Bytes, as ``512M``, ``2G`` or a plain number."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Number of bytes; numbers pass through."""
        if isinstance(value, int):
            return value
        match = _SIZE.fullmatch(value.upper())
        if match is None:
            self.fail(f"{value!r} is not a size; write 512M, 2G or a number of bytes", param, ctx)
        size = int(float(match[1]) * 2 ** _POWERS[match[2]])
        if not 1 <= size <= LARGEST_BUDGET:
            self.fail(f"{value!r} is out of range", param, ctx)
        return size


def budget(command: Command) -> Command:
    """``--max-nodes`` and ``--memory``; the command gets ``max_nodes`` and ``max_memory``."""
    command = click.option(
        "--memory",
        "max_memory",
        type=MemorySize(),
        default=f"{DEFAULT_MAX_MEMORY >> 20}M",
        show_default=True,
        help="Memory for the tables of one search; every job has its own.",
    )(command)
    return click.option(
        "--max-nodes",
        type=click.IntRange(1, LARGEST_BUDGET),
        default=DEFAULT_MAX_NODES,
        show_default=True,
        metavar="N",
        help="Nodes that one search may open before it says unknown.",
    )(command)


def engine_option(command: Command) -> Command:
    """``--engine``."""
    return click.option(
        "--engine",
        type=click.Choice(ENGINE_NAMES),
        default=ENGINE_NAMES[0],
        show_default=True,
        help="The search: quota for games without withdrawals, sequences and cards that go up by themselves, "
        "general for all; auto takes quota where it can.",
    )(command)


class OutputFile(click.Path):
    """A file that is written whole; its folder is there."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, dir_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path."""
        path: Path = super().convert(value, param, ctx)  # type: ignore[assignment]  # by path_type
        if path.name == "-":
            self.fail("'-' is not a file to write; name one", param, ctx)
        if not path.parent.is_dir():
            self.fail(f"there is no folder {path.parent}", param, ctx)
        return path


def output_option(help_text: str, required: bool = False) -> Callable[[Any], Any]:
    """``-o``; the command gets ``output``."""
    return click.option("-o", "--output", type=OutputFile(), required=required, metavar="FILE", help=help_text)


def transpose_option(command: Command) -> Command:
    """``--transpose``."""
    help_text = "Read each line of a board as a row across the piles, for boards pasted downwards."
    return click.option("--transpose", is_flag=True, help=help_text)(command)


def json_option(help_text: str) -> Callable[[Any], Any]:
    """``--json``; the command gets ``as_json``."""
    return click.option("--json", "as_json", is_flag=True, help=help_text)


def rules_json(rules: Rules) -> dict[str, Any]:
    """What every JSON line says of the rules: the variant, and every switch as on the command line."""
    return {"variant": rules.variant, "rules": rules.switches()}


def rules_line(rules: Rules) -> str:
    """The line that names the rules at the head of every text; a comment for all our readers."""
    return f"# {rules.variant}: {rules.text()}"
