"""Draws the picture in README.md from results/summary.csv: ``python docs/pictures/rates.py`` (extra ``report``)."""

import csv
from pathlib import Path

from solver.report.plots import draw_intervals
from solver.rules import TITLES

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs/pictures/rates.svg"

STYLE = """<style>
svg { color: #1c2228; --line: #d5dbe1; --accent: #0a6650; font-family: sans-serif; }
@media (prefers-color-scheme: dark) { svg { color: #e4e8ec; --line: #39414a; --accent: #5cd0ac; } }
</style>"""
"""The colours of ``report.css``. A picture that a page loads cannot take them from the page."""


def rates_picture() -> str:
    """The win rates of the published runs, as SVG that suits light and dark pages."""
    with (ROOT / "results/summary.csv").open() as file:
        records = [
            {
                "label": f"{TITLES[row['variant']]}: {float(row['rate_low']):.1%} of {int(row['deals']):,} deals",
                "low": float(row["rate_low"]),
                "high": float(row["rate_high"]),
                "from": float(row["interval_low"]),
                "to": float(row["interval_high"]),
            }
            for row in csv.DictReader(file)
            if row["run"] == row["variant"]
        ]
    head, body = draw_intervals(sorted(records, key=lambda record: -record["low"]), "deals won", [0, 1]).split(">", 1)
    return f"{head}>{STYLE}{body}\n"


if __name__ == "__main__":
    PICTURE.write_text(rates_picture())
