"""Splits what a reader sees into sentences, so that a note counts for its sentence and a name for the numbers near it.

A sentence ends at a full stop, a question mark or an exclamation mark that is followed by a space and a capital letter,
a digit or a mark. A note after the stop belongs to the sentence before it. The stop of an abbreviation such as "et al."
ends nothing. Nor does a stop inside a number.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from scenebook.prose._stand_ins import NOTE

_ABBREVIATIONS = (
    "al|e\\.g|i\\.e|cf|vs|approx|ca|etc|resp|viz|dr|mr|mrs|prof|st|no|nos|nr|p|pp|vol|ed|eds|fig|figs|eq|eqs|eqn|sec"
    "|secs|ch|chap|tab|alg|thm|prop|cor|lem|def|ex|app|ref|refs|ver|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
_END = re.compile(
    rf"(?<![\s.(])(?<!\b[A-Za-z])[.!?][\"”’')\]]*{NOTE}*(?=\s+[^\sa-z])|[。！？]{NOTE}*"
    r"|\n[ \t]*(?:\n|(?=[-*+|>] |\d+[.)] ))"
)
_ABBREVIATED = re.compile(rf"(?<![\w.])(?:{_ABBREVIATIONS})\.$", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d]\w*")


class Sentences:
    """The sentences of a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        ends = (found.end() for found in _END.finditer(text))
        ends = (end for end in ends if not _ABBREVIATED.search(text[max(0, end - 12) : end]))
        self._bounds: Sequence[int] = (0, *ends, len(text))
        self._notes = [found.start() for found in re.finditer(NOTE, text)]

    def around(self, index: int) -> tuple[int, int]:
        """Return where the sentence begins and ends that contains a character."""
        number = min(bisect_right(self._bounds, index), len(self._bounds) - 1)
        return self._bounds[number - 1], self._bounds[number]

    def has_note(self, index: int) -> bool:
        """Return whether the sentence that contains a character has a note."""
        begin, end = self.around(index)
        return bisect_left(self._notes, begin) < bisect_left(self._notes, end)

    def words_near(self, start: int, end: int, count: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return so many words before a number and after it, in the same sentence."""
        begin, stop = self.around(start)
        before = _WORD.findall(self._text[max(begin, start - 20 * count) : start])
        after = _WORD.findall(self._text[end : min(stop, end + 20 * count)])
        return tuple(before[-count:]), tuple(after[:count])
