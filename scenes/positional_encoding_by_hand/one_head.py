"""A head that looks back by one distance, the turn that it is made of, and what it finds at other distances."""

import numpy as np

from scenes.attention.functions import Values, frequencies, positional_encoding
from scenes.attention.rotation import hits, look_back, rotation
from scenes.positional_encoding_by_hand.functions import dial


def compute(distance: int = 3, n_positions: int = 16, d_model: int = 16, sharpness: float = 32) -> Values:
    """Weights, queries by keys; how far the queries' hands are turned back; and look-ups that find their place."""
    weights = look_back(positional_encoding(np.arange(n_positions), d_model), distance, sharpness)
    others = [k for k in range(n_positions) if k != distance]
    turns = -distance * frequencies(d_model)[::-1]
    turned = rotation(-distance, d_model)
    dial_sines, dial_cosines = dial()
    return {
        "weights": weights,
        "positions": np.arange(n_positions),
        "dial_sines": dial_sines,
        "dial_cosines": dial_cosines,
        "dial_sizes": np.zeros(len(dial_sines)),
        "sines": np.sin(turns),
        "cosines": np.cos(turns),
        "sizes": np.arange(len(turns), 0, -1),
        "look_ups": n_positions - distance,
        "hits": hits(weights, distance),
        "other_look_ups": sum(n_positions - k for k in others),
        "other_hits": sum(hits(weights, k) for k in others),
        "nearest_turn": min(np.linalg.norm(turned - rotation(-k, d_model)) for k in others),
        "lost": distance,
        "least_winner": weights.max(axis=1).min(),
        "first_looks_for": -distance,
        "first_looks_at": weights[0].argmax(),
        "first_weight": weights[0].max(),
    }


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
