"""Compare two versions of a published file: what differs, and whether anybody could see it.

The places and colours of a drawing may differ a little, as a picture may; its texts may not.
"""

import re
from difflib import unified_diff

from scenebook.review import _pixel_diff as pixel_diff
from scenebook.review import _value_diff as value_diff

PLACES = 0.02
"""How far a place in a drawing may move, in pixels."""
MAX_BYTES, MAX_LINES, MAX_LENGTH = 2_000_000, 60, 200
"""The largest file of which a diff is made, and the most lines and characters of a line that it has."""
LONGEST = 2000
"""The longest line, in characters, that people read."""

TEXTS = (".css", ".js", ".html", ".xml", ".txt", ".json", ".svg", ".webmanifest")
_PARTS = re.compile(r"<[^>]*>|[^<]+")
_NAME = re.compile(r'(?<=\bid=")[^"]*|(?<=url\(#)[^)]*|(?<=href="#)[^"]*')
_MEASURES = re.compile(r"(#[0-9a-f]{6}\b|-?\d*\.?\d+)")


def lines(path: str, before: bytes | None, after: bytes | None) -> tuple[str, ...]:
    """Return the lines of a diff of a file; none if it is on one side only, or if its lines are too long to be read."""
    if before is None or after is None or not path.endswith(TEXTS) or len(before) + len(after) > MAX_BYTES:
        return ()
    old, new = (content.decode(errors="replace").splitlines() for content in (before, after))
    if any(len(line) > LONGEST for line in (*old, *new)):
        return ()
    found = [line[:MAX_LENGTH] for line in unified_diff(old, new, n=1, lineterm="")][2:]
    more = [f"  and {len(found) - MAX_LINES} more lines"] if len(found) > MAX_LINES else []
    return (*found[:MAX_LINES], *more)


def looks_same(path: str, before: bytes, after: bytes) -> bool:
    """Whether two versions of a file of a scene differ only within the tolerances."""
    if path.endswith(".npy"):  # its values have been compared
        return True
    if path.endswith(".png"):
        try:
            return pixel_diff.compare(before, after) is None
        except ValueError:
            return False
    old, new = before.decode(errors="replace"), after.decode(errors="replace")
    return _same_drawing(old, new) if path.endswith(".svg") else path.endswith(".csv") and _same_table(old, new)


def _same_drawing(before: str, after: str) -> bool:
    old, new = (_PARTS.findall(_NAME.sub("", text)) for text in (before, after))
    return len(old) == len(new) and all(map(_same_part, old, new))


def _same_part(before: str, after: str) -> bool:
    if before == after:
        return True
    old, new = _MEASURES.split(before), _MEASURES.split(after)
    if not before.startswith("<") or len(old) != len(new) or old[::2] != new[::2]:
        return False
    return all(map(_close, old[1::2], new[1::2]))


def _close(before: str, after: str) -> bool:
    if before.startswith("#") and after.startswith("#"):
        pairs = zip(bytes.fromhex(before[1:]), bytes.fromhex(after[1:]), strict=True)
        return all(abs(one - other) <= pixel_diff.LEVELS for one, other in pairs)
    return "#" not in before + after and abs(float(before) - float(after)) <= PLACES


def _same_table(before: str, after: str) -> bool:
    old, new = ([line.split(",") for line in text.splitlines()] for text in (before, after))
    cells = [pair for rows in zip(old, new, strict=False) for pair in zip(*rows, strict=False)]
    return list(map(len, old)) == list(map(len, new)) and all(_same_cell(*pair) for pair in cells)


def _same_cell(before: str, after: str) -> bool:
    try:
        return before == after or value_diff.same(float(before), float(after))
    except ValueError:
        return False
