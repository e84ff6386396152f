"""Random queries and keys: without scaling their weights freeze as d_k grows, with scaling they stay soft."""

import numpy as np

from scenes.attention.functions import Values, entropy, softmax

TOKENS = ["the", "cat", "sat", "down"]
SURE = 0.99  # a winner with more weight than this has its row to itself


def compute(d_k: int = 64, sentences: int = 250, seed: int = 2017) -> Values:
    """Weights of the first of many random sentences, raw and scaled, and means over the rows of all of them.

    Entries are normal with mean 0 and variance 1. Longer vectors begin with the entries of the shorter ones.
    """
    rng = np.random.default_rng(seed)
    queries, keys = np.moveaxis(rng.standard_normal((d_k, 2, sentences, len(TOKENS))), 0, -1)
    scores = queries @ np.swapaxes(keys, 1, 2)
    raw, scaled = softmax(scores), softmax(scores / np.sqrt(d_k))
    return {
        "tokens": TOKENS,
        "raw": raw[0],
        "scaled": scaled[0],
        "rows": raw.shape[0] * raw.shape[1],
        "entropy_raw": entropy(raw).mean(),
        "entropy_scaled": entropy(scaled).mean(),
        "won_raw": raw.max(axis=2).mean(),
        "won_scaled": scaled.max(axis=2).mean(),
        "sure": SURE,
        "sure_raw": (raw.max(axis=2) > SURE).mean(),
    }


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
