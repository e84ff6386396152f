"""Values of other pages in claims, and several indices at once."""

import re
from typing import Any

import numpy as np
import pytest

from scenebook.claims import claims
from scenebook.core.settings import Settings

VALUES: Any = {
    ("page-2/s", "x"): 3.0,
    ("page-2/s", "n"): 2,
    ("3d/s", "P"): np.arange(6).reshape(2, 3),
    ("t", "x"): 2.0,
    ("t", "word"): "{{ page-2/s.x }}",
}


def check(expression: str) -> claims.ClaimResult:
    return claims.check(expression, {name: VALUES[name] for name in claims.names(expression)})


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("{{ page-2/s.x }} > t.x", [("page-2/s", "x"), ("t", "x")]),
        ("t.x < {{page-2/s.x}}", [("t", "x"), ("page-2/s", "x")]),
        ("{{ 3d/s.P }}[1, 2] == 5 and {{ 3d/s.P[0, 1] }} == 1", [("3d/s", "P")]),
        ("{{ 3d/s.P[-1, 0] }} == 3", [("3d/s", "P")]),
        ("all({{ 3d/s.P }} >= 0)", [("3d/s", "P")]),
        ("t.word == '{{ page-2/s.x }}'", [("t", "word")]),
    ],
)
def test_braces_name_values_of_other_pages(expression: str, names: list[tuple[str, str]]) -> None:
    assert list(claims.names(expression)) == names
    assert check(expression).holds


def test_a_false_claim_names_the_values_with_their_pages() -> None:
    assert check("{{ page-2/s.x }} < t.x").message == "is false: page-2/s.x is 3, t.x is 2"


def test_the_margin_is_that_of_the_values() -> None:
    assert check("{{ page-2/s.x }} > t.x").margin == 1


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("{{ page-2/s.x }} == {{ page-2/s.x }}", "'{{ page-2/s.x }} == {{ page-2/s.x }}' holds whatever the scenes"),
        ("{{ page-2/s.x }} ** 2 >= 0", "'{{ page-2/s.x }} ** 2 >= 0' holds whatever the scenes compute"),
        ("{{ page-2/s.x }}", "gives 3, not true or false"),
        ("{{ s.x }} > 2", "braces are for values of other pages; write s.x without them"),
        ("{{ page-2/s }} > 2", "'{{ page-2/s }}' is not a value; write {{ page-slug/scene.name }}"),
        ("{{ page-2/s.x @ n=2, m=a }} > 2", "names a setting; write at({{ page-2/s.x }}, n=2, m=a)"),
        ("{{ page-2/s.x:.1f ceil }} > 2", "has a format; write {{ page-2/s.x }}, with all of its digits"),
        ("{{ page-2/s.x }}.real > 2", "'.real' is not allowed"),
        ("{{ 3d/s.P[f(1), 0] }} > 2", "'f' is not a function for claims"),
        ("t.P[:, 0] > 1", "'t.P[:, 0]' takes a range before its last index; have the scene compute it"),
        ("{{ page-2/s.x > 2", "is not an expression"),
        ("at({{ page-2/s.x }} + t.x, n=1) > 2", "takes values of one scene"),
    ],
)
def test_other_things_in_braces_are_refused(expression: str, message: str) -> None:
    with pytest.raises(claims.ClaimError, match=re.escape(message)):
        check(expression)


def test_settings_of_a_scene_of_another_page_can_be_named() -> None:
    table = claims.Table(lambda _, __, number: 10.0**number, {"b/s": Settings({"n": (1, 2, 4)}, 1)})
    for expression in (
        "{{ b/s.x }} == 10",
        "at({{ b/s.x }}, n=4) == 100",
        "increasing({{ b/s.x }}, along='n')",
    ):
        assert claims.check_everywhere(expression, table, [0]).holds
    message = claims.check_everywhere("at({{ b/s.x }}, n=4) < 1", table, [0]).message
    assert message == "is false: b/s.x at n = 4 is 100"
    assert claims.moved_scenes("at({{ b/s.x }}, n=4) < t.x") == {"b/s"}


def test_an_index_can_be_a_value_of_the_same_scene() -> None:
    values: Any = {("a/s", "P"): VALUES["3d/s", "P"], ("a/s", "n"): 2}
    assert set(claims.names("{{ a/s.P[0, n] }} == 2")) == set(values)
    assert claims.check("{{ a/s.P[0, n] }} == 2", values).holds
