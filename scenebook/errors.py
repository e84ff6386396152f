"""What an author did wrong, as data: a list of problems, each with its place and what to do about it.

Every module returns or raises these and none prints: the command line shows all of them at once.
"""

from collections.abc import Iterable
from typing import NamedTuple


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
        return ": ".join(part for part in (place, self.where, f"{label}{self.message}") if part)


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
