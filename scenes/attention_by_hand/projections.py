"""From one projection for queries and keys to two independent ones: who picks itself, and whose picks are mutual."""

import numpy as np

from scenes.attention.functions import Values, softmax

WORDS = ["my", "dog", "never", "chases", "your", "cat"]


def compute(blend: float = 0.0, sentences: int = 1000, d_model: int = 16, d_k: int = 8, seed: int = 2017) -> Values:
    """Scores of random sentences, each with random projections of its own; the first sentence is the one drawn."""
    rng = np.random.default_rng(seed)
    to_query, other = rng.standard_normal((2, sentences, d_model, d_k)) / np.sqrt(d_model)
    embeddings = rng.standard_normal((sentences, len(WORDS), d_model))
    # A quarter turn from the one matrix to the other: entries keep their variance on the way.
    to_key = np.cos(blend * np.pi / 2) * to_query + np.sin(blend * np.pi / 2) * other
    queries, keys = embeddings @ to_query, embeddings @ to_key
    scores = queries @ np.swapaxes(keys, 1, 2) / np.sqrt(d_k)
    others = ~np.eye(len(WORDS), dtype=bool)
    picks_itself = scores.argmax(axis=2) == np.arange(len(WORDS))
    return {
        "words": WORDS,
        "scores": scores[0],
        "weights": softmax(scores[0]),
        "picks_itself_here": picks_itself[0].sum(),
        "picks_itself": picks_itself.mean(),
        "asymmetry": np.abs(scores - np.swapaxes(scores, 1, 2))[:, others].mean(),
        "size_of_scores": np.abs(scores[:, others]).mean(),
        "n_words": len(WORDS),
        "chance": 1 / len(WORDS),
        "tolerance": 1e-12,
    }


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
