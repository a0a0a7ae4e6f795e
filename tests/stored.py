"""What this version reads of the files that version 0.1.0 wrote, as JSON; ``test_stored`` also asks a later version."""

import csv
import json
import shutil
import sys
import tempfile
from datetime import date
from pathlib import Path
from typing import Any

from solver.deals import parse_deals
from solver.lists import Scan, daily_number
from solver.referee import certificate_bytes, read_certificate
from solver.rules import Rules, rules_of
from solver.runs.folder import RunFolder
from solver.runs.manifest import Manifest, new_manifest

STORED = Path(__file__).parent / "data" / "stored"
EIGHT = ("aces", "skim", "skim-gap", "order", "spaces", "unit", "withdrawal", "auto-found")


def eight(rules: Rules) -> dict[str, str | None]:
    """The switches of version 0.1.0."""
    return {switch: rules.switches()[switch] for switch in EIGHT}


def rules_of_line(variant: str, text: str) -> Rules:
    """The rule set of a variant with the switches of a line."""
    return rules_of(variant, dict(word.split("=", 1) for word in text.split()))


def manifest_of_scan() -> Manifest:
    """The scan that ``left.scan`` is of."""
    return new_manifest(rules_of("citadel"), parse_deals("ms:1-40"), max_nodes=5000, max_memory=64 << 20, chunk=1)


def read_all() -> dict[str, Any]:
    """Everything that is stored, read; daily numbers made anew."""
    found: dict[str, Any] = {}
    for path in sorted(STORED.glob("*.cert")):
        data = path.read_bytes()
        certificate = read_certificate(data)
        head = certificate_bytes(certificate).partition(b"sha256: ")[0]
        assert data.startswith(head)
        found[path.name] = [certificate.kind, eight(certificate.rules), certificate.counts()]
    for path in (STORED / "run", STORED / "run-thirteen-piles"):
        run = RunFolder(path)
        found[path.name] = [eight(run.manifest.rules), str(run.tally()), run.table().to_pylist()]
        assert json.loads(run.manifest.text()) == json.loads((path / "manifest.json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(shutil.copy(STORED / "left.scan", folder))
        found["left.scan"] = Scan(manifest_of_scan(), 20, journal).rows
    with (STORED / "daily-numbers.tsv").open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    found["daily"] = [
        daily_number(rules_of_line(row["variant"], row["rules"]), date.fromisoformat(row["date"]), int(row["shuffle"]))
        for row in rows
    ]
    return json.loads(json.dumps(found))  # type: ignore[no-any-return]


def write_with(switch: str, value: str, folder: Path) -> None:
    """What a version with one more switch writes where its value is not the default."""
    certificate = read_certificate((STORED / "won.cert").read_bytes())
    object.__setattr__(certificate, "rules", certificate.rules.with_switches({switch: value}))
    written = certificate_bytes(certificate)
    assert read_certificate(written) == certificate
    (folder / "new.cert").write_bytes(written)
    rules = rules_of("citadel", {switch: value})
    manifest = new_manifest(rules, parse_deals("ms:1-40"), max_nodes=5000, max_memory=64 << 20, chunk=1)
    run = RunFolder.begin(folder / "run", manifest)
    assert run.manifest.rules == rules
    print(json.dumps([run.manifest.rules.switches()[switch], daily_number(rules, date(2027, 1, 1), 1)]))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        write_with(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
    else:
        print(json.dumps(read_all()))
