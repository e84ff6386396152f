def compute():
    return {"y": 1 / 0}
