"""Certificates of deals: a verdict, and the file that proves it to anyone. See docs/certificates.md.

The referee owns the format and checks; here the engines' closed sets become its records, and the smallest certificate
is chosen. Knows nothing of click.
"""

from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from solver.cards import SUITS
from solver.deals import DealId, as_deal, deal_position
from solver.engine.classes.board import RANKS_PER_WORD
from solver.engine.general.state import CODE_BOTTOM
from solver.errors import InputError, check_abort, check_kind
from solver.notation import move_text
from solver.position import Position
from solver.referee import Certificate, certificate_bytes, check_certificate
from solver.referee.certificate import BOTTOM, COUNTS, DEALT, FOUNDED, LARGEST_BODY, MOST_RECORDS, ON_SUIT
from solver.rules import Rules, as_rules, unknown_setting
from solver.solving import DEFAULT_MAX_MEMORY, DEFAULT_MAX_NODES, Outcome, Verdict, board_of, solve

if TYPE_CHECKING:
    from numpy.typing import NDArray

_KNOWN_RULES: dict[str, Container[str | int | None]] = {
    "piles": range(1, 14),
    "layout": ("castle", "bakers-dozen", "portuguese"),
    "aces": ("first", "in-deck", None),
    "skim": ("no", "yes", None),
    "skim-gap": ("skip", "refill", None),
    "order": ("rows", "columns", None),
    "spaces": ("any", "kings", "none"),
    "unit": ("card", "supermove", "sequence"),
    "withdrawal": ("no", "yes"),
    "auto-found": ("never", "uncovered"),
}
"""Every rule under which a win's moves, or a strict certificate, can be made."""

_KNOWN_TO_THEORY: dict[str, Container[str | int | None]] = {
    "piles": range(1, 14),
    "layout": ("castle", "bakers-dozen", "portuguese"),
    "aces": ("first", "in-deck", None),
    "skim": ("no", "yes", None),
    "skim-gap": ("skip", "refill", None),
    "order": ("rows", "columns", None),
    "spaces": ("any", "kings", "none"),
    "unit": ("card", "supermove"),
    "withdrawal": ("no",),
    "auto-found": ("never",),
}
"""Every rule under which classes, rungs and skeletons prove a loss; no other list counts here."""

MOST_POSITIONS = 1_000_000
"""A deal with more positions gets no strict certificate."""

MOST_CLASSES = 1_000_000
"""A certificate with more classes would take the checker most of a day."""

LEAST_IMAGES, IMAGES_A_CLASS, MOST_IMAGES = 100_000, 20, 2_000_000
"""Classes of a coarser rung that may be looked at: so many for each class of the smallest certificate so far, within
bounds. Leaning on a rung is tried with eleven rungs, and most of them help little."""

MOST_CHECKED = 100_000
"""Records of a certificate that is checked as soon as it is made: so many take the checker half a minute."""

NEAR = 1.5
"""Bodies this many times as long as the shortest are compressed as well, to see which file is the smallest."""


@dataclass(frozen=True, slots=True)
class Proof:
    """A verdict and the certificate that proves it.

    Attributes
    ----------
    outcome
        The verdict, and how the search found it.
    certificate, file
        What proves it, and the bytes of its file; None where there is none.
    why_none
        Why there is none, in a sentence.
    is_checked
        Whether the referee has checked the file.
    """

    outcome: Outcome
    certificate: Certificate | None = None
    file: bytes | None = None
    why_none: str | None = None
    is_checked: bool = False

    @property
    def verdict(self) -> Verdict:
        """The verdict of the deal."""
        return self.outcome.verdict


class RefusedCertificate(RuntimeError):
    """A certificate that the referee refuses: a fault of the engine, never of the input."""


def prove(
    position: Position,
    rules: Rules | str,
    *,
    deal: DealId | str | int | None = None,
    strict: bool = False,
    check: bool = True,
    max_nodes: int = DEFAULT_MAX_NODES,
    max_memory: int = DEFAULT_MAX_MEMORY,
    abort: "NDArray[np.uint8] | None" = None,
) -> Proof:
    """Prove a position won or lost and make the certificate that shows it.

    Parameters
    ----------
    position
        The position; missing last piles count as empty.
    rules
        A rule set, or a variant's name.
    deal
        The deal that the position is, to be named in the certificate; its name, as for ``solver.deal``, will do.
    strict
        Prove a lost position by all positions that legal moves lead to, at most ``MOST_POSITIONS``, with no theory.
        Rules that the quota search does not serve have no other certificates.
    check
        Have the referee check the certificate, if it has at most ``MOST_CHECKED`` records.
    max_nodes, max_memory
        Budgets of the search, as for ``solve``; the closed sets take at most as much memory again. Where the search
        comes to no verdict, a closed set of at most ``max_nodes`` classes can still prove the position lost.
    abort
        An array of one element; another thread that sets it ends the work within a moment.

    Returns
    -------
    Proof
        With a certificate, unless the verdict is unknown or its proof is too large; then with the reason.

    Raises
    ------
    InputError, RefusedWin
        As ``solve`` raises them; InputError as well if the position is not the deal.
    RefusedCertificate
        If the referee refuses the certificate.

    Examples
    --------
    >>> proof = solver.prove(solver.deal("ms:25", "citadel"), "citadel", deal="ms:25")
    >>> proof.verdict.value, proof.certificate.kind, proof.is_checked
    ('lost', 'skeleton', True)
    """
    rules = as_rules(rules)
    unknown = unknown_setting(rules, _KNOWN_RULES)
    if unknown is not None:
        raise InputError(f"no certificate can be made under the rule {unknown}: the prover does not know it")
    position = board_of(position, rules)
    named = None if deal is None else as_deal(deal)
    if named is not None and position != deal_position(named, rules):
        raise InputError(f"the position is not the deal {named} of these rules")
    check_kind("strict", strict, bool)
    check_kind("check", check, bool)
    check_abort(abort)
    abort = np.zeros(1, np.uint8) if abort is None else abort
    outcome = solve(position, rules, max_nodes=max_nodes, max_memory=max_memory, tidy=True, abort=abort)
    if outcome.moves is not None:
        moves = "".join(move_text(move) + "\n" for move in outcome.moves)
        won = Certificate("won", rules, position, named, sections={"moves": moves.encode()})
        return _proof(outcome, won, check)
    strict = strict or unknown_setting(rules, _KNOWN_TO_THEORY) is not None
    most = MOST_CLASSES if outcome.verdict is Verdict.LOST else min(MOST_CLASSES, max_nodes)
    try:
        found = _strict(position, rules, abort) if strict else _smallest(position, rules, most, max_memory, abort)
    except MemoryError:
        return Proof(outcome, why_none="there is not enough memory for the closed set")
    if found is not None:
        if outcome.verdict is Verdict.UNKNOWN:
            outcome = replace(outcome, verdict=Verdict.LOST, why_unknown=None)
        return _proof(outcome, replace(found, deal=named), check)
    if abort[0]:
        why = "interrupted"
    elif strict:
        why = f"the deal has more than {MOST_POSITIONS:,} positions, too many for a strict certificate"
    elif outcome.verdict is Verdict.UNKNOWN:
        why = f"the search is out of {outcome.why_unknown}, and no closed set of {most:,} classes was found either"
    else:
        why = f"no closed set has at most {most:,} classes and fits in the memory"
    return Proof(outcome, why_none=why)


def _proof(outcome: Outcome, certificate: Certificate, check: bool) -> Proof:
    file = certificate_bytes(certificate)
    check = check and sum(certificate.counts().values()) <= MOST_CHECKED
    if check:
        answer = check_certificate(file)
        if not answer.holds:
            raise RefusedCertificate(f"the referee refuses the certificate: {answer.problem}\n{answer.board or ''}")
    return Proof(outcome, certificate, file, is_checked=check)


def _strict(position: Position, rules: Rules, abort: "NDArray[np.uint8]") -> Certificate | None:
    from solver.engine.general.enumeration import all_positions

    keys = all_positions(position, rules, MOST_POSITIONS, abort)
    if keys is None:
        return None
    return Certificate("strict", rules, position, sections={"positions": _position_records(keys, position, rules)})


def _smallest(
    position: Position, rules: Rules, most: int, max_memory: int, abort: "NDArray[np.uint8]"
) -> Certificate | None:
    """The smallest certificate found of at most so many classes."""
    near: list[Certificate] = []
    for found in lost_certificates(position, rules, most_classes=most, max_memory=max_memory, abort=abort):
        if _fits(found):
            near.append(found)
            shortest = min(map(_body_size, near))
            near = [one for one in near if _body_size(one) <= NEAR * shortest]
    if not near or abort[0]:
        return None
    return min(near, key=lambda one: len(certificate_bytes(one)))


def lost_certificates(
    position: Position,
    rules: Rules,
    *,
    most_classes: int = MOST_CLASSES,
    max_memory: int = DEFAULT_MAX_MEMORY,
    abort: "NDArray[np.uint8] | None" = None,
) -> Iterator[Certificate]:
    """Certificates of a lost deal: its skeletons; or its classes on every rung, and with the help of every rung.

    Each has at most as many classes as the one before. The position has all its piles. No position that can be won has
    any.

    Raises
    ------
    InputError
        For a rule under which classes, rungs and skeletons are not known to prove a loss.
    """
    unknown = unknown_setting(rules, _KNOWN_TO_THEORY)
    if unknown is not None:
        raise InputError(f"no theory proves a loss under the rule {unknown}")
    from solver.engine.quota.closed_sets import (
        ClosedSets,
        LostDeal,
    )

    ranks = position.ranks
    lost = LostDeal(position, rules, max_memory, np.zeros(1, np.uint8) if abort is None else abort)

    def certificate(kind: str, rung: int, sets: ClosedSets) -> Certificate:
        exact, on_rung = (sets.coarse_classes, sets.classes) if kind == "rung" else (sets.classes, sets.coarse_classes)
        sections = {
            "skeletons": _skeleton_records(sets.skeletons),
            "rung-classes": _class_records(on_rung, ranks),
            "classes": _class_records(exact, ranks),
        }
        return Certificate(kind, rules, position, rung=rung if len(on_rung) else 0, sections=sections)

    relaxed = lost.relaxed()
    if relaxed is not None:
        yield certificate("skeleton", 0, relaxed)
        return
    most = most_classes
    rungs = range(ranks - 2, 0, -1)
    for rung in (*rungs, 0):
        sets = lost.on_rung(rung, most)
        if sets is not None:
            yield certificate("rung" if rung else "class", rung, sets)
            most = min(most, sets.size())
    for rung in rungs:
        max_images = min(max(LEAST_IMAGES, IMAGES_A_CLASS * most), MOST_IMAGES)
        sets = lost.on_rung(0, most, rung, max_images)
        if sets is not None and sets.size() < most:
            yield certificate("class", rung, sets)
            most = sets.size()


def _fits(certificate: Certificate) -> bool:
    return _body_size(certificate) <= LARGEST_BODY and sum(certificate.counts().values()) <= MOST_RECORDS


def _body_size(certificate: Certificate) -> int:
    return sum(map(len, certificate.sections.values()))


_CHARACTERS = np.frombuffer(f"{ON_SUIT}{BOTTOM}{DEALT}{FOUNDED}?".encode(), np.uint8)
"""The characters of a record, by the codes of the engines' keys, which agree on them."""


def _class_records(keys: np.ndarray, ranks: int) -> bytes:
    """Records of keys as in ``packed``: five ranks a word."""
    places = [
        (rank // RANKS_PER_WORD, 12 * (rank % RANKS_PER_WORD) + 3 * suit)
        for rank in range(ranks)
        for suit in range(SUITS)
    ]
    return _sorted_lines(_characters(keys, places))


def _position_records(keys: np.ndarray, position: Position, rules: Rules) -> bytes:
    """Records of keys as in ``packing``: card c in word c % 3; every bottom has the same code there."""
    cards = range(SUITS * position.ranks)
    characters = _characters(keys, [(card % 3, 3 * (card // 3)) for card in cards])
    if rules.spaces != "any":
        kings = SUITS * (position.ranks - 1) if rules.spaces == "kings" else SUITS * position.ranks
        dealt = characters[:, :kings]
        dealt[dealt == _CHARACTERS[CODE_BOTTOM]] = ord(DEALT)
    return _sorted_lines(characters)


def _characters(keys: np.ndarray, places: list[tuple[int, int]]) -> np.ndarray:
    """For keys int64[n, 3], and the word and shift of each card: uint8[n, cards]."""
    characters = np.empty((len(keys), len(places)), np.uint8)
    for card, (word, shift) in enumerate(places):
        characters[:, card] = _CHARACTERS[keys[:, word] >> shift & 7]
    return characters


def _skeleton_records(rows: np.ndarray) -> bytes:
    return _sorted_lines(np.frombuffer(COUNTS.encode(), np.uint8)[rows])


def _sorted_lines(characters: np.ndarray) -> bytes:
    """The rows of uint8[n, width] in order, each with its LF."""
    count, width = characters.shape
    lines = np.full((count, width + 1), ord("\n"), np.uint8)
    lines[:, :width] = characters
    return bytes(np.sort(lines.view(f"S{width + 1}"), axis=0).tobytes())
