"""Claims about a scene with controls: they hold at every setting, and can name other settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenebook.claims import claims
from scenebook.claims.claims import ClaimError
from scenebook.core.settings import Settings

LARGE = Settings(
    {
        "d_k": (1, 2, 4, 8, 16, 32, 64, 128),
        "temperature": tuple(0.05 * 1.5**place for place in range(21)),
        "masked": (False, True),
    },
    start=100,
)
"""336 settings."""
SMALL = Settings({"k": (1, 2, 4), "mask": (False, True)}, start=2)
"""Six settings. Of another scene, that is."""
OTHER = Settings({"kind": ("sin", "none"), "k": (10, 20)}, start=3)
TABLE: dict[str, list[Any]] = {
    "k": [1, 1, 2, 2, 4, 4],
    "mask": [False, True, False, True, False, True],
    "n": [8] * 6,
    "x": [0.5, 0.6, 1.0, 1.25, 3.0, 4.0],
    "y": [9.0, 5.0, 8.0, 8.0, 7.0, 9.0],
    "w": [np.array([1.0, 2.0]) * number for number in range(1, 7)],
    "word": ["falls", "rises"] * 3,
    "holed": [1.0, 1.0, 1.0, float("nan"), 1.0, 1.0],
    "infinite": [1.0, 1.0, 2.0, 2.0, float("inf"), 3.0],
    "words": [("the", "cat")] * 6,
}
OTHERS: dict[str, list[Any]] = {"k": [10, 20, 10, 20], "z": [1.0, 2.0, 3.0, 4.0]}


def over(
    controls: Settings, values: Mapping[str, Iterable[Any]], parameters: Iterable[str] = (), scene: str | None = "s"
) -> claims.Table:
    """The table of a scene `s` with these settings, and of a scene `o` with the settings of `OTHER`."""
    found = {
        **{("s", name): list(each) for name, each in values.items()},
        **{("o", name): each for name, each in OTHERS.items()},
    }

    def value(scene: str, name: str, number: int) -> Any:
        if (scene, name) not in found:
            raise ClaimError(f"names '{scene}.{name}', which is no value")
        return found[scene, name][number]

    constants = {("s", name) for name in parameters} | {("o", "k")}
    return claims.Table(value, {"s": controls, "o": OTHER}, scene, constants)


def check(expression: str, numbers: Iterable[int] = range(6), **values: Any) -> claims.ClaimResult:
    table = over(SMALL, {**TABLE, **values}, ("k", "mask", "n"))
    return claims.check_everywhere(expression, table, numbers)


def refusal(expression: str, numbers: Iterable[int] = range(6)) -> str:
    with pytest.raises(ClaimError) as caught:
        check(expression, numbers)
    return str(caught.value)


@settings(max_examples=30)
@given(st.integers(0, 335), st.floats(-10, 0.4, exclude_max=True))
def test_a_claim_that_fails_at_one_setting_of_many_is_reported_with_that_setting(number: int, low: float) -> None:
    values = {"x": [low if place == number else 0.5 for place in range(336)]}
    result = claims.check_everywhere("s.x > 0.4", over(LARGE, values), range(336))
    assert not result.holds
    assert result.message.startswith(f"is false at {LARGE.describe(number)}: s.x is ")
    assert "settings" not in result.message


@settings(max_examples=30)
@given(st.integers(0, 335))
def test_a_claim_without_a_verdict_at_one_setting_of_many_is_reported_with_that_setting(number: int) -> None:
    values = {"x": [float("nan") if place == number else 0.5 for place in range(336)]}
    with pytest.raises(ClaimError) as caught:
        claims.check_everywhere("s.x > 0.4", over(LARGE, values), range(336))
    assert str(caught.value).startswith(f"at {LARGE.describe(number)} compares NaN")


@settings(max_examples=30)
@given(st.lists(st.floats(0.5, 100), min_size=336, max_size=336))
def test_the_margin_is_the_least_of_all_settings_and_says_where_it_is(values: list[float]) -> None:
    result = claims.check_everywhere("s.x > 0.25", over(LARGE, {"x": values}), range(336))
    least = min(values)
    assert (result.margin, result.closest) == (least - 0.25, LARGE.describe(values.index(least)))


@given(
    st.lists(st.integers(-3, 3) | st.floats(-1e6, 1e6), min_size=24, max_size=24),
    st.sampled_from(["first", "second", "third"]),
    st.sampled_from(["increasing", "decreasing"]),
    st.booleans(),
)
def test_a_trend_is_strict_along_every_line_of_the_table(
    values: list[float], control: str, function: str, is_sorted: bool
) -> None:
    """A sorted table is increasing along each control, up to values that are equal."""
    values = sorted(values, reverse=function == "decreasing") if is_sorted else values
    shape = {"first": (1, 2, 3), "second": ("a", "b"), "third": (0.5, 1.5, 2.5, 3.5)}
    differences = np.diff(
        np.reshape(values, [len(points) for points in shape.values()]), axis=list(shape).index(control)
    )
    expected = bool(np.all(differences > 0 if function == "increasing" else differences < 0))
    table = over(Settings(shape), {"x": values})
    assert claims.check_everywhere(f"{function}(s.x, along='{control}')", table, range(24)).holds is expected


@given(st.integers(0, 5), st.sampled_from(TABLE["k"]), st.booleans())
def test_at_names_the_setting_that_differs_in_what_it_sets(number: int, k: int, mask: bool) -> None:
    x, here = TABLE["x"], SMALL[number]
    by_setting = {
        (setting["k"], setting["mask"]): x[place] for place, setting in enumerate(map(SMALL.__getitem__, range(6)))
    }
    for written, expected in [
        (f"k={k}", by_setting[k, here["mask"]]),
        (f"mask={mask}", by_setting[here["k"], mask]),
        (f"mask={mask}, k={k}", by_setting[k, mask]),
        (f"k={k}.0, mask={str(mask).lower()}", by_setting[k, mask]),
    ]:
        assert check(f"at(s.x, {written}) == {expected!r}", [number]).holds


@pytest.mark.parametrize(
    ("expression", "margin", "closest"),
    [
        ("s.x > 0.25", 0.25, "k = 1, mask = false"),
        ("s.x < at(s.x, k=4) + 1", 1.0, "k = 4, mask = false"),
        ("at(s.x, k=4) - at(s.x, k=1) > 2", 0.5, "mask = false"),
        ("at(s.x, k=4, mask=true) == 4", None, ""),
        ("at(at(s.x, mask=True), k=4) == 4", None, ""),
        ("at(s.x, k=4, mask=True) > 3", 1.0, ""),
        ("at(s.x + 2 * s.k, k=4, mask=False) == 11", None, ""),
        ("at(s.word, mask=true) == 'rises'", None, ""),
        ("s.word == 'falls' or s.mask", None, ""),
        ("at(max(s.w), k=4) > max(s.w) or s.k == 4", None, ""),
        ("increasing(s.x, along='k')", 0.5, "k = 1, mask = false"),
        ("increasing(s.x, along='k') and s.x < 9", 0.5, "k = 1, mask = false"),
        ("increasing(s.x, along='mask')", 0.09999999999999998, "k = 1, mask = false"),
        ("decreasing(-s.x, along='k')", 0.5, "k = 1, mask = false"),
        ("increasing(s.w[0], along='k')", 2.0, "k = 1, mask = false"),
        ("increasing(max(s.w) + s.k, along='k')", 5.0, "k = 1, mask = false"),
        ("increasing(s.x - at(s.x, mask=true) / 2, along='k')", 0.175, "k = 1, mask = false"),
        ("at(decreasing(s.y, along='k'), mask=false)", None, ""),
        ("decreasing(s.y, along='k') or s.mask", None, ""),
        ("increasing(s.infinite, along='k') or s.mask", None, ""),
        ("o.z == 4", None, ""),
        ("at(o.z, k=10) == 3", None, ""),
        ("at(o.z, kind='sin', k=10) == 1", None, ""),
        ("increasing(o.z, along='k')", 1.0, ""),
        ("increasing(o.z, along='k') and s.x < 4.25", 0.25, "k = 4, mask = true"),
        ("increasing(o.z / 8, along='kind') and s.x < 4.5", 0.25, "k = 1, mask = false"),
        ("s.x < o.z + 1", 1.0, "k = 4, mask = true"),
    ],
)
def test_a_claim_that_is_true_at_every_setting_holds(expression: str, margin: float | None, closest: str) -> None:
    assert check(expression) == claims.ClaimResult(holds=True, margin=margin, closest=closest)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("s.x < 4", "is false at k = 4, mask = true: s.x is 4"),
        ("s.x < 3 and s.k > 0", "is false at k = 4, mask = false: s.x is 3, s.k is 4; it fails at 2 of 6 settings"),
        ("s.x < 0", "is false at k = 1, mask = false: s.x is 0.5; it fails at all 6 settings"),
        ("s.n == 9", "is false at k = 1, mask = false: s.n is 8; it fails at all 6 settings"),
        (
            "at(s.x, k=2) > s.x",
            "is false at k = 2, mask = false: s.x is 1; it fails at 4 of 6 settings",
        ),
        (
            "at(s.x, k=1) > s.x",
            "is false at k = 1, mask = false: s.x is 0.5; it fails at all 6 settings",
        ),
        (
            "s.k < 4 or at(s.x, k=1) > s.x",
            "is false at k = 4, mask = false: s.k is 4, s.x at k = 1 is 0.5, s.x is 3; it fails at 2 of 6 settings",
        ),
        (
            "at(s.x, k=4, mask=true) < 4",
            "is false: s.x at k = 4, mask = true is 4",
        ),
        (
            "increasing(s.y, along='mask')",
            "is false at k = 1: s.y at mask = false is 9, s.y at mask = true is 5; it fails at 4 of 6 settings",
        ),
        (
            "decreasing(s.y, along='k')",
            "is false at mask = true: s.y at k = 1 is 5, s.y at k = 2 is 8; it fails at 3 of 6 settings",
        ),
        ("o.z == 3", "is false: o.z is 4"),
        ("at(o.z, k=10) == 4", "is false: o.z at k = 10 is 3"),
        (
            "at(o.z, k=10) > s.x",
            "is false at k = 4, mask = false: o.z at k = 10 is 3, s.x is 3; it fails at 2 of 6 settings",
        ),
    ],
)
def test_a_claim_that_fails_names_the_first_setting_and_how_many_there_are(expression: str, message: str) -> None:
    result = check(expression)
    assert (result.holds, result.message) == (False, message)


@pytest.mark.parametrize(
    ("expression", "margin", "closest"),
    [
        ("s.x < 3.5", -0.5, "k = 4, mask = true"),
        ("s.x < 3 and s.k > 0", -1.0, "k = 4, mask = true"),
        ("increasing(s.y, along='mask')", -4.0, "k = 1, mask = false"),
        ("s.n == 9", None, ""),
        ("s.n == 9 and s.x > 0.25", None, ""),
    ],
)
def test_the_margin_of_a_claim_that_fails_is_negative_and_the_largest(
    expression: str, margin: float | None, closest: str
) -> None:
    result = check(expression)
    assert (result.holds, result.margin, result.closest) == (False, margin, closest)


def test_other_settings_than_the_chosen_ones_are_not_checked() -> None:
    chosen = claims.chosen({"mask": False}, "s", SMALL)
    assert chosen == (0, 2, 4)
    assert check("decreasing(s.y, along='k') and s.x < 4", chosen).holds
    assert check("s.x < 3", chosen).message == "is false at k = 4, mask = false: s.x is 3"
    assert claims.chosen({}, "s", SMALL) == (0, 1, 2, 3, 4, 5)


@pytest.mark.parametrize(
    ("at", "message"),
    [
        (
            {"k": 3},
            "names a point that 's' does not have: k = 3 is not one of the points of the control; the nearest is 2",
        ),
        ({"masks": True}, "names 'masks', which is not a control of 's'; did you mean 'mask'?"),
    ],
)
def test_settings_that_do_not_exist_cannot_be_chosen(at: dict[str, Any], message: str) -> None:
    with pytest.raises(ClaimError) as caught:
        claims.chosen(at, "s", SMALL)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "expression",
    [
        "s.x > 0",
        "s.x > 0 or s.k == 4",
        "s.k == 4 or (s.x > 0 and s.k < 4)",
        "s.x > 0 or s.x < -s.k",
        "s.x < 1e12 or s.k == 1",
        "not (s.x > 1e12 and s.k == 4)",
        "s.x * s.k < 1e12",
        "s.k != 4 or s.x > 2",
        "s.x < s.n * s.k",
        "max(s.x, s.k - 3) >= 0.5",
        "max(s.x, 2.5) >= s.k - 1.25",
        "at(s.x, k=4) >= s.x",
        "at(s.x, k=4) > s.x or s.k == 4",
        "at(s.x, k=4) > at(s.k, k=1)",
        "increasing(s.x, along='k')",
        "increasing(s.x + s.k, along='k')",
        "increasing(s.k + (s.k == 4) * s.x, along='k')",
        "increasing(s.x, along='k') or s.x < 0",
        "not decreasing(s.x, along='k')",
        "s.word == 'falls' or s.mask",
        "all(s.w < 99 * s.k)",
    ],
)
def test_a_claim_that_can_fail_at_some_setting_is_accepted(expression: str) -> None:
    assert check(expression).holds


@pytest.mark.parametrize(
    "expression",
    [
        "s.x == s.x",
        "s.x * s.x >= -s.k",
        "s.x * s.x >= 0 or s.k == 4",
        "at(s.x, k=4) == s.x or s.k < 4",
        "at(s.x * s.x, k=4) >= 0",
        "at(s.x, k=4) == at(at(s.x, k=4), k=4)",
        "abs(at(s.x, k=4) - s.x) == abs(s.x - at(s.x, k=4))",
        "increasing(s.x - s.x + s.k, along='k')",
        "increasing(s.x, along='k') or not increasing(s.x, along='k')",
        "max(s.x, s.k) >= at(s.k, k=1)",
        "all(s.w * s.w >= -s.k)",
    ],
)
def test_a_claim_that_holds_whatever_is_computed_at_any_setting_is_refused(expression: str) -> None:
    assert refusal(expression).endswith("holds whatever the scenes compute; claim something that could be false")


@pytest.mark.parametrize(
    "expression",
    [
        "s.k > 0",
        "s.n == 8",
        "s.k <= at(s.k, k=4)",
        "increasing(s.k, along='k')",
        "s.x > 0 or s.k > 0",
        "s.k < 9 or (s.x > 1 and s.n == 8)",
        "not (s.x > 1 and s.n == 9)",
        "o.k == 20",
    ],
)
def test_a_claim_that_parameters_decide_is_refused(expression: str) -> None:
    assert refusal(f"s.x > 0 and ({expression})").startswith("cannot fail: parameters alone decide ")


def test_a_claim_that_parameters_decide_where_it_is_checked_is_refused() -> None:
    assert check("s.k == 2 or s.x > 0").holds
    assert refusal("s.k == 2 or s.x > 0", [2, 3]).startswith("cannot fail: parameters alone decide ")


def test_parameters_of_scenes_without_controls_can_be_constants() -> None:
    table = claims.Table(lambda _, name, __: {"n": 8, "x": 1.5}[name], {}, parameters={("s", "n")})
    assert claims.check_everywhere("s.x < s.n", table, [0]) == claims.ClaimResult(holds=True, margin=6.5)
    with pytest.raises(ClaimError, match=r"parameters alone decide 's\.n == 8'"):
        claims.check_everywhere("s.x > 1 and s.n == 8", table, [0])


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("at(s.x) > 0", "is not a claim: 'at(s.x)' does not say where; write at(scene.value, control=point)"),
        ("at(s.x, 4) > 0", "is not a claim: 'at(s.x, 4)' does not say where; write at(scene.value, control=point)"),
        ("at(k=4) > 0", "is not a claim: 'at(k=4)' does not say where; write at(scene.value, control=point)"),
        (
            "at(s.x, **s.x) > 0",
            "is not a claim: 'at(s.x, **s.x)' does not say where; write at(scene.value, control=point)",
        ),
        ("at(s.x, k=s.k) > 0", "is not a claim: 'k=s.k' sets no number, text in quotes, true or false"),
        ("at(o.z, kind=sin) > 0", "is not a claim: 'kind=sin' sets no number, text in quotes, true or false"),
        ("at(s.x, k=None) > 0", "is not a claim: 'k=None' sets no number, text in quotes, true or false"),
        ("at(4, k=4) > 0", "is not a claim: at(...) needs a value; write scene.value, not '4'"),
        (
            "at(s.x - o.z, k=4) > 0",
            "is not a claim: at(...) takes values of one scene; 's.x - o.z' has values of o and s",
        ),
        ("at(s.x, k=4, k=1) > 0", "is not a claim: at(...) sets 'k' twice"),
        ("at(s.x, kk=4) > 0", "names 'kk', which is not a control of 's'; there are: k, mask"),
        ("at(s.x, maks=true) > 0", "names 'maks', which is not a control of 's'; did you mean 'mask'?"),
        (
            "at(s.x, k=3.9) > 0",
            "names a point that 's' does not have: k = 3.9 is not one of the points of the control; the nearest is 4",
        ),
        (
            "at(s.x, k=-1) > 0",
            "names a point that 's' does not have: k = -1 is not one of the points of the control; the nearest is 1",
        ),
        (
            "at(s.x, mask=1) > 0",
            (
                "names a point that 's' does not have: "
                "mask = 1 is not one of the points of the control; they are false, true"
            ),
        ),
        (
            "at(o.z, kind='sine') > 0",
            (
                "names a point that 'o' does not have: "
                "kind = sine is not one of the points of the control; they are sin, none"
            ),
        ),
        ("at(none.x, k=4) > 0", "names 'none.x', which is no value"),
        ("at(s.z, k=4) > 0", "names 's.z', which is no value"),
        (
            "increasing(s.x)",
            (
                "is not a claim: 'increasing(s.x)' does not say along which control; "
                "write increasing(scene.value, along='control')"
            ),
        ),
        (
            "decreasing(s.x, along=k)",
            (
                "is not a claim: 'decreasing(s.x, along=k)' does not say along which control; "
                "write decreasing(scene.value, along='control')"
            ),
        ),
        (
            "increasing(s.x, s.y, along='k')",
            (
                "is not a claim: \"increasing(s.x, s.y, along='k')\" does not say along which control; "
                "write increasing(scene.value, along='control')"
            ),
        ),
        ("increasing(1, along='k')", "is not a claim: increasing(...) needs a value; write scene.value, not '1'"),
        (
            "increasing(s.x + o.z, along='k')",
            "is not a claim: increasing(...) takes values of one scene; 's.x + o.z' has values of o and s",
        ),
        ("increasing(s.x, along='maks')", "names 'maks', which is not a control of 's'; did you mean 'mask'?"),
        (
            "increasing(s.w, along='k')",
            "cannot be evaluated: increasing(...) needs single numbers, and 's.w' is an array",
        ),
        (
            "decreasing(s.word, along='k')",
            "cannot be evaluated: decreasing(...) needs single numbers, and 's.word' is a text",
        ),
        (
            "increasing(s.words, along='k')",
            "cannot be evaluated: increasing(...) needs single numbers, and 's.words' is a list of texts",
        ),
        (
            "increasing(s.mask, along='mask')",
            "cannot be evaluated: increasing(...) needs single numbers, and 's.mask' is a truth value",
        ),
        (
            "increasing(s.holed, along='k')",
            "at mask = true compares NaN, so it is neither true nor false; have the scene return a truth value",
        ),
        (
            "incresing(s.x, along='k')",
            (
                "is not a claim: 'incresing' is not a function for claims; "
                "use abs, min, max, all, any, len, round, close; did you mean 'increasing'?"
            ),
        ),
        ("at(s.x, k=4)", "at mask = false gives 3, not true or false; compare it with something"),
        ("-" * 330 + "at(s.x, k=4) > 0", "is nested too deeply; have the scene compute it"),
        (
            "s.holed == 1",
            "at k = 2, mask = true compares NaN, so it is neither true nor false; have the scene return a truth value",
        ),
    ],
)
def test_a_mistake_about_settings_is_named(expression: str, message: str) -> None:
    assert refusal(expression) == message


def test_a_point_that_no_float_can_hold_is_refused() -> None:
    table = over(Settings({"k": (0.5, 1.5)}), {"x": [1, 2]})
    with pytest.raises(ClaimError, match=r"^names a point that 's' does not have: k = 1(0{79})…"):
        claims.check_everywhere(f"at(s.x, k=1{'0' * 400}) > 0", table, range(2))


def test_a_trend_needs_two_points() -> None:
    table = over(Settings({"k": (1,), "j": (1, 2)}), {"x": [1, 2]})
    with pytest.raises(ClaimError, match=r"^goes along 'k', which has only one point$"):
        claims.check_everywhere("increasing(s.x, along='k')", table, range(2))


@pytest.mark.parametrize("expression", ["at(s.x, k=4) > 0", "increasing(s.x, along='k')"])
def test_a_scene_without_controls_has_no_other_settings(expression: str) -> None:
    with pytest.raises(ClaimError, match=r"^names the control 'k', but 's' has no controls$"):
        claims.check(expression, {("s", "x"): 1.0})


def test_without_a_scene_that_is_checked_all_scenes_stand_at_their_starts() -> None:
    table = over(SMALL, TABLE, scene=None)
    assert claims.check_everywhere("s.x == 1 and o.z == 4 and at(s.x, k=4) == 3", table, [0]).holds
    assert claims.check_everywhere("s.x > 1", table, [0]).message == "is false: s.x is 1"


def test_values_in_at_and_trends_are_among_the_names_of_a_claim() -> None:
    expression = "at(a.x, k=4) > b.y and increasing(c.z - at(c.w, j='sin'), along='k') and d.v > 0"
    assert claims.names(expression) == (("a", "x"), ("b", "y"), ("c", "z"), ("c", "w"), ("d", "v"))
    assert claims.moved_scenes(expression) == {"a", "c"}
    assert claims.moved_scenes("a.x > 0") == frozenset()


def test_a_trend_reads_each_value_once_however_many_settings_lie_on_its_line() -> None:
    reads = []

    def value(scene: str, name: str, number: int) -> float:
        reads.append(number)
        return number * 1.0

    line = Settings({"k": tuple(range(500))})
    table = claims.Table(value, {"s": line}, "s")
    assert claims.check_everywhere("increasing(s.x, along='k')", table, range(500)).holds
    assert len(reads) < 510
