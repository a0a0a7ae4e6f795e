"""The Python reference, made from the docstrings: ``python -m solver.cli.python_reference > docs/python.md``.

A test holds ``docs/python.md`` against it, so the page is never stale. The twin of ``reference``, which does the same
for the commands.
"""

import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import is_dataclass
from enum import Enum
from typing import Any

import click

import solver

GROUPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "Rules": ("Choose the game that is played.", ("rules_of", "Rules", "VARIANTS")),
    "Deals and boards": (
        "Deal a position by its name, or read one from text.",
        ("deal", "DealId", "parse_board", "board_text", "Position"),
    ),
    "Moves": ("Read, write and replay moves.", ("Move", "parse_moves", "move_text", "replay")),
    "Solve": ("Prove a position won or lost.", ("solve", "Outcome", "Verdict")),
    "Many deals": ("Prove whole ranges of deals, on several threads.", ("solve_many", "Solved")),
    "Analyse": ("Ask how a position in the middle of a game stands.", ("analyze", "Analysis", "MoveVerdict")),
    "Prove and check": (
        "Write a certificate of a verdict, and check one without the search.",
        ("prove", "Proof", "check_certificate", "Check", "Certificate"),
    ),
    "Check the solver": ("Compare the engines on random positions.", ("selfcheck", "SelfCheck")),
    "Errors and version": ("", ("InputError", "__version__")),
}
"""The public names by task, each group with a sentence."""

VALUES = {
    "VARIANTS": "Every variant's rule set by its name: a dictionary from `str` to `Rules`.",
    "__version__": "The version of the package, a string.",
}
"""Names that have no docstring, since they are values."""

INTRODUCTION = """\
Everything below is imported from `solver`. The import takes a moment only: each name loads its module when it is first
used, and the first search compiles the engine, once per machine, which takes half a minute.

Three conventions hold throughout. Cards are integers, as the module `solver.cards` numbers them. Piles are numbered
from 0 in Python, and from 1 in text. Wherever a function takes rules, it takes a `Rules` or the name of a variant.

For ranges of deals that take hours use `citadel run` ([runs.md](runs.md)), which can be interrupted and resumed.

The words used here are explained in the [glossary](glossary.md). Every example on this page is run by the tests."""


def python_reference() -> str:
    """The reference as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# Python API"
    yield ""
    yield "Made by `python -m solver.cli.python_reference`; do not edit."
    yield ""
    yield INTRODUCTION
    for group, (sentence, names) in GROUPS.items():
        yield f"\n## {group}"
        if sentence:
            yield f"\n{sentence}"
        for name in names:
            yield f"\n### {name.replace('_', chr(92) + '_') if name.startswith('_') else name}\n"
            yield from _entry(name, getattr(solver, name))


def _entry(name: str, thing: Any) -> Iterator[str]:
    if name in VALUES:
        yield VALUES[name]
        return
    if inspect.isfunction(thing) or is_dataclass(thing) or hasattr(thing, "_fields"):
        yield from _signature(f"solver.{name}", thing)
    yield from _docstring(inspect.getdoc(thing) or "")
    if inspect.isclass(thing):
        yield from _members(name, thing)


def _members(name: str, thing: type) -> Iterator[str]:
    if issubclass(thing, Enum):
        yield "\n" + ", ".join(f"`{name}.{each.name}` is `{each.value!r}`" for each in thing) + "."
    for member, value in vars(thing).items():
        function = value.fget if isinstance(value, property) else value
        if member.startswith("_") or not inspect.isfunction(function):
            continue
        if isinstance(value, property):
            yield f"\n#### {name}.{member}\n"
        else:
            yield f"\n#### {name}.{member}()\n"
            if len(inspect.signature(function).parameters) > 1:
                yield from _signature(f"{name}.{member}", function)
        yield from _docstring(inspect.getdoc(function) or "")


def _signature(name: str, thing: Any) -> Iterator[str]:
    """The call, on one line if it fits and a parameter a line otherwise."""
    parameters = [item for key, item in inspect.signature(thing).parameters.items() if key != "self"]
    shown: list[str] = []
    for item in parameters:
        if item.kind is item.KEYWORD_ONLY and "*" not in shown:
            shown.append("*")
        text = f"**{item.name}" if item.kind is item.VAR_KEYWORD else item.name
        if item.default is not item.empty:
            text += f"={_default(item.default)}"
        shown.append(text)
    call = f"{name}({', '.join(shown)})"
    yield "```python"
    yield call if len(call) <= 100 else f"{name}(\n" + "".join(f"    {text},\n" for text in shown) + ")"
    yield "```\n"


def _default(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    return "..." if callable(value) or "factory" in repr(value) else repr(value)


def _docstring(text: str) -> Iterator[str]:
    """A NumPy docstring as Markdown: its paragraphs, then its sections."""
    head, *sections = re.split(r"\n\n(?=[A-Z]\w+\n-{3,}\n)", text)
    yield _prose(head)
    for section in sections:
        title, _, body = section.split("\n", 2)
        if title == "Examples":
            yield f"\n```pycon\n{body.strip()}\n```"
            continue
        yield f"\n{title}:\n"
        for name, meaning in _items(body):
            names = ", ".join(f"`{each}`" for each in name.split(", "))
            yield f"* {names}: {_prose(meaning)}"


def _items(body: str) -> Iterator[tuple[str, str]]:
    for item in re.split(r"\n(?=\S)", body.strip("\n")):
        name, meaning = item.split("\n", 1)
        yield name, textwrap.dedent(meaning).strip().replace("\n", " ")


def _prose(text: str) -> str:
    return text.strip().replace("``", "`")


if __name__ == "__main__":
    click.echo(python_reference(), nl=False)
