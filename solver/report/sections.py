"""What a report says of its runs: sections of plots, each with the tables that it was drawn from."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, count
from math import ceil, floor, log10

import numpy as np

from solver.report.plots import Record, draw_curves, draw_histograms, draw_intervals, draw_rates
from solver.report.sample import Sample, tally_of
from solver.statistics import (
    CONFIDENCE,
    QUANTILES,
    Comparison,
    Interval,
    Tally,
    compare,
    quantiles,
    waits,
    win_rate,
    win_rate_interval,
)

Series = dict[str, Sample]
"""The runs by their labels, in the order of the command line."""

MANY = 20
"""From more shuffles on, the axis gives the few more room."""

INTERVAL = f"{CONFIDENCE:.0%} interval"

RATE_HEAD = ["Deals", "Won", "Lost", "Unknown", "Win rate", INTERVAL]

FEWEST_DEALS = 30
"""A rate of fewer deals stands in the table only; its interval would fill the plot."""

PLURALS = {"class": "classes", "position": "positions"}

BIN = 5
"""Moves a bar of the histograms."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table; the first cell of a row says what the row is of, the others are figures unless they are ``words``."""

    caption: str
    head: list[str]
    rows: list[list[str]]
    words: bool = False


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot: its name, what it shows to one who cannot see it, its SVG, and the table of its points."""

    title: str
    description: str
    svg: str
    table: Table


@dataclass(frozen=True, slots=True)
class Section:
    """A section: paragraphs, tables that are always shown, and plots."""

    title: str
    paragraphs: list[str]
    tables: list[Table]
    plots: list[Plot]


def sections_of(series: Series) -> Iterator[Section]:
    """The sections that the runs have the data for."""
    yield rates_section(series)
    if any(sample.manifest.rules.skim == "yes" for sample in series.values()):
        yield skimmed_section(series)
    pairs = list(_pairs(series))
    if pairs:
        yield comparison_section(series, pairs)
    if any(sample.tally.won for sample in series.values()):
        yield shuffles_section({label: sample for label, sample in series.items() if sample.tally.won})
    yield effort_section(series)


def rates_section(series: Series) -> Section:
    """Win rates with their intervals."""
    tallies = {label: sample.tally for label, sample in series.items()}
    records = [{"label": label, **_rate_record(tally)} for label, tally in tallies.items()]
    rows = [[label, *_rate_cells(tally)] for label, tally in tallies.items()]
    plot = Plot(
        "Win rate of each game",
        "A point for each run, in a row of its own. " + _listed(f"{row[0]}: {row[5]}" for row in rows),
        draw_intervals(records, "deals won", [0, 1], _numbers(series)),
        Table("Win rate of each game", ["Run", *RATE_HEAD], rows),
    )
    return Section(
        "Win rates",
        [
            "The point is the share of deals proved won. The thick bar reaches from there to the rate if every unknown "
            f"deal is won; the thin line is the {INTERVAL} (Wilson's), from its low end with every unknown "
            "deal lost to its high end with every unknown deal won."
        ],
        [],
        [plot],
    )


def skimmed_section(series: Series) -> Section:
    """Win rates by the cards founded while dealing."""
    records: list[Record] = []
    rows = []
    skimming = {label: sample for label, sample in series.items() if sample.manifest.rules.skim == "yes"}
    for label, sample in skimming.items():
        skimmed = sample.column("skimmed")
        for at in np.unique(skimmed).tolist():
            tally = tally_of(sample.verdicts[skimmed == at])
            rows.append([f"{label}, {at}", *_rate_cells(tally)])
            if tally.deals >= FEWEST_DEALS:
                records.append({"label": label, "at": at, **_rate_record(tally)})
    title = "Win rate by cards skimmed"
    table = Table(title, ["Run, cards skimmed", *RATE_HEAD], rows)
    plot = Plot(
        title,
        "For each number of cards skimmed, a point with its interval for each run.",
        draw_rates(records, _numbers(skimming), "cards skimmed", "deals won"),
        table,
    )
    return Section(
        title,
        [
            "Skimmed cards are those founded while dealing; Aces that are founded before the deal are not counted. "
            "Points, bars and lines are as above. Counts with fewer than "
            f"{FEWEST_DEALS} deals are in the table only."
        ],
        [] if records else [table],
        [plot] if records else [],
    )


Pairs = list[tuple[str, str, Comparison]]


def _pairs(series: Series) -> Iterator[tuple[str, str, Comparison]]:
    for first, second in combinations(series, 2):
        if not series[first].verdict_of.keys().isdisjoint(series[second].verdict_of):
            yield first, second, compare(series[first].verdict_of, series[second].verdict_of)


def comparison_section(series: Series, pairs: Pairs) -> Section:
    """Runs with common deals, deal by deal."""
    records: list[Record] = []
    counts, rows, differences = [], [], []
    for first, second, result in pairs:
        label = f"{second} minus {first}"
        records.append({"label": label, **_ends_record(result.difference, result.interval)})
        ends = (_span(end, "+.2%") for end in (result.difference, result.interval))
        rows.append([label, *ends, _p_value(result.p_value)])
        paired = result.both_won, result.only_first, result.only_second, result.both_lost, result.undecided
        counts.append([f"{first}, {second}", *map(_number, (result.deals, *paired))])
        one, two = (series[name].manifest.rules for name in (first, second))
        values = one.switches(), two.switches()
        changed = [f"{name} ({values[0].get(name)}, {values[1].get(name)})" for name in one.differences(two)]
        differences.append([f"{first}, {second}", ", ".join(changed) or "none"])
    low, high = min(record["from"] for record in records), max(record["to"] for record in records)
    domain = [floor(10 * min(low, 0)) / 10, ceil(10 * max(high, 0)) / 10]
    title = "Difference of the win rates on the same deals"
    plot = Plot(
        title,
        "A point for each pair of runs, in a row of its own. " + _listed(f"{row[0]}: {row[1]}" for row in rows),
        draw_intervals(records, "difference of the shares of deals won", domain),
        Table(title, ["Second minus first", "Difference", INTERVAL, "McNemar's p"], rows),
    )
    head = ["First, second", "Deals", "Both won", "Only first won", "Only second won", "Both lost", "Either unknown"]
    return Section(
        "The same deals compared",
        [
            "Two runs are compared on the deals that both have by name, that is on the same shuffles. Where only rules "
            "of the play differ, and none of the deal, the same cards lie on the table.",
            "The point is the difference with every unknown deal counted against the second run, and the thick bar "
            "reaches to the one with every unknown deal counted for it; the thin line is the "
            f"{INTERVAL} of paired rates (Agresti and Min's). McNemar's exact test asks whether a deal that only one "
            "of the two wins is as likely to be won by either.",
        ],
        [
            Table("Deals of both runs", head, counts),
            Table("Rules in which the runs differ", ["First, second", "Switches, first and second"], differences, True),
        ],
        [plot],
    )


def shuffles_section(series: Series) -> Section:
    """How many shuffles until a deal that is proved won."""
    won = {label: sample.verdicts == "won" for label, sample in series.items()}
    found = {label: waits(won[label], sample.places) for label, sample in series.items()}
    lost = {label: 1 - float(won[label].mean()) for label in series}
    summary = [
        [
            label,
            _number(len(counts)),
            f"{counts.mean():.3f}",
            f"{1 / (1 - lost[label]):.3f}",
            _number(int(np.quantile(counts, 0.95, method="inverted_cdf"))),
            _number(next(at for at in count(1) if lost[label] ** at <= 0.05)),
            _number(int(counts.max())),
        ]
        for label, counts in found.items()
    ]
    records: list[Record] = []
    rows = []
    longest = max(int(counts.max()) for counts in found.values())
    for at in [0, *_spread(longest)]:
        row = [_number(at)]
        for label, counts in found.items():
            share, expected = float(np.mean(counts > at)), lost[label] ** at
            row += [f"{share:.3%}", f"{expected:.3%}"]
            if share:  # nothing is no point on a logarithmic axis
                records.append({"label": label, "at": at, "share": share, "line": expected})
        rows.append(row)
    title = "Starts that need more shuffles than so many"
    head = ["Run", "Starts", "Mean", "Mean, geometric", "95% need at most", "95%, geometric", "Most"]
    least = min(min(record["share"], record["line"]) for record in records)
    powers = [10.0**-power for power in range(1 + max(1, ceil(-log10(least))))]
    if longest > MANY:
        shuffles = {"axis": {"title": "shuffles", "values": [0, *_round_numbers(longest)]}, "scale": {"type": "sqrt"}}
    else:
        shuffles = {"axis": {"title": "shuffles", "values": list(range(longest + 1))}}
    plot = Plot(
        title,
        "Falling curves, one for each run: the more shuffles, the fewer starts are still without a deal proved won. "
        + _listed(f"{row[0]}: {row[2]} shuffles on average, {row[6]} at most" for row in summary),
        draw_curves(
            records,
            _numbers(series),
            shuffles,
            {
                "axis": {"title": "starts not there yet", "format": "~%", "values": powers},
                "scale": {"type": "log", "domain": [powers[-1], 1], "nice": False},
            },
        ),
        Table(title, ["Shuffles", *(name for label in series for name in (label, f"{label}, geometric"))], rows),
    )
    return Section(
        "Shuffles until a winnable deal",
        [
            "Who wants a deal that is proved won shuffles until there is one. Every deal of a run is taken as a start "
            "once, and the deals counted from it, in order, to the first that is proved won, both included; starts "
            "after which the run ends first are left out. Points are what was counted; the lines are the geometric "
            "distribution with the share of deals proved won, which holds if deals do not depend on those before."
        ],
        [Table("Shuffles until a deal proved won", head, summary)],
        [plot],
    )


def effort_section(series: Series) -> Section:
    """How much work the deals were, and how long their wins are."""
    plots = [
        _nodes_plot(unit, {label: sample for label, sample in series.items() if sample.manifest.node_unit == unit})
        for unit in dict.fromkeys(sample.manifest.node_unit for sample in series.values())
    ]
    winning = {label: sample for label, sample in series.items() if sample.tally.won}
    tables = [_effort_table(series)]
    if winning:
        plots.append(_moves_plot(winning))
        tables.append(_moves_table(winning))
    return Section(
        "Effort and solutions",
        [
            "A node is what the search opens: a class of positions, or a position, as named. Seconds are those of the "
            "searches themselves on the machines of the run. Solutions are those that the search found, not the "
            "shortest."
        ],
        tables,
        plots,
    )


def _nodes_plot(unit: str, series: Series) -> Plot:
    nodes = {label: np.sort(sample.column("nodes")[sample.verdicts != "unknown"]) for label, sample in series.items()}
    grid = _round_numbers(max(int(sample.column("nodes").max()) for sample in series.values()))
    shares = {
        label: np.searchsorted(nodes[label], grid, side="right") / sample.tally.deals
        for label, sample in series.items()
    }
    title = f"Deals decided within so many {PLURALS.get(unit, unit)}"
    records = [
        {"label": label, "at": at, "share": float(share), "line": float(share)}
        for label in series
        for at, share in zip(grid, shares[label], strict=True)
    ]
    return Plot(
        title,
        "Rising curves, one for each run: the more nodes, the more deals are proved won or lost.",
        draw_curves(
            records,
            _numbers(series),
            {
                "axis": {"title": f"{PLURALS.get(unit, unit)} opened", "format": "~s", "values": grid[::3]},
                "scale": {"type": "log", "domain": [1, grid[-1]], "nice": False},
            },
            {"axis": {"title": "deals decided", "format": "%", "tickCount": 5}, "scale": {"domain": [0, 1]}},
        ),
        Table(
            title,
            ["Nodes", *series],
            [
                [_number(at), *(f"{share:.2%}" for share in row)]
                for at, row in zip(grid, zip(*shares.values(), strict=True), strict=True)
            ],
        ),
    )


def _moves_plot(series: Series) -> Plot:
    bins = {label: np.bincount(sample.moves_of_wins() // BIN) for label, sample in series.items()}
    records: list[Record] = []
    rows = []
    shortest = min(int(sample.moves_of_wins().min()) for sample in series.values()) // BIN
    for number in range(shortest, max(map(len, bins.values()))):
        start, end = number * BIN, (number + 1) * BIN
        row = [f"{start} to {end - 1}"]
        for label, counts in bins.items():
            share = float(counts[number] / counts.sum()) if number < len(counts) else 0.0
            row.append(f"{share:.3%}")
            if share:
                records.append({"label": label, "at": start, "end": end, "share": share})
        rows.append(row)
    title = "Moves of the wins"
    return Plot(
        title,
        f"Bars for each run, in a row of its own: the share of its wins that have so many moves, {BIN} to a bar.",
        draw_histograms(records, _numbers(series), "moves"),
        Table(title, ["Moves", *series], rows),
    )


def _effort_table(series: Series) -> Table:
    names = _quantile_names()
    head = [
        "Run",
        "Node",
        *(f"Nodes, {name}" for name in names),
        *(f"Seconds, {name}" for name in names),
        "Hours in all",
    ]
    rows = []
    for label, sample in series.items():
        nodes, seconds = sample.column("nodes").astype(np.int64), sample.column("seconds").astype(np.float64)
        rows.append(
            [
                label,
                sample.manifest.node_unit,
                *(_number(int(value)) for value in quantiles(nodes)),
                *(f"{value:.3g}" for value in quantiles(seconds)),
                f"{seconds.sum() / 3600:.3g}",
            ]
        )
    return Table("Work of the searches, all verdicts", head, rows)


def _moves_table(series: Series) -> Table:
    rows = [
        [label, _number(sample.tally.won), *(_number(int(value)) for value in quantiles(sample.moves_of_wins()))]
        for label, sample in series.items()
    ]
    return Table("Moves of the wins", ["Run", "Wins", *(f"Moves, {name}" for name in _quantile_names())], rows)


def _rate_cells(tally: Tally) -> list[str]:
    return [
        *map(_number, (tally.deals, tally.won, tally.lost, tally.unknown)),
        _span(win_rate(tally)),
        _span(win_rate_interval(tally)),
    ]


def _rate_record(tally: Tally) -> Record:
    return _ends_record(win_rate(tally), win_rate_interval(tally))


def _ends_record(rate: Interval, interval: Interval) -> Record:
    return {"low": rate.low, "high": rate.high, "from": interval.low, "to": interval.high}


def _quantile_names() -> list[str]:
    return ["most" if quantile == 1 else f"{quantile:.0%}" for quantile in QUANTILES]


def _numbers(series: Series) -> dict[str, int]:
    return {label: sample.number for label, sample in series.items()}


def _number(value: int) -> str:
    return f"{value:,}"


def _span(ends: Interval, form: str = ".2%") -> str:
    low, high = (format(end, form).replace("-", "\N{MINUS SIGN}") for end in (ends.low, ends.high))
    return low if low == high else f"{low} to {high}"


def _p_value(value: float) -> str:
    return f"{value:.2g}" if value else "less than 1e-300"


def _listed(sentences: Iterable[str]) -> str:
    return "; ".join(sentences) + "."


def _spread(longest: int) -> list[int]:
    """Counts from 1 to ``longest``, the small ones all, of the large ones a few."""
    return [int(number) for number in np.unique(np.rint(np.geomspace(1, longest, 24)))]


def _round_numbers(most: int) -> list[int]:
    """1, 2, 5, 10 and so on, to the first that is not less than ``most``, at least to 2."""
    numbers = [1, 2]
    while numbers[-1] < most:
        numbers.append(numbers[-1] * (5 if str(numbers[-1])[0] == "2" else 4) // 2)
    return numbers
