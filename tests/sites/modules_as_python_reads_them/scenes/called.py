class Computes:
    def __call__(self, n=2):
        return {"x": n}


compute = Computes()
