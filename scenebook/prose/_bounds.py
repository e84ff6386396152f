"""Finds the values that a sentence calls a bound, such as "at most {{ s.x:.1f }}". Rounding can make one false.

A value is a bound if words such as "at most" or "or more" stand within three words of it, with no comma or stop between
them, or if a sign such as ≤ is next to it. There is one list of words for each language.
"""

import re
from functools import cache

REACH = 3
"""How many words may stand between a value and the word for a bound."""
BEFORE = {
    "en": (
        r"at (?:the )?(?:most|least)",
        r"(?:more|less|fewer|greater|larger|bigger|smaller|higher|lower|longer|shorter|better|worse) than",
        r"up to|within|below|above|under|over|beyond|exceed(?:s|ed|ing)?",
    )
}
"""What stands before a bound, by language."""
AFTER = {
    "en": (
        r"(?:or|and) (?:more|less|fewer|greater|larger|smaller|higher|lower|above|below|over|under)",
        r"at (?:the )?(?:most|least)(?! ξ)",
    )
}
"""What stands after a bound, by language."""
_SIGN = r"≤|≥|\\(?:leq?|geq?|leqslant|geqslant|lt|gt)(?![A-Za-z])"
_SIGN_BEFORE = re.compile(rf"(?:{_SIGN}|(?<=[\w)}}\]|$])\s*[<>])\s*\Z")
_SIGN_AFTER = re.compile(rf"\A\s*({_SIGN}|[<>])")
_CLAUSE_END = re.compile(r"[.,!?;:][\W_]*(?=\s)|\n\s*\n")
_VALUE = re.compile(r"\{\{[^{}]*\}\}")


def bound_near(text: str, start: int, end: int, language: str) -> str:
    """Return the word or sign that calls the value at these offsets a bound; empty if there is none."""
    before, after = _SIGN_BEFORE.search(text[:start]), _SIGN_AFTER.search(text[end:])
    if sign := before or after:
        return sign[0].strip()
    words_before, words_after = _patterns(language)
    if found := words_before.search(_words(_CLAUSE_END.split(text[:start])[-1])):
        return found[1]
    found = words_after.search(_words(_CLAUSE_END.split(text[end:] + " ", maxsplit=1)[0]))
    return found[1] if found else ""


def _words(clause: str) -> str:
    """Return the words of a part of a clause, without the marks around them. A value counts as one word."""
    words = (word.strip("\"'“”‘’()[]*_~`$,.–—") for word in _VALUE.sub("ξ", clause).lower().split())
    return " ".join(filter(None, words))


@cache
def _patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns for the words before a bound and after it. A language without a list has no bounds."""
    before, after = ("|".join(words.get(language, (r"(?!)",))) for words in (BEFORE, AFTER))
    near = f"{{0,{REACH}}}"
    return re.compile(rf"\b({before})(?: \S+){near}\Z"), re.compile(rf"\A(?:\S+ ){near}({after})\b")
