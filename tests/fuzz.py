"""Spoilt input for everything that the command line reads: ``python tests/fuzz.py [--count N] [--seed S] [KIND ...]``.

Each kind of input is a sound one with bytes, or values, dropped, doubled, changed, swapped or put in. Whatever comes of
it, a command may answer with verdicts, or with status 2 and a line on standard error that says what is wrong: no
traceback, no fault, nothing on standard output beside the verdicts, no hang, and no more memory than usual.
"""

import argparse
import json
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from boards import FIXTURES
from click.testing import Result
from closed_sets import certificate, section
from command import run

from solver.deals import parse_deals
from solver.notation import move_text
from solver.referee import Certificate, certificate_bytes
from solver.referee.certificate import SECTIONS
from solver.rules import CHOICES, DEAL_SWITCHES, VARIANTS, rules_of
from solver.runs import Batch, RunFolder, Work, new_manifest
from solver.solving import deal, solve

PATIENCE = 60
"""Seconds after which a command hangs; each takes some milliseconds."""

SPLICES = [b"\n", b"\r", b"\t", b" ", b":", b"#", b"---\n", b"10", b"Foundations:", b"H-3", b"5S", b"KD 2 7\n", b"1H"]
SPLICES += [b"\x00", b"\xff", b"\x0b", b"\x1b[2J", b"\x1c", b"\xc2\x85", b"\xed\xa0\x80", b"\xe2\x80\xa8"]
SPLICES += [
    b"\xef\xbb\xbf",
    b"\xe2\x99\xa5",
    b"-",
    b"ms:",
    b"9" * 25,
    b"0",
    b"1e400",
    b'"',
    b"[",
    b"{",
    b"null",
    b"NaN",
]
"""What is put in: the words of our texts, and what texts of other programs have in their place."""

ODD_VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1,
    2,
    10**30,
    1.5,
    float("inf"),
    float("nan"),
    "",
    "x",
    "1",
    "ms",
    "9" * 30,
]
ODD_VALUES += ["\x1b[2J\n", "kings", "citadel", "won", [], {}, [1], {"a": 1}, [[[[]]]], "x" * 1000]
"""What takes the place of a value in JSON."""


def spoilt(random: Random, data: bytes) -> bytes:
    """Some bytes dropped, doubled, changed, swapped or put in."""
    for _ in range(random.choice((1, 1, 2, 5, 30))):
        at = random.randrange(len(data) + 1)
        end = at + random.choice((0, 1, 2, 5, 40))
        match random.randrange(5):
            case 0:
                data = data[:at] + data[end:]
            case 1:
                data = data[:at] + data[at:end] * 2 + data[end:]
            case 2:
                data = data[:at] + random.randbytes(end - at) + data[end:]
            case 3:
                data = data[:at] + random.choice(SPLICES) + data[end:]
            case 4:
                data = data[end:] + data[at:end] + data[:at]
    return data


def spoilt_value(random: Random, value: Any) -> Any:
    """A JSON value with some value in it changed, taken out, or put in."""
    if isinstance(value, dict | list) and value and random.random() < 0.9:
        place = random.choice(list(value) if isinstance(value, dict) else range(len(value)))
        value = value.copy()
        match random.randrange(6):
            case 0:
                del value[place]
            case 1 if isinstance(value, dict):
                value[random.choice(["x", "", *value])] = random.choice(ODD_VALUES)
            case 1:
                value.insert(place, random.choice(ODD_VALUES))
            case _:
                value[place] = spoilt_value(random, value[place])
        return value
    return random.choice(ODD_VALUES)


def spoilt_json(random: Random, text: str) -> bytes:
    """JSON with values or bytes changed."""
    if random.random() < 0.3:
        return spoilt(random, text.encode())
    value = json.loads(text)
    for _ in range(random.choice((1, 1, 2, 4))):
        value = spoilt_value(random, value)
    return json.dumps(value).encode()


def spoilt_word(random: Random, word: str) -> str:
    """A word of a command line with bytes changed, as Python decodes it; it cannot hold a zero byte."""
    return spoilt(random, word.encode()).replace(b"\x00", b"").decode("utf-8", "surrogateescape")


@dataclass(frozen=True)
class Trial:
    """A command and what it reads; ``inputs`` is how many inputs may each be complained about in a line."""

    arguments: list[str]
    stdin: bytes = b""
    inputs: int = 1


Trials = Callable[[Random, Path], Trial]
"""Makes a trial; may write files into the folder."""


def rules_options(random: Random) -> list[str]:
    """Options that name a rule set."""
    rules = VARIANTS[random.choice(list(VARIANTS))]
    options = ["--variant", rules.variant]
    for switch, choices in CHOICES.items():
        if random.random() < 0.2 and (rules.layout == "castle" or switch not in DEAL_SWITCHES):
            options += [f"--{switch}", random.choice(choices)]
    return options


CHEAP = ["--max-nodes", "50", "--memory", "4M"]


@cache
def boards() -> list[bytes]:
    """Sound boards."""
    return [path.read_bytes() for path in FIXTURES]


@cache
def winning_moves() -> bytes:
    """A win of ms:24."""
    return "\n".join(map(move_text, solve(deal("ms:24", "citadel"), "citadel").moves or ())).encode()


def board_or_spoilt(random: Random) -> bytes:
    """A board, most often spoilt: the rules that read it are seldom its own, and refuse many a sound one."""
    board = random.choice(boards())
    return board if random.random() < 0.3 else spoilt(random, board)


def many_boards(random: Random, _: Path) -> Trial:
    """A stream of boards to solve."""
    count = random.randint(1, 20)
    stream = b"\n---\n".join(board_or_spoilt(random) for _ in range(count))
    options = [*CHEAP, *rules_options(random), *random.choice(([], ["--transpose"], ["--engine", "general"]))]
    return Trial(["solve", "-", "--json", "-q", *options], stream, stream.count(b"---") + 1)


def one_board(random: Random, folder: Path) -> Trial:
    """A board to analyse, or to replay moves on."""
    board = board_or_spoilt(random)
    if random.random() < 0.5:
        return Trial(["analyze", "-", *CHEAP, *rules_options(random)], board)
    (folder / "moves").write_bytes(winning_moves())
    return Trial(["verify", "-", str(folder / "moves"), *rules_options(random)], board)


def moves(random: Random, _: Path) -> Trial:
    """Moves to replay."""
    return Trial(["verify", "ms:24", "-"], spoilt(random, winning_moves()))


def words(random: Random, folder: Path) -> Trial:
    """A deal, or an option's value."""
    deals = ["ms:24", "24", "pysol:1-1000", "pysol:99999999999999999999", "MS:00024", "ms:8589934591", "1-2"]
    token = spoilt_word(random, random.choice(deals))
    go_on = ["run", "--out", str(finished_run(folder)), "-q", *RUN_BUDGET]
    (folder / "moves").write_bytes(b"5S 3 F\n")
    options = {
        "--memory": ["512M", "2GiB", "1.5G"],
        "--max-nodes": ["1000"],
        "--engine": ["quota"],
        "--variant": list(VARIANTS),
        "--spaces": ["any"],
    }
    option = random.choice(list(options))
    value = spoilt_word(random, random.choice(options[option]))
    days = ["daily", "--days", "1", "--max-nodes", "1", "--variant", "nonsense"]  # refused whatever the date
    return random.choice(
        [
            Trial(["verify", token, str(folder / "moves")]),
            Trial([*go_on, "--deals", token]),
            Trial([*go_on, "--deals", "ms:1-4", f"{option}={value}"]),
            Trial([*go_on, "--deals", "ms:1-4", f"--shard={spoilt_word(random, '1/2')}"]),
            Trial(["solve", "ms:24", "-q", *CHEAP, f"{option}={value}"]),
            Trial(["selfcheck", "--minutes", "0", f"--seed={spoilt_word(random, '12345')}"]),
            Trial([*days, f"--start={spoilt_word(random, '2027-01-01')}"]),
        ]
    )


RUN_BUDGET = ["--max-nodes", "100", "--memory", "4M", "--chunk", "2"]


def finished_run(folder: Path) -> Path:
    """A finished run of four deals."""
    path = folder / "finished"
    if not path.exists():
        manifest = new_manifest(
            rules_of("citadel"), parse_deals("ms:1-4"), max_nodes=100, max_memory=4 << 20, chunk=2
        ).with_retry(200, 4 << 20)
        batch = Batch(Work(RunFolder.begin(path, manifest)), 1)
        while not batch.finished:
            batch.step(60)
        batch.stop(60)
    return path


def manifests(random: Random, folder: Path) -> Trial:
    """The manifest of a run."""
    copy = copied_run(folder)
    (copy / "manifest.json").write_bytes(spoilt_json(random, (copy / "manifest.json").read_text()))
    return Trial(random.choice(on_runs(copy, finished_run(folder))))


def parts(random: Random, folder: Path) -> Trial:
    """A part of a run."""
    copy = copied_run(folder)
    part = copy / "part-000001.parquet"
    part.write_bytes(spoilt(random, part.read_bytes()))
    return Trial(random.choice(on_runs(copy, finished_run(folder))))


def copied_run(folder: Path) -> Path:
    """A fresh copy of the finished run."""
    copy = folder / "run"
    copy.mkdir(exist_ok=True)
    for file in finished_run(folder).iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    return copy


def on_runs(one: Path, other: Path) -> list[list[str]]:
    """Commands that read the folders of runs, and search next to nothing."""
    return [
        ["stats", str(one)],
        ["stats", str(one), "--by", "skimmed", "--json"],
        ["compare", str(other), str(one)],
        ["merge", str(one), "--out", str(one)],
        ["run", "--deals", "ms:1-4", "--out", str(one), "-q", *RUN_BUDGET],
        ["run", "--out", str(one), "--retry-unknown", "-q", *RUN_BUDGET],
    ]


def journals(random: Random, folder: Path) -> Trial:
    """What an interrupted scan has left."""
    command = ["winnable", "--from", "ms:1-4", "-o", str(folder / "list"), "-q", *CHEAP]
    kept = folder / "kept"
    if not kept.exists():
        manifest = new_manifest(rules_of("citadel"), parse_deals("ms:1-4"), max_nodes=50, max_memory=4 << 20, chunk=1)
        rows = RunFolder(finished_run(folder)).rows(0)
        lines = [json.loads(manifest.text()), *(list(row) for row in rows)]
        kept.write_text("".join(json.dumps(line) + "\n" for line in lines))
    lines_kept = kept.read_text().splitlines()
    number = random.randrange(len(lines_kept))
    spoilt_lines = [spoilt_json(random, line) if at == number else line.encode() for at, line in enumerate(lines_kept)]
    (folder / "list.scan").write_bytes(b"\n".join(spoilt_lines) + b"\n" * random.randint(0, 1))
    return Trial(command)


@cache
def proofs() -> list[Certificate]:
    """Sound certificates: a win, and deals lost in the relaxed game and on a rung."""
    deals = [("penelopes-web", "ms:2", "skeleton", 0), ("streets-and-alleys", "ms:77", "rung", 10)]
    lost = [certificate(kind, deal(name, game), rules_of(game), rung=rung) for game, name, kind, rung in deals]
    win = Certificate("won", rules_of("citadel"), deal("ms:24", "citadel"), None, 0, {"moves": winning_moves() + b"\n"})
    return [win, *lost]


def certificates(random: Random, _: Path) -> Trial:
    """A certificate, spoilt as it is, or in its head or its body and then sealed again."""
    sound = random.choice(proofs())
    if random.random() < 0.5:
        name = random.choice([name for name in SECTIONS if sound.section(name)])
        records = sound.records(name)
        place = random.randrange(len(records))
        odd = random.choice((0.02, 0.2))
        records[place] = bytes(
            random.choice(b"HCDS_!.0123\xff") if random.random() < odd else c for c in records[place]
        )
        sound = replace(sound, sections={**sound.sections, name: section(records)})
    data = certificate_bytes(sound)
    if random.random() < 0.3:
        return Trial(["check", "-"], data)
    if random.random() < 0.5:
        head, _, packed = data.partition(b"sha256: ")
        head, packed = spoilt(random, head), packed[65:]
        return Trial(["check", "-"], head + b"sha256: " + sha256(head + packed).hexdigest().encode() + b"\n" + packed)
    return Trial(["check", "-"], spoilt(random, data))


KINDS: dict[str, Trials] = {
    "boards": many_boards,
    "board": one_board,
    "moves": moves,
    "words": words,
    "manifests": manifests,
    "parts": parts,
    "journals": journals,
    "certificates": certificates,
}


def problem_of(trial: Trial, status: int, output: str, errors: str) -> str | None:
    """What is wrong with how a command ended; None if nothing is."""
    complaints = errors.splitlines()
    if status not in (0, 1, 2, 3):
        return f"status {status}"
    if any(not line.startswith("citadel: ") or not line.isprintable() for line in complaints):
        return "a message that is no line of ours"
    if len(complaints) > trial.inputs or (status == 2 and not complaints):
        return f"{len(complaints)} complaints with status {status}"
    if status == 2 and trial.inputs == 1 and output and trial.arguments[0] != "solve":
        return "an answer beside a complaint"
    if "--json" in trial.arguments:
        records = [json.loads(line) for line in output.splitlines()]
        if any(record.get("verdict", "lost") not in ("won", "lost", "unknown") for record in records):
            return "no verdict"
    return None


def trials(kind: str, seed: int, folder: Path) -> Iterator[Trial]:
    """Trials of a kind without end; each is to be run before the next is made, as it has its files in the folder."""
    random = Random(f"{kind} {seed}")
    while True:
        yield KINDS[kind](random, folder)


@contextmanager
def alarm(seconds: int) -> Iterator[None]:
    """Raise TimeoutError if the block takes longer."""

    def ring(*_: object) -> None:
        raise TimeoutError(f"more than {seconds} s")

    usual = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, usual)


def in_process(trial: Trial) -> Result:
    """Run a trial in this process."""
    with alarm(PATIENCE):
        return run(*trial.arguments, stdin=trial.stdin)


def fuzz(kind: str, seed: int, count: int) -> "Counter[str]":
    """Try ``count`` inputs of a kind in this process; how many were answered and refused. AssertionError at a fault."""
    ends: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        for trial in trials(kind, seed, Path(name)):
            result = in_process(trial)
            problem = problem_of(trial, result.exit_code, result.stdout, result.stderr)
            assert problem is None, (problem, trial, result.stdout[-300:], result.stderr[-1000:])
            refused = len(result.stderr.splitlines()) if trial.inputs > 1 else result.exit_code == 2
            ends["refused"] += refused
            ends["answered"] += trial.inputs - refused
            if ends.total() >= count:
                return ends
    raise AssertionError


def peak_memory() -> int:
    """The largest resident size that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main() -> None:
    """Fuzz all kinds, or some."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("kinds", nargs="*", metavar="KIND", help=f"kinds of input: {', '.join(KINDS)}; all by default")
    options.add_argument("--count", type=int, default=100_000, help="inputs of all kinds together; 100000 unless given")
    options.add_argument("--seed", type=int, default=1, help="gives the same inputs again; 1 unless given")
    chosen = options.parse_args()
    kinds = chosen.kinds or list(KINDS)
    for kind in kinds:
        begun = time.perf_counter()
        ends = fuzz(kind, chosen.seed, chosen.count // len(kinds))
        print(
            f"{kind}: {ends.total()} inputs, {ends['answered']} answered and {ends['refused']} refused, "
            f"in {time.perf_counter() - begun:.0f} s; peak of the process {peak_memory() >> 20} MB",
            flush=True,
        )


if __name__ == "__main__":
    main()
