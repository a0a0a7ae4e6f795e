"""Runs: whole ranges of deals searched into a folder, a part at a time, so that nothing finished is ever lost.

``manifest`` says what a run is, ``rows`` what is kept of a deal, ``parts`` how rows lie on the disk, ``folder`` puts
them together; ``batch`` searches with threads, ``cluster`` with Dask. Knows nothing of click. ``docs/runs.md``
describes the folder for those who read it without this package.
"""

from solver.runs.batch import Batch, Work
from solver.runs.folder import RunFolder, merge
from solver.runs.manifest import Manifest, Retry, new_manifest
from solver.runs.rows import Budget, Row, moves_of_solution

__all__ = [
    "Batch",
    "Budget",
    "Manifest",
    "Retry",
    "Row",
    "RunFolder",
    "Work",
    "merge",
    "moves_of_solution",
    "new_manifest",
]
