import numpy as np


def compute():
    return {
        "m": np.eye(3),
        "v": np.arange(3.0),
        "n": 3,
        "cube": np.zeros((4, 4, 5)),
        "none": np.zeros((0, 5)),
        "names": ["x", "y"],
        "negative": -np.eye(2),
    }
