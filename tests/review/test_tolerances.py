from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenebook.core import facts
from scenebook.review import _tolerances as tolerances
from scenebook.review._tolerances import Cells, Large


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
def test_noise_is_told_as_a_change(before: Any, after: Any) -> None:
    assert tolerances.change(fact(before), fact(after)) is None
    assert tolerances.change(fact(after), fact(before)) is None


def test_a_float32_is_another_number() -> None:
    random = np.random.default_rng(1)
    matrix = random.standard_normal((6, 5))
    single = matrix.astype(np.float32) @ matrix.astype(np.float32).T
    assert tolerances.change(facts.fact(matrix @ matrix.T), facts.fact(single)) is None


def test_a_masked_cell_is_a_change_from_nan() -> None:
    masked = np.ma.masked_invalid([1.0, math.nan])
    assert tolerances.change(facts.fact(masked), fact([1.0, math.nan])) is None


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
def test_a_change_is_silent(before: Any, after: Any) -> None:
    assert tolerances.change(before, after) == tolerances.Change(before, after)


def test_the_largest_difference_is_told_elsewhere_or_with_other_numbers() -> None:
    before, after = np.zeros((3, 4)), np.zeros((3, 4))
    after[0, 1], after[2, 3] = 0.1, -0.4
    change = tolerances.change(facts.fact(before), facts.fact(after))
    assert change
    assert change.cells == Cells(
        shape_before=(3, 4),
        shape_after=(3, 4),
        differ=2,
        at=(2, 3),
        before=0.0,
        after=-0.4,
        grid=((0, 0.25, 0, 0), (0, 0, 0, 0), (0, 0, 0, -1)),
    )


def test_an_infinity_is_no_larger_than_a_number() -> None:
    change = tolerances.change(fact([1.0, 2.0, math.inf]), fact([1.5, 2.0, -math.inf]))
    assert change
    assert change.cells
    assert (change.cells.differ, change.cells.at) == (2, (2,))
    assert (change.cells.before, change.cells.after) == (math.inf, -math.inf)


def test_a_new_shape_is_compared_cell_by_cell() -> None:
    change = tolerances.change(fact([[1.0] * 4] * 3), fact([[1.0] * 3] * 4))
    assert change
    assert change.cells == Cells((3, 4), (4, 3))
    assert change.cells.reshaped


def test_a_vector_turned_round_looks_like_another_vector() -> None:
    change = tolerances.change(fact([0.6, -0.8, 0.0]), fact([-0.6, 0.8, 0.0]))
    assert change
    assert change.cells
    assert change.cells.signs_only
    other = tolerances.change(fact([0.6, -0.8]), fact([-0.6, 0.7]))
    assert other
    assert other.cells
    assert not other.cells.signs_only


def test_a_list_of_texts_is_an_array_of_numbers() -> None:
    change = tolerances.change(["the", "cat", "sat"], ["the", "dog", "sat"])
    assert change
    assert change.cells == Cells((3,), (3,), 1, (1,), "cat", "dog")


def large(folder: Path, name: str, array: Any) -> Large:
    (folder / name).write_bytes(facts.npy(array))
    return Large(facts.fact(array), folder / name)


def test_a_large_array_is_compared_by_its_summary(tmp_path: Path) -> None:
    """Two cells that change places leave every statistic as it was."""
    array = np.arange(5000.0)
    other = array.copy()
    other[[7, 4000]] = other[[4000, 7]]
    change = tolerances.change(large(tmp_path, "a.npy", array), large(tmp_path, "b.npy", other))
    assert change
    assert change.cells
    assert (change.cells.differ, change.cells.at, change.cells.after) == (2, (7,), 4000.0)
    assert tolerances.change(large(tmp_path, "a.npy", array), large(tmp_path, "c.npy", array + 1e-9)) is None


def test_a_large_array_without_its_file_ends_the_review(tmp_path: Path) -> None:
    array = np.arange(5000.0)
    there, gone = large(tmp_path, "a.npy", array), Large(facts.fact(array * 2), tmp_path / "gone.npy")
    assert tolerances.change(there, gone)


@given(st.floats(), st.floats())
def test_two_numbers_that_look_equal_are_told_as_a_change(before: float, after: float) -> None:
    one, other = facts.fact(before), facts.fact(after)
    if tolerances.change(one, other):
        first, second = tolerances.pair(one, other)
        assert first != second


@given(st.text(max_size=4), st.text(max_size=4))
def test_two_texts_that_look_equal_are_told_as_a_change(before: str, after: str) -> None:
    if before != after:
        first, second = tolerances.pair(before, after)
        assert " ".join(first.split()) != " ".join(second.split())


def test_composed_letters_look_equal() -> None:
    assert tolerances.pair("\xe9", "e\u0301") == (r"'\xe9'", r"'e\u0301'")


def test_more_digits_are_shown_than_tell_them_apart() -> None:
    assert tolerances.pair(0.25, 0.26) == ("0.25", "0.26")
    assert tolerances.pair(22.60807, 22.60766) == ("22.6081", "22.6077")
    assert tolerances.pair(4, 5) == ("4", "5")
    assert tolerances.pair("inf", "-inf") == ("inf", "−inf")


def test_the_change_has_no_sign_or_another_base() -> None:
    assert (tolerances.difference(0.25, 0.26), tolerances.relative(0.25, 0.26)) == ("+0.01", "+4 %")
    assert (tolerances.difference(5, 4), tolerances.relative(5, 4)) == ("−1", "−20 %")
    assert tolerances.relative(-2.0, -1.0) == "+50 %"
    assert tolerances.relative(2e-15, 0.1) == ""
    assert (tolerances.relative(0.0, 1.0), tolerances.difference(1.0, "NaN"), tolerances.difference("a", "b")) == (
        "",
        "",
        "",
    )


def test_the_map_of_a_large_array_loses_its_only_change() -> None:
    before, after = np.zeros((200, 300)), np.zeros((200, 300))
    after[199, 0] = -5
    change = tolerances.change(facts.fact(before[:60, :60]), facts.fact(after[140:, :60]))
    assert change
    assert change.cells
    grid = change.cells.grid
    assert (len(grid), len(grid[0])) == (tolerances.GRID, tolerances.GRID)
    assert grid[-1][0] == -1
    assert sum(cell != 0 for row in grid for cell in row) == 1
