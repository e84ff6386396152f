"""Heads run in one batch agree with heads run one by one, and the numbers of parameters are right."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from scenes.attention import multi_head


def _random(*shape: int) -> Any:
    return np.random.default_rng(1).standard_normal(shape)


def test_the_heads_have_as_many_parameters_as_the_page_says() -> None:
    values = multi_head.compute()
    assert values["total_one"] == values["total_heads"] == 1_048_576
    assert (values["projections"], values["output"]) == (786_432, 262_144)
    assert_array_equal(values["lengths"].sum(axis=1), 1_048_576)
    assert values["lengths"].shape == (len(values["bars"]), len(values["parts"]))


@pytest.mark.parametrize("heads", [1, 2, 6])
def test_batched_heads_equal_heads_run_one_by_one_and_by_definition(heads: int) -> None:
    tokens, output = _random(5, 12), _random(12, 12) / 4
    projections = _random(3, heads, 12, 12 // heads) / 4
    one_by_one = multi_head.run_one_by_one(tokens, projections, output)
    assert_allclose(multi_head.run_batched(tokens, projections, output), one_by_one, atol=1e-13)
    by_definition = 0
    for head, rows in enumerate(np.split(output, heads)):
        queries, keys, values = (tokens @ projections[i, head] for i in range(3))
        scores = np.exp(queries @ keys.T / math.sqrt(12 // heads))
        by_definition = by_definition + scores / scores.sum(axis=1, keepdims=True) @ values @ rows
    assert_allclose(one_by_one, by_definition, atol=1e-12)


def test_heads_that_do_not_divide_the_width_are_refused() -> None:
    with pytest.raises(ValueError, match="multiple of heads"):
        multi_head.compute(d_model=10, heads=3)
