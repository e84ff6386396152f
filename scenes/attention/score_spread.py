"""Why raw scores grow: the spread of q·k over random queries and keys follows the square root of d_k."""

import numpy as np

from scenes.attention.functions import Values

BLOCK = 16  # coordinates drawn at a time: a block of samples stays in the processor's cache


def compute(largest: int = 512, samples: int = 20_000, seed: int = 2017) -> Values:
    """Standard deviation of q·k for d_k = 1 to `largest`; entries normal with mean 0 and variance 1."""
    random = np.random.default_rng(seed)
    d_k = np.arange(1, largest + 1)
    spread = np.empty(largest)
    score = np.zeros(samples, dtype=np.float32)
    for start in range(0, largest, BLOCK):
        shape = (min(BLOCK, largest - start), samples)
        terms = random.standard_normal(shape, dtype=np.float32)
        terms *= random.standard_normal(shape, dtype=np.float32)
        terms[0] += score
        scores = np.cumsum(terms, axis=0, out=terms)  # row i: the scores with d_k = start + i + 1 coordinates
        spread[start : start + BLOCK] = scores.std(axis=1, dtype=np.float64)
        score = scores[-1]
    root = np.sqrt(d_k)
    return {
        "d_k": d_k,
        "spread": spread,
        "root": root,
        "spread_of_one": spread[0],
        "spread_of_largest": spread[-1],
        "root_of_largest": root[-1],
        "worst": np.abs(spread / root - 1).max(),
        "tolerance": 0.05,
    }


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
