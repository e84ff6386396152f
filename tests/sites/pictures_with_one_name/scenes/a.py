def compute():
    return {"n": 1}
