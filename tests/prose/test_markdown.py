"""Links lead where they say, and whatever Markdown would drop is reported."""

from __future__ import annotations

import re

import pytest

from scenebook.core.scanner import scan
from scenebook.core.text import Text
from scenebook.prose import _markdown as markdown
from scenebook.prose import prose
from scenebook.prose._places import Source


def convert(source: str, above: int = 0) -> tuple[str, list[tuple[int, str]]]:
    """The HTML, and the problems: line and message. `above` is the number of notes above this text."""
    scope = prose.Scope("page", {}, numbers="off", notes=[above])
    breaks = tuple(found.end() for found in re.finditer("\n", source))
    page = prose.block(Text(source, "page.yaml", 1, breaks), "text", scope, "here")
    return page, [(problem.line, problem.message) for problem in scope.problems]


def html(source: str) -> str:
    found, problems = convert(source)
    assert problems == []
    return found


MOVES = "so it breaks when the site moves; write the path from this page, such as ../index.html"
NOT_ALLOWED = "is not allowed in a text; only .class and #id are"


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ("| a |\n|---|\n| b | lost |", 3, "this row has 2 cells, 1 more than the table has columns"),
        ("| a | lost |\n|---|\n| b |", None, None),
        ("| a |\n|---|\n| lost | ||", None, None),
        ("a[^x]", 1, "there is no note [^x]; define it in a paragraph of its own: [^x]: ..."),
        ("a\n\n[^x]: note", 3, "nothing in this text refers to the note [^x]"),
        (
            "[a][b]",
            1,
            (
                "[a][b] refers to a link that is not defined; write [words](address), or define it with [name]: "
                "address in a paragraph of its own"
            ),
        ),
        ("a\n\n[b]: c.html", 3, "nothing in this text uses the link [b], so it is not shown"),
        ("[Note]: yes", 1, "nothing in this text uses the link [note], so it is not shown"),
        ("![a](b.png)", 1, "a text cannot contain an image; have a scene compute a figure"),
        ("*a*{onclick=x}", 1, f"the attribute 'onclick' {NOT_ALLOWED}"),
        ("*a*{style='color:red'}", 1, f"the attribute 'style' {NOT_ALLOWED}"),
        ("a\n{: data-x=1 }", 2, f"the attribute 'data-x' {NOT_ALLOWED}"),
        ("*a*{see}", 1, f"the attribute 'see' {NOT_ALLOWED}"),
        ("~~~\na", 1, "this fence is not closed; end it with a line of the same marks, or escape them"),
        ("[a](http://[x)", 1, "the link 'http://[x' has no valid host, such as example.org"),
    ],
)
def test_what_markdown_would_drop_is_reported_at_its_line(source: str, line: int | None, message: str | None) -> None:
    found, problems = convert(source)
    assert problems == ([] if message is None else [(line, message)])
    assert message or "lost" in found


def test_marks_that_are_nested_too_deeply_are_reported() -> None:
    assert convert("*" * 3000 + "x" + "*" * 3000) == (
        "",
        [(1, "its Markdown is nested too deeply; use fewer levels")],
    )
    assert html("*so*") == "<p><em>so</em></p>"


@pytest.mark.parametrize("name", ["onclick", "style", "data-x", "src-set", "hidden"])
def test_an_attribute_other_than_class_and_id_is_reported_and_removed(name: str) -> None:
    found, problems = convert(f"*a*{{{name}=x .b #c}}")
    assert problems == [(1, f"the attribute '{name}' {NOT_ALLOWED}")]
    assert found == '<p><em class="b" id="c">a</em></p>'


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " javascript:alert(1)",
        "vbscript:x",
        "data:text/html,x",
        "file:///etc/passwd",
        "ftp://example.org",
    ],
)
def test_a_link_with_another_scheme_is_reported(address: str) -> None:
    for source in (f"[a]({address})", f"[a](<{address}>)"):
        _, problems = convert(source)
        scheme = "".join(address.split()).partition(":")[0].lower()
        (message,) = [message for _, message in problems]
        assert message == f"a link cannot lead to '{scheme}:'; use https:, mailto: or an address in this site"


@pytest.mark.parametrize(
    ("source", "anchor"),
    [
        ("[a](#b)", '<a href="#b">a</a>'),
        ("[a](#:~:text=query)", '<a href="#:~:text=query">a</a>'),
        ("[a](../b/#c)", '<a href="../b/#c">a</a>'),
        ("[a](mailto:me@example.org)", '<a href="mailto:me@example.org">a</a>'),
        ("[a](https://example.org)", '<a href="https://example.org" rel="external noopener">a</a>'),
        ("[a](https://example.org/(b))", '<a href="https://example.org/(b)" rel="external noopener">a</a>'),
        ("[a](#注意力)", '<a href="#注意力">a</a>'),
        ("[a][b]\n\n[b]: #c 'Words'", '<a href="#c" title="Words">a</a>'),
        (
            "<https://example.org/a_b_c>",
            '<a href="https://example.org/a_b_c" rel="external noopener">https://example.org/a_b_c</a>',
        ),
    ],
)
def test_a_good_link_stays_as_it_is(source: str, anchor: str) -> None:
    assert html(source) == f"<p>{anchor}</p>"


@pytest.mark.parametrize(
    ("address", "fault"),
    [
        ("//host", "does not begin with https:// or http://; write https://host"),
        ("///host/x", "does not begin with https:// or http://; write https://host/x"),
        (r"/\host", r"has \ in it; write https://host"),
        (r"\\host", r"has \ in it; write https://host"),
        ("http:host", "does not begin with https:// or http://; write http://host"),
        ("https:/host", "does not begin with https:// or http://; write https://host"),
        ("HTTPS://host", "does not begin with https:// or http://; write https://host"),
        ("https://", "has no valid host, such as example.org"),
        ("https://me:pass@host", "has a user name or password in it, which every reader would see; write https://host"),
        ("https://host/a b", "has a space in it; write https://host/a%20b"),
        ("/path", f"begins with /, {MOVES}"),
        (r"\path", rf"begins with \, {MOVES}"),
        (r"..\b\index.html", r"has \ in it; write ../b/index.html"),
        ("", "is empty; write an address between the parentheses"),
    ],
)
def test_a_link_that_may_lead_elsewhere_than_it_says_is_reported(address: str, fault: str) -> None:
    for source in ([] if " " in address else [f"[a]({address})"]) + [f"[a](<{address}>)"]:
        found, problems = convert(source.replace("\\", "\\\\"))
        assert problems == [(1, f"the link {address!r} {fault}")]
        assert "href" not in found


@pytest.mark.parametrize("address", ["//host", "http:host", r"/\host", "/path", "HTTPS://host"])
def test_a_reference_may_not_lead_where_a_link_may_not(address: str) -> None:
    for source in (f"[a][b]\n\n[b]: {address}", f"[b]\n\n[b]: <{address}> 'title'"):
        found, problems = convert(source)
        assert [(line, message.split()[2]) for line, message in problems] == [(3, repr(address))]
        assert "href" not in found


@pytest.mark.parametrize("written", ["<http:host>", "<https:/host/x>", "<//host>", "<www.host.org>", "<HTTP:host>"])
def test_an_address_in_angle_brackets_that_makes_no_link_is_reported(written: str) -> None:
    assert convert(f"See\n{written} here.")[1] == [(2, f"{written} is not a link; write <https://...>")]


def test_a_mail_address_is_written_the_same_in_each_build() -> None:
    def hidden(text: str) -> str:
        return "".join(f"&#{ord(character)};" for character in text)

    link = f'<a href="{hidden("mailto:me@example.org")}">{hidden("me@example.org")}</a>'
    assert html("<me@example.org>") == f"<p>{link}</p>"


def test_each_heading_has_an_id_of_its_own() -> None:
    source = "## C\n\n## C++\n\n## C#\n\n## 注意力\n\n## 😀\n\n## !!!\n\n## Setup\n\n## Setup\n\n## Own {#own}"
    ids = re.findall('id="([^"]*)"', html(source))
    assert ids == [
        *("here--c", "here--c-2", "here--c-3", "here--注意力", "here--u1f600", "here--u21-u21-u21"),
        *("here--setup", "here--setup-2", "own"),
    ]


def test_the_id_of_a_heading_does_not_depend_on_other_headings() -> None:
    assert 'id="here--注意力"' in html("## 注意力")
    assert 'id="here--注意力"' in html("## New\n\n## 注意力")


def test_headings_are_below_the_heading_of_their_scene() -> None:
    assert re.findall("<(h[0-9])", html("# a\n\n## b\n\n### c\n\n###### d")) == ["h3", "h3", "h4", "h6"]


def notes(source: str, above: int = 0) -> tuple[list[tuple[str, str, str]], list[tuple[str, list[str]]]]:
    """The marks of notes in a text (id, target, number), and the notes themselves (id, targets of the links back)."""
    found = convert(source, above)[0]
    marks = re.findall('<sup id="([^"]*)"[^>]*><a class="footnote-ref" href="#([^"]*)">([^<]*)</a></sup>', found)
    listed = [
        (note, re.findall('class="footnote-backref" href="#([^"]*)"', body))
        for note, body in re.findall('<li id="([^"]*)"[^>]*>(.*?)</li>', found, re.DOTALL)
    ]
    return marks, listed


def test_notes_are_numbered_in_the_order_of_reading() -> None:
    marks, listed = notes("# a[^n]\n\nb[^m]\n\n[^o]: three\n\n[^m]: two, and[^o]\n\n[^n]: one")
    assert marks == [("fnref:1", "fn:1", "1"), ("fnref:2", "fn:2", "2"), ("fnref:3", "fn:3", "3")]
    assert listed == [("fn:1", ["fnref:1"]), ("fn:2", ["fnref:2"]), ("fn:3", ["fnref:3"])]


def test_the_numbers_of_notes_go_on_from_the_texts_above() -> None:
    source = "a[^n] b[^m]\n\n[^n]: one\n\n[^m]: two"
    assert notes(source, 4) == (
        [("fnref:5", "fn:5", "5"), ("fnref:6", "fn:6", "6")],
        [("fn:5", ["fnref:5"]), ("fn:6", ["fnref:6"])],
    )
    scope = prose.Scope("page", {}, numbers="off", notes=[4])
    assert '<ol start="5">' in prose.block(Text(source), "text", scope)
    assert scope.notes == [4, 2]
    assert "<ol>" in html(source)


def test_a_note_with_several_marks_keeps_its_number() -> None:
    marks, listed = notes("a[^n] b[^m] c[^n] d[^n]\n\n[^n]: one\n\n[^m]: two")
    assert marks == [
        ("fnref:1", "fn:1", "1"),
        ("fnref:2", "fn:2", "2"),
        ("fnref:1:2", "fn:1", "1"),
        ("fnref:1:3", "fn:1", "1"),
    ]
    assert listed == [("fn:1", ["fnref:1", "fnref:1:2", "fnref:1:3"]), ("fn:2", ["fnref:2"])]


def test_no_link_leads_back_to_a_mark_that_markdown_drops() -> None:
    marks, listed = notes("a[^n] [b](c.html 'd [^n]')\n\n[^n]: one")
    assert (marks, listed) == ([("fnref:1", "fn:1", "1")], [("fn:1", ["fnref:1"])])


def test_a_note_that_only_refers_to_itself_is_reported() -> None:
    assert convert("a\n\n[^n]: one[^n]")[1] == [(3, "nothing in this text refers to the note [^n]")]


def test_a_note_tells_the_style_sheet_its_mark_and_the_note_above() -> None:
    assert re.findall('style="([^"]*)"', html("a[^n] b[^m]\n\n[^n]: one\n\n[^m]: two")) == [
        "--ref: --note-1",
        "--ref: --note-2",
        "--note: --note-1n; --ref: --note-1; --above: --note-0n",
        "--note: --note-2n; --ref: --note-2; --above: --note-1n",
    ]


def test_the_id_of_a_heading_does_not_contain_the_number_of_a_note() -> None:
    assert '<h3 id="here--head">Head<sup' in html("## Head[^n]\n\n[^n]: one")


def test_a_table_keeps_its_alignment_and_scrolls_in_a_box() -> None:
    found = html("| a | b |\n|---:|:---:|\n| c | d |")
    assert found.startswith('<div class="scroll" tabindex="0"><table>')
    assert re.findall('<th style="text-align: ([a-z]+);">', found) == ["right", "center"]


def test_indented_text_is_code_as_it_was_written() -> None:
    code = '<pre class="code" tabindex="0"><code>{}\n</code></pre>'
    assert html("    x = a*b*c <b> $y$ &") == code.format("x = a*b*c &lt;b&gt; $y$ &amp;")
    assert html("Code:\n\n    one\n\n      {{ s.a }}\n") == "<p>Code:</p>\n" + code.format("one\n\n  {{ s.a }}")
    assert html("- a\n\n      b\n\n- c").count(code.format("b")) == 1
    assert "<code>" not in html("a\n    b") + html("- a\n\n    b\n\n- c")


def test_code_in_a_table_can_contain_a_pipe() -> None:
    assert "<td><code>a|b</code></td>" in html("| c |\n|---|\n| `a\\|b` |")
    assert "<td><code>a|b</code></td>" in html("| c |\n|---|\n| `a|b` |")


def test_a_formula_that_is_indented_like_code_is_reported() -> None:
    message = "indented by four spaces, this is code, and its $$ is no formula; indent it less, or put code in a fence"
    assert convert("a\n\n    $$\n    x\n    $$")[1] == [(3, message)]
    assert convert("- a\n\n  $$\n  x\n  $$")[1] == []


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "```pyton\nx\n```",
            "there is no language 'pyton'; did you mean 'python'? write text, or no language, for code",
        ),
        ("> [!TIP]\n> a", "'[!TIP]' would begin a box in another tool"),
        ("a ==b c== d", "'==b c==' would be marked text in another tool"),
        ("1. [ ] a", "'[ ]' would be a box to tick in another tool"),
        ("see [@key, p. 3]", "'[@key, p. 3]' would be a citation in another tool"),
    ],
)
def test_a_mark_of_another_tool_is_reported(source: str, message: str) -> None:
    assert [text.startswith(message) for _, text in convert(source)[1]] == [True]


@pytest.mark.parametrize(
    "source",
    [
        "`!!!` and a!!! b",
        "a == b == c",
        "x==1",
        "[x]\n\n[x]: y",
        "@someone and me@example.org",
        "a ::: b",
        "~~~text\n:::\n~~~",
    ],
)
def test_what_only_resembles_a_mark_of_another_tool_is_text(source: str) -> None:
    assert convert(source)[1] == []


def test_the_paragraphs_are_what_a_reader_sees() -> None:
    source = "# A *b*\n\nc[^d]; [e](f.html 'g') <https://h.org>\n\n1. i\n\n| j | k |\n|---|---|\n| l | m |\n\n[^d]: n"
    settings = markdown.Settings(Source(source, scan(source), [], (0,)), "here", lambda *_: None)
    page = markdown.convert(source, settings)
    read = [(re.sub("\x02.*?\x03", "", each.text).strip("\n"), each.cited) for each in page.paragraphs]
    assert [each for each in read if each[0]] == [
        ("A b", False),
        ("c\x10; e\ng\n ", False),
        ("i", False),
        ("j\nk", False),
        ("l\nm", False),
        ("n\nBack to the text", True),
    ]
