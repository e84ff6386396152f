import numpy as np


def compute(heads: int = 8) -> dict:
    lengths = np.array([[0.0] * heads + [64.0], [6.0] * heads + [16.0]])
    return {
        "lengths": lengths,
        "bars": ["one part", "many parts"],
        "parts": [*(f"part {n + 1}" for n in range(heads)), "rest"],
        "total": lengths[0].sum(),
        "other_total": lengths[1].sum(),
    }
