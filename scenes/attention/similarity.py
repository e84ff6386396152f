"""How alike two positions look depends on their distance alone, and not in the way one would guess."""

import numpy as np

from scenes.attention.functions import Values, positional_encoding


def compute(n_positions: int = 16, d_model: int = 16, near: int = 10, far: int = 13) -> Values:
    """Dot products between the encodings of all positions, and by distance."""
    positions = np.arange(n_positions)
    encoding = positional_encoding(positions, d_model)
    similarity = encoding @ encoding.T
    by_distance = similarity[0]
    return {
        "similarity": similarity,
        "positions": positions,
        "by_distance": by_distance,
        "least": similarity.min(),
        "one": 1,
        "at_zero": by_distance[0],
        "at_one": by_distance[1],
        "at_near": by_distance[near],
        "at_far": by_distance[far],
        "spread": max(np.ptp(np.diagonal(similarity, k)) for k in positions),
        "tolerance": 1e-12,
    }


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
