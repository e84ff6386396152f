def compute():
    return {"x": "\ud800"}
