"""Finds the parts of a text that a scene's source spells out, as opposed to those that it computes or reads.

The drawing of a scene, or a text that it returns, shows "42 % of the time". If the source has that very string, the
number is typed. If it has `f"{share:.0%} of the time"`, the number is computed. So each string of the source is made
into a pattern that has its literal parts, with a gap for each field of an f-string, of `format` or of `%`, and the
pattern is sought in the text. Line breaks and capital letters do not matter.

A string without letters, such as "42", says little about where a number comes from. It counts only if it is an argument
of a call and is all of the text.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from scenebook.prose._stand_ins import HOLE

LONGEST = 10_000
"""How many characters of a text are looked at."""
_FORMAT_FIELD = re.compile(r"(?<!\{)\{(?:[^{}]|\{[^{}]*\})*\}(?!\})")
_PERCENT_FIELD = re.compile(r"%(?:\(\w+\))?[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?[a-zA-Z]")
_DIGIT = re.compile(r"\d")
_PLAIN = re.compile(r"[\t-~]+")
_LETTER = re.compile(r"[^\W\d_]")


class SpelledOut(NamedTuple):
    """A text with a number that the source spells out, at a line of a file. `spelled` lacks its other numbers."""

    file: str
    line: int
    text: str
    spelled: str


class _Literal(NamedTuple):
    """A string of the source: its line, a pattern with a group for each literal part, and whether it has to fit all.

    `signs` are its words, which any text with it has. Looking for them first is fast.
    """

    line: int
    pattern: re.Pattern[str]
    whole: bool
    signs: tuple[str, ...]


def spelled_out(texts: Iterable[str], sources: Mapping[str, str]) -> Iterator[SpelledOut]:
    """Yield the texts with numbers that the sources of a scene, by file, spell out, once for each place in a source."""
    cut = dict.fromkeys(text.strip()[:LONGEST] for text in texts)
    shown = {text: " ".join(text.lower().split()) for text in cut if _DIGIT.search(text)}
    if not shown:
        return
    for file, source in sources.items():
        for literal in _literals(source):
            for text in (text for text, words in shown.items() if all(sign in words for sign in literal.signs)):
                match = literal.pattern.fullmatch(text) if literal.whole else literal.pattern.search(text)
                if match:
                    yield SpelledOut(file, literal.line, text, _without_other_numbers(match))


def _without_other_numbers(match: re.Match[str]) -> str:
    spelled = {place for group in range(1, len(match.groups()) + 1) for place in range(*match.span(group))}
    return "".join(HOLE if c.isnumeric() and at not in spelled else c for at, c in enumerate(match.string))


@lru_cache(64)
def _literals(source: str) -> tuple[_Literal, ...]:
    """Return the strings of a source that contain digits, each once for each way to read it."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    return tuple(literal for found in _strings(tree) for literal in _readings(*found))


def _strings(tree: ast.AST) -> Iterator[tuple[int, tuple[str, ...], bool]]:
    """Yield the line and the parts of each string, and whether it is an argument of a call. Docstrings are left out."""
    waiting: list[tuple[ast.AST, bool]] = [(tree, False)]
    while waiting:
        node, argument = waiting.pop()
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, (node.value,), argument
        elif isinstance(node, ast.JoinedStr):
            yield node.lineno, _parts(node), argument
            waiting += ((field.value, False) for field in node.values if isinstance(field, ast.FormattedValue))
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            waiting += ((child, isinstance(node, ast.Call)) for child in ast.iter_child_nodes(node))


def _parts(node: ast.JoinedStr) -> tuple[str, ...]:
    """Return the literal parts of an f-string around its fields."""
    parts = [""]
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts[-1] += str(part.value)
        else:
            parts.append("")
    return tuple(parts)


def _readings(line: int, parts: tuple[str, ...], argument: bool) -> Iterator[_Literal]:
    """Yield a string as it is and, if it may be a template, with gaps for its fields."""
    readings = [parts]
    if len(parts) == 1:
        formatted = [part.replace("{{", "{").replace("}}", "}") for part in _FORMAT_FIELD.split(parts[0])]
        percent = [part.replace("%%", "%") for part in _PERCENT_FIELD.split(parts[0])]
        readings += [tuple(each) for each in (formatted, percent) if len(each) > 1]
    for reading in readings:
        joined = "".join(reading)
        has_words = _LETTER.search(joined) is not None
        if _DIGIT.search(joined) and (has_words or argument):
            plain = (words for part in reading for words in _PLAIN.findall(part.lower()))
            yield _Literal(line, _pattern(reading), not has_words, tuple(" ".join(each.split()) for each in plain))


def _pattern(parts: Sequence[str]) -> re.Pattern[str]:
    first, *others = map(_part, parts)
    gaps = "".join(f"(?>.+?{each})" if each != "()" else ".*?" for each in others)
    return re.compile(first + gaps, re.DOTALL | re.IGNORECASE)


def _part(part: str) -> str:
    """Return a group for a literal part. Its first and last digits must not be part of a longer number."""
    words = r"\s+".join(map(re.escape, re.split(r"\s+", part)))
    before = r"(?<!\d)(?<!\d[.,])" if part[:1].isdigit() else ""
    after = r"(?!\d)(?![.,]\d)" if part[-1:].isdigit() else ""
    return f"{before}({words}){after}"
