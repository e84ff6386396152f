"""Parameters of a layer, by part, before and after a change of its widths."""

from typing import Any

import numpy as np


def compute(seed: int) -> dict[str, Any]:
    lengths = np.random.default_rng(seed).integers(100, 900, size=(2, 4))
    names = {"layers": ["before", "after"], "parts": ["query", "key", "value", "output"]}
    return {
        **names,
        "lengths": lengths,
        "before": lengths[0].sum(),
        "after": lengths[1].sum(),
        "largest": lengths.max(),
    }


def draw(figure: Any, values: dict[str, Any]) -> None:
    axis, left = figure.subplots(), 0
    for part, lengths in zip(values["parts"], values["lengths"].T, strict=True):
        axis.barh(values["layers"], lengths, left=left, label=part)
        left = left + lengths
    axis.set_title("parameters by part")
    axis.set_xlabel("parameters")
    axis.legend()
