"""Arguments of a wrong kind: every public function names the argument and the kind, in one InputError."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import solver
from solver.errors import InputError

RIGHT: dict[str, dict[str, Any]] = {
    "analyze": {"position": solver.Position((13, 13, 13, 12), ((51,),)), "rules": "citadel"},
    "board_text": {"position": solver.Position((13, 13, 13, 12), ((51,),))},
    "check_certificate": {"data": b""},
    "deal": {"deal": "ms:24", "rules": "citadel"},
    "move_text": {"move": solver.Move(51, 0, -1)},
    "parse_board": {"text": "Foundations: H-K C-K D-K S-Q\nKS", "rules": "citadel"},
    "parse_moves": {"text": ""},
    "prove": {"position": solver.Position((13, 13, 13, 12), ((51,),)), "rules": "citadel"},
    "replay": {"position": solver.Position((13, 13, 13, 12), ((51,),)), "rules": "citadel", "moves": []},
    "rules_of": {"variant": "citadel"},
    "selfcheck": {"minutes": 0},
    "solve": {"position": solver.Position((13, 13, 13, 12), ((51,),)), "rules": "citadel"},
    "solve_many": {"deals": [], "rules": "citadel"},
    "Rules": {"variant": "mine"},
    "Rules.with_switches": {"changes": {}},
    "Rules.differences": {"other": solver.rules_of("citadel")},
    "Position.apply": {"move": solver.Move(51, 0, -1), "rules": solver.rules_of("citadel")},
    "Position.why_illegal": {"move": solver.Move(51, 0, -1), "rules": solver.rules_of("citadel")},
    "Position.legal_moves": {"rules": solver.rules_of("citadel")},
    "Position.is_stuck": {"rules": solver.rules_of("citadel")},
    "Position.problems": {"rules": solver.rules_of("citadel")},
}
"""Arguments that are accepted, by function."""

OBJECTS = {"Position": solver.Position((13, 13, 13, 12), ((51,),)), "Rules": solver.rules_of("citadel")}

WRONG: tuple[Any, ...] = (
    "words",
    b"bytes",
    7.5,
    None,
    True,
    ["a", 1],
    {"a": 1},
    Path("file"),
    object(),
    3,
    np.zeros(3),
    lambda: None,
    solver.Move,
    solver.rules_of("citadel"),
)

FITS: dict[str, tuple[type, ...]] = {
    "position": (),
    "rules": (solver.Rules, str),
    "max_nodes": (int,),
    "max_memory": (int,),
    "engine": (str,),
    "abort": (type(None),),
    "deals": (str, list),
    "solutions": (bool,),
    "threads": (int,),
    "symbols": (bool,),
    "short": (bool,),
    "tidy": (bool,),
    "strict": (bool,),
    "check": (bool,),
    "transpose": (bool,),
    "on_verdict": (type(None), type(lambda: None), type),
    "progress": (type(None), type(lambda: None), type),
    "data": (bytes,),
    "text": (str,),
    "deal": (str, int, type(None)),
    "switches": (str, type(None)),
    "move": (),
    "moves": (),
    "ranks": (int,),
    "first_line": (int,),
    "minutes": (int, float),
    "seed": (int, type(None)),
    "variant": (str,),
    "changes": (dict, type(None)),
    "other": (solver.Rules,),
    "piles": (int,),
    "layout": (str,),
}
"""The kinds of WRONG that a parameter takes, right or not; of those the test says nothing."""


def function(name: str) -> Callable[..., Any]:
    """A public function, a class, or a method of an object made for the test."""
    owner, _, method = name.partition(".")
    found = getattr(OBJECTS[owner], method) if method else getattr(solver, name)
    return lambda **arguments: list(made) if inspect.isgenerator(made := found(**arguments)) else made


def parameters(name: str) -> list[str]:
    owner, _, method = name.partition(".")
    found = getattr(OBJECTS[owner], method) if method else getattr(solver, name)
    return list(inspect.signature(found).parameters)


CASES = [(name, parameter) for name in RIGHT for parameter in parameters(name)]


def test_every_public_function_is_tried() -> None:
    functions = {name for name in solver.__all__ if inspect.isfunction(getattr(solver, name))}
    assert functions <= set(RIGHT)
    assert len(CASES) > 50


@pytest.mark.parametrize(("name", "parameter"), CASES, ids=[".".join(case) for case in CASES])
def test_an_argument_of_a_wrong_kind_is_named(name: str, parameter: str) -> None:
    tried = 0
    for wrong in WRONG:
        kinds = FITS.get(parameter, (str, type(None)) if name == "Rules" else ())
        if isinstance(wrong, kinds) and not (isinstance(wrong, bool) and bool not in kinds):
            continue
        given = "skim" if parameter == "switches" else parameter
        with pytest.raises(InputError) as caught:
            function(name)(**RIGHT[name] | {given: wrong})
        named = given.replace("_", "-") if name == "Rules" else given
        assert named in str(caught.value), wrong
        assert "\n" not in str(caught.value)
        tried += 1
    assert tried > 4


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("replay", {"moves": "KS 1 F"}, r"moves\[0\] must be Move, not str"),
        ("replay", {"moves": [(51, 0, -1)]}, r"moves\[0\] must be Move, not tuple"),
        ("replay", {"moves": [solver.Move("KS", 0, -1)]}, r"moves\[0\].card must be int, not str"),  # type: ignore[arg-type]
        ("check_certificate", {"data": Path("a.cert")}, "data must be bytes, not PosixPath"),
        ("board_text", {"position": "KS"}, "position must be Position, not str"),
        (
            "board_text",
            {"position": solver.Position((1, 1, 1, 1), ([3],))},
            r"position.piles\[0\] must be tuple, not list",
        ),  # type: ignore[arg-type]
        ("board_text", {"position": solver.Position((1, 1, 1, 1), ((99,),))}, "cards that no deck has"),
        ("solve", {"position": solver.Position((1, 1, 1, 1), (("KS",),))}, r"piles\[0\]\[0\] must be int, not str"),  # type: ignore[arg-type]
        ("solve", {"position": solver.Position((1, 1, 1), ((3,),))}, "position.foundations must be 4 numbers, not 3"),  # type: ignore[arg-type]
        (
            "solve",
            {"position": solver.Position((0, 0, 0, 0), (), uncovered=4)},
            "must be the number of a pile with cards",
        ),
        ("deal", {"deal": solver.DealId("ms", "24")}, "deal.number must be int, not str"),  # type: ignore[arg-type]
        ("move_text", {"move": solver.Move(52, 0, 1)}, "move.card must be 0 to 51, not 52"),
        ("parse_board", {"ranks": 14}, "ranks must be 1 to 13, not 14"),
    ],
)
def test_what_is_wrong_within_an_argument_is_named(name: str, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        function(name)(**RIGHT[name] | arguments)


def test_whole_numbers_of_numpy_are_whole_numbers() -> None:
    outcome = solver.solve(RIGHT["solve"]["position"], "citadel", max_nodes=np.int64(5))
    assert outcome.verdict == "won"
    game = solver.replay(RIGHT["replay"]["position"], "citadel", [solver.Move(np.int64(51), 0, -1)])  # type: ignore[arg-type]
    assert game.wins
