def compute():
    return compute()
