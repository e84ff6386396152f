def compute():
    return {"x": 3}
