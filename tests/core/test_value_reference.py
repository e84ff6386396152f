"""How a text names a value."""

import pytest

from scenebook.core.scanner import all_values
from scenebook.core.value_reference import ValueReference, parse, value_of, without_scene


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        (" s.x ", ValueReference("s", "x")),
        ("slug/s.x:.2f", ValueReference("slug/s", "x", (), ".2f")),
        ("s.x @ d_k=128 :.2f", ValueReference("s", "x", (("d_k", "128"),), ".2f")),
        ("s.x@d_k=128,masked=true", ValueReference("s", "x", (("d_k", "128"), ("masked", "true")))),
        (" s.x @ a = -0.5 , b = 'minus infinity' ", ValueReference("s", "x", (("a", "-0.5"), ("b", "minus infinity")))),
        ("s.x:.1% ceil", ValueReference("s", "x", (), ".1%", "ceil")),
        (" s.x @ n=1 :,.0f floor ", ValueReference("s", "x", (("n", "1"),), ",.0f", "floor")),
        ("s.x: nearest", ValueReference("s", "x", (), "", "nearest")),
        ("s.x.low @ n=1 :.2f", ValueReference("s", "x", (("n", "1"),), ".2f", stat="low")),
        ("s.x[0, i].about:%", ValueReference("s", "x", (), "%", "", ("0", "i"), "about")),
        ("s.x:ceil", ValueReference("s", "x", (), "", "ceil")),
        ('s.x @ a="x: y" :>5', ValueReference("s", "x", (("a", "x: y"),), ">5")),
        ("s.P[0, -1]:.2f", ValueReference("s", "P", (), ".2f", "", ("0", "-1"))),
        ("slug/s.P[ i ] @ n=1 :.2f floor", ValueReference("slug/s", "P", (("n", "1"),), ".2f", "floor", ("i",))),
    ],
)
def test_a_reference_has_a_scene_a_name_pins_and_a_format(inner: str, expected: ValueReference) -> None:
    assert parse(inner) == expected


@pytest.mark.parametrize(
    "inner", ["", "s", "s.x @", "s.x @ d_k", "s.x @ d_k=", "s.x @ =3", "s.x @ a=1 b=2", "s.x + 1", "s.x[0", "s.x[0][1]"]
)
def test_anything_else_is_not_a_reference(inner: str) -> None:
    assert parse(inner) is None


@pytest.mark.parametrize("inner", ["s.x[0", "s.x 0]", "s[0].x", "s.x[0] [1]", "s.x[a[0]]", "s.x:.2f[0]}"])
def test_an_index_stands_in_one_pair_of_brackets_after_the_name(inner: str) -> None:
    assert parse(inner) is None


def test_a_pinned_value_is_found_in_text_and_formulas() -> None:
    text = r"It is {{ s.x @ n=1 :.2f }}, so $a = {{ s.x @ n=2, m='b' }}$, while $x^{{2}}$ is not."
    assert [value.inner.strip() for value in all_values(text)] == ["s.x @ n=1 :.2f", "s.x @ n=2, m='b'"]


def test_an_element_is_found_in_formulas_and_output() -> None:
    text = "$a = {{ s.P[0, i] }}$\n\n```output\n{{ s.v[1] }} \\{{ no }}\n```\n\n```text\n{{ s.x }}\n```"
    assert [value.inner.strip() for value in all_values(text)] == ["s.P[0, i]", "s.v[1]"]


def test_what_a_page_shows_is_traced_to_its_value() -> None:
    assert value_of("slug/s.P[0,1]") == value_of("slug/s.P") == "slug/s.P"
    assert value_of('slug/s.df["a\N{NO-BREAK SPACE}b"][1]') == 'slug/s.df["a b"]'
    assert without_scene("slug/s.P") == without_scene("P") == "P"
    assert without_scene('slug/s.df["a.b"]') == without_scene('df["a.b"]') == 'df["a.b"]'
