"""The referee: replays move lists by the rules alone. Standard library only, nothing from ``engine``."""

from solver.referee.replay import Replay, replay

__all__ = ["Replay", "replay"]
