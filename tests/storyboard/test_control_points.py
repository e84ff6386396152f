"""The points of a control."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from scenebook.storyboard.control_points import PointsError, points, start_of


@given(st.integers(-1000, 1000), st.integers(1, 50), st.integers(1, 60))
def test_whole_steps_give_whole_numbers(low: int, step: int, count: int) -> None:
    found = points([], {"from": low, "to": low + count * step, "step": step})
    assert found == tuple(range(low, low + count * step + 1, step))
    assert all(isinstance(each, int) for each in found)


@given(st.floats(1e-6, 1e3), st.floats(1.1, 1e4), st.integers(2, 300))
def test_a_log_scale_is_even_in_the_logarithm(low: float, factor: float, count: int) -> None:
    found = points([], {"from": low, "to": low * factor}, count, log=True)
    assert np.allclose(found, np.geomspace(low, low * factor, count), rtol=1e-9)


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(2, 300))
def test_points_are_spread_evenly_and_have_twelve_significant_digits(low: float, width: float, count: int) -> None:
    assume(low + width > low)
    found = points([], {"from": low, "to": low + width}, count)
    assert np.allclose(found, np.linspace(low, low + width, count), rtol=1e-9, atol=1e-9 * width)
    assert all(float(format(each, ".12g")) == each for each in found)


@pytest.mark.parametrize(
    ("values", "bounds", "count", "expected"),
    [
        ([1, 2, 4], {}, None, (1, 2, 4)),
        ([1, 2.5], {}, None, (1.0, 2.5)),
        (["sin", "none"], {}, None, ("sin", "none")),
        ([], {}, None, (False, True)),
        ([], {"from": 0, "to": 1, "step": 0.1}, None, tuple(each / 10 for each in range(11))),
        ([], {"from": 0, "to": 10}, 6, (0, 2, 4, 6, 8, 10)),
        ([], {"from": 0, "to": 1}, 3, (0.0, 0.5, 1.0)),
    ],
)
def test_points_are_as_written(values: Any, bounds: Any, count: Any, expected: Any) -> None:
    found = points(values, bounds, count)
    assert found == expected
    assert list(map(type, found)) == list(map(type, expected))


def test_a_start_becomes_the_point_that_it_equals() -> None:
    start = start_of("n", (1.0, 2.0), {"n": 2})
    assert (start, type(start)) == (2.0, float)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "compute has no default for 'n', so the start is unknown; give it under `params`"),
        ({"n": [1]}, "the start n = [1] is not a number, a text or a truth value"),
        ({"n": True}, "the start n = true is not one of the points of the control; they are 1, 2; change the start"),
    ],
)
def test_a_start_that_is_no_point_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(LookupError) as raised:
        start_of("n", (1, 2), given)
    assert str(raised.value).startswith(message)


def test_too_many_points_are_refused_with_their_number() -> None:
    with pytest.raises(PointsError) as raised:
        points(range(2001), {})
    assert str(raised.value) == "has 2,001 points, 1 more than the 2,000 that are allowed"
