r"""An author's own commands: `E: '\mathbb{E}'` and `norm: ['\lVert #1 \rVert', 1]` in a storyboard.

They are expanded before anything else reads a formula. A mistake in an expansion is reported where the macro is used.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from scenebook.formulas._tokens import Reader, Token, joined, tokens_of
from scenebook.formulas.mistake import FormulaError

MOST_TOKENS = 20_000
"""How long a formula may become."""
_NAME = re.compile(r"[A-Za-z]+")


class Macro(NamedTuple):
    """A command, without its backslash, and the LaTeX that replaces it, in which `#1` is its first argument."""

    name: str
    body: str
    arguments: int = 0


Macros = tuple[Macro, ...]
NONE: Macros = ()


def fault(macro: Macro) -> str | None:
    """Return what is wrong with the definition of a macro, or None."""
    if not _NAME.fullmatch(macro.name):
        return f"the name of a macro is letters, without a backslash; {macro.name!r} is not"
    if not 0 <= macro.arguments <= 9:
        return f"\\{macro.name} has {macro.arguments} arguments; a macro has at most 9"
    tokens = tokens_of(macro.body)
    depths = [sum({"{": 1, "}": -1}.get(token.text, 0) for token in tokens[: end + 1]) for end in range(len(tokens))]
    if depths and (min(depths) < 0 or depths[-1]):
        return f"the braces of \\{macro.name} do not match"
    if any(token.text == "%" for token in tokens):
        return f"\\{macro.name} has a % that LaTeX takes for a comment; write \\%"
    for hash_sign, number in zip(tokens, [*tokens[1:], Token("", 0)], strict=True):
        if hash_sign.text == "#" and not (number.text.isdecimal() and 1 <= int(number.text) <= macro.arguments):
            return _missing(macro, number.text)
    return None


def _missing(macro: Macro, number: str) -> str:
    if not number.isdecimal() or number == "0":
        return f"\\{macro.name} has a # that no number follows; write \\# for the sign"
    count = f"{macro.arguments} argument{'' if macro.arguments == 1 else 's'}"
    return f"\\{macro.name} uses #{number}, but has {count}; write ['...', {number}]"


def expand(tokens: list[Token], macros: Macros) -> list[Token]:
    """Return tokens with the author's macros expanded. Raises `FormulaError`."""
    known = names(macros)
    if known.keys().isdisjoint([token.text for token in tokens]):
        return tokens
    reader = Reader(tokens)
    expanded: list[Token] = []
    for count, token in enumerate(reader):
        if count > MOST_TOKENS:
            raise token.error(f"its macros expand to more than {MOST_TOKENS:,} signs")
        if macro := known.get(token.text):
            if circle := _circle(macro.name, macros):
                raise token.error(f"the macro \\{macro.name} uses itself: {' → '.join(circle)}")
            reader.put_back(replacement(token, macro, reader, name=token.macro or macro.name))
        else:
            expanded.append(token)
    return expanded


def expanded(latex: str, macros: Macros) -> str:
    """Return LaTeX with the author's macros expanded, or as it is if they have a mistake."""
    try:
        return joined(expand(tokens_of(latex), macros)) if macros else latex
    except FormulaError:
        return latex


def replacement(use: Token, macro: Macro, reader: Reader, name: str = "") -> list[Token]:
    """Read the arguments of a macro, and return what replaces it. Mistakes in that are those of the macro `name`."""
    arguments = [reader.argument(use) for _ in range(macro.arguments)]
    return list(_filled(use._replace(macro=name or use.macro).becomes(macro.body), arguments))


def _filled(body: Sequence[Token], arguments: Sequence[list[Token]]) -> Iterator[Token]:
    tokens = iter(body)
    for token in tokens:
        if token.text == "#":
            yield from arguments[int(next(tokens).text) - 1]
        else:
            yield token


@lru_cache(maxsize=64)
def names(macros: Macros) -> Mapping[str, Macro]:
    """Return macros by their commands, with the backslash."""
    return {f"\\{macro.name}": macro for macro in macros}


@lru_cache(maxsize=1024)
def _circle(name: str, macros: Macros) -> tuple[str, ...]:
    """Return the macros through which a macro uses itself, or nothing if it does not."""
    known = names(macros)
    paths: list[tuple[str, ...]] = [(f"\\{name}",)]
    seen: set[str] = set()
    for path in paths:
        for token in tokens_of(known[path[-1]].body):
            if token.text == path[0]:
                return (*path, token.text)
            if token.text in known and token.text not in seen:
                seen.add(token.text)
                paths.append((*path, token.text))
    return ()
