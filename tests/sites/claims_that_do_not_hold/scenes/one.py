import numpy as np


def compute():
    return {"a": 0.5, "b": 2, "m": np.eye(2)}
