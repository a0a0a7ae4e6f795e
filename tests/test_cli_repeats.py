"""An option with a value that is given twice is refused; a flag may be given twice."""

from collections.abc import Iterator

import click
import pytest
from command import run

from solver.cli.commands import citadel

VALUES = {
    "deals": "ms:1-2",
    "max_nodes": "5",
    "max_memory": "64M",
    "start": "2027-01-01",
    "shard": "1/1",
    "minutes": "0",
    "board": "-",
}
ARGUMENTS = {
    "check": ["-"],
    "compare": ["one", "two"],
    "deal": ["ms:1"],
    "prove": ["ms:1", "-o", "new.cert"],
    "replay": ["ms:1"],
    "report": ["one"],
    "analyze": ["ms:1"],
    "verify": ["ms:1", "-"],
    "merge": ["one"],
    "stats": ["one"],
}


def options(kind: bool) -> Iterator[tuple[str, str]]:
    """Commands with the names of their options: the flags, or the others."""
    for name, command in citadel.commands.items():
        for option in command.params:
            if isinstance(option, click.Option) and option.is_flag is kind:
                yield name, option.opts[-1]


def value_of(option: click.Option, command: str) -> str:
    if isinstance(option.type, click.Choice):
        return str(next(iter(option.type.choices)))
    if option.name == "start" and command == "winnable":
        return "ms:1-2"
    return VALUES.get(str(option.name), "3")


def parameter(command: str, name: str) -> click.Option:
    return next(
        option
        for option in citadel.commands[command].params
        if isinstance(option, click.Option) and name in option.opts
    )


@pytest.mark.parametrize(("command", "name"), list(options(False)))
def test_an_option_given_twice_is_refused(command: str, name: str) -> None:
    option = parameter(command, name)
    value = value_of(option, command)
    arguments = [*ARGUMENTS.get(command, []), *needed(command), name, value]
    given = arguments.count(option.opts[0]) + arguments.count(name) * (option.opts[0] != name)
    if given < 2:
        arguments += [option.opts[0], value]
        given += 1
    result = run(command, *arguments)
    assert result.exit_code == 2, result.stderr
    assert result.stderr.startswith(f"citadel: {option.opts[-1]} is given {given} times, it takes one value")
    assert len(result.stderr.splitlines()) == 1


def needed(command: str) -> list[str]:
    """What a command cannot do without, unless ARGUMENTS has it."""
    found: list[str] = []
    for option in citadel.commands[command].params:
        if (
            isinstance(option, click.Option)
            and option.required
            and not set(option.opts) & {*ARGUMENTS.get(command, [])}
        ):
            found += [option.opts[0], value_of(option, command)]
    return found


def test_every_command_with_options_was_tried() -> None:
    assert {command for command, _ in options(False)} >= {
        "solve",
        "run",
        "winnable",
        "daily",
        "prove",
        "merge",
        "stats",
    }


def test_a_flag_may_be_given_twice() -> None:
    once = run("rules", "citadel", "--json")
    assert run("rules", "citadel", "--json", "--json").stdout == once.stdout
    assert once.exit_code == 0


def test_help_is_given_whatever_else_is_given() -> None:
    result = run("solve", "--jobs", "1", "--jobs", "2", "--help")
    assert (result.exit_code, result.stdout.splitlines()[0][:6]) == (0, "Usage:")
