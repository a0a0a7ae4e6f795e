"""The types that ``py.typed`` promises: a program sees those of the public names, though they load on first use."""

import ast
import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

import solver

ROOT = Path(solver.__file__).parent.parent


def promised() -> dict[str, str]:
    """The public names and their modules, as ``if TYPE_CHECKING`` imports them."""
    tree = ast.parse((ROOT / "solver" / "__init__.py").read_text())
    (block,) = (node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    assert len(imports) == len(block.body)
    return {alias.asname or alias.name: str(node.module) for node in imports for alias in node.names}


def test_what_is_loaded_is_what_type_checkers_see() -> None:
    assert promised() == solver._HOMES
    assert sorted(solver.__all__) == sorted(["__version__", *promised()])
    for name, home in promised().items():
        assert getattr(solver, name) is getattr(import_module(home), name)


def test_every_public_name_has_a_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    api = pytest.importorskip("mypy.api")
    program = tmp_path / "program.py"
    names = sorted(solver.__all__)
    shown = [f"reveal_type(solver.{name})" for name in names]
    uses = [
        "position = solver.deal('ms:24', 'citadel')",
        "reveal_type(solver.solve(position, 'citadel').verdict)",
        "reveal_type(solver.prove(position, 'citadel').file)",
        "solver.solve(position, 7)",
        "solver.no_such_name_that_anyone_gave",
    ]
    program.write_text("\n".join(["import solver", *shown, *uses]) + "\n")
    monkeypatch.setenv("MYPYPATH", str(ROOT))
    options = ["--strict", "--config-file", "", "--no-incremental", "--follow-imports=silent"]
    options += ["--ignore-missing-imports", "--python-version", f"3.{max(12, sys.version_info.minor)}"]
    report, problems, _ = api.run([*options, str(program)])
    assert not problems
    found = {
        int(line): type_ for line, type_ in re.findall(r'program\.py:(\d+): note: Revealed type is "(.*)"', report)
    }
    for number, name in enumerate(names, 2):
        assert found[number] != "Any", name
        assert found[number].rpartition("-> ")[2] != "Any", name
    last = len(names) + 1
    assert "solver.solving.Verdict" in found[last + 2]
    assert "bytes" in found[last + 3]
    assert re.search(rf'program\.py:{last + 4}: error: Argument 2 to "solve"', report)
    assert re.search(rf"program\.py:{last + 5}: error: Module has no attribute", report)
