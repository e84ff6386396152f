"""What becomes of a head that looks back when words are added to the positions."""

import numpy as np

from scenes.attention.functions import Values, positional_encoding
from scenes.attention.rotation import look_back, rotation

SHARPNESS = 32
BINS = {"none": 0, "up to a quarter": 1 / 4, "up to a half": 1 / 2, "up to three quarters": 3 / 4, "more": 1 - 1e-9}


def compute(
    size: float = 0.2,
    distance: int = 3,
    n_positions: int = 16,
    d_model: int = 16,
    sentences: int = 500,
    seed: int = 2017,
) -> Values:
    """Weights of the first sentence; and over all sentences, where the head looks. Words are random normal vectors."""
    words = size * np.random.default_rng(seed).standard_normal((sentences, n_positions, d_model))
    places = positional_encoding(np.arange(n_positions), d_model)
    turn = rotation(-distance, d_model).T
    scores = (places + words) @ turn @ np.swapaxes(places + words, 1, 2)
    scores_of_places = places @ turn @ places.T
    asked = np.arange(distance, n_positions)  # the positions that have one that far back
    looks_at = scores[:, asked].argmax(axis=-1)
    shares = (looks_at == asked - distance).mean(axis=1)
    return {
        "weights": look_back(places + words[0], distance, SHARPNESS),
        "positions": np.arange(n_positions),
        "counts": np.bincount(np.searchsorted(list(BINS.values()), shares), minlength=len(BINS) + 1),
        "bins": [*BINS, "all"],
        "share": shares.mean(),
        "worst_sentence": shares.min(),
        "best_sentence": shares.max(),
        "itself": (looks_at == asked).mean(),
        "chance": 1 / n_positions,
        "word_length": np.linalg.norm(words, axis=-1).mean(),
        "place_length": np.linalg.norm(places[0]),
        "lead": np.diff(np.sort(scores_of_places[-1]))[-1],
        "shift": (scores - scores_of_places).std(),
    }


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
