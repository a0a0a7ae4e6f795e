"""The rule set of a game: every switch, the variants, and their description in words.

Programs that call a game by one name often play two games, so a rule set is always passed around whole
and printed with every result.
"""

from collections.abc import Container, Mapping
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from typing import Any, Literal, get_args

from solver.errors import InputError, check_kind

Layout = Literal["castle", "bakers-dozen", "portuguese"]

CHOICES: dict[str, tuple[str, ...]] = {
    "aces": ("first", "in-deck"),
    "skim": ("no", "yes"),
    "skim-gap": ("skip", "refill"),
    "order": ("rows", "columns"),
    "spaces": ("any", "kings", "none"),
    "unit": ("card", "supermove", "sequence"),
    "withdrawal": ("no", "yes"),
    "auto-found": ("never", "uncovered"),
}
"""Every rule switch with its values, in the order in which they are printed."""

STORED_SWITCHES = ("aces", "skim", "skim-gap", "order", "spaces", "unit", "withdrawal", "auto-found")
"""The switches that every file of format 1 names. A switch that is added later stays out of this list.

Its default is how the game was played before there was the switch. A file names it only where its value is another one,
so files and daily deals of all rule sets that were there before stay as they are."""

LATER_VERSION = "a later version wrote it, update citadel-solver to read it"
"""What to do about a file that names what this version does not know."""

DEAL_SWITCHES = ("aces", "skim", "skim-gap", "order")
"""The switches that say how the cards are dealt; a layout of thirteen piles decides that by itself."""


@dataclass(frozen=True, slots=True)
class Rules:
    """One rule set. The switches are the fields, spelled as on the command line (``-`` becomes ``_``).

    Attributes
    ----------
    variant
        The variant that the rule set started from; a name only, the switches are what is played.
    piles
        Number of tableau piles, 1 to 13.
    layout
        ``castle`` deals by the deal switches; the two layouts of thirteen piles have deals of their own,
        and their deal switches are None.

    Examples
    --------
    >>> solver.rules_of("citadel").with_switches({"spaces": "none"}).switches()["spaces"]
    'none'
    """

    variant: str
    piles: int = 8
    layout: Layout = "castle"
    aces: str | None = "first"
    skim: str | None = "no"
    skim_gap: str | None = "skip"
    order: str | None = "rows"
    spaces: str = "any"
    unit: str = "card"
    withdrawal: str = "no"
    auto_found: str = "never"

    def __post_init__(self) -> None:
        check_kind("variant", self.variant, str)
        check_kind("piles", self.piles, int)
        check_kind("layout", self.layout, str)
        if self.layout not in get_args(Layout):
            raise InputError(f"layout is one of {', '.join(get_args(Layout))}, not {self.layout!r:.40}")
        if not 1 <= self.piles <= 13:
            raise InputError(f"a rule set has 1 to 13 piles, not {self.piles}")
        for switch, choices in CHOICES.items():
            value = getattr(self, _field(switch))
            check_kind(switch, value, str, type(None))
            if self.layout != "castle" and switch in DEAL_SWITCHES:
                if value is not None:
                    raise InputError(f"{self.variant} decides the deal by itself: {switch} does not apply to it")
            elif value not in choices:
                raise InputError(f"{switch} is one of {', '.join(choices)}, not {value!r}")

    def switches(self) -> dict[str, str | None]:
        """Every switch with its value; None for a deal switch that does not apply."""
        return {switch: getattr(self, _field(switch)) for switch in CHOICES}

    def with_switches(self, changes: Mapping[str, str | None]) -> "Rules":
        """This rule set with some switches changed; a value of None leaves the switch as it is.

        Raises
        ------
        InputError
            For an unknown switch or value, or a deal switch where the layout decides the deal.
        """
        check_kind("changes", changes, Mapping)
        for switch in changes:
            if switch not in CHOICES:
                raise InputError(f"no rule switch {switch!r}; there are {', '.join(CHOICES)}")
        named = {_field(switch): value for switch, value in changes.items() if value is not None}
        changed: dict[str, Any] = named  # `replace` is typed field by field, these are all switches
        return replace(self, **changed)

    def differences(self, other: "Rules") -> list[str]:
        """The names of the fields in which two rule sets differ, the variant's name left out."""
        check_kind("other", other, Rules)
        names = [field.name for field in fields(self) if field.name != "variant"]
        return [name.replace("_", "-") for name in names if getattr(self, name) != getattr(other, name)]

    def text(self) -> str:
        """One line, ``aces=first skim=yes ...``, the switches that apply."""
        return _line(self.switches())

    def stored_switches(self) -> dict[str, str | None]:
        """The switches that a file names: those of ``STORED_SWITCHES``, then each later one that is not its default."""
        switches = self.switches()
        later = {switch: value for switch, value in switches.items() if switch not in STORED_SWITCHES}
        changed = {switch: value for switch, value in later.items() if value != _default(switch, self.layout)}
        return {switch: switches[switch] for switch in STORED_SWITCHES} | changed

    def stored_text(self) -> str:
        """``stored_switches`` in one line, those that apply."""
        return _line(self.stored_switches())

    def describe(self) -> str:
        """The rule set in words, a sentence a line."""
        return "\n".join([*_describe_deal(self), *_describe_play(self)])


def unknown_setting(rules: Rules, known: Mapping[str, Container[str | int | None]]) -> str | None:
    """The first setting of a rule set that a list of known ones does not name, as ``spaces=any``; None if it names all.

    Whoever acts on a rule set keeps its own list and refuses what is not on it, so that a new switch, or a new value,
    is refused until somebody has thought about it there.

    Parameters
    ----------
    known
        The known values of every switch, and of ``piles`` and ``layout``.
    """
    for field in fields(rules):
        name, value = field.name.replace("_", "-"), getattr(rules, field.name)
        if name != "variant" and value not in known.get(name, ()):
            return f"{name}={value}"
    return None


def _field(switch: str) -> str:
    return switch.replace("-", "_")


def _line(switches: Mapping[str, str | None]) -> str:
    return " ".join(f"{switch}={value}" for switch, value in switches.items() if value is not None)


def _default(switch: str, layout: Layout) -> str | None:
    if layout != "castle" and switch in DEAL_SWITCHES:
        return None
    defaults: dict[str, Any] = {field.name: field.default for field in fields(Rules)}
    default: str = defaults[_field(switch)]
    return default


_NO_DEAL: dict[str, Any] = dict.fromkeys(map(_field, DEAL_SWITCHES))

GAMES: dict[str, dict[str, Any]] = {
    "Citadel": {"skim": "yes"},
    "Exiled Kings": {"skim": "yes", "spaces": "kings"},
    "Beleaguered Castle": {},
    "Streets and Alleys": {"aces": "in-deck"},
    "Penelope's Web": {"aces": "in-deck", "spaces": "kings"},
    "Baker's Dozen": {"piles": 13, "layout": "bakers-dozen", "spaces": "none"} | _NO_DEAL,
    "Portuguese Solitaire": {"piles": 13, "layout": "portuguese", "spaces": "kings"} | _NO_DEAL,
}
"""Every game as players write its name, with the fields of its ``Rules`` that are not the default.

A game that needs no new switch is one more entry here. Its variant is called as it is, small, ``-`` for a space."""

TITLES = {title.lower().replace("'", "").replace(" ", "-"): title for title in GAMES}
"""The names of the variants as players write them."""

VARIANTS = {variant: Rules(variant, **GAMES[title]) for variant, title in TITLES.items()}
"""The variants by name."""


def rules_of(variant: str, changes: Mapping[str, str | None] | None = None) -> Rules:
    """The rule set of a variant, with some switches changed.

    Parameters
    ----------
    variant
        A key of ``VARIANTS``.
    changes
        New values of switches, named as on the command line; a value of None leaves the switch as it is.

    Raises
    ------
    InputError
        For an unknown variant, switch or value; the message lists the valid ones.

    Examples
    --------
    >>> solver.rules_of("exiled-kings", {"skim-gap": "refill"}).text()
    'aces=first skim=yes skim-gap=refill order=rows spaces=kings unit=card withdrawal=no auto-found=never'
    """
    check_kind("variant", variant, str)
    check_kind("changes", changes, Mapping, type(None))
    if variant not in VARIANTS:
        near = get_close_matches(variant, VARIANTS, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise InputError(f"no variant {variant!r}; {hint}there are {', '.join(VARIANTS)}")
    return VARIANTS[variant].with_switches(changes or {})


def rules_of_stored(variant: str, piles: int, layout: Layout, switches: Mapping[str, Any]) -> Rules:
    """The rule set that a file names, with the values of its switches.

    A later switch that the file does not name has its default. One of ``STORED_SWITCHES`` must be there if it applies.

    Raises
    ------
    InputError
        For a switch or a value that this version does not know, or a switch that is missing.
    """
    unknown = [switch for switch in switches if switch not in CHOICES]
    if unknown:
        raise InputError(f"there is no rule switch {unknown[0]!r:.40} in this version; {LATER_VERSION}")
    later = {switch: _default(switch, layout) for switch in CHOICES if switch not in STORED_SWITCHES}
    values: dict[str, Any] = dict.fromkeys(STORED_SWITCHES) | later | dict(switches)
    for switch, choices in CHOICES.items():
        value = values[switch]
        if value is not None and value not in choices:
            known = ", ".join(choices)
            raise InputError(f"{switch} is {value!r:.40}, this version knows {known}; if {LATER_VERSION}")
    fields_given: dict[str, Any] = {_field(switch): value for switch, value in values.items()}
    return Rules(variant, piles=piles, layout=layout, **fields_given)  # refuses a switch that is missing


def as_rules(rules: Rules | str) -> Rules:
    """A rule set itself, or the one that a variant's name stands for.

    Raises
    ------
    InputError
        For an unknown variant, or what is neither.
    """
    check_kind("rules", rules, Rules, str)
    return rules_of(rules) if isinstance(rules, str) else rules


def _describe_deal(rules: Rules) -> list[str]:
    match rules.layout:
        case "bakers-dozen":
            return [
                "Deal: the deck in reverse order by rows to thirteen piles of four; "
                "then each King is swapped with the lowest card of its pile that is not a King."
            ]
        case "portuguese":
            return ["Deal: by rows to thirteen piles of four; Kings stay where they fall."]
    lines = []
    if rules.aces == "first":
        lines.append(
            f"Deal: the four Aces go to the foundations first; then 48 cards are dealt, {_heights(48, rules)}."
        )
    else:
        lines.append(f"Deal: all 52 cards are dealt, Aces where the shuffle put them, {_heights(52, rules)}.")
    if rules.order == "rows":
        lines.append("Order: by rows, one card to each pile in turn.")
    else:
        lines.append("Order: by columns, the first pile filled before the second is begun.")
    if rules.skim == "yes":
        lines.append("Skimming: while dealing, a card in hand that fits its foundation goes there.")
        if rules.skim_gap == "skip":
            lines.append("A skimmed card uses up its pile's turn, so the pile gets one card fewer.")
        else:
            lines.append("The card after a skimmed one takes its place.")
    else:
        lines.append(
            "No card goes to a foundation while dealing."
            if rules.aces == "in-deck"
            else "No other card goes to a foundation while dealing."
        )
    return lines


def _heights(cards: int, rules: Rules) -> str:
    """How many cards a pile gets, before skimming leaves out any."""
    height, longer = divmod(cards, rules.piles)
    if not longer:
        return f"{height} to each pile"
    first = "pile 1" if longer == 1 else f"piles 1 to {longer}"
    return f"{height + 1} to {first} and {height} to {'each other' if rules.piles - longer > 1 else 'the other'}"


def _describe_play(rules: Rules) -> list[str]:
    spaces = {
        "any": "An empty pile accepts any card.",
        "kings": "An empty pile accepts Kings only.",
        "none": "An empty pile accepts nothing.",
    }
    unit = {
        "card": "One card moves at a time, the top card of a pile.",
        "supermove": (
            "A run in order moves as one move if it is no longer than one card doubled for each space "
            "that takes any card, a space moved into not counted."
        ),
        "sequence": "A run in order moves as one move, whatever its length.",
    }
    withdrawal = {
        "no": "Cards stay on their foundations.",
        "yes": "The top card of a foundation may go back to a pile that accepts it.",
    }
    auto = {
        "never": "No card goes to its foundation by itself.",
        "uncovered": (
            "A card that a move or the end of the deal uncovers goes up by itself if it fits; "
            "one that lay open before stays."
        ),
    }
    return [
        f"Tableau: {rules.piles} piles, built down by rank whatever the suit, all cards face up.",
        "Foundations: four, each built up by suit from Ace to King; the game is won when all cards are there.",
        spaces[rules.spaces],
        unit[rules.unit],
        withdrawal[rules.withdrawal],
        auto[rules.auto_found],
    ]
