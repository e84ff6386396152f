def compute():
    return {"x": eval(compile("1 +", "formula", "eval"))}
