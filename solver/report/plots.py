"""Plots as SVG, drawn by Vega-Lite: no text, scripts or fonts from elsewhere. Knows nothing of runs.

Every colour is a CSS variable or the colour of the text, so that the page's style decides how a plot looks, in the
light, in the dark and on paper. Series differ in the shapes of their marks too, or lie in rows of their own.
"""

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

import vl_convert

Record = Mapping[str, Any]
Spec = dict[str, Any]

Numbers = Mapping[str, int]
"""The labels of series, in order, and the numbers that decide their colours and shapes."""

VEGA_LITE = "5.20"
"""The language's version, which decides how plots look; vl-convert brings several."""

WIDTH = 380
"""Width of a plot in its own pixels: one fits a phone, two go side by side."""

COLOURS = 8
"""How many colours there are for series, ``--series-0`` and so on in the page's style."""

SHAPES = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "triangle-right"]
"""Fewer by one than the colours, so that colour and shape repeat together only after 56 series."""

TEXT = "currentColor"
FAINT = "var(--line)"
PLAIN = "var(--accent)"

MEASURED_FONT = "Liberation Sans"
"""The font that vl-convert brings and measures by; the page then shows its own, of about that width."""

CONFIG: Spec = {
    "aria": False,  # the page describes the plot as a whole, and the table beside it has the values
    "background": None,
    "font": MEASURED_FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": TEXT,
        "titleColor": TEXT,
        "gridColor": FAINT,
        "domainColor": FAINT,
        "tickColor": FAINT,
        "labelFontSize": 11.5,
        "titleFontSize": 11.5,
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "labelFlush": False,
        "labelSeparation": 6,
    },
    "axisY": {"domain": False, "ticks": False, "labelPadding": 8},
    "text": {"fontSize": 11.5, "baseline": "line-bottom"},
    "header": {"labelColor": TEXT, "labelFontSize": 11.5, "labelLimit": WIDTH},
    "legend": {
        "labelColor": TEXT,
        "labelFontSize": 11.5,
        "labelLimit": WIDTH,
        "symbolSize": 70,
        "title": None,
        "orient": "top",
        "columnPadding": 24,  # a reader's font may be wider than the one that was measured
        "rowPadding": 5,
    },
}

LINE = 42
LINE_HEIGHT = 14
"""Characters of a label's line, and its height."""

SPLIT = "split(datum.label, '\\n')"
"""A label as Vega-Lite wants its lines."""

SHORT_LABEL = 24
"""Labels of the legend go in two columns if they have no more characters."""


def draw_intervals(records: Sequence[Record], title: str, domain: list[float], numbers: Numbers | None = None) -> str:
    """A row a record: a point at ``low``, a bar from ``low`` to ``high``, a line from ``from`` to ``to``.

    The records' ``label`` stands above each. Without ``numbers`` all have one colour, and there is a line at 0.
    """
    labels = [_lines(record["label"]) for record in records]
    encoding = {
        "y": {"field": "label", "type": "nominal", "sort": labels, "axis": None},
        "color": {"value": PLAIN} if numbers is None else _colour(numbers, legend=False),
    }
    x = {"type": "quantitative", "scale": {"domain": domain}, "axis": {"title": title, "format": "%", "tickCount": 5}}
    above = {"expr": f"-9 - {LINE_HEIGHT} * (length({SPLIT}) - 1)"}  # the last line ends above the marks
    text = {"type": "text", "align": "left", "dy": above, "lineBreak": "\n", "lineHeight": LINE_HEIGHT}
    names: Spec = {"mark": text, "encoding": {"x": {"value": 0}, "text": {"field": "label"}, "color": {"value": TEXT}}}
    layer = [*_interval_marks("x", x), names]
    if numbers is None:
        zero: Spec = {"x": {"datum": 0}, "y": None, "color": {"value": TEXT}}
        layer.insert(0, {"data": {"values": [{}]}, "mark": "rule", "encoding": zero})
    step = 30 + LINE_HEIGHT * max(label.count("\n") + 1 for label in labels)
    return _render(records, {"height": {"step": step}, "layer": layer, "encoding": encoding})


def draw_rates(records: Sequence[Record], numbers: Numbers, x_title: str, y_title: str) -> str:
    """Rates by a whole number ``at``, a series for each label; otherwise as ``draw_intervals``."""
    encoding = {
        "x": {"field": "at", "type": "ordinal", "axis": {"title": x_title, "labelAngle": 0}},
        "xOffset": {"field": "label", "type": "nominal", "sort": list(map(_lines, numbers))},
        "color": _colour(numbers),
    }
    y = {"type": "quantitative", "scale": {"zero": False}, "axis": {"title": y_title, "format": "%", "tickCount": 6}}
    return _render(records, {"layer": _interval_marks("y", y, _shape(numbers)), "encoding": encoding})


def draw_curves(records: Sequence[Record], numbers: Numbers, x: Spec, y: Spec) -> str:
    """Points ``at``, ``share``, a series for each label, with lines through ``line``.

    ``x`` and ``y`` are axes and scales as Vega-Lite has them.
    """
    encoding = {"x": {"field": "at", "type": "quantitative", **x}, "color": _colour(numbers)}
    y = {"type": "quantitative", **y}
    points = {"type": "point", "filled": True, "size": 36, "opacity": 1}
    layer = [
        {"mark": {"type": "line", "strokeWidth": 1.5}, "encoding": {"y": {"field": "line", **y}}},
        {"mark": points, "encoding": {"y": {"field": "share", **y}, "shape": _shape(numbers)}},
    ]
    return _render(records, {"layer": layer, "encoding": encoding})


def draw_histograms(records: Sequence[Record], numbers: Numbers, title: str) -> str:
    """A row of bars for each label, each bar reaching from ``at`` to ``end`` and as high as its ``share``."""
    encoding = {
        "row": {
            "field": "label",
            "type": "nominal",
            "sort": list(map(_lines, numbers)),
            "header": {
                "title": None,
                "labelAngle": 0,
                "labelOrient": "top",
                "labelAnchor": "start",
                "labelExpr": SPLIT,
            },
            "spacing": 14,
        },
        "x": {"field": "at", "bin": "binned", "type": "quantitative", "axis": {"title": title, "grid": False}},
        "x2": {"field": "end"},
        "y": {"field": "share", "type": "quantitative", "axis": {"title": None, "format": "%", "tickCount": 2}},
        "color": _colour(numbers, legend=False),
    }
    return _render(records, {"width": WIDTH - 50, "autosize": "pad", "height": 56, "mark": "bar", "encoding": encoding})


def _interval_marks(direction: str, channel: Spec, shape: Spec | None = None) -> list[Spec]:
    """A line over the interval, a bar over the unknown, a point at what is proved, along x or y."""

    def along(start: str, end: str | None = None) -> Spec:
        encoding: Spec = {direction: {"field": start, **channel}}
        return encoding | ({f"{direction}2": {"field": end}} if end else {})

    return [
        {"mark": {"type": "rule", "strokeWidth": 1.5}, "encoding": along("from", "to")},
        {"mark": {"type": "rule", "strokeWidth": 4.5}, "encoding": along("low", "high")},
        {
            "mark": {"type": "point", "filled": True, "size": 50, "opacity": 1},
            "encoding": along("low") | ({"shape": shape} if shape else {}),
        },
    ]


def _colour(numbers: Numbers, legend: bool = True) -> Spec:
    scale = {
        "domain": list(map(_lines, numbers)),
        "range": [f"var(--series-{number % COLOURS})" for number in numbers.values()],
    }
    columns = 2 if max(map(len, numbers)) <= SHORT_LABEL else 1
    entries = {"columns": columns, "labelExpr": SPLIT}
    return {"field": "label", "type": "nominal", "scale": scale, "legend": entries if legend else None}


def _shape(numbers: Numbers) -> Spec:
    scale = {
        "domain": list(map(_lines, numbers)),
        "range": [SHAPES[number % len(SHAPES)] for number in numbers.values()],
    }
    return {"field": "label", "type": "nominal", "scale": scale}


def _lines(label: str) -> str:
    return fill(label, LINE, break_on_hyphens=False)


def _render(records: Sequence[Record], spec: Spec) -> str:
    whole: Spec = {
        "data": {"values": [{**record, "label": _lines(record["label"])} for record in records]},
        "width": WIDTH,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "config": CONFIG,
        **spec,
    }
    svg = vl_convert.vegalite_to_svg(whole, vl_version=VEGA_LITE)
    return svg.replace(f' font-family="{MEASURED_FONT}"', "")
