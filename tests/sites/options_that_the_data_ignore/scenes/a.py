import numpy as np


def compute():
    return {
        "grid": np.eye(3),
        "holes": np.array([[np.nan, 1.0]]),
        "plain": np.arange(1.0, 4),
        "parts": np.ones((2, 3)),
        "truth": np.eye(3, dtype=bool),
        "names": ["x", "y", "z"],
        "masked": np.ma.masked_array([1, 2, 3], [False, True, False]),
    }
