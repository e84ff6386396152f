"""Several narrow heads and one wide head have the same number of parameters, and one wide product runs them all."""

import numpy as np

from scenes.attention.functions import Array, Values, attention


def compute(d_model: int = 512, heads: int = 8, n_tokens: int = 16, seed: int = 2017) -> Values:
    """Parameters of one full-width head and of `heads` narrow ones, and the narrow ones run one by one and at once."""
    rng = np.random.default_rng(seed)
    d_k, rest = divmod(d_model, heads)
    if rest:
        raise ValueError(f"d_model must be a multiple of heads, found {d_model} and {heads}")
    tokens = rng.standard_normal((n_tokens, d_model))
    # Queries, keys and values of each head; the square root keeps what they produce at variance 1.
    projections = rng.standard_normal((3, heads, d_model, d_k)) / np.sqrt(d_model)
    output = rng.standard_normal((heads * d_k, d_model)) / np.sqrt(d_model)
    one_by_one, batched = run_one_by_one(tokens, projections, output), run_batched(tokens, projections, output)
    full, of_a_head = parameters(d_model, 1, d_model), projections[:, 0].size
    return {
        "lengths": np.array([[full, *[0] * heads, 0], [0, *[of_a_head] * heads, output.size]]),
        "bars": ["one head", f"{heads} heads"],
        "parts": ["one head of full width", *["a narrow head"] * heads, "output projection"],
        "d_k": d_k,
        "one_head": of_a_head,
        "projections": projections.size,
        "output": output.size,
        "total_heads": projections.size + output.size,
        "total_one": full,
        "total_full_width_heads": parameters(d_model, heads, d_model),
        "difference": np.abs(one_by_one - batched).max(),
        "size_of_outputs": np.abs(batched).max(),
        "tolerance": 1e-12,
    }


def parameters(d_model: int, heads: int, width: int) -> int:
    """The number of parameters of `heads` heads of this width: queries, keys, values and the output projection."""
    return 3 * heads * d_model * width + heads * width * d_model


def run_one_by_one(tokens: Array, projections: Array, output: Array) -> Array:
    """Each head by itself, as the paper writes it: concatenate what they return, then project."""
    queries, keys, values = projections
    outputs = [
        attention(tokens @ query, tokens @ key, tokens @ value)
        for query, key, value in zip(queries, keys, values, strict=True)
    ]
    return np.concatenate(outputs, axis=1) @ output


def run_batched(tokens: Array, projections: Array, output: Array) -> Array:
    """All heads at once: one wide product for queries, keys and values, then cut into heads."""
    _, heads, d_model, d_k = projections.shape
    wide = projections.transpose(2, 0, 1, 3).reshape(d_model, 3 * heads * d_k)
    queries, keys, values = (tokens @ wide).reshape(len(tokens), 3, heads, d_k).transpose(1, 2, 0, 3)
    mixed = attention(queries, keys, values)
    return mixed.transpose(1, 0, 2).reshape(len(tokens), heads * d_k) @ output


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
