"""Marks that are left in a text: meant as Markdown, a value or code, but shown to the reader as they were typed."""

import re
from collections.abc import Iterator

from scenebook.core.scanner import Span
from scenebook.prose._pieces import MARK
from scenebook.prose._places import Node

_OPENED = re.compile(
    r"""
      (?P<braces>\{\{)
    | (?P<brace>\{\s*[A-Za-z][\w/-]*\.[A-Za-z]\w*\s*(?::[^{}\s]*\s*)?\})
    | (?P<dollars>\$\$)
    | (?P<dollar>\$(?=\\[A-Za-z]|[A-Za-z][_^]))
    | (?P<tick>(?<!`)`{1,2}(?!`))
    """,
    re.VERBOSE,
)
_UNCLOSED = {
    "braces": "'{{{{' opens a value that is not closed on its line; write {{{{ scene.name }}}}, or \\{{ for a brace",
    "brace": "'{}' is text; a value has two braces on each side, and \\{{ is a brace",
    "dollars": "this $$ begins or ends a formula that has no other $$; write \\$ for a dollar",
    "dollar": "this $ begins a formula that no $ ends; write \\$ for a dollar",
    "tick": "this {0} begins code that no {0} ends; write \\` for the character",
}
_ANY = re.compile(r"[\[\]<*~`]")
"""What every mark below contains; most texts contain none."""
_LEFT = re.compile(r"^ *~{3,}|(\*\*|~~|\]\()", re.MULTILINE)
_NO_NOTE = re.compile(r"\[\^[^\]\s]+\]")
_NO_LINK = re.compile(r"\[[^\[\]]+\]\[[^\[\]]*\]")
_NO_AUTOLINK = re.compile(r"<(?:https?:|//|www\.)[^<>\s]*>", re.IGNORECASE)
_OPEN_FENCE = re.compile(rf"^ *(?:{MARK.pattern})? *(?:`{{3,}}|~{{3,}}).*", re.MULTILINE)


def unclosed(span: Span) -> Iterator[tuple[int, str]]:
    """Offset in a span and message of each sign that opens a value, a formula or code that is not closed."""
    for found in _OPENED.finditer(span.inner) if span.kind == "text" else ():
        yield found.start(), _UNCLOSED[str(found.lastgroup)].format(found[0])


def left_over(node: Node) -> Iterator[tuple[int, str]]:
    """Offset in the author's text and message of each mark that Markdown made nothing of, so that it would be shown."""
    if not _ANY.search(node.text):
        return
    for found in _NO_NOTE.finditer(node.raw):
        message = f"there is no note {found[0]}; write it in a paragraph of its own: {found[0]}: ..."
        yield node.place_of_raw(found.start()), message
    for found in _NO_LINK.finditer(node.raw):
        advice = "write [words](address), or [name]: address in a paragraph of its own"
        yield node.place_of_raw(found.start()), f"{found[0]} names no link; {advice}"
    for found in _NO_AUTOLINK.finditer(node.raw):
        yield node.place_of_raw(found.start()), f"{found[0]} is no link; write <https://...>"
    for found in _OPEN_FENCE.finditer(node.raw):
        message = "this fence is not closed; end it with a line of the same marks, or escape them"
        yield node.place_of_raw(found.end()), message
    for found in _LEFT.finditer(node.text):
        if mark := found[1]:
            advice = f"close it, or write \\{mark[0]}"
            yield (
                node.place(found.start()),
                f"{mark!r} is left as it stands, which is no mark of Markdown here; {advice}",
            )
