"""The page of a replay: what it says without scripts, and what its script does in a real browser."""

import html
import random
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from browser import evaluate, needs_browser, print_pdf
from command import run

from solver import solve
from solver.cards import SUIT_LETTERS, card_name, make_card, parse_card
from solver.position import Position
from solver.referee import replay
from solver.report.replay import replay_page
from solver.rules import VARIANTS, rules_of
from solver.solving import Outcome, Verdict, deal

CITADEL = rules_of("citadel")

Board = dict[str, list[int]]
"""The cards at every place: piles are named by their numbers, foundations by their suits."""


def board_of(position: Position) -> Board:
    piles = {str(number): list(pile) for number, pile in enumerate(position.piles, 1)}
    founded = zip(SUIT_LETTERS, position.foundations, strict=True)
    return piles | {
        letter: [make_card(rank, suit) for rank in range(count)] for suit, (letter, count) in enumerate(founded)
    }


def shown_in(page: str) -> Board:
    """The board that a page shows before any script has run."""
    lists = re.findall(r'<ol data-place="(\w+)">(.*?)</ol>', page, re.DOTALL)
    return {place: list(map(int, re.findall(r'<li data-card="(\d+)"', cards))) for place, cards in lists}


def text_of(page: str) -> str:
    """What a page says, without its styles and scripts."""
    body = re.sub(r"<(style|script)>.*?</\1>", "", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())


def outcome_of(verdict: Verdict, **facts: Any) -> Outcome:
    usual = {"nodes": 1234, "node_unit": "class", "seconds": 1.0, "why_unknown": None, "moves": None, "engine": "quota"}
    return Outcome(verdict, **{**usual, **facts})


START = deal("ms:24", CITADEL)


class Game(NamedTuple):
    """A win, its page, and all its positions."""

    page: str
    positions: tuple[Position, ...]

    @property
    def last(self) -> int:
        """Number of moves."""
        return len(self.positions) - 1


@pytest.fixture(scope="module", name="game")
def solve_a_deal() -> Game:
    outcome = solve(START, CITADEL)
    return Game(replay_page(START, CITADEL, outcome, "ms:24"), replay(START, CITADEL, outcome.moves or ()).positions)


SCRIPT = """
    const board = () => Object.fromEntries([...document.querySelectorAll("[data-place]")].map(
        (list) => [list.dataset.place, [...list.children].map((card) => Number(card.dataset.card))]));
    const press = (key, where = document.body, more = {}) => where.dispatchEvent(
        new window.KeyboardEvent("keydown", {key, bubbles: true, cancelable: true, ...more}));
    const click = (id) => document.getElementById(id).click();
    const said = () => document.getElementById("said").textContent;
    const at = () => Number(document.getElementById("slider").value);
    const wait = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));
"""
"""What the checks in the browser share."""


def check(page: Path, script: str, **options: Any) -> Any:
    """What a script returns in a page."""
    return evaluate(page, SCRIPT + script, **options)


@pytest.fixture(name="page")
def page_of_a_win(game: Game, tmp_path: Path) -> Path:
    page = tmp_path / "game.html"
    page.write_text(game.page, encoding="utf-8")
    return page


def test_without_scripts_a_win_shows_its_start_and_its_moves(game: Game) -> None:
    assert shown_in(game.page) == board_of(START)
    text = text_of(game.page)
    assert f"ms:24 Citadel won in {game.last} moves" in text
    assert all(sentence in text for sentence in CITADEL.describe().splitlines())
    assert f"citadel: {CITADEL.text()}" in text
    listed = re.findall(r"(10|[A2-9JQK]) of (hearts|clubs|diamonds|spades) (\d+) → to (\d+|F)", text)
    assert len(listed) == game.last
    assert listed[0] == ("6", "diamonds", "1", "3")
    assert "<noscript>" in game.page


def test_every_card_has_a_name(game: Game) -> None:
    for card, name in re.findall(r'<li data-card="(\d+)"><span class="unseen">(.*?)</span>', game.page):
        assert name == card_name(int(card))
    assert game.page.count('<li data-card="') == 52
    assert card_name(make_card(0, 3)) == "ace of spades"
    assert card_name(make_card(9, 0)) == "10 of hearts"


@pytest.mark.parametrize("verdict", Verdict)
def test_a_page_loads_nothing(verdict: Verdict, game: Game) -> None:
    page = game.page
    if verdict is not Verdict.WON:
        page = replay_page(START, CITADEL, outcome_of(verdict), "ms:24")
    assert "default-src 'none'" in page
    assert all(target.startswith(("#", "data:")) for target in re.findall(r'(?:href|src)="(.*?)"', page))
    assert "url(" not in page
    assert "@import" not in page
    assert ("<script>" in page) == (verdict is Verdict.WON)


def test_the_same_outcome_makes_the_same_page(game: Game) -> None:
    assert replay_page(START, CITADEL, solve(START, CITADEL), "ms:24") == game.page


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ({"trace": {"decided by": "relaxed game", "skeletons": 77}}, ["the relaxed game", "77 skeletons", "section 3"]),
        ({"trace": {"decided by": "rung 8"}}, ["rung 8", "from ace to 8", "1,234 classes", "section 5"]),
        ({"trace": {"decided by": "exact search"}}, ["exact search", "1,234 classes", "search.md, section 4"]),
        (
            {"trace": {"decided by": "exact search"}, "node_unit": "position", "nodes": 1},
            ["exact search", "1 position.", "docs/general.md"],
        ),
    ],
)
def test_a_lost_deal_says_how_it_was_proved(facts: dict[str, Any], says: list[str]) -> None:
    page = replay_page(START, CITADEL, outcome_of(Verdict.LOST, **facts), "ms:24")
    assert shown_in(page) == board_of(START)
    text = text_of(page)
    assert "lost: no play wins it" in text
    assert all(words in text for words in says)
    assert "No move is legal" not in text


def test_a_stuck_deal_says_so() -> None:
    stuck = deal("ms:25", CITADEL)
    assert "No move is legal" in replay_page(stuck, CITADEL, solve(stuck, CITADEL), "ms:25")


@pytest.mark.parametrize(("why", "says"), [("nodes", "--max-nodes"), ("memory", "--memory"), ("interrupted", "interr")])
def test_an_unknown_deal_says_unknown_and_why(why: str, says: str) -> None:
    page = replay_page(START, CITADEL, outcome_of(Verdict.UNKNOWN, why_unknown=why), "ms:24")
    assert shown_in(page) == board_of(START)
    text = text_of(page)
    assert "unknown: neither won nor lost is proved" in text
    assert says in text
    assert "Moves" not in text


def test_a_name_is_text() -> None:
    page = replay_page(START, CITADEL, outcome_of(Verdict.UNKNOWN), "<b>&</b>")
    assert "<b>&</b>" not in page
    assert "&lt;b&gt;&amp;&lt;/b&gt;" in page


@needs_browser
def test_steps_show_the_positions_of_the_game(page: Path, game: Game) -> None:
    """Forwards by key, backwards by button."""
    script = """
        const forth = [board()], back = [];
        for (let move = 0; move < LAST; move++) { press("ArrowRight"); forth.push(board()); }
        for (let move = 0; move < LAST; move++) { click("back"); back.push(board()); }
        return [forth, back];
    """
    forth, back = check(page, script.replace("LAST", str(game.last)))
    boards = list(map(board_of, game.positions))
    assert forth == boards
    assert back == boards[-2::-1]
    assert [len(forth[-1][suit]) for suit in SUIT_LETTERS] == [13, 13, 13, 13]


@needs_browser
def test_runs_and_withdrawals_are_shown_as_well(tmp_path: Path) -> None:
    """A walk by whatever moves are legal, where all kinds are."""
    rules = rules_of("citadel", {"unit": "sequence", "withdrawal": "yes", "auto-found": "uncovered"})
    luck = random.Random(4)
    positions, moves = [deal("ms:24", rules)], []
    while len(moves) < 60:
        moves.append(luck.choice(list(positions[-1].legal_moves(rules))))
        positions.append(positions[-1].apply(moves[-1], rules))
    page = tmp_path / "walk.html"
    page.write_text(replay_page(positions[0], rules, outcome_of(Verdict.WON, moves=tuple(moves)), "a walk"))
    script = """
        const shown = [board()], words = [];
        for (let move = 1; move <= 60; move++) { press("ArrowRight"); shown.push(board()); words.push(said()); }
        return [shown, words];
    """
    shown, words = check(page, script)
    assert shown == list(map(board_of, positions))
    assert any(re.search(r" and the \d on it from pile \d onto the ", text) for text in words)
    assert any(re.search(r" from its foundation onto the .* in pile \d", text) for text in words)


@needs_browser
def test_every_way_to_a_move_shows_it(page: Path, game: Game) -> None:
    """Keys, buttons, slider, list and address; each move is told, marked in the list and put into the address."""
    script = """
        const seen = [];
        const look = async () => {
            await wait(0.5);
            const marked = [...document.querySelectorAll("[aria-current=step]")].map((link) => link.hash);
            const off = [...document.querySelectorAll("[aria-disabled=true]")].map((button) => button.id);
            seen.push([at(), said(), marked, window.location.hash, off]);
        };
        await look();
        press("End"); await look();
        press("ArrowRight"); press("ArrowLeft"); await look();
        press("Home"); await look();
        click("last"); click("first"); click("next"); click("next"); await look();
        const slider = document.getElementById("slider");
        slider.value = 17; slider.dispatchEvent(new window.Event("input", {bubbles: true})); await look();
        press("ArrowRight", slider); await look();
        document.querySelectorAll("#moves a")[4].click(); await look();
        window.location.hash = "#move=9"; await look();
        window.location.hash = "#move=999"; await look();
        window.location.hash = "#nonsense"; await look();
        press("Home", document.body, {ctrlKey: true}); await look();
        press("Home"); document.querySelector("#moves li:last-child a").click(); await look();
        return seen;
    """
    seen, last = check(page, script), game.last
    assert [row[0] for row in seen] == [0, last, last - 1, 0, 2, 17, 18, 5, 9, last, last, last, last]
    for number, said, marked, address, off in seen[1:-3]:
        assert marked == ([f"#move={number}"] if number else [])
        assert address == f"#move={number}"
        assert off == (["first", "back"] if number == 0 else ["next", "last"] if number == last else [])
        assert said.startswith(f"Move {number} of {last}: " if number else "The start.")
        assert said.endswith("Won.") == (number == last)
    card, _, target = re.findall(r"(\w+) (\d+|F) (\d+|F)", run("solve", "ms:24").stdout)[-1]
    assert target == "F"
    assert card_name(parse_card(card) or 0) in seen[1][1]


@needs_browser
def test_an_address_opens_the_page_at_its_move(page: Path, game: Game) -> None:
    script = """
        window.location.hash = "#move=12";
        await new Promise((done) => { window.frameElement.onload = done; window.location.reload(); });
        document = window.document;
        return [at(), board()];
    """
    number, shown = check(page, script)
    assert number == 12
    assert shown == board_of(game.positions[12])


@needs_browser
def test_space_plays_and_pauses(page: Path, game: Game) -> None:
    script = """
        const seen = [], look = () => seen.push([at(), document.getElementById("play").textContent]);
        const time = async (moves) => { const from = at(); while (at() < from + moves) await wait(0.05); };
        press(" "); await time(2); look();
        press(" "); await wait(1); look();
        press(" ", document.getElementById("play")); await wait(1); look();
        press("End"); press("ArrowLeft"); click("play"); await time(1); look();
        click("play"); await time(2); look();
        press("ArrowRight"); await wait(1); look();
        return seen;
    """
    paused, playing = "Play", "Pause"
    assert check(page, script) == [
        [2, playing],
        [2, paused],
        [2, paused],  # a key that presses the button is left to the button
        [game.last, paused],
        [2, playing],  # from the start again
        [3, paused],
    ]


@needs_browser
def test_paper_shows_the_start(page: Path, game: Game, tmp_path: Path) -> None:
    script = """
        press("End");
        window.dispatchEvent(new window.Event("beforeprint"));
        const printed = board();
        window.dispatchEvent(new window.Event("afterprint"));
        return [printed, at()];
    """
    assert check(page, script) == [board_of(START), game.last]
    print_pdf(page, tmp_path / "game.pdf")
    assert (tmp_path / "game.pdf").read_bytes().startswith(b"%PDF")


@needs_browser
@pytest.mark.parametrize("variant", ["citadel", "bakers-dozen"])
@pytest.mark.parametrize("width", [320, 390, 1200])
def test_a_page_is_no_wider_than_the_window(variant: str, width: int, tmp_path: Path) -> None:
    rules = VARIANTS[variant]
    position = deal("ms:24", rules)
    page = tmp_path / "game.html"
    page.write_text(replay_page(position, rules, solve(position, rules), "ms:24"), encoding="utf-8")
    script = """
        const right = [...document.querySelectorAll("li")].map((item) => item.getBoundingClientRect().right);
        const unseen = [...document.querySelectorAll("[data-place]")].filter((list) =>
            list.children.length && list.lastElementChild.getBoundingClientRect().width < 20);
        const cut = [...document.querySelectorAll("#moves, #moves a, button, h1")].filter((item) =>
            item.scrollWidth > item.clientWidth);
        const across = document.documentElement.scrollWidth;
        return [across, Math.max(...right), unseen.length, cut.map((item) => item.textContent)];
    """
    across, right, unseen, cut = check(page, script, width=width)
    assert across <= width
    assert right <= width
    assert unseen == 0
    assert cut == []


def test_replay_writes_a_page_and_says_the_verdict(game: Game, tmp_path: Path) -> None:
    output = tmp_path / "game.html"
    for name, status, verdict in (("ms:24", 0, "won"), ("ms:25", 1, "lost")):
        result = run("replay", name, "-o", str(output))
        assert result.exit_code == status
        rules, line = result.stdout.splitlines()
        assert rules == f"# citadel: {CITADEL.text()}"
        assert line.startswith(f"{name}: {verdict}, ")
        assert f"<title>{name}, Citadel: {verdict}" in output.read_text()
    result = run("replay", "ms:24", "--max-nodes", "1", "-o", str(output))
    assert result.exit_code == 3
    assert "unknown" in output.read_text()
    assert run("replay", "ms:24").stdout == game.page


def test_a_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    output = tmp_path / "nowhere"
    output.symlink_to("/dev/null")
    assert run("replay", "ms:24", "-o", str(output)).exit_code == 0
    assert list(tmp_path.iterdir()) == [output]
    assert output.is_symlink()


def test_replay_takes_boards_and_the_options_of_solve(tmp_path: Path) -> None:
    board, output = tmp_path / "a.board", tmp_path / "game.html"
    board.write_text(run("deal", "617", "--variant", "exiled-kings").stdout)
    pages = []
    for arguments, stdin in (
        ([str(board)], None),
        (["--board", str(board)], None),
        (["-"], board.read_text()),
        (["--board", "-"], board.read_text()),
        (["617"], None),
        (["pysol:617"], None),
    ):
        result = run("replay", *arguments, "--variant", "exiled-kings", "-o", str(output), stdin=stdin)
        assert result.exit_code in (0, 1)
        pages.append(output.read_text())
    names = [re.findall(r"<h1>(.*?) <span", page)[0] for page in pages]
    assert names == ["a.board", "a.board", "A board", "A board", "pysol:617", "pysol:617"]
    assert len({str(shown_in(page)) for page in pages}) == 1
    result = run("replay", "ms:24", "--short", "--engine", "general", "--withdrawal", "yes", "-o", str(output))
    assert result.exit_code == 0
    assert "withdrawal=yes" in output.read_text()
    assert " positions. There may be shorter wins." in output.read_text()


def test_a_file_s_name_is_escaped_where_it_does_not_print(tmp_path: Path) -> None:
    board = tmp_path / "the\x1b[2J\udcff.board"
    try:
        board.write_text("Foundations: H-K C-K D-K S-J\nQS\nKS\n")
    except OSError:
        pytest.skip("the file system takes no such name")
    result = run("replay", str(board))
    assert result.exit_code == 0
    assert "the\\x1b[2J\\udcff.board" in result.stdout
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "DIR/game.html"], "name a deal or a board"),
        (["ms:24", "--board", "-", "-o", "DIR/game.html"], "name a deal or a board"),
        (["ms:24", "-o", "DIR/no/game.html"], "there is no folder"),
        (["ms:24", "-o", "DIR"], "is a directory"),
        (["ms:0", "-o", "DIR/game.html"], "out of range"),
        (["no/such/board", "-o", "DIR/game.html"], "No such file"),
        (["--board", "no/such/board", "-o", "DIR/game.html"], "No such file"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], message: str, tmp_path: Path) -> None:
    result = run("replay", *(argument.replace("DIR", str(tmp_path)) for argument in arguments))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())
