"""Numba kernels and their packed data. Knows nothing of files, click or text."""
