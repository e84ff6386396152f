"""Turns HTML into plain text, and keeps numbers in order beside scripts that are written from right to left."""

import html
import re

_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
_FROM_LEFT, _FROM_ITS_SIDE, _END = "\u2066", "\u2068", "\u2069"
_ISOLATED = re.compile(r"<(/?)(?:data|math|code)\b([^>]*)>")
_MATH = re.compile(r'<math\b[^>]*? aria-label="([^"]*)"(?:(?!</math>).)*</math>', re.DOTALL)
_NO_WORDS = re.compile(r"<sup\b[^>]*><a class=\"footnote-ref\".*?</sup>|<[^>]*>", re.DOTALL)


def words_of(body: str) -> str:
    """Return the words of a text in HTML: without tags and references to notes, and with formulas in words."""
    body = _MATH.sub(r"<math>\1</math>", body)
    if has_right_to_left(body):
        body = _ISOLATED.sub(lambda tag: _END if tag[1] else _FROM_ITS_SIDE if "dir=" in tag[2] else _FROM_LEFT, body)
    return " ".join(html.unescape(_NO_WORDS.sub("", body)).split())


def shortened(words: str, most: int) -> str:
    """Return plain text, cut between words if it has more than `most` characters."""
    if len(words) <= most:
        return words
    kept = words[:most].rsplit(" ", 1)[0]
    unclosed = sum(map(kept.count, (_FROM_LEFT, _FROM_ITS_SIDE))) - kept.count(_END)
    return f"{kept}{_END * unclosed} ..."


def isolated(words: str) -> str:
    """Return words between invisible characters, so that they do not change the direction of the text around them."""
    return f"{_FROM_ITS_SIDE if has_right_to_left(words) else _FROM_LEFT}{words}{_END}"


def has_right_to_left(words: str) -> bool:
    """Return whether a text contains a script that is written from right to left."""
    return _RIGHT_TO_LEFT.search(words) is not None
