"""Citadel solver: proves castle-family solitaire deals won or lost.

The names below are the library's front door; they load on first use, so that the import is instant.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from solver.version import __version__

if TYPE_CHECKING:
    from solver.analysis import Analysis as Analysis
    from solver.analysis import MoveVerdict as MoveVerdict
    from solver.analysis import analyze as analyze
    from solver.batch import Solved as Solved
    from solver.batch import solve_many as solve_many
    from solver.certificates import Proof as Proof
    from solver.certificates import prove as prove
    from solver.checking.self_check import SelfCheck as SelfCheck
    from solver.checking.self_check import selfcheck as selfcheck
    from solver.deals import DealId as DealId
    from solver.errors import InputError as InputError
    from solver.notation import board_text as board_text
    from solver.notation import move_text as move_text
    from solver.notation import parse_board as parse_board
    from solver.notation import parse_moves as parse_moves
    from solver.position import Move as Move
    from solver.position import Position as Position
    from solver.referee import Certificate as Certificate
    from solver.referee import Check as Check
    from solver.referee import check_certificate as check_certificate
    from solver.referee import replay as replay
    from solver.rules import VARIANTS as VARIANTS
    from solver.rules import Rules as Rules
    from solver.rules import rules_of as rules_of
    from solver.solving import Outcome as Outcome
    from solver.solving import Verdict as Verdict
    from solver.solving import deal as deal
    from solver.solving import solve as solve

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
    "Solved": "solver.batch",
    "VARIANTS": "solver.rules",
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


if not TYPE_CHECKING:  # a type checker would take every name for one of these, and all of them for Any

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module 'solver' has no attribute {name!r}")
        return getattr(import_module(_HOMES[name]), name)
