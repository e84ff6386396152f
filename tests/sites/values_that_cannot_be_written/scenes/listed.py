def compute():
    return {"x": ["a", "b\x1f"]}
