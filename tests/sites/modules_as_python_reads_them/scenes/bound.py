import functools


def computes(n, m=2):
    return {"x": n + m}


compute = functools.partial(computes, n=1)
