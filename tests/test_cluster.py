"""A run on a Dask cluster: a real scheduler and real workers on this machine."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import run, run_apart, use_engine

from solver.deals import parse_deals
from solver.engine.result import LOST, SearchResult
from solver.errors import InputError
from solver.rules import rules_of
from solver.runs import cluster
from solver.runs.batch import Work
from solver.runs.folder import RunFolder
from solver.runs.manifest import new_manifest
from solver.runs.rows import Budget

pytest.importorskip("distributed", reason="wants the extra cluster")

PATIENCE = 120
DEALS = ["--deals", "ms:1-400", "--max-nodes", "5000", "--memory", "64M", "--chunk", "10"]


def rows_of(folder: Path) -> list[dict[str, Any]]:
    """All rows of a run without their times."""
    return [{**row, "seconds": None} for row in RunFolder(folder).table().to_pylist()]


class Cluster:
    """A scheduler and two workers, each a process that ends with the test."""

    def __init__(self, folder: Path) -> None:
        about = folder / "scheduler.json"
        self.processes: list[subprocess.Popen[bytes]] = []
        self._log = (folder / "log").open("wb")
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(about))
        end = time.monotonic() + PATIENCE
        while not about.exists() and time.monotonic() < end:
            time.sleep(0.05)
        self.address: str = json.loads(about.read_text())["address"]
        for number in (1, 2):
            place = str(folder / f"worker-{number}")
            self._start(
                "worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", place
            )

    def _start(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "dask", *arguments]
        self.processes.append(subprocess.Popen(command, stdout=self._log, stderr=self._log))

    def end(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()
        self._log.close()


@pytest.fixture(name="dask")
def real_cluster(tmp_path: Path) -> Iterator[Cluster]:
    dask = Cluster(tmp_path)
    yield dask
    dask.end()


def test_same_rows_with_a_worker_killed_in_the_middle(dask: Cluster, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    arguments = ["run", *DEALS, "--out", str(folder), "--scheduler", dask.address, "-q"]
    with subprocess.Popen([sys.executable, "-m", "solver", *arguments], stderr=subprocess.PIPE) as process:
        end = time.monotonic() + PATIENCE
        while len(list(folder.glob("part-*.parquet"))) < 3 and time.monotonic() < end:
            time.sleep(0.001)
        dask.processes[1].kill()
        parts = len(list(folder.glob("part-*.parquet")))
        _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (0, b"")
    assert parts < 40
    assert run_apart("run", *DEALS, "--out", str(tmp_path / "here"), "-q", "--jobs", "2").returncode == 0
    assert rows_of(folder) == rows_of(tmp_path / "here")


def test_chunks_are_searched_as_by_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process, so that the engine can be made up."""
    from distributed import LocalCluster

    use_engine(monkeypatch, lambda *_, **__: SearchResult(LOST, 3))
    manifest = new_manifest(rules_of("citadel"), parse_deals("ms:1-25"), max_nodes=9, max_memory=9, chunk=4)
    folder = RunFolder.begin(tmp_path / "run", manifest)
    with LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0") as here:
        work = Work(folder)
        batch = cluster.ClusterBatch(work, cluster.connect(here.scheduler_address))
        while not batch.finished:
            batch.step(1)
        batch.stop(5)
    assert work.searched == 25
    assert folder.finished_chunks() == list(range(7))
    assert folder.tally().lost == 25


def test_a_worker_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = new_manifest(rules_of("citadel"), parse_deals("ms:1-2"), max_nodes=9, max_memory=9)
    monkeypatch.setattr(cluster, "__version__", "0.0.0")
    with pytest.raises(InputError, match=r"a worker has 0\.0\.0"):
        cluster.search_chunk(manifest.text(), 0, [1, 2], Budget(9, 9))


def test_no_scheduler_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECTING", 0.2)
    result = run("run", "--deals", "1-2", "--out", str(tmp_path / "run"), "--scheduler", "tcp://127.0.0.1:1")
    assert result.exit_code == 2
    assert "no scheduler answers at tcp://127.0.0.1:1" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_without_dask_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = run("run", "--deals", "1-2", "--out", str(tmp_path / "run"), "--scheduler", "tcp://127.0.0.1:1")
    assert result.exit_code == 2
    assert "citadel-solver[cluster]" in result.stderr
