"""Errors of both YAML parsers are reported at the line of their cause, with what to do."""

from __future__ import annotations

import pytest
import yaml

from scenebook.core.problems import Problems
from scenebook.storyboard._yaml import Mapping, Node, Scalar, parse

COLON = "': ' is not allowed here; quote a text that contains a colon"
HASH = "a # ends the text here; quote a text that contains it"
QUOTE = "the text continues after its closing quote; quote all of it (a ' in single quotes is written '')"
BLOCK = "the text of a | or > block begins on the next line; move it there, or quote a text that begins so"
COMMA = "there is nothing before this comma; remove it, or quote a text that contains it"


@pytest.fixture(params=["CSafeLoader", "SafeLoader"], autouse=True)
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test with both parsers of the library."""
    monkeypatch.setattr(yaml, "CSafeLoader", getattr(yaml, request.param))


def errors(text: str) -> list[str]:
    with pytest.raises(Problems) as raised:
        parse("f", text)
    return [str(problem) for problem in raised.value.problems]


def faults(node: Node | None) -> list[tuple[int, str]]:
    """Return the faults of the nodes in a mapping and in the mappings inside it."""
    assert isinstance(node, Mapping)
    parts = [part for pair in node.pairs for part in pair]
    inner = [fault for part in parts if isinstance(part, Mapping) for fault in faults(part)]
    return [*(fault for part in parts for fault in part.faults), *inner]


IN_BRACES = [
    ("title: Attention: a view, slug: b", 1, COLON),
    ("title: Attention: a view", 1, COLON),
    ('title: "x: y", slug: b: c', 1, COLON),
    ("title: ends:, slug: b", 1, COLON),
    ("slug: a,\n  title: Attention: a view", 2, COLON),
    ("text: 'one\n  two: three', title: Four: five", 2, COLON),
    ("title: :a", 1, "a text cannot begin with :; quote it"),
    ("slug: a\n  title: b", 2, "a comma is missing before 'title', or the { on line 1 is not closed"),
    ("slug: 'a'\n  title: b", 2, "a comma is missing at the end of the line above"),
    ("title: Head #2 of 8, slug: b", 1, HASH),
    ("title: #2 of 8, slug: b", 1, HASH),
    ("slug: b,\n  title: Head #2 of 8,\n  a: b", 2, HASH),
    ("title: 'Head #2', slug: a: b", 1, COLON),
    ("title: It is {b} c", 1, "a text between brackets cannot contain {; quote it"),
    ("title: It is [b] c", 1, "a text between brackets cannot contain [; quote it"),
    ("say: A, check: s.x[0, 1] > 2", 1, "a text between brackets cannot contain [; quote it"),
    ("say: 'a[0]', check: s.x > s.y[1]", 1, "a text between brackets cannot contain [; quote it"),
    ("title: {b: c} d", 1, "there is text after the }; quote a text that begins with a bracket"),
    ("title: [b] c", 1, "there is text after the ]; quote a text that begins with a bracket"),
    ("title: 'it's'", 1, QUOTE),
    ('title: "a" b', 1, QUOTE),
    ("title: One,, slug: a", 1, COMMA),
    (", title: One", 1, COMMA),
    *((f"title: {char} x, slug: b", 1, f"a text cannot begin with {char}; quote it") for char in "%@`|>-?"),
    ("title: *One* more", 1, "a text that begins with * or & is read as an alias or anchor; quote it"),
    ("title: *one", 1, "*one has no anchor &one above it; quote a text that begins with *"),
    ("slug: &one a, title: *one more", 1, "a text that begins with * or & is read as an alias or anchor; quote it"),
    ('title: "a\n  \\q"', 2, "a backslash in double quotes begins an escape; use single quotes or a | block"),
    ("title: 'a, slug: b", 1, "this quote is not closed; add the closing quote"),
    ("title: {{ a.n }} and", 1, "a text that begins with {{ is read as a mapping; quote it, or put it in a | block"),
]


@pytest.mark.parametrize(("written", "line", "message"), IN_BRACES)
def test_an_error_in_a_mapping_between_braces_is_explained(written: str, line: int, message: str) -> None:
    assert errors(f"{{{written}}}") == [f"f:{line}: {message}"]
    assert errors(f"a:\n  - {{{written}}}\n  - b\nc: d\n") == [f"f:{line + 1}: {message.replace('line 1', 'line 2')}"]


@pytest.mark.parametrize(
    ("written", "line", "message"),
    [
        ("[one: two: three]", 1, COLON),
        ("[one,\n  two: three: four]", 2, COLON),
        ("[Head #2 of 8]", 1, HASH),
        ("[one,\n  Head #2 of 8,\n  b]", 2, HASH),
        ("[It is {b}]", 1, "a text between brackets cannot contain {; quote it"),
        ("['it's']", 1, QUOTE),
        ("[,b]", 1, COMMA),
        ("[one, two", 1, "this [ is not closed; quote a text that begins with it"),
        ("[one, {two: 3]", 1, "the { is closed by a ]; quote a text that contains brackets"),
        ("[one, two]]", 1, "this ] has no opening bracket; quote a text that contains brackets"),
        ("[one] two", 1, "there is text after the ]; quote a text that begins with a bracket"),
        ("{one: two}}", 1, "this } has no opening bracket; quote a text that contains brackets"),
        ("{one", 1, "this { is not closed; quote a text that begins with it"),
    ],
)
def test_an_error_in_a_list_between_brackets_is_explained(written: str, line: int, message: str) -> None:
    assert errors(f"a: {written}") == [f"f:{line}: {message}"]


@pytest.mark.parametrize(
    ("written", "line", "message"),
    [
        ("Attention: a view", 2, "': ' is not allowed here; quote a text that contains it, or check the indentation"),
        ("'it's'", 2, QUOTE),
        ('"a" b', 2, QUOTE),
        ("[b] c", 2, "there is text after the ]; quote a text that begins with a bracket"),
        ("{b} c", 2, "there is text after the }; quote a text that begins with a bracket"),
        *((f"{char} x", 2, f"a text cannot begin with {char}; quote it") for char in "%@`,]}?"),
        ("![alt](x.png)", 2, "a text cannot begin with !; quote it"),
        (
            "> [!NOTE]",
            2,
            "the text of a | or > block begins on the next line; move it there, or quote a text that begins so",
        ),
        ("- x", 2, "a list begins on the line after its key; quote a text that begins with -"),
        ("| x", 2, BLOCK),
        ("*One* more", 2, "a text that begins with * or & is read as an alias or anchor; quote it"),
        ("A page\n  #of\n  three lines", 3, "a # ends the text here; quote the text, or use a | block"),
        ("A page # of\n  three lines", 2, "a # ends the text here; quote the text, or use a | block"),
        ("One\n\ttwo: b", 3, "a tab is used as indentation; use spaces"),
    ],
)
def test_an_error_outside_brackets_is_explained(written: str, line: int, message: str) -> None:
    assert errors(f"slug: a\ntitle: {written}\nsummary: b\n") == [f"f:{line}: {message}"]


def test_a_line_that_begins_with_a_percent_sign_is_reported() -> None:
    assert errors("%x: y\n") == ["f:1: a text cannot begin with %; quote it"]


def test_a_key_that_only_a_comma_made_is_reported() -> None:
    node = parse("f", "a: {title: One, two, slug:\n  b}\nb: {title:a, c: d}\nc: {d, 'e' : f}\n")
    message = "has no value; write `key: value`, and quote a text that contains a comma"
    assert faults(node) == [(1, message), (3, message), (4, message)]


def test_a_word_that_is_read_as_an_unused_anchor_is_reported() -> None:
    node = parse("f", "a: &x one\nb: &y two\nc: *y\nd: {e: &z three, f: &x four, g: *x}\nh: &i |\n  five\n")
    message = "is read as an anchor that nothing refers to; quote a text that begins with &"
    assert faults(node) == [(1, f"&x {message}"), (4, f"&z {message}")]
    assert isinstance(node, Mapping)
    assert isinstance(node.pairs[0][1], Scalar)
