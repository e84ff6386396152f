from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenebook.review import _value_diff as value_diff
from scenebook.review import _wording as wording
from scenebook.review._value_diff import ArrayDifference

TABLE = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]
WIDE = [[1.0, 3.0, 5.0, 7.0], [2.0, 4.0, 6.0, 8.0]]
WORDS = ["the", "cat", "sat", "down"]
ALL_NEW = [[10 * cell for cell in row] for row in TABLE]


def cells(before: Any, after: Any, labels: tuple[dict[str, Any], dict[str, Any]] = ({}, {})) -> ArrayDifference:
    change = value_diff.change(before, after, labels=labels)
    assert change and change.cells
    return change.cells


def note(found: ArrayDifference) -> str:
    return wording._cells_row("x", found).note


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([1, 2, 4], [1, 2, 3, 4], "item [2] added; the other cells are the same"),
        ([1, 2, 3, 4], [1, 2, 4], "item [2] removed; the other cells are the same"),
        ([1.0, 2.0, 4.0], [1.0, 2.0, 3.0, 4.0 + 1e-9], "item [2] added; the other cells are the same"),
        ([1.0, 2.0, 4.0], [1.0, 2.5, 4.0, 3.0], "item [3] added; 1 of 3 other cells differs, most at [1]"),
        (["a", "b"], ["a", "x", "b"], "item “x” added; the other cells are the same"),
        (TABLE, [*TABLE, [9.0, 9.0]], "row [4] added; the other cells are the same"),
        (WIDE, [row[1:] for row in WIDE], "column [0] removed; the other cells are the same"),
        ([1, 2, 3], [7, 8, 9, 10], "shape changed"),
        (TABLE, ALL_NEW[1:], "shape changed"),
        (TABLE, [1, 2, 3], "shape changed"),
        ([], [1.0], "shape changed"),
    ],
)
def test_what_was_added_and_removed_is_named(before: Any, after: Any, expected: str) -> None:
    assert note(cells(before, after)) == expected


def test_labels_align_rows_and_columns_even_if_all_numbers_differ() -> None:
    square, bigger = np.arange(16.0).reshape(4, 4), 1 + np.insert(np.arange(16.0).reshape(4, 4), 2, 0, axis=0)
    bigger = np.insert(bigger, 2, 0, axis=1)
    labels = {"words": WORDS}, {"words": ["the", "cat", "big", "sat", "down"]}
    found = cells(square.tolist(), bigger.tolist(), labels)
    assert (found.added, found.removed, found.differ, found.common) == (("row “big”", "column “big”"), (), 16, 16)
    assert (found.shape_before, found.shape_after, found.reshaped) == ((4, 4), (5, 5), False)


def test_the_places_of_a_line_are_its_labels() -> None:
    few, many = np.linspace(0, 1, 5), np.linspace(0, 1, 9)
    found = cells((few**2).tolist(), (2 * many**2).tolist(), ({"x": few.tolist()}, {"x": many.tolist()}))
    assert found.added == ("item at 0.125", "item at 0.375", "item at 0.625", "item at 0.875")
    assert (found.common, found.differ, found.at, found.after) == (5, 4, (8,), 2.0)
    assert note(found) == (
        "item at 0.125, item at 0.375, item at 0.625, item at 0.875 added; 4 of 5 other cells differ, most at [8]"
    )


@given(st.lists(st.integers(0, 5), min_size=3, max_size=12), st.data())
def test_an_inserted_item_is_always_found_and_nothing_else_differs(items: list[int], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(items)))
    found = cells(items, [*items[:place], 9, *items[place:]])
    assert (found.added, found.removed, found.differ) == ((f"item [{place}]",), (), 0)
