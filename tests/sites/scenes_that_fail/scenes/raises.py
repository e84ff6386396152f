def compute():
    return helper()


def helper():
    raise ValueError("bad é")
