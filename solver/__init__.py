"""Citadel solver: proves castle-family solitaire deals won or lost.

The names below are the library's front door; they load on first use, so that the import is instant.
"""

from importlib import import_module
from typing import Any

from solver.version import __version__

_HOMES = {
    "Analysis": "solver.analysis",
    "Certificate": "solver.referee",
    "Check": "solver.referee",
    "DealId": "solver.deals",
    "InputError": "solver.errors",
    "Move": "solver.position",
    "MoveVerdict": "solver.analysis",
    "Outcome": "solver.solving",
    "Position": "solver.position",
    "Proof": "solver.certificates",
    "Rules": "solver.rules",
    "SelfCheck": "solver.checking.self_check",
    "VARIANTS": "solver.rules",
    "Solved": "solver.batch",
    "Verdict": "solver.solving",
    "analyze": "solver.analysis",
    "board_text": "solver.notation",
    "check_certificate": "solver.referee",
    "deal": "solver.solving",
    "move_text": "solver.notation",
    "parse_board": "solver.notation",
    "parse_moves": "solver.notation",
    "prove": "solver.certificates",
    "replay": "solver.referee",
    "rules_of": "solver.rules",
    "selfcheck": "solver.checking.self_check",
    "solve": "solver.solving",
    "solve_many": "solver.batch",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'solver' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
