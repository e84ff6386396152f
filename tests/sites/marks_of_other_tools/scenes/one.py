def compute():
    return {"a": 5.0, "n": 12}
