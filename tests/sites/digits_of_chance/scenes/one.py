def compute(n=400, seed=2017):
    k = seed % 20
    return {"mean": 0.45 + k / 200, "hits": 765 + 2 * k, "word": "odd" if seed % 2 else "even", "rest": k / 1000}
