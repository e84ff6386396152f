from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenebook.core import facts
from scenebook.review import _value_diff as value_diff
from scenebook.review._value_diff import ArrayDifference, LargeArray


def fact(values: Any) -> Any:
    return facts.fact(np.asarray(values) if isinstance(values, list) else values)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (0.1, math.nextafter(0.1, 1)),
        (1e-17, 0.0),
        (-0.0, 0.0),
        (3, 3.0),
        (True, 1),
        ("NaN", "NaN"),
        ("inf", "inf"),
        ("-inf", "-inf"),
        ("word", "word"),
        (0.3, 0.3 * (1 + 9e-7)),
        ([1.0, math.nan, -0.0], [math.nextafter(1, 2), math.nan, 0.0]),
        ([1, 2, 3], [1.0, 2.0, 3.0]),
        ([1e-9, 1.0], [0.0, 1.0]),
        ([True, False], [1, 0]),
    ],
)
def test_rounding_noise_is_not_a_change(before: Any, after: Any) -> None:
    assert value_diff.change(fact(before), fact(after)) is None
    assert value_diff.change(fact(after), fact(before)) is None


def test_the_precision_of_float32_is_not_a_change() -> None:
    random = np.random.default_rng(1)
    matrix = random.standard_normal((6, 5))
    single = matrix.astype(np.float32) @ matrix.astype(np.float32).T
    assert value_diff.change(facts.fact(matrix @ matrix.T), facts.fact(single)) is None


def test_a_masked_cell_equals_nan() -> None:
    masked = np.ma.masked_invalid([1.0, math.nan])
    assert value_diff.change(facts.fact(masked), fact([1.0, math.nan])) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("inf", "-inf"),
        (0.25, 0.26),
        (1.0, "NaN"),
        (10_000_000, 10_000_001),
        (2**60, 2**60 + 1),
        ("a", "b"),
        (1, "1"),
        (0.3, 0.3 * (1 + 2e-6)),
        ("", None),
    ],
)
def test_a_change_is_found(before: Any, after: Any) -> None:
    assert value_diff.change(before, after) == value_diff.Change(before, after)


def test_the_largest_difference_of_an_array_is_located() -> None:
    before, after = np.zeros((3, 4)), np.zeros((3, 4))
    after[0, 1], after[2, 3] = 0.1, -0.4
    change = value_diff.change(facts.fact(before), facts.fact(after))
    assert change
    assert change.cells == ArrayDifference(
        shape_before=(3, 4),
        shape_after=(3, 4),
        differ=2,
        at=(2, 3),
        before=0.0,
        after=-0.4,
        grid=((0, 0.25, 0, 0), (0, 0, 0, 0), (0, 0, 0, -1)),
    )


def test_a_change_of_infinity_is_the_largest() -> None:
    change = value_diff.change(fact([1.0, 2.0, math.inf]), fact([1.5, 2.0, -math.inf]))
    assert change
    assert change.cells
    assert (change.cells.differ, change.cells.at) == (2, (2,))
    assert (change.cells.before, change.cells.after) == (math.inf, -math.inf)


def test_arrays_of_different_shapes_are_not_compared_cell_by_cell() -> None:
    change = value_diff.change(fact([[1.0] * 4] * 3), fact([[1.0] * 3] * 4))
    assert change
    assert change.cells == ArrayDifference((3, 4), (4, 3))
    assert change.cells.reshaped


def test_a_negated_vector_differs_in_signs_only() -> None:
    change = value_diff.change(fact([0.6, -0.8, 0.0]), fact([-0.6, 0.8, 0.0]))
    assert change
    assert change.cells
    assert change.cells.signs_only
    other = value_diff.change(fact([0.6, -0.8]), fact([-0.6, 0.7]))
    assert other
    assert other.cells
    assert not other.cells.signs_only


def test_a_list_of_texts_is_compared_item_by_item() -> None:
    change = value_diff.change(["the", "cat", "sat"], ["the", "dog", "sat"])
    assert change
    assert change.cells == ArrayDifference((3,), (3,), 1, (1,), "cat", "dog")


def large(folder: Path, name: str, array: Any) -> LargeArray:
    (folder / name).write_bytes(facts.npy(array))
    return LargeArray(facts.fact(array), folder / name)


def test_a_large_array_is_compared_by_its_cells(tmp_path: Path) -> None:
    """Swapping two cells leaves all statistics unchanged."""
    array = np.arange(5000.0)
    other = array.copy()
    other[[7, 4000]] = other[[4000, 7]]
    change = value_diff.change(large(tmp_path, "a.npy", array), large(tmp_path, "b.npy", other))
    assert change
    assert change.cells
    assert (change.cells.differ, change.cells.at, change.cells.after) == (2, (7,), 4000.0)
    assert value_diff.change(large(tmp_path, "a.npy", array), large(tmp_path, "c.npy", array + 1e-9)) is None


def test_a_large_array_without_its_file_is_compared_by_its_summary(tmp_path: Path) -> None:
    array = np.arange(5000.0)
    there, gone = large(tmp_path, "a.npy", array), LargeArray(facts.fact(array * 2), tmp_path / "gone.npy")
    assert value_diff.change(there, gone)


@given(st.floats(), st.floats())
def test_two_different_numbers_never_look_equal(before: float, after: float) -> None:
    one, other = facts.fact(before), facts.fact(after)
    if value_diff.change(one, other):
        first, second = value_diff.pair(one, other)
        assert first != second


@given(st.text(max_size=4), st.text(max_size=4))
def test_two_different_texts_never_look_equal(before: str, after: str) -> None:
    if before != after:
        first, second = value_diff.pair(before, after)
        assert " ".join(first.split()) != " ".join(second.split())


def test_texts_that_would_look_equal_are_escaped() -> None:
    assert value_diff.pair("\xe9", "e\u0301") == (r"'\xe9'", r"'e\u0301'")


def test_numbers_are_shown_with_enough_digits_to_tell_them_apart() -> None:
    assert value_diff.pair(0.25, 0.26) == ("0.25", "0.26")
    assert value_diff.pair(22.60807, 22.60766) == ("22.6081", "22.6077")
    assert value_diff.pair(4, 5) == ("4", "5")
    assert value_diff.pair("inf", "-inf") == ("inf", "−inf")


def test_the_change_has_a_sign_and_is_relative_to_the_old_value() -> None:
    assert (value_diff.difference(0.25, 0.26), value_diff.relative(0.25, 0.26)) == ("+0.01", "+4 %")
    assert (value_diff.difference(5, 4), value_diff.relative(5, 4)) == ("−1", "−20 %")
    assert value_diff.relative(-2.0, -1.0) == "+50 %"
    assert value_diff.relative(2e-15, 0.1) == ""
    assert (value_diff.relative(0.0, 1.0), value_diff.difference(1.0, "NaN"), value_diff.difference("a", "b")) == (
        "",
        "",
        "",
    )


def test_the_map_of_a_large_array_shows_its_only_change() -> None:
    before, after = np.zeros((200, 300)), np.zeros((200, 300))
    after[199, 0] = -5
    change = value_diff.change(facts.fact(before[:60, :60]), facts.fact(after[140:, :60]))
    assert change
    assert change.cells
    grid = change.cells.grid
    assert (len(grid), len(grid[0])) == (value_diff.GRID, value_diff.GRID)
    assert grid[-1][0] == -1
    assert sum(cell != 0 for row in grid for cell in row) == 1
