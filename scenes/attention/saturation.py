"""How saturation flattens the softmax: the largest entry of its Jacobian, for raw and scaled scores, as d_k grows."""

import numpy as np

from scenes.attention.functions import Values, largest_slope, random_rows, scores_of_rows, softmax

FAINT = 0.01  # a slope below this is called faint


def compute(largest: int = 512, n_keys: int = 4, rows: int = 1000, seed: int = 2017) -> Values:
    """Means over random rows for d_k = 1, 2, 4, ... `largest`; entries normal with mean 0 and variance 1."""
    d_k = 2 ** np.arange(largest.bit_length())
    root = np.sqrt(d_k)
    queries, keys = random_rows(rows, n_keys, largest, seed)
    scores = np.array([scores_of_rows(queries[:, :d], keys[..., :d]) for d in d_k])
    raw, scaled = softmax(scores), softmax(scores / root[:, None, None])
    slopes_raw, slopes_scaled = largest_slope(raw), largest_slope(scaled)
    winner = raw.max(axis=-1)
    mean_raw, mean_scaled = slopes_raw.mean(axis=1), slopes_scaled.mean(axis=1)
    return {
        "d_k": d_k,
        "raw": mean_raw,
        "scaled": mean_scaled,
        "scaled_per_score": mean_scaled / root,
        "first": mean_raw[0],
        "last_raw": mean_raw[-1],
        "last_scaled": mean_scaled[-1],
        "last_per_score": mean_scaled[-1] / root[-1],
        "faint": FAINT,
        "faint_raw": (slopes_raw[-1] < FAINT).mean(),
        "faint_scaled": (slopes_scaled[-1] < FAINT).mean(),
        "from_winners_own": np.abs(slopes_raw - winner * (1 - winner)).max(),
        "tolerance": 1e-12,
    }


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
