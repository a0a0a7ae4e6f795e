"""The command-line reference, made from the commands themselves: ``python -m solver.cli.reference > docs/cli.md``.

A test holds ``docs/cli.md`` against it, so the page is never stale.
"""

import inspect
from collections.abc import Iterator

import click

from solver.cli.application import STATUSES
from solver.cli.commands import citadel


def reference() -> str:
    """The reference as Markdown."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield "# Command line"
    yield ""
    yield "Made by `python -m solver.cli.reference`; do not edit."
    yield ""
    yield inspect.cleandoc(citadel.help or "")
    yield ""
    yield "Verdicts and boards go to standard output, everything else to standard error."
    yield ""
    yield "| exit status | meaning |"
    yield "|---|---|"
    for status, meaning in STATUSES.items():
        yield f"| {status} | {meaning} |"
    context = click.Context(citadel, info_name="citadel")
    for name, command in citadel.commands.items():
        yield ""
        yield f"## citadel {name}"
        yield ""
        usage = " ".join(command.collect_usage_pieces(click.Context(command, context, name)))
        yield f"    citadel {name} {usage}"
        yield ""
        yield inspect.cleandoc(command.help or "")
        options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
        if options:
            yield ""
            yield "| option | meaning |"
            yield "|---|---|"
        for option in options:
            yield f"| {_names(option)} | {_meaning(option)} |"
    yield ""


def _names(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in option.opts)
    if option.is_flag:
        return names
    if isinstance(option.type, click.Choice):
        return f"{names} " + ", ".join(f"`{choice}`" for choice in option.type.choices)
    return f"{names} {option.metavar or option.type.name.upper()}"


def _meaning(option: click.Option) -> str:
    default = f" Default: `{option.default}`." if option.show_default else ""
    return (option.help or "") + default


if __name__ == "__main__":
    click.echo(reference(), nl=False)
