"""Unscaled scores push the softmax towards one-hot; dividing by the square root of d_k keeps it soft."""

import numpy as np

from scenes.attention.functions import Array, Values, entropy, largest_slope, softmax

TOKENS = ["the", "cat", "sat", "down"]
# The columns are the kinds of word: article, noun, verb, particle. Picked by hand to show the effect, not learned.
KEYS = np.eye(4)
KEEN = 2.5  # what "cat", "sat" and "down" give to the kind they want
SECOND = 1.5  # what they give to the kind they would settle for
QUERIES = np.array([[0, 2, 1, 0], [SECOND, 0, KEEN, 0], [0, KEEN, 0, SECOND], [0, SECOND, KEEN, 0]])
WANTED = [1, 2, 1, 2]  # the word of the kind that each query wants


def compute(d_k: int = 8) -> Values:
    """Attention weights without and with scaling. The kinds are repeated until queries and keys have d_k entries."""
    copies, rest = divmod(d_k, len(TOKENS))
    if copies < 1 or rest:
        raise ValueError(f"d_k must be a multiple of {len(TOKENS)}, the kinds of word, found {d_k}")
    scores = np.tile(QUERIES, copies) @ np.tile(KEYS, copies).T
    raw, scaled = softmax(scores), softmax(scores / np.sqrt(d_k))
    return {
        "tokens": TOKENS,
        "raw": raw,
        "scaled": scaled,
        "entropy_raw": entropy(raw).mean(),
        "entropy_scaled": entropy(scaled).mean(),
        "entropy_ratio": entropy(scaled).mean() / entropy(raw).mean(),
        "wanted": np.array(WANTED),
        "winner_raw": raw.argmax(axis=1),
        "winner_scaled": scaled.argmax(axis=1),
        "won_raw": raw.max(axis=1),
        "won_scaled": scaled.max(axis=1),
        "slope_raw": largest_slope(raw).mean(),
        "slope_scaled": largest_slope(scaled).mean(),
        "n_tokens": len(TOKENS),
        "copies": copies,
        "divisor": np.sqrt(d_k),
        "entropy_of_equal_weights": np.log2(len(TOKENS)),
        "keen_spread": max(spread_of_rows(raw[1:]), spread_of_rows(scaled[1:])),
        "tolerance": 1e-12,
        **vectors(),
        **followed(scores, raw, "raw"),
        **followed(scores / np.sqrt(d_k), scaled, "scaled"),
    }


def spread_of_rows(weights: Array) -> float:
    """How far rows are from holding the same weights in another order: the largest difference once they are sorted."""
    return float(np.ptp(np.sort(weights, axis=1), axis=0).max())


def vectors() -> Values:
    """The entries that the text shows. The mild query belongs to "the", the keen ones to the other three words."""
    return {
        "key_entry": KEYS.max(),
        "mild_first": QUERIES[0, 1],
        "mild_second": QUERIES[0, 2],
        "keen_first": QUERIES[1, 2],
        "keen_second": QUERIES[1, 0],
    }


def followed(scores: Array, weights: Array, name: str) -> Values:
    """Two rows followed from scores to weights: "the", and "cat", which stands for the other three as well."""
    the, cat = 0, 1
    second, first = np.sort(scores[cat])[-2:]
    return {
        f"score_first_{name}": first,
        f"score_second_{name}": second,
        f"lead_{name}": first - second,
        f"odds_{name}": np.exp(first - second),
        f"mild_winner_{name}": weights[the].max(),
        f"keen_winner_{name}": weights[cat].max(),
        f"keen_runner_up_{name}": np.sort(weights[cat])[-2],
    }


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
