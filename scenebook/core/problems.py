"""What an author did wrong, as data: a list of problems, each with its place and what to do about it.

Every module returns or raises these and none prints: the command line shows all of them at once. The text that they
quote may contain anything, so `shown` escapes what a terminal would act on.
"""

from collections.abc import Iterable
from typing import NamedTuple

JOINERS = "\u200c\u200d"
"""Invisible characters that some scripts and emoji need, and that do no harm."""


def shown(text: str, keep: str = "") -> str:
    r"""Text that is safe to print: control and invisible characters are escaped as Python does it (`\x1b`, `\n`).

    So quoted text cannot move the cursor, reverse the direction of reading, or look like a second message. Characters
    in `keep` stay as they are.
    """
    if text.isprintable():
        return text
    from unicodedata import category

    kept = {*JOINERS, *keep}
    plain = (char.isprintable() or char in kept or category(char) == "Zs" for char in text)
    escaped = (char if fine else char.encode("unicode_escape").decode() for char, fine in zip(text, plain, strict=True))
    return "".join(escaped)


class Problem(NamedTuple):
    """One mistake: `file` relative to the root, `line` from 1 (0: the file as a whole), `where` in the page."""

    file: str
    line: int
    where: str
    message: str
    warning: bool = False

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        label = "warning: " if self.warning else ""
        return shown(": ".join(part for part in (place, self.where, f"{label}{self.message}") if part))


class Problems(Exception):  # noqa: N818 - it is read as a noun: `raise Problems(found)`
    """Raised with every problem found so far, sorted by place, each once."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))


def stop_on(problems: Iterable[Problem], *, strict: bool = True) -> None:
    """Raise `Problems` with all of them if there is any; if not `strict`, only if one is more than a warning."""
    found = tuple(problems)
    if any(strict or not problem.warning for problem in found):
        raise Problems(found)
