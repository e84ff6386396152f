"""How alike two positions look depends on their distance alone, and not in the way one would guess."""

import numpy as np
from numpy.typing import NDArray

from scenes.attention.functions import Array, Values, frequencies, positional_encoding


def compute(n_positions: int = 16, d_model: int = 16, near: int = 3, far: int = 6, later: int = 19) -> Values:
    """Dot products between the encodings of all positions; and by distance, with what each pair of columns adds."""
    positions, distances = np.arange(n_positions), np.arange(2 * n_positions)
    encoding = positional_encoding(positions, d_model)
    similarity = encoding @ encoding.T
    cosines = np.cos(distances[:, None] * frequencies(d_model))  # distances by pairs
    by_distance = cosines.sum(axis=1)
    return {
        "similarity": similarity,
        "positions": positions,
        "distances": distances,
        "by_distance": by_distance,
        "first_hand": cosines[:, 0],
        "least": similarity.min(),
        "at_zero": by_distance[0],
        "at_one": by_distance[1],
        "at_two": by_distance[2],
        "at_near": by_distance[near],
        "at_far": by_distance[far],
        "at_later": by_distance[later],
        "first_hand_near": cosines[near, 0],
        "first_hand_far": cosines[far, 0],
        "change_of_others": cosines[far, 1:] - cosines[near, 1:],
        "hills": peaks(by_distance),
        "crests": peaks(cosines[:, 0]),
        "from_the_sum": max(np.abs(np.diagonal(similarity, -k) - by_distance[k]).max() for k in positions),
        "tolerance": 1e-12,
    }


def peaks(line: Array) -> NDArray[np.int64]:
    """The places, except the two ends, where a line is higher than on both sides."""
    inner = line[1:-1]
    return 1 + np.flatnonzero((inner > line[:-2]) & (inner > line[2:]))


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
