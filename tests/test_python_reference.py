"""The reference of the Python API: it is current and complete, and its examples run."""

import doctest
import inspect
from pathlib import Path

import pytest

import solver
from solver.cli.python_reference import GROUPS, VALUES, python_reference

ROOT = Path(__file__).parent.parent
NAMES = [name for name in solver.__all__ if name not in VALUES]


def test_the_reference_page_is_fresh() -> None:
    """If this fails: python -m solver.cli.python_reference > docs/python.md"""
    assert (ROOT / "docs/python.md").read_text() == python_reference()


def test_every_public_name_has_its_place() -> None:
    grouped = [name for _, names in GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(solver.__all__)


@pytest.mark.parametrize("name", [name for name in NAMES if inspect.isfunction(getattr(solver, name))])
def test_every_function_has_an_example(name: str) -> None:
    assert ">>> " in (inspect.getdoc(getattr(solver, name)) or "")


@pytest.mark.parametrize("name", NAMES)
def test_examples(name: str) -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for example in finder.find(getattr(solver, name), f"solver.{name}", globs={"solver": solver}):
        assert runner.run(example).failed == 0, example.name
