def computes():
    return {}
