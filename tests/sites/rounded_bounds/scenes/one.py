def compute(n=8):
    return {"worst": 0.01306, "least": 0.9685, "sum": 0.1 + 0.2, "word": "it"}
