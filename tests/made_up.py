"""Runs whose rows are made up."""

from pathlib import Path

from solver.deals import parse_deals
from solver.rules import rules_of
from solver.runs.folder import RunFolder
from solver.runs.manifest import new_manifest
from solver.runs.parts import table_of
from solver.runs.rows import Row

WORDS = {"w": "won", "l": "lost", "u": "unknown"}


def make_run(path: Path, text: str, variant: str = "citadel", **switches: str) -> str:
    """A run of ms:1 onwards with verdicts by their first letters; deal n took 10 n nodes and n milliseconds.

    Deal n has n mod 3 cards skimmed, and a win has 80 moves.
    """
    manifest = new_manifest(
        rules_of(variant, switches), parse_deals(f"ms:1-{len(text)}"), max_nodes=1000, max_memory=1 << 20, chunk=4
    )
    folder = RunFolder.begin(path, manifest)
    rows = [
        Row(
            f"ms:{number}",
            WORDS[letter],
            10 * number,
            None,
            80 if letter == "w" else None,
            number % 3,
            number / 1000,
            "nodes" if letter == "u" else None,
            None,
        )
        for number, letter in enumerate(text, 1)
    ]
    for chunk in range(manifest.chunks):
        folder.write(chunk, table_of(rows[4 * chunk : 4 * chunk + 4]))
    return str(path)
