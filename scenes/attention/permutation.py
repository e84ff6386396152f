"""Attention alone has no notion of order: shuffled tokens give shuffled outputs, until positions are added."""

import numpy as np

from scenes.attention.functions import Array, Values, attention, positional_encoding

TOKENS = ["the", "cat", "sat", "down"]
SHUFFLE = [2, 0, 3, 1]


def compute(d_model: int = 16, d_k: int = 8, seed: int = 2017) -> Values:
    """How far each output, tokens by d_k, moves when the sentence is shuffled, without and with positions added."""
    rng = np.random.default_rng(seed)
    tokens = rng.standard_normal((len(TOKENS), d_model))
    projections = rng.standard_normal((3, d_model, d_k)) / np.sqrt(d_model)
    places = positional_encoding(np.arange(len(TOKENS)), d_model)
    without = moved(tokens, np.zeros_like(places), projections)
    with_positions = moved(tokens, places, projections)
    return {
        "tokens": TOKENS,
        "shuffled": " ".join(TOKENS[i] for i in SHUFFLE),
        "columns": np.arange(d_k),
        "without": without,
        "with_positions": with_positions,
        "largest_without": without.max(),
        "largest_with": with_positions.max(),
        "mean_with": with_positions.mean(),
        "tolerance": 1e-12,
    }


def moved(tokens: Array, places: Array, projections: Array) -> Array:
    """The difference, output by output, between shuffling the tokens before attention and the outputs after it."""
    before = attend(tokens[SHUFFLE] + places, projections)
    after = attend(tokens + places, projections)[SHUFFLE]
    return np.abs(before - after)[np.argsort(SHUFFLE)]


def attend(inputs: Array, projections: Array) -> Array:
    """One head of self-attention: (n, d_model) inputs to (n, d_k) outputs."""
    queries, keys, values = inputs @ projections
    return attention(queries, keys, values)


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
