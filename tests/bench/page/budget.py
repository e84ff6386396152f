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
