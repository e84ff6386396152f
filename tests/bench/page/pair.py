"""Attention of random queries and keys, with and without scaling."""

from typing import Any

import numpy as np

SHIFT = 0


def compute(seed: int, d_k: int) -> dict[str, Any]:
    queries, keys = np.random.default_rng(seed).normal(size=(2, 4, d_k))
    scores = queries @ keys.T + SHIFT * np.eye(4)
    raw, scaled = softmax(scores), softmax(scores / np.sqrt(d_k))
    tokens = ["the", "cat", "sat", "down"]
    return {"tokens": tokens, "raw": raw, "scaled": scaled, "before": entropy(raw), "after": entropy(scaled)}


def draw(figure: Any, values: dict[str, Any]) -> None:
    for axis, name in zip(figure.subplots(1, 2, sharey=True), ("raw", "scaled"), strict=True):
        axis.imshow(values[name], cmap="Greens", vmin=0, vmax=1)
        axis.set_title(name)
        axis.set_xlabel("key")
        axis.set_xticks(range(4), values["tokens"], rotation=45)
        axis.set_yticks(range(4), values["tokens"])


def softmax(scores: Any) -> Any:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def entropy(weights: Any) -> float:
    return float(-(weights * np.log2(weights)).sum(axis=-1).mean())
