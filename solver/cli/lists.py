"""``citadel winnable`` and ``citadel daily``."""

import json
from contextlib import nullcontext
from datetime import date, datetime, timedelta
from pathlib import Path

import click

from solver.cli.application import FAULT, GRACE, UNKNOWN, Command, interrupts, say
from solver.cli.options import budget, output_option, rule_set, rules_json, rules_line
from solver.cli.progress import TICK, Progress, announce_compiling
from solver.crew import Crew
from solver.deals import DealRange, parse_deals
from solver.errors import InputError
from solver.rules import Rules
from solver.shuffles import LARGEST

FORMATS = ("txt", "csv", "json")

jobs_option = click.option(
    "--jobs",
    type=click.IntRange(1, 1024),
    default=1,
    show_default=True,
    metavar="N",
    help="Deals searched at the same time, each by a thread.",
)
format_option = click.option(
    "--format", "form", type=click.Choice(FORMATS), default="txt", show_default=True, help="What to print."
)
quiet_option = click.option("-q", "--quiet", is_flag=True, help="No progress, no notes and no summary.")


@click.command(cls=Command)
@click.option(
    "--count",
    type=click.IntRange(1),
    metavar="N",
    help="How many winnable deals to list; without it, all those of a range.",
)
@click.option(
    "--from",
    "start",
    default="pysol:1",
    show_default=True,
    metavar="DEAL|RANGE",
    help="The first deal to look at, or a range to stay in.",
)
@click.option(
    "--give-up-after",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    metavar="N",
    help="With --count, stop when none of N deals in a row is proved winnable.",
)
@rule_set
@budget
@jobs_option
@format_option
@click.option("--with-effort", is_flag=True, help="Say nodes, moves and difficulty of each deal.")
@output_option("Write the list to a file.")
@quiet_option
@click.pass_context
def winnable(
    context: click.Context,
    count: int | None,
    start: str,
    give_up_after: int,
    rules: Rules,
    max_nodes: int,
    max_memory: int,
    jobs: int,
    form: str,
    with_effort: bool,
    output: Path | None,
    quiet: bool,
) -> None:
    """List deals that are proved winnable.

    Deals are searched in order until there are --count winnable ones. The head of the list names the rules, the
    range scanned and the budget; lost and unresolved deals are listed apart.

    With -o, an interrupted scan goes on when the same command is given again; FILE.scan keeps it until a list of all
    of it is written.

    The exit status is 3 if fewer were found than wanted: the deals ended, or the scan gave up because none of
    --give-up-after deals in a row was proved winnable. With -o, the same command with a larger number goes on.
    """
    import numpy as np

    from solver.files import finished_is_kept, is_special, write_whole
    from solver.lists import Scan, list_text
    from solver.runs.manifest import new_manifest

    deals = _deals_from(start, count)
    manifest = new_manifest(rules, deals, max_nodes=max_nodes, max_memory=max_memory, chunk=1)
    journal = None if output is None or is_special(output) else output.with_name(output.name + ".scan")
    scan = Scan(manifest, count, journal, None if count is None else give_up_after)
    if not quiet:
        announce_compiling(scan.engine)
    progress = Progress(None, quiet)
    abort = np.zeros(1, np.uint8)
    crew = Crew(lambda block: scan.search(block, abort), scan.blocks(), jobs)
    with interrupts() as interrupt:
        try:
            while interrupt.status is None and not scan.finished and not crew.finished:
                for found in crew.wait(TICK):
                    scan.add_found(found)
                wanted = f" of {count} wanted" if count else ""
                progress.show(scan.tally, f"{scan.found} winnable{wanted}, {len(scan.rows)} deals tried")
        finally:
            progress.end()
            abort[0] = 1
            crew.stop(GRACE / 2)
    for found in crew.leftovers():
        if not scan.add_found(found):
            break
    for problem in scan.faults:
        say(f"a fault of the engine, please report it: {problem}")
    if interrupt.status is not None and not scan.finished:
        say("interrupted" + ("; the same command goes on" if journal else ""))
        context.exit(interrupt.status)
    text = list_text(scan, form, with_effort)
    if output is None:
        click.echo(text, nl=False)
    else:
        with finished_is_kept() if journal else nullcontext():
            write_whole(output, text.encode())
    scan.end()
    if not quiet:
        say(f"{scan.scanned}: {scan.tally}")
        if scan.goes_further:
            say(f"{journal} goes further than this list, and is kept")
    if scan.gave_up:
        kept = f"; {journal} is kept" if journal else ""
        say(
            f"gave up: none of the last {scan.fruitless} deals is proved winnable; "
            f"of all {len(scan.rows)}, {scan.tally.unknown} are unknown. "
            f"A larger budget decides more, a larger --give-up-after tries more{kept}"
        )
    if scan.faults:
        context.exit(FAULT)
    context.exit(UNKNOWN if count is not None and scan.found < count else 0)


def _deals_from(start: str, count: int | None) -> DealRange:
    """The deals that may be scanned: a range, or all from a deal on."""
    deals = parse_deals(start)
    if deals.count > 1:
        return deals
    if count is None:
        raise InputError("say how many: --count N, or give a range to --from")
    return DealRange(deals.scheme, deals.first, LARGEST[deals.scheme])


@click.command(cls=Command)
@click.option(
    "--start",
    type=click.DateTime(["%Y-%m-%d"]),
    required=True,
    metavar="DATE",
    help="The first date, as 2027-01-01.",
)
@click.option("--days", type=click.IntRange(1, 100_000), default=1, show_default=True, metavar="N", help="Dates.")
@rule_set
@budget
@jobs_option
@format_option
@click.pass_context
def daily(
    context: click.Context,
    start: datetime,
    days: int,
    rules: Rules,
    max_nodes: int,
    max_memory: int,
    jobs: int,
    form: str,
) -> None:
    """Print a proved winnable deal for every date, the same for everyone.

    A date's shuffles are pysol numbers made from rules and date (docs/lists.md); its deal is the first of them that
    is proved won. The output says how many shuffles that took. No state is kept. Another budget changes only the
    deals of dates on which a search ran out of it.

    The exit status is 3 if a date has no deal: none of 1000 shuffles is proved won.
    """
    import numpy as np

    from solver.lists import FORMAT, DailyDeal, budget_json, budget_text, daily_deal
    from solver.runs.blocks import search_of
    from solver.runs.manifest import new_manifest
    from solver.runs.rows import Budget

    first = start.date()
    try:
        first + timedelta(days - 1)
    except OverflowError:
        raise InputError("the dates end with the year 9999") from None
    manifest = new_manifest(rules, DealRange("pysol", 1, 1), max_nodes=max_nodes, max_memory=max_memory)
    announce_compiling(search_of(manifest, Budget(max_nodes, max_memory)))
    abort = np.zeros(1, np.uint8)

    def work(day: date) -> DailyDeal | None:
        return daily_deal(manifest, day, abort)

    crew = Crew(work, (first + timedelta(day) for day in range(days)), jobs)
    about = {**rules_json(rules), **budget_json(manifest), "format": FORMAT}
    if form == "txt":
        click.echo(rules_line(rules))
        click.echo(f"# {budget_text(manifest)}")
    elif form == "csv":
        click.echo(",".join(["date", "deal", "shuffles", *about]))
    status = 0
    with interrupts() as interrupt:
        try:
            while interrupt.status is None and not crew.finished:
                for found in crew.wait(TICK):
                    if found is None:
                        continue
                    if found.deal is None:
                        say(f"none of {found.shuffles} shuffles of {found.date.isoformat()} is proved won")
                        status = UNKNOWN
                        continue
                    record = {"date": found.date.isoformat(), "deal": str(found.deal), "shuffles": found.shuffles}
                    if form == "json":
                        click.echo(json.dumps({**about, **record}))
                    elif form == "csv":
                        values = {**record, **about, "rules": rules.text()}  # none has a comma
                        click.echo(",".join(map(str, values.values())))
                    else:
                        click.echo(f"{record['date']} {record['deal']} shuffles={found.shuffles}")
        finally:
            abort[0] = 1
            crew.stop(GRACE / 2)
    context.exit(interrupt.status or status)
