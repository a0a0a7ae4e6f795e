"""The file of a certificate: a head of text lines and a compressed body. Written and read; nothing is checked here.

docs/certificates.md describes it byte by byte. Knows nothing of what the sections mean.
"""

import hashlib
import lzma
import re
from dataclasses import dataclass, field

from solver.cards import RANKS, SUITS
from solver.deals import DealId, parse_deal
from solver.errors import InputError
from solver.notation import SEPARATOR, board_text, parse_board
from solver.position import Position
from solver.rules import CHOICES, Rules

FIRST_LINE = "citadel certificate 1"
KINDS = ("won", "strict", "skeleton", "rung", "class")
SECTIONS = ("skeletons", "rung-classes", "classes", "positions", "moves")
"""The sections of a body, in their order."""

LARGEST_HEAD = 1 << 14
LARGEST_BODY = 1 << 27
_LARGEST_MEMORY = 1 << 27
"""Bytes that the xz stream may ask for: twice what its strongest preset needs."""
_LARGEST_FILE = LARGEST_HEAD + LARGEST_BODY + (LARGEST_BODY >> 4)
_LONGEST_MOVE = len("10H 13 13\n") - 1

COUNTS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopq"
"""The characters of the numbers 0 to 52 in a skeleton's record."""

ON_SUIT = "HCDS"
BOTTOM, DEALT, FOUNDED = "_", "!", "."
"""The characters of a position's record: on the card of a suit one rank higher, at a bottom, on a dealt bad bond,
founded."""


@dataclass(frozen=True)
class Certificate:
    """A certificate, read or to be written.

    Attributes
    ----------
    kind
        One of ``KINDS``.
    rules, start, deal
        What is played, the head's board, and the name of its deal if it has one.
    rung
        K of the rung section, 0 if there is none.
    sections
        The bytes of each section that is not empty: its records, each a line with its LF.
    """

    kind: str
    rules: Rules
    start: Position
    deal: DealId | None = None
    rung: int = 0
    sections: dict[str, bytes] = field(default_factory=dict)

    def records(self, section: str) -> list[bytes]:
        """The records of a section, without their LF."""
        return self.sections.get(section, b"").split(b"\n")[:-1]


def _rules_text(rules: Rules) -> str:
    return f"piles={rules.piles} layout={rules.layout} {rules.text()}"


def certificate_bytes(certificate: Certificate) -> bytes:
    """The file of a certificate."""
    counts = {section: certificate.sections.get(section, b"").count(b"\n") for section in SECTIONS}
    body = b"".join(certificate.sections.get(section, b"") for section in SECTIONS)
    rules = certificate.rules
    head = "\n".join(
        [
            FIRST_LINE,
            f"kind: {certificate.kind}",
            f"variant: {rules.variant}",
            f"rules: {_rules_text(rules)}",
            f"deal: {certificate.deal or 'none'}",
            f"ranks: {certificate.start.ranks}",
            f"board:\n{board_text(certificate.start)}{SEPARATOR}",
            f"rung: {certificate.rung}",
            *(f"{section}: {count}" for section, count in counts.items()),
            f"body: {len(body)}\n",
        ]
    ).encode("ascii")
    packed = lzma.compress(body)
    return head + f"sha256: {_digest(head, packed)}\n".encode() + packed


def _digest(head: bytes, packed: bytes) -> str:
    return hashlib.sha256(head + packed).hexdigest()
