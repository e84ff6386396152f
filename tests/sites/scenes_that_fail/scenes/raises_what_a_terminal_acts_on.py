def compute():
    raise ValueError("a\nb\x1b[31m\r c\u202e")
