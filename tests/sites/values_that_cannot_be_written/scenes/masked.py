import numpy as np


def compute():
    return {"x": np.ma.array([1.0, 2.0], mask=True).mean(), "y": np.ma.array(1, mask=True)}
