"""Compares searches on the first small positions of a seed: what the coverage of kernels is measured with, uncompiled.

NUMBA_DISABLE_JIT=1 coverage run --source=solver/engine tests/uncompiled.py [CASES]
"""

import sys
from itertools import islice

from solver.checking.self_check import cases, compare

if __name__ == "__main__":
    small = (case for case in cases(1) if case.is_small)
    compared = [compare(case) for case in islice(small, int(sys.argv[1]) if len(sys.argv) > 1 else 60)]
    sys.exit(any(comparison.is_difference for comparison in compared))
