"""``citadel solve`` on deals."""

import json
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from command import run, run_apart, use_engine

from solver.engine.result import LOST, WON, SearchResult
from solver.notation import parse_moves
from solver.rules import CHOICES
from solver.solving import deal, solve

RULES_LINE = (
    "# citadel: aces=first skim=yes skim-gap=skip order=rows spaces=any unit=card withdrawal=no auto-found=never"
)
LOST_DEAL = "ms:25"
WON_DEAL = "ms:24"


def records(result: Result) -> list[dict[str, Any]]:
    """The JSON lines of a run."""
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_won_deal() -> None:
    result = run("solve", WON_DEAL)
    rules, verdict, *moves = result.stdout.splitlines()
    assert result.exit_code == 0
    assert rules == RULES_LINE
    assert verdict.startswith(f"# {WON_DEAL}: won, {len(moves)} moves, ")
    assert parse_moves(result.stdout) == parse_moves("\n".join(moves))


def test_a_lost_deal() -> None:
    result = run("solve", LOST_DEAL)
    assert result.exit_code == 1
    rules, verdict = result.stdout.splitlines()
    assert rules == RULES_LINE
    assert verdict.startswith(f"# {LOST_DEAL}: lost, ")


def test_case_4_a_tiny_budget_is_unknown() -> None:
    result = run("solve", WON_DEAL, "--max-nodes", "1")
    assert result.exit_code == 3
    assert f"# {WON_DEAL}: unknown (out of nodes), 1 class, " in result.stdout


def test_case_22_a_tiny_memory_is_unknown_to_the_quota_engine() -> None:
    result = run("solve", "ms:38", "--variant", "penelopes-web", "--memory", "200K")
    assert result.exit_code == 3
    assert "unknown (out of memory), " in result.stdout


def test_case_22_a_tiny_memory_is_unknown_to_the_general_engine() -> None:
    result = run("solve", "ms:38", "--variant", "penelopes-web", "--memory", "2M", "--engine", "general")
    assert result.exit_code == 3
    assert "unknown (out of memory), " in result.stdout


def test_several_deals_print_a_line_each_and_a_summary() -> None:
    result = run("solve", "ms:24-25", "ms:1-2")
    rules, *lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert rules == RULES_LINE
    assert [line.split(",")[0] for line in lines] == ["ms:24: won", "ms:25: lost", "ms:1: won", "ms:2: won"]
    assert result.stderr.splitlines()[-2:] == [
        "citadel: 4 deals: 3 won, 1 lost, 0 unknown",
        "citadel: win rate 75.00%; 95% interval 30.06% to 95.44%",
    ]


def test_the_summary_counts_unknown_deals_both_ways() -> None:
    result = run("solve", "ms:1-4", "--max-nodes", "1")
    assert result.exit_code == 0
    assert "win rate 0.00% to 100.00%; 95% interval 0.00% to 100.00%, unknown deals counted both ways" in result.stderr


def test_quiet_leaves_standard_error_empty() -> None:
    assert run("solve", "ms:24-26", "-q").stderr == ""


def test_json_has_every_field() -> None:
    result = run("solve", WON_DEAL, LOST_DEAL, "--json")
    won, lost = records(result)
    assert result.exit_code == 0
    assert list(won) == [
        *("variant", "rules", "deal", "board", "verdict", "why_unknown"),
        *("nodes", "node_unit", "seconds", "moves", "moves_saved", "engine"),
    ]
    assert (won["variant"], won["deal"], won["board"]) == ("citadel", WON_DEAL, None)
    assert (won["verdict"], won["why_unknown"], won["node_unit"]) == ("won", None, "class")
    assert (won["moves_saved"], won["engine"]) == (None, "quota")
    assert won["nodes"] > 0
    assert won["seconds"] >= 0
    assert "\n".join(won["moves"]) in run("solve", WON_DEAL).stdout
    assert (lost["deal"], lost["verdict"], lost["moves"]) == (LOST_DEAL, "lost", None)


def test_json_of_a_single_deal_has_its_status() -> None:
    assert [run("solve", name, "--json").exit_code for name in (WON_DEAL, LOST_DEAL)] == [0, 1]
    result = run("solve", WON_DEAL, "--json", "--max-nodes", "1")
    assert result.exit_code == 3
    assert [records(result)[0][key] for key in ("verdict", "why_unknown", "moves")] == ["unknown", "nodes", None]


def test_an_engine_can_be_chosen() -> None:
    by_rules, general, quota = (
        records(run("solve", LOST_DEAL, "--json", *option))[0]
        for option in ([], ["--engine", "general"], ["--engine", "quota"])
    )
    assert (general["engine"], general["node_unit"], general["verdict"]) == ("general", "position", "lost")
    for record in (by_rules, quota):
        assert (record["engine"], record["node_unit"], record["verdict"]) == ("quota", "class", "lost")


@pytest.mark.parametrize("switch", [("unit", "sequence"), ("withdrawal", "yes"), ("auto-found", "uncovered")])
def test_rules_decide_the_engine(switch: tuple[str, str]) -> None:
    rules = [f"--{switch[0]}", switch[1]]
    (record,) = records(run("solve", WON_DEAL, "--json", "--max-nodes", "1", *rules))
    assert record["engine"] == "general"
    refused = run("solve", WON_DEAL, "--engine", "quota", *rules)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "the quota engine does not serve these rules: it takes no sequences" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


def test_verbose_says_how_verdicts_came_about() -> None:
    result = run("solve", WON_DEAL, LOST_DEAL, "-v", "-q")
    assert result.stdout.splitlines()[1].startswith(f"{WON_DEAL}: won, ")
    won, lost = result.stderr.splitlines()
    assert won.startswith(f"citadel: {WON_DEAL}: quota engine; decided by exact search; iterations ")
    assert lost.startswith(f"citadel: {LOST_DEAL}: quota engine; decided by ")
    assert "classes" in lost


def test_verbose_json_has_the_trace() -> None:
    result = run("solve", WON_DEAL, "--json", "--verbose")
    (record,) = records(result)
    assert result.stderr == ""
    assert record["trace"]["decided_by"] == "exact search"
    assert record["trace"]["classes"] == record["nodes"]
    (record,) = records(run("solve", WON_DEAL, "--json", "-v", "--engine", "general"))
    assert record["trace"]["positions"] == record["nodes"]


def test_short_says_what_it_saved() -> None:
    usual = run("solve", WON_DEAL)
    short = run("solve", WON_DEAL, "--short")
    lengths = [len(parse_moves(result.stdout)) for result in (usual, short)]
    saved = lengths[0] - lengths[1]
    assert saved > 0
    assert short.stderr == f"citadel: {WON_DEAL}: {lengths[1]} moves, {saved} fewer than without --short\n"
    assert run("verify", WON_DEAL, "-", stdin=short.stdout).exit_code == 0
    (record,) = records(run("solve", WON_DEAL, "--short", "--json"))
    assert (record["moves_saved"], len(record["moves"])) == (saved, lengths[1])


def test_short_has_nothing_to_save_on_a_lost_deal() -> None:
    (record,) = records(run("solve", LOST_DEAL, "--short", "--json"))
    assert (record["verdict"], record["moves_saved"]) == ("lost", None)


def test_case_9_the_rules_are_in_every_output() -> None:
    switches = {
        "aces": "in-deck",
        "skim": "no",
        "skim-gap": "refill",
        "order": "columns",
        "spaces": "kings",
        "unit": "sequence",
        "withdrawal": "yes",
        "auto-found": "uncovered",
    }
    assert list(switches) == list(CHOICES)
    options = [text for switch, value in switches.items() for text in (f"--{switch}", value)]
    text = run("solve", WON_DEAL, "--max-nodes", "1", *options).stdout
    assert text.startswith("# citadel: " + " ".join(f"{switch}={value}" for switch, value in switches.items()) + "\n")
    (record,) = records(run("solve", WON_DEAL, "--max-nodes", "1", "--json", *options))
    assert record["rules"] == switches
    (record,) = records(run("solve", WON_DEAL, "--max-nodes", "1", "--json", "--variant", "bakers-dozen"))
    assert record["rules"] == {
        **dict.fromkeys(("aces", "skim", "skim-gap", "order")),
        "spaces": "none",
        "unit": "card",
        "withdrawal": "no",
        "auto-found": "never",
    }


def test_case_8_rules_do_not_linger_in_the_process() -> None:
    """One process that solves by other rules in between says the same as a fresh one each time."""

    def verdicts(output: str | bytes) -> list[tuple[Any, ...]]:
        lines = [json.loads(line) for line in output.splitlines()]
        return [(line["deal"], line["verdict"], line["nodes"], line["moves"]) for line in lines]

    arguments = {game: ["solve", "ms:24-27", "--json", "--variant", game] for game in ("citadel", "exiled-kings")}
    fresh = {game: verdicts(run_apart(*arguments[game]).stdout) for game in arguments}
    for game in ("citadel", "exiled-kings", "citadel"):
        assert verdicts(run(*arguments[game]).stdout) == fresh[game]
    assert fresh["citadel"] != fresh["exiled-kings"]


def test_case_20_long_numbers_stay_strings() -> None:
    (record,) = records(run("solve", "12345678901234567890", "--json"))
    assert record["deal"] == "pysol:12345678901234567890"


@pytest.mark.parametrize("jobs", ["1", "2", "3"])
def test_jobs_change_nothing(jobs: str) -> None:
    lines = records(run("solve", "ms:1-20", "--json", "--jobs", jobs))
    alone = [solve(deal(f"ms:{number}", "citadel"), "citadel") for number in range(1, 21)]
    assert [(line["verdict"], line["nodes"]) for line in lines] == [
        (outcome.verdict, outcome.nodes) for outcome in alone
    ]


def test_case_23_a_result_is_printed_when_it_is_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second search ends only after the first result has been written."""
    from solver.cli.commands import citadel

    seen: list[str] = []
    written = threading.Event()

    def search(*_: Any, **__: Any) -> SearchResult:
        if seen:
            assert written.wait(60)
        seen.append("a search")
        return SearchResult(LOST, 1)

    class Output:
        encoding = "utf-8"

        def write(self, text: str) -> int:
            if "ms:1: lost" in text:
                written.set()
            return len(text)

        def flush(self) -> None:
            pass

    use_engine(monkeypatch, search)
    monkeypatch.setattr("sys.stdout", Output())
    with pytest.raises(SystemExit) as ending:
        citadel.main(["solve", "ms:1-2", "-q"])
    assert ending.value.code == 0
    assert len(seen) == 2
    assert capsys.readouterr().err == ""


def test_case_23_progress_off_a_terminal_is_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()

    def search(*_: Any, **__: Any) -> SearchResult:
        go_on.wait(60)
        return SearchResult(LOST, 1)

    def say(message: str) -> None:
        said.append(message)
        go_on.set()

    said: list[str] = []
    use_engine(monkeypatch, search)
    monkeypatch.setattr("solver.engine.code_cache.needs_compiling", lambda _: False)
    monkeypatch.setattr("solver.cli.progress.PLAIN_EVERY", 0.01)
    monkeypatch.setattr("solver.cli.progress.say", say)
    assert run("solve", "ms:5-6").exit_code == 0
    assert said[0] == "0 of 2 deals in 0 s: 0 won, 0 lost, 0 unknown; at ms:5"


def test_compiling_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solver.engine.code_cache.needs_compiling", lambda _: True)
    assert "citadel: compiling the kernels, once" in run("solve", WON_DEAL).stderr
    monkeypatch.setattr("solver.engine.code_cache.needs_compiling", lambda _: False)
    assert run("solve", WON_DEAL).stderr == ""


def test_a_fault_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """A win that the referee refuses ends with a status of its own, after what was finished before."""

    def search(*_: Any, **__: Any) -> SearchResult:
        return SearchResult(WON if calls else LOST, calls.append(0) or 1)

    calls: list[int] = []
    use_engine(monkeypatch, search)
    result = run("solve", "ms:1-3")
    assert result.exit_code == 70
    assert result.stdout.splitlines()[1].startswith("ms:1: lost")
    assert "RefusedWin" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("citadel: this is a fault of the program")


@pytest.mark.parametrize("size", ["2097152", "2048K", "2M", "2mib", "2.0MB", "0.002G"])
def test_sizes_of_memory(size: str) -> None:
    result = run("solve", "ms:38", "--variant", "penelopes-web", "--engine", "general", "--memory", size)
    assert "unknown (out of memory), " in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name deals, or boards with --board FILE or -, and not both"),
        (["ms:24", "-"], "'-' names no deal"),
        (["ms:24", "x"], "'x' names no deal"),
        (["pyproject.toml"], "'pyproject.toml' names no deal; a file of boards goes with --board"),
        (["x" * 5000], "names no deal: write a number"),
        (["ms:0"], "ms:0 is out of range: ms deals are 1 to 8589934591"),
        (["100000000000000000000"], "out of range"),
        (["freecell:1"], "no scheme 'freecell'; there are ms, pysol"),
        (["9-3"], "'9-3' runs backwards"),
        (["1", "--memory", "much"], "'much' is not a size; write 512M, 2G or a number of bytes"),
        (["1", "--memory", "0"], "'0' is out of range"),
        (["1", "--max-nodes", "0"], "max-nodes"),
        (["1", "--max-nodes", "9" * 30], "not in the range 1<=x<="),
        (["1", "--jobs", "0"], "jobs"),
        (["1", "--board", "no/such/file"], "No such file"),
    ],
)
def test_bad_input_is_one_line_and_nothing_runs(arguments: list[str], message: str) -> None:
    result = run("solve", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("citadel: ")


def test_a_file_that_is_called_like_deals_is_not_in_their_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after ``citadel solve ms:25-26 > ms:25-26``."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ms:25-26").touch()
    result = run("solve", "ms:25-26", "-q")
    assert result.exit_code == 0
    assert result.stdout.count(": lost") == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["solve", "--var", "citadel", "ms:24"], "No such option"),
        (["solve", "--max", "9", "ms:24"], "No such option"),
        (["solve", "--variant", "citadle", "ms:24"], "did you mean citadel? there are citadel, exiled-kings, "),
        (["solve", "--spaces", "queens", "ms:24"], "'queens' is not one of 'any', 'kings', 'none'"),
        (["solve", "--variant", "bakers-dozen", "--skim", "no", "1"], "skim does not apply to it"),
        (["solve", "--variant", "portuguese-solitaire", "--order", "rows", "1"], "order does not apply to it"),
        (["sol", "ms:24"], "No such command 'sol'"),
        (["rules", "citadle"], "did you mean citadel?"),
        (["rules", "--spaces", "any"], "name a variant"),
        (["deal"], "Missing argument 'DEALS...'"),
        (["deal", "ms:1-"], "'ms:1-' names no deal"),
        (["deal", "1", "--variant", "castle"], "no variant 'castle'"),
    ],
)
def test_case_28_mistakes_are_refused_and_the_valid_names_listed(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_without_a_command_help_goes_to_standard_error() -> None:
    result = run()
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Usage: " in result.stderr


def test_short_says_a_win_before_it_looks_for_fewer_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """The polish of this test ends only when the verdict was said."""
    said = threading.Event()
    messages: list[str] = []

    def listen(message: str) -> None:
        messages.append(message)
        if message.endswith("looking for fewer"):
            said.set()

    def polish(_position: object, _rules: object, moves: object, *_: object, **__: object) -> object:
        assert said.wait(60)
        return moves

    monkeypatch.setattr("solver.cli.solve.say", listen)
    monkeypatch.setattr("solver.engine.general.polish.polish", polish)
    result = run("solve", "ms:24", "ms:24", "--short")
    assert result.exit_code == 0
    (first, *_others) = messages
    assert re.fullmatch(r"ms:24: won, \d+ moves; looking for fewer", first)
    assert result.stdout.count("ms:24: won") == 2
