"""Long formulas are split without loss, and tables and formulas are wide enough."""

from __future__ import annotations

import re
from xml.etree.ElementTree import fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenebook.formulas import mathml
from scenebook.page import _fit_html as fit_html
from scenebook.prose import prose

SUM = "s = a_1 + a_2 + a_3 + a_4 + a_5 + a_6 + a_7 + a_8"
TERMS = (
    "a_1",
    "-x",
    r"\frac{a}{b}",
    r"\left( x + \frac{1}{2} \right)",
    r"\query{q + r + s + t + u}",
    r"\text{if so or not}",
    r"\textbf{bold words}",
)
SIGNS = ("=", "+", r"\cdot", r"\to", ",", r"\quad", "")


def without_source(markup: str) -> str:
    return re.sub(r"<annotation.*?</annotation>", "", markup)


def seen(markup: str) -> str:
    """The visible signs of formulas, in order."""
    return re.sub(r"<[^>]*>", "", without_source(markup)).replace("\xa0", " ")


def parts(markup: str) -> list[str]:
    return [seen(part) for part in re.findall(r"<math\b.*?</math>", markup)]


def test_a_short_formula_stays_as_it_is() -> None:
    page = f"<p>{mathml.convert('x = 1')}, {mathml.convert('E = mc^2')} and {mathml.convert('(a, b)')}</p>"
    assert fit_html.fitted(page) == page


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (SUM, ["s=a1+", "a2+a3+", "a4+a5+", "a6+a7+a8"]),
        (r"abcde \to fghij \ne klmno", ["abcde→", "fghij≠", "klmno"]),
        (r"x_{100}, x_{101}, x_{102}, x_{103}", ["x100,x101,", "x102,x103"]),
        (r"abcdef \quad ghijkl \quad mnopq", ["abcdef", "ghijkl", "mnopq"]),
        (r"\text{the longest of all words}", ["the longest ", "of all ", "words"]),
        (r"\left( a + b + c + d + e + f + g + h \right)", ["(a+b+", "c+d+", "e+f+", "g+h)"]),
    ],
)
def test_lines_end_after_signs_words_and_wide_spaces(source: str, expected: list[str]) -> None:
    assert parts(fit_html.fitted(mathml.convert(source))) == expected


@pytest.mark.parametrize(
    "source",
    [
        r"a(b)c|d|e[f]ghijklmn",
        r"abcd \sum \int \prod efgh \partial ijk",
        "12345{,}67890{,}12345{,}67890",
        r"\left( \frac{a}{b} + b + c + d + e + f + g + h \right)",
    ],
)
def test_a_line_never_ends_at_a_bracket_or_large_sign_or_inside_a_number_or_tall_brackets(source: str) -> None:
    assert len(parts(fit_html.fitted(mathml.convert(source)))) == 1


def test_a_sign_of_a_number_stays_with_it() -> None:
    assert parts(fit_html.fitted(mathml.convert("abcdefgh = -ijklmnopq"))) == ["abcdefgh=", "−ijklmnopq"]


def test_a_colour_continues_in_the_next_part() -> None:
    page = fit_html.fitted(mathml.convert(r"\query{a + b + c + d + e + f} = g"))
    assert [part.count('<mrow class="query">') for part in page.split("</math>")] == [1, 1, 1, 0]


def test_text_that_touches_a_formula_stays_with_its_ends() -> None:
    glued = f'<span class="whole">({mathml.convert(SUM)}),</span>'
    page = without_source(fit_html.fitted(glued))
    assert page.startswith('<span class="whole">(<math>') and page.endswith("</math>),</span>")
    assert [seen(part) for part in re.findall(r'<span class="whole">.*?</span>', page)] == ["(s=a1+", "a6+a7+a8),"]


def test_a_split_formula_names_the_origin_of_its_numbers_once() -> None:
    for page in (mathml.convert(SUM), f'<span class="display" tabindex="0">{mathml.convert(SUM, display=True)}</span>'):
        fitted = fit_html.fitted(page.replace("<math", '<math data-from="page/s.n"', 1))
        assert fitted.count("data-from") == 1
        assert len(parts(fitted)) == 4


def test_a_part_that_is_still_long_scrolls_and_the_keyboard_reaches_it() -> None:
    root = mathml.convert(r"\sqrt{a + b + c + d + e + f + g + h}")
    reached = ' tabindex="0" role="group" aria-label="Formula"'
    assert fit_html.fitted(root).startswith(f'<span class="strip"{reached} style="--em: ')
    assert fit_html.fitted(f'<a href="#x">{root}</a>').startswith('<a href="#x"><span class="strip" style="--em: ')


def test_a_displayed_formula_keeps_its_size_and_states_its_width() -> None:
    page = fit_html.fitted(f'<span class="display" tabindex="0">{mathml.convert(SUM, display=True)}</span>')
    assert re.findall(r"<(?:span|math)[^>]*>", page) == [
        '<span class="display" tabindex="0" role="group" aria-label="Formula" style="--em: 7">',
        *['<math displaystyle="true">'] * 4,
    ]


def test_markup_that_is_not_well_formed_is_left_alone() -> None:
    page = "<p><math><mi>a<mo>=</mo></math> & <math><mi>x</math></p>"
    assert fit_html.fitted(page) == page


def test_every_scrolling_box_has_a_name() -> None:
    page = fit_html.fitted(prose.code("x = 1", "python") + '<div class="scroll" tabindex="0"><table></table></div>')
    assert re.findall(r'tabindex="0" role="group" aria-label="(\w+)"', page) == ["Code", "Table"]


@pytest.mark.parametrize(("columns", "style"), [(3, "--em: 14"), (30, "--em: 139; --cell: 5")])
def test_a_table_states_its_width(columns: int, style: str) -> None:
    row = f"<tr>{'<td>of words</td>' * columns}</tr>"
    page = fit_html.fitted(f'<div class="scroll" tabindex="0">\n<table>\n<tbody>{row}</tbody></table></div>')
    assert f' style="{style}"' in page
    assert ('<table class="many"' in page) == (columns == 30)


@given(
    st.lists(st.sampled_from(TERMS), min_size=1),
    st.lists(st.sampled_from(SIGNS), min_size=40, max_size=40),
    st.booleans(),
)
def test_a_formula_is_split_without_loss(terms: list[str], signs: list[str], display: bool) -> None:
    source = " ".join(f"{term} {sign}" for term, sign in zip(terms[:40], signs, strict=False))
    whole = mathml.convert(source, display)
    page = f'<span class="display" tabindex="0">{whole}</span>' if display else whole
    fitted = fit_html.fitted(page)
    assert seen(fitted) == seen(page)
    assert [fromstring(part).tag for part in re.findall(r"<math\b.*?</math>", fitted)]
    assert re.findall(r"<annotation.*?</annotation>", fitted) == re.findall(r"<annotation.*?</annotation>", page)
