"""A rule that nobody has taught a part of the program is refused by that part, never left out of account.

Each part that acts on rules lists the switches and values that it knows. Here the program has one switch more, or one
value more, as after a change that taught no other part about it.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import pytest
from boards import draw

from solver import certificates, deals, position, solving
from solver.certificates import lost_certificates, prove
from solver.checking.samples import RULE_SETS
from solver.deals import DealId, deal_position
from solver.engine.classes import board
from solver.engine.dealing import compiled_deals
from solver.engine.general import enumeration, position_search, state
from solver.engine.general.polish import polish
from solver.engine.quota import class_search
from solver.engine.replaying import compiled_replay
from solver.errors import InputError
from solver.position import Position
from solver.referee import Certificate, certificate_bytes, check, check_certificate, replay
from solver.rules import CHOICES, VARIANTS, Rules
from solver.solving import engine_for, solve

BUDGET = {"max_nodes": 1000, "max_memory": 1 << 26}


@dataclass(frozen=True, slots=True)
class MoreRules(Rules):
    """The rules of a program with one switch more."""

    jokers: str = "wild"


@pytest.fixture(params=["jokers=wild", "spaces=aces", "unit=pair", "withdrawal=once", "auto-found=always"])
def more(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[Rules, str]:
    """Rules with a switch or a value that nobody knows, and that setting as text."""
    switch, value = request.param.split("=")
    if switch == "jokers":
        return MoreRules("small", piles=2), request.param
    monkeypatch.setitem(CHOICES, switch, (*CHOICES[switch], value))
    changed: dict[str, Any] = {switch.replace("-", "_"): value}
    return Rules("small", piles=2, **changed), request.param


def two_cards(rules: Rules) -> Position:
    """The Ace under the Two of Spades."""
    return draw("Foundations: H-2 C-2 D-2\nAS 2S\n", rules, 2)


PARTS: dict[str, Callable[[Position, Rules], Any]] = {
    "front door": lambda start, rules: solve(start, rules),
    "front door, quota": lambda start, rules: solve(start, rules, engine="quota"),
    "front door, general": lambda start, rules: solve(start, rules, engine="general"),
    "choice of an engine": lambda _, rules: engine_for(rules),
    "quota engine": lambda start, rules: class_search.search(start, rules, **BUDGET),
    "general engine": lambda start, rules: position_search.search(start, rules, **BUDGET),
    "enumeration": lambda start, rules: enumeration.all_positions(start, rules, 100, None),
    "shortening": lambda start, rules: polish(start, rules, ()),
    "prover": lambda start, rules: prove(start, rules),
    "strict prover": lambda start, rules: prove(start, rules, strict=True),
    "prover by theory": lambda start, rules: next(lost_certificates(start, rules)),
    "referee": lambda start, rules: replay(start, rules, ()),
    "compiled referee": lambda start, rules: compiled_replay.game_of(rules, start.ranks),
    "dealing": lambda _, rules: deal_position(DealId("ms", 1), rules),
    "compiled dealing": lambda _, rules: compiled_deals.deal_packed("ms", 1, rules),
}


@pytest.mark.parametrize("part", PARTS)
def test_an_unknown_rule_is_refused(part: str, more: tuple[Rules, str]) -> None:
    rules, setting = more
    with pytest.raises(InputError, match=f" {setting}"):
        PARTS[part](two_cards(Rules("small", piles=2)), rules)


@pytest.mark.parametrize("kind", ["won", "strict", "class", "rung", "skeleton"])
def test_the_checker_refuses_certificates_of_an_unknown_rule(kind: str, more: tuple[Rules, str]) -> None:
    rules, setting = more
    made = Certificate(kind, rules, two_cards(Rules("small", piles=2)))
    with pytest.raises(check._Refused, match=f"does not know the rule {setting}"):
        check._check(made, lambda *_: None)


def test_a_certificate_file_of_an_unknown_value_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole way, from the bytes: what today's rules would accept is not proved for others."""
    monkeypatch.setitem(CHOICES, "withdrawal", ("no", "yes", "once"))
    rules = Rules("small", piles=2, withdrawal="once")
    start = draw("Foundations: H-2 C-2 D-2 S-A\n2S\n", rules, 2)
    answer = check_certificate(certificate_bytes(Certificate("won", rules, start, sections={"moves": b"2S 1 F\n"})))
    assert answer.problem == "this checker does not know the rule withdrawal=once"


def test_an_unknown_layout_is_not_dealt() -> None:
    rules = Rules("small", layout="portuguese", aces=None, skim=None, skim_gap=None, order=None)
    object.__setattr__(rules, "layout", "pyramid")  # Rules refuses it by itself
    for deal in (deal_position, lambda _, rules: compiled_deals.deal_packed("ms", 1, rules)):
        with pytest.raises(InputError, match="layout=pyramid"):
            deal(DealId("ms", 1), rules)


LISTS = {
    "general engine": state._KNOWN_RULES,
    "general engine, front door": solving._GENERAL_RULES,
    "quota engine": board._KNOWN_RULES,
    "quota engine, front door": solving._QUOTA_RULES,
    "prover": certificates._KNOWN_RULES,
    "prover by theory": certificates._KNOWN_TO_THEORY,
    "referee": position.PLAYED_RULES,
    "compiled referee": compiled_replay._KNOWN,
    "checker of theory": check._KNOWN_TO_THEORY,
    "dealing": deals._KNOWN_RULES,
    "compiled dealing": compiled_deals._KNOWN_RULES,
}


def test_every_list_names_every_switch_of_today() -> None:
    names = {field.name.replace("_", "-") for field in fields(Rules)} - {"variant"}
    for part, known in LISTS.items():
        assert set(known) == names, part
        for switch, values in CHOICES.items():
            assert any(value in known[switch] for value in values), (part, switch)
    assert len({id(known) for known in LISTS.values()}) == len(LISTS)  # each for itself: none borrows another's


def test_all_rules_of_today_are_served() -> None:
    for rules in [*VARIANTS.values(), *(Rules("small", **switches) for switches in RULE_SETS)]:
        plays_cards = (rules.unit != "sequence", rules.withdrawal, rules.auto_found) == (True, "no", "never")
        assert engine_for(rules).name == ("quota" if plays_cards else "general")
        assert engine_for(rules, "general").name == "general"
