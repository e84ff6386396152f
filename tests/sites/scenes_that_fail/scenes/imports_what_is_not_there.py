import not_there


def compute():
    return {}
