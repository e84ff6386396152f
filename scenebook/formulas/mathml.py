"""LaTeX to MathML Core, with the words and the source of each formula.

The library converts; this module colours the roles, keeps MathML valid, and adds what screen readers and those who copy
a formula need.
"""

import html
import re
from functools import cache
from typing import Any

from scenebook.formulas import spoken

_TABLE = re.compile(r'<mtable((?: (?!scriptlevel)[^ >]*)*)( scriptlevel="\d")?([^>]*)>')  # where it is not allowed
_LABEL = re.compile(r'aria-label="([^"]*)"')
_STRAY_HASH = re.compile(r"(?<!\\)#")  # in a formula it can only be meant as the character
_ROLES = {"query": "RubineRed", "key": "Dandelion", "value": "Plum"}
r"""`\query{Q}`, `\key{K}` and `\value{V}` are coloured; these names stand in until a class takes over."""


def convert(source: str, display: bool = False) -> str:
    """LaTeX to MathML Core with its words as its label and its source as an annotation.

    Raises `ValueError` whose text is `OFFSET: message`, or the message alone.
    """
    import math_core

    try:
        mathml = str(_converter().convert_with_local_state(_STRAY_HASH.sub(r"\#", source), displaystyle=display))
    except math_core.LatexError as error:
        raise ValueError(str(error)) from None
    label = html.escape(spoken.words(mathml))
    for style, role in _role_styles().items():
        mathml = mathml.replace(style, f'class="{role}"')
    mathml = _TABLE.sub(r"<mstyle\2><mtable\1\3>", mathml).replace("</mtable>", "</mtable></mstyle>")
    head, body, tail = mathml.partition(">")[0], mathml[mathml.index(">") + 1 : -len("</math>")], "</math>"
    note = f'<annotation encoding="application/x-tex">{html.escape(source, quote=False)}</annotation>'
    return f'{head} aria-label="{label}"><semantics><mrow>{body}</mrow>{note}</semantics>{tail}'


@cache
def _converter() -> Any:
    import math_core

    macros = {role: rf"\textcolor{{{color}}}{{#1}}" for role, color in _ROLES.items()}
    return math_core.LatexToMathML(fancy_error=False, macros=macros)


@cache
def _role_styles() -> dict[str, str]:
    """The style that the converter writes for the colour of each role."""
    written = {_converter().convert_with_local_state(rf"\{role}{{x}}", displaystyle=False): role for role in _ROLES}
    return {re.findall('style="[^"]*"', mathml)[0]: role for mathml, role in written.items()}


def words(source: str) -> str:
    """A formula in words. Raises `ValueError` as `convert` does."""
    return html.unescape(_LABEL.findall(convert(source))[0])
