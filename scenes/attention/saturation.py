"""What saturation does to the softmax: the largest entry of its Jacobian, for raw and scaled scores, as d_k grows."""

import numpy as np

from scenes.attention.functions import Array, Values, largest_slope, random_rows, softmax

FAINT = 0.01  # a slope below this is called faint


def compute(largest: int = 512, n_keys: int = 4, rows: int = 1000, seed: int = 2017) -> Values:
    """Means over random rows for d_k = 1, 2, 4, ... `largest`; entries normal with mean 0 and variance 1."""
    d_k = 2 ** np.arange(largest.bit_length())
    root = np.sqrt(d_k)
    queries, keys = random_rows(rows, n_keys, largest, seed)
    scores = [(keys[..., :d] @ queries[:, :d, None])[..., 0] for d in d_k]
    raw = [softmax(score) for score in scores]
    scaled = [softmax(score / divisor) for score, divisor in zip(scores, root, strict=True)]
    mean_raw, mean_scaled = (np.array([largest_slope(p).mean() for p in weights]) for weights in (raw, scaled))
    return {
        "d_k": d_k,
        "raw": mean_raw,
        "scaled": mean_scaled,
        "scaled_per_score": mean_scaled / root,
        "first": mean_raw[0],
        "last_per_score": mean_scaled[-1] / root[-1],
        "faint": FAINT,
        **at_largest(raw[-1], "raw"),
        **at_largest(scaled[-1], "scaled"),
    }


def at_largest(weights: Array, name: str) -> Values:
    """Single numbers at the last d_k: mean slopes, of all entries and of the winners alone; share of faint rows."""
    winner = weights.max(axis=1)
    slopes = largest_slope(weights)
    return {
        f"last_{name}": slopes.mean(),
        f"winner_{name}": (winner * (1 - winner)).mean(),
        f"faint_{name}": (slopes < FAINT).mean(),
    }


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
