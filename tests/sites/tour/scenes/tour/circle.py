import numpy as np


def compute(points: int = 40) -> dict:
    angles = np.linspace(0, 2 * np.pi, points)
    return {"x": np.cos(angles), "y": np.sin(angles), "turn": angles[-1]}


def draw(figure, values):
    axes = figure.subplots()
    axes.plot(values["x"], values["y"])
    axes.set_aspect("equal")
