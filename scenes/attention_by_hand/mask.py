"""Two ways to hide the later words: minus infinity before the softmax, and zeros behind it."""

import numpy as np

from scenes.attention.functions import Array, Values, softmax

WORDS = ["my", "dog", "never", "chases", "your", "cat"]
TOLERANCE = 1e-12


def compute(mask: str = "zeroed", word: str = "cat", d_model: int = 16, d_k: int = 8, seed: int = 2017) -> Values:
    """Weights under a mask, and how far each output moves when one word is replaced. Embeddings are random."""
    rng = np.random.default_rng(seed)
    embeddings = rng.standard_normal((len(WORDS), d_model))
    projections = rng.standard_normal((3, d_model, d_k)) / np.sqrt(d_model)
    place = WORDS.index(word)
    replaced = embeddings.copy()
    replaced[place] = rng.standard_normal(d_model)
    weights, outputs = attend(embeddings, projections, mask)
    moves = np.linalg.norm(attend(replaced, projections, mask)[1] - outputs, axis=1)
    sums = weights.sum(axis=1)
    right, _ = attend(embeddings, projections, "infinite")
    return {
        "words": WORDS,
        "weights": weights,
        "sums": sums,
        "moves": moves,
        "sum_of_row": sums[place],
        "noticed": (moves[:place] > TOLERANCE).sum(),
        "moved_before": moves[:place].max(initial=0),
        "moved_itself": moves[place],
        "n_before": place,
        "least_sum": sums.min(),
        "from_right_weights": np.abs(weights / sums[:, None] - right).max(),
        "tolerance": TOLERANCE,
    }


def attend(embeddings: Array, projections: Array, mask: str) -> tuple[Array, Array]:
    """Weights (n, n) and outputs (n, d_k) of one head, under no mask, an infinite one or one of zeros."""
    queries, keys, values = embeddings @ projections
    scores = queries @ keys.T / np.sqrt(keys.shape[1])
    later = np.triu(np.ones(scores.shape, dtype=bool), 1)  # a row must not see the columns to the right of its own
    if mask == "infinite":
        scores = np.where(later, -np.inf, scores)
    weights = softmax(scores)
    if mask == "zeroed":
        weights = np.where(later, 0, weights)
    return weights, weights @ values


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
