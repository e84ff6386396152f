"""A softmax at many temperatures: how soft its weights are, and how steep it is."""

import numpy as np

from scenes.attention.functions import (
    Values,
    entropy,
    largest_slope,
    random_rows,
    scores_of_rows,
    softmax,
    softmax_jacobian,
)

WORDS = ["my", "dog", "never", "chases", "your", "cat"]
SCORES = np.array([0.0, 2, -1, 0.5, 0, 1])  # those of one query, picked by hand


def compute(temperature: float = 1.0, rows: int = 1000, d_k: int = 16, seed: int = 2017) -> Values:
    """One row of weights with its Jacobian, and what many random rows have on average. Scores are scaled."""
    weights = softmax(SCORES / temperature)
    queries, keys = random_rows(rows, len(WORDS), d_k, seed)
    many = softmax(scores_of_rows(queries, keys) / np.sqrt(d_k) / temperature)
    slopes = largest_slope(many)
    return {
        "words": WORDS,
        "weights": weights,
        "jacobian": softmax_jacobian(weights),
        "largest": weights.max(),
        "row_slope": largest_slope(weights),
        "ratio": weights[WORDS.index("dog")] / weights[WORDS.index("cat")],
        "entropy": entropy(many).mean(),
        "slope": slopes.mean(),
        "median_by_score": np.median(slopes / temperature),
        "mean_by_score": (slopes / temperature).mean(),
    }


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
