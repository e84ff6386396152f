"""A text is read as CommonMark has it, or there is a message. A parser of CommonMark, markdown-it-py, is the judge."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from scenebook.core import blocks
from scenebook.core.text import Text
from scenebook.prose import _commonmark, prose

JUDGE = MarkdownIt("commonmark").enable("table").disable(["html_block", "html_inline", "entity"])
HEADINGS = {"h1": "h3", "h2": "h3", "h3": "h4", "h4": "h5", "h5": "h6"}
BLOCKS = {*HEADINGS.values(), *re.findall("[a-z]+", "p ul ol li blockquote pre hr table thead tbody tr th td")}


class Outline(HTMLParser):
    """What HTML shows: its elements with the attributes that matter, and its words."""

    def __init__(self, html: str, headings: dict[str, str]) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.headings = headings
        self.within: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        tag = self.headings.get(tag, tag)
        if tag not in ("div", "span"):
            kept = [f"{name}={value}" for name, value in attrs if name in ("href", "title", "start") and value]
            self.parts.append(" ".join([f"<{tag}", *sorted(kept)]))
            self.within.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("div", "span"):
            self.parts.append(f">{self.headings.get(tag, tag)}")

    def handle_data(self, data: str) -> None:
        words = data if "pre" in self.within[-2:] else re.sub(r"\s*\n\s*", "\n", data)
        if self.parts and self.parts[-1].startswith("'"):
            self.parts[-1] += words
        else:
            self.parts.append(f"'{words}")

    def outline(self) -> list[str]:
        """The parts, without the line ends between blocks."""
        edges = ["<p", *self.parts, "<p"]
        found = []
        for before, part, after in zip(edges, edges[1:], edges[2:], strict=False):
            if part.startswith("'"):
                begins = before.lstrip("<>").split(" ")[0] in {*BLOCKS, "br"}
                ends = after.lstrip("<>").split(" ")[0] in BLOCKS
                words = part[1:].lstrip("\n") if begins else part[1:]
                found.append("'" + (words.rstrip("\n") if ends else words))
            else:
                found.append(part)
        return [part for part in found if part != "'"]


def convert(raw: str) -> tuple[str, list[str]]:
    scope = prose.Scope("page", {}, numbers="off")
    breaks = tuple(found.end() for found in re.finditer("\n", raw))
    page = prose.block(Text(raw, "page.yaml", 1, breaks), "text", scope)
    return page, [problem.message for problem in scope.problems]


def ours(html: str) -> list[str]:
    return Outline(html, {}).outline()


def theirs(raw: str) -> list[str]:
    return Outline(JUDGE.render(raw), HEADINGS).outline()


EXAMPLES = [
    # lists
    *(
        "- one\n  - inner\n    - innermost\n- two",
        "* one\n   * inner\n* two",
        "- a\n\n- b\n\n\n- c",
        "- a\n- b\n+ c\n* d",
    ),
    *(
        "2. two\n   1. nested\n   2. again\n\n10. ten",
        "1) one\n2) two\n3. three",
        "0. zero",
        "- a\n\n  b\n\n      c\n- d",
    ),
    *(
        "-\n\n  not in it",
        "- # head\n- > quote\n- ---",
        "1.  wide\n\n    same\n\n  outside",
        "- a\n b\n  c\n   d\n    - e",
    ),
    *(
        "A line\n- a\n- b",
        "A line\n2. is text\n1. begins",
        "A line\n-\nb",
        "- - 1. deep\n     2. deeper",
        "- a\n\n\n\n  b",
    ),
    *("- a\n  > b\n\n  c\n- d", "1. a\n\n   2. b\n\n      3. c", "-     code in an item\n\n      code", "- a\n-\n- c"),
    # code
    *(
        "Code:\n\n    x = a*b*c\n\n      `y`\n",
        "a\n    b",
        "    a\n\n\n        b\n    \n",
        "# h\n    code\nh\n--\n    code",
    ),
    *(
        "```\n- a\n  \tb\n```",
        "~~~ python x=y\n`c`\n~~~~",
        "  ```\n  a\n b\n  ```",
        "> ```\n> a\n> ```\nb",
        "- ```\n  a\n\n\n  b\n  ```",
    ),
    *(
        "a\n```\nb\n```\nc",
        "```\n\n\n```",
        "`` a`b `` and ` `` `",
        "`a\nb`",
        "` a ` b`  `",
        "`a\\`b",
        "1. a\n   ~~~\n   b\n   ~~~",
    ),
    # quotes
    *(
        "> a\nlazy\n> b",
        ">a\n>\n>>b\nlazy",
        "> - a\nb",
        "> a\n\n> b",
        "a\n> b",
        ">\n> a\n>",
        "> 1. a\n>    > b\n> c",
        "> a\n---",
    ),
    # headings and rules
    *(
        "#1 in the list",
        "# a #\n## b # #\n### c#\n#",
        "a\nb\n===\nc\n---",
        "- a\n---\n- b",
        "***\n- - -\n__ _",
        "\\# a",
        "a\n***\nb",
    ),
    *("#\ta", "####### a", "a\n  =  =", "a\n--- -", "> a\n===", "- a\n  ===", " # a\n  ## b\n   ### c"),
    # emphasis
    *(
        "*a* **b** ***c*** _d_ __e__",
        "a*b*c a_b_c",
        "*a **b** c* **a *b* c**",
        "*a**b**c*",
        "2 * 3 * 4",
        "(*a*)b **(a)** b",
        "_(a)_.",
    ),
    *(
        "*a _b* c_",
        "***a** b*",
        "*(*a*)*",
        "*a\nb*",
        "\\*a\\* *b\\**",
        "«*a*» “_b_”",
        "5*6*7 a_1_b",
        "*[a](b)*c",
        "*`*`*",
        "f(_x_, *y*)",
    ),
    # links
    *(
        "[a](b) [c](<d> 'f') [g](h \"i\")",
        "[a]\n\n[A]: b",
        "[a][b] [b][]\n\n[b]: <c>\n  (d)",
        "[a [b](c) d]",
        "[*a](b)*",
        "[a](b(c)d)",
    ),
    *(
        "<https://a.org/b_c_d>",
        "[a\nb](c\n'd')",
        "[a]: b\nc [a]",
        "[a\\]](b)",
        "\\[a]",
        "[a] (b)",
        "[b]: c\n\n# [b]\n> [b]",
        "[`]`](a)",
    ),
    # line breaks and escapes
    *("a  \nb\\\nc\nd", "# a  \nb\\", "\\! \\a \\\\ \\-", "a   \n    b", "a\\\n- b", "1\\. a", "\\- a"),
    # tables
    *(
        "A line\n| k | v |\n|---|:-:|\n| 1 | 2 |\nb",
        "a | b\n--|--\nc | d\n\ne",
        "| a |\n|---|\n| \\| |\n> b",
        "|a|b|\n|-|-|\n|c|",
        "> |a|\n> |-|",
    ),
]


@pytest.mark.parametrize("raw", EXAMPLES)
def test_an_example_is_read_as_commonmark_has_it(raw: str) -> None:
    found, problems = convert(raw)
    assert (ours(found), problems) == (theirs(raw), [])


STARTS = [
    "",
    "",
    "",
    "- ",
    "* ",
    "1. ",
    "7) ",
    "> ",
    ">",
    "# ",
    "## ",
    "  ",
    "   ",
    "    ",
    "- - ",
    "> - ",
    "1.  ",
    "-    ",
]
WORDS = [
    *(
        "a",
        "b c",
        "*a*",
        "**b**",
        "_a_",
        "*a",
        "b*",
        "_",
        "`c`",
        "[x](y)",
        "[x]",
        "[x][y]",
        "\\*",
        "\\",
        "a  ",
        "| a | b |",
    ),
    *(
        "|---|---|",
        "---",
        "===",
        "***",
        "```",
        "~~~",
        "[x]: z",
        "a_b_c",
        "*a **b* c**",
        "(p)",
        "5",
        "#",
        "+",
        "=",
        "-",
        "",
    ),
]
LINE = st.tuples(
    st.lists(st.sampled_from(STARTS), max_size=2).map("".join),
    st.lists(st.sampled_from(WORDS), max_size=3).map(" ".join),
).map("".join)


@given(st.lists(LINE, max_size=6).map("\n".join))
def test_any_text_is_read_as_commonmark_has_it_or_there_is_a_message(raw: str) -> None:
    found, problems = convert(raw)
    assert problems or ours(found) == theirs(raw)


@given(st.lists(LINE, max_size=5).map("\n".join))
def test_blocks_cover_the_lines_of_a_text_in_order(raw: str) -> None:
    leaves = [block for block in blocks.leaves(blocks.parse(raw.split("\n"))) if block.kind != "document"]
    assert [block.first for block in leaves] == sorted(block.first for block in leaves)
    assert all(above.last < below.first for above, below in pairwise(leaves))


@pytest.mark.parametrize("raw", ["a *b c* d", "**b**, *c*.", "`x*` and $a_b * c$", "plain"])
def test_what_has_a_single_reading_is_not_read_twice(raw: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_commonmark, "_as_commonmark", lambda _: pytest.fail("read twice"))
    assert convert(raw)[1] == []


def test_what_would_be_read_otherwise_is_reported_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def judged(raw: str, as_if: str) -> list[Any]:
        reading = _commonmark._as_commonmark(as_if)
        monkeypatch.setattr(_commonmark, "_as_commonmark", lambda _: reading)
        scope = prose.Scope("page", {}, numbers="off")
        prose.block(Text(raw, "page.yaml", 7, tuple(found.end() for found in re.finditer("\n", raw))), "text", scope)
        monkeypatch.undo()
        return [(problem.line, problem.message.partition(";")[0]) for problem in scope.problems]

    two = "this can be read in two ways: here as {}, but by the rules of CommonMark as {}"
    assert judged("a\n\n- b", "a\n\n- b") == []
    assert judged("a\n\n- b", "a\n\n1. b") == [(9, two.format("a list", "a numbered list"))]
    assert judged("a\n\n_b_", "a\n\n__b__") == [(9, two.format("emphasis", "strong emphasis"))]
    assert judged("a\n\n- b\n- c", "a\n\n- b") == [(10, two.format("an item of a list", "the end of a list"))]
    assert judged("- b", "- b\n\nc") == [(7, two.format("nothing more", "a paragraph"))]


@pytest.mark.parametrize(
    "raw",
    [
        "*a* $x$ and $y_1*z*$ [b](c)\n\n- $$\n  x\n  $$",
        "- a[^n]\n\n[^n]: one\n\n    two\n\n    - three\n\n[^m]: b[^n]\n\nc[^m]",
        "Term\nOther\n:   one\n\n    two\n:   three\n\n*b*",
        "*a* & b `c & d` \\$5 \\{ <b> &amp;",
        "| $a|b$ | `c|d` |\n|---|---|\n| `e\\|f` | [g](h) |",
        "*a*{.b #c}\n\n# d {#e}\n\n- f\n{: .g }",
        "> $$\n> x = 1\n> $$\n\n**b**",
    ],
)
def test_our_own_marks_are_no_difference(raw: str) -> None:
    assert convert(raw)[1] == []
