r"""How links are written: `(address "title")` behind the words, and definitions such as `[name]: address "title"`."""

import re
from typing import NamedTuple

from scenebook.prose._pieces import MARK, without_marks

PUNCTUATION = r"!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~"
_ESCAPE = re.compile(rf"\\([{PUNCTUATION}])")
_MARKS = rf"(?:{MARK.pattern})*"
_GAP = rf"(?:{_MARKS}[ \t]*\n?[ \t]*{_MARKS})"
_SPACE = rf"(?:[ \t]*\n[ \t]*|[ \t]+){_MARKS}"
_ADDRESS = r"<(?:[^<>\n\\]|\\.)*>|[^\s<][^\s]*"
_TITLE = r"\"(?:[^\"\\]|\\[\s\S])*\"|'(?:[^'\\]|\\[\s\S])*'|\((?:[^()\\]|\\[\s\S])*\)"
_DEFINED = re.compile(
    rf"(?P<mark>{_MARKS})\[(?!\^[^\]\s]+\]:)(?P<name>(?:[^\[\]\\]|\\.){{1,999}})\]:(?P<gap>{_GAP})(?P<address>{_ADDRESS})"
    rf"(?:{_SPACE}(?P<title>{_TITLE})[ \t]*(?:\n|\Z)|[ \t]*(?:\n|\Z))",
    re.DOTALL,
)
_INLINE_TITLE = re.compile(rf"{_SPACE}(?P<title>{_TITLE})")
_BRACKETED = re.compile(r"<((?:[^<>\n\\]|\\.)*)>")
_DEEPEST = 32
_PART = re.compile(r"\\.|[()\s\x00-\x08]|[^\\()\s\x00-\x08]+", re.DOTALL)


class Target(NamedTuple):
    """Where a link leads: its address and its title, and the index behind them. Both can have marks."""

    address: str
    title: str | None
    end: int


def unescaped(text: str) -> str:
    """Return a text without the backslashes before punctuation."""
    return _ESCAPE.sub(r"\1", text)


def name_of(label: str) -> str:
    """Return the name that a label of a link stands for. Case and white space make no difference."""
    return " ".join(without_marks(label).split()).casefold().replace("ß", "ss")


def definition(text: str) -> tuple[str, Target] | None:
    """Return the label and the target of the definition at the start of a paragraph, or None."""
    found = _DEFINED.match(text)
    if not found or not name_of(found["name"]):
        return None
    address = found["address"]
    if address.startswith("<"):
        address = address[1:-1]
    elif not _balanced(address):
        return None
    title = found["title"]
    words = unescaped(title[1:-1]) if title else None
    return found["name"], Target(_marks_in(found["gap"]) + unescaped(address), words, found.end())


def target(text: str, start: int) -> Target | None:
    """Return the target in parentheses that begins at an index, behind the opening one, or None."""
    begin = _gap(text, start)
    if bracketed := _BRACKETED.match(text, begin):
        address, index = bracketed[1], bracketed.end()
    elif text.startswith("<", begin):
        return None
    else:
        index = _address_end(text, begin)
        address = text[begin:index]
    title = _INLINE_TITLE.match(text, index)
    index = _gap(text, title.end() if title else index)
    if not text.startswith(")", index):
        return None
    words = _marks_in(title[0]) + unescaped(title["title"][1:-1]) if title else None
    return Target(_marks_in(text[start:begin]) + unescaped(address), words, index + 1)


def _marks_in(text: str) -> str:
    return "".join(mark[0] for mark in MARK.finditer(text))


def _gap(text: str, index: int) -> int:
    found = re.compile(rf"(?:\s|{MARK.pattern})*").match(text, index)
    return found.end() if found else index


def _address_end(text: str, index: int) -> int:
    """Return the index behind an address without angle brackets, in which parentheses are in pairs."""
    depth = 0
    while part := _PART.match(text, index):
        if part[0] == "(":
            depth += 1
        elif part[0] == ")":
            if not depth:
                break
            depth -= 1
        elif part[0].isspace() or (len(part[0]) == 1 and part[0] < " ") or depth > _DEEPEST:
            break
        index = part.end()
    return index


def _balanced(address: str) -> bool:
    return _address_end(address, 0) == len(address)
