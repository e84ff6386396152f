def compute(symbol="$\frac{1}{2}$"):
    return {"x": "$\theta$", "y": ["a", "$\nabla$"], "tabs": "a\tb", "lines": "no\nabbey"}
