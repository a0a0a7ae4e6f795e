"""``citadel deal``, ``verify`` and ``rules``, help, and the reference page."""

import json
from pathlib import Path

import click
import pytest
from boards import FIXTURES, fixture_of
from click.testing import CliRunner
from command import run

from solver.cli.commands import citadel
from solver.cli.reference import reference
from solver.rules import CHOICES, VARIANTS, rules_of
from solver.version import __version__

ROOT = Path(__file__).parent.parent
COMMANDS = sorted(citadel.commands)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_deal_prints_the_fixtures(path: Path) -> None:
    deal, rules = fixture_of(path)
    assert run("deal", str(deal), "--variant", rules.variant).stdout_bytes == path.read_bytes()


def test_deal_separates_boards() -> None:
    first, second, third = (run("deal", name).stdout for name in ("pysol:1", "ms:2", "3"))
    assert run("deal", "1", "ms:2", "3").stdout == f"{first}---\n{second}---\n{third}"
    assert run("deal", "1-3").stdout == run("deal", "ms:1-3").stdout


def test_deal_takes_switches() -> None:
    assert run("deal", "ms:24", "--skim", "no").stdout == run("deal", "ms:24", "--variant", "beleaguered-castle").stdout
    assert run("deal", "ms:24", "--skim-gap", "refill").stdout != run("deal", "ms:24").stdout


def test_case_27_symbols_where_the_output_has_them_and_letters_elsewhere() -> None:
    arguments = ["deal", "ms:24", "--unicode"]
    letters = run("deal", "ms:24").stdout_bytes
    assert (
        CliRunner(charset="utf-8").invoke(citadel, arguments).stdout_bytes.decode().startswith("Foundations: ♥-2 ♣-3")
    )
    for charset in ("ascii", "latin-1"):
        assert CliRunner(charset=charset).invoke(citadel, arguments).stdout_bytes == letters


@pytest.fixture(name="solution")
def solve_a_deal() -> str:
    """What solving ms:24 prints."""
    return run("solve", "ms:24").stdout


def test_case_10_verify_accepts_what_solve_prints(solution: str) -> None:
    for stdin in (solution, "".join(line + "\r\n" for line in solution.splitlines()), solution.lower()):
        result = run("verify", "ms:24", "-", stdin=stdin)
        assert result.exit_code == 0
        rules, verdict = result.stdout.splitlines()
        assert rules == solution.splitlines()[0]
        assert verdict == f"wins: {len(solution.splitlines()) - 2} moves, all legal"


def test_case_10_verify_refuses_every_single_edit(solution: str) -> None:
    """Any one move taken out, or sent to another place, and the list no longer wins."""
    lines = solution.splitlines()
    for number in range(2, len(lines)):
        card, source, target = lines[number].split()
        elsewhere = f"{card} {source} {'1' if target == 'F' else 'F'}"
        for edited in ([], [elsewhere]):
            text = "\n".join([*lines[:number], *edited, *lines[number + 1 :]])
            result = run("verify", "ms:24", "-", stdin=text)
            assert result.exit_code == 1, (number, edited)
            assert "\ndoes not win: " in result.stdout


def test_verify_says_where_and_why() -> None:
    result = run("verify", "ms:24", "-", stdin="6D 1 3\nQS 6 2\n")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[1] == "does not win: move 2, QS 6 2, is illegal: pile 2 does not accept QS"
    result = run("verify", "ms:24", "-", stdin="6D 1 3\n")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[1] == "does not win: 1 move, all legal, leaves 40 cards to found"


def test_verify_by_other_rules_refuses(solution: str) -> None:
    """The deal is the same, but a move into a space is not."""
    result = run("verify", "ms:24", "-", "--spaces", "none", stdin=solution)
    assert result.exit_code == 1


def test_verify_reads_files(solution: str, tmp_path: Path) -> None:
    board, moves = tmp_path / "board", tmp_path / "moves"
    board.write_text(run("deal", "ms:24").stdout)
    moves.write_text(solution)
    assert run("verify", str(board), str(moves)).exit_code == 0
    assert run("verify", "-", str(moves), stdin=board.read_text()).exit_code == 0
    assert run("verify", str(board), "-", stdin=solution).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        (["ms:24", "-"], "6D 1\n", "standard input: line 1, column 1: a move is CARD FROM TO"),
        (["ms:24", "-"], "6D 1 3\n6X 1 3\n", "standard input: line 2, column 1: '6X' is not a card"),
        (["-", "-"], "", "cannot both come from standard input"),
        (["ms:0", "-"], "", "out of range"),
        (["no/such/board", "-"], "", "No such file"),
        (["ms:24", "no/such/moves"], "", "No such file"),
        (["-", __file__], "KS\n", "51 cards are missing"),
        (["ms:24"], "", "Missing argument 'MOVES'"),
    ],
)
def test_verify_says_what_it_cannot_read(arguments: list[str], stdin: str, message: str) -> None:
    result = run("verify", *arguments, stdin=stdin)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_verify_wants_one_board() -> None:
    result = run("verify", "-", __file__, stdin=run("deal", "1-2").stdout)
    assert result.exit_code == 2
    assert "holds several boards" in result.stderr


def test_rules_lists_all_variants() -> None:
    lines = run("rules").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(VARIANTS)
    assert all(rules.text() in line for rules, line in zip(VARIANTS.values(), lines, strict=True))


def test_rules_in_words_and_switches() -> None:
    result = run("rules", "citadel", "--withdrawal", "yes")
    rules = rules_of("citadel", {"withdrawal": "yes"})
    assert result.stdout == f"citadel: {rules.text()}\n{rules.describe()}\n"


def test_rules_as_json() -> None:
    records = [json.loads(line) for line in run("rules", "--json").stdout.splitlines()]
    assert [(record["variant"], record["rules"], record["piles"]) for record in records] == [
        (name, rules.switches(), rules.piles) for name, rules in VARIANTS.items()
    ]
    (record,) = map(json.loads, run("rules", "exiled-kings", "--json", "--unit", "sequence").stdout.splitlines())
    assert record["rules"]["unit"] == "sequence"
    assert record["words"] == rules_of("exiled-kings", {"unit": "sequence"}).describe().splitlines()


def test_version() -> None:
    assert run("--version").stdout == f"citadel {__version__}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_help(command: str) -> None:
    for option in ("-h", "--help"):
        result = run(command, option)
        assert result.exit_code == 0
        assert f"Usage: citadel {command}" in result.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_everything_has_help(command: str) -> None:
    assert citadel.commands[command].help
    for parameter in citadel.commands[command].params:
        assert not isinstance(parameter, click.Option) or parameter.help


WITHOUT_VARIANT = ("rules", "merge", "stats", "compare", "report", "selfcheck", "check")
"""``rules`` takes it as an argument, ``selfcheck`` draws it, the others read what a run or a proof has written."""


@pytest.mark.parametrize("command", [command for command in COMMANDS if command not in WITHOUT_VARIANT])
def test_every_switch_is_an_option(command: str) -> None:
    options = {name for parameter in citadel.commands[command].params for name in parameter.opts}
    assert options.issuperset(f"--{switch}" for switch in ("variant", *CHOICES))


def test_the_reference_page_is_fresh() -> None:
    """If this fails: python -m solver.cli.reference > docs/cli.md"""
    page = (ROOT / "docs/cli.md").read_text()
    assert page == reference()
    for command in citadel.commands.values():
        assert f"\n## citadel {command.name}\n" in page
        for parameter in command.params:
            assert all(f"`{name}`" in page for name in parameter.opts if name.startswith("-"))
