"""``citadel stats`` and ``citadel compare``, on runs whose rows are made up."""

import csv
import json
from pathlib import Path

import pytest
from command import run
from made_up import make_run

from solver.deals import parse_deals
from solver.rules import rules_of
from solver.runs.folder import RunFolder
from solver.runs.manifest import new_manifest
from solver.statistics import Tally, win_rate_interval


@pytest.fixture(name="folder")
def made_up_run(tmp_path: Path) -> str:
    return make_run(tmp_path / "run", "wwwwwwlllu")


def test_stats_as_json(folder: str) -> None:
    (record,) = map(json.loads, run("stats", folder, "--json").stdout.splitlines())
    assert (record["deals"], record["won"], record["lost"], record["unknown"]) == (10, 6, 3, 1)
    assert (record["rate_low"], record["rate_high"]) == (0.6, 0.7)
    interval = win_rate_interval(Tally(6, 3, 1))
    assert (record["interval_low"], record["interval_high"]) == (interval.low, interval.high)
    assert [record[f"nodes_{name}"] for name in ("p50", "p90", "p99", "max")] == [50, 90, 100, 100]
    assert [record[f"seconds_{name}"] for name in ("p50", "max")] == [0.005, 0.01]
    assert record["rules"] == rules_of("citadel").switches()
    assert (record["scheme"], record["first"], record["last"]) == ("ms", "1", "10")


def test_case_21_stats_name_the_rules(folder: str) -> None:
    lines = run("stats", folder).stdout.splitlines()
    assert lines[0] == f"# citadel: {rules_of('citadel').text()}"
    assert lines[1].split()[:5] == ["run", "deals", "won", "lost", "unknown"]
    assert lines[2].split()[:8] == [folder, "10", "6", "3", "1", "60.00%", "to", "70.00%"]


def test_stats_as_csv(folder: str, tmp_path: Path) -> None:
    other = make_run(tmp_path / "other", "wl", "bakers-dozen")
    records = list(csv.DictReader(run("stats", folder, other, "--csv").stdout.splitlines()))
    assert [record["deals"] for record in records] == ["10", "2"]
    assert [record["spaces"] for record in records] == ["any", "none"]
    assert [record["skim"] for record in records] == ["yes", ""]


def test_stats_by_skimmed(folder: str) -> None:
    records = [json.loads(line) for line in run("stats", folder, "--by", "skimmed", "--json").stdout.splitlines()]
    assert [(record["skimmed"], record["deals"], record["won"]) for record in records] == [
        ("0", 3, 2),
        ("1", 4, 2),
        ("2", 3, 2),
    ]


@pytest.mark.parametrize(
    ("by", "groups"),
    [
        ("nodes", {"10 to 100": 9, "100 to 1000": 1}),
        ("seconds", {"0.001 to 0.01": 9, "0.01 to 0.1": 1}),
        ("skeletons", {"none": 10}),
        ("why_unknown", {"nodes": 1, "none": 9}),
        ("verdict", {"lost": 3, "unknown": 1, "won": 6}),
    ],
)
def test_stats_by_other_columns(folder: str, by: str, groups: dict[str, int]) -> None:
    records = [json.loads(line) for line in run("stats", folder, "--by", by, "--json").stdout.splitlines()]
    assert {record[by]: record["deals"] for record in records} == groups
    assert run("stats", folder, "--by", by).exit_code == 0


def test_an_unfinished_run_is_said(folder: str) -> None:
    RunFolder(Path(folder)).part(1).unlink()
    result = run("stats", folder, "--json")
    assert result.exit_code == 0
    assert "is not finished: 1 of 3 parts are missing" in result.stderr
    assert json.loads(result.stdout)["deals"] == 6


def test_compare_pairs_two_runs(tmp_path: Path) -> None:
    first = make_run(tmp_path / "first", "wwwwlllu")
    second = make_run(tmp_path / "second", "wllllwlwww", "exiled-kings")
    record = json.loads(run("compare", first, second, "--json").stdout)
    assert [record[name] for name in ("both_won", "only_first", "only_second", "both_lost", "undecided")] == [
        1,
        3,
        1,
        2,
        1,
    ]
    assert record["p_value"] == pytest.approx(10 / 16)
    lines = run("compare", first, second).stdout.splitlines()
    assert lines[1] == f"second  {second}: exiled-kings: {rules_of('exiled-kings').text()}"
    assert lines[4].split() == ["first", "won", "1", "3"]
    assert lines[5].split() == ["first", "lost", "1", "2"]
    (row,) = csv.DictReader(run("compare", first, second, "--csv").stdout.splitlines())
    assert row["deals"] == "8"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["stats", "FOLDER", "--json", "--csv"], "choose one"),
        (["stats", "FOLDER", "--by", "deal"], "'deal' is not one of"),
        (["stats", "nowhere"], "nowhere is not a run"),
        (["compare", "FOLDER", "nowhere"], "nowhere is not a run"),
    ],
)
def test_bad_input_is_one_line(folder: str, arguments: list[str], message: str) -> None:
    result = run(*(argument.replace("FOLDER", folder) for argument in arguments))
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_runs_without_a_common_deal(folder: str, tmp_path: Path) -> None:
    manifest = new_manifest(rules_of("citadel"), parse_deals("pysol:40000"), max_nodes=1, max_memory=1)
    other = RunFolder.begin(tmp_path / "other", manifest)
    result = run("compare", folder, str(other.path))
    assert result.exit_code == 2
    assert "no deal in common" in result.stderr
