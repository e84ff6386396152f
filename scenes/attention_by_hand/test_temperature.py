"""One row and many rows at several temperatures, against finite differences and closed forms."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from scenes.attention import functions
from scenes.attention_by_hand import temperature


@pytest.mark.parametrize("t", [0.5, 1, 4])
def test_the_row_and_its_jacobian_equal_a_loop_and_finite_differences(t: float) -> None:
    values = temperature.compute(temperature=t)
    exponentials = [math.exp(score / t) for score in temperature.SCORES]
    assert_allclose(values["weights"], np.array(exponentials) / sum(exponentials), rtol=1e-12)
    assert_allclose(values["ratio"], math.exp(1 / t), rtol=1e-12)
    step, inputs = 1e-6, temperature.SCORES / t
    columns = [
        (functions.softmax(inputs + step * unit) - functions.softmax(inputs - step * unit)) / (2 * step)
        for unit in np.eye(6)
    ]
    assert_allclose(values["jacobian"], np.transpose(columns), atol=1e-9)
    assert_allclose(values["row_slope"], np.abs(columns).max(), atol=1e-9)


def test_slopes_of_many_rows_are_those_of_single_rows() -> None:
    values = temperature.compute(temperature=0.5, rows=7, d_k=4, seed=5)
    queries, keys = functions.random_rows(7, 6, 4, 5)
    winners = [functions.softmax(rows @ query / 2 / 0.5).max() for query, rows in zip(queries, keys, strict=True)]
    slopes = [winner * (1 - winner) for winner in winners]
    assert_allclose(values["slope"], np.mean(slopes), rtol=1e-12)
    assert_allclose(values["mean_by_score"], 2 * np.mean(slopes), rtol=1e-12)
    assert_allclose(values["median_by_score"], 2 * np.median(slopes), rtol=1e-12)


def test_the_coldest_row_is_one_hot_and_the_hottest_one_even() -> None:
    assert temperature.compute(temperature=1 / 32)["weights"].round(6).tolist() == [0, 1, 0, 0, 0, 0]
    assert_allclose(temperature.compute(temperature=1e6)["weights"], np.full(6, 1 / 6), rtol=1e-5)
