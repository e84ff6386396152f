"""A curve."""
import numpy as np
def compute():
    return {"x": np.arange(5.0)}
def draw(figure, values):
    axes = figure.add_subplot()
    axes.plot(values["x"], values["x"] ** 2)
    axes.set_title("text")
