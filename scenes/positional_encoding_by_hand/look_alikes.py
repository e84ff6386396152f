"""How alike two positions are by their distance, and the later distance that looks most like none at all."""

import numpy as np

from scenes.attention.functions import Values, frequencies, positional_encoding


def compute(
    base: float = 10_000, d_model: int = 64, furthest: int = 511, near: int = 4, repeats_from: float = 0.98
) -> Values:
    """Similarity, 1 for a position with itself, up to the distance `furthest`; look-alikes are further than `near`."""
    distances = np.arange(furthest + 1)
    encoding = positional_encoding(distances, d_model, base)
    similarity = encoding @ encoding[0] / (d_model / 2)
    later = similarity[near + 1 :]
    repeats = np.flatnonzero(similarity > repeats_from)[1:]  # the first is the distance 0
    return {
        "distances": distances,
        "similarity": similarity,
        "level": np.full(len(distances), later.max()),
        "best": later.max(),
        "best_at": near + 1 + later.argmax(),
        "least": similarity.min(),
        "far": similarity[len(distances) // 2 :].mean(),
        "first_repeat": repeats[0] if len(repeats) else furthest + 1,
        "repeats": f"for the first time at distance {repeats[0]}" if len(repeats) else "at none of these distances",
        "hands": d_model // 2,
        "slow": (furthest * frequencies(d_model, base) < np.pi / 2).sum(),
    }


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
