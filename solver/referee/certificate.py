"""The file of a certificate: a head of text lines and a compressed body. Written and read; nothing is checked here.

docs/certificates.md describes it byte by byte. Knows nothing of what the sections mean.
"""

import hashlib
import lzma
import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import get_args

from solver.cards import RANKS, SUITS
from solver.deals import DealId, parse_deal
from solver.errors import InputError, check_kind
from solver.notation import SEPARATOR, board_text, parse_position
from solver.position import Position
from solver.rules import LATER_VERSION, Layout, Rules, rules_of_stored

FORMAT = 1
"""The version of the format. A reader refuses any other, and a rule switch that it does not know."""
FIRST_LINE = f"citadel certificate {FORMAT}"
KINDS = ("won", "strict", "skeleton", "rung", "class")
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
SECTIONS = ("skeletons", "rung-classes", "classes", "positions", "moves")
"""The sections of a body, in their order."""

LARGEST_HEAD = 1 << 14
LARGEST_BODY = 1 << 26
"""Bytes of a body, uncompressed: a million positions of a whole deck, and a quarter more."""
MOST_RECORDS = 1 << 21
"""Records of all sections together, so that short records do not fill the memory."""
LARGEST_FILE = LARGEST_HEAD + LARGEST_BODY + (LARGEST_BODY >> 4)
"""Bytes of a file; compression can make a body only a little longer."""
_XZ_MEMORY = 1 << 27
"""Bytes that the xz stream may ask for: twice what its strongest preset needs."""

_LONGEST_MOVE = len("KD 13 12\n")

COUNTS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopq"
"""The characters of the numbers 0 to 52 in a skeleton's record."""

ON_SUIT = "HCDS"
BOTTOM, DEALT, FOUNDED = "_", "!", "."
"""The characters of a position's record: on the card of a suit one rank higher, at a bottom, on a dealt bad bond,
founded."""


_FILLED = {
    "won": ("moves",),
    "strict": ("positions",),
    "skeleton": ("skeletons",),
    "rung": ("rung-classes", "skeletons"),
    "class": ("classes", "rung-classes", "skeletons"),
}
"""The sections that a kind may have; the first one holds the start, and is not empty."""


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
        The bytes of each section: its records, each a line with its LF. A section left out is empty.
    """

    kind: str
    rules: Rules
    start: Position
    deal: DealId | None = None
    rung: int = 0
    sections: dict[str, bytes] = field(default_factory=dict)

    def section(self, name: str) -> bytes:
        """The bytes of a section."""
        return self.sections.get(name, b"")

    def records(self, name: str) -> list[bytes]:
        """The records of a section, without their LF."""
        return self.section(name).split(b"\n")[:-1]

    def counts(self) -> dict[str, int]:
        """The number of records of each section."""
        return {name: self.section(name).count(b"\n") for name in SECTIONS}

    def main_section(self) -> str:
        """The section that the start belongs to."""
        return _FILLED[self.kind][0]

    def verdict(self) -> str:
        """What the certificate is to prove, ``won`` or ``lost``."""
        return "won" if self.kind == "won" else "lost"


def certificate_bytes(certificate: Certificate) -> bytes:
    """The file of a certificate."""
    body = b"".join(map(certificate.section, SECTIONS))
    head = _head(certificate, certificate.counts(), len(body))
    packed = lzma.compress(body)
    return head + _digest_line(head, packed) + packed


def _head(certificate: Certificate, counts: dict[str, int], size: int) -> bytes:
    """The head but for its last line."""
    rules = certificate.rules
    lines = [
        FIRST_LINE,
        f"kind: {certificate.kind}",
        f"variant: {rules.variant}",
        f"rules: piles={rules.piles} layout={rules.layout} {rules.stored_text()}",
        f"deal: {certificate.deal or 'none'}",
        f"ranks: {certificate.start.ranks}",
        f"board:\n{board_text(certificate.start)}{SEPARATOR}",
        f"rung: {certificate.rung}",
        *(f"{name}: {counts[name]}" for name in SECTIONS),
        f"body: {size}",
    ]
    return "".join(line + "\n" for line in lines).encode("ascii")


def _digest_line(head: bytes, packed: bytes) -> bytes:
    return f"sha256: {hashlib.sha256(head + packed).hexdigest()}\n".encode("ascii")


def read_certificate(data: bytes) -> Certificate:
    """Read the file of a certificate. Its form is checked, not what it says.

    Raises
    ------
    InputError
        If the file is no certificate, or damaged; the message says where.
    """
    check_kind("data", data, bytes)
    version = _VERSION.match(data)
    if version is not None and int(version[1]) > FORMAT:
        raise InputError(f"a certificate of format {int(version[1])}, this version reads {FORMAT}; {LATER_VERSION}")
    if not data.startswith(f"{FIRST_LINE}\n".encode("ascii")):
        raise InputError(f"no certificate: the first line is not {FIRST_LINE!r}")
    match = _HEAD.match(data[:LARGEST_HEAD])
    if match is None:
        raise InputError("the head of the certificate cannot be read; its lines are not those of the format")
    values = {name: text.decode("ascii") for name, text in match.groupdict().items()}
    certificate = _certificate_of_head(values)
    counts = {name: int(values[_group(name)]) for name in SECTIONS}
    size = int(values["body"])
    head, packed = data[: match.start("digest")], data[match.end() :]
    if head != _head(certificate, counts, size):
        raise InputError("the head of the certificate is not written as the format wants it")
    if data[match.start("digest") : match.end()] != _digest_line(head, packed):
        raise InputError("the certificate is damaged: its SHA-256 does not match")
    widths = _widths(certificate)
    _check_counts(certificate, counts, size, widths)
    body = _unpack(packed, size)
    place = 0
    for name in SECTIONS[:-1]:
        certificate.sections[name] = body[place : place + widths[name] * counts[name]]
        place += widths[name] * counts[name]
    certificate.sections[SECTIONS[-1]] = body[place:]
    for name in SECTIONS:
        _check_records(certificate, name, counts[name], widths.get(name))
    return certificate


def _group(name: str) -> str:
    return name.replace("-", "_")


_NUMBER = rb"(?:0|[1-9][0-9]{0,8})"
_VERSION = re.compile(rb"citadel certificate ([0-9]{1,4})\n")
_HEAD = re.compile(
    rb"""citadel\ certificate\ 1\n
    kind:\ (?P<kind>[a-z]+)\n
    variant:\ (?P<variant>[A-Za-z0-9-]{1,64})\n
    rules:\ (?P<rules>[a-z0-9=\ -]{1,512})\n
    deal:\ (?P<deal>none|[a-z]{1,16}:[0-9]{1,40})\n
    ranks:\ (?P<ranks>%(number)s)\n
    board:\n(?P<board>(?:[A-Za-z0-9:\ -]*\n){1,14})---\n
    rung:\ (?P<rung>%(number)s)\n
    %(counts)s
    body:\ (?P<body>%(number)s)\n
    (?P<digest>)sha256:\ [0-9a-f]{64}\n"""
    % {
        b"number": _NUMBER,
        b"counts": b"".join(
            b"%s:\\ (?P<%s>%s)\\n" % (name.encode(), _group(name).encode(), _NUMBER) for name in SECTIONS
        ),
    },
    re.VERBOSE,
)


def _certificate_of_head(values: dict[str, str]) -> Certificate:
    if values["kind"] not in KINDS:
        raise InputError(f"no certificate is of kind {values['kind']!r}; there are {', '.join(KINDS)}")
    ranks = int(values["ranks"])
    if not 1 <= ranks <= RANKS:
        raise InputError(f"a deck has 1 to {RANKS} ranks, not {ranks}")
    rules = _parse_rules(values["variant"], values["rules"])
    start = parse_position(values["board"], rules, ranks)
    deal = None if values["deal"] == "none" else parse_deal(values["deal"])
    return Certificate(values["kind"], rules, start, deal, int(values["rung"]))


def _parse_rules(variant: str, text: str) -> Rules:
    values = dict(word.split("=", 1) for word in text.split() if "=" in word)
    piles, named = values.pop("piles", ""), values.pop("layout", "")
    layout = next((layout for layout in LAYOUTS if layout == named), None)
    if layout is None:
        raise InputError(f"layout is one of {', '.join(LAYOUTS)}, not {named!r}")
    if not piles.isdecimal() or len(piles) > 2:
        raise InputError("the rules of the certificate cannot be read")
    return rules_of_stored(variant, int(piles), layout, values)


def _widths(certificate: Certificate) -> dict[str, int]:
    """The length of a section's records, LF included; moves have no fixed length."""
    card_by_card = SUITS * certificate.start.ranks + 1
    widths = {"skeletons": SUITS + certificate.rules.piles + 1}
    return widths | dict.fromkeys(("rung-classes", "classes", "positions"), card_by_card)


def _check_counts(certificate: Certificate, counts: dict[str, int], size: int, widths: dict[str, int]) -> None:
    kind, main = certificate.kind, certificate.main_section()
    for name, count in counts.items():
        if count and name not in _FILLED[kind]:
            raise InputError(f"a certificate of kind {kind} has no {name}")
    if not counts[main] and kind != "won":
        raise InputError(f"a certificate of kind {kind} has {main}, this one has none")
    if not (1 <= certificate.rung <= certificate.start.ranks if counts["rung-classes"] else certificate.rung == 0):
        raise InputError(f"rung {certificate.rung} with {counts['rung-classes']} rung classes")
    if sum(counts.values()) > MOST_RECORDS:
        raise InputError(f"a certificate has at most {MOST_RECORDS} records, this one {sum(counts.values())}")
    fixed = sum(width * counts[name] for name, width in widths.items())
    if not fixed <= size <= min(LARGEST_BODY, fixed + _LONGEST_MOVE * counts["moves"]):
        raise InputError(f"a body of {size} bytes does not hold what the head counts")


def _unpack(packed: bytes, size: int) -> bytes:
    """The body; never more than one byte beyond its size is unpacked."""
    unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)
    try:
        body = unpacker.decompress(packed, max_length=size + 1)
        while len(body) <= size and not unpacker.eof and not unpacker.needs_input:
            body += unpacker.decompress(b"", max_length=size + 1 - len(body))
    except (lzma.LZMAError, MemoryError) as error:
        raise InputError(f"the body of the certificate cannot be unpacked: {error}") from None
    if len(body) != size or not unpacker.eof or unpacker.unused_data:
        raise InputError("the body of the certificate is not as long as its head says")
    return body


def _check_records(certificate: Certificate, name: str, count: int, width: int | None) -> None:
    lines = certificate.section(name).split(b"\n")
    if len(lines) != count + 1 or lines.pop():
        raise InputError(f"the {name} of the certificate are not {count} lines")
    if width is None:
        return
    if any(len(line) != width - 1 for line in lines):
        raise InputError(f"a record of the {name} is not {width - 1} characters long")
    for number, (first, second) in enumerate(pairwise(lines), 2):
        if first >= second:
            raise InputError(f"record {number} of the {name} does not follow in order on the one before it")
