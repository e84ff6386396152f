"""Why raw scores grow: the spread of q·k over random queries and keys follows the square root of d_k."""

import numpy as np

from scenes.attention.functions import Values


def compute(largest: int = 512, samples: int = 20_000, seed: int = 2017) -> Values:
    """Standard deviation of q·k for d_k = 1 to `largest`; entries normal with mean 0 and variance 1."""
    rng = np.random.default_rng(seed)
    queries, keys = rng.standard_normal((2, largest, samples), dtype=np.float32)
    scores = np.cumsum(queries * keys, axis=0)  # row i holds the scores of vectors cut to i + 1 entries
    spread = scores.std(axis=1, dtype=np.float64)
    d_k = np.arange(1, largest + 1)
    root = np.sqrt(d_k)
    return {
        "d_k": d_k,
        "spread": spread,
        "root": root,
        "spread_of_one": spread[0],
        "spread_of_largest": spread[-1],
        "worst": np.abs(spread / root - 1).max(),
        "tolerance": 0.05,
    }


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
