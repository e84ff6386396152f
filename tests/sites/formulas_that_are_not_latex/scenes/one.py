def compute():
    return {"a": 0.5, "b": 2, "names": ["x", "y"]}
