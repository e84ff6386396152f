def compute():
    print("x" * 50_000_000)
    return {"a": 1}
