def compute():
    pass
