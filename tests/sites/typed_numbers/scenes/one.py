import numpy as np


def compute(heads=8):
    return {"less": 0.6474, "more": 1.6504, "total": 1048576, "x": np.arange(3.0), "y": np.arange(3.0)}
