def compute(:
    return {}
