"""The commands that messages and pages tell people to type. They exist in the site's folder: see `command`."""

import re
from pathlib import Path

START_FILE = "build.py"
"""A site with this file, such as a copy of Scenebook's repository, starts its own engine with it."""


def command(root: Path, *words: str) -> str:
    """Return how people start a command in a site's folder: with make if it has a target of this name."""
    if len(words) == 1 and has_target(root, words[0]):
        return f"make {words[0]}"
    return " ".join((program(root), *words))


def program(root: Path) -> str:
    """Return what starts Scenebook in a site's folder. It depends only on whether the folder has a `START_FILE`."""
    return f"python {START_FILE}" if (root / START_FILE).exists() else "scenebook"


def has_target(root: Path, name: str) -> bool:
    """Return whether the folder has a Makefile with this target."""
    try:
        text = (root / "Makefile").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return re.search(rf"^{re.escape(name)}\s*:(?!=)", text, re.MULTILINE) is not None
