"""Finds the numerals in a text, and says which of them are names, parts of a structure, years or small.

A numeral is a run of digits in any script, including superscripts and fractions (²  ½  ①), with everything that belongs
to it: sign, decimal point, thousands separators (1,048,576 or 1 048 576), exponent (1e-7, 10⁻⁷), further parts (3.2.1,
3–5, 2017-06-12, 12:30, 1/2), letters or a percent sign after it (8x, 1st, 2D, 65 %). These are not numerals:

- digits after a letter, which are part of a name: conv2d, x1, H2O, Q4, d_k, v2.1; and digits after a hyphen if the word
  before it has two capitals, or a capital and a version: GPT-2, ResNet-50, CIFAR-10, Llama-3.1;
- number words (two, half) and Roman numerals written with letters (II).
"""

import re
import unicodedata
from collections.abc import Iterator

from scenebook.prose._stand_ins import VALUE

NUMBER = r"(?:\d{1,3}(?:[ \u00a0\u2009\u202f]\d{3})+(?!\d)|\d+(?:[.,'’]\d+)*)(?:[eE][-+\u2212]?\d+)?"
SIGN = "-+±\N{MINUS SIGN}"
SMALL = 12
"""Whole numbers up to this one may be typed."""
FIRST_YEAR, LAST_YEAR = 1500, 2100

_OPENS = r"\s(\[{\"'“‘„«=<>≤≥≈~|/"  # what a sign can follow; after anything else it is a hyphen or an operator
_POSSIBLE = re.compile(rf"[\d²³¹¼½¾]|[^\x00-\u206f]|[-–\u2212.,]{VALUE}")  # most texts contain none of these
_TOKEN = re.compile(
    rf"""
      (?<!{VALUE})(?:                                                  # a name
        v\d+(?:\.\d+)+
      | (?=\w*[A-Z]\w*[A-Z])[^\W\d_]\w*-\d+(?:\.\d+)*\w*(?:-\w+)*
      | [A-Z]\w*-\d+(?:\.\d+)+
      | [^\W\d_](?:[\w\u0300-\u036f](?!\d*\.\d))*
      )
    | (?P<numeral>
        (?:(?<![^{_OPENS}])[{SIGN}])?(?:(?<!\w)\.)?
        {NUMBER}(?:[-–—\u2212/:×·⁻⁺^]{NUMBER})*
        (?:[^\W\d_]\w*|[ \u00a0]?[%‰])?
      )
    | (?P<prefix>(?<![^{_OPENS}])[-–\u2212.,]+(?={VALUE}))
    """,
    re.VERBOSE,
)


def numerals(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each numeral of a text starts and ends, and each sign or point that stands before a value."""
    if not _POSSIBLE.search(text):
        return
    for match in _TOKEN.finditer(_with_plain_digits(text)):
        if match.lastgroup:
            yield match.span(match.lastgroup)


def _with_plain_digits(text: str) -> str:
    """Return a text with an ASCII digit for each superscript, fraction and the like, so that patterns match them."""
    if text.isascii():
        return text
    return "".join("0" if c.isnumeric() and not (c.isdecimal() or c.isalpha()) else c for c in text)


def essential(numeral: str, start: int) -> Iterator[int]:
    """Yield the offsets of a numeral's digits and of its sign, which have to be quoted."""
    return (start + at for at, c in enumerate(numeral) if c.isdigit() or (at == 0 and c in SIGN))


# Structure and names. These patterns are compiled when a text first needs them.

_NUMBERED = (
    r"(?:sub)?sections?|chapters?|appendix|appendices|theorems?|lemmas?|lemmata|corollar(?:y|ies)|propositions?"
    r"|definitions?|examples?|exercises?|equations?|figures?|tables?|algorithms?|listings?|pages?|volumes?|versions?"
    r"|editions?|footnotes?|remarks?|conjectures?|lectures?|lessons?|articles?|paragraphs?|issues?|problems?|questions?"
    r"|python|numpy|pytorch|cuda|rfc|iso|iec|ieee|din|pep|isbn|(?-i:Nos?|Nr)\."
    r"|(?:secs?|ch|chap|app|thms?|lem|cor|prop|def|ex|eqs?|eqn|figs?|tab|alg|pp?|vol|ver|ed)\."
)
"""What is numbered, such as "Section 3.2"."""
_ITEM = r"[(\[]?(?:[A-Z]\.?)?\d+(?:\.\d+)*[a-z]?[)\]]?"
_AFTER_NUMBERED = (
    rf"(?i)(?:(?<![\w-])(?:{_NUMBERED})[ \u00a0\n]*|(?<![&\w])[§#№]\s?)"
    rf"(?:{_ITEM}(?:\s*,\s*(?:and|or)\s+|\s*[,&–-]\s*|\s+(?:and|or|to|through)\s+))*[(\[]?(?:[A-Z]\.)?\Z"
)
_MONTH = (
    r"(?:jan(?:uary|\.)?|feb(?:ruary|\.)?|mar(?:ch|\.)|apr(?:il|\.)?|may|june?|july?|aug(?:ust|\.)?|sept?(?:ember|\.)?"
    r"|oct(?:ober|\.)?|nov(?:ember|\.)?|dec(?:ember|\.)?)"
)
_AFTER_MONTH = rf"(?i)(?<!\w){_MONTH}\s\Z"
_DAY_OF_MONTH = rf"(?i)(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH}(?!\w)"
_IDENTIFIER = r"(?i)\b10\.\d{4,9}/\S+|\barxiv:\s?\S+"
_AFTER_POWER = r"(?i)(?:\b(?:factors?|powers?|multiples?) of|\b(?:modulo|mod|base|log))\s\Z"
_FORM = (
    r"(?:\d+(?:['’]?s|-?[dD](?:im(?:ensional)?)?|-(?:mean|norm|sphere|simplex|hot|based|indexed|dimensional))(?![\w])"
    r"|\d+\s?[x×]\s?\d+(?:\s?[x×]\s?\d+)*(?![\w.,]*\d|[⁺⁻⁰¹²³⁴-⁹^])|\d+(?:-by-|\sby\s)\d+\b|\d+\s?\+\s?\d+\s[a-z]+s\b)"
)
_SECTION = r"\d+(?:[.–-]\d+)*[a-z]?"
_VERSION = r"(?!\d{1,3}(?:\.\d{3})+$)\d+(?:\.\d+){2,}"
_DECADE = r"['’]?\d0s"


def is_structure(text: str, start: int, end: int) -> bool:
    """Return whether a numeral is part of a name or of the structure of a text: a section, a theorem, a date, a DOI."""
    numeral, before = text[start:end], text[max(0, start - 60) : start]
    if re.fullmatch(_VERSION, numeral) or (re.fullmatch(_SECTION, numeral) and re.search(_AFTER_NUMBERED, before)):
        return True
    if re.fullmatch(r"\d{1,2}(?:st|nd|rd|th)?", numeral) and _is_day(text, start, end):
        return True
    return _is_form(text, start, end) or _is_within(_IDENTIFIER, text, start, end + 60)


def _is_day(text: str, start: int, end: int) -> bool:
    after, before = text[end : end + 30], text[max(0, start - 12) : start]
    return re.match(_DAY_OF_MONTH, after) is not None or re.search(_AFTER_MONTH, before) is not None


def _is_form(text: str, start: int, end: int) -> bool:
    """Return whether small whole numbers name a form, such as 2 × 2, 1D, 0-mean, all 1's or a factor of 2."""
    numeral, before = text[start:end], text[max(0, start - 20) : start]
    if re.fullmatch(_DECADE, numeral) and before.endswith(("'", "’")):
        return True
    if is_small(numeral) and re.search(_AFTER_POWER, before) and text[end : end + 1] != "%":
        return True
    return _is_within(_FORM, text, start, end + 24, small=True)


def _is_within(pattern: str, text: str, start: int, end: int, *, small: bool = False) -> bool:
    """Return whether a character is part of what a pattern finds near it, perhaps only if that has small numbers."""
    first = max(0, start - (12 if small else 60))
    found = (match for match in re.finditer(pattern, text[first:end]) if match.start() <= start - first < match.end())
    return any(not small or is_small(match[0], forms=True) for match in found)


# Size.

_OF_MANY = re.compile(
    r"\s?(?:%|‰|per\s?cent\b|percentage points?\b|basis points?\b)"
    r"|[\s-](?:hundred|thousand|million|billion|trillion)s?\b|\s?[·×]\s?10[⁻⁺⁰¹²³⁴-⁹^]"
)
"""What makes a number behind which it stands one of percent, or a large one."""
_LARGE_SUFFIX = re.compile(r"\d(?:[kKMBTG]|bn|[eE]\d+)$")
_DIGITS = re.compile(NUMBER)


def is_small(numeral: str, forms: bool = False) -> bool:
    """Return whether a numeral consists of whole numbers up to twelve, each written out, without a percent sign."""
    if re.search(r"[%‰⁰¹²³⁴-⁹^]|^\W?0x|^\W?\.", numeral) or (not forms and _LARGE_SUFFIX.search(numeral)):
        return False
    plain = "".join(f" {_whole(c)} " if c.isnumeric() and not c.isdecimal() else c for c in numeral)
    return all(part.isdecimal() and len(part) < 4 and int(part) <= SMALL for part in _DIGITS.findall(plain))


def _whole(character: str) -> int:
    """Return the number that a character such as ½, ① or Ⅷ stands for, rounded up."""
    return -int(-unicodedata.numeric(character) // 1)


def may_be_typed(text: str, start: int, end: int, *, years: bool = True) -> bool:
    """Return whether a numeral is small or, with `years`, a year, so that it may be typed if no scene holds it."""
    numeral = text[start:end]
    if _OF_MANY.match(text, end):
        return False
    return is_small(numeral) or (years and is_year(text, start, end))


_YEAR = r"(?P<first>\d{4})(?:s|[-–/](?P<last>\d{4}|\d\d)|-(?:0\d|1[0-2])-[0-3]\d)?"
_BEFORE_YEAR = (
    r"(?i)\b(?:in|by|since|until|till|before|after|from|during|around|circa|to|and|or|between|the|mid|early|late|year|years"
    r"|\w*(?:ber|ary|march|april|may|june|july|august|spring|summer|autumn|winter|fall)(?: of)?)[\s-]\Z"
    r"|(?:\bal\.,?|(?-i:[A-Z])\w*,|[&(])\s?\Z"
)
_COUNTED = (
    r"-(?!era\b|style\b|built\b)[a-z]{3,}"
    r"|[\s\u00a0-](?!(?:was|is|has|as|this|its|his|across|always|perhaps|shows|gives|marks|brings|sees|introduces|proposes"
    r"|describes|uses|reports|finds|argues|starts|ends|begins|becomes|comes|takes|makes|remains|means)\b)"
    r"(?:[a-z]{3,}s|people|children|ms|mm|cm|km|kg|mg|[kM]?Hz|[kMGT]i?B|px|rpm|s|m|g|W|V|K|J|N|Pa|°C)\b|\s?[€£¥]"
)


def is_year(text: str, start: int, end: int) -> bool:
    """Return whether a numeral is a year or a range of years. "2000 words" is not one, but "in 2000 words" may be."""
    match = re.fullmatch(_YEAR, text[start:end])
    if match is None or text[max(0, start - 1) : start] in tuple("$€£¥"):
        return False
    years = [int(match["first"]), *(int(last) for last in (match["last"],) if last and len(last) == 4)]
    counted = re.match(_COUNTED, text[end : end + 30]) and not re.search(_BEFORE_YEAR, text[max(0, start - 20) : start])
    return all(FIRST_YEAR <= year <= LAST_YEAR for year in years) and not counted
