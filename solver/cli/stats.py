"""``citadel stats`` and ``citadel compare``."""

import csv
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from solver.cli.application import Command, say
from solver.cli.options import json_option, rules_json, rules_line
from solver.errors import InputError
from solver.statistics import CONFIDENCE, QUANTILES, Tally, quantiles, win_rate, win_rate_interval
from solver.statistics import compare as compare_verdicts

if TYPE_CHECKING:
    from solver.runs.folder import RunFolder

GROUPABLE = ("skimmed", "verdict", "why_unknown", "moves", "nodes", "skeletons", "seconds")
"""The columns that rows can be grouped by: all with values that many deals share."""

IN_TENS = ("nodes", "skeletons", "seconds")
"""Columns whose values are grouped by their power of ten."""

Record = dict[str, Any]


def table_formats(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--json`` and ``--csv``; the command gets ``as_json`` and ``as_csv``."""
    command = click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated values with a head.")(command)
    decorated: Callable[..., Any] = json_option("Print a JSON object a line.")(command)
    return decorated


@click.command(cls=Command)
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path, file_okay=False))
@click.option("--by", type=click.Choice(GROUPABLE), help="A line for each value of a column.")
@table_formats
def stats(runs: tuple[Path, ...], by: str | None, as_json: bool, as_csv: bool) -> None:
    """Print the win rates and the efforts of RUNS, the folders of `citadel run`.

    The interval of a win rate is Wilson's, unknown deals counted both ways. --by nodes, skeletons or seconds takes
    values of one power of ten together.
    """
    from solver.runs.folder import RunFolder

    _check_formats(as_json, as_csv)
    folders = [RunFolder(run) for run in runs]
    records = [record for folder in folders for record in _records(folder, by)]
    if as_json:
        for record in records:
            click.echo(json.dumps(record))
    elif as_csv:
        _write_csv(records)
    else:
        for folder in folders:
            click.echo(rules_line(folder.manifest.rules))
        _write_table(records, by)


def _check_formats(as_json: bool, as_csv: bool) -> None:
    if as_json and as_csv:
        raise InputError("choose one of --json and --csv")


def missing_parts(folder: "RunFolder") -> int:
    """How many parts of a run are not there yet; if there are any, that is said."""
    chunks = folder.manifest.chunks
    missing = chunks - len(folder.finished_chunks())
    if missing:
        say(f"{folder.path} is not finished: {missing} of {chunks} parts are missing")
    return missing


def _records(folder: "RunFolder", by: str | None) -> Iterator[Record]:
    """A record for a run, or for each group of its rows, in the order of the values."""
    manifest = folder.manifest
    about = {
        "run": str(folder.path),
        **rules_json(manifest.rules),
        "scheme": manifest.deals.scheme,
        "first": str(manifest.deals.first),
        "last": str(manifest.deals.last),
        "parts_missing": missing_parts(folder),
        "node_unit": manifest.node_unit,
    }
    columns = ["verdict", "nodes", "seconds"]
    table = folder.table(list(dict.fromkeys([*columns, *([by] if by else [])])))
    rows = list(zip(*(table[name].to_pylist() for name in columns), strict=True))
    if by is None:
        if rows:
            yield {**about, **_summary(rows)}
        return
    groups: dict[tuple[bool, Any, str], list[tuple[str, int, float]]] = {}
    for value, row in zip(table[by].to_pylist(), rows, strict=True):
        groups.setdefault(_group(by, value), []).append(row)
    for key in sorted(groups):
        yield {**about, by: key[2], **_summary(groups[key])}


def _group(by: str, value: Any) -> tuple[bool, Any, str]:
    """The key of a value's group, nulls last, with the group's name behind it."""
    if value is None:
        return True, 0, "none"
    if by not in IN_TENS:
        return False, value, str(value)
    power = -6 if by == "seconds" else 0  # nothing less than a microsecond is told apart
    if value < 10**power:
        return False, power - 1, f"under {10**power:g}"
    while value >= 10 ** (power + 1):
        power += 1
    return False, power, f"{10**power:g} to {10 ** (power + 1):g}"


def _summary(rows: list[tuple[str, int, float]]) -> Record:
    verdicts, nodes, seconds = zip(*rows, strict=True)
    tally = Tally(*map(verdicts.count, ("won", "lost", "unknown")))
    rate, interval = win_rate(tally), win_rate_interval(tally)
    names = ["max" if quantile == 1 else f"p{quantile * 100:g}" for quantile in QUANTILES]
    return {
        "deals": tally.deals,
        "won": tally.won,
        "lost": tally.lost,
        "unknown": tally.unknown,
        "rate_low": rate.low,
        "rate_high": rate.high,
        "interval_low": interval.low,
        "interval_high": interval.high,
        **{f"nodes_{name}": int(value) for name, value in zip(names, quantiles(nodes), strict=True)},
        **{f"seconds_{name}": value for name, value in zip(names, quantiles(seconds), strict=True)},
    }


def _write_csv(records: list[Record]) -> None:
    """The records with a head; the switches are columns of their own."""
    flat = [{**{k: v for k, v in record.items() if k != "rules"}, **record.get("rules", {})} for record in records]
    writer = csv.DictWriter(sys.stdout, list(dict.fromkeys(name for record in flat for name in record)), restval="")
    writer.writeheader()
    writer.writerows(flat)


def _write_table(records: list[Record], by: str | None) -> None:
    head = ["run", *([by] if by else []), "deals", "won", "lost", "unknown", "win rate", f"{CONFIDENCE:.0%} interval"]
    head += ["nodes 50%", "90%", "99%", "max", "seconds 50%", "90%", "99%", "max"]
    lines = [head]
    for record in records:
        rate = f"{record['rate_low']:.2%}"
        if record["unknown"]:
            rate += f" to {record['rate_high']:.2%}"
        line = [record["run"], *([record[by]] if by else [])]
        line += [record["deals"], record["won"], record["lost"], record["unknown"], rate]
        line += [f"{record['interval_low']:.2%} to {record['interval_high']:.2%}"]
        line += [value for name, value in record.items() if name.startswith("nodes_")]
        line += [f"{value:.4g}" for name, value in record.items() if name.startswith("seconds_")]
        lines.append([str(cell) for cell in line])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for cells in lines:
        click.echo("  ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True)))


@click.command(cls=Command)
@click.argument("first", type=click.Path(path_type=Path, file_okay=False))
@click.argument("second", type=click.Path(path_type=Path, file_okay=False))
@table_formats
def compare(first: Path, second: Path, as_json: bool, as_csv: bool) -> None:
    """Compare two runs on the deals that both have, deal by deal.

    FIRST and SECOND are folders of `citadel run`. Prints the paired table, the difference of the win rates with its
    interval (Agresti and Min's), and McNemar's exact test. Unknown deals are counted both ways in the difference.
    """
    from solver.runs.folder import RunFolder

    _check_formats(as_json, as_csv)
    folders = [RunFolder(first), RunFolder(second)]
    one, two = (_verdicts(folder) for folder in folders)
    try:
        result = compare_verdicts(one, two)
    except ValueError:
        raise InputError(f"{first} and {second} have no deal in common") from None
    record = {
        "first": str(first),
        "second": str(second),
        "first_variant": folders[0].manifest.rules.variant,
        "second_variant": folders[1].manifest.rules.variant,
        "first_rules": folders[0].manifest.rules.text(),
        "second_rules": folders[1].manifest.rules.text(),
        "deals": result.deals,
        "both_won": result.both_won,
        "only_first": result.only_first,
        "only_second": result.only_second,
        "both_lost": result.both_lost,
        "undecided": result.undecided,
        "difference_low": result.difference.low,
        "difference_high": result.difference.high,
        "interval_low": result.interval.low,
        "interval_high": result.interval.high,
        "p_value": result.p_value,
    }
    if as_json:
        click.echo(json.dumps(record))
    elif as_csv:
        _write_csv([record])
    else:
        _write_comparison(record)


def _verdicts(folder: "RunFolder") -> dict[str, str]:
    table = folder.table(["deal", "verdict"])
    return dict(zip(table["deal"].to_pylist(), table["verdict"].to_pylist(), strict=True))


def _write_comparison(record: Record) -> None:
    for which in ("first", "second"):
        click.echo(f"{which:6}  {record[which]}: {record[f'{which}_variant']}: {record[f'{which}_rules']}")
    width = max(len(str(record["deals"])), len("won"))
    click.echo(f"{record['deals']} deals in both, {record['undecided']} of them unknown in one or both")
    click.echo(f"{'':14}  {'second won':>{width + 7}}  second lost")
    click.echo(f"{'first won':14}  {record['both_won']:>{width + 7}}  {record['only_first']:>11}")
    click.echo(f"{'first lost':14}  {record['only_second']:>{width + 7}}  {record['both_lost']:>11}")
    difference = f"{record['difference_low']:+.2%}"
    if record["undecided"]:
        difference += f" to {record['difference_high']:+.2%}"
    interval = f"{record['interval_low']:+.2%} to {record['interval_high']:+.2%}"
    click.echo(f"win rate, second minus first: {difference}; {CONFIDENCE:.0%} interval {interval}")
    click.echo(f"McNemar's exact test: p = {record['p_value']:.3g}")
