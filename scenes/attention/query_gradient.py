"""What reaches the query: the gradient of a row's largest weight, for raw and for scaled scores, as d_k grows."""

import numpy as np

from scenes.attention.functions import Array, Values, random_rows, softmax, softmax_jacobian


def compute(largest: int = 512, n_keys: int = 4, rows: int = 1000, seed: int = 2017) -> Values:
    """Medians over random rows for d_k = 1, 2, 4, ... `largest`; entries normal with mean 0 and variance 1."""
    d_k = 2 ** np.arange(largest.bit_length())
    queries, keys = random_rows(rows, n_keys, largest, seed)
    raw = np.array([gradient_lengths(queries[:, :d], keys[..., :d], 1.0) for d in d_k])
    scaled = np.array([gradient_lengths(queries[:, :d], keys[..., :d], np.sqrt(d)) for d in d_k])
    median_raw, median_scaled = np.median(raw, axis=1), np.median(scaled, axis=1)
    return {
        "d_k": d_k,
        "raw": median_raw,
        "scaled": median_scaled,
        "peak_raw": median_raw.max(),
        "last_raw": median_raw[-1],
        "last_scaled": median_scaled[-1],
        "last_mean_raw": raw[-1].mean(),
        "key_length": np.linalg.norm(keys, axis=-1).mean(),
        "root": np.sqrt(largest),
    }


def gradient_lengths(queries: Array, keys: Array, divisor: float) -> Array:
    """Length of the gradient of each row's largest weight with respect to its query.

    Queries (rows, d) and keys (rows, n, d), whose dot products are divided by `divisor`, to (rows,).
    """
    weights = softmax((keys @ queries[..., None])[..., 0] / divisor)
    by_score = softmax_jacobian(weights)[np.arange(len(weights)), weights.argmax(axis=1)]
    lengths: Array = np.linalg.norm(by_score[:, None] @ keys, axis=-1)[:, 0] / divisor
    return lengths


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
