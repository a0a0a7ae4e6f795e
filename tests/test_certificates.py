"""Certificates: the file, what the checker accepts, and above all what it refuses."""

import hashlib
import lzma
import os
import re
import subprocess
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

import pytest
from boards import draw, small_rules
from closed_sets import NotLost, certificate, everything, section
from command import run
from naive_classes import Game, few_games, games, won_states

from solver.cards import SUITS
from solver.checking.naive import naive_verdict
from solver.checking.samples import small_position
from solver.deals import deal_position, parse_deal
from solver.errors import InputError
from solver.referee import Certificate, Check, certificate_bytes, check_certificate, read_certificate
from solver.referee.certificate import LARGEST_BODY, MOST_RECORDS, SECTIONS
from solver.referee.table import Board, hosts_of
from solver.rules import rules_of

LOST_KINDS = (("strict", 0), ("skeleton", 0), ("rung", 1), ("rung", 3), ("class", 0), ("class", 3))
"""Kinds of certificate that prove a loss, with a rung."""

PAIRS = draw(
    """
    Foundations: H-A C-A
    2D AS 2H
    2C AD
    2S
    """,
    small_rules(3),
    ranks=2,
)
WIN = Certificate("won", small_rules(3), PAIRS, None, 0, {"moves": b"2H 1 F\nAS 1 F\nAD 2 F\n2D 1 F\n2C 2 F\n2S 3 F\n"})
STUCK_RULES = small_rules(4, spaces="none")
STUCK = draw("AH 2C\nAC 2H\nAD 2S\nAS 2D", STUCK_RULES, ranks=2)


def checked(made: Certificate) -> Check:
    """What the checker says of a certificate's file."""
    return check_certificate(certificate_bytes(made))


def is_won(game: Game) -> bool:
    """Whether a small game can be won."""
    return game.position.arrangement() in won_states(game.graph, game.ranks)


def certificates(these: Iterator[Game]) -> Iterator[Certificate]:
    """Certificates of small lost games, of every kind that there is of each."""
    for game in these:
        if not is_won(game):
            for kind, rung in LOST_KINDS:
                try:
                    yield certificate(kind, game.position, game.rules, rung=rung)
                except NotLost:
                    continue


UNDECIDED_BY_COUNTING = (425, 546, 817, 1032, 1043, 1596, 1742, 3961, 4285, 4327, 4439)
"""Seeds of small lost games whose relaxed game is won; of the last four, some classes are lost on rung 3."""


@cache
def lost_certificates() -> tuple[Certificate, ...]:
    """The certificates that the tests share."""
    return tuple(certificates(games([*range(30), *UNDECIDED_BY_COUNTING], most=300)))


# The file


def test_the_file_is_what_the_page_says() -> None:
    data = certificate_bytes(Certificate("strict", STUCK_RULES, STUCK, None, 0, {"positions": b"!!!!!!!!\n"}))
    lines = data.split(b"\n", 21)
    assert b"\n".join(lines[:19]).decode() == "\n".join(
        [
            "citadel certificate 1",
            "kind: strict",
            "variant: small",
            "rules: piles=4 layout=castle aces=first skim=no skim-gap=skip order=rows spaces=none unit=card"
            " withdrawal=no auto-found=never",
            "deal: none",
            "ranks: 2",
            "board:",
            "AH 2C",
            "AC 2H",
            "AD 2S",
            "AS 2D",
            "---",
            "rung: 0",
            "skeletons: 0",
            "rung-classes: 0",
            "classes: 0",
            "positions: 1",
            "moves: 0",
            "body: 9",
        ]
    )
    head, digest, packed = data.partition(data[data.index(b"sha256: ") :][:73])
    assert digest == b"sha256: " + hashlib.sha256(head + packed).hexdigest().encode() + b"\n"
    assert lzma.decompress(packed) == b"!!!!!!!!\n"
    assert check_certificate(data).holds


def test_the_record_of_the_page() -> None:
    """AH and AC founded, AD on 2C, AS on 2D, 2H on AS, three bottoms."""
    assert Board(PAIRS, small_rules(3)).record(hosts_of(PAIRS)) == b"..CD!___"


def test_what_is_written_is_read() -> None:
    for made in lost_certificates():
        again = read_certificate(certificate_bytes(made))
        assert replace(again, sections={}) == replace(made, sections={})
        assert [again.section(name) for name in SECTIONS] == [made.section(name) for name in SECTIONS]


def test_a_deal_is_named_and_dealt_again() -> None:
    rules, deal = rules_of("penelopes-web"), parse_deal("ms:2")
    made = certificate("skeleton", deal_position(deal, rules), rules, deal=deal)
    assert checked(made).holds
    assert read_certificate(certificate_bytes(made)).deal == deal
    other = checked(replace(made, deal=parse_deal("ms:3")))
    assert other.problem == "the board is not the deal ms:3 of these rules"


# What holds


def test_a_win() -> None:
    result = checked(WIN)
    assert (result.holds, result.verdict, result.beliefs, result.problem) == (True, "won", "nothing", None)


def test_every_kind_of_loss_is_proved() -> None:
    kinds = Counter()
    for made in lost_certificates():
        result = checked(made)
        assert (result.problem, result.verdict) == (None, "lost"), made
        kinds[made.kind, bool(made.rung), bool(made.section("skeletons"))] += 1
    assert min(kinds["strict", False, False], kinds["skeleton", False, True], kinds["rung", True, True]) > 3, kinds
    assert min(kinds["class", False, True], kinds["class", True, True]) > 2, kinds


def test_what_one_has_to_believe_is_said() -> None:
    beliefs = {(made.kind, bool(made.rung)): checked(made).beliefs for made in lost_certificates()}
    assert beliefs["strict", False] == "nothing"
    assert "section 3" in beliefs["skeleton", False]
    assert "sections 2 and 5" in beliefs["rung", True]
    assert "section 2)" in beliefs["class", False]


def test_a_strict_certificate_needs_no_theory_under_any_rules() -> None:
    """All rule sets, withdrawals, automatic foundings and runs as well; against the exhaustive search."""
    random, lost = Random(1), Counter()
    for _ in range(200):
        position, rules = small_position(random)
        if position.uncovered is not None:
            continue  # a board that is read in has no such card
        with suppress(NotLost):
            made = everything("strict", position, rules, most=400)
            verdict = naive_verdict(position, rules, 10**6)
            assert checked(made).holds == (not verdict), (position, rules)
            lost[rules.withdrawal, rules.auto_found, rules.unit] += not verdict
    assert len(+lost) == 2 * 2 * 3, lost


def test_the_other_kinds_prove_nothing_where_cards_come_back() -> None:
    for made in lost_certificates():
        if made.kind != "strict":
            for switch in ({"unit": "sequence"}, {"withdrawal": "yes"}, {"auto-found": "uncovered"}):
                result = checked(replace(made, rules=made.rules.with_switches(switch)))
                assert result.problem == f"a certificate of kind {made.kind} proves nothing under these rules"


# What is refused


@pytest.mark.parametrize(("kind", "rung"), LOST_KINDS[:-1])
def test_no_board_that_can_be_won_is_called_lost(kind: str, rung: int) -> None:
    """Everything that is reached, but for what is won, is no closed set."""
    refused = 0
    for game in few_games():
        if len(game.graph) < 300 and is_won(game):
            made = everything(kind, game.position, game.rules, rung)
            if made.counts()[made.main_section()]:  # else safe foundings lead from the board to the win
                result = checked(made)
                assert not result.holds, game
                assert result.board
                refused += 1
    assert refused > 10


def test_a_file_with_any_byte_changed_is_damaged() -> None:
    random = Random(4)
    for made in (WIN, *lost_certificates()):
        data = certificate_bytes(made)
        for _ in range(30):
            spoilt = bytearray(data)
            spoilt[random.randrange(len(data))] ^= random.randint(1, 255)
            with pytest.raises(InputError):
                check_certificate(bytes(spoilt))


def test_a_file_with_bytes_missing_or_added_is_damaged() -> None:
    random = Random(5)
    for made in (WIN, *lost_certificates()):
        data = certificate_bytes(made)
        place, length = random.randrange(len(data)), random.randint(1, 40)
        for spoilt in (
            data[:place],
            data[:place] + data[place + length :],
            data + b"\0",
            data[:place] + b"0" + data[place:],
        ):
            if spoilt != data:
                with pytest.raises(InputError):
                    check_certificate(spoilt)


def test_a_member_dropped_is_missed() -> None:
    """Every member of the section of the start."""
    random, dropped = Random(7), 0
    for made in lost_certificates():
        name = made.main_section()
        records = made.records(name)
        for record in random.sample(records, min(40, len(records))) if len(records) > 1 else ():
            rest = section({*records} - {record})
            result = checked(replace(made, sections={**made.sections, name: rest}))
            assert not result.holds, (made, record)
            assert result.problem
            assert result.board
            dropped += 1
    assert dropped > 800


def test_a_won_position_added_is_seen() -> None:
    for made in lost_certificates():
        ranks = made.start.ranks
        for name, record in {
            "skeletons": f"{ranks}" * SUITS + "0" * made.rules.piles,
            "rung-classes": "." * SUITS * ranks,
            "classes": "." * SUITS * ranks,
            "positions": "." * SUITS * ranks,
        }.items():
            if made.section(name):
                more = section([*made.records(name), record.encode()])
                result = checked(replace(made, sections={**made.sections, name: more}))
                assert re.fullmatch(f"record [0-9]+ of the {name} is won", str(result.problem))


def altered(made: Certificate, random: Random) -> Certificate:
    """A certificate with something changed in it, sealed again as if nothing were amiss."""
    name = random.choice([name for name in SECTIONS if made.section(name)])
    records = made.records(name)
    place = random.randrange(len(records))
    match random.randrange(6):
        case 0:  # a character of a record
            record = bytearray(records[place])
            record[random.randrange(len(record))] = random.choice(b"HCDS_!.0123")
            records[place] = bytes(record)
        case 1:  # two cards of a record
            record = bytearray(records[place])
            one, other = random.randrange(len(record)), random.randrange(len(record))
            record[one], record[other] = record[other], record[one]
            records[place] = bytes(record)
        case 2:  # the rules
            return replace(made, rules=replace(made.rules, spaces=random.choice(("any", "kings", "none"))))
        case 3:  # the board: two cards change places
            piles = [[*pile] for pile in made.start.piles]
            places = [(number, height) for number, pile in enumerate(piles) for height in range(len(pile))]
            (one, low), (other, high) = random.choice(places), random.choice(places)
            piles[one][low], piles[other][high] = piles[other][high], piles[one][low]
            return replace(made, start=replace(made.start, piles=tuple(map(tuple, piles))))
        case 4:  # the board: as it may be after a move
            moves = [*made.start.legal_moves(made.rules)]
            return replace(made, start=made.start.apply(random.choice(moves), made.rules)) if moves else made
        case _:  # the rung
            return replace(made, rung=made.rung and random.randint(1, made.start.ranks))
    return replace(made, sections={**made.sections, name: section(records)})


def test_what_is_altered_is_refused_unless_it_is_still_true() -> None:
    """Thousands of certificates altered and sealed again. Those that hold are of lost boards all the same."""
    random, ends = Random(6), Counter()
    for made in lost_certificates():
        for _ in range(30):
            spoilt = altered(made, random)
            try:
                result = checked(spoilt)
            except InputError:
                ends["unreadable"] += 1
                continue
            ends[result.holds] += 1
            if result.holds:
                assert naive_verdict(spoilt.start, spoilt.rules, 10**6) is False, spoilt
    assert ends[False] > 1000, ends


def test_a_losing_board_proves_nothing_about_another() -> None:
    these = [made for made in lost_certificates() if made.start.ranks == 4]
    for made in these:
        for other in these:
            if made.rules.piles == other.rules.piles and made.start != other.start:
                with suppress(InputError):
                    assert not checked(replace(made, start=other.start)).holds, (made, other)


@pytest.mark.parametrize(
    ("moves", "problem"),
    [
        (b"2H 1 F\nAS 1 F\nAD 2 F\n2D 1 F\n2C 2 F\n", "the moves do not win"),
        (b"2H 1 F\nAS 1 F\nAD 2 F\n2D 1 F\n2S 3 F\n2S 3 F\n", "move 6, 2S 3 F, is illegal: the game"),
        (b"AS 1 F\n", "move 1, AS 1 F, is illegal: AS is not the top card of pile 1"),
        (b"", "the moves do not win"),
    ],
)
def test_moves_that_do_not_win(moves: bytes, problem: str) -> None:
    result = checked(replace(WIN, sections={"moves": moves}))
    assert str(result.problem).startswith(problem[:25])
    assert result.board


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        (b"!!!!!!!_", "2S cannot be at '_'"),
        (b"!!!!!!!H", "2S cannot be at 'H'"),
        (b"!!!!!!!?", "2S cannot be at '?'"),
        (b"!!!!!!!.", "2S is founded and AS is not"),
        (b"HH!!!!!!", "two cards lie on one"),
        (b"S!!!!!!!", "what lies under 2C has moved"),
        (b".!!!..!!", "2C is founded and AC is not"),
        (b"CH..!.!!", "2C is founded and AC is not"),
    ],
)
def test_a_record_of_no_position(record: bytes, problem: str) -> None:
    result = checked(Certificate("strict", STUCK_RULES, STUCK, None, 0, {"positions": section([record, b"!!!!!!!!"])}))
    assert str(result.problem).endswith(problem)
    assert re.match("record [12] of the positions: ", str(result.problem))


# What cannot be read


def sealed(head: str, packed: bytes) -> bytes:
    """A file with a head and a packed body, and the digest that they have."""
    digest = hashlib.sha256(head.encode() + packed).hexdigest()
    return head.encode() + f"sha256: {digest}\n".encode() + packed


def stuck(**values: object) -> str:
    """The head of a certificate of STUCK, with some of its numbers changed."""
    head = certificate_bytes(Certificate("strict", STUCK_RULES, STUCK, None, 0, {"positions": b"!!!!!!!!\n"}))
    text = head[: head.index(b"sha256")].decode()
    for name, value in values.items():
        text = re.sub(rf"(?m)^{name.replace('_', '-')}: .*$", f"{name.replace('_', '-')}: {value}", text)
    return text


ONE = lzma.compress(b"!!!!!!!!\n")


def greedy(packed: bytes) -> bytes:
    """An xz stream that asks for 4 GiB of memory: its block's head with another size of dictionary."""
    end = 12 + (packed[12] + 1) * 4
    head = bytearray(packed[12 : end - 4])
    head[head.index(b"\x21\x01") + 2] = 40
    return packed[:12] + head + zlib.crc32(head).to_bytes(4, "little") + packed[end:]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "no certificate"),
        (b"citadel certificate 2\n", "a certificate of format 2, this version reads 1"),
        (b"citadel certificate 1\n" + b"x" * 100_000, "head"),
        (sealed(stuck(kind="sure"), ONE), "no certificate is of kind 'sure'"),
        (sealed(stuck(kind="class"), ONE), "a certificate of kind class has no positions"),
        (sealed(stuck(kind="won"), ONE), "a certificate of kind won has no positions"),
        (sealed(stuck(ranks=14), ONE), "a deck has 1 to 13 ranks, not 14"),
        (sealed(stuck(ranks=0), ONE), "a deck has 1 to 13 ranks, not 0"),
        (sealed(stuck(ranks=3), ONE), "missing"),
        (sealed(stuck(ranks="02"), ONE), "head"),
        (sealed(stuck(rung=2), ONE), "rung 2 with 0 rung classes"),
        (sealed(stuck(deal="ms:0"), ONE), "ms"),
        (sealed(stuck(deal="ms:01"), ONE), "not written as the format wants it"),
        (sealed(stuck(rules="piles=4 layout=castle"), ONE), "aces"),
        (sealed(stuck(rules="piles=4 layout=cave"), ONE), "layout"),
        (sealed(stuck(rules="piles=99 layout=castle"), ONE), "rule"),
        (sealed(stuck(rules="layout=castle"), ONE), "the rules of the certificate cannot be read"),
        (sealed(stuck(positions=0), ONE), "has positions, this one has none"),
        (sealed(stuck(positions=2), ONE), "does not hold what the head counts"),
        (sealed(stuck(positions=2, body=18), ONE), "not as long as its head says"),
        (sealed(stuck(positions=MOST_RECORDS + 1, body=9 * (MOST_RECORDS + 1)), ONE), "at most"),
        (sealed(stuck(positions=999999999, body=999999999), ONE), "at most"),
        (sealed(stuck(positions="9" * 30), ONE), "head"),
        (sealed(stuck(body=LARGEST_BODY + 1), ONE), "does not hold"),
        (sealed(stuck(), ONE + b"\0"), "not as long as its head says"),
        (sealed(stuck(), ONE[:-1]), "not as long as its head says"),
        (sealed(stuck(), b""), "not as long as its head says"),
        (sealed(stuck(), ONE + ONE), "not as long as its head says"),
        (sealed(stuck(), b"no xz stream"), "cannot be unpacked"),
        (sealed(stuck(), greedy(ONE)), "cannot be unpacked"),
        (sealed(stuck(), lzma.compress(bytes(1 << 24))), "not as long as its head says"),
        (sealed(stuck(), lzma.compress(b"!!!!!!!!!")), "are not 1 lines"),
        (sealed(stuck(positions=2, body=18), lzma.compress(b"!!!!!!!!\n" * 2)), "does not follow in order"),
        (sealed(stuck(positions=2, body=18), lzma.compress(b"!!!!!!!\n!!!!!!!!!\n")), "is not 8 characters long"),
    ],
)
def test_what_is_no_certificate_is_said_in_one_line(data: bytes, problem: str) -> None:
    with pytest.raises(InputError, match=re.escape(problem)) as caught:
        check_certificate(data)
    assert "\n" not in str(caught.value)


def test_a_move_that_cannot_be_read() -> None:
    with pytest.raises(InputError, match="move 1 of the certificate"):
        checked(replace(WIN, sections={"moves": b"2H 1 X\n"}))


# The command, and what it stands on


def test_the_command_says_what_is_proved(tmp_path: Path) -> None:
    rules, deal = rules_of("penelopes-web"), parse_deal("ms:2")
    made = certificate("skeleton", deal_position(deal, rules), rules, deal=deal)
    file = tmp_path / "ms2.proof"
    file.write_bytes(certificate_bytes(made))
    result = run("check", str(file))
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == f"# penelopes-web: {rules.text()}"
    assert lines[1] == "deal: ms:2"
    assert lines[2] == f"kind: skeleton ({made.counts()['skeletons']} skeletons)"
    assert lines[3].startswith("this proof assumes, besides the rules: that the relaxed game")
    assert lines[4:] == ["checked: lost"]
    assert run("check", "-", stdin=file.read_bytes()).stdout == result.stdout


def test_the_command_refuses_with_the_first_violation_and_its_board(tmp_path: Path) -> None:
    file = tmp_path / "short.proof"
    file.write_bytes(certificate_bytes(replace(WIN, sections={"moves": b"2H 1 F\n"})))
    result = run("check", str(file))
    assert result.exit_code == 1
    assert result.stdout.splitlines()[1:] == [
        "deal: none, a board of its own",
        "kind: won (1 moves)",
        "refused: the moves do not win",
        "Foundations: H-2 C-A",
        "2D AS",
        "2C AD",
        "2S",
    ]


def test_case_23_the_command_shows_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each record that is read, and then of each that is checked, as if every one took very long."""
    monkeypatch.setattr("solver.cli.progress.PLAIN_EVERY", 0.0)
    rules, deal = rules_of("penelopes-web"), parse_deal("ms:2")
    made = certificate("skeleton", deal_position(deal, rules), rules, deal=deal)
    count = made.counts()["skeletons"]
    file = tmp_path / "ms2.proof"
    file.write_bytes(certificate_bytes(made))
    result = run("check", str(file))
    lines = [line.rsplit(" in ", 1)[0] for line in result.stderr.splitlines()]
    assert lines == [f"citadel: {n} of {count} skeletons {done}" for done in ("read", "checked") for n in range(count)]
    assert run("check", str(file), "--quiet").stderr == ""


ON_A_TERMINAL = """
from solver.cli import progress
from solver.cli.commands import citadel

progress.PATIENCE = progress.TICK = 0.0
citadel.main()
"""
"""The command line as if every moment were long."""


def test_case_23_the_command_shows_progress_on_a_terminal(tmp_path: Path) -> None:
    file = tmp_path / "two.proof"
    file.write_bytes(certificate_bytes(next(made for made in lost_certificates() if made.kind == "class")))
    ours, theirs = os.openpty()
    command = [sys.executable, "-c", ON_A_TERMINAL, "check", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, text=True) as process:
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # the other side is closed
            while read := os.read(ours, 4096):
                shown += read
        assert process.wait() == 0
    os.close(ours)
    assert b"classes checked" in shown


@pytest.mark.parametrize("name", ["none", "."])
def test_the_command_cannot_read(name: str, tmp_path: Path) -> None:
    result = run("check", str(tmp_path / name))
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)


def test_the_command_says_in_one_line_that_a_file_is_damaged(tmp_path: Path) -> None:
    file = tmp_path / "spoilt"
    file.write_bytes(certificate_bytes(WIN)[:-1])
    result = run("check", str(file))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"citadel: {file}: the certificate is damaged: its SHA-256 does not match\n"


def test_checking_loads_neither_numpy_nor_the_search() -> None:
    """A check by the library needs the referee alone, from its first byte to its verdict."""
    code = """if True:
        import sys
        from solver import check_certificate
        result = check_certificate(sys.stdin.buffer.read())
        print(result.holds, result.verdict, *sorted(sys.modules))
    """
    made = next(made for made in lost_certificates() if made.kind == "class" and made.rung)
    data = certificate_bytes(made)
    done = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=True)
    holds, verdict, *modules = done.stdout.decode().split()
    assert (holds, verdict) == ("True", "lost")
    assert "solver.referee.check" in modules
    assert not [name for name in modules if name.split(".")[0] in ("numba", "numpy", "llvmlite")]
    assert not [name for name in modules if name.startswith(("solver.engine", "solver.solving"))]
