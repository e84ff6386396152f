"""A blunt and a sharp head against sums of cosines, and the words that they pass on, one at a time."""

import math

import numpy as np
from numpy.testing import assert_allclose

from scenes.positional_encoding_by_hand import sharpness


def test_the_last_row_is_a_softmax_of_similarities() -> None:
    values = sharpness.compute(sharpness=5, distance=2)
    scores = [5 * sum(math.cos((13 - key) / 10_000 ** (i / 8)) for i in range(8)) / 4 for key in range(16)]
    exponentials = [math.exp(score) for score in scores]
    assert_allclose(values["last_row"], np.array(exponentials) / sum(exponentials), rtol=1e-9)
    assert_allclose(values["weight"], exponentials[13] / sum(exponentials), rtol=1e-9)
    assert values["last_meant"] == 13


def test_the_word_with_the_largest_sum_of_weights_is_found_in_each_sentence() -> None:
    values = sharpness.compute(sharpness=3, distance=4, sentences=30, vocabulary=5, seed=7)
    right = []
    for sentence in np.random.default_rng(7).integers(5, size=(30, 16)):
        for place in range(4, 16):
            sums = [values["weights"][place][sentence == word].sum() for word in range(5)]
            right.append(sums.index(max(sums)) == sentence[place - 4])
    assert_allclose(values["right"], np.mean(right))
    assert 0.4 < values["right"] < 0.95


def test_more_than_half_of_the_weight_is_enough() -> None:
    values = sharpness.compute(sharpness=8, seed=1)
    assert values["least"] > 0.5
    assert values["right"] == 1


def test_the_weight_that_the_page_promises() -> None:
    assert f"{sharpness.compute()['least']:.3f}" == "0.095"
    assert all(sharpness.compute(2 ** (i / 2), sentences=10)["hits"] == 136 for i in range(13))
