"""Explains the errors of the YAML parser: the line of the cause, and what to do.

The parser reports where it had to stop. The cause is usually a text there, or a little above, that the author meant as
text and that YAML reads as syntax.
"""

import re

_BRACES = re.compile(r"(?:^|[-:,[{]) *\{\{")
_STRING = re.compile(r"""(?<=[\s,:\[{])(?:'(?:[^']|'')*'|"(?:[^"\\]|\\.)*")""", re.DOTALL)
_HASH = re.compile(r"(?:^|[ \t])(?=#[^\s#])", re.MULTILINE)
_KEY = re.compile(r"\n[ \t]*([\w-]+)[ \t]*$")
_ALIAS = re.compile(r"[*&][^\s,\[\]{}]+[ \t]+$")

BRACES = "a text that begins with {{ is read as a mapping; quote it, or put it in a | block"
_COLON = "': ' is not allowed here; quote a text that contains"
_COMMA = "there is nothing before this comma; remove it, or quote a text that contains it"
_INSIDE = "a text between brackets cannot contain {}; quote it"
BEGINS = "a text cannot begin with {}; quote it"
_MESSAGES = {
    "escape|hexa?decimal": "a backslash in double quotes begins an escape; use single quotes or a | block",
    "quoted scalar": "this quote is not closed; add the closing quote",
    "alias|anchor": "a text that begins with * or & is read as an alias or anchor; quote it",
    "block scalar": "the text of a | or > block begins on the next line; move it there, or quote a text that begins so",
    "scanning a tag": BEGINS.format("!"),
    "directive": BEGINS.format("%"),
    "cannot start any token|mapping keys": BEGINS,
    "could not find expected ':'": "expected `key: value`; quote or indent a text of several lines, or use a | block",
    "entries are not allowed": "a list begins on the line after its key; quote a text that begins with -",
    "mapping values": f"{_COLON} it, or check the indentation",
    "unexpected ':'": f"{_COLON} a colon",
}
_COMMENT = re.compile(r"(?:^|\s)(#[^\n]*)\n$")
_OTHER = (
    "expected another key or entry here; check the indentation, and quote a text that contains quotes, brackets or #"
)
_OPENED = re.compile(r"[^'\"#]*?(?:[-:] +|^ *)[{\[]")
_INDEX = re.compile(r"[\w)\]]\[")
_FROM_START = re.compile("quoted scalar|could not find")
"""Errors whose cause is where the parser began to read a text, not where it stopped."""


def explained(parser_message: str, text: str, offset: int, start: int, bracket: int | None) -> tuple[int, str]:
    """Return the line and our own message for an error of the parser, which stopped at `offset`.

    `start` is the offset at which the parser began to read the text that it could not finish. `bracket` is that of
    the innermost open bracket, if there is one.
    """
    lines = [_line_at(text, place) for place in (offset, offset if bracket is None else bracket)]
    if re.match(r" *\t", lines[0]):
        return _line_number(text, offset), "a tab is used as indentation; use spaces"
    if any(map(_BRACES.search, lines)):
        return _line_number(text, offset), BRACES
    if place := _index_in_brackets(text, bracket, offset):
        return _line_number(text, place), _INSIDE.format("[")
    for pattern, message in _MESSAGES.items():
        if re.search(pattern, parser_message):
            cause = start if _FROM_START.search(parser_message) and "escape" not in pattern else offset
            return _line_number(text, cause), message.format(text[offset : offset + 1])
    cause, message = _in_brackets(text, bracket, offset) if bracket is not None else _outside_brackets(text, offset)
    return _line_number(text, cause), message


def _index_in_brackets(text: str, bracket: int | None, offset: int) -> int:
    """Return the offset of an index such as the `[0]` of `{check: s.x[0] > 1}`, which YAML cannot read, or 0.

    The parser may have stopped before it reported the bracket around the text, which then is on the same line.
    """
    begin = text.rfind("\n", 0, offset) + 1 if bracket is None else bracket
    before = _without_strings(text[begin:offset])
    opened = _OPENED.match(before) if bracket is None else None
    index = _INDEX.search(before, opened.end() if opened else 0) if opened or bracket is not None else None
    return begin + index.end() - 1 if index else 0


def _in_brackets(text: str, bracket: int, offset: int) -> tuple[int, str]:
    """Return the offset of the cause and the message for an error inside brackets."""
    before = _without_strings(text[bracket:offset])
    if cut := _HASH.search(before):
        return bracket + cut.end(), "a # ends the text here; quote a text that contains it"
    if not text[offset:].strip():
        return bracket, f"this {text[bracket]} is not closed; quote a text that begins with it"
    nothing_before, char = before.rstrip()[-1] in "[{,:", text[offset]
    if char == ":" and not nothing_before:
        return offset, _second_colon(text, bracket, before)
    if char in "]}":
        return offset, f"the {text[bracket]} is closed by a {char}; quote a text that contains brackets"
    if nothing_before:
        return offset, _COMMA if char == "," else BEGINS.format(char)
    if "\n" in before[len(before.rstrip()) :]:
        return offset, "a comma is missing at the end of the line above"
    return offset, _after_the_end(text, offset) or _INSIDE.format(char)


def _without_strings(text: str) -> str:
    """Return YAML of the same length in which letters stand for each quoted text."""
    return _STRING.sub(lambda string: re.sub(".", "x", string[0]), text)


def _second_colon(text: str, bracket: int, before: str) -> str:
    """Return the message for a second colon, which is part of a text or belongs to a key without a comma before it."""
    if not (key := _KEY.search(before)):
        return f"{_COLON} a colon"
    name, line = text[bracket + key.start(1) : bracket + key.end(1)], _line_number(text, bracket)
    return f"a comma is missing before '{name}', or the {text[bracket]} on line {line} is not closed"


def _outside_brackets(text: str, offset: int) -> tuple[int, str]:
    """Return the offset of the cause and the message for an error outside of brackets."""
    before, char = text[:offset].rstrip(" \t"), text[offset : offset + 1]
    if char and char in ",]}" and before.endswith((":", "-")):
        return offset, BEGINS.format(char)
    if char and char in "]}":
        return offset, f"this {char} has no opening bracket; quote a text that contains brackets"
    if (comment := _COMMENT.search(before)) and ": " not in _line_at(text, offset):
        return comment.start(1), "a # ends the text here; quote the text, or use a | block"
    return offset, _after_the_end(text, offset) or _OTHER


def _after_the_end(text: str, offset: int) -> str:
    """Return the message for text after the end of a quoted text, a list, a mapping or an alias, or ""."""
    before = text[:offset].rstrip(" \t")
    if before[-1:] in "'\"":
        return "the text continues after its closing quote; quote all of it (a ' in single quotes is written '')"
    if before[-1:] in "]}":
        return f"there is text after the {before[-1]}; quote a text that begins with a bracket"
    return _MESSAGES["alias|anchor"] if _ALIAS.search(text[:offset]) else ""


def _line_at(text: str, offset: int) -> str:
    end = text.find("\n", offset)
    return text[text.rfind("\n", 0, offset) + 1 : end if end >= 0 else len(text)]


def _line_number(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1
