"""The odd numbers from one on add up to squares."""

import numpy as np


def compute(terms: int = 10) -> dict:
    counts = np.arange(1, terms + 1)
    sums = np.cumsum(2 * counts - 1)
    return {"counts": counts, "sums": sums, "total": sums[-1]}
