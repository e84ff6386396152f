"""Every occurrence of a mistake is reported at its own line, whatever else stands in the text."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scenebook.core.text import Text
from scenebook.prose import _line_marks, prose

VALUES = {"s": {"a": 0.6473801910873517, "n": 8, "lines": "one\ntwo"}}


def scope_of(raw: str, breaks: tuple[int, ...] | None = None) -> tuple[str, prose.Scope]:
    """The HTML of a text that begins in line 1, and its scope."""
    if breaks is None:
        breaks = tuple(found.end() for found in re.finditer("\n", raw))
    scope = prose.Scope("page", VALUES)
    return prose.block(Text(raw, "page.yaml", 1, breaks), "text", scope, "here"), scope


def lines(raw: str, of: str = "", breaks: tuple[int, ...] | None = None) -> list[int]:
    """The lines of the problems whose message contains `of`."""
    return [problem.line for problem in sorted(scope_of(raw, breaks)[1].problems) if of in problem.message]


@pytest.mark.parametrize(
    ("raw", "of", "found"),
    [
        ("`[x][y]` is code\n\nof\n\n[x][y]", "[x][y] refers to a link that is not defined", [5]),
        ("[a](/b)\n\nof\n\n[a](/b)", "the link '/b'", [1, 5]),
        ("[a](\n/b) and\n[c](/b)", "the link '/b'", [2, 3]),
        ("[a][n] `/b`\n\n[n]: /b", "the link '/b'", [3]),
        ("`/b` [n]\n\n[n]:\n  /b 'title'", "the link '/b'", [4]),
        ("`b.html`\n\n[n]: b.html\n\n[m]: b.html\n\n[n]", "uses the link [m]", [5]),
        ("b.png\n\n![a](b.png)\n![a](b.png)", "an image", [3, 4]),
        ("`<www.a.org>`\n\n<www.a.org>\nb\n<www.a.org>", "is not a link", [3, 5]),
        ("`50`\n50 and\nfive\n50", "50 is typed", [1, 2, 4]),
        ("a `70` *b\nc* 60 d\n**60** e", "60 is typed", [2, 3]),
        ("- 50\n- a\n  - 50\n\n    50", "50 is typed", [1, 3, 5]),
        ("| 50 | a |\n|---|---|\n| a | b |\n| c | 50 |", "50 is typed", [1, 4]),
        ("Term 50\n:   a\n    50\n\n:   50", "50 is typed", [1, 3, 5]),
        ("> a\n> 50\n>\n> > 50", "50 is typed", [2, 4]),
        ("a\n50\n---\n\n# 50 #\n50", "50 is typed", [2, 5, 6]),
        ("a[^n]\n\n[^n]: b\n    0.65\n\n    0.65", "0.65 is typed", [4, 6]),
        ("[a](b.html\n'90 of') 50\n50", "is typed", [2, 2, 3]),
        ("a  \n50  \n*50*", "50 is typed", [2, 3]),
        ("2217. was\n\nand\n2217. too", "2217 is typed", [1, 4]),
        ("$x\n+ y$ 50\n50", "50 is typed", [2, 3]),
        ("$$\nx^8 = y_8 + z \\\\\nd = 80\n$$", "80 is typed", [3]),
        ("```\n80\n\n80\n```", "80 is typed", [2, 4]),
        ("> ```\n> 8\n> 0.65\n> ```", "0.65 is typed", [3]),
        ("`**`\n\n**\n\na ** b\n**", "'**' is not Markdown", [3, 5, 6]),
        ("`](`\n](\n\na](", "'](' is not Markdown", [2, 4]),
        ("`~~~`\n\nb\n~~~\nc", "fence is not closed", [4]),
        ("a `[^n]`\nb[^n]\nc\nd[^n]", "there is no note [^n]", [2, 4]),
        ("`[^n]:`\n\nb\n\n[^m]: note\n[^n]:\n    text", "refers to the note [^n]", [6]),
        ("a *b*{onclick=x}\n*c*{onclick=y}\n{: hidden }", "is not allowed", [1, 2, 3]),
        ("# Head {hidden}\n\n- a\n- b\n{hidden}", "is not allowed", [1, 5]),
        ("| a |\n|---|\n| b |\n| c | b |\n| d | b |", "this row has", [4, 5]),
        ("${{ s.n }} +\n{{ s.a:.2f }} +\n\\foo$", "Unknown command", [3]),
        ("$$\n{{ s.lines }} \\\\\n\\foo\n$$", "Unknown command", [3]),
        ("$$\n{{ s.a }} {{ s.a }} {{ s.lines }}\n+ {{ s.n }} \\foo\n$$", "Unknown command", [3]),
    ],
)
def test_each_mistake_is_reported_at_its_own_line(raw: str, of: str, found: list[int]) -> None:
    assert lines(raw, of) == found


def test_a_mistake_in_a_folded_text_is_reported_at_the_line_of_the_file() -> None:
    raw = "a 50 b *so* [c](/d) **50** and ** [c](/d) e"
    breaks = tuple(raw.index(words) for words in ("b *so*", "**50**", "** [c]"))
    assert lines(raw, "50 is typed", breaks) == [1, 3]
    assert lines(raw, "the link", breaks) == [2, 4]
    assert lines(raw, "'**'", breaks) == [4]


def test_links_are_recorded_with_their_places() -> None:
    raw = "[a](b.html) and\n[c](b.html), <https://d.org>[^n]\n\n[e]\n\n[e]: b.html\n\n[^n]: [a](#f)"
    assert [tuple(link) for link in scope_of(raw)[1].links] == [
        ("b.html", "page.yaml", 1),
        ("b.html", "page.yaml", 2),
        ("https://d.org", "page.yaml", 2),
        ("b.html", "page.yaml", 6),
        ("#f", "page.yaml", 8),
    ]


MISTAKES = {
    "[x](/y)": "the link '/y'",
    "[x][y]": "[x][y] refers to a link that is not defined",
    "x[^y]": "there is no note",
    "![x](y.png)": "an image",
    "<www.y.org>": "is not a link",
    "is 77": "77 is typed",
    "*x*{hidden}": "is not allowed",
    "a ** b": "'**' is not Markdown",
    "$\\foo$": "Unknown command",
    "${{ s.n }} \\foo$": "Unknown command",
}
DECOYS = [
    *("`[x](/y)` and `[x][y]`", "`x[^y]`", "`![x](y.png)` `<www.y.org>`", "`is 77 x`", "`*x*{hidden}`", "`a ** b`"),
    *("`$\\foo$`", "$x^{77} + y$", "[a](b.html) *so* {{ s.n }}", "_so_ [y.png](#y)", "**x** \\* y", ""),
]
STARTS = ["", "- ", "> ", "## ", "> - ", "1. ", "**so** ", "_so_ ", "(", '"']


@given(
    st.lists(st.tuples(st.sampled_from(STARTS), st.sampled_from(DECOYS)).map("".join), max_size=6),
    st.lists(st.tuples(st.sampled_from(STARTS), st.sampled_from(DECOYS)).map("".join), max_size=6),
    st.sampled_from(STARTS),
    st.sampled_from(sorted(MISTAKES)),
)
def test_a_mistake_at_any_line_is_reported_there(above: list[str], below: list[str], start: str, mistake: str) -> None:
    raw = "\n".join([*above, f"{start}w {mistake} w", *below])
    assert len(above) + 1 in lines(raw, MISTAKES[mistake])
    assert set(lines(raw, MISTAKES[mistake])) == {len(above) + 1}


SOUND = [
    *(
        "a *b* c",
        "_so_ it",
        "x_y_ z",
        "- item",
        "  - sub",
        "1. one",
        "2017. was",
        "## Head",
        "#x_y_ #",
        "a | b",
        "--- | ---",
    ),
    *(
        "| _a_ | *b* |",
        "|---|:-:|",
        "> quote",
        ">> more",
        "Term",
        ":   def",
        "    indent",
        "",
        "",
        "{{ s.n }} of",
        "$x_1$ &",
    ),
    *("[a](b.html)", "[a](", "<c.html>", '"title")', "[n]: u.html", "[n]:", "  u.html 'T'", "'title'", "[n]", "[b][n]"),
    *(
        "[^1]",
        "[^1]: note",
        "a[^1]",
        "[^1]:",
        "<https://x.org>",
        "<me@x.org>",
        "![i](p.png)",
        "{: .c #d}",
        "*a*{.c}",
        "***",
    ),
    *(
        "**",
        "* * *",
        "__w__ v",
        "(_r_)",
        '"_s_"',
        "[_t_](u)",
        "[*t*](u)",
        "\\*x",
        "5 + 3",
        "-- x",
        "-----",
        "a  ",
        "\tt\tab",
    ),
    *("_a_5_b_", "10) c", "[e", "f](g)", "<i", ": x", "|", "[x]: y (z)", "{}", "{x} y", "[![i](j)](k)"),
]


@given(st.lists(st.sampled_from(SOUND), max_size=8).map("\n".join))
@example("x_y_ z\n{: .c #d}\n<https://x.org>")
def test_the_marks_of_lines_do_not_change_the_page(raw: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        marked, _ = scope_of(raw)
        patch.setattr(_line_marks, "_begins_in", lambda *_: ())
        assert scope_of(raw)[0] == marked
