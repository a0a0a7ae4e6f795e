"""The compiled part: numba kernels and their packed data. Knows nothing of files, click or text.

Two engines search, and never import each other. They are told apart by what they call a node:

    general/   searches positions, under every rule set; a node is a position
    quota/     searches classes of positions, where single cards move for good; a node is a class

The rooms, each importing from the plumbing and from the rooms named here alone (``tests/test_imports.py`` holds them
to it):

    plumbing   jit (the decorators), code_cache (their machine code on disk), bits (sets of cards), result (how a
               search ended)
    dealing/   shuffles and deals, the compiled twins of ``solver.shuffles`` and ``solver.deals``
    classes/   what a class is, the steps out of it, its skeleton, and the memory that searches of classes share
    line/      from a won line of classes to single moves; imports classes
    quota/     the quota search and the closed sets of lost deals; imports classes and line
    general/   the general engine
"""
