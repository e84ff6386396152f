from pathlib import Path


def compute():
    Path("scratch.txt").write_text("x")
    return {"a": 1}
