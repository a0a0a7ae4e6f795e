"""Compiled shuffles and deals, for batches: the twins of ``solver.shuffles`` and ``solver.deals``.

Imports the plumbing alone.
"""
