"""The rule sets and their switches."""

from itertools import product

import pytest

from solver.errors import InputError
from solver.rules import CHOICES, DEAL_SWITCHES, VARIANTS, Rules, rules_of

THIRTEEN = ("bakers-dozen", "portuguese-solitaire")

# Piles, then the switches in the order of CHOICES, as the games are described.
TABLE = {
    "citadel": (8, "first yes skip rows any card no never"),
    "exiled-kings": (8, "first yes skip rows kings card no never"),
    "beleaguered-castle": (8, "first no skip rows any card no never"),
    "streets-and-alleys": (8, "in-deck no skip rows any card no never"),
    "penelopes-web": (8, "in-deck no skip rows kings card no never"),
    "bakers-dozen": (13, "- - - - none card no never"),
    "portuguese-solitaire": (13, "- - - - kings card no never"),
}


def test_the_games_of_the_specification() -> None:
    """Pinned, since stored results name them. A game that is added later needs no line here."""
    found = {
        name: (rules.piles, " ".join(value or "-" for value in rules.switches().values()))
        for name, rules in VARIANTS.items()
        if name in TABLE
    }
    assert found == TABLE
    assert all(rules.variant == name for name, rules in VARIANTS.items())


@pytest.mark.parametrize("switch", CHOICES)
def test_every_switch_can_be_set(switch: str) -> None:
    for value in CHOICES[switch]:
        rules = rules_of("citadel", {switch: value})
        assert rules.switches()[switch] == value
        assert f"{switch}={value}" in rules.text().split()
        same = VARIANTS["citadel"].switches()[switch] == value
        assert rules.differences(VARIANTS["citadel"]) == ([] if same else [switch])


def test_none_leaves_a_switch_as_it_is() -> None:
    for variant in VARIANTS:
        assert rules_of(variant, dict.fromkeys(CHOICES)) == VARIANTS[variant]


@pytest.mark.parametrize(("variant", "switch"), [*product(THIRTEEN, DEAL_SWITCHES)])
def test_a_deal_switch_on_thirteen_piles_is_refused(variant: str, switch: str) -> None:
    for value in CHOICES[switch]:
        with pytest.raises(InputError, match=f"{variant} decides the deal by itself: {switch} does not apply"):
            rules_of(variant, {switch: value})


def test_an_unknown_variant_lists_the_valid_ones() -> None:
    with pytest.raises(InputError) as error:
        rules_of("citadell")
    assert "did you mean citadel?" in str(error.value)
    assert all(variant in str(error.value) for variant in VARIANTS)
    with pytest.raises(InputError, match="there are citadel, exiled-kings"):
        rules_of("")


def test_an_unknown_switch_lists_the_valid_ones() -> None:
    with pytest.raises(InputError) as error:
        rules_of("citadel", {"space": "any"})
    assert all(switch in str(error.value) for switch in CHOICES)


@pytest.mark.parametrize("switch", CHOICES)
def test_an_unknown_value_lists_the_valid_ones(switch: str) -> None:
    for value in ("maybe", "", CHOICES[switch][0].upper()):
        with pytest.raises(InputError) as error:
            rules_of("citadel", {switch: value})
        assert f"{switch} is one of {', '.join(CHOICES[switch])}" in str(error.value)


@pytest.mark.parametrize("piles", [0, 14, -1])
def test_a_rule_set_has_1_to_13_piles(piles: int) -> None:
    with pytest.raises(InputError, match="1 to 13 piles"):
        Rules("wide", piles=piles)


@pytest.mark.parametrize("switch", CHOICES)
def test_the_description_tells_the_values_of_each_switch_apart(switch: str) -> None:
    texts = {rules_of("citadel", {switch: value}).describe() for value in CHOICES[switch]}
    assert len(texts) == len(CHOICES[switch])


def test_the_description_tells_the_variants_apart() -> None:
    assert len({rules.describe() for rules in VARIANTS.values()}) == len(VARIANTS)


def test_without_skimming_the_gap_is_not_described() -> None:
    texts = {rules_of("beleaguered-castle", {"skim-gap": gap}).describe() for gap in CHOICES["skim-gap"]}
    assert len(texts) == 1


def test_differences_between_variants() -> None:
    assert VARIANTS["exiled-kings"].differences(VARIANTS["citadel"]) == ["spaces"]
    assert VARIANTS["penelopes-web"].differences(VARIANTS["streets-and-alleys"]) == ["spaces"]
    assert VARIANTS["beleaguered-castle"].differences(VARIANTS["citadel"]) == ["skim"]
    assert VARIANTS["streets-and-alleys"].differences(VARIANTS["beleaguered-castle"]) == ["aces"]
