"""The report of runs as one page of HTML that loads nothing, or as Markdown without the plots."""

from collections.abc import Sequence

from markupsafe import Markup, escape

from solver.report.sample import Sample, labels
from solver.report.sections import Plot, Series, Table, sections_of
from solver.report.templates import render
from solver.version import __version__


def report_page(samples: Sequence[Sample]) -> str:
    """The page of some runs, each with at least one row; the same samples make the same page, to the letter."""
    series = _series(samples)
    return render(
        "report.html", series=series, sections=list(sections_of(series)), picture=_picture, version=__version__
    )


def report_markdown(samples: Sequence[Sample]) -> str:
    """What the page says, its tables for its plots."""
    series = _series(samples)
    blocks = ["# Win rates and efforts"]
    for label, sample in series.items():
        manifest = sample.manifest
        rules = f"{manifest.rules.variant}: {manifest.rules.text()}"
        blocks.append(f"* {label}: {manifest.deals}; {rules}; version {manifest.version}")
    for section in sections_of(series):
        tables = [*section.tables, *(plot.table for plot in section.plots)]
        blocks += [f"## {section.title}", *section.paragraphs, *map(_markdown, tables)]
    return "\n\n".join(blocks) + "\n"


def _markdown(table: Table) -> str:
    rows = [table.head, ["---"] * len(table.head), *table.rows]
    return "\n".join([f"**{table.caption}**\n", *(f"| {' | '.join(row)} |" for row in rows)])


def _series(samples: Sequence[Sample]) -> Series:
    return dict(zip(labels(samples), samples, strict=True))


def _picture(plot: Plot, name: str) -> Markup:
    """A plot as one picture, named by its caption on the page and described by itself."""
    about = f'role="img" aria-labelledby="{name}-title" aria-describedby="{name}-says"'
    head, rest = plot.svg.split(">", 1)
    says = f'<desc id="{name}-says">{escape(plot.description)}</desc>'
    return Markup(f"{head} {about}>{says}{rest}")
