"""What YAML's parser refuses, in our words: the line of the cause, and the cure.

The parser names the place at which it could not go on. The cause is a text there, or a little above, that YAML reads as
something else.
"""

import re

_BRACES = re.compile(r"(?:^|[-:,[{]) *\{\{")
_STRING = re.compile(r"""(?<=[\s,:\[{])(?:'(?:[^']|'')*'|"(?:[^"\\]|\\.)*")""", re.DOTALL)
_HASH = re.compile(r"(?:^|[ \t])(?=#[^\s#])", re.MULTILINE)
_KEY = re.compile(r"\n[ \t]*([\w-]+)[ \t]*$")
_ALIAS = re.compile(r"[*&][^\s,\[\]{}]+[ \t]+$")

_COLON = "': ' where no key can be; quote a text that holds"
_COMMA = "a comma with nothing before it; remove it, or quote a text that holds it"
_BEGINS = "a text cannot begin with {}; quote it"
_SCANNED = {
    "escape|hexa?decimal": "a backslash in double quotes begins an escape; use single quotes or a | block",
    "quoted scalar": "a quote is opened and not closed",
    "alias|anchor": "a text that begins with * or & is read as an alias or anchor; quote it",
    "block scalar": "the text of a | or > block begins on the next line",
    "directive": _BEGINS.format("%"),
    "cannot start any token|mapping keys": _BEGINS,
    "could not find expected ':'": "expected `key: value`; quote or indent a text of several lines, or use a | block",
    "entries are not allowed": "a list begins on the line after its key; quote a text that begins with -",
    "mapping values": f"{_COLON} it, or check the indentation",
    "unexpected ':'": f"{_COLON} a colon",
}
_COMMENT = re.compile(r"(?:^|\s)(#[^\n]*)\n$")
_OTHER = "expected another key or entry here; check the indentation, and quote a text that holds quotes, brackets or #"
_FROM_START = re.compile("quoted scalar|could not find")
"""What began where the parser says, and went wrong later."""


def explained(told: str, text: str, at: int, start: int, opened: int | None) -> tuple[int, str]:
    """The line and our own words for what the parser told, in a text in which it stopped `at` an offset.

    `start` is where it began to read what it could not finish; `opened` is the [ or { that is open there.
    """
    lines = [_line_of(text, place) for place in (at, at if opened is None else opened)]
    if re.match(r" *\t", lines[0]):
        return _count(text, at), "a tab is used as indentation; use spaces"
    if any(map(_BRACES.search, lines)):
        return _count(text, at), "a text that begins with {{ is read as a mapping; quote it, or put it in a | block"
    for pattern, words in _SCANNED.items():
        if re.search(pattern, told):
            place = start if _FROM_START.search(told) and "escape" not in pattern else at
            return _count(text, place), words.format(text[at : at + 1])
    place, words = _between_brackets(text, opened, at) if opened is not None else _on_a_line(text, at)
    return _count(text, place), words


def _between_brackets(text: str, opened: int, at: int) -> tuple[int, str]:
    """The cause of what is refused between the brackets of a list or mapping: where, and in which words."""
    before = _STRING.sub(lambda found: re.sub(".", "x", found[0]), text[opened:at])
    if cut := _HASH.search(before):
        return opened + cut.end(), "a # ends the text here; quote a text that holds it"
    if not text[at:].strip():
        return opened, f"this {text[opened]} is not closed; quote a text that begins with it"
    nothing_before, char = before.rstrip()[-1] in "[{,:", text[at]
    if char == ":" and not nothing_before:
        return at, _at_a_colon(text, opened, before)
    if char in "]}":
        return at, f"the {text[opened]} is closed by a {char}; quote a text that holds brackets"
    if nothing_before:
        return at, _COMMA if char == "," else _BEGINS.format(char)
    if "\n" in before[len(before.rstrip()) :]:
        return at, "a comma is missing at the end of the line above"
    return at, _after_the_end(text, at) or f"a text between brackets cannot hold {char}; quote it"


def _at_a_colon(text: str, opened: int, before: str) -> str:
    """What is wrong with a second colon: it is part of a text, or that of a key with no comma in front of it."""
    if not (key := _KEY.search(before)):
        return f"{_COLON} a colon"
    name = text[opened + key.start(1) : opened + key.end(1)]
    return f"a comma is missing before '{name}', or the {text[opened]} on line {_count(text, opened)} is not closed"


def _on_a_line(text: str, at: int) -> tuple[int, str]:
    """The cause of what is refused where no bracket is open: where, and in which words."""
    above, char = text[:at].rstrip(" \t"), text[at : at + 1]
    if char and char in ",]}" and above.endswith((":", "-")):
        return at, _BEGINS.format(char)
    if char and char in "]}":
        return at, f"this {char} closes nothing; quote a text that holds brackets"
    if (comment := _COMMENT.search(above)) and ": " not in _line_of(text, at):
        return comment.start(1), "a # ends the text here; quote the text, or use a | block"
    return at, _after_the_end(text, at) or _OTHER


def _after_the_end(text: str, at: int) -> str:
    """What is wrong with a text that goes on `at` an offset, if what stands before it on the line has ended already."""
    before = text[:at].rstrip(" \t")
    if before[-1:] in "'\"":
        return "the text goes on after its closing quote; quote all of it (a ' in single quotes is written '')"
    if before[-1:] in "]}":
        return f"a text follows {before[-1]}; quote a text that begins with a bracket"
    return _SCANNED["alias|anchor"] if _ALIAS.search(text[:at]) else ""


def _line_of(text: str, at: int) -> str:
    end = text.find("\n", at)
    return text[text.rfind("\n", 0, at) + 1 : end if end >= 0 else len(text)]


def _count(text: str, at: int) -> int:
    """The number of the line on which an offset is."""
    return text.count("\n", 0, at) + 1
