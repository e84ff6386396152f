TEMPLATE = "%d %% of 500 cells"


def title(share):
    return TEMPLATE % round(100 * share)
