"""Facts are strict JSON, give back the value they record, and do not depend on a machine's rounding."""

import io
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from scenebook.core import facts


def strict(text: str) -> Any:
    """Parse JSON, and fail on the constants NaN and Infinity, which strict JSON does not have."""

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize(
    ("value", "fact"),
    [
        (3, 3),
        (True, True),
        (math.nan, "NaN"),
        (-math.inf, "-inf"),
        ("</script><b>", "</script><b>"),
        (("a", "b"), ["a", "b"]),
        (np.arange(3), [0, 1, 2]),
        (np.array([0.1], dtype="float32"), [0.1]),
        (np.array([0.1], dtype="float16"), [0.1]),
        (np.array([[math.nan, math.inf]]), [["NaN", "inf"]]),
        (np.ma.masked_equal([1.0, -9.0], -9.0), [1.0, None]),
        (np.eye(2, dtype=bool), [[True, False], [False, True]]),
    ],
)
def test_facts_are_strict_json(value: Any, fact: Any) -> None:
    assert strict(facts.dumps(facts.fact(value))) == fact


kinds = st.sampled_from([np.float64, np.float32, np.float16, np.int64, np.uint8, np.bool_])


@given(kinds.flatmap(lambda kind: npst.arrays(kind, npst.array_shapes(max_dims=3, max_side=4))))
def test_the_fact_of_a_small_array_gives_back_the_array(array: Any) -> None:
    written = strict(facts.dumps(facts.fact(array)))
    assert np.array(written, dtype=object).shape == array.shape
    assert np.array_equal(np.array(written, dtype=array.dtype), array, equal_nan=array.dtype.kind == "f")


def test_a_summary_counts_what_is_not_finite_or_masked() -> None:
    array = np.ma.masked_equal(np.linspace(0, 1, 5000), 0)
    array[1:4] = [math.nan, math.inf, -math.inf]
    written = facts.fact(array)
    assert {name: written[name] for name in ("nan", "inf", "masked", "max")} == {
        "nan": 1,
        "inf": 2,
        "masked": 1,
        "max": 1.0,
    }


def test_an_array_without_finite_numbers_has_no_statistics() -> None:
    assert facts.fact(np.full(5000, math.nan)) == {
        "shape": [5000], "dtype": "float64", "nan": 5000, "inf": 0, "masked": 0,
    }  # fmt: skip


@pytest.mark.filterwarnings("error")
def test_statistics_that_overflow_are_infinite() -> None:
    written = strict(facts.dumps(facts.fact(np.full(5000, 1e300))))
    assert (written["max"], written["std"]) == (1e300, "inf")
    assert np.load(io.BytesIO(facts.npy(np.full(5000, 1e300))))[0] == math.inf


def test_an_npy_file_holds_the_array_as_float32() -> None:
    array = np.random.default_rng(0).normal(size=(50, 100))
    assert np.array_equal(np.load(io.BytesIO(facts.npy(array))), array.astype(np.float32))
    assert np.array_equal(np.load(io.BytesIO(facts.npy(np.arange(9)))), np.arange(9))


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (0.6473801910873517, "a = 0.647380191"),
        (1e-17, "a = 0"),
        (-1e-17, "a = 0"),
        (-0.0, "a = 0"),
        (1e-11, "a = 1e-11"),
        (3, "a = 3"),
        (True, "a = true"),
        ("NaN", 'a = "NaN"'),
        ("two\nlines", 'a = "two\\nlines"'),
        ([1.0], None),
        ({"shape": [1]}, None),
    ],
)
def test_lines_of_the_lock_do_not_depend_on_rounding(value: Any, line: str | None) -> None:
    assert facts.lock_line("a", value) == line


@pytest.mark.parametrize(
    ("value", "line"),
    [(1e-13, "a = 1e-13"), (-9e-17, "a = -9e-17"), (5e-324, "a = 4.94065646e-324"), (0.0, "a = 0"), (-0.0, "a = 0")],
)
def test_a_tiny_value_that_a_text_shows_is_recorded_in_full(value: float, line: str) -> None:
    assert facts.lock_line("a", value, shown=True) == line


@given(
    st.text()
    | st.sampled_from(["a = b", 'say "x" = y', '{"a": 1} = 2', "a\u2028b", "\x85\x1b[31m", "\ud800", "= holds"])
)
def test_a_text_takes_one_line_of_the_lock_and_can_be_read_back(text: str) -> None:
    line = facts.lock_line("p/a.word", text)
    assert line is not None
    assert line.isprintable()
    name, written = facts.lock_entry(line)
    assert (name, json.loads(written)) == ("p/a.word", text)


def test_a_claim_in_the_lock_can_contain_any_text() -> None:
    line = """p/a: claim a.word == "b = c" and a.k == 'x = holds' = fails"""
    assert facts.lock_entry(line) == ("""p/a: claim a.word == "b = c" and a.k == 'x = holds'""", "fails")
