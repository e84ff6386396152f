"""Elements of arrays and of lists of texts, in sentences, in formulas and in output."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenebook.core import facts
from scenebook.core.settings import Settings
from scenebook.core.text import Text
from scenebook.formulas.macros import Macro
from scenebook.prose import prose
from scenebook.prose.array_elements import element, rows
from scenebook.prose.following import Following
from scenebook.run.everywhere import Everywhere

P = np.arange(6).reshape(2, 3) / 4
OUT = "is out of range: 's.P' is an array of 2 x 3, and this index goes from 0 to"
BESIDE = r"'s.P' has rows and columns; write \begin{pmatrix} {{ s.P:.2f }} \end{pmatrix}, or name an element"
ADVICE = "write a whole number, or the name of one that the scene has"


def scope(number: int | None = None, **values: Any) -> prose.Scope:
    """A scope whose scene `s` has these values, at three settings of `n` if a number is given for the start."""
    shown = {name: _value(value) for name, value in values.items()}
    known = prose.Scope("page", {"s": shown, "page/s": shown}, numbers="off")
    if number is None:
        return known
    settings = Settings({"n": (0, 1, 2)}, number)
    every = Everywhere(settings, tuple({**values, "n": n} for n in (0, 1, 2)), ("",) * 3)
    own = {**shown, "n": number}
    following = Following("s", "s", every)
    return prose.Scope("page", {"s": own}, numbers="off", everywhere={"s": every}, following=following)


def _value(value: Any) -> Any:
    if not hasattr(value, "shape"):
        return value

    def load(number: int | None) -> Any:
        return facts.fact(value if number is None else value * (number + 1))

    return prose.Array(f"an array of {' x '.join(map(str, value.shape))} ({value.dtype})", load)


def plain(raw: str, known: prose.Scope) -> str:
    shown = prose.plain(Text(raw, "page.yaml", 1), "text", known)
    assert known.problems == []
    return shown


def problem(raw: str, known: prose.Scope) -> str:
    """The only problem with a text."""
    prose.block(Text(raw, "page.yaml", 1), "text", known)
    (found,) = known.problems
    return found.message


def markup(raw: str, known: prose.Scope) -> str:
    body = prose.block(Text(raw, "page.yaml", 1), "text", known)
    assert known.problems == []
    return body


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("{{ s.P[0, 1]:.2f }}", "0.25"),
        ("{{ s.P[-1,-1] }}", "1.25"),
        ("{{ s.P[i, 2] :.1f}}", "1.2"),
        ("{{ page/s.P[ i , 0 ] }}", "0.75"),
        ("{{ s.v[2] }}", "12"),
        ("{{ s.words[-1] }}", "inf"),
        ("{{ s.truths[0] }}", "true"),
        ("$x = {{ s.P[0, 1]:.2f }}$", "x equals 0.25"),
        ("{{ s.P[1, 2]:.1f ceil }}", "1.3"),
    ],
)
def test_an_index_takes_an_element(raw: str, shown: str) -> None:
    known = scope(P=P, v=np.array([10, 11, 12]), words=("a", "inf"), truths=np.array([True]), i=1)
    assert plain(raw, known) == shown


@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.booleans(), st.data())
def test_an_element_is_that_of_the_array(shape: list[int], large: bool, data: st.DataObject) -> None:
    array = np.random.default_rng(0).normal(size=shape)
    indices = [data.draw(st.integers(-length, length - 1)) for length in shape]
    found = element(array if large else facts.fact(array), list(map(str, indices)), {}, "s.x")
    assert found == array[tuple(indices)]


def test_an_element_of_a_large_array_is_written_as_in_a_small_one() -> None:
    for array in (np.array([[0.1, 2]], dtype="float32"), np.ma.array([[0.1, 2]], mask=[[False, True]])):
        assert element(array, ["0", "0"], {}, "x") == element(facts.fact(array), ["0", "0"], {}, "x") == 0.1
    for masked in (array, facts.fact(array)):
        with pytest.raises(LookupError, match=re.escape("'x[0, 1]' is masked, so it has no value")):
            element(masked, ["0", "1"], {}, "x")


def test_an_element_that_is_not_finite_is_a_warning() -> None:
    assert problem("{{ s.v[0] }}", scope(v=np.array([np.inf]))).startswith("{{ s.v[0] }} is inf; have the scene")


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("{{ s.P }}", "'s.P' is an array of 2 x 3 (float64); name an element, as in s.P[0, 0], or compute one value"),
        ("{{ s.words }}", "'s.words' is a list of 2 texts; name an element, as in s.words[0], or compute one value"),
        ("{{ s.P[0] }}", "'s.P' is an array of 2 x 3; name an element with 2 indices, as in [0, 0]"),
        ("{{ s.words[0, 1] }}", "'s.words' is a list of 2 texts; name an element with 1 index, as in [0]"),
        ("{{ s.P[0, 3] }}", f"the index 3 {OUT} 2"),
        ("{{ s.P[-3, 0] }}", f"the index -3 {OUT} 1"),
        ("{{ s.P[i, 0] }}", f"the index i = 5 {OUT} 1"),
        ("{{ s.none[0] }}", "the index 0 is out of range: 's.none' is an array of 0, and this index is empty"),
        ("{{ s.P[0.5, 0] }}", f"'0.5' is not an index; {ADVICE}"),
        ("{{ s.P[half, 0] }}", f"half = 0.5 is not an index; {ADVICE}"),
        ("{{ s.P[yes, 0] }}", f"yes = True is not an index; {ADVICE}"),
        ("{{ s.P[j, 0] }}", f"'j' is not an index; {ADVICE}"),
        ("{{ s.P[:, 0] }}", f"':' is not an index; {ADVICE}"),
        ("{{ s.v[] }}", f"'' is not an index; {ADVICE}"),
        ("{{ s.half[0] }}", "'s.half' is a single value, so it has no elements; leave out [0]"),
        ("{{ s.word[0] }}", "'s.word' is a text, so it has no elements; leave out [0]"),
        ("$x = {{ s.P:.2f }}$", BESIDE),
    ],
)
def test_a_mistake_in_an_index_says_what_the_value_is(raw: str, message: str) -> None:
    values: dict[str, Any] = {
        "P": P,
        "v": np.arange(3),
        "words": ("a", "b"),
        "i": 5,
        "half": 0.5,
        "yes": True,
        "word": "a",
    }
    known = scope(**values, none=np.zeros(0))
    assert problem(raw, known) == f"{raw.strip('$x =')}: {message}"


def test_an_element_follows_the_controls_and_so_does_its_index() -> None:
    known = scope(1, v=np.array([1, 2, 3]))
    assert ">4</data>" in markup("{{ s.v[n] }}", known)
    assert prose.plain_everywhere(Text("{{ s.v[n] }} {{ s.v[0] @ n=2 }}"), known) == ("1 3", "4 3", "9 3")
    assert problem("{{ s.v[n] @ n=7 }}", scope(1, v=P[0])).startswith("{{ s.v[n] @ n=7 }}: n = 7 is not one of")


def test_an_index_that_is_out_of_range_at_one_setting_is_reported_with_it() -> None:
    message = problem("{{ s.v[n] }}", scope(0, v=np.array([1, 2])))
    assert message.startswith("{{ s.v[n] }}: at n = 2: the index n = 2 is out of range")


@pytest.mark.parametrize(
    ("name", "latex"),
    [
        ("P:.2f", r"{0.00} & {0.25} & {0.50} \\ {0.75} & {1.00} & {1.25}"),
        ("v", r"{-1} \\ {1{,}000\%}"),
        ("words", r"{\text{a\_b}} \\ {\text{c}}"),
        ("row:.1f", r"{0.0} & {0.5}"),
    ],
)
def test_a_matrix_in_a_formula_has_rows_and_columns(name: str, latex: str) -> None:
    known = scope(P=P, v=("−1", "1,000%"), words=("a_b", "c"), row=np.array([[0, 0.5]]))
    body = markup(rf"$$A = \begin{{pmatrix}} {{{{ s.{name} }}}} \end{{pmatrix}}$$", known)
    source = re.search("<annotation[^>]*>(.*?)</annotation>", body)
    assert source is not None
    assert source[1].replace("&amp;", "&") == rf"A = \begin{{pmatrix}} {latex} \end{{pmatrix}}"
    assert f'data-from="page/s.{name.partition(":")[0]}"' in body


def test_a_macro_can_stand_around_a_matrix() -> None:
    known = replace(scope(v=np.array([7, 8])), macros=(Macro("mat", r"\begin{pmatrix} #1 \end{pmatrix}", 1),))
    assert re.findall("<mn>(.)</mn>", markup(r"$\mat{ {{ s.v }} }$", known)) == ["7", "8"]


def test_a_matrix_in_a_formula_follows_the_controls() -> None:
    known = scope(0, P=np.array([[1, 2]]))
    body = markup(r"$$\begin{pmatrix} {{ s.P }} \end{pmatrix}$$", known)
    assert known.following is not None
    assert "data-follow" in body
    (region,) = known.following.regions.values()
    assert [re.findall(r"<mn>(\d+)</mn>", str(content)) for content in region[0].values] == [
        ["1", "2"],
        ["2", "4"],
        ["3", "6"],
    ]


@pytest.mark.parametrize("shape", [(17, 1), (1, 17), (2, 2, 2), (0, 2), (0,)])
def test_an_array_that_does_not_fit_into_a_formula_is_reported(shape: tuple[int, ...]) -> None:
    limits = "a formula shows one or two dimensions, with 1 to 16 rows and columns"
    known = scope(P=np.zeros(shape))
    assert problem(r"$\begin{matrix} {{ s.P }} \end{matrix}$", known).endswith(limits)


def test_a_matrix_with_numbers_that_are_not_finite_is_a_warning() -> None:
    known = scope(P=np.array([[1, np.nan]]))
    assert problem(r"$\begin{matrix} {{ s.P }} \end{matrix}$", known).startswith("{{ s.P }} has NaN; have the scene")


def test_masked_elements_have_no_rows() -> None:
    with pytest.raises(LookupError, match=re.escape("'s.P[0, 1]' is masked")):
        rows(facts.fact(np.ma.array([[1, 2]], mask=[[False, True]])), "s.P")


OUTPUT = r"""
```output
>>> P[0]  \{{ not a value }} <b>
{{ s.P[0, 1]:.3f }} {{ s.i }}
```
"""


def test_output_has_its_values() -> None:
    body = markup(OUTPUT, scope(P=P, i=7))
    assert "&gt;&gt;&gt; P[0]  {{ not a value }} &lt;b&gt;\n" in body
    assert '<data value="0.25" data-from="page/s.P[0,1]">0.250</data> <data value="7"' in body


def test_output_in_a_quote_or_a_list_has_its_values() -> None:
    raw = "> ~~~ output\n> a {{ s.i }}\n> b\n> ~~~\n\n- item\n\n  ```output\n  c {{ s.i }}\n  ```\n"
    body = markup(raw, scope(i=7))
    assert re.findall("<code>(.*?)</code>", re.sub("</?data[^>]*>", "", body), re.DOTALL) == ["a 7\nb\n", "c 7\n"]


def test_a_prompt_in_output_is_no_bound() -> None:
    assert ">0.33</data>" in markup("```output\n> {{ s.third:.2f }}\n```", scope(third=1 / 3))


def test_other_fences_show_braces() -> None:
    assert "{{ s.i }}" in markup("```text\n{{ s.i }}\n```", scope(i=7))


def test_a_mistake_in_output_is_reported_at_its_line() -> None:
    known = scope(i=7)
    prose.block(Text("\n```output\na\n{{ s.j }}\n```", "page.yaml", 1, (1, 11, 13, 23)), "text", known)
    assert [str(found) for found in known.problems] == [
        "page.yaml:4: text: {{ s.j }}: 's' has no value 'j'; there are: i"
    ]


def test_numbers_typed_in_output_are_reported_at_their_lines() -> None:
    known = prose.Scope("page", {"s": {"i": 7}})
    raw = "words\n\n```output\nloss 31.25 after {{ s.i }} steps\n41.5 percent\n```"
    prose.block(Text(raw, "page.yaml", 1, (6, 7, 17, 50, 63)), "text", known)
    assert [str(found).partition(" is typed")[0] for found in known.problems] == [
        "page.yaml:4: text: 31.25",
        "page.yaml:5: text: 41.5",
    ]


def test_every_number_of_a_text_is_counted() -> None:
    known = scope(P=P, words=("a", "b"), i=1)
    raw = r"{{ s.P[0, 1] }} {{ s.words[0] }} $\begin{matrix} {{ s.P }} \end{matrix}$" + OUTPUT
    assert prose.numbers(Text(raw), known) == 1 + 6 + 2
    assert prose.numbers(Text("{{ s.P }} {{ s.P[9, 9] }} {{ s.missing[0] }}"), known) == 6
