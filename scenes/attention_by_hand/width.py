"""What the square root of d_k is for: weights and slopes of random sentences, with scaling and without."""

import numpy as np

from scenes.attention.functions import Values, entropy, largest_slope, softmax

WORDS = ["my", "dog", "never", "chases", "your", "cat"]
PLACES = ["largest", "second", "third", "fourth", "fifth", "smallest"]
FAINT = 0.01  # a slope below this is called faint


def compute(d_k: int = 8, scaled: bool = False, sentences: int = 200, seed: int = 2017) -> Values:
    """Weights of the first of many sentences, and means over the rows of all of them.

    Entries are normal with mean 0 and variance 1. Longer vectors begin with the entries of the shorter ones.
    """
    rng = np.random.default_rng(seed)
    queries, keys = np.moveaxis(rng.standard_normal((d_k, 2, sentences, len(WORDS))), 0, -1)
    scores = queries @ np.swapaxes(keys, 1, 2)
    divisor = np.sqrt(d_k) if scaled else 1.0
    weights = softmax(scores / divisor)
    slopes = largest_slope(weights)
    by_place = np.sort(weights, axis=2)[..., ::-1].mean(axis=(0, 1))
    return {
        "words": WORDS,
        "places": PLACES,
        "weights": weights[0],
        "by_place": by_place,
        "largest": by_place[0],
        "divisor": divisor,
        "rows": slopes.size,
        "typical_score": scores.std(),
        "entropy": entropy(weights).mean(),
        "slope": slopes.mean(),
        "faint": FAINT,
        "faint_rows": (slopes < FAINT).mean(),
        "most_bits": np.log2(len(WORDS)),
    }


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
