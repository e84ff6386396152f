import numpy as np


def compute(rate: float = 0.5) -> dict:
    n = np.array([1, 2, 4, 8, 16, 32])
    return {"n": n, "fast": np.exp(-rate * n), "slow": 1 / n, "last": 1 / n[-1]}
