"""The search of a run's deals on a Dask cluster: a task a chunk; the parts are written here, as by ``batch``.

A worker that dies costs the chunks it was working on, which the scheduler gives to another one. Wants the extra
``cluster``, and this package in the same version on every worker.
"""

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from solver.batch import Pace
from solver.errors import InputError
from solver.runs.batch import Work
from solver.runs.blocks import Found, blocks_of, search_block, search_of
from solver.runs.manifest import read_manifest
from solver.runs.rows import Budget
from solver.version import __version__

if TYPE_CHECKING:
    from distributed import Client, Future

CONNECTING = 10
"""Seconds that a scheduler has to answer."""

AHEAD = 3
"""Chunks a worker's thread that are given to the scheduler at a time: enough that none waits for the next one."""


def search_chunk(manifest_text: str, chunk: int, numbers: list[int], budget: Budget) -> list[Found]:
    """Search some deals of a chunk, on a worker, block by block.

    Raises
    ------
    InputError
        If the run is of another version than the one that the worker has.
    """
    manifest = read_manifest(manifest_text)
    if manifest.version != __version__:
        raise InputError(f"the run is of version {manifest.version}, and a worker has {__version__}")
    search, abort = search_of(manifest, budget), np.zeros(1, np.uint8)
    pace = Pace()
    return [search_block(block, search, abort, pace) for block in blocks_of(manifest, chunk, numbers, pace)]


def connect(address: str) -> "Client":
    """A connection to a scheduler, ``tcp://HOST:8786``.

    Raises
    ------
    InputError
        If Dask is not installed, or no scheduler answers.
    """
    try:
        from distributed import Client
    except ImportError:
        raise InputError("--scheduler wants Dask: pip install 'citadel-solver[cluster]'") from None
    for name in ("distributed.client", "distributed.core", "distributed.comm"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what matters comes as an error
    try:
        return Client(address, timeout=CONNECTING)
    except (OSError, ValueError) as error:
        raise InputError(f"no scheduler answers at {address}: {error}") from None


class ClusterBatch:
    """A cluster that does a run's work; it starts at once.

    Parameters
    ----------
    work
        What is to be done.
    client
        The connection to its scheduler; closed at the end.
    """

    def __init__(self, work: Work, client: "Client") -> None:
        self._client = client
        self._work = work
        self._chunks: Iterator[tuple[int, list[int]]] | None = work.chunks()
        self._given: dict[Future, int] = {}

    @property
    def finished(self) -> bool:
        """Whether all is done."""
        return self._chunks is None and not self._given

    def step(self, seconds: float) -> None:
        """Take in what is known, or wait some seconds for it.

        Raises
        ------
        InputError
            If a part cannot be written, or the workers cannot do the work.
        """
        from distributed import wait

        self._give()
        if not self._given:
            return
        try:
            done = wait(list(self._given), timeout=seconds, return_when="FIRST_COMPLETED").done
        except TimeoutError:
            return
        for future in done:
            chunk = self._given.pop(future)
            try:
                blocks: list[Found] = future.result()
            except Exception as error:  # whatever kept a worker from working: its version, its memory, its end
                raise InputError(f"the cluster cannot search {self._name(chunk)}: {error or repr(error)}") from None
            for found in blocks:
                self._work.add(found)

    def stop(self, grace: float) -> None:
        """End; the chunks that are in work are given up."""
        self._client.cancel(list(self._given), force=True)
        self._client.close(grace)

    def _give(self) -> None:
        """Give the scheduler as many chunks as its workers can use; two even if no worker is there yet."""
        threads = sum(self._client.nthreads().values())
        while self._chunks is not None and len(self._given) < max(AHEAD * threads, 2):
            following = next(self._chunks, None)
            if following is None:
                self._chunks = None
                return
            chunk, numbers = following
            future = self._client.submit(
                search_chunk, self._work.run.manifest.text(), chunk, numbers, self._work.budget, pure=False
            )
            self._given[future] = chunk

    def _name(self, chunk: int) -> str:
        return str(self._work.run.manifest.chunk_deals(chunk))
