"""Finds marks of other tools, such as `!!! note` or `- [ ]`, which would be shown as typed, and says what to write."""

import re
from collections.abc import Iterator, Sequence

from scenebook.core.scanner import Span
from scenebook.core.text import Text
from scenebook.prose._places import Node

_MARKS = re.compile(
    r"""
      ^[ ]*(?P<box>(?:!!!|\?\?\?\+?)(?=[ ]+\w) | :{3,}(?=[ ]*[{\w]) | \[!\w+\])
    | ^[ ]*(?P<task>\[[ xX]\])(?=\s)
    | (?P<highlight>(?<![=\w!<>])==(?=[^\s=])[^=\n]*(?<=[^\s=])==(?![=\w]))
    | (?P<details><details\b[^<>]*>)
    | (?P<citation>\[[^\[\]]*(?<![\w.])-?@[A-Za-z][\w:.-]*[^\[\]]*\] | (?<![\w@./])@[a-z]+[\w-]*\d{4}[a-z]?\b)
    """,
    re.VERBOSE | re.MULTILINE,
)
_ADVICE = {
    "box": "would begin a box in another tool; here, write a quote that begins with a bold word: > **Note.** ...",
    "task": "would be a box to tick in another tool; here, write the item without it",
    "highlight": "would be marked text in another tool; here, write **bold** or *emphasis*",
    "details": "is HTML, which is shown as typed; write a heading, and the text below it",
    "citation": "would be a citation in another tool; here, write a note: text[^1], and below it [^1]: ...",
}
_ANY = re.compile(r"!!!|\?\?\?|:::|\[[!xX ]|==|<details|@")
_BLOCK_START = re.compile(
    r"(?P<list>[-*+][ ]+[^\s\d-]|1[.)][ ]+\S)|(?P<table>\|[^\n|]*\|)|(?P<heading>\#{1,6}[ ]+\w)|(?P<fence>`{3}|~{3})"
)


def marks_of_other_tools(node: Node) -> Iterator[tuple[int, str]]:
    """Yield the offset in the author's text and the message for each mark that only another tool knows."""
    if not _ANY.search(node.text):
        return
    for found in _MARKS.finditer(node.text):
        kind = str(found.lastgroup)
        shown = " ".join(found[kind].split())
        yield node.place(found.start(kind)), f"'{shown}' {_ADVICE[kind]}"


def joined_blocks(text: Text, spans: Sequence[Span]) -> Iterator[tuple[int, str]]:
    """Yield the first line of a file that would begin a list or table, if YAML had not joined it to the line above."""
    joined = [begin for begin in text.breaks if text[begin - 1 : begin] not in ("", "\n")]
    texts = [span for span in spans if span.kind == "text"] if joined else []
    for span in texts:
        for begin in joined:
            found = _BLOCK_START.match(text, begin) if span.start <= begin < span.end else None
            if found:
                what = f"YAML joins this line to the one above, so it does not begin a {found.lastgroup}"
                yield begin, f"{what}; to keep the lines of a text, write | behind its key, not >"
                return
