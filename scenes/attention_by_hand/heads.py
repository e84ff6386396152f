"""The same projections cut into more and more heads: what stays, what grows and what each head loses."""

import numpy as np

from scenes.attention.functions import Array, Values


def compute(heads: int = 8, n_words: int = 72, d_model: int = 64, shown: int = 16, seed: int = 2017) -> Values:
    """Scores of random words in each head, their rank, and the counts of parameters and of exponentials."""
    rng = np.random.default_rng(seed)
    words = rng.standard_normal((n_words, d_model))
    projections = rng.standard_normal((4, d_model, d_model)) / np.sqrt(d_model)  # for Q, K, V and the output
    queries, keys = (cut(words @ projection, heads) for projection in projections[:2])
    d_k = queries.shape[2]
    scores = queries @ np.swapaxes(keys, 1, 2) / np.sqrt(d_k)
    singular = np.linalg.svd(scores[0], compute_uv=False)
    ranks = np.linalg.matrix_rank(scores)
    return {
        "scores": scores[0, :shown, :shown],
        "numbers": np.arange(1, shown + 1),
        "order": np.arange(1, n_words + 1),
        "singular": singular / singular[0],
        "d_k": d_k,
        "least_rank": ranks.min(),
        "greatest_rank": ranks.max(),
        "favourites": len(set(scores[0].argmax(axis=1))),
        "parameters": sum(projection.size for projection in projections),
        "exponentials": scores.size,
    }


def cut(wide: Array, heads: int) -> Array:
    """The queries, keys or values of all heads, (n, d_model), cut into heads: (heads, n, d_model / heads)."""
    return wide.reshape(len(wide), heads, -1).swapaxes(0, 1)


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
