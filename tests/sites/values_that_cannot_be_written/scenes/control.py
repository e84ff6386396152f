def compute():
    return {"x": "a\x01b"}
