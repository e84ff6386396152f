import numpy as np


def compute(n=1):
    return {"y": n * 1.5, "v": np.array([[1], [2]])}
