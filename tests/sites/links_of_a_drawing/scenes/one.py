def compute():
    return {"x": 1}


def draw(figure, values):
    axes = figure.subplots()
    axes.plot([1, 2], [3, 4])
    axes.text(1, 3.5, "up").set_url("#one")
    axes.text(1, 3.7, "away").set_url("https://example.org/")
