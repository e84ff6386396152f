"""Scores become weights, with and without scaling."""

import numpy as np

from scenes.tour.functions import entropy, softmax

TOKENS = ["the", "cat", "sat", "down"]
SCORES = np.array([[0.0, 4.0, 1.0, 0.0], [3.0, 0.0, 5.0, 0.0], [0.0, 5.0, 0.0, 3.0], [0.0, 3.0, 5.0, 0.0]])


def compute(d_k: int = 4) -> dict:
    raw, scaled = softmax(SCORES), softmax(SCORES / np.sqrt(d_k))
    return {
        "tokens": TOKENS,
        "raw": raw,
        "scaled": scaled,
        "n_tokens": len(TOKENS),
        "entropy_raw": entropy(raw).mean(),
        "entropy_scaled": entropy(scaled).mean(),
        "winner": scaled.max(),
    }
