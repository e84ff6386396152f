"""One query turns full circle: the weights follow the keys, and the mixture wanders among the values."""

import itertools

import numpy as np

from scenes.attention.functions import Array, Values, softmax

WORDS = ["dog", "never", "chases", "cat"]
# Picked by hand: the directions of the keys, in degrees, and the places of the values.
DIRECTIONS = np.array([20, 110, 190, 290])
VALUES = np.array([[4.0, 1], [-3, -2], [0, 4], [-4, 2]])
LENGTH = 3  # of the query; keys have length 1


def compute(angle: int = 20, step: int = 5) -> Values:
    """Weights and mixture of a query in one direction, and the path of the mixture over all directions."""
    weights, all_weights = weights_at(angle), weights_at(np.arange(0, 360, step))
    mixture, path = weights @ VALUES, all_weights @ VALUES
    distances = np.linalg.norm(VALUES - mixture, axis=1)
    gaps = [np.linalg.norm(a - b) for a, b in itertools.combinations(VALUES, 2)]
    return {
        "words": WORDS,
        "weights": weights,
        "winner": WORDS[weights.argmax()],
        "largest": weights.max(),
        "smallest": weights.min(),
        "most": all_weights.max(),
        "nearest_word": WORDS[distances.argmin()],
        "weight_of_nearest": weights[distances.argmin()],
        "nearest": distances.min(),
        "to_winner": distances[weights.argmax()],
        "least_gap": min(gaps),
        "outside": beyond_hull(mixture, VALUES),
        "tolerance": 1e-12,
        "mixture_x": mixture[:1],
        "mixture_y": mixture[1:],
        "mixture_size": np.array([0.25]),
        "path_x": path[:, 0],
        "path_y": path[:, 1],
        "path_size": np.zeros(len(path)),
        **{f"{word}_{name}": value for i, word in enumerate(WORDS) for name, value in drawn(i, weights[i]).items()},
    }


def weights_at(angle: Array | int) -> Array:
    """The weights of a query in a direction, or in many: (...) degrees to (..., words)."""
    scores = LENGTH * np.cos(np.radians(np.asarray(angle)[..., None] - DIRECTIONS))
    return softmax(scores / np.sqrt(2))


def beyond_hull(point: Array, corners: Array) -> float:
    """How far a point lies outside of the hull of some corners; not above 0 if it lies inside.

    The sides of the hull join two corners, so it is enough to look at right angles to every such line.
    """
    sides = np.array([a - b for a, b in itertools.permutations(corners, 2)])
    outwards = np.stack([sides[:, 1], -sides[:, 0]], axis=1) / np.linalg.norm(sides, axis=1, keepdims=True)
    return float((outwards @ point - (outwards @ corners.T).max(axis=1)).max())


def drawn(word: int, weight: float) -> Values:
    """What the figure needs of a word: its value's place, and its weight as a size."""
    return {"x": VALUES[word, :1], "y": VALUES[word, 1:], "size": np.array([weight])}


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
