"""Finds marks that are left in a text: meant as Markdown, a value or code, but shown to the reader as typed."""

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
    | (?P<begin>(?<!\\)\\begin\{[A-Za-z]+\*?\})
    | (?P<square>^[ ]*\\\[(?=[ ]*$))
    """,
    re.VERBOSE | re.MULTILINE,
)
UNCLOSED_FENCE = "this fence is not closed; end it with a line of the same marks, or escape them"
_UNCLOSED = {
    "braces": "'{{{{' opens a value that is not closed on its line; write {{{{ scene.name }}}}, or \\{{ for a brace",
    "brace": "'{}' is plain text; a value has two braces on each side; for a brace, write \\{{",
    "dollars": "this $$ has no matching $$; add it, or write \\$ for a dollar sign",
    "dollar": "this $ begins a formula that is not closed; add the closing $, or write \\$ for a dollar sign",
    "begin": "{0} is not closed in its paragraph; add its \\end, or remove blank lines from the formula",
    "square": "this \\[ opens a formula that is not closed in its paragraph; add \\], or write \\\\[ for the signs",
    "tick": "this {0} begins code that is not closed; add the closing {0}, or write \\` for a backtick",
}
_ANY = re.compile(r"[\[\]<*~`]")
"""Every mark below contains one of these characters; most texts contain none."""
_LEFT = re.compile(r"^ *~{3,}|(\*\*|~~|\]\()", re.MULTILINE)
_NO_NOTE = re.compile(r"\[\^[^\]\s]+\]")
_NO_LINK = re.compile(r"\[[^\[\]]+\]\[[^\[\]]*\]")
_NO_AUTOLINK = re.compile(r"<(?:https?:|//|www\.)[^<>\s]*>", re.IGNORECASE)
_SPACE_IN_ADDRESS = re.compile(r"\]\((?=[^\s<>()][^<>()]*\s[^<>()]*\))")
_OPEN_FENCE = re.compile(rf"^ *(?:{MARK.pattern})? *(?:`{{3,}}|~{{3,}}).*", re.MULTILINE)


def unclosed(span: Span) -> Iterator[tuple[int, str]]:
    """Yield the offset in a span and the message for each sign that opens a value, a formula or code without an end."""
    for found in _OPENED.finditer(span.inner) if span.kind == "text" else ():
        yield found.start(), _UNCLOSED[str(found.lastgroup)].format(found[0])


def left_over(node: Node) -> Iterator[tuple[int, str]]:
    """Yield the offset in the author's text and the message for each mark that Markdown left as plain text."""
    if not _ANY.search(node.text):
        return
    for found in _NO_NOTE.finditer(node.raw):
        message = f"there is no note {found[0]}; define it in a paragraph of its own: {found[0]}: ..."
        yield node.place_of_raw(found.start()), message
    for found in _NO_LINK.finditer(node.raw):
        advice = "write [words](address), or define it with [name]: address in a paragraph of its own"
        yield node.place_of_raw(found.start()), f"{found[0]} refers to a link that is not defined; {advice}"
    for found in _NO_AUTOLINK.finditer(node.raw):
        yield node.place_of_raw(found.start()), f"{found[0]} is not a link; write <https://...>"
    for found in _OPEN_FENCE.finditer(node.raw):
        yield node.place_of_raw(found.end()), UNCLOSED_FENCE
    yield from _unpaired(node)


def _unpaired(node: Node) -> Iterator[tuple[int, str]]:
    spaces = {found.start() for found in _SPACE_IN_ADDRESS.finditer(node.text)}
    for found in _LEFT.finditer(node.text):
        if mark := found[1]:
            message = f"{mark!r} is not Markdown here and would be shown as typed; close it, or write \\{mark[0]}"
            if found.start() in spaces:
                message = "the address of a link ends at a space; write %20 for it, or put the address between < and >"
            yield node.place(found.start()), message
