"""Lists of winnable deals, and the deal of a date."""

import csv
import hashlib
import json
import signal
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import run, use_engine

from solver.deals import DealRange, parse_deals
from solver.engine.result import ABORTED, LOST, OUT_OF_NODES, WON, SearchResult
from solver.errors import InputError
from solver.lists import Scan, daily_deal, daily_number, difficulty, list_text
from solver.position import FOUNDATION, Move, Position
from solver.rules import Rules, rules_of
from solver.runs.manifest import Manifest, new_manifest
from solver.runs.rows import Row
from solver.solving import deal, solve

ENDLESS = [sys.executable, str(Path(__file__).with_name("endless.py"))]
"""The command line with an engine that never ends on ms:1, and finds every other deal lost at once."""

PATIENCE = 120
SMALL = ["--max-nodes", "5000", "--memory", "64M"]


def manifest_of(deals: str = "ms:1-40", variant: str = "citadel") -> Manifest:
    return new_manifest(rules_of(variant), parse_deals(deals), max_nodes=5000, max_memory=64 << 20, chunk=1)


def verdicts_of(deals: str) -> dict[str, list[str]]:
    """The deals of each verdict, as solving them one by one says."""
    verdicts: dict[str, list[str]] = {"won": [], "lost": [], "unknown": []}
    for name in parse_deals(deals):
        outcome = solve(deal(name, "citadel"), "citadel", max_nodes=5000, max_memory=64 << 20)
        verdicts[outcome.verdict].append(str(name))
    return verdicts


def test_case_21_a_list_names_rules_range_and_budget_and_the_others_apart() -> None:
    result = run("winnable", "--from", "ms:1-30", *SMALL)
    assert result.exit_code == 0
    expected = verdicts_of("ms:1-30")
    lines = result.stdout.splitlines()
    assert lines[0] == f"# citadel: {rules_of('citadel').text()}"
    counts = f"{len(expected['won'])} winnable, {len(expected['lost'])} lost, {len(expected['unknown'])} unresolved"
    assert lines[1] == f"# scanned: ms:1-30: {counts}"
    assert "5000 nodes" in lines[2]
    assert "citadel-solver" in lines[2]
    assert lines[3].split()[2:] == expected["lost"]
    assert lines[4].split()[2:] == expected["unknown"]
    assert lines[5:] == expected["won"]


def test_case_21_unresolved_deals_are_in_no_other_list(monkeypatch: pytest.MonkeyPatch) -> None:
    endings = {deal("ms:2", "citadel"): OUT_OF_NODES}
    use_engine(monkeypatch, lambda position, *_, **__: SearchResult(endings.get(position, LOST), 7))
    record = json.loads(run("winnable", "--from", "ms:1-3", "--format", "json").stdout)
    assert (record["winnable"], record["lost"], record["unresolved"]) == ([], ["ms:1", "ms:3"], ["ms:2"])


def test_a_scan_ends_with_the_last_deal_that_is_wanted() -> None:
    for jobs in ("1", "3"):
        result = run("winnable", "--from", "ms:1", "--count", "7", "--format", "json", "--jobs", jobs, *SMALL)
        record = json.loads(result.stdout)
        won = [entry["deal"] for entry in record["winnable"]]
        assert won == verdicts_of("ms:1-30")["won"][:7]
        assert (record["first"], record["last"]) == ("1", won[-1].removeprefix("ms:"))
        assert record["rules"] == rules_of("citadel").switches()


def test_fewer_than_wanted_is_status_3() -> None:
    result = run("winnable", "--from", "ms:1-5", "--count", "6", *SMALL)
    assert result.exit_code == 3
    assert "# scanned: ms:1-5: " in result.stdout
    assert run("winnable", "--from", "ms:24-30", "--count", "1", *SMALL).exit_code == 0


def test_effort_is_that_of_solving() -> None:
    arguments = ["winnable", "--from", "ms:20-30", "--with-effort", *SMALL]
    entries = json.loads(run(*arguments, "--format", "json").stdout)["winnable"]
    for entry in entries:
        outcome = solve(deal(entry["deal"], "citadel"), "citadel", max_nodes=5000, max_memory=64 << 20)
        assert outcome.moves is not None
        assert (entry["nodes"], entry["moves"]) == (outcome.nodes, len(outcome.moves))
    lines = [line for line in run(*arguments, "--format", "csv").stdout.splitlines() if not line.startswith("#")]
    assert [{**row} for row in csv.DictReader(lines)] == [
        {name: str(value) for name, value in entry.items()} for entry in entries
    ]
    by_positions = run("winnable", "--from", "ms:24-25", "--with-effort", "--unit", "sequence", *SMALL)
    assert "None" not in by_positions.stdout
    first = run(*arguments).stdout.splitlines()[5]
    assert first == " ".join(f"{name}={value}" if name != "deal" else value for name, value in entries[0].items())


def test_difficulties_follow_the_nodes() -> None:
    def of(nodes: int, unit: str = "class") -> str | None:
        return difficulty(Row("ms:1", "won", nodes, None, 80, 0, 0.0, None, None), unit)

    assert [of(nodes) for nodes in (1, 50, 51, 500, 501, 5000, 5001)] == [
        "easy",
        "easy",
        "medium",
        "medium",
        "hard",
        "hard",
        "extreme",
    ]
    assert of(1, "position") is None


def scan_all(scan: Scan, most: int = 10**6) -> None:
    """Search up to so many deals."""
    done = 0
    for block in scan.blocks():
        for row in scan.search(block, np.zeros(1, np.uint8)).rows():
            if done == most or scan.finished:
                return
            scan.add(row)
            done += 1


def untimed(rows: list[Row]) -> list[Row]:
    return [row._replace(seconds=0.0) for row in rows]


def test_case_24_an_interrupted_scan_goes_on(tmp_path: Path) -> None:
    journal = tmp_path / "list.scan"
    whole = Scan(manifest_of(), 20)
    scan_all(whole)
    for done in (0, 3, 6):
        scan = Scan(manifest_of(), 20, journal)
        assert len(scan.rows) == done
        scan_all(scan, 3)
        with journal.open("a") as file:
            file.write('["ms:10", "wo')  # as a kill while writing leaves it
    scan = Scan(manifest_of(), 20, journal)
    scan_all(scan)
    assert untimed(scan.rows) == untimed(whole.rows)
    assert list_text(scan, "txt", True) == list_text(whole, "txt", True)
    scan.end()
    assert not journal.exists()


def test_a_scan_that_goes_further_than_the_list_is_kept(tmp_path: Path) -> None:
    journal = tmp_path / "list.scan"
    scan_all(Scan(manifest_of(), 10, journal))
    before = journal.read_text()
    fewer = Scan(manifest_of(), 4, journal)
    assert (fewer.found, fewer.finished, fewer.goes_further) == (4, True, True)
    fewer.end()
    assert journal.read_text() == before
    more = Scan(manifest_of(), 10, journal)
    assert (more.found, more.goes_further) == (10, False)
    more.end()
    assert not journal.exists()


@pytest.mark.parametrize(
    "line",
    [
        ["ms:1", "won", 7, 1, None, 0, 0.1, None, None],
        ["ms:1", "lost", 7, 1, 80, 0, 0.1, None, None],
        ["ms:1", "unknown", 7, 1, None, 0, 0.1, None, None],
        ["ms:1", "lost", 7, 1, None, 0, 0.1, "nodes", None],
        ["ms:2", "lost", 7, 1, None, 0, 0.1, None, None],
    ],
)
def test_a_journal_with_what_no_search_comes_to_is_refused(line: list[object], tmp_path: Path) -> None:
    journal = tmp_path / "list.scan"
    Scan(manifest_of(), 1, journal)
    with journal.open("a") as file:
        file.write(json.dumps(line) + "\n")
    with pytest.raises(InputError, match="line 2 is not what ms:1 came to"):
        Scan(manifest_of(), 1, journal)


def test_a_list_for_a_device_leaves_no_scan_beside_it() -> None:
    result = run("winnable", "--from", "ms:24-25", "-o", "/dev/null", *SMALL)
    assert result.exit_code == 0
    assert not Path("/dev/null.scan").exists()


def test_another_scan_in_the_journal_is_refused(tmp_path: Path) -> None:
    journal = tmp_path / "list.scan"
    scan_all(Scan(manifest_of(), 1, journal))
    for manifest, difference in (
        (manifest_of(variant="exiled-kings"), "variant is citadel, not exiled-kings"),
        (manifest_of("ms:1-41"), "deals is ms:1-40, not ms:1-41"),
    ):
        with pytest.raises(InputError, match=f"of another scan: there, {difference}"):
            Scan(manifest, 1, journal)
    journal.write_text("my notes\n")
    with pytest.raises(InputError, match="cannot go on"):
        Scan(manifest_of(), 1, journal)


def test_a_list_is_written_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    result = run("winnable", "--from", "ms:20-30", *SMALL, "-o", str(path))
    assert (result.exit_code, result.stdout) == (0, "")
    assert path.read_text() == run("winnable", "--from", "ms:20-30", *SMALL).stdout
    assert [file.name for file in tmp_path.iterdir()] == ["list.txt"]


def test_case_24_an_interrupt_keeps_the_scan(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    command = [*ENDLESS, "winnable", "--from", "ms:1-5", "-o", str(path)]
    with subprocess.Popen(command, text=True, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert any("0 won, 0 lost" in line for line in process.stderr)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert errors == "citadel: interrupted; the same command goes on\n"
    assert [file.name for file in tmp_path.iterdir()] == ["list.txt.scan"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["winnable", "--from", "ms:1"], "say how many"),
        (["winnable", "--count", "1", "--from", "x"], "names no deal"),
        (["winnable", "--from", "ms:24-25", "-o", "no/such/folder/list"], "there is no folder no/such/folder"),
        (["winnable", "--from", "ms:24-25", "-o", "-"], "'-' is not a file to write"),
        (["daily", "--start", "tomorrow"], "'tomorrow' does not match"),
        (["daily", "--start", "9999-12-31", "--days", "2"], "the dates end"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_fault_is_said_and_lists_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    use_engine(monkeypatch, lambda *_, **__: SearchResult(WON, 1, (Move(0, 0, FOUNDATION),)))
    result = run("winnable", "--from", "ms:24-25")
    assert result.exit_code == 70
    assert result.stderr.count("a fault of the engine, please report it") == 2
    assert result.stdout.splitlines()[-1] == "# unresolved: ms:24 ms:25"


def test_the_number_of_a_date_is_as_documented() -> None:
    """The recipe of docs/lists.md, spelled out."""
    rules = rules_of("citadel")
    text = f"citadel daily {rules.text()} 2027-01-01 2"
    digest = hashlib.sha256(text.encode()).hexdigest()
    number = 1_000_000_000 + int(digest, 16) % 9_000_000_000
    assert daily_number(rules, date(2027, 1, 1), 2) == number
    assert len(str(number)) == 10


def test_daily_deals_are_proved_and_always_the_same() -> None:
    arguments = ["daily", "--start", "2027-02-27", "--days", "12", *SMALL]
    records = [json.loads(line) for line in run(*arguments, "--format", "json").stdout.splitlines()]
    assert [record["date"] for record in records][:3] == ["2027-02-27", "2027-02-28", "2027-03-01"]
    for record in records:
        rules = rules_of("citadel")
        day = date.fromisoformat(record["date"])
        names = [f"pysol:{daily_number(rules, day, shuffle)}" for shuffle in range(1, record["shuffles"] + 1)]
        verdicts = [solve(deal(name, rules), rules, max_nodes=5000, max_memory=64 << 20).verdict for name in names]
        assert names[-1] == record["deal"]
        assert verdicts[-1] == "won"
        assert "won" not in verdicts[:-1]
    assert len({record["shuffles"] for record in records}) > 1
    text = run(*arguments, "--jobs", "3").stdout.splitlines()
    assert text[0] == f"# citadel: {rules_of('citadel').text()}"
    assert text[2:] == [f"{record['date']} {record['deal']} shuffles={record['shuffles']}" for record in records]
    table = list(csv.DictReader(run(*arguments, "--format", "csv").stdout.splitlines()))
    assert table == [
        {name: str(value) for name, value in record.items()} | {"rules": rules_of("citadel").text()}
        for record in records
    ]
    assert {"variant", "rules", "max_nodes", "max_memory", "engine", "version"} < set(table[0])


def test_other_rules_have_other_daily_deals() -> None:
    day = date(2027, 1, 1)
    numbers = {daily_number(rules_of(variant), day, 1) for variant in ("citadel", "exiled-kings", "penelopes-web")}
    assert len(numbers) == 3


def test_a_game_that_nobody_wins_has_no_daily_deal(monkeypatch: pytest.MonkeyPatch) -> None:
    use_engine(monkeypatch, lambda *_, **__: SearchResult(LOST, 1))
    result = run("daily", "--start", "2027-01-01", "--days", "2")
    assert result.exit_code == 3
    for day in (1, 2):
        assert f"none of 1000 shuffles of 2027-01-0{day} is proved won\n" in result.stderr


def test_an_interrupted_date_has_no_deal(monkeypatch: pytest.MonkeyPatch) -> None:
    def search(_position: Position, _rules: Rules, **_: Any) -> SearchResult:
        return SearchResult(ABORTED, 1)

    use_engine(monkeypatch, search)
    manifest = new_manifest(rules_of("citadel"), DealRange("pysol", 1, 1), max_nodes=1, max_memory=1)
    assert daily_deal(manifest, date(2027, 1, 1)) is None


def test_a_scan_that_finds_nothing_gives_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Deals 1 to 3 are undecided, 4 is won, and nothing after it is decided."""
    endings = {deal("ms:4", "citadel")}
    ending = {True: SearchResult(WON, 1, ()), False: SearchResult(OUT_OF_NODES, 1)}
    use_engine(monkeypatch, lambda position, *_, **__: ending[position in endings])
    monkeypatch.setattr("solver.solving.check_win", lambda *_: None)
    path = tmp_path / "list.txt"
    command = ["winnable", "--from", "ms:1", "--count", "2", "-o", str(path)]
    result = run(*command, "--give-up-after", "3", "-q")
    assert result.exit_code == 3
    assert result.stderr == (
        "citadel: gave up: none of the last 3 deals is proved winnable; of all 3, 3 are unknown. "
        f"A larger budget decides more, a larger --give-up-after tries more; {path}.scan is kept\n"
    )
    assert path.read_text().splitlines()[1] == "# scanned: ms:1-3: 0 winnable, 0 lost, 3 unresolved"
    result = run(*command, "--give-up-after", "5", "--jobs", "3", "-q")  # goes on, and counts anew after the win
    assert result.exit_code == 3
    assert path.read_text().splitlines()[1] == "# scanned: ms:1-9: 1 winnable, 0 lost, 8 unresolved"
    result = run("winnable", "--from", "ms:1", "--count", "2")
    assert result.exit_code == 3
    assert "none of the last 1000 deals is proved winnable" in result.stderr
    whole = run("winnable", "--from", "ms:1-1100", "--give-up-after", "3", "--format", "json")
    assert (whole.exit_code, json.loads(whole.stdout)["last"]) == (0, "1100")  # without --count all deals are wanted


def test_progress_says_how_many_were_tried() -> None:
    command = [*ENDLESS, "winnable", "--from", "ms:1-5", "--count", "2"]
    with subprocess.Popen(command, text=True, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert process.stderr is not None
        assert any("0 winnable of 2 wanted, 0 deals tried" in line for line in process.stderr)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
