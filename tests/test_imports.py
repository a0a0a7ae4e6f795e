"""Which package may import which: one table for all of ``solver``, the same as the picture in CONTRIBUTING.md."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "solver"

BASE = {"errors", "cards", "rules", "position"}
"""What nearly every room may use: cards, rules, positions, and the exception for bad input."""

DEALING = BASE | {"shuffles", "deals", "notation"}
"""With them a deal's position, and the text of boards and moves."""

MAY_IMPORT: dict[str, set[str]] = {
    "version": set(),
    "errors": set(),
    "cards": set(),
    "rules": {"errors"},
    "position": {"errors", "cards", "rules"},
    "notation": BASE,
    "shuffles": {"errors", "cards"},
    "deals": BASE | {"shuffles"},
    "statistics": set(),
    "crew": set(),
    "files": {"errors"},
    "referee": DEALING,
    "engine": BASE,
    "engine.dealing": BASE | {"shuffles", "engine"},
    "engine.general": BASE | {"engine"},
    "engine.classes": BASE | {"engine"},
    "engine.line": BASE | {"engine", "engine.classes"},
    "engine.quota": BASE | {"engine", "engine.classes", "engine.line"},
    "engine.replaying": BASE | {"engine"},
    "engine.batch": BASE
    | {"engine", "engine.dealing", "engine.classes", "engine.line", "engine.quota", "engine.replaying"},
    "solving": DEALING | {"referee", "engine", "engine.general", "engine.quota"},
    "analysis": DEALING | {"solving"},
    "certificates": DEALING | {"referee", "engine.classes", "engine.general", "engine.quota", "solving"},
    "checking": DEALING | {"solving", "statistics"},
    "batch": DEALING | {"engine", "engine.dealing", "engine.replaying", "engine.batch", "solving", "crew"},
    "runs": DEALING
    | {"engine", "engine.dealing", "engine.replaying", "engine.batch", "batch", "solving"}
    | {"statistics", "crew", "files", "version"},
    "lists": DEALING | {"engine", "batch", "statistics", "files", "runs"},
    "report": DEALING | {"referee", "solving", "statistics", "runs", "version"},
    "cli": DEALING
    | {"referee", "engine", "engine.dealing", "solving", "analysis", "certificates", "checking", "batch"}
    | {"runs", "lists", "report"}
    | {"statistics", "crew", "files", "version", ""},
    "__main__": {"cli"},
    "": {"version", "errors", "position", "rules", "deals", "notation", "referee"}
    | {"solving", "analysis", "certificates", "checking", "batch"},
}
"""For each room what it may import besides itself; ``""`` is the front door, ``solver/__init__.py``.

``engine`` is the plumbing beside the engine's sub-packages. The order is from the bottom up.
"""


def room_of(module: str) -> str:
    """The room of a module, named without its ``solver.``: the longest name in the table that it begins with."""
    parts = module.split(".")
    names = [".".join(parts[:length]) for length in range(len(parts), 0, -1)]
    return next((name for name in names if name in MAY_IMPORT), names[0])


def imports_of(file: Path) -> set[str]:
    """The modules of ``solver`` that a file imports anywhere in it, named without ``solver.``."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            if node.module == "solver":  # a module, or one of the front door's names
                found |= {each.name if (SOURCE / f"{each.name}.py").exists() else "" for each in node.names}
            elif node.module is not None and node.module.startswith("solver."):
                found |= {f"{node.module}.{each.name}".removeprefix("solver.") for each in node.names}
        elif isinstance(node, ast.Import):
            names = [each.name for each in node.names if each.name.split(".")[0] == "solver"]
            found |= {name.removeprefix("solver").removeprefix(".") for name in names}
    return found


@cache
def rooms() -> dict[str, set[str]]:
    """What each room really imports, itself left out."""
    found: dict[str, set[str]] = {}
    for file in SOURCE.rglob("*.py"):
        module = ".".join(file.relative_to(SOURCE).with_suffix("").parts).removesuffix("__init__").removesuffix(".")
        room = room_of(module)
        found.setdefault(room, set()).update({room_of(each) for each in imports_of(file)} - {room})
    return found


@pytest.mark.parametrize("room", sorted(rooms()))
def test_a_room_imports_only_what_it_may(room: str) -> None:
    assert room in MAY_IMPORT, "a room that the table does not name"
    assert rooms()[room] <= MAY_IMPORT[room]


def test_the_table_names_only_rooms_that_exist() -> None:
    assert set(MAY_IMPORT) == set(rooms())
    assert set.union(*MAY_IMPORT.values()) <= set(MAY_IMPORT)


def test_imports_point_one_way() -> None:
    """No room can be reached from itself: the table's order is a proof, each room imports from earlier ones only.

    The front door is left out: it imports everything, lazily, and the commands ask it for what is public.
    """
    order = [room for room in MAY_IMPORT if room]
    for number, room in enumerate(order):
        assert MAY_IMPORT[room] - {""} <= set(order[:number]), room


def test_an_import_is_seen_wherever_it_stands(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(
        "import solver.runs.batch\n"
        "from solver import solving, solve\n"
        "def f():\n    from solver.engine.jit import kernel\n"
    )
    assert {room_of(module) for module in imports_of(file)} == {"runs", "solving", "", "engine"}


def picture() -> dict[str, set[str]]:
    """The table of CONTRIBUTING.md, read."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    rows = re.findall(r"^\| `solver/?([\w./]*)` \|[^|]*\| (.*) \|$", text, re.MULTILINE)
    names = {row: row.removesuffix(".py").strip("/").replace("/", ".") for row, _ in rows}
    return {names[row]: set(re.findall(r"`([\w.]+)`", imports)) for row, imports in rows}


def test_the_picture_in_contributing_is_this_table() -> None:
    """If this fails: python tests/test_imports.py prints the rows as they should be, without their descriptions."""
    shown = {"" if room == "__init__" else room: imports for room, imports in picture().items()}
    assert shown == {room: {each or "solver" for each in imports} for room, imports in MAY_IMPORT.items()}


def path_of(room: str) -> str:
    """Where a room lies, as the picture shows it."""
    path = room.replace(".", "/") if room else "__init__"
    return f"solver/{path}/" if (SOURCE / path).is_dir() else f"solver/{path}.py"


if __name__ == "__main__":
    order = list(MAY_IMPORT)
    for room, imports in MAY_IMPORT.items():
        listed = ", ".join(f"`{each or 'solver'}`" for each in sorted(imports, key=order.index)) or "-"
        print(f"| `{path_of(room)}` |  | {listed} |")
