"""The scanner finds code, formulas, money and values as an author means them, and loses no character."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenebook.core.scanner import Span, scan, values_in

MARKS = st.text(alphabet="$`~\\{}\n a1.:<>&*_[]()#|", max_size=60)


def spans(raw: str) -> list[tuple[str, str]]:
    """Kind and raw text of each span but plain text."""
    return [(span.kind, span.raw) for span in scan(raw) if span.kind != "text"]


@given(st.one_of(MARKS, st.text(max_size=80)))
def test_a_character_is_lost_or_told_twice(raw: str) -> None:
    found = scan(raw)
    assert "".join(span.raw for span in found) == raw
    assert [span.start for span in found] == [0, *(span.end for span in found)][: len(found)]
    assert all(span.raw for span in found)
    assert all(span.inner in span.raw or "\n" in span.raw for span in found)


@given(MARKS)
def test_the_same_text_is_read_in_two_ways(raw: str) -> None:
    """What stands for itself is read as the same when it stands alone."""
    for span in scan(raw):
        if span.kind in ("value", "escape"):
            assert [(again.kind, again.inner) for again in scan(span.raw)] == [(span.kind, span.inner)]


@given(MARKS)
def test_a_quote_holds_the_same_spans_as_its_text_alone(raw: str) -> None:
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
def test_a_span_in_a_quote_has_none_of_its_marks(raw: str, inner: str) -> None:
    assert [span.inner for span in scan(raw) if span.kind != "text"] == [inner]


def test_a_greater_sign_at_the_start_of_a_line_of_a_formula_is_kept() -> None:
    assert [span.inner for span in scan("$a\n> b$ and $c\n> d$") if span.kind != "text"] == ["a\n> b", "c\n> d"]


@pytest.mark.parametrize("raw", ["> $x\n>\n> y$", "> $$\n> x\n>\n> y\n> $$", "> `x\n>  \n> y`", "> ```\n> x\n```\n"])
def test_a_span_ends_with_its_paragraph_and_its_quote(raw: str) -> None:
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
        (":   ```\n    x\n    ```", "x\n"),
        ("> ```\n> ```", ""),
    ],
)
def test_fenced_code_has_neither_marks_nor_indentation_of_what_it_is_in(raw: str, source: str) -> None:
    (fence,) = (span for span in scan(raw) if span.kind != "text")
    assert (fence.kind, fence.inner.partition("\n")[2]) == ("fence", source)


@pytest.mark.parametrize(
    ("raw", "formulas"),
    [
        ("It costs $5 and $10 a day; $HOME is not math; \\$7 is escaped; $a+b$ is math.", ["$a+b$"]),
        ("US$5 and x$", []),
        ("a $b$c and a$b$", ["$b$"]),
        ("$ a$ and $a $", []),
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
def test_money_is_taken_for_a_formula(raw: str, formulas: list[str]) -> None:
    assert [found for kind, found in spans(raw) if kind == "formula"] == formulas


def test_a_display_is_cut_at_a_single_dollar() -> None:
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
def test_code_is_not_seen_or_swallows_paragraphs(raw: str, code: list[str]) -> None:
    assert [found for kind, found in spans(raw) if kind == "code"] == code


@pytest.mark.parametrize("mark", ["```", "~~~", "`````"])
def test_a_fence_ends_too_early(mark: str) -> None:
    raw = f"before\n\n{mark}python\nx = '$a$'\n``\n{{{{ s.a }}}}\n{mark}\n\nafter $b$"
    fence, formula = [span for span in scan(raw) if span.kind != "text"]
    assert fence.kind == "fence"
    assert fence.inner == "python\nx = '$a$'\n``\n{{ s.a }}\n"
    assert formula.raw == "$b$"


def test_a_value_is_looked_for_in_the_wrong_place() -> None:
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


def test_braces_of_latex_are_taken_for_a_value() -> None:
    formula = Span("formula", 0, "$x^{{2}} {{a}}$", "x^{{2}} {{a}}")
    assert values_in(formula) == ()


@pytest.mark.parametrize("mark", ["`", "$", "{{", "```\n", "$$", "\\", "` ", "$a"])
def test_many_open_marks_take_for_ever(mark: str) -> None:
    raw = mark * 3000
    assert "".join(span.raw for span in scan(raw)) == raw


def test_windows_lines_or_other_scripts_move_offsets() -> None:
    raw = "注意力 $x$\r\n\U0001f600 {{ s.a }}"
    assert [raw[span.start : span.end] for span in scan(raw) if span.kind != "text"] == ["$x$", "{{ s.a }}"]
    assert not re.search(r"\$", "".join(span.raw for span in scan(raw) if span.kind == "text"))
