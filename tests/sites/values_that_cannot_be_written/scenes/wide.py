def compute():
    return {"x": "a", "y": 10**307}
