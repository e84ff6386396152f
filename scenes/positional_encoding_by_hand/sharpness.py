"""The same head, blunt and sharp: its largest weight is in the right place either way, but how large is it?"""

import numpy as np

from scenes.attention.functions import Values, positional_encoding
from scenes.attention.rotation import hits, look_back

D_MODEL = 16


def compute(
    sharpness: float = 1,
    distance: int = 3,
    n_positions: int = 16,
    vocabulary: int = 8,
    sentences: int = 1000,
    seed: int = 2017,
) -> Values:
    """Weights; hits at all distances; and how often the word meant outweighs every other word of a sentence."""
    encoding = positional_encoding(np.arange(n_positions), D_MODEL)
    weights = look_back(encoding, distance, sharpness)
    meant = np.diagonal(weights, -distance)
    words = np.random.default_rng(seed).integers(vocabulary, size=(sentences, n_positions))
    heard = (weights @ np.eye(vocabulary)[words]).argmax(axis=-1)  # the word with most weight, at each position
    return {
        "weights": weights,
        "positions": np.arange(n_positions),
        "last_row": weights[-1],
        "last_meant": n_positions - 1 - distance,
        "weight": meant[-1],
        "rest": 1 - meant[-1],
        "least": meant.min(),
        "look_ups": sum(n_positions - k for k in range(n_positions)),
        "hits": sum(hits(look_back(encoding, k, sharpness), k) for k in range(n_positions)),
        "right": (heard[:, distance:] == words[:, :-distance]).mean(),
    }


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
