"""An author's mistakes as data: each problem says where it is, what is wrong, and what to do.

Modules return or raise problems and never print them, so the command line can show all of them at once. A message can
quote any text, so `printable` escapes the characters that a terminal would act on.
"""

from collections.abc import Iterable
from typing import NamedTuple

JOINERS = "\u200c\u200d"
"""Invisible characters that some writing systems and emoji need."""


def printable(text: str, keep: str = "") -> str:
    r"""Return text with control and invisible characters escaped as in Python (`\x1b`, `\n`), except those to `keep`.

    So text that a message quotes cannot move the cursor, change the direction of writing, or look like a second line.
    """
    if text.isprintable():
        return text
    from unicodedata import category

    kept = {*JOINERS, *keep}
    plain = (char.isprintable() or char in kept or category(char) == "Zs" for char in text)
    escaped = (char if fine else char.encode("unicode_escape").decode() for char, fine in zip(text, plain, strict=True))
    return "".join(escaped)


class Problem(NamedTuple):
    """One mistake: its `file` relative to the root, its `line` (0 for the whole file), and its path in the page.

    A warning is a mistake only for a strict build. A note is a warning that is none even then.
    """

    file: str
    line: int
    where: str
    message: str
    warning: bool = False
    note: bool = False

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        label = "note: " if self.note else "warning: " if self.warning else ""
        return printable(": ".join(part for part in (place, self.where, f"{label}{self.message}") if part))


class Problems(Exception):  # noqa: N818 - a plural noun fits what it contains
    """Raised with all problems found so far, sorted by place and without duplicates."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))


def stop_on(problems: Iterable[Problem], *, strict: bool = True) -> None:
    """Raise `Problems` if there are any but notes; if not `strict`, only if at least one is not a warning."""
    collected = tuple(problems)
    if any(not problem.note and (strict or not problem.warning) for problem in collected):
        raise Problems(collected)
