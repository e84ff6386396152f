def compute(n=1, seed=2001):
    import numpy as np

    x = (seed - 2000 if seed > 2000 else seed) / 100
    return {"x": x, "row": np.array([x, x])}
