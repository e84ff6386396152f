"""Problems as annotations: lines on standard output that GitHub Actions shows beside the lines of a pull request.

The message is the line that is printed otherwise, so that the log can be read, too: GitHub shows only the first ten
errors and the first ten warnings of a step at their places.
"""

from pathlib import Path

from scenebook.core.problems import Problem, printable

_IN_MESSAGES = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTIES = _IN_MESSAGES | str.maketrans({":": "%3A", ",": "%2C"})


def annotation(problem: Problem, root: Path) -> str:
    """Return a problem of the site in this folder as an annotation."""
    places = {"file": _file(problem.file, root), "line": str(problem.line or ""), "title": problem.where}
    given = ",".join(f"{key}={_escaped(value, _IN_PROPERTIES)}" for key, value in places.items() if value)
    command = "notice" if problem.note else "warning" if problem.warning else "error"
    return f"::{command} {given}".rstrip() + f"::{_escaped(str(problem), _IN_MESSAGES)}"


def _file(file: str, root: Path) -> str:
    """Return the path of a file of the site from the top of its repository, which is what GitHub asks for."""
    folder = root.resolve()
    top = next((each for each in (folder, *folder.parents) if (each / ".git").exists()), folder)
    path = folder / file
    return path.relative_to(top).as_posix() if file and path.is_relative_to(top) else file


def _escaped(text: str, escapes: dict[int, str]) -> str:
    return printable(text).translate(escapes)
