def compute(sep="\x1f", rows=({"a": ["\x7f"]},)):
    return {"x": 1}
