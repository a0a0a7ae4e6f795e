"""Searches that check each other: a naive search, a sampler of positions, and ``citadel selfcheck`` on top of them.

``naive`` and ``samples`` use nothing of the engines; ``self_check`` has both engines search what they draw.
"""
