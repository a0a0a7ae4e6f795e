"""Many deals a call, without the interpreter's lock: dealt, searched, turned into moves, replayed.

Imports the plumbing, ``dealing``, ``replaying``, ``classes``, ``line`` and ``quota``.
"""
