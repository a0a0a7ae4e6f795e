"""Files outlive new rule switches: those of version 0.1.0, read by this version and by one with one more switch."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from command import run
from stored import STORED, manifest_of_scan, read_all

import solver
from solver.errors import InputError
from solver.lists import Scan, daily_number
from solver.referee import check_certificate, read_certificate
from solver.rules import CHOICES, STORED_SWITCHES, rules_of, rules_of_stored
from solver.runs.folder import RunFolder
from solver.runs.manifest import read_manifest

SMALL = ["--max-nodes", "300", "--memory", "64M"]


@pytest.fixture(scope="module")
def later(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with one more rule switch, ``jokers=no|yes``, ``no`` by default, put before the others."""
    folder = tmp_path_factory.mktemp("later")
    shutil.copytree(
        Path(solver.__file__).parent, folder / "solver", ignore=shutil.ignore_patterns("__pycache__", "*.nb?")
    )
    path = folder / "solver" / "rules.py"
    text = path.read_text()
    for found, added in (
        (r"^CHOICES: .*\{\n", '    "jokers": ("no", "yes"),\n'),
        (r'^    auto_found: str = "never"\n', '    jokers: str = "no"\n'),
    ):
        text, count = re.subn(f"({found})", lambda match, added=added: match[1] + added, text, flags=re.MULTILINE)
        assert count == 1
    path.write_text(text)
    for other in (folder / "solver").rglob("*.py"):  # the lists of rules that each part knows
        known = other.read_text()
        if other != path and '    "auto-found": (' in known:
            other.write_text(known.replace('    "auto-found": (', '    "jokers": ("no", "yes"),\n    "auto-found": ('))
    return folder


def ask(later: Path, *arguments: str) -> Any:
    """What ``stored.py`` prints, run with the later package."""
    script = Path(__file__).with_name("stored.py")
    environment = os.environ | {"PYTHONPATH": str(later), "PYTHONSAFEPATH": "1"}
    printed = subprocess.run(
        [sys.executable, str(script), *arguments], env=environment, cwd=later, capture_output=True, text=True
    )
    assert printed.returncode == 0, printed.stderr
    return json.loads(printed.stdout)


def test_what_was_stored_is_read_as_it_was_written() -> None:
    found = read_all()
    for kind in ("won", "strict", "skeleton", "rung", "class"):
        check = check_certificate((STORED / f"{kind}.cert").read_bytes())
        assert (check.certificate.kind, check.problem) == (kind, None)
    assert found["run"][1] == "9 won, 11 lost, 4 unknown"
    assert found["run"][0]["skim"] == "yes"
    assert [row["deal"] for row in found["run-thirteen-piles"][2]] == [f"ms:{number}" for number in range(1, 11)]
    assert [row[0] for row in found["left.scan"]] == [f"ms:{number}" for number in range(1, 6)]
    with (STORED / "daily-numbers.tsv").open(newline="") as file:
        assert [int(row["number"]) for row in csv.DictReader(file, delimiter="\t")] == found["daily"]


def test_lists_and_daily_deals_are_those_of_before() -> None:
    for form in ("txt", "csv"):
        listed = run("winnable", "--from", "ms:1", "--count", "4", *SMALL, "--with-effort", "--format", form, "-q")
        assert listed.stdout == (STORED / f"winnable.{form}").read_text()
    listed = run("winnable", "--from", "ms:1", "--count", "4", *SMALL, "--with-effort", "--format", "json", "-q")
    assert json.loads(listed.stdout) == json.loads((STORED / "winnable.json").read_text()) | {"format": 1}
    dated = ["daily", "--start", "2027-01-01", "--days", "3", *SMALL]
    assert run(*dated).stdout == (STORED / "daily.txt").read_text()
    before = [json.loads(line) | {"format": 1} for line in (STORED / "daily.json").read_text().splitlines()]
    assert [json.loads(line) for line in run(*dated, "--format", "json").stdout.splitlines()] == before


def test_a_run_of_before_is_gone_on_with(tmp_path: Path) -> None:
    shutil.copytree(STORED / "run-thirteen-piles", tmp_path / "run")
    result = run(
        "run", "--variant", "bakers-dozen", "--deals", "ms:1-10", *SMALL, "--out", str(tmp_path / "run"), "--jobs", "2"
    )
    assert (result.exit_code, result.stderr.splitlines()[-1][:18]) == (0, "citadel: 10 deals:")


def test_a_version_with_one_more_switch_reads_all_of_it(later: Path) -> None:
    assert ask(later) == read_all()


def test_what_that_version_writes_with_the_new_switch_is_refused_with_what_to_do(later: Path, tmp_path: Path) -> None:
    value, number = ask(later, "jokers", "yes", str(tmp_path))
    assert value == "yes"
    assert number != daily_number(rules_of("citadel"), date(2027, 1, 1), 1)
    refusal = "there is no rule switch 'jokers' in this version; a later version wrote it, update citadel-solver"
    with pytest.raises(InputError, match=refusal):
        read_certificate((tmp_path / "new.cert").read_bytes())
    with pytest.raises(InputError, match=refusal):
        RunFolder(tmp_path / "run")
    journal = tmp_path / "new.scan"
    journal.write_text(json.dumps(json.loads((tmp_path / "run" / "manifest.json").read_text())) + "\n")
    with pytest.raises(InputError, match=refusal):
        Scan(manifest_of_scan(), 20, journal)
    for command in (["check", str(tmp_path / "new.cert")], ["stats", str(tmp_path / "run")]):
        result = run(*command)
        assert (result.exit_code, result.stdout) == (2, "")
        assert len(result.stderr.splitlines()) == 1
        assert "update citadel-solver" in result.stderr


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"unit": "pair"}, "unit is 'pair', this version knows card, supermove, sequence; if a later version wrote it"),
        ({"unit": 1}, "unit is 1, this version knows"),
        ({"unit": ["card"]}, r"unit is \['card'\], this version knows"),
        ({"unit": None}, "unit is one of card, supermove, sequence, not None"),
        ({"aces": "first"}, "aces does not apply"),
    ],
)
def test_a_stored_rule_set_with_a_wrong_value_is_refused(changes: dict[str, Any], message: str) -> None:
    rules = rules_of("bakers-dozen" if "aces" in changes else "citadel")
    with pytest.raises(InputError, match=message):
        rules_of_stored(rules.variant, rules.piles, rules.layout, rules.stored_switches() | changes)


def test_a_stored_rule_set_without_one_of_the_first_switches_is_refused() -> None:
    rules = rules_of("citadel")
    for switch in STORED_SWITCHES:
        stored = {name: value for name, value in rules.stored_switches().items() if name != switch}
        with pytest.raises(InputError, match=f"{switch} is one of"):
            rules_of_stored(rules.variant, rules.piles, rules.layout, stored)


def test_a_later_format_is_refused_with_what_to_do() -> None:
    data = (STORED / "won.cert").read_bytes().replace(b"citadel certificate 1", b"citadel certificate 2", 1)
    with pytest.raises(InputError, match="a certificate of format 2, this version reads 1; a later version wrote it"):
        read_certificate(data)
    text = (STORED / "run" / "manifest.json").read_text().replace('"format": 1', '"format": 2')
    with pytest.raises(InputError, match="its format is 2, this version reads 1; a later version wrote it"):
        read_manifest(text)


def test_every_file_names_the_first_switches_in_their_order() -> None:
    assert set(STORED_SWITCHES) <= set(CHOICES)
    for rules in (rules_of("citadel"), rules_of("bakers-dozen")):
        assert list(rules.stored_switches())[:8] == list(STORED_SWITCHES)
