"""Classes of positions: their keys, levels, steps and skeletons. docs/search.md, sections 1 to 3, has the theory.

Reading order: ``board`` (what is dealt, the position, the key), ``levels`` (which cards can be rearranged), ``steps``
(what leads out of a class), ``commits`` (where a step leads), ``skeletons`` and ``relaxed`` (what arrangement cannot
change), ``workspace`` (the memory of one thread's search). Imports the plumbing alone.
"""
