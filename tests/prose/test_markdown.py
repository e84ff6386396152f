"""Markdown leads where it says, and what it would drop is told."""

from __future__ import annotations

import re

import pytest

from scenebook.prose import _markdown as markdown


def convert(source: str) -> tuple[str, list[tuple[str, str]]]:
    """The HTML, and what was told: words and message."""
    told: list[tuple[str, str]] = []
    page = markdown.convert(source, "here", str, lambda words, message: told.append((words, message)))
    return page.html, told


def html(source: str) -> str:
    found, told = convert(source)
    assert told == []
    return found


MOVES = "so it breaks when the site moves; write the path from this page, such as ../index.html"
NOT_ALLOWED = "is not allowed in text; .class and #id are"


@pytest.mark.parametrize(
    ("source", "words", "message"),
    [
        ("| a |\n|---|\n| b | lost |", "lost", "this row of a table has 2 cells, 1 fit"),
        ("| a | lost |\n|---|\n| b |", None, None),
        ("a[^x]", "[^x]", "there is no note [^x]; write it in a paragraph of its own: [^x]: ..."),
        ("a\n\n[^x]: note", "[^x]:", "nothing in this text refers to the note [^x]"),
        (
            "[a][b]",
            "[a][b]",
            "[a][b] names no link; write [words](address), or [name]: address in a paragraph of its own",
        ),
        ("a\n\n[b]: c.html", "c.html", "nothing in this text uses the link [b], so it is not shown"),
        ("[Note]: yes", "yes", "nothing in this text uses the link [note], so it is not shown"),
        ("![a](b.png)", "b.png", "an image cannot be written in text; a scene computes its figure"),
        ("*a*{onclick=x}", "onclick", f"the attribute 'onclick' {NOT_ALLOWED}"),
        ("*a*{style='color:red'}", "style", f"the attribute 'style' {NOT_ALLOWED}"),
        ("a\n{: data-x=1 }", "data-x", f"the attribute 'data-x' {NOT_ALLOWED}"),
        ("*a*{see}", "see", f"the attribute 'see' {NOT_ALLOWED}"),
        ("~~~\na", "~~~", "this fence is not closed; end it with a line of the same marks, or escape them"),
        ("[a](http://[x)", "http://[x", "the link 'http://[x' has no valid host, such as example.org"),
    ],
)
def test_markdown_loses_something_in_silence(source: str, words: str | None, message: str | None) -> None:
    found, told = convert(source)
    if message is None:
        assert "lost" in found
    else:
        assert told == [(words, message)]


def test_a_text_is_too_deep_for_markdown() -> None:
    assert convert("*" * 3000 + "x" + "*" * 3000) == (
        "",
        [("", "its marks are nested too deeply; write it more plainly")],
    )
    assert html("*so*") == "<p><em>so</em></p>"


@pytest.mark.parametrize("name", ["onclick", "style", "data-x", "src-set", "hidden"])
def test_an_attribute_is_told_and_passes(name: str) -> None:
    found, told = convert(f"*a*{{{name}=x .b #c}}")
    assert [words for words, _ in told] == [name]
    assert found == '<p><em class="b" id="c">a</em></p>'


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java\nscript:alert(1)",
        " javascript:alert(1)",
        "vbscript:x",
        "data:text/html,x",
        "file:///etc/passwd",
        "ftp://example.org",
    ],
)
def test_a_link_leads_to_a_scheme_that_runs_code(address: str) -> None:
    for source in (f"[a]({address})", f"[a](<{address}>)"):
        _, told = convert(source)
        scheme = "".join(address.split()).partition(":")[0].lower()
        (message,) = [message for _, message in told]
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
def test_a_link_is_changed(source: str, anchor: str) -> None:
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
def test_a_link_that_leads_elsewhere_from_another_place_is_reported(address: str, fault: str) -> None:
    for source in (f"[a]({address})", f"[a](<{address}>)"):
        found, told = convert(source.replace("\\", "\\\\"))
        assert told == [(address or "]()", f"the link {address!r} {fault}")]
        assert "href" not in found


@pytest.mark.parametrize("address", ["//host", "http:host", r"/\host", "/path", "HTTPS://host"])
def test_a_reference_may_not_lead_where_a_link_may_not(address: str) -> None:
    for source in (f"[a][b]\n\n[b]: {address}", f"[b]\n\n[b]: <{address}> 'title'"):
        found, told = convert(source)
        assert [words for words, _ in told] == [address]
        assert "href" not in found


@pytest.mark.parametrize("written", ["<http:host>", "<https:/host/x>", "<//host>", "<www.host.org>", "<HTTP:host>"])
def test_an_address_in_angles_that_makes_no_link_is_reported(written: str) -> None:
    told = (written, f"{written} is no link; write <https://...>")
    assert convert(f"See {written} here.")[1] == [told]


def test_a_mail_address_changes_from_build_to_build() -> None:
    assert html("<me@example.org>") == html("<me@example.org>")
    assert "&#64;" in html("<me@example.org>")


def test_headings_share_ids_or_have_none() -> None:
    source = "## C\n\n## C++\n\n## C#\n\n## 注意力\n\n## 😀\n\n## !!!\n\n## Setup\n\n## Setup\n\n## Own {#own}"
    ids = re.findall('id="([^"]*)"', html(source))
    assert ids == [
        *("here--c", "here--c-2", "here--c-3", "here--注意力", "here--u1f600", "here--u21-u21-u21"),
        *("here--setup", "here--setup-2", "own"),
    ]


def test_a_new_heading_changes_the_ids_of_others() -> None:
    assert 'id="here--注意力"' in html("## 注意力")
    assert 'id="here--注意力"' in html("## New\n\n## 注意力")


def test_headings_outrank_the_scenes_own() -> None:
    assert re.findall("<(h[0-9])", html("# a\n\n## b\n\n### c\n\n###### d")) == ["h3", "h3", "h4", "h6"]


def notes(source: str, above: int = 0) -> tuple[list[tuple[str, str, str]], list[tuple[str, list[str]]]]:
    """The marks of notes in a text (id, target, number), and the notes themselves (id, targets of the ways back)."""
    found = markdown.convert(source, "here", str, lambda *_: None, above).html
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


def test_notes_are_counted_on_from_those_above() -> None:
    source = "a[^n] b[^m]\n\n[^n]: one\n\n[^m]: two"
    assert notes(source, 4) == (
        [("fnref:5", "fn:5", "5"), ("fnref:6", "fn:6", "6")],
        [("fn:5", ["fnref:5"]), ("fn:6", ["fnref:6"])],
    )
    above = markdown.convert(source, "here", str, lambda *_: None, 4)
    assert above.notes == 2
    assert '<ol start="5">' in above.html
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


def test_a_mark_that_markdown_drops_has_no_way_back() -> None:
    marks, listed = notes("a[^n] [b](c.html 'd [^n]')\n\n[^n]: one")
    assert (marks, listed) == ([("fnref:1", "fn:1", "1")], [("fn:1", ["fnref:1"])])


def test_a_note_that_only_refers_to_itself_is_reported() -> None:
    assert convert("a\n\n[^n]: one[^n]")[1] == [("[^n]:", "nothing in this text refers to the note [^n]")]


def test_the_style_sheet_knows_the_mark_of_a_note_and_the_note_above() -> None:
    assert re.findall('style="([^"]*)"', html("a[^n] b[^m]\n\n[^n]: one\n\n[^m]: two")) == [
        "--ref: --note-1",
        "--ref: --note-2",
        "--note: --note-1n; --ref: --note-1; --above: --note-0n",
        "--note: --note-2n; --ref: --note-2; --above: --note-1n",
    ]


def test_the_id_of_a_heading_has_no_number_of_a_note() -> None:
    assert '<h3 id="here--head">Head<sup' in html("## Head[^n]\n\n[^n]: one")


def test_a_table_loses_its_alignment_or_its_box() -> None:
    found = html("| a | b |\n|---:|:---:|\n| c | d |")
    assert found.startswith('<div class="scroll" tabindex="0"><table>')
    assert re.findall('<th style="text-align: ([a-z]+);">', found) == ["right", "center"]


def test_indented_text_becomes_code_or_a_fence_in_a_list_ends_it() -> None:
    assert html("    indented <b>") == "<p>indented &lt;b&gt;</p>"
    assert html("- a\n\n    b\n\n- c").count("<li>") == 2


def test_what_is_read_is_not_what_is_shown() -> None:
    source = "# A *b*\n\nc[^d] [e](f.html 'g') <https://h.org>\n\n1. i\n\n| j |\n|---|\n| k |\n\n[^d]: l"
    page = markdown.convert(source, "here", str, lambda *_: None)
    read = [re.sub("\x02.*?\x03", "", node).strip() for node in page.nodes]
    assert list(filter(None, read)) == ["A", "b", "c", "g", "e", "i", "j", "k", "l", "Back to the text"]
