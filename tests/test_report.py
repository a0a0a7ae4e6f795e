"""``citadel report``: what its page says of runs that are made up, and how the page does in a browser."""

import html
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from browser import evaluate, needs_browser, print_pdf
from command import run
from made_up import make_run

from solver.report.sample import COLUMNS, Sample, labels
from solver.rules import rules_of
from solver.runs.folder import RunFolder

CITADEL = "wwwlwwwuwwlw" * 10
EXILED_KINGS = "wwllwllulwlw" * 10
STREETS = "wwwwwwwwwwwwwwwwwwwwwlllllllllllllllllluw"


class Tables(HTMLParser):
    """The tables of a page by their captions, each a list of rows, the head the first."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: dict[str, list[list[str]]] = {}
        self._rows: list[list[str]] = []
        self._into: list[str] | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, _attributes: Any) -> None:
        if tag == "caption":
            self._into, self._rows = [""], []
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th"):
            self._rows[-1].append("")
            self._into = self._rows[-1]

    def handle_data(self, data: str) -> None:
        if self._into is not None:
            self._into[-1] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "caption" and self._into:
            self.found[self._into[0]] = self._rows
        if tag in ("caption", "td", "th"):
            self._into = None


@pytest.fixture(name="folders", scope="module")
def made_up_runs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    path = tmp_path_factory.mktemp("runs")
    return [
        make_run(path / "one", CITADEL),
        make_run(path / "two", EXILED_KINGS, "exiled-kings"),
        make_run(path / "three", STREETS, "streets-and-alleys", unit="supermove", withdrawal="yes"),
    ]


@pytest.fixture(name="file", scope="module")
def written_page(folders: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "report.html"
    result = run("report", *folders, "-o", str(file))
    assert (result.exit_code, result.output) == (0, "")
    return file


@pytest.fixture(name="tables", scope="module")
def tables_of_page(file: Path) -> dict[str, list[list[str]]]:
    return Tables(file.read_text()).found


def test_win_rates_count_unknowns_both_ways(tables: dict[str, list[list[str]]]) -> None:
    head, citadel, kings, streets = tables["Win rate of each game"]
    assert head == ["Run", "Deals", "Won", "Lost", "Unknown", "Win rate", "95% interval"]
    assert citadel[:6] == ["Citadel", "120", "90", "20", "10", "75.00% to 83.33%"]
    assert kings[:6] == ["Exiled Kings", "120", "50", "60", "10", "41.67% to 50.00%"]
    assert streets[0] == "Streets and Alleys unit=supermove withdrawal=yes"


def test_rates_by_cards_skimmed_only_where_cards_are_skimmed(tables: dict[str, list[list[str]]]) -> None:
    rows = tables["Win rate by cards skimmed"]
    assert [row[:3] for row in rows[1:]] == [
        ["Citadel, 0", "40", "40"],
        ["Citadel, 1", "40", "30"],
        ["Citadel, 2", "40", "20"],
        ["Exiled Kings, 0", "40", "10"],
        ["Exiled Kings, 1", "40", "20"],
        ["Exiled Kings, 2", "40", "20"],
    ]


def test_comparisons_of_common_deals(tables: dict[str, list[list[str]]]) -> None:
    rows = tables["Deals of both runs"]
    assert rows[1] == ["Citadel, Exiled Kings", "120", "50", "40", "0", "20", "10"]
    assert [row[:2] for row in rows[2:]] == [
        ["Citadel, Streets and Alleys unit=supermove withdrawal=yes", "41"],
        ["Exiled Kings, Streets and Alleys unit=supermove withdrawal=yes", "41"],
    ]
    difference = tables["Difference of the win rates on the same deals"][1]
    assert difference[0] == "Exiled Kings minus Citadel"
    assert difference[1] == "−41.67% to −25.00%"
    assert float(difference[3]) == pytest.approx(2 * 0.5**40, rel=0.05)
    changed = {row[0]: row[1] for row in tables["Rules in which the runs differ"]}
    assert changed["Citadel, Exiled Kings"] == "spaces (any, kings)"


def test_shuffles_until_a_win(tables: dict[str, list[list[str]]]) -> None:
    """In Exiled Kings' deals, repeated, the waits are 1 1 3 2 1 5 4 3 2 1 2 1."""
    rows = {row[0]: row[1:] for row in tables["Shuffles until a deal proved won"]}
    assert rows["Exiled Kings"] == ["120", "2.167", "2.400", "5", "6", "5"]
    assert rows["Streets and Alleys unit=supermove withdrawal=yes"][5] == "20"
    shares = [row[:3] for row in tables["Starts that need more shuffles than so many"]]
    assert shares[:3] == [
        ["Shuffles", "Citadel", "Citadel, geometric"],
        ["0", "100.000%", "100.000%"],
        ["1", "25.000%", "25.000%"],
    ]


def test_efforts_and_solutions(tables: dict[str, list[list[str]]]) -> None:
    decided = {row[0]: row[1] for row in tables["Deals decided within so many classes"]}
    assert decided["50"] == f"{5 / 120:.2%}"
    assert decided["1,000"] == f"{92 / 120:.2%}"
    assert tables["Moves of the wins"][1:] == [["80 to 84", "100.000%", "100.000%", "100.000%"]]
    citadel = tables["Work of the searches, all verdicts"][1]
    assert citadel[:6] == ["Citadel", "class", "600", "1,080", "1,190", "1,200"]


def test_case_21_the_page_says_what_was_searched(file: Path) -> None:
    page = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", file.read_text())).split())
    for rules in (rules_of("citadel"), rules_of("streets-and-alleys", {"unit": "supermove", "withdrawal": "yes"})):
        assert f"{rules.variant}: {rules.text()}" in page
        for sentence in rules.describe().splitlines():
            assert sentence in page
    for said in (
        "ms:1-120",
        "90 won, 20 lost, 10 unknown",
        "nodes: 10",
        "1,000 nodes, 1.0 MiB",
        "Version 0",
        "Begun 2",
    ):
        assert said in page


def test_the_same_runs_make_the_same_page(folders: list[str], file: Path) -> None:
    assert run("report", *folders).stdout_bytes == file.read_bytes()


def test_the_page_names_nothing_elsewhere(file: Path) -> None:
    page = file.read_text().replace("http://www.w3.org/", "")
    assert "://" not in page
    assert not re.findall(r"<script|@import|url\(", page)
    assert all(target.startswith(("#", "data:")) for target in re.findall(r'(?:href|src)="([^"]*)', page))


def test_markdown_has_every_table_of_the_page(
    folders: list[str], tables: dict[str, list[list[str]]], tmp_path: Path
) -> None:
    file = tmp_path / "report.md"
    assert run("report", *folders, "--format", "md", "-o", str(file)).exit_code == 0
    text = file.read_text()
    for folder in folders:
        assert RunFolder(Path(folder)).manifest.rules.text() in text
    found = re.findall(r"\*\*(.+)\*\*\n\n((?:\| .*\n)+)", text)
    last = dict(found)  # of two with one caption, as in ``tables``
    assert last.keys() == tables.keys()
    for caption, lines in last.items():
        head, _rule, *rows = (line.strip("| ").split(" | ") for line in lines.splitlines())
        assert [head, *rows] == tables[caption]


def test_sections_without_data_are_left_out(tmp_path: Path) -> None:
    page = run("report", make_run(tmp_path / "run", "lul", "beleaguered-castle")).stdout
    titles = re.findall("<h2.*?>(.*?)</h2>", page)
    assert titles == ["Win rates", "Effort and solutions", "The runs"]


def test_rates_of_few_deals_are_in_no_plot(tmp_path: Path) -> None:
    page = run("report", make_run(tmp_path / "run", "wlw")).stdout
    assert [row[:3] for row in Tables(page).found["Win rate by cards skimmed"][1:]] == [
        ["Citadel, 0", "1", "1"],
        ["Citadel, 1", "1", "1"],
        ["Citadel, 2", "1", "0"],
    ]
    assert page.count("<figcaption>") == 4


def test_one_deal_that_is_won(tmp_path: Path) -> None:
    found = Tables(run("report", make_run(tmp_path / "run", "w")).stdout).found
    assert found["Shuffles until a deal proved won"][1][1:] == ["1", "1.000", "1.000", "1", "1", "1"]


def test_an_unfinished_run_is_said(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", "wwwlwlww")
    RunFolder(Path(folder)).part(0).unlink()
    result = run("report", folder)
    assert "is not finished: 1 of 2 parts are missing" in result.stderr
    assert "unfinished: 1 of 2 parts are missing" in result.stdout


def test_a_folder_s_name_obeys_no_terminal(tmp_path: Path) -> None:
    folders = [make_run(tmp_path / "the\x1b[2J one", "w"), make_run(tmp_path / "two", "l")]
    page = run("report", *folders).stdout
    assert "\x1b" not in page
    assert "\\x1b[2J one" in page


def test_labels_tell_runs_apart(tmp_path: Path) -> None:
    folders = [
        make_run(tmp_path / "a", "w"),
        make_run(tmp_path / "b", "w", withdrawal="yes"),
        make_run(tmp_path / "c", "wl"),
        make_run(tmp_path / "d", "w", "penelopes-web"),
        make_run(tmp_path / "e", "w"),
    ]
    opened = [RunFolder(Path(folder)) for folder in folders]
    samples = [Sample(0, folder.path.name, folder.manifest, folder.table(COLUMNS), 0) for folder in opened]
    assert labels(samples) == [
        "Citadel, ms:1, run 1",
        "Citadel withdrawal=yes",
        "Citadel, ms:1-2",
        "Penelope's Web",
        "Citadel, ms:1, run 5",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing argument"),
        (["nowhere"], "nowhere is not a run"),
        (["EMPTY"], "has no finished part yet"),
        (["ONE", "-o", "nowhere/report.html"], "there is no folder nowhere"),
    ],
)
def test_bad_input_is_one_line(folders: list[str], tmp_path: Path, arguments: list[str], message: str) -> None:
    empty = make_run(tmp_path / "empty", "w")
    RunFolder(Path(empty)).part(0).unlink()
    names = {"EMPTY": empty, "ONE": folders[0]}
    result = run("report", *(names.get(argument, argument) for argument in arguments))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in result.stderr.splitlines()[-1]


def in_a_process(code: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)


def test_a_missing_extra_is_one_line(folders: list[str]) -> None:
    code = "import sys; sys.modules['vl_convert'] = None; from solver.cli import main; main()"
    done = in_a_process(code, "report", folders[0])
    assert done.returncode == 2
    assert done.stderr.splitlines() == ["citadel: citadel report wants Vega-Lite: pip install 'citadel-solver[report]'"]


def test_the_report_knows_nothing_of_the_engines() -> None:
    code = (
        "import sys, solver.report.page; print([name for name in sys.modules if name.startswith(('solver.', 'numba'))])"
    )
    loaded = in_a_process(code).stdout
    assert "solver.report.sections" in loaded
    assert "solver.engine" not in loaded
    assert "numba" not in loaded


STRUCTURE = """
    const all = (selector) => [...document.querySelectorAll(selector)];
    const text = (id) => (document.getElementById(id) || {}).textContent || "";
    const named = (element) => ["aria-labelledby", "aria-describedby"].every(
        (name) => (element.getAttribute(name) || "").split(" ").every((id) => text(id).trim()));
    const ids = all("[id]").map((element) => element.id);
    const levels = all("h1, h2, h3").map((heading) => Number(heading.tagName[1]));
    return {
        loaded: window.performance.getEntriesByType("resource").map((entry) => entry.name),
        language: document.documentElement.lang,
        plots: all("svg").length,
        strangers: all("svg").filter((svg) => svg.getAttribute("role") != "img" || !named(svg)).length,
        uncaptioned: all("figure").filter((figure) => !figure.querySelector("figcaption")).length,
        tables: all("table").length,
        nameless: all("table").filter((table) => !table.caption || !table.caption.textContent.trim()).length,
        scopeless: all("th").filter((head) => !["row", "col"].includes(head.scope)).length,
        leaps: levels.filter((level, index) => index ? level > levels[index - 1] + 1 : level != 1).length,
        lost: all("a").filter((link) => !document.getElementById(link.hash.slice(1))).length,
        twins: ids.length - new Set(ids).size,
    };
"""


@needs_browser
def test_a_screen_reader_finds_its_way_and_nothing_is_loaded(file: Path) -> None:
    found = evaluate(file, STRUCTURE)
    assert (found.pop("plots"), found.pop("tables")) == (7, 12)
    assert found.pop("language") == "en"
    assert found.pop("loaded") == []
    assert not any(found.values()), found


LOOKS = """
    const channels = (colour) => colour.match(/[0-9.]+/g).map(Number);
    const light = (colour) => {
        const linear = (c) => c > 0.04 ? ((c + 0.055) / 1.055) ** 2.4 : c / 12.92;
        const [r, g, b] = channels(colour).map((c) => linear(c / 255));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const page = window.getComputedStyle(document.documentElement).backgroundColor;
    const contrast = (colour) => {
        const [low, high] = [light(colour), light(page)].sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05);
    };
    const style = (element, name) => window.getComputedStyle(element)[name];
    const shown = (selector) => [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility());
    const words = shown("p, a, h1, h2, h3, th, td, dt, dd, li, summary, code, figcaption");
    const inks = [
        ...words.map((element) => contrast(style(element, "color"))),
        ...shown("svg text").map((element) => contrast(style(element, "fill"))),
    ];
    const marks = shown("svg .mark-symbol path, svg .mark-rect path").map((mark) => contrast(style(mark, "fill")));
    const outside = shown("svg text").filter((label) => {
        const [inner, outer] = [label.getBoundingClientRect(), label.ownerSVGElement.getBoundingClientRect()];
        return inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.bottom > outer.bottom + 1;
    });
    return {
        dark: light(page) < 0.1,
        faintest: Math.min(...inks),
        palest: Math.min(...marks),
        outside: outside.map((label) => label.textContent),
        overflow: document.documentElement.scrollWidth - window.innerWidth,
    };
"""


@needs_browser
@pytest.mark.parametrize(("dark", "width"), [(False, 360), (True, 1200)])
def test_plots_and_text_can_be_read(file: Path, dark: bool, width: int) -> None:
    """The contrasts are those that WCAG 2.2 wants of text (AA) and of graphics."""
    found = evaluate(file, LOOKS, width=width, dark=dark)
    assert found["dark"] is dark
    assert found["faintest"] >= 4.5
    assert found["palest"] >= 3
    assert found["outside"] == []
    assert found["overflow"] <= 0


@needs_browser
def test_the_page_prints(file: Path, tmp_path: Path) -> None:
    print_pdf(file, tmp_path / "report.pdf")
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
