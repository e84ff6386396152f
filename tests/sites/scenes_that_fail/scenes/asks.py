def compute():
    return {"answer": input()}
