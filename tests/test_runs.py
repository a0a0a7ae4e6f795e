"""Runs: folders of parts, resuming, retries, shares, faults."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from command import use_engine

from solver.deals import parse_deals
from solver.engine.result import LOST, OUT_OF_NODES, WON, SearchResult
from solver.errors import InputError
from solver.position import FOUNDATION, Move, Position
from solver.rules import Rules, rules_of
from solver.runs.batch import Batch, Work
from solver.runs.folder import RunFolder, merge
from solver.runs.manifest import Manifest, new_manifest, read_manifest
from solver.runs.parts import table_of
from solver.runs.rows import Budget, moves_of_solution, solution_text
from solver.solving import deal, solve

DEALS = "pysol:31995-32016"
"""22 deals, some before and some behind the number where PySolFC changes its generator."""


def manifest_of(variant: str = "citadel", deals: str = DEALS, **options: Any) -> Manifest:
    budgets: dict[str, Any] = {"max_nodes": 10_000, "max_memory": 64 << 20, "chunk": 5, **options}
    return new_manifest(rules_of(variant), parse_deals(deals), **budgets)


def finish(run: RunFolder, jobs: int = 1, **options: Any) -> Work:
    """Do all the work there is in a run."""
    work = Work(run, **options)
    batch = Batch(work, jobs)
    while not batch.finished:
        batch.step(1)
    batch.stop(10)
    return work


def rows_of(run: RunFolder) -> list[dict[str, Any]]:
    """All rows without their times."""
    return [{**row, "seconds": None} for row in run.table().to_pylist()]


def files_of(run: RunFolder) -> list[str]:
    return sorted(path.name for path in run.path.iterdir())


@pytest.fixture(scope="module", name="whole")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run that nothing has interrupted."""
    run = RunFolder.begin(tmp_path_factory.mktemp("whole") / "run", manifest_of())
    finish(run)
    return run


def test_rows_say_what_solving_says(whole: RunFolder) -> None:
    rules = rules_of("citadel")
    rows = whole.table().to_pylist()
    assert [row["deal"] for row in rows] == list(map(str, parse_deals(DEALS)))
    for row in rows:
        position = deal(row["deal"], rules)
        outcome = solve(position, rules, max_nodes=10_000, max_memory=64 << 20)
        assert row["verdict"] == outcome.verdict
        assert row["nodes"] == outcome.nodes
        assert (row["moves"] is None) == (outcome.moves is None)
        assert (row["moves"] or 0) >= len(outcome.moves or ()), "a run that keeps no solutions does not shorten them"
        assert row["why_unknown"] == outcome.why_unknown
        assert row["skimmed"] == sum(position.foundations) - 4
        assert row["solution"] is None
    assert len({row["verdict"] for row in rows}) > 1


def test_a_folder_has_a_manifest_and_a_part_a_chunk(whole: RunFolder) -> None:
    assert files_of(whole) == ["manifest.json", *(f"part-00000{chunk}.parquet" for chunk in range(5))]
    assert [len(whole.rows(chunk)) for chunk in range(5)] == [5, 5, 5, 5, 2]


@pytest.mark.parametrize("jobs", [2, 7])
@pytest.mark.parametrize("chunk", [1, 22])
def test_same_rows_whatever_jobs_and_chunks(whole: RunFolder, tmp_path: Path, jobs: int, chunk: int) -> None:
    run = RunFolder.begin(tmp_path / "run", manifest_of(chunk=chunk))
    finish(run, jobs)
    assert rows_of(run) == rows_of(whole)


def test_case_21_each_file_names_its_rules(whole: RunFolder) -> None:
    about = pq.read_schema(whole.part(0)).metadata
    assert about[b"variant"] == b"citadel"
    assert json.loads(about[b"rules"]) == rules_of("citadel").switches()


def test_parts_open_without_this_package(whole: RunFolder) -> None:
    """With the name pattern that docs/runs.md gives to pandas, polars and DuckDB."""
    paths = sorted(whole.path.glob("part-*.parquet"))
    assert sum(pq.read_table(path).num_rows for path in paths) == 22


def test_solutions_are_kept_on_request(tmp_path: Path) -> None:
    run = RunFolder.begin(tmp_path / "run", manifest_of(deals="ms:24-25", solutions=True))
    finish(run)
    won, lost = run.rows(0)
    assert won.solution is not None
    assert tuple(moves_of_solution(won.solution)) == solve(deal("ms:24", "citadel"), "citadel").moves
    assert lost.solution is None


def test_a_solution_has_four_characters_a_move() -> None:
    moves = [Move(21, 0, 9), Move(51, 12, FOUNDATION)]
    assert solution_text(moves) == "6C1AKSDF"
    assert moves_of_solution("6C1AKSDF") == moves
    with pytest.raises(InputError):
        moves_of_solution("6C1AKSD")


def test_a_manifest_is_read_as_it_was_written() -> None:
    manifest = manifest_of("bakers-dozen", deals="pysol:12345678901234567890-12345678901234567899")
    manifest = manifest.with_retry(10**6, 2**30)
    assert read_manifest(manifest.text()) == manifest
    assert json.loads(manifest.text())["first"] == "12345678901234567890"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 1}', '{"format": 99}'])
def test_what_is_no_manifest_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(InputError, match=r"cannot read .*manifest\.json"):
        RunFolder(tmp_path)


def test_another_run_in_the_folder_is_refused_with_what_differs(whole: RunFolder) -> None:
    others = {
        "variant is citadel, not exiled-kings; spaces is any, not kings": manifest_of("exiled-kings"),
        "deals is pysol:31995-32016, not pysol:1-2": manifest_of(deals="1-2"),
        "max-nodes is 10000, not 11": manifest_of(max_nodes=11),
        "solutions is no, not yes": manifest_of(solutions=True),
        "chunk is 5, not 6": manifest_of(chunk=6),
    }
    for difference, manifest in others.items():
        with pytest.raises(InputError) as refused:
            RunFolder.begin(whole.path, manifest)
        assert str(refused.value) == f"{whole.path} holds another run: there, {difference}"


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(InputError, match="not empty"):
        RunFolder.begin(tmp_path, manifest_of())
    with pytest.raises(InputError, match="is not a run"):
        RunFolder(tmp_path)


def test_case_24_a_resumed_run_equals_one_that_was_never_interrupted(whole: RunFolder, tmp_path: Path) -> None:
    """Stopped after every few rows, again and again."""
    run = RunFolder.begin(tmp_path / "run", manifest_of())
    done = 0
    for _ in range(100):
        work = Work(run)
        assert work.tally.deals == done
        batch = Batch(work, 2)
        batch.step(10)
        batch.stop(10)
        done = work.tally.deals
        if done == work.total:
            break
    assert files_of(run) == files_of(whole)
    assert rows_of(run) == rows_of(whole)


def test_case_24_partial_rows_are_not_searched_again(whole: RunFolder, tmp_path: Path) -> None:
    run = RunFolder.begin(tmp_path / "run", manifest_of())
    run.write_partial(2, table_of(whole.rows(2)[1:4]))
    work = finish(run)
    assert work.searched == 22 - 3
    assert files_of(run) == files_of(whole)
    assert rows_of(run) == rows_of(whole)


def test_case_24_a_kill_while_writing_leaves_nothing_behind(whole: RunFolder, tmp_path: Path) -> None:
    """Half a file aside is what it leaves; a part lost as if the kill had come before the renaming."""
    run = RunFolder.begin(tmp_path / "run", manifest_of())
    finish(run)
    run.part(3).unlink()
    (run.path / f"{run.part(3).name}.aside-0123").write_bytes(whole.part(3).read_bytes()[:100])
    assert finish(run).searched == 5
    assert files_of(run) == files_of(whole)
    assert rows_of(run) == rows_of(whole)


def test_a_damaged_part_is_named(tmp_path: Path) -> None:
    run = RunFolder.begin(tmp_path / "run", manifest_of(deals="ms:24-25"))
    finish(run)
    content = run.part(0).read_bytes()
    run.part(0).write_bytes(content[:-20])
    with pytest.raises(InputError, match=r"part-000000\.parquet is damaged"):
        Work(run)
    other = RunFolder.begin(tmp_path / "other", manifest_of(deals="ms:26-27"))
    other.part(0).write_bytes(content)
    with pytest.raises(InputError, match="does not hold the deals ms:26-27"):
        Work(other)


def test_case_9_parts_of_other_rules_or_deals_are_refused(whole: RunFolder, tmp_path: Path) -> None:
    """Whatever their names are, and also where nothing but the verdicts is read."""
    kings = RunFolder.begin(tmp_path / "kings", manifest_of("exiled-kings"))
    finish(kings)
    run = RunFolder.begin(tmp_path / "run", manifest_of())
    finish(run)
    for copied, problem in (
        (kings.part(1), "of another run than its folder: its variant is exiled-kings"),
        (whole.part(2), "does not hold the deals pysol:32000-32004"),
    ):
        run.part(1).write_bytes(copied.read_bytes())
        for reading in (run.tally, lambda: run.rows(1), lambda: Work(run), lambda: merge([run], tmp_path / "merged")):
            with pytest.raises(InputError, match=problem):
                reading()


def test_partial_rows_of_other_rules_or_deals_are_refused(whole: RunFolder, tmp_path: Path) -> None:
    kings = RunFolder.begin(tmp_path / "kings", manifest_of("exiled-kings"))
    finish(kings)
    run = RunFolder.begin(tmp_path / "run", manifest_of())
    partial = run.path / "partial-000001.parquet"
    for copied, problem in (
        (kings.part(1), "its variant is exiled-kings"),
        (whole.part(2), "does not hold some of the deals pysol:32000-32004"),
    ):
        partial.write_bytes(copied.read_bytes())
        with pytest.raises(InputError, match=problem):
            Work(run)
    run.write_partial(1, table_of([whole.rows(1)[0], whole.rows(1)[0]]))
    with pytest.raises(InputError, match="does not hold some of the deals"):
        Work(run)


@pytest.mark.parametrize(
    ("verdict", "moves", "why"),
    [("won", None, None), ("lost", 80, None), ("unknown", None, None), ("lost", None, "memory")],
)
def test_rows_that_no_search_comes_to_are_damage(
    whole: RunFolder, tmp_path: Path, verdict: str, moves: int | None, why: str | None
) -> None:
    run = RunFolder.begin(tmp_path / "run", manifest_of())
    first, *others = whole.rows(1)
    run.write(1, table_of([first._replace(verdict=verdict, moves=moves, why_unknown=why), *others]))
    with pytest.raises(InputError, match=r"part-000001\.parquet is damaged"):
        run.tally()


def test_case_22_a_retry_searches_only_the_unknown_deals(tmp_path: Path) -> None:
    """Budgets end where they should: what the small one leaves unknown, the large one decides."""
    run = RunFolder.begin(tmp_path / "run", manifest_of(max_nodes=100))
    finish(run)
    before = rows_of(run)
    unknown = [row["deal"] for row in before if row["verdict"] == "unknown"]
    assert unknown
    assert all(row["why_unknown"] == "nodes" for row in before if row["deal"] in unknown)
    assert all(row["nodes"] <= 100 for row in before)

    run.note_retry(10_000, 64 << 20)
    work = finish(run, retry=Budget(10_000, 64 << 20))
    assert (work.searched, work.total) == (len(unknown), len(unknown))
    after = rows_of(run)
    assert [row for row in after if row["deal"] not in unknown] == [row for row in before if row["deal"] not in unknown]
    whole = RunFolder.begin(tmp_path / "whole", manifest_of())
    finish(whole)
    assert after == rows_of(whole)
    assert [retry.max_nodes for retry in RunFolder(run.path).manifest.retries] == [10_000]
    assert finish(run, retry=Budget(10_000, 64 << 20)).searched == 0


def test_case_22_memory_is_a_budget_too(tmp_path: Path) -> None:
    """Far too little of it leaves deals unknown and says why; never lost."""
    run = RunFolder.begin(tmp_path / "run", manifest_of(max_memory=1))
    finish(run)
    short = [row for row in rows_of(run) if row["verdict"] == "unknown"]
    assert short
    assert {row["why_unknown"] for row in short} == {"memory"}


def test_the_engine_that_is_named_searches(tmp_path: Path) -> None:
    """The same verdicts, found by the other search, which the manifest names; its nodes are positions."""
    run = RunFolder.begin(tmp_path / "run", manifest_of(deals="ms:24-26", engine="general", max_nodes=20_000))
    finish(run)
    assert (run.manifest.engine, run.manifest.node_unit) == ("general", "position")
    rules = rules_of("citadel")
    outcomes = [solve(deal(name, rules), rules, engine="general") for name in ("ms:24", "ms:25", "ms:26")]
    assert [row.nodes for row in run.rows(0)] == [outcome.nodes for outcome in outcomes]
    assert [row.verdict for row in run.rows(0)] == ["won", "lost", "lost"]
    with pytest.raises(InputError, match="engine is general, not quota"):
        RunFolder.begin(tmp_path / "run", manifest_of(deals="ms:24-26", max_nodes=20_000))


def test_a_retry_does_not_repeat_what_its_budget_cannot_change(tmp_path: Path) -> None:
    run = RunFolder.begin(tmp_path / "run", manifest_of(max_nodes=100))
    finish(run)
    assert finish(run, retry=Budget(100, 64 << 20)).searched == 0


def test_shares_are_merged(whole: RunFolder, tmp_path: Path) -> None:
    shares = []
    for share in (1, 2, 3):
        run = RunFolder.begin(tmp_path / f"share-{share}", manifest_of())
        work = finish(run, shard=(share, 3))
        assert work.searched == work.total
        shares.append(run)
    assert [share.finished_chunks() for share in shares] == [[0, 3], [1, 4], [2]]
    merged = merge(shares, tmp_path / "merged")
    assert files_of(merged) == files_of(whole)
    assert rows_of(merged) == rows_of(whole)
    with pytest.raises(InputError, match=r"both hold part-000000\.parquet"):
        merge([*shares, whole], tmp_path / "again")
    other = RunFolder.begin(tmp_path / "other", manifest_of(max_nodes=11))
    with pytest.raises(InputError, match="different runs: max-nodes is 10000, not 11"):
        merge([shares[0], other], tmp_path / "again")


def test_damaged_parts_are_not_merged(whole: RunFolder, tmp_path: Path) -> None:
    share = RunFolder.begin(tmp_path / "share", manifest_of())
    for chunk in range(2):
        share.part(chunk).write_bytes(whole.part(chunk).read_bytes())
    share.part(1).write_bytes(whole.part(1).read_bytes()[:500])
    with pytest.raises(InputError, match=r"part-000001\.parquet is damaged"):
        merge([share], tmp_path / "merged")
    assert RunFolder(tmp_path / "merged").finished_chunks() == [0]
    share.part(1).write_bytes(whole.part(1).read_bytes())
    assert merge([share], tmp_path / "merged").finished_chunks() == [0, 1]


def test_a_merge_reads_each_part_once(whole: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    usual = Path.open

    def count_opened(path: Path, *arguments: Any, **options: Any) -> Any:
        if path.parent == whole.path and path.name.startswith("part-"):
            opened.append(path.name)
        return usual(path, *arguments, **options)

    monkeypatch.setattr(Path, "open", count_opened)
    merged = merge([whole], tmp_path / "merged")
    assert opened == [whole.part(chunk).name for chunk in whole.finished_chunks()]
    assert merged.tally() == whole.tally()


def test_shares_that_were_searched_again_are_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If all of them were, with one budget, at whatever time; also a share with nothing left to search."""
    shares = [RunFolder.begin(tmp_path / f"share-{share}", manifest_of(max_nodes=100)) for share in (1, 2)]
    budget = Budget(10_000, 64 << 20)
    for number, run in enumerate(shares, 1):
        finish(run, shard=(number, 2))
    for number, run in enumerate(shares, 1):
        monkeypatch.setattr("solver.runs.manifest.now", lambda number=number: f"2027-01-0{number}T00:00:00+00:00")
        run.note_retry(budget.max_nodes, budget.max_memory)
        finish(run, retry=budget)
        if number == 1:
            with pytest.raises(InputError, match=r"share-1 was searched again with 10000 nodes .*share-2 never"):
                merge(shares, tmp_path / "merged")
    merged = merge(shares, tmp_path / "merged")
    assert merged.manifest.retry_budgets() == shares[1].manifest.retry_budgets()
    assert merged.tally().deals == 22


def test_shares_may_write_into_one_folder(whole: RunFolder, tmp_path: Path) -> None:
    for share in (2, 1):
        finish(RunFolder.begin(tmp_path / "run", manifest_of()), shard=(share, 2))
    assert rows_of(RunFolder(tmp_path / "run")) == rows_of(whole)


def test_shares_may_begin_a_run_in_one_folder_at_the_same_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second one is whole while the first has not renamed its manifest."""
    path, manifest, rename = tmp_path / "run", manifest_of(), Path.rename

    def second(aside: Path, target: Path) -> Path:
        monkeypatch.setattr(Path, "rename", rename)
        RunFolder.begin(path, manifest)
        return rename(aside, target)

    monkeypatch.setattr(Path, "rename", second)
    assert RunFolder.begin(path, manifest).manifest == manifest
    assert [file.name for file in path.iterdir()] == ["manifest.json"]


NOTING = """
import sys
from pathlib import Path
from solver.runs.folder import RunFolder

for number in range(1, 21):
    RunFolder(Path(sys.argv[1])).note_retry(number, 1 << 20)
"""


def test_many_processes_may_write_one_file_at_once(tmp_path: Path) -> None:
    """None of them takes what another one is writing for something that a kill has left."""
    run = RunFolder.begin(tmp_path / "run", manifest_of())
    command = [sys.executable, "-c", NOTING, str(run.path)]
    noting = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(6)]
    assert [process.communicate()[1] for process in noting] == [""] * 6
    assert files_of(run) == ["manifest.json"]
    assert RunFolder(run.path).manifest.retries[-1].max_nodes == 20


def engine(monkeypatch: pytest.MonkeyPatch, of: Callable[[Position], SearchResult]) -> None:
    """Have deals searched by a function of the position."""

    def search(position: Position, rules: Rules, **_: Any) -> SearchResult:
        assert rules == rules_of("citadel")
        return of(position)

    use_engine(monkeypatch, search)


def test_a_fault_of_the_engine_is_said_and_ends_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as a win without its moves: never won, never lost."""
    broken = deal("ms:2", "citadel")
    engine(monkeypatch, lambda position: SearchResult(WON if position == broken else LOST, 7))
    run = RunFolder.begin(tmp_path / "run", manifest_of(deals="ms:1-3"))
    work = finish(run)
    assert [row.verdict for row in run.rows(0)] == ["lost", "unknown", "lost"]
    assert run.rows(0)[1].why_unknown == "fault"
    (fault,) = work.faults
    assert fault.startswith("ms:2: the referee refuses")


def test_a_slow_deal_holds_up_only_its_own_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = deal("ms:1", "citadel")
    flag = np.zeros(1, np.uint8)

    def search(position: Position, _rules: Rules, *, abort: np.ndarray, **_: Any) -> SearchResult:
        while position == slow and not flag[0] and not abort[0]:
            pass
        return SearchResult(OUT_OF_NODES if position == slow else LOST, 1)

    use_engine(monkeypatch, search)
    run = RunFolder.begin(tmp_path / "run", manifest_of(deals="ms:1-2000", chunk=100))
    work = Work(run)
    batch = Batch(work, 2)
    while len(run.finished_chunks()) < 19:
        batch.step(1)
    assert run.finished_chunks() == list(range(1, 20))
    flag[0] = 1
    while not batch.finished:
        batch.step(1)
    batch.stop(10)
    assert run.tally().lost == 1999


def test_a_failing_disk_loses_nothing_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = RunFolder.begin(tmp_path / "run", manifest_of(deals="ms:24-25", chunk=1))

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    finish(run, shard=(1, 2))
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", fail)
        with pytest.raises(InputError, match=r"cannot write .*part-000001\.parquet: No space left on device"):
            finish(run, shard=(2, 2))
    assert files_of(run) == ["manifest.json", "part-000000.parquet"]
    assert finish(run).searched == 1
