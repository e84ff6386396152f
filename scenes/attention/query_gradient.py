"""The gradient of a row's largest weight with respect to its query, for raw and for scaled scores, as d_k grows."""

import numpy as np

from scenes.attention.functions import Array, Values, random_rows, scores_of_rows, softmax, softmax_jacobian

FAINT = 0.01  # a gradient shorter than this is called faint
STEEP = 1  # a longer one is called steep


def compute(largest: int = 512, n_keys: int = 4, rows: int = 1000, seed: int = 2017) -> Values:
    """Gradients over random rows for d_k = 1, 2, 4, ... `largest`; entries normal with mean 0 and variance 1."""
    d_k = 2 ** np.arange(largest.bit_length())
    queries, keys = random_rows(rows, n_keys, largest, seed)
    raw = np.array([gradient_lengths(queries[:, :d], keys[..., :d], 1) for d in d_k])
    scaled = np.array([gradient_lengths(queries[:, :d], keys[..., :d], np.sqrt(d)) for d in d_k])
    median_raw = np.median(raw, axis=1)
    leads = lead(queries, keys)
    return {
        "d_k": d_k,
        "mean_raw": raw.mean(axis=1),
        "mean_scaled": scaled.mean(axis=1),
        "median_raw": median_raw,
        "median_scaled": np.median(scaled, axis=1),
        "first_mean": raw[0].mean(),
        "first_median": median_raw[0],
        "peak_median_raw": median_raw.max(),
        "key_length": np.linalg.norm(keys, axis=-1).mean(),
        "root": np.sqrt(largest),
        "faint": FAINT,
        "steep": STEEP,
        "steep_raw": (raw[-1] > STEEP).mean(),
        "lead_of_steep": leads[raw[-1] > STEEP].max(initial=0),
        "median_lead": np.median(leads),
        **at_largest(raw[-1], "raw"),
        **at_largest(scaled[-1], "scaled"),
    }


def gradient_lengths(queries: Array, keys: Array, divisor: float) -> Array:
    """Length of the gradient of each row's largest weight with respect to its query.

    Takes queries (rows, d) and keys (rows, n, d), divides their dot products by `divisor`, and returns (rows,).
    """
    weights = softmax(scores_of_rows(queries, keys) / divisor)
    by_score = softmax_jacobian(weights)[np.arange(len(weights)), weights.argmax(axis=1)]
    lengths: Array = np.linalg.norm(by_score[:, None] @ keys, axis=-1)[:, 0] / divisor
    return lengths


def lead(queries: Array, keys: Array) -> Array:
    """How far each row's best raw score is ahead of its second best: (rows, d) and (rows, n, d) to (rows,)."""
    ordered = np.sort(scores_of_rows(queries, keys), axis=1)
    ahead: Array = ordered[:, -1] - ordered[:, -2]
    return ahead


def at_largest(lengths: Array, name: str) -> Values:
    """Numbers at the last d_k: mean, median, share of faint rows, and the share of the sum in the steepest fifth."""
    ordered = np.sort(lengths)
    return {
        f"last_mean_{name}": lengths.mean(),
        f"last_median_{name}": np.median(lengths),
        f"faint_{name}": (lengths < FAINT).mean(),
        f"steepest_fifth_{name}": ordered[-(len(ordered) // 5) :].sum() / ordered.sum(),
    }


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
