def compute():
    return {"a": bytearray(1 << 60)}
