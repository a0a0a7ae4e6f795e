"""The quota engine: the search over classes. docs/search.md, sections 4 and 5, has the theory.

Reading order: ``images`` (what a rung proves lost), ``schedule`` (one iteration, and the order of all of them),
``class_search`` (the engine's front), ``closed_sets`` (the evidence of a lost deal). Imports the plumbing, ``classes``
and ``line``.
"""
