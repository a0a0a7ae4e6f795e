"""From a won line of classes to a short line of single moves. docs/search.md, section 6, has the theory.

Imports the plumbing and ``classes``.
"""
