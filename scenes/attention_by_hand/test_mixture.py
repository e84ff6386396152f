"""The turning query against a loop, and the hull against corners that are known."""

import math

import numpy as np
from numpy.testing import assert_allclose

from scenes.attention_by_hand import mixture


def test_weights_and_mixture_equal_a_loop() -> None:
    values = mixture.compute(angle=75)
    scores = [math.exp(3 * math.cos(math.radians(75 - key)) / math.sqrt(2)) for key in mixture.DIRECTIONS]
    weights = [score / sum(scores) for score in scores]
    assert_allclose(values["weights"], weights, rtol=1e-12)
    place = [sum(w * value[i] for w, value in zip(weights, mixture.VALUES, strict=True)) for i in range(2)]
    assert_allclose([values["mixture_x"][0], values["mixture_y"][0]], place, rtol=1e-12)
    distances = [math.dist(place, value) for value in mixture.VALUES]
    assert_allclose(values["nearest"], min(distances), rtol=1e-12)
    assert_allclose(values["to_winner"], distances[int(np.argmax(weights))], rtol=1e-12)
    assert_allclose(values["weight_of_nearest"], weights[int(np.argmin(distances))], rtol=1e-12)
    assert_allclose([values["path_x"][15], values["path_y"][15]], place, rtol=1e-12)
    assert_allclose(values["never_size"], weights[1:2], rtol=1e-12)


def test_points_within_a_square_are_told_from_points_outside() -> None:
    corners = np.array([[0.0, 0], [2, 0], [2, 2], [0, 2], [1, 1]])
    for point, beyond in [((1, 1), -1), ((0.5, 1), -0.5), ((2, 1), 0), ((3, 1), 1), ((1, -0.25), 0.25)]:
        assert_allclose(mixture.beyond_hull(np.array(point), corners), beyond, atol=1e-12)
    assert_allclose(mixture.beyond_hull(np.array([3.0, 3]), corners), math.sqrt(2))


def test_mixtures_with_random_weights_lie_within_the_hull() -> None:
    rng = np.random.default_rng(1)
    for _ in range(100):
        weights = rng.dirichlet(np.ones(4))
        assert mixture.beyond_hull(weights @ mixture.VALUES, mixture.VALUES) < 1e-12
