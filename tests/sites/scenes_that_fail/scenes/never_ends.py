def compute():
    while True: pass
