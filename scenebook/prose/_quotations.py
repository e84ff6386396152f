r"""Finds where the entries of `quoted:` appear in a text.

An entry is a numeral, or a phrase that contains one, as it appears in the text: "2017" allows every 2017 on the page,
and "section 3.5" allows 3.5 only after that word. Line ends and the marks of emphasis in a phrase do not matter. Inside
a formula, neither do blanks, braces and the commands that only set words: `d_model = 512` is found in
`d_{\text{model}} = 512`, and `0.5 & 0.25` in a matrix. A phrase can contain a formula between its dollars.
"""

import re
from collections.abc import Collection
from functools import cache

from scenebook.core.scanner import scan
from scenebook.prose._stand_ins import HOLE

_LOOSE = re.compile(
    r"\s|\\[,;:! ~]|[{}~]"
    r"|\\(?:text\w*|mbox|math(?:rm|bf|sf|it|tt|normal)|operatorname\*?|q?quad|left|right)(?![A-Za-z])"
)
"""What does not matter inside a formula."""


def covered(text: str, entries: Collection[str], used: set[str]) -> set[int]:
    """Return the offsets in a text, as a reader sees it or as written, that entries cover. Add these to `used`."""
    found: set[int] = set()
    for entry in entries:
        for match in _entry(entry).finditer(text):
            used.add(entry)
            found.update(range(*match.span()))
    return found


def covered_in_formula(latex: str, entries: Collection[str], used: set[str]) -> set[int]:
    """Return the offsets in a formula that entries cover, and add these entries to `used`."""
    places = _places(latex)
    plain = "".join(latex[place] for place in places)
    found: set[int] = set()
    for entry in entries:
        if words := "".join(entry[place] for place in _places(entry)):
            for match in _exactly(words).finditer(plain):
                used.add(entry)
                found.update(places[match.start() : match.end()])
    return found


def _places(latex: str) -> list[int]:
    """Return the offsets of the characters that matter in a formula."""
    left_out = {place for match in _LOOSE.finditer(latex) for place in range(*match.span())}
    return [place for place in range(len(latex)) if place not in left_out]


@cache
def _entry(entry: str) -> re.Pattern[str]:
    seen = "".join(span.raw if span.kind in ("text", "escape") else HOLE for span in scan(entry))
    as_read = _exact(r"\s+".join(map(re.escape, seen.split()))).replace(HOLE, f"{HOLE}+")
    written = _exact(r"\s+".join(map(re.escape, entry.split())))
    return re.compile(as_read if seen == entry else f"{as_read}|{written}")


@cache
def _exactly(words: str) -> re.Pattern[str]:
    return re.compile(_exact(re.escape(words)))


def _exact(pattern: str) -> str:
    """Return a pattern that does not match a part of a number."""
    return rf"(?<!\d)(?<!\d[.,'’]){pattern}(?!\d)(?![.,'’]\d)"
