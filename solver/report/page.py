"""The report of runs as one page of HTML that loads nothing."""

from collections.abc import Sequence

from markupsafe import Markup, escape

from solver.report.sample import Sample, labels
from solver.report.sections import Plot, sections_of
from solver.report.templates import render
from solver.version import __version__


def report_page(samples: Sequence[Sample]) -> str:
    """The page of some runs, each with at least one row; the same samples make the same page, to the letter."""
    series = dict(zip(labels(samples), samples, strict=True))
    return render(
        "report.html", series=series, sections=list(sections_of(series)), picture=_picture, version=__version__
    )


def _picture(plot: Plot, name: str) -> Markup:
    """A plot as one picture, named by its caption on the page and described by itself."""
    about = f'role="img" aria-labelledby="{name}-title" aria-describedby="{name}-says"'
    head, rest = plot.svg.split(">", 1)
    says = f'<desc id="{name}-says">{escape(plot.description)}</desc>'
    return Markup(f"{head} {about}>{says}{rest}")
