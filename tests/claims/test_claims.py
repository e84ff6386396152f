"""Which claims hold, which are refused, and with which message."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenebook.claims import _evaluation as evaluation
from scenebook.claims import _tautologies as tautologies
from scenebook.claims import claims
from scenebook.claims.claims import ClaimError

VALUES: dict[str, Any] = {
    "a": 1.5,
    "b": 2.0,
    "n": 8,
    "m": 8,
    "flops": 1e10,
    "nan": float("nan"),
    "inf": float("inf"),
    "huge": 10**400,
    "f": True,
    "g": False,
    "w": "cat",
    "t": ("the", "cat"),
    "x": np.array([[1.0, 2.0], [3.0, 4.0]]),
    "y": np.arange(4),
    "one": np.array([1.0]),
    "small": np.arange(3, dtype="uint8"),
    "mask": np.array([True, False]),
    "empty": np.zeros((0, 3)),
    "holed": np.array([1.0, np.nan]),
    "masked": np.ma.masked_equal(np.array([1.0, 2.0, 3.0]), 2.0),
}


def check(expression: str, **values: Any) -> claims.ClaimResult:
    known = {**VALUES, **values}
    return claims.check(expression, {(scene, name): known[name] for scene, name in claims.names(expression)})


def refusal(expression: str) -> str:
    with pytest.raises(ClaimError) as caught:
        check(expression)
    return str(caught.value)


@pytest.mark.parametrize(
    "expression",
    [
        "s.a - s.a == 0",
        "s.a == s.a + 0",
        "s.a + 1 > s.a",
        "s.a + 1e-9 > s.a",
        "s.flops + 1e-6 > s.flops",
        "(s.a + s.b) - s.b == s.a",
        "s.a * 3 / 3 == s.a",
        "1 / s.a == 1 / s.a",
        "s.a / s.a == 1",
        "s.a * s.a >= 0",
        "s.a ** 2 >= 0",
        "abs(s.a) >= 0",
        "abs(s.a) >= -s.b * s.b",
        "not s.a == s.a + 1",
        "abs(s.a * 0 + 2) > 1",
        "abs(s.a - s.b) == abs(s.b - s.a)",
        "s.a <= max(s.a, s.b)",
        "min(s.a, s.b) <= s.b",
        "round(s.a) == round(s.a)",
        "close(s.a, s.a)",
        "close(s.a, s.b, rel=1e9)",
        "not s.a != s.a",
        "s.a != s.a + 1",
        "s.a == 3 or s.a != 3",
        "s.a > 0 or s.b == s.b",
        "s.n % 2 < 2",
        "s.f or not s.f",
        "s.f == True or s.f == False",
        "s.w == s.w",
        "len(s.w) >= 0",
        "len(s.t) > -1",
        "all(s.x == s.x)",
        "all(s.x ** 2 >= 0)",
        "all(s.x * 0 == 0)",
        "all(s.x <= max(s.x))",
        "any(s.x >= min(s.x))",
        "max(s.x) >= min(s.x)",
        "s.x[0][0] == s.x[0][0]",
        "all(s.mask | ~s.mask)",
        "all(s.empty > 0)",
    ],
)
def test_a_claim_that_cannot_fail_is_refused(expression: str) -> None:
    assert refusal(expression).endswith("holds whatever the scenes compute; claim something that could be false")


@pytest.mark.parametrize(
    ("expression", "part"),
    [
        ("s.n == 8 and s.a == s.a", "'s.a == s.a' holds whatever the scenes compute"),
        ("1 < s.a < 10 < 20", "'10 < 20' uses no value"),
        ("s.a > 1 and (s.b > 1 and True)", "'True' uses no value"),
        ("1 < 2", "'1 < 2' uses no value"),
    ],
)
def test_a_part_of_a_claim_that_cannot_fail_is_refused(expression: str, part: str) -> None:
    assert refusal(expression).startswith(f"cannot fail: {part}")


@pytest.mark.parametrize(
    ("expression", "margin"),
    [
        ("s.a < s.b", 0.5),
        ("s.a < s.b < 10", 0.5),
        ("s.b > 1 and s.n == 8 and s.a < 1.75", 0.25),
        ("s.flops < 1e15", 1e15 - 1e10),
        ("s.flops > 1", 1e10 - 1),
        ("-s.a < 0", 1.5),
        ("s.a ** 0.5 < 2", 2 - 1.5**0.5),
        ("max(s.x) > min(s.x)", 3.0),
        ("all(s.x > 0)", 1.0),
        ("all(s.x[1] > s.x[0])", 2.0),
        ("all(s.y[1:] > s.y[:-1])", 1.0),
        ("all(s.small < 3)", 1.0),
        ("all(s.small * 1000 < 5000)", 3000.0),
        ("all(s.masked > 0)", 1.0),
        ("s.inf > 5", None),
        ("s.huge > 5", None),
        ("s.n == s.m", None),
        ("s.n % 2 == 0", None),
        ("2 ** s.n == 256", None),
        ("s.a != 3.7", None),
        ("s.x[-1][-1] == 4", None),
        ("len(s.y) == 4", None),
        ("len(s.one) == 1", None),
        ("any(s.x > 3.5)", None),
        ("all((s.x > 0) & (s.x < 5))", None),
        ("any(s.mask)", None),
        ("not all(s.mask)", None),
        ("s.f", None),
        ("not s.g", None),
        ("~s.g", None),
        ("s.f != s.g", None),
        ("s.w == 'cat'", None),
        ("s.w != 'dog'", None),
        ("s.w in s.t", None),
        ("'cat' in s.t", None),
        ("s.t[0] == 'the'", None),
        ("len(s.t) == 2", None),
        ("len(s.w) == 3", None),
        ("close(s.a, 1.5)", None),
        ("close(s.x, s.x * s.one)", None),
        ("s.a > 1 or s.b > 100", None),
        ("s.holed[0] == 1", None),
        ("s.a - s.b != 3", None),
        ("s.w != s.t[0]", None),
        ("not close(s.a, 1.7 * s.b)", None),
        ("abs(s.a / s.b - 7.3) > 0.001", 7.3 - 0.75 - 0.001),
    ],
)
def test_an_honest_claim_holds_with_its_margin(expression: str, margin: float | None) -> None:
    assert check(expression) == claims.ClaimResult(holds=True, margin=margin)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("s.a > s.b", "is false: s.a is 1.5, s.b is 2"),
        ("s.n == 9", "is false: s.n is 8"),
        ("s.w == 'dog'", "is false: s.w is 'cat'"),
        ("'dog' in s.t", "is false: s.t is a list of 2 texts"),
        ("s.g", "is false: s.g is false"),
        ("all(s.x > 1)", "is false: s.x is an array of shape (2, 2) from 1 to 4"),
        ("any(s.empty > 1)", "is false: s.empty is an array of shape (0, 3)"),
        ("not s.f and s.a > 1", "is false: s.f is true, s.a is 1.5"),
        ("s.a > 1 and s.a == 2", "is false: s.a is 1.5"),
    ],
)
def test_a_false_claim_reports_its_values(expression: str, message: str) -> None:
    result = check(expression)
    assert (result.holds, result.message) == (False, message)


NAN = "compares NaN, so it is neither true nor false; have the scene return a truth value"


@pytest.mark.parametrize(
    "expression",
    [
        "s.nan < 1",
        "not s.nan > 1",
        "s.nan != 1",
        "s.nan != s.nan",
        "not close(s.nan, 1)",
        "not any(s.holed > 5)",
        "s.inf - s.inf != 0",
        "not max(s.holed) > 9",
    ],
)
def test_a_comparison_with_nan_is_refused(expression: str) -> None:
    assert refusal(expression) == NAN


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("s.a", "gives 1.5, not true or false; compare it with something"),
        ("s.t", "gives a list of 2 texts, not true or false; compare it with something"),
        ("abs", "gives something that is not a value, not true or false; compare it with something"),
        ("s.n ** 9999", "gives an integer with more than 308 digits, not true or false; compare it with something"),
        ("s", "'s' is not a value; write scene.value"),
        ("s.x > 0", "gives an array of shape (2, 2); reduce it with all(...) or any(...)"),
        ("s.x > 0 and s.f", "and, or, not and a < b < c need single values; reduce arrays with all(...) or any(...)"),
        ("all(s.x == s.y)", "cannot be evaluated: operands could not be broadcast together with shapes (2,2) (4,)"),
        ("a > 1", "'a' is not a value; write scene.value"),
        ("s.a.b > 1", "'.b' is not allowed; write scene.value, and have the scene compute the rest"),
        (
            "s.x.max() > 1",
            "'s.x.max' is not a function for claims; use abs, min, max, all, any, len, round, close",
        ),
        (
            "print(s.a)",
            "'print' is not a function for claims; use abs, min, max, all, any, len, round, close",
        ),
        ("max(s.x, key=len) > 0", "functions for claims take no argument 'key'"),
        ("lambda: 1", "'lambda: 1' is not allowed"),
        ("[s.a] == 1", "'[s.a]' is not allowed"),
        ("s.a if s.f else s.b", "'s.a if s.f else s.b' is not allowed"),
        ("f'{s.a}' == 'x'", "\"f'{s.a}'\" is not allowed"),
        ("s.a is True", "the operator 'Is' is not allowed"),
        ("s.n << 3 == 64", "the operator 'LShift' is not allowed"),
        ("None == s.a", "'None' is not a number, a text or a truth value"),
        ("s.w + 'x' == 'catx'", "does arithmetic with a text or a list of texts; these can only be compared"),
        ("s.t * 1000000 == s.t", "does arithmetic with a text or a list of texts; these can only be compared"),
        ("(-s.a) ** 0.5 > 1", "takes a root of a negative number"),
        ("s.a / 0 > 1", "cannot be evaluated: float division by zero"),
        ("9 ** 9 ** 9 > s.a", "has a power with too many digits"),
        ("s.n ** 100000000 > 1", "has a power with too many digits"),
        ("-" * 900 + "s.a > 0", "cannot be evaluated: maximum recursion depth exceeded"),
        ("(" * 400 + "s.a" + ")" * 400, "is not an expression: too many nested parentheses"),
        ("s.a" + " + s.a" * 200 + " > 0", "is longer than 1000 characters; have the scene compute it"),
        ("s.a >", "is not an expression: invalid syntax"),
        ("s.a = 3", "is not an expression: invalid syntax; '=' is not a comparison, write ==, !=, <= or >="),
        (
            "min(s.empty) > 0",
            "cannot be evaluated: zero-size array to reduction operation minimum which has no identity",
        ),
    ],
)
def test_an_expression_that_is_not_a_claim_is_refused(expression: str, message: str) -> None:
    assert refusal(expression).removeprefix("is not a claim: ").startswith(message)


@pytest.mark.parametrize("flipped", ["s.a > s.b", "s.b < s.a", "s.n != s.m", "all(s.x <= 0)", "2 > s.b >= 2"])
def test_a_flipped_comparison_fails(flipped: str) -> None:
    assert not check(flipped).holds


@given(st.text(alphabet="sab.()<>=+-*/0123456789 andornt[],'\"", max_size=40))
def test_every_text_is_evaluated_or_refused(expression: str) -> None:
    try:
        named = claims.names(expression)
        claims.check(expression, {(scene, name): VALUES.get(name, 1.0) for scene, name in named})
    except ClaimError as error:
        assert str(error)


@given(
    st.floats(-1e6, 1e6),
    st.floats(-1e6, 1e6),
    st.sampled_from(["<", "<=", ">", ">=", "==", "!="]),
    st.sampled_from(
        ["s.p {} s.q", "not s.p {} s.q", "s.p {} 2 * s.q", "s.p - s.q {} 3", "abs(s.p) {} s.q", "s.p {} 0.5"]
    ),
)
def test_a_verdict_is_the_same_as_in_python(p: float, q: float, sign: str, form: str) -> None:
    """This also shows that no comparison of two independent numbers is refused."""
    expression = form.format(sign)
    expected = eval(expression, {"s": type("S", (), {"p": p, "q": q}), "abs": abs})
    named = {"p": p, "q": q}
    assert claims.check(expression, {(s, name): named[name] for s, name in claims.names(expression)}).holds is expected


def test_names_are_in_order_of_appearance() -> None:
    assert claims.names("b.y > a.x and b.y < c.z") == (("b", "y"), ("a", "x"), ("c", "z"))


FAR: dict[str, Any] = {
    "x": 1.5,
    "k": 3,
    "z": 0.0,
    "big": 3e17,
    "tiny": 1e-15,
    "p": True,
    "q": False,
    "w": "cat",
    "v": "dog",
    "t": ("the", "cat"),
    "u": ("a",),
    "A": np.array([[1.0, 2.0], [3.0, 4.0]]),
    "B": np.array([1.0, 2.0, 5.0]),
    "I": np.arange(4),
    "S": np.arange(3, dtype="uint8"),
    "F": np.array([1, 2], dtype="float32"),
    "M": np.array([True, True]),
    "L": np.linspace(0, 1, 10_000),
}


@pytest.mark.parametrize(
    "expression",
    [
        "a.x > -2000000",
        "a.k > -5e6",
        "a.x/a.k < 1e9",
        "a.x/a.k > -1e30",
        "a.x < 3e12",
        "a.x > -1e300",
        "a.x * a.k < 1e20",
        "a.x * a.k > -1e9",
        "a.x - a.k > -1e7",
        "a.x - a.k < 12345678901234567890",
        "abs(a.x) < 1e8",
        "abs(a.x - a.k) < 1e40",
        "close(a.x, 1.5, abs=1e9)",
        "close(a.x, a.k, rel=0.9)",
        "close(a.x, 1.5, rel=0.5)",
        "a.k < 10**12",
        "a.k < 10**40",
        "a.k ** 3 < 1e30",
        "a.x ** 0.1 < 1e9",
        "1.0001 ** a.k < 1e9",
        "2 ** a.k < 1e100",
        "a.x / 1e6 < 1e9",
        "a.x / 1e6 / 1e7 < 1e9",
        "a.x * 1e-6 * 1e-7 < 1e9",
        "a.z > -1e-300",
        "a.z < 1e-200",
        "a.tiny < 1e-12",
        "a.tiny > -1e12",
        "a.big < 1e18",
        "-2e6 < a.x < 2e6",
        "-1e12 < a.x - a.k < a.k * 1e5 < 1e15",
        "not a.x > 1e9",
        "not (a.x < -1e7 or a.k > 1e7)",
        "a.x > -2000000 or a.k > -5e6",
        "a.x < a.k or a.x > -1e9",
        "min(a.x, a.k) < 1e9",
        "max(a.x, a.k) > -1e9",
        "min(a.x, a.k, a.big) < 1e30",
        "a.x ** 2 > -1e6 + 1e6",
        "(a.x - a.k - 1) ** 2 > 0",
        "(a.x - a.k) ** 2 > 0.01",
        "(2 * a.x - 7) ** 2 > 0",
        "3 * a.x ** 2 - 7.3 * a.x + 5 > 0.57",
        "a.x ** 2 - 7 * a.x + 12.3 > 0.06",
        "a.x / (a.x ** 2 + 50) < 0.07",
        "a.x * (1 - a.x) < 0.24",
        "a.k % 7 < 6",
        "a.k % 97 < 96",
        "(3 * a.k) % 97 < 96",
        "a.k // 10 < 1e12",
        "round(a.x) < 1e9",
        "round(a.x, 2) < 1e9",
        "a.p or not a.q",
        "a.p or a.q",
        "a.p and not a.q",
        "a.p != a.q",
        "a.p or a.x > -1e7",
        "a.w != 'dog'",
        "a.w not in a.u",
        "a.w not in a.t or a.x < 1e9",
        "a.w != a.v",
        "a.w < 'zzz'",
        "a.w > ''",
        "a.w in 'the catalog'",
        "len(a.w) < 10",
        "len(a.w) < 10**9",
        "len(a.w) > 2",
        "len(a.t) < 1000",
        "len(a.t) >= 2",
        "len(a.t) * 2 < 10**6",
        "a.t != a.u",
        "not a.w in a.u",
        "all(a.A > -2000000)",
        "all(a.A < 1e12)",
        "all(abs(a.A) < 1e7)",
        "all(a.A > -1e300)",
        "max(a.A) < 10**9",
        "min(a.A) > -1e9",
        "max(a.A) - min(a.A) < 1e12",
        "any(a.A > -5e6)",
        "all(a.A / a.k < 1e9)",
        "all(a.A / 1e6 < 1e9)",
        "all(a.A * a.x > -1e9)",
        "a.A[0][1] < 1e9",
        "all(a.B[1:] > a.B[:-1])",
        "all(a.B[1:] - a.B[:-1] > -1e9)",
        "all(a.I < 5e10)",
        "all(a.I < 10**19)",
        "all(a.I > -10**25)",
        "all(a.S < 1000)",
        "all(a.S < 10**12)",
        "all(a.S > -1)",
        "all(a.F < 1e39)",
        "all(a.F > -1e20)",
        "len(a.I) < 5000",
        "len(a.I) >= 3",
        "len(a.I) < 10**9",
        "len(a.B) > 1",
        "any(a.M)",
        "all(a.M) or not any(a.M)",
        "all(a.M | (a.I[:2] < 1e9))",
        "all(a.L < 1e9)",
        "all(a.L > -1e9)",
        "all((a.A > -1e9) & (a.A < 1e9))",
        "all((a.A > -1e9) | (a.A > 1e9))",
        "any((a.A > -1e9) & (a.A < 1e9))",
        "a.x > -1e9 and a.k < 1e9",
        "a.x + a.k + a.big > -1e50",
        "a.x ** 0.5 < 1e40",
        "a.x ** 3 > -1e60",
        "a.k ** 2 < 1e200",
        "1 / a.k < 1e9",
        "1 / a.x > -1e-3",
        "a.x / a.k ** 2 < 1e9",
        "(a.x + 1) * (a.k - 2) < 1e12",
        "a.t[0] == 'the'",
        "a.x == 1.5",
        "a.x != 1e9",
        "not close(a.x, 1e9)",
        "a.x != a.k",
        "abs(a.x - 3.7) > 1e-6",
        "a.x in a.t or a.x < 1e9",
        "a.x <= a.k <= 1e100",
        "a.k / 3 < 1e9",
        "2 ** a.k > 1e-9",
        "round(a.x, a.k) < 5",
        "2 ** len(a.t) < 1e9",
        "a.t[a.k - 2] == 'cat'",
        "all(a.L / a.k < 1e9)",
        "max(a.L) - min(a.L) < 1e12",
        "all(round(a.A * (a.k / 7)) < 5)",
        "all(2 ** a.I < 1e9)",
        "all(a.I ** a.k < 1e30)",
        "all(a.I / a.k < 1e9)",
    ],
)
def test_a_claim_that_is_false_for_some_values_is_accepted(expression: str) -> None:
    assert check(expression, **FAR).holds


@pytest.mark.parametrize(
    "expression",
    [
        "a.x * a.x >= 0",
        "a.x ** 2 >= 0",
        "a.x ** 2 > -1",
        "a.x ** 2 + a.k ** 2 >= 0",
        "(a.x - a.k) ** 2 >= 0",
        "(a.x - a.k) ** 2 > -1e9",
        "a.x ** 2 > a.x - 1",
        "a.x ** 2 - 2 * a.x * a.k + a.k ** 2 >= 0",
        "a.x ** 2 - 2 * a.x + 1.5 > 0.4",
        "abs(a.x) > -1e9",
        "abs(a.x) >= 0",
        "abs(a.x) > a.x - 1",
        "a.x + 1 > a.x",
        "a.x + 1e30 > a.x",
        "a.x - a.x < 1e9",
        "a.x - a.x + 5 > -1e9",
        "a.x / a.x < 1e9",
        "a.x < a.k or a.x >= a.k",
        "a.x > 0 or a.x < 1",
        "a.x > -1e9 or a.x < 1e9",
        "max(a.x, 0) >= 0",
        "max(a.x, -1e9) > -2e9",
        "min(a.x, 5) < 1e9",
        "min(a.x, a.k) <= max(a.x, a.k)",
        "abs(a.x + a.k) <= abs(a.x) + abs(a.k)",
        "a.k % 7 < 7",
        "a.k % 7 >= 0",
        "a.k % 1000 < 1e9",
        "2 ** a.k > 0",
        "2 ** a.x > 0",
        "1.0001 ** a.k > 0",
        "a.x ** 0.5 >= 0",
        "close(a.x, a.x)",
        "close(a.x, 1.5, rel=1e6)",
        "close(a.x, a.k, rel=2)",
        "round(a.x) == round(a.x)",
        "abs(round(a.x) - a.x) <= 0.5",
        "a.p or not a.p",
        "a.p == a.p",
        "a.w == a.w",
        "a.w in a.w",
        "a.w >= ''",
        "len(a.w) >= 0",
        "len(a.t) > -1",
        "len(a.I) > -1e9",
        "len(a.I) == len(a.I)",
        "a.t == a.t",
        "all(a.A == a.A)",
        "all(a.A ** 2 >= 0)",
        "all(a.A * a.A > -1e9)",
        "all(abs(a.A) > -1e9)",
        "all(a.A + 1 > a.A)",
        "all(a.A + 1e-9 > a.A)",
        "all(a.A - a.A < 1e9)",
        "all(a.A * 0 < 1e9)",
        "all(a.A <= max(a.A))",
        "max(a.A) >= min(a.A)",
        "any(a.A >= min(a.A))",
        "any(a.A == a.A)",
        "all((a.A + 1) - a.A > 0.5)",
        "all(abs(a.A) + 1 > abs(a.A))",
        "all(abs(a.A) * 2 >= abs(a.A))",
        "all(a.I % 2 < 2)",
        "all(a.I % 2 < 1e9)",
        "all(a.S >= a.S)",
        "all(a.A / a.A == 1)",
        "all(a.M | ~a.M)",
        "any(a.M) or not any(a.M)",
        "all(a.L * a.L >= 0)",
        "max(a.L) < 1e9 or max(a.L) > -1e9",
        "all((a.A > -1e9) | (a.A < 1e9))",
        "a.x / (a.x ** 2 + 1) < 0.51",
        "a.x * (1 - a.x) < 0.26",
        "a.x ** 2 + 1 / 4 >= a.x",
        "(a.x + a.k) ** 2 <= 2 * (a.x ** 2 + a.k ** 2)",
        "a.x > 5 or not a.x > 5",
        "not (a.x > 1e9 and a.x < -1e9)",
        "a.k / 3 * 3 == a.k",
        "2 ** -a.k > 0",
        "a.x ** a.k >= 0 or a.x < 0",
        "round(a.x, a.k) == round(a.x, a.k)",
    ],
)
def test_a_claim_that_is_true_for_all_values_is_refused(expression: str) -> None:
    with pytest.raises(ClaimError, match="holds whatever the scenes compute"):
        check(expression, **FAR)


def test_a_long_tautology_is_refused_after_a_limited_number_of_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    tries, fails = 0, evaluation.fails

    def count(*arguments: Any) -> bool:
        nonlocal tries
        tries += 1
        return fails(*arguments)

    monkeypatch.setattr(tautologies, "fails", count)
    numbers = {f"v{number}": 1.5 for number in range(40)}
    with pytest.raises(ClaimError, match="holds whatever the scenes compute"):
        check(" + ".join(f"s.{name} * s.{name}" for name in numbers) + " >= 0", **numbers)
    assert 100 < tries < 4000
