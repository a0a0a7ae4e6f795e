"""Certificates of lost deals: kinds, sizes, and the time that they take to make and to check.

    python benchmarks/certificates.py [--deals ms:1-500] [--max-nodes 2000000] [--most-checked 50000] [--each]

Prints a line a game: deals lost; how many of them have a certificate of each kind, and how many none; bytes of a file
and CPU seconds of making and of checking it, median and largest. Certificates of more records than ``--most-checked``
are not checked here. ``--each`` prints a line a lost deal as well.
"""

import argparse
import statistics
import time
from collections import Counter
from collections.abc import Sequence

from decided import GAMES

from solver.certificates import Proof, prove
from solver.deals import deal_position, parse_deals
from solver.referee import check_certificate
from solver.rules import VARIANTS, Rules
from solver.solving import Verdict

KINDS = ("skeleton", "rung", "class")


def main() -> None:
    """Prove and check every deal of every game and print a table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--games", nargs="+", choices=VARIANTS, default=GAMES)
    options.add_argument("--deals", default="ms:1-500")
    options.add_argument("--max-nodes", type=int, default=2_000_000)
    options.add_argument("--max-memory", type=int, default=256, help="MiB")
    options.add_argument("--most-checked", type=int, default=50_000)
    options.add_argument("--each", action="store_true")
    chosen = options.parse_args()
    print(
        "| game | lost | skeleton | rung | class | none | unknown | bytes | seconds to make | to check | not checked |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|", flush=True)
    for name in chosen.games:
        print(line_of(VARIANTS[name], chosen), flush=True)


def line_of(rules: Rules, chosen: argparse.Namespace) -> str:
    """A game's line of the table."""
    kinds: Counter[str] = Counter()
    sizes, making, checking = [], [], []
    lost = unknown = unchecked = 0
    for deal in parse_deals(chosen.deals):
        begun = time.thread_time()
        proof = prove(
            deal_position(deal, rules),
            rules,
            deal=deal,
            check=False,
            max_nodes=chosen.max_nodes,
            max_memory=chosen.max_memory << 20,
        )
        seconds = time.thread_time() - begun
        unknown += proof.verdict is Verdict.UNKNOWN
        if proof.verdict is not Verdict.LOST:
            continue
        lost += 1
        making.append(seconds)
        checked = None
        if proof.certificate is not None and proof.file is not None:
            kinds[proof.certificate.kind] += 1
            sizes.append(len(proof.file))
            if sum(proof.certificate.counts().values()) <= chosen.most_checked:
                checked = check_time(proof)
                checking.append(checked)
            else:
                unchecked += 1
        if chosen.each:
            print(each(f"{rules.variant} {deal}", proof, seconds, checked), flush=True)
    cells = [
        rules.variant,
        lost,
        *(kinds[kind] for kind in KINDS),
        lost - kinds.total(),
        unknown,
        spread(sizes, ",.0f"),
        spread(making, ".2f"),
        spread(checking, ".2f"),
        unchecked,
    ]
    return f"| {' | '.join(map(str, cells))} |"


def check_time(proof: Proof) -> float:
    """CPU seconds of checking; a certificate that is refused ends the run."""
    begun = time.thread_time()
    check = check_certificate(proof.file or b"")
    assert check.holds, (proof.certificate, check.problem)
    return time.thread_time() - begun


def each(name: str, proof: Proof, seconds: float, checked: float | None) -> str:
    """What ``--each`` prints."""
    if proof.certificate is None or proof.file is None:
        return f"{name}: {proof.why_none}; {seconds:.2f} s"
    counts = ", ".join(f"{count} {what}" for what, count in proof.certificate.counts().items() if count)
    check = "not checked" if checked is None else f"checked in {checked:.2f} s"
    rung = proof.certificate.rung
    return f"{name}: {proof.certificate.kind}, rung {rung}, {counts}, {len(proof.file)} bytes, {seconds:.2f} s, {check}"


def spread(values: Sequence[float], form: str) -> str:
    """Median and largest."""
    if not values:
        return "-"
    return f"{statistics.median(values):{form}}, {max(values):{form}}"


if __name__ == "__main__":
    main()
