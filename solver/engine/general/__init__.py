"""The general engine: the search over positions, under every rule set. docs/general.md has the theory.

Reading order: ``state`` (the packed position), ``play`` (its moves), ``visited`` (the set of positions seen),
``position_search`` (the search, and the engine's front), ``enumeration`` (all positions of a lost deal), ``polish``
(shorter wins). Imports the plumbing alone.
"""
