"""What saturation does to learning: slopes of the softmax over random scores, raw and scaled, as d_k grows."""

import numpy as np

from scenes.attention.functions import Array, Values, largest_slope, softmax, softmax_jacobian

FAINT = 0.01  # a slope below this is called faint


def compute(largest: int = 512, n_keys: int = 4, rows: int = 1000, seed: int = 2017) -> Values:
    """Slopes of random rows of attention for d_k = 1, 2, 4, ... `largest`; entries normal with variance 1."""
    random = np.random.default_rng(seed)
    queries = random.standard_normal((rows, 1, largest))
    keys = random.standard_normal((rows, n_keys, largest))
    d_k = 2 ** np.arange(largest.bit_length())
    root = np.sqrt(d_k)
    scores = [(queries[..., :d] @ keys[..., :d].transpose(0, 2, 1))[:, 0] for d in d_k]
    raw = [softmax(score) for score in scores]
    scaled = [softmax(score / divisor) for score, divisor in zip(scores, root, strict=True)]
    mean_raw, mean_scaled = (np.array([largest_slope(p).mean() for p in weights]) for weights in (raw, scaled))
    at_query_raw, at_query_scaled = (
        np.array([query_slope(p, keys[..., :d]) for p, d in zip(weights, d_k, strict=True)])
        for weights in (raw, scaled)
    )
    return {
        "d_k": d_k,
        "raw": mean_raw,
        "scaled": mean_scaled,
        "scaled_per_score": mean_scaled / root,
        "query_raw": np.median(at_query_raw, axis=1),
        "query_scaled": np.median(at_query_scaled, axis=1) / root,
        "first": mean_raw[0],
        "per_score": mean_scaled[-1] / root[-1],
        "query_raw_peak": np.median(at_query_raw, axis=1).max(),
        "query_raw_median": np.median(at_query_raw[-1]),
        "query_raw_mean": at_query_raw[-1].mean(),
        "query_scaled_median": np.median(at_query_scaled[-1]) / root[-1],
        "key_length": np.linalg.norm(keys, axis=-1).mean(),
        "root_of_largest": root[-1],
        "faint": FAINT,
        **at_largest(raw[-1], "raw"),
        **at_largest(scaled[-1], "scaled"),
    }


def query_slope(weights: Array, keys: Array) -> Array:
    """Length of the gradient of each row's largest weight with respect to its query, when the scores are q·k.

    Weights (rows, n) and keys (rows, n, d) to (rows,).
    """
    by_score = softmax_jacobian(weights)[np.arange(len(weights)), weights.argmax(axis=1)]
    slopes: Array = np.linalg.norm(by_score[:, None] @ keys, axis=-1)[:, 0]
    return slopes


def at_largest(weights: Array, name: str) -> Values:
    """Single numbers at the last d_k: mean slopes, of all entries and of the winners alone; share of faint rows."""
    winner = weights.max(axis=1)
    slopes = largest_slope(weights)
    return {
        f"mean_{name}": slopes.mean(),
        f"winner_{name}": (winner * (1 - winner)).mean(),
        f"faint_{name}": (slopes < FAINT).mean(),
    }


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
