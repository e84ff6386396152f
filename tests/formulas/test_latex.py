r"""LaTeX that math-core lacks is rewritten, and a mistake is reported at the place where it was written."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenebook.formulas import mathml
from scenebook.formulas.latex import equations, prepare
from scenebook.formulas.macros import Macro
from scenebook.formulas.mathtext import for_matplotlib
from scenebook.formulas.mistake import FormulaError


def rewritten(source: str, numbered: bool = False) -> str:
    return prepare(source, numbered=numbered).latex


def shown(source: str, display: bool = False) -> str:
    body = re.sub(r"<annotation.*?</annotation>|<[^>]*>", "", mathml.convert(source, display), flags=re.DOTALL)
    return html.unescape(body)


@pytest.mark.parametrize(
    ("source", "latex"),
    [
        (r"a \dotsc b", r"a \ldots b"),
        (r"\mbox{if $x$}", r"\text{if }{x}"),
        (r"\text{a \eqref{b} c}", r"\text{a }{\text{@@r0@@}}\text{ c}"),
        (r"\text{100\% of}", r"\text{100\%{} of}"),
        (r"\text{max_norm}", r"\text{max\_norm}"),
        (r"\epsilon*x", r"\epsilon *x"),
        (r"\left<x\right>", r"\left\langle x\right\rangle"),
        (r"\bigl. x", " x"),
        (r"\smash[b]{x}", "{x}"),
        (r"\root 3 \of x", r"\sqrt[3]{x}"),
        (r"\mathop{X}\limits_a^b", r"{\overset{b}{\underset{a}{X}}}"),
        (r"\begin{alignedat}{2}a&b\end{alignedat}", r"\begin{aligned}a&b\end{aligned}"),
        (r"\begin{aligned}[t]a\end{aligned}", r"\begin{aligned}a\end{aligned}"),
        (r"\begin{eqnarray}a&=&b\end{eqnarray}", r"\begin{aligned}a&=b\end{aligned}"),
        (r"\begin{pmatrix*}[r]a&b\end{pmatrix*}", r"\left(\begin{array}{rr}a&b\end{array}\right)"),
        (r"\begin{array}{@{}l||*{2}{c}p{3cm}}a\end{array}", r"\begin{array}{l|ccl}a\end{array}"),
        (r"\begin{matrix}a\\ \end{matrix}", r"\begin{matrix}a\end{matrix}"),
        (r"x # y", r"x \# y"),
        (r"\mathfrak{gI}", r"\mathfrak{g\Im}"),
    ],
)
def test_a_formula_is_rewritten(source: str, latex: str) -> None:
    assert rewritten(source).replace(" ", "") == latex.replace(" ", "")
    assert mathml.convert(source.replace(r"\eqref{b}", ""))


@pytest.mark.parametrize("source", [r"\frac{a}{b} + \sqrt{x_1^2}", r"\alpha \in \mathbb{R}", r"f(x) = \sin x"])
def test_a_formula_that_math_core_knows_is_not_touched(source: str) -> None:
    assert prepare(source, numbered=True) == (source, (), (), ())


@pytest.mark.parametrize(
    ("source", "at", "message"),
    [
        ("90%", 2, r"% begins a comment in LaTeX; write \% for the sign"),
        (r"\text{50% of}", 8, r"% begins a comment in LaTeX; write \% for the sign"),
        (r"a \dotsc \foo", 9, r'Unknown command "\foo"'),
        (r"é \mbox{x} \foo", 11, r'Unknown command "\foo"'),
        (r"\frac{a}{b} \foo", 12, r'Unknown command "\foo"'),
        (
            r"\newcommand{\x}{y}",
            0,
            r"\newcommand cannot define a command in a formula; add it to macros of the page or the site",
        ),
        (r"\mbox{a", 5, "this { is not closed; add a }"),
        (r"\begin{split} a", 0, r"\begin{split} is not closed; add \end{split}"),
        (r"x \begin{split} a \end{aligned}", 18, r"\begin{split} is closed by \end{aligned}"),
        (
            r"\begin{matrix} a \\[x] b \end{matrix}",
            17,
            r"after \\, [...] is a length such as [2ex]; write \\{} before a bracket",
        ),
        (r"\begin{array}{l@{=}r} a \end{array}", 15, "an array cannot repeat '=' in every row; write it in the rows"),
        (r"\begin{array}{lq} a \end{array}", 15, "q is not a column of an array; write l, c or r"),
        (r"x \label{a}", 2, r"only a formula that a text displays has a \label; write $$...$$"),
        (r"\text{if $x}", 9, "this $ is not closed; add $"),
        (r"\nicefrac{a}", 0, r"\nicefrac has too few arguments; write one in braces: \nicefrac{...}"),
    ],
)
def test_a_mistake_has_its_place(source: str, at: int, message: str) -> None:
    with pytest.raises(FormulaError) as raised:
        mathml.convert(source)
    assert (raised.value.at, raised.value.message) == (at, message)


def test_lines_of_a_displayed_formula_stay_lines() -> None:
    latex = prepare(r"a \\[1ex] \text{or} \\ b", numbered=True).latex
    assert (latex.startswith(r"\begin{gathered}"), latex.count(r"\\")) == (True, 2)
    assert "gathered" not in prepare(r"\text{a \& b \eqref{c}}", numbered=True).latex
    assert "gathered" not in prepare(r"\left( a \\ b \right)", numbered=True).latex


def test_space_below_a_row_is_space() -> None:
    assert '<mspace depth="2.25em">' in mathml.convert(r"\begin{cases} x & y \\[2em] z & w \end{cases}")
    assert shown(r"\begin{cases} x & y \\[2ex] z & w \end{cases}") == "{xyzw\u2063"
    assert shown(r"a \\[2ex] b") == "ab"


def test_each_equation_has_a_number_unless_it_says_otherwise() -> None:
    source = r"\begin{align} a \\ b \nonumber \\ c \tag{A} \\ d \label{d} \end{align}"
    assert shown(source, display=True) == "a(1)bc(A)d(2)"
    assert [(each.label, each.tag) for each in prepare(source, numbered=True).equations] == [
        ("", None),
        ("", "(A)"),
        ("d", None),
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"\begin{align*} a \\ b \label{b} \end{align*}", "ab(1)"),
        (r"\begin{multline} a \\ b \end{multline}", "ab(1)"),
        (r"\begin{eqnarray} a &=& b \\ c &=& d \end{eqnarray}", "a=b(1)c=d(2)"),
        (r"\begin{aligned} a \tag{1} \\ b \tag*{x} \end{aligned}", "a(1)bx"),
        (r"\begin{gather} a \tag{$\star$} \end{gather}", "a(⋆)"),
        (r"\begin{gather} \begin{align} a \\ b \end{align} \\ c \end{gather}", "ab(1)c(2)"),
    ],
)
def test_rows_are_numbered(source: str, expected: str) -> None:
    assert shown(source, display=True) == expected


@pytest.mark.parametrize("source", [r"\begin{align} a \\ b \end{align}", r"\begin{equation} ab \end{equation}"])
def test_inside_a_line_no_equation_has_a_number(source: str) -> None:
    assert shown(source) == "ab"


@pytest.mark.parametrize(
    "source",
    [
        r"\begin{equation} a \\ b \label{x} \end{equation}",
        r"\begin{equation} \begin{split} a & b \label{x} \end{split} \end{equation}",
        r"a = \begin{cases} b \end{cases} \label{x}",
        r"\begin{equation*} a \label{x} \end{equation*}",
    ],
)
def test_a_single_equation_has_its_number_beside_it(source: str) -> None:
    (equation,) = prepare(source, numbered=True).equations
    assert (equation.label, equation.tag, equation.beside) == ("x", None, True)
    assert mathml.number_beside([equation], 3) == ' <span class="number" id="eq:x">(3)</span>'


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (r"\begin{equation} a \tag{1} \tag{2} \end{equation}", r"an equation has one \tag; remove one of them"),
        (r"\begin{align} a \label{x} \label{y} \end{align}", r"an equation has one \label; remove one of them"),
        (
            r"\begin{align} a \label{x} \nonumber \end{align}",
            r"\nonumber leaves an equation with a \label without a number; remove one of them",
        ),
    ],
)
def test_an_equation_has_one_number_and_one_label(source: str, message: str) -> None:
    with pytest.raises(FormulaError) as raised:
        prepare(source, numbered=True)
    assert raised.value.message == message


def test_a_reference_leads_to_its_equation() -> None:
    setting = mathml.Setting(labels=(mathml.Label("eq:a", "7"),))
    assert '<mtext><a href="#eq:a">(7)</a></mtext>' in mathml.convert(r"\eqref{eq:a}", setting=setting)
    assert '<mtext><a href="#eq:a">7</a></mtext>' in mathml.convert(r"\text{by \ref{eq:a}}", setting=setting)
    assert "<mtext>(7)</mtext>" in mathml.convert(r"\eqref{eq:a}", setting=setting._replace(repeated=True))
    with pytest.raises(FormulaError, match=r"2: no equation has the \\label\{eq:b\}; did you mean 'eq:a'\?"):
        mathml.convert(r"x \eqref{eq:b}", setting=setting)


def test_macros_are_expanded_first() -> None:
    macros = (Macro("norm", r"\lVert #1 \rVert", 1), Macro("half", r"\frac12"), Macro("both", r"\norm{#2} #1", 2))
    setting = mathml.Setting(macros=macros)
    assert mathml.words(r"\lVert x \rVert y") in mathml.convert(r"\both{y}{x}", setting=setting)
    assert r"\both{y}{x}</annotation>" in mathml.convert(r"\both{y}{x}", setting=setting)
    with pytest.raises(FormulaError, match=r'6: in the macro \\bad: Unknown command "\\foo"'):
        mathml.convert(r"\half \bad", setting=mathml.Setting(macros=(*macros, Macro("bad", r"x \foo"))))


@pytest.mark.parametrize(
    ("before", "after"),
    [(r"\sqrt{", "}"), (r"\text{$", "$}"), (r"\substack{", "}"), (r"\begin{split}", r"\end{split}")],
)
def test_a_formula_can_be_nested_too_deeply(before: str, after: str) -> None:
    with pytest.raises(FormulaError):
        mathml.convert(before * 2000 + "x" + after * 2000)
    with pytest.raises(FormulaError):
        for_matplotlib(before * 2000 + "x" + after * 2000, bool)


COMMANDS = (
    *("text", "mbox", "frac", "left", "right", "big", "root", "of", "buildrel", "over", "verb", "tag", "label"),
    *("eqref", "nonumber", "substack", "limits", "mathop", "operatorname", "colorbox", "cr", "hline", "smash"),
    *("mathfrak", "foo", "m", "p", "textcolor", "begin", "end"),
)
PIECES = st.sampled_from(
    [
        *"abx12{}[]()$%&#^_~' \n\\@*<>.",
        *(f"\\{name}" for name in COMMANDS),
        *(rf"\{edge}{{{name}}}" for edge in ("begin", "end") for name in ("align", "cases*", "array", "pmatrix*", "x")),
        *("{c|@{=}*{2}{l}}", "[2ex]", r"\\", "{equation}", "é"),
    ]
)


@given(st.lists(PIECES, max_size=14).map("".join), st.booleans())
def test_any_mistake_is_one_of_the_authors(source: str, display: bool) -> None:
    setting = mathml.Setting(macros=(Macro("m", r"\mbox{#1}\p", 1), Macro("p", r"\text{")))
    try:
        body = mathml.convert(source, display, setting)
    except FormulaError as error:
        assert 0 <= error.at <= len(source)
        assert error.message
    else:
        assert body.startswith("<math")
    for equation in equations(source, setting.macros):
        assert 0 <= equation.token.at <= len(source)
