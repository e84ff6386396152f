import numpy as np


def compute(
    xs,
    top,
    low=float("nan"),
    limit=float("inf"),
    pairs=((1, float("inf")), {"a": None, 2: -float("inf")}),
    third=np.float32(0.1),
    norm=np.linalg.norm,
    random=np.random.default_rng(0),
    grid=np.arange(3),
    names={"a"},
    root=1j,
    thing=object(),
):
    xs.sort()
    xs.append(9)
    return {"x": len(xs)}
