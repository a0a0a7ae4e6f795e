"""``citadel run`` and ``citadel merge``."""

import re
import time
from pathlib import Path
from typing import Any, Protocol

import click

from solver.cli.application import FAULT, GRACE, Command, interrupts, say
from solver.cli.options import budget, engine_option, rule_set
from solver.cli.progress import TICK, Progress, announce_compiling
from solver.deals import parse_deals
from solver.errors import InputError
from solver.rules import CHOICES, Rules
from solver.solving import ENGINE_NAMES
from solver.statistics import Tally, win_rate


class Shard(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.4
    """A share of a run, ``3/8``."""

    name = "i/n"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """The share and the number of shares; pairs pass through."""
        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", value, re.ASCII)
        if match is None or not 1 <= int(match[1]) <= int(match[2]):
            self.fail(f"{value!r} is not a share; write 1/8, 2/8 ... 8/8", param, ctx)
        return int(match[1]), int(match[2])


class Searching(Protocol):
    """Whatever does the work of a run, on this machine or on others."""

    @property
    def finished(self) -> bool: ...

    def step(self, seconds: float) -> None: ...

    def stop(self, grace: float) -> None: ...


@click.command(cls=Command)
@click.option(
    "--deals",
    metavar="RANGE",
    help="The deals: 1-1000, or with a scheme, pysol:1000000-1099999; a run that is resumed knows them.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="DIR",
    help="The run's folder: created, or resumed if it exists.",
)
@rule_set
@budget
@engine_option
@click.option(
    "--jobs",
    type=click.IntRange(1, 1024),
    default=1,
    show_default=True,
    metavar="N",
    help="Deals searched at the same time, each by a thread.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Search on the workers of a Dask scheduler, tcp://HOST:8786, instead of by --jobs.",
)
@click.option("--solutions", is_flag=True, help="Keep the winning moves.")
@click.option(
    "--chunk",
    type=click.IntRange(1),
    metavar="N",
    help="Deals a part; without it, a 200th of the run, at least 100 and at most 1000.",
)
@click.option(
    "--shard", type=Shard(), default=(1, 1), metavar="I/N", help="Search the I-th of N shares only, I from 1."
)
@click.option(
    "--retry-unknown",
    "retry",
    is_flag=True,
    help="Search the run's unknown deals again, with the budgets that are given now.",
)
@click.option("-q", "--quiet", is_flag=True, help="No progress, no notes and no summary.")
@click.pass_context
def run(
    context: click.Context,
    deals: str | None,
    out: Path,
    rules: Rules,
    max_nodes: int,
    max_memory: int,
    engine: str,
    jobs: int,
    scheduler: str | None,
    solutions: bool,
    chunk: int | None,
    shard: tuple[int, int],
    retry: bool,
    quiet: bool,
) -> None:
    """Search a range of deals into a folder.

    The folder gets a manifest and Parquet parts (docs/runs.md), each whole or absent. After Ctrl-C, or worse, the
    same command goes on where it was, and so does --out DIR alone, with what the manifest says. Another rule, budget or
    engine in the same folder is refused.

    --shard 3/8 searches a share of the deals, on one of eight machines; the shares may write into one folder, or
    into eight that `citadel merge` puts together.

    --retry-unknown needs no --deals and no rules: the folder knows them.
    """
    from solver.runs.batch import Batch, Work
    from solver.runs.blocks import search_of
    from solver.runs.folder import MANIFEST, RunFolder
    from solver.runs.manifest import new_manifest
    from solver.runs.rows import Budget

    client = None
    if scheduler is not None:  # before anything is written
        from solver.runs.cluster import connect

        client = connect(scheduler)
        context.call_on_close(client.close)
    if retry:
        folder = RunFolder(out)
        _check_same(context, folder.manifest, deals, rules, engine)
        if solutions and not folder.manifest.solutions:
            raise InputError("the run keeps no solutions, and a retry cannot begin to")
        folder.note_retry(max_nodes, max_memory)
        work = Work(folder, shard, Budget(max_nodes, max_memory))
    else:
        before = RunFolder(out).manifest if (out / MANIFEST).exists() else None
        if deals is None:
            if before is None:
                raise InputError(
                    f"name the deals, --deals pysol:1000000-1099999: there is no run in {out} to go on with"
                )
            if not _rules_given(context):
                rules = before.rules
            max_nodes = max_nodes if _is_given(context, "max_nodes") else before.max_nodes
            max_memory = max_memory if _is_given(context, "max_memory") else before.max_memory
            engine = engine if _is_given(context, "engine") else before.engine
            solutions = solutions or before.solutions
        manifest = new_manifest(
            rules,
            before.deals if deals is None and before is not None else parse_deals(str(deals)),
            max_nodes=max_nodes,
            max_memory=max_memory,
            engine=engine,
            solutions=solutions,
            chunk=before.chunk if chunk is None and before is not None else chunk,
        )
        folder = RunFolder.begin(out, manifest)
        work = Work(folder, shard)
    search: Searching
    if client is not None:
        from solver.runs.cluster import ClusterBatch

        search = ClusterBatch(work, client)
    else:
        if not quiet:
            announce_compiling(search_of(folder.manifest, work.budget))
        search = Batch(work, jobs)
    interrupt = _work_through(search, work, Progress(work.total, quiet))
    for fault in work.faults:
        say(f"a fault of the engine, please report it: {fault}")
    if interrupt is not None:
        say(f"interrupted; the same command goes on: {work.tally.deals} of {work.total} deals are done")
        context.exit(interrupt)
    if not quiet:
        say(f"{work.total} deals: {work.tally}")
    context.exit(FAULT if work.faults else 0)


def _work_through(search: Searching, work: Any, progress: Progress) -> int | None:
    """Do the work; the exit status of an interrupt, or None."""
    begun = time.monotonic()
    before = work.tally.deals
    with interrupts() as interrupt:
        try:
            while interrupt.status is None and not search.finished:
                search.step(TICK)
                rate = (work.tally.deals - before) / (time.monotonic() - begun)
                progress.show(work.tally, _note(work.tally, work.total, rate))
        finally:
            progress.end()
            search.stop(GRACE / 2)
    return interrupt.status


def _note(tally: Tally, total: int, rate: float) -> str:
    if not tally.deals or not rate:
        return "none finished yet"
    return f"{win_rate(tally).low:.1%} won so far, {rate:.1f} a second, {_time((total - tally.deals) / rate)} left"


def _time(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.0f} h"


def _is_given(context: click.Context, parameter: str) -> bool:
    """Whether a parameter is on the command line."""
    return context.get_parameter_source(parameter) is click.core.ParameterSource.COMMANDLINE


def _rules_given(context: click.Context) -> bool:
    """Whether a variant or a switch is on the command line."""
    return any(_is_given(context, name) for name in ("variant", *(switch.replace("-", "_") for switch in CHOICES)))


def _check_same(context: click.Context, manifest: Any, deals: str | None, rules: Rules, engine: str) -> None:
    """Refuse deals, rules or an engine on the command line that are not the run's; none need be given."""
    if deals is not None and parse_deals(deals) != manifest.deals:
        raise InputError(f"the run is of {manifest.deals}, not {deals}")
    if _rules_given(context) and rules != manifest.rules:
        raise InputError(f"the run is of {manifest.rules.variant} with {manifest.rules.text()}")
    if engine not in (ENGINE_NAMES[0], manifest.engine):
        raise InputError(f"the run is of the {manifest.engine} engine, not {engine}")


@click.command(cls=Command)
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="DIR",
    help="The folder for all parts.",
)
def merge(folders: tuple[Path, ...], out: Path) -> None:
    """Put the shares of a run, searched in several FOLDERS, into one.

    All must be of the same run. The exit status is 0 also when parts are still missing, which is said.
    """
    from solver.runs.folder import RunFolder
    from solver.runs.folder import merge as merge_folders

    merged = merge_folders([RunFolder(folder) for folder in folders], out)
    finished = len(merged.finished_chunks())
    say(f"{out}: {finished} of {merged.manifest.chunks} parts")
