A = 1

def compute():
    """   """
    y = 2
    return {"x": y}
