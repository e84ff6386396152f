def compute(width=512):
    return {"less": 0.6474, "total": 7}
