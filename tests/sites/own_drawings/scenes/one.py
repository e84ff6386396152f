def compute():
    return {"steps": [0, 1, 2]}


def outside(figure, values):
    axes = figure.subplots()
    axes.plot(values["steps"])
    figure.text(1.1, 0.5, "far away")
    axes.annotate("the peak", (9, 9))


def crowded(figure, values):
    axes = figure.subplots()
    axes.plot(values["steps"])
    axes.set_xticks(range(3), [f"the name of {name}" * 9 for name in ("one", "two", "three")], rotation=90)
    figure.set_layout_engine("tight")


def colours(figure, values):
    axes = figure.subplots()
    axes.plot(values["steps"], color="navy", label="loss")
    axes.text(0, 1, "white words", color="white")
    axes.text(0, 2, "black words", color="black")
    axes.text(1, 0, "grey words", color="0.3")
