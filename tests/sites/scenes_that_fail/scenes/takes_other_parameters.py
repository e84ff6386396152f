def compute(size=1, /, *, width=2):
    return {}
