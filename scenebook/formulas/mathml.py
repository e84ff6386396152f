"""Converts LaTeX to MathML Core that includes each formula in words and its source.

The library does the conversion. This module adds the colours of the roles, makes the MathML valid, and adds the words
for screen readers and the source for people who copy a formula.
"""

import html
import re
from functools import cache
from typing import Any

from scenebook.formulas import spoken

_TABLE = re.compile(r'<mtable((?: (?!scriptlevel)[^ >]*)*)( scriptlevel="\d")?([^>]*)>')
"""A table. Its `scriptlevel` moves to an `mstyle` around it, because it is not allowed on a table."""
_LABEL = re.compile(r'aria-label="([^"]*)"')
_NAMED = "(?:angle|floor|ceil|vert|Vert|brace|brack|group)(?![A-Za-z])"
_OPENING = re.compile(rf"(?<!\\left)(?:(?<!\\)[(\[]|\\\{{|\\l{_NAMED})")
_CLOSING = re.compile(rf"(?<!\\right)(?:(?<!\\)[)\]]|\\\}}|\\r{_NAMED})")
UNCLOSED = 16
"""For each bracket that is left open, math-core takes twice as long."""
_STRAY_HASH = re.compile(r"(?<!\\)#")
r"""A # without a backslash. In a formula it can only mean the character."""
_ROLES = {"query": "RubineRed", "key": "Dandelion", "value": "Plum"}
r"""The colours that the library gives to `\query{Q}`, `\key{K}` and `\value{V}`; each is then replaced by a class."""


def convert(source: str, display: bool = False) -> str:
    """Return LaTeX as MathML Core, with the words as its `aria-label` and the source as an annotation.

    Raises `ValueError` with the text `OFFSET: message` or `message` if the LaTeX is not valid.
    """
    import math_core

    if len(_OPENING.findall(source)) - len(_CLOSING.findall(source)) > UNCLOSED:
        raise ValueError(f"0: more than {UNCLOSED} brackets are not closed")
    try:
        mathml = str(_converter().convert_with_local_state(_STRAY_HASH.sub(r"\#", source), displaystyle=display))
    except math_core.LatexError as error:
        raise ValueError(str(error)) from None
    label = html.escape(spoken.words(mathml))
    for style, role in _role_styles().items():
        mathml = mathml.replace(style, f'class="{role}"')
    mathml = _TABLE.sub(r"<mstyle\2><mtable\1\3>", mathml).replace("</mtable>", "</mtable></mstyle>")
    head, body, tail = mathml.partition(">")[0], mathml[mathml.index(">") + 1 : -len("</math>")], "</math>"
    annotation = f'<annotation encoding="application/x-tex">{html.escape(source, quote=False)}</annotation>'
    return f'{head} aria-label="{label}"><semantics><mrow>{body}</mrow>{annotation}</semantics>{tail}'


@cache
def _converter() -> Any:
    import math_core

    macros = {role: rf"\textcolor{{{color}}}{{#1}}" for role, color in _ROLES.items()}
    return math_core.LatexToMathML(fancy_error=False, macros=macros)


@cache
def _role_styles() -> dict[str, str]:
    """Return the role for each style attribute that the library writes for the colour of a role."""
    examples = {_converter().convert_with_local_state(rf"\{role}{{x}}", displaystyle=False): role for role in _ROLES}
    return {re.findall('style="[^"]*"', mathml)[0]: role for mathml, role in examples.items()}


def words(source: str) -> str:
    """Return a LaTeX formula in words. Raises `ValueError` if the LaTeX is not valid, as `convert` does."""
    return html.unescape(_LABEL.findall(convert(source))[0])
