"""Values as LaTeX writes them."""

import re
import unicodedata

from scenebook.core import number_format

_IN_WORDS = str.maketrans(
    {mark: f"\\{mark}" for mark in "&%$#_{}"}
    | {"\\": "\\textbackslash ", "~": "\\textasciitilde ", "^": "\\textasciicircum "}
)


def in_latex(shown: str) -> str:
    """A value as it is written in a formula; words stand upright."""
    if any(character.isalpha() for character in shown):
        return f"\\text{{{shown.translate(_IN_WORDS)}}}"
    raised = re.sub("[⁺⁻⁰¹²³⁴-⁹]+", lambda power: f"^{{{unicodedata.normalize('NFKC', power[0])}}}", shown)
    return raised.replace(",", "{,}").replace("%", r"\%").replace(number_format.MINUS, "-")
