import functools


@functools.lru_cache
def compute(n=2):
    return {"x": n}
