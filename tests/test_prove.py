"""Certificates as `citadel prove` makes them: they hold, they agree with each other, and no part can be spared."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import pytest
from boards import draw, small_rules
from command import check_both_ways, run
from naive_classes import HARD

import solver
from solver import certificates
from solver.certificates import Proof, lost_certificates, prove
from solver.checking.naive import naive_verdict
from solver.checking.samples import small_castle, small_position
from solver.errors import InputError
from solver.position import Position
from solver.referee import Certificate, certificate_bytes, check_certificate, read_certificate
from solver.referee.certificate import SECTIONS
from solver.referee.classes import ClassGame
from solver.referee.relaxed import RelaxedGame
from solver.referee.table import Board
from solver.rules import Rules, rules_of
from solver.solving import Verdict

MEMORY = 64 << 20

REAL = (
    ("streets-and-alleys", "ms:1", "skeleton"),
    ("penelopes-web", "ms:4", "skeleton"),
    ("streets-and-alleys", "ms:5", "rung"),
    ("streets-and-alleys", "ms:52", "rung"),
    ("penelopes-web", "ms:10", "rung"),
    ("penelopes-web", "ms:12", "rung"),
    ("penelopes-web", "ms:314", "class"),
)
"""Deals, and the kind of their smallest certificates."""


def proved(deal: str, variant: str, **options: bool) -> Proof:
    """The proof of a deal."""
    return prove(solver.deal(deal, variant), variant, deal=solver.DealId(*_named(deal)), max_memory=MEMORY, **options)


def _named(deal: str) -> tuple[str, int]:
    scheme, number = deal.split(":")
    return scheme, int(number)


def holds(certificate: Certificate) -> bool:
    """Whether the referee accepts the certificate's file."""
    try:
        return check_certificate(certificate_bytes(certificate)).holds
    except InputError:
        return False


@cache
def real() -> tuple[Certificate, ...]:
    """Real certificates of lost deals, of every kind."""
    found = [proved(deal, variant, check=False).certificate for variant, deal, _ in REAL]
    return tuple(certificate for certificate in found if certificate is not None)


SEEDS = (*range(60), *HARD)
"""Of small positions, many of them lost only where arranging matters."""


@cache
def small_losses() -> tuple[Certificate, ...]:
    """All certificates with theory in them of small positions that the search calls lost."""
    found: list[Certificate] = []
    for position, rules in map(small_castle, map(Random, SEEDS)):
        if solver.solve(position, rules, max_memory=MEMORY).verdict is Verdict.LOST:
            found += lost_certificates(position, rules, max_memory=MEMORY)
    return tuple(found)


# What is written


@pytest.mark.parametrize(("variant", "deal", "kind"), REAL)
def test_real_deals(variant: str, deal: str, kind: str) -> None:
    proof = proved(deal, variant)
    assert proof.certificate is not None
    assert proof.file is not None
    assert (proof.verdict, proof.certificate.kind, proof.is_checked) == (Verdict.LOST, kind, True)
    again = read_certificate(proof.file)
    assert (str(again.deal), again.rules, again.start) == (deal, rules_of(variant), solver.deal(deal, variant))


def test_a_won_deal_is_proved_by_its_moves() -> None:
    proof = proved("ms:24", "citadel")
    assert proof.certificate is not None
    assert (proof.verdict, proof.certificate.kind, proof.is_checked) == (Verdict.WON, "won", True)
    assert len(proof.certificate.records("moves")) == len(proof.outcome.moves or ())


def test_all_kinds_agree_on_small_positions() -> None:
    """The set of all positions, with no theory in it, holds the other kinds to account, and they it."""
    lost, won = set(), 0
    for position, rules in map(small_castle, map(Random, SEEDS)):
        strict = prove(position, rules, strict=True, check=False, max_memory=MEMORY)
        assert strict.certificate is not None
        if strict.verdict is Verdict.WON:
            assert not list(lost_certificates(position, rules, max_memory=MEMORY)), (position, rules)
            won += 1
        else:
            lost.add((position, rules))
            assert len(strict.certificate.records("positions")) > 1000 or holds(strict.certificate)
    assert {(certificate.start, certificate.rules) for certificate in small_losses()} == lost
    kinds = Counter(certificate.kind for certificate in small_losses() if holds(certificate))
    assert kinds.total() == len(small_losses())
    assert won > 10
    assert min(kinds["skeleton"], kinds["rung"], kinds["class"]) > 10, kinds


def test_strict_certificates_under_all_rules() -> None:
    random, met = Random(7), Counter[str]()
    for _ in range(120):
        position, rules = small_position(random)
        verdict = naive_verdict(position, rules, 1_000)
        if verdict is None:
            continue
        proof = prove(position, rules, strict=True, max_memory=MEMORY)
        assert proof.certificate is not None
        assert (proof.verdict, proof.is_checked) == (Verdict.WON if verdict else Verdict.LOST, True)
        met[f"{proof.certificate.kind} {rules.withdrawal} {rules.auto_found}"] += 1
    assert len(met) == 8, met


def test_the_strict_set_is_all_that_can_be_reached() -> None:
    position, rules = _stuck_soon()
    proof = prove(position, rules, strict=True, max_memory=MEMORY)
    assert proof.certificate is not None
    reached, waiting = {position.arrangement()}, [position]
    while waiting:
        before = waiting.pop()
        for move in before.legal_moves(rules):
            after = before.apply(move, rules)
            if after.arrangement() not in reached:
                reached.add(after.arrangement())
                waiting.append(after)
    assert len(proof.certificate.records("positions")) == len(reached) > 10


def _stuck_soon() -> tuple[Position, Rules]:
    rules = small_rules(4)
    return draw("AH 3C 2C\nAC 3H 2H 2S\nAD 3S\nAS 3D 2D", rules, ranks=3), rules


def test_the_kernels_run_as_plain_python_too() -> None:
    check_both_ways(
        "from random import Random\n"
        "from solver import prove\n"
        "from solver.checking.samples import small_castle\n"
        f"for seed in {(*range(20), *HARD[:5])}:\n"
        "    for strict in (False, True):\n"
        "        proof = prove(*small_castle(Random(seed)), strict=strict, check=False, max_memory=1 << 26)\n"
        "        print(proof.certificate)\n",
        50,
    )


# What is refused


@pytest.mark.parametrize("number", range(len(REAL)))
def test_no_byte_of_a_real_file_may_change(number: int) -> None:
    file, random = certificate_bytes(real()[number]), Random(number)
    for _ in range(300):
        place = random.randrange(len(file))
        changed = file[:place] + bytes([file[place] ^ random.randint(1, 255)]) + file[place + 1 :]
        with pytest.raises(InputError):
            check_certificate(changed)


def test_a_position_that_is_not_the_deal_named_is_refused() -> None:
    with pytest.raises(InputError, match="the position is not the deal ms:25 of these rules"):
        prove(solver.deal("ms:24", "citadel"), "citadel", deal=solver.DealId("ms", 25))


@pytest.mark.parametrize("name", [solver.DealId("pysol", 24), "pysol:24", "24", 24])
def test_the_deal_may_be_named_as_anywhere_else(name: solver.DealId | str | int) -> None:
    proof = prove(solver.deal(24, "citadel"), "citadel", deal=name)
    assert proof.file is not None
    assert read_certificate(proof.file).deal == solver.DealId("pysol", 24)


def test_no_member_can_be_spared() -> None:
    """Every record of real certificates, and of small ones by the thousand, is needed."""
    spared = 0
    for certificate in (*real(), *small_losses()):
        for name, lines in certificate.sections.items():
            records = certificate.records(name)
            step = max(1, len(records) // 6)
            for place in range(0, len(records), step):
                fewer = b"".join(line + b"\n" for line in records[:place] + records[place + 1 :])
                rung = 0 if name == "rung-classes" and not fewer else certificate.rung
                assert len(fewer) < len(lines)
                made = replace(certificate, rung=rung, sections={**certificate.sections, name: fewer})
                assert not holds(made), (certificate, name, records[place])
                spared += 1
    assert spared > 1000


def test_no_won_or_foreign_member_can_be_added() -> None:
    random = Random(8)
    for certificate in (*real(), *small_losses()[:100]):
        cards, piles = 4 * certificate.start.ranks, certificate.rules.piles
        for name in SECTIONS[:4]:
            records = certificate.records(name)
            if records:
                won = (
                    b"." * cards if name != "skeletons" else f"{certificate.start.ranks:X}".encode() * 4 + b"0" * piles
                )
                records.insert(random.randrange(len(records) + 1), won)
                body = b"".join(line + b"\n" for line in sorted(records))
                assert not holds(replace(certificate, sections={**certificate.sections, name: body}))


def test_a_record_changed_is_refused_or_means_the_same() -> None:
    """A changed record is another position of the same class, or the certificate is refused."""
    random, refused = Random(9), 0
    for certificate in (*real(), *small_losses()):
        for _ in range(6):
            name = random.choice([name for name in certificate.sections if certificate.section(name)])
            records = certificate.records(name)
            place = random.randrange(len(records))
            record = bytearray(records[place])
            record[random.randrange(len(record))] = random.choice(records[random.randrange(len(records))])
            changed = sorted({*records[:place], *records[place + 1 :], bytes(record)})
            body = b"".join(line + b"\n" for line in changed)
            made = replace(certificate, sections={**certificate.sections, name: body})
            if holds(made):
                assert _keys(made, name) == _keys(certificate, name)
            else:
                refused += 1
    assert refused > 1000


def _keys(certificate: Certificate, name: str) -> set[bytes]:
    board = Board(certificate.start, certificate.rules)
    if name == "skeletons":
        relaxed = RelaxedGame(board)
        return {relaxed.key(relaxed.node(record)) for record in certificate.records(name)}
    classes = ClassGame(board, certificate.rung if name == "rung-classes" else 0)
    return {classes.key(classes.node(record)) for record in certificate.records(name)}


def test_the_rules_and_the_board_belong_to_the_proof() -> None:
    for certificate, other in zip(real(), real()[1:], strict=False):
        nameless = replace(certificate, deal=None)
        assert holds(nameless)
        assert not holds(replace(nameless, start=other.start))
        turned = certificate.start.piles[1:] + certificate.start.piles[:1]
        moved = replace(nameless, start=replace(certificate.start, piles=turned))
        assert holds(moved) == (not certificate.section("skeletons"))  # skeletons go by the order of the piles
        assert not holds(replace(certificate, rules=rules_of("beleaguered-castle")))


# What is not written


def test_a_search_without_a_verdict_gives_no_certificate() -> None:
    proof = prove(solver.deal("ms:13", "penelopes-web"), "penelopes-web", max_nodes=100, max_memory=MEMORY)
    assert (proof.verdict, proof.file) == (Verdict.UNKNOWN, None)
    assert proof.why_none == "the search is out of nodes, and no closed set of 100 classes was found either"


def test_a_closed_set_decides_where_the_search_does_not() -> None:
    position = solver.deal("ms:9", "penelopes-web")
    assert solver.solve(position, "penelopes-web", max_nodes=2000, max_memory=MEMORY).verdict is Verdict.UNKNOWN
    proof = prove(position, "penelopes-web", max_nodes=2000, max_memory=MEMORY)
    assert (proof.verdict, proof.is_checked, proof.outcome.why_unknown) == (Verdict.LOST, True, None)


def test_too_many_positions_for_a_strict_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificates, "MOST_POSITIONS", 10)
    position, rules = _stuck_soon()
    proof = prove(position, rules, strict=True, max_memory=MEMORY)
    assert (proof.verdict, proof.file) == (Verdict.LOST, None)
    assert proof.why_none == "the deal has more than 10 positions, too many for a strict certificate"


def test_too_many_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificates, "MOST_CLASSES", 10)  # what the search proves lost
    proof = proved("ms:5", "streets-and-alleys")
    assert (proof.verdict, proof.file) == (Verdict.LOST, None)
    assert "at most 10 classes" in str(proof.why_none)


def test_an_interrupt_ends_the_work() -> None:
    raised = np.ones(1, np.uint8)
    proof = prove(solver.deal("ms:5", "streets-and-alleys"), "streets-and-alleys", max_memory=MEMORY, abort=raised)
    assert proof.file is None


def test_a_certificate_that_the_referee_refuses_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_few(*arguments: object, **options: object) -> Iterator[Certificate]:
        for certificate in lost_certificates(*arguments, **options):  # type: ignore[arg-type]
            yield replace(certificate, sections={"skeletons": certificate.section("skeletons")[13:]})

    monkeypatch.setattr(certificates, "lost_certificates", too_few)
    with pytest.raises(certificates.RefusedCertificate, match=r"leads out of the skeletons|not among the skeletons"):
        proved("ms:1", "streets-and-alleys")


# The command


def test_the_command_writes_what_check_accepts(tmp_path: Path) -> None:
    file = tmp_path / "lost"
    result = run("prove", "ms:5", "--variant", "streets-and-alleys", "-o", str(file))
    assert result.exit_code == 1
    assert "\nlost: certificate of kind rung (" in result.stdout
    assert f"{file.stat().st_size} bytes" in result.stdout
    assert "is written, checked" in result.stderr
    check = run("check", str(file))
    assert (check.exit_code, check.stdout.splitlines()[-1]) == (0, "checked: lost")
    assert sorted(tmp_path.iterdir()) == [file]  # nothing left aside


def test_a_won_deal_and_a_board_of_standard_input(tmp_path: Path) -> None:
    board = run("deal", "ms:24").stdout
    file = tmp_path / "won"
    result = run("prove", "-", "-o", str(file), "-q", stdin=board)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "won: certificate of kind won (" in result.stdout
    assert read_certificate(file.read_bytes()).deal is None


def test_rules_that_only_the_general_engine_serves(tmp_path: Path) -> None:
    board = tmp_path / "board"
    board.write_text(run("deal", "ms:5", "--variant", "bakers-dozen").stdout)
    options = ("--variant", "streets-and-alleys", "--spaces", "none", "--withdrawal", "yes")
    result = run("prove", "ms:25", *options, "-o", str(tmp_path / "file"))
    assert result.exit_code == 1
    assert "lost: certificate of kind strict (" in result.stdout


def test_what_is_not_proved_is_not_written(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"as it was")
    result = run("prove", "ms:13", "--variant", "penelopes-web", "--max-nodes", "100", "-o", str(file))
    assert result.exit_code == 3
    assert "unknown (out of nodes), no certificate: " in result.stdout
    assert file.read_bytes() == b"as it was"


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    result = run("prove", "ms:1", "-o", str(tmp_path / "none" / "file"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "there is no folder" in result.stderr
