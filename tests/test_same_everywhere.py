"""Verdict, nodes, moves and trace of a deal are the same whatever a process does besides: jobs, order, repeats."""

import json
import os
from typing import Any

import pytest
from command import run, run_apart

GAMES = [
    ["--variant", "citadel"],
    ["--variant", "penelopes-web"],
    ["--variant", "bakers-dozen", "--withdrawal", "yes"],
    ["--variant", "beleaguered-castle", "--unit", "sequence", "--auto-found", "uncovered"],
]
DEALS = [f"ms:{number}" for number in (1, 2, 3, 12, 24, 26, 37, 77)]
BUDGET = ["--max-nodes", "2000", "--memory", "16M", "--json", "--verbose", "-q"]


def facts(text: str) -> list[tuple[str, Any]]:
    """What was found of each deal, without the time that it took."""
    records = [json.loads(line) for line in text.splitlines()]
    return [(record["deal"], record | {"seconds": None}) for record in records]


@pytest.mark.parametrize("game", GAMES, ids=" ".join)
def test_case_3_jobs_order_repeats_and_processes_change_nothing(game: list[str]) -> None:
    once = facts(run("solve", *game, *DEALS, *BUDGET).stdout)
    assert len({record["verdict"] for _, record in once}) > 1
    known = dict(once)
    for jobs, order in (("1", DEALS[::-1]), ("3", DEALS + DEALS), ("4", DEALS[5:] + DEALS[:5])):
        again = facts(run("solve", *game, *order, "--jobs", jobs, *BUDGET).stdout)
        assert again == [(deal, known[deal]) for deal in order]
    for hashes in ("1", "2"):  # the order of Python's sets
        environment = os.environ | {"PYTHONHASHSEED": hashes}
        apart = run_apart("solve", *game, *DEALS, "--jobs", "2", *BUDGET, env=environment)
        assert facts(apart.stdout.decode()) == once


def test_case_3_short_wins_are_the_same_too() -> None:
    deals = ["ms:2", "ms:24"]
    once = facts(run("solve", *deals, "--short", *BUDGET).stdout)
    assert facts(run_apart("solve", *deals, "--short", "--jobs", "2", *BUDGET).stdout.decode()) == once


def test_case_8_rules_and_budgets_of_one_search_do_not_reach_the_next() -> None:
    """One process that alternates between games, engines and budgets, and a fresh one for each."""
    commands = [
        ["solve", "ms:24", *BUDGET],
        ["solve", "ms:24", "--variant", "exiled-kings", *BUDGET],
        ["solve", "ms:24", "--engine", "general", "--max-nodes", "50", "--memory", "2M", "--json", "-v", "-q"],
        ["solve", "ms:24", "--max-nodes", "50", "--memory", "2M", "--json", "-v", "-q"],
        ["solve", "ms:24", "--spaces", "none", *BUDGET],
    ]
    fresh = [facts(run_apart(*command).stdout.decode()) for command in commands]
    for order in ([0, 1, 2, 3, 4], [4, 2, 0, 3, 1, 0, 4]):
        assert [facts(run(*commands[number]).stdout) for number in order] == [fresh[number] for number in order]
