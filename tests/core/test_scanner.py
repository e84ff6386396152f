"""The scanner tells code, formulas, money and values apart as an author means them, and loses no character."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenebook.core.scanner import Span, scan, values_in

MARKS = st.text(alphabet="$`~\\{}\n a1.:<>&*_[]()#|", max_size=60)


def spans(raw: str) -> list[tuple[str, str]]:
    """Return the kind and the raw text of each span that is not plain text."""
    return [(span.kind, span.raw) for span in scan(raw) if span.kind != "text"]


@given(st.one_of(MARKS, st.text(max_size=80)))
def test_spans_cover_every_character_exactly_once(raw: str) -> None:
    scanned = scan(raw)
    assert "".join(span.raw for span in scanned) == raw
    assert [span.start for span in scanned] == [0, *(span.end for span in scanned)][: len(scanned)]
    assert all(span.raw for span in scanned)
    assert all(span.inner in span.raw or "\n" in span.raw for span in scanned)


@given(MARKS)
def test_a_value_or_escape_is_read_the_same_on_its_own(raw: str) -> None:
    for span in scan(raw):
        if span.kind in ("value", "escape"):
            assert [(again.kind, again.inner) for again in scan(span.raw)] == [(span.kind, span.inner)]


@given(MARKS)
def test_a_quoted_text_has_the_same_spans_as_the_text_alone(raw: str) -> None:
    quote = "".join(f"> {line}\n" for line in raw.split("\n"))
    inside, outside = ([(span.kind, span.inner) for span in scan(text) if span.kind != "text"] for text in (quote, raw))
    assert inside == outside


@pytest.mark.parametrize(
    ("raw", "inner"),
    [
        ("> $$\n> x = 1\n> $$", "\nx = 1\n"),
        (">$$\n>x\n>$$", "\nx\n"),
        (">> $$\n>> x\n>> $$", "\nx\n"),
        ("> > $$\n> > x\n> > $$", "\nx\n"),
        ("> > $$\n>> x\n > > $$", "\nx\n"),
        ("- > $$\n  > x\n  > $$", "\nx\n"),
        ("12. > $$\n    > x\n    > $$", "\nx\n"),
        ("[^a]: > $x\n    > y$", "x\ny"),
        (":   > $x\n    > y$", "x\ny"),
        ("> - $x\n>   y$", "x\n  y"),
        ("> words $x\n> y$ and more", "x\ny"),
        ("> words\nwithout a mark $x\n> y$", "x\ny"),
        ("> $x\ny$", "x\ny"),
        ("> $x\n> > y$", "x\n> y"),
        ("> `x\n> y`", "x\ny"),
        ("> one\n\n$x\n> y$", "x\n> y"),
        ("$x\n> y$", "x\n> y"),
        ("> $x\n> {{ s.a }}$", "x\n{{ s.a }}"),
    ],
)
def test_a_span_in_a_quote_does_not_contain_quote_marks(raw: str, inner: str) -> None:
    assert [span.inner for span in scan(raw) if span.kind != "text"] == [inner]


def test_a_formula_outside_a_quote_keeps_greater_signs_at_line_starts() -> None:
    assert [span.inner for span in scan("$a\n> b$ and $c\n> d$") if span.kind != "text"] == ["a\n> b", "c\n> d"]


@pytest.mark.parametrize("raw", ["> $x\n>\n> y$", "> $$\n> x\n>\n> y\n> $$", "> `x\n>  \n> y`", "> ```\n> x\n```\n"])
def test_a_span_cannot_cross_the_end_of_its_paragraph_or_quote(raw: str) -> None:
    assert spans(raw) == []


@pytest.mark.parametrize(
    ("raw", "source"),
    [
        ("> ```\n> x\n>\n>   y\n> ```", "x\n\n  y\n"),
        ("> > ~~~\n> > > x\n> > ~~~", "> x\n"),
        ("```\n> x\n>>> y\n```", "> x\n>>> y\n"),
        ("```\n    x\n```", "    x\n"),
        ("- a\n\n    ```\n    x\n      y\n    ```", "x\n  y\n"),
        ("- ```\n  x\n    y\n  ```", "x\n  y\n"),
        ("1. ```\n   x\n   ```", "x\n"),
        ("> - ```\n>   x\n>   ```", "x\n"),
        ("- > ```\n  > x\n  > ```", "x\n"),
        ("[^a]: ```\n    x\n      y\n    ```", "x\n  y\n"),
        ("T\n:   ```\n    x\n    ```", "x\n"),
        ("> ```\n> ```", ""),
    ],
)
def test_fenced_code_loses_the_marks_and_indentation_around_it(raw: str, source: str) -> None:
    (fence,) = (span for span in scan(raw) if span.kind != "text")
    assert (fence.kind, fence.inner.partition("\n")[2]) == ("fence", source)


@pytest.mark.parametrize(
    ("raw", "formulas"),
    [
        ("It costs $5 and $10 a day; $HOME is not math; \\$7 is escaped; $a+b$ is math.", ["$a+b$"]),
        ("US$5 and x$", []),
        ("a $b$c and a$b$", ["$b$"]),
        ("$ a$ and $a $", ["$ a$", "$a $"]),
        ("5 $ or 10 $, $ 5 or $ 10, and $ 5 $", []),
        ("$1$", ["$1$"]),
        ("$a$5", []),
        ("$a\nb$", ["$a\nb$"]),
        ("$a\n\nb$", []),
        ("$a\n \t\nb$", []),
        (r"$\$5$ and $x\$$", [r"$\$5$", r"$x\$$"]),
        ("$x_1$ and $x_2$", ["$x_1$", "$x_2$"]),
        ("$5 $ $", []),
    ],
)
def test_formulas_are_told_apart_from_money(raw: str, formulas: list[str]) -> None:
    assert [text for kind, text in spans(raw) if kind == "formula"] == formulas


@pytest.mark.parametrize(
    ("raw", "formulas"),
    [
        (r"a \(x^2\) b \(y\)", [("formula", "x^2"), ("formula", "y")]),
        (r"\[ E = mc^2 \]", [("display", " E = mc^2 ")]),
        ("\\[\n  x = 1\n\\]", [("display", "\n  x = 1\n")]),
        (r"a lone \[ or \( and [a\[0\]](b), \[citation needed\], \[1\], \(see above\), \\(x\\)", []),
        (r"see \eqref{a} and \ref{b}", [("formula", r"\eqref{a}"), ("formula", r"\ref{b}")]),
        ("\\begin{align}\na\n\\end{align}", [("display", "\\begin{align}\na\n\\end{align}")]),
        ("> \\begin{align}\n> a\n> \\end{align}", [("display", "\\begin{align}\na\n\\end{align}")]),
        ("> $$\n> x = 1\n> $$", [("display", "\nx = 1\n")]),
        ("- > $$\n  > x = 1\n  > $$", [("display", "\nx = 1\n")]),
        ("$ x $, $ x_1 + y$ and $\\alpha $", [("formula", " x "), ("formula", " x_1 + y"), ("formula", "\\alpha ")]),
        ("a word $ in the middle $ of it", []),
        (r"$\text{if $x$ holds}$", [("formula", r"\text{if $x$ holds}")]),
        (r"$$ y \tag{$\star$} $$ and $z$", [("display", r" y \tag{$\star$} "), ("formula", "z")]),
    ],
)
def test_formulas_can_be_written_in_other_ways(raw: str, formulas: list[tuple[str, str]]) -> None:
    assert [(span.kind, span.inner) for span in scan(raw) if span.kind in ("formula", "display")] == formulas


def test_a_displayed_formula_can_contain_an_escaped_dollar() -> None:
    assert spans("$$a\n+ \\$b$$ and $c$") == [("display", "$$a\n+ \\$b$$"), ("formula", "$c$")]
    assert spans("$$a\n\nb$$") == []


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("`$x_1$` and ``a ` b``", ["`$x_1$`", "``a ` b``"]),
        ("`a\nb`", ["`a\nb`"]),
        ("one ` tick\n\ntwo ` ticks", []),
        ("``a`", []),
        ("\\`a`", []),
        ("`{{ s.a }}`", ["`{{ s.a }}`"]),
    ],
)
def test_inline_code_ends_within_its_paragraph(raw: str, code: list[str]) -> None:
    assert [text for kind, text in spans(raw) if kind == "code"] == code


@pytest.mark.parametrize("mark", ["```", "~~~", "`````"])
def test_a_fence_ends_at_its_own_closing_mark(mark: str) -> None:
    raw = f"before\n\n{mark}python\nx = '$a$'\n``\n{{{{ s.a }}}}\n{mark}\n\nafter $b$"
    fence, formula = [span for span in scan(raw) if span.kind != "text"]
    assert fence.kind == "fence"
    assert fence.inner == "python\nx = '$a$'\n``\n{{ s.a }}\n"
    assert formula.raw == "$b$"


def test_values_are_found_in_text_and_formulas_only() -> None:
    raw = r"\{{ s.a }} `{{ s.b }}` {{ s.c:.2f }} $x_{{{ s.d }}} = {{s.e:,d}}$ {{ s.f"
    assert spans(raw) == [
        ("escape", "\\{"),
        ("code", "`{{ s.b }}`"),
        ("value", "{{ s.c:.2f }}"),
        ("formula", "$x_{{{ s.d }}} = {{s.e:,d}}$"),
    ]
    (formula,) = [span for span in scan(raw) if span.kind == "formula"]
    assert [(value.inner, raw[value.start : value.end]) for value in values_in(formula)] == [
        ("s.d", "{{ s.d }}"),
        ("s.e:,d", "{{s.e:,d}}"),
    ]


def test_double_braces_in_latex_are_not_a_value() -> None:
    formula = Span("formula", 0, "$x^{{2}} {{a}}$", "x^{{2}} {{a}}")
    assert values_in(formula) == ()


@pytest.mark.parametrize("mark", ["`", "$", "{{", "```\n", "$$", "\\", "` ", "$a"])
def test_thousands_of_unclosed_marks_are_kept_to_the_last_character(mark: str) -> None:
    raw = mark * 3000
    assert "".join(span.raw for span in scan(raw)) == raw


def test_offsets_are_right_with_windows_line_ends_and_other_scripts() -> None:
    raw = "注意力 $x$\r\n\U0001f600 {{ s.a }}"
    assert [raw[span.start : span.end] for span in scan(raw) if span.kind != "text"] == ["$x$", "{{ s.a }}"]
    assert not re.search(r"\$", "".join(span.raw for span in scan(raw) if span.kind == "text"))
