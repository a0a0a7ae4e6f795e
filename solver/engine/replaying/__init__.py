"""Replaying a list of moves, compiled: the twin of ``solver.referee.replay``, for batches.

Imports ``jit`` alone. It shares nothing with the searches whose wins it replays; that independence is what it is for.
"""
