from scenes.mark_helper import y


def compute():
    return {"x": y}
