"""``citadel report``."""

from pathlib import Path

import click

from solver.cli.application import Command, printable
from solver.cli.options import output_option
from solver.cli.stats import missing_parts
from solver.errors import InputError


@click.command(cls=Command)
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path, file_okay=False))
@output_option("Write the page to a file.")
@click.option(
    "--format", "form", type=click.Choice(["html", "md"]), default="html", show_default=True, help="What to write."
)
def report(runs: tuple[Path, ...], output: Path | None, form: str) -> None:
    """Write a page of HTML about RUNS, the folders of `citadel run`, or its tables as Markdown.

    It shows win rates, the effort and the solutions, each run's rules and budgets, and the deals that runs have in
    common compared. The page is one file that loads nothing; without -o it goes to standard output. Needs the extra
    `report`.
    """
    from solver.files import write_whole
    from solver.runs.folder import RunFolder

    try:
        from solver.report.page import report_markdown, report_page
        from solver.report.sample import COLUMNS, Sample
    except ImportError:
        raise InputError("citadel report wants Vega-Lite: pip install 'citadel-solver[report]'") from None
    samples = []
    for number, folder in enumerate(map(RunFolder, runs)):
        missing = missing_parts(folder)
        table = folder.table(COLUMNS)
        if not table.num_rows:
            raise InputError(f"{folder.path} has no finished part yet")
        samples.append(Sample(number, printable(folder.path.resolve().name), folder.manifest, table, missing))
    page = (report_page if form == "html" else report_markdown)(samples).encode()
    if output is None:
        click.echo(page, nl=False)
    else:
        write_whole(output, page)
