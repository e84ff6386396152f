"""Writes values as LaTeX, for use in formulas."""

import re
import unicodedata

from scenebook.core import number_format

_IN_WORDS = str.maketrans(
    {mark: f"\\{mark}" for mark in "&%$#_{}"}
    | {"\\": "\\textbackslash ", "~": "\\textasciitilde ", "^": "\\textasciicircum "}
)


def in_latex(shown: str) -> str:
    """Return a value, as a page shows it, as LaTeX for a formula. Words become upright text."""
    if any(character.isalpha() for character in shown):
        return f"\\text{{{shown.translate(_IN_WORDS)}}}"
    raised = re.sub("[⁺⁻⁰¹²³⁴-⁹]+", lambda power: f"^{{{unicodedata.normalize('NFKC', power[0])}}}", shown)
    return raised.replace(",", "{,}").replace("%", r"\%").replace(number_format.MINUS, "-")
