def compute(n=1, size=0.5, masked=False, mask="none"):
    return {"total": n + size}
