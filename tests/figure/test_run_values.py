"""What a figure shows of a scene that repeats its run."""

from __future__ import annotations

from typing import Any

import numpy as np

from scenebook.figure.run_values import with_spread


def test_low_and_high_are_those_of_each_element() -> None:
    runs: list[Any] = [{"x": np.array([place, -place, 3]), "y": np.arange(2)} for place in range(20)]
    found: Any = with_spread(runs, {"x"})
    assert found["x"].tolist() == [0, 0, 3]
    assert (found["x.low"].tolist(), found["x.high"].tolist()) == ([1, -18, 3], [18, -1, 3])
    assert found["x.low"].dtype.kind == "i"
    assert "y.low" not in found


def test_an_element_that_some_run_lacks_has_no_low_and_high() -> None:
    runs: list[Any] = [{"x": np.ma.array([1.0, 2.0], mask=[False, place == 1])} for place in range(3)]
    found: Any = with_spread(runs, {"x"})
    assert np.isnan(found["x.low"]).tolist() == [False, True]


def test_arrays_that_differ_in_shape_have_no_low_and_high() -> None:
    assert with_spread([{"x": np.zeros(2)}, {"x": np.zeros(3)}], {"x"}).keys() == {"x"}
