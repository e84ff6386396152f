"""Checks the paths that a storyboard names: each must lead to a file inside the root."""

from __future__ import annotations

import errno
import keyword
import os
import posixpath
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from scenebook.core.problems import Problem
from scenebook.core.suggestions import did_you_mean
from scenebook.storyboard._tree import Map, maps, problem, quoted, text, texts
from scenebook.storyboard._yaml_tree import INVISIBLE

PathCheck = Callable[[str], str | None]
"""Returns why a path does not lead to a file inside the root, or None if it does."""


def path_check(root: Path) -> PathCheck:
    """Return the check for paths under a root, which must have no links in its own path."""
    return partial(_path_fault, root, {})


def scene_path_problems(pages: Sequence[Map], check: PathCheck) -> Iterator[Problem]:
    """Yield a problem for each module or input of a scene that is not a file inside the root."""
    for scene in (scene for page in pages for scene in maps(page, "scenes")):
        compute = text(scene, "compute")
        if compute and compute.strip() and (message := _module_fault(compute) or check(f"scenes/{compute}")):
            yield problem(scene, "compute", message)
        for inputs, index, path in texts(scene, "inputs"):
            if path.strip() and (message := check(path)):
                yield problem(inputs, index, message)


def _module_fault(path: str) -> str | None:
    parts = path.removesuffix(".py").split("/")
    if path.endswith(".py") and all(part.isidentifier() and not keyword.iskeyword(part) for part in parts):
        return None
    form = "write Python names with / between them, such as attention/scores.py"
    return f"{quoted(path)} is not the path of a module under scenes/; {form}"


def _path_fault(root: Path, is_linkless: dict[str, bool], path: str) -> str | None:
    """Return why a path does not lead to a file inside the root; `is_linkless` remembers the folders without links."""
    full = f"{root}/{path}"
    if path.startswith("/") or ".." in path.split("/") or re.search(r"[\\:]", path) or INVISIBLE.search(path):
        return f"{quoted(path)} is not a path inside the root; write a relative path with / between folders"
    if _is_linkless_file(full, is_linkless):
        return None
    try:
        if not Path(os.path.realpath(full)).is_relative_to(root):
            return f"{quoted(path)} leads outside the root; use a file inside it"
        if _is_file(full):
            return None
        return f"not found; looked for {quoted(posixpath.normpath(path))} in the root{_hint(root, path)}"
    except OSError as error:
        reason = "its links form a loop" if error.errno == errno.ELOOP else error.strerror
        return f"{quoted(path)} cannot be read: {reason}"


def _is_file(path: str) -> bool:
    """Return whether a file exists; raises `OSError` for a loop of links, which `Path.is_file` does not."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def _is_linkless_file(path: str, is_linkless: dict[str, bool]) -> bool:
    """Return whether a file exists and no part of its path is a link. With strings, this takes a fifth of the time."""
    folder = os.path.dirname(path)
    if folder not in is_linkless:
        is_linkless[folder] = os.path.realpath(folder) == folder
    return is_linkless[folder] and os.path.isfile(path) and not os.path.islink(path)


def _hint(root: Path, path: str) -> str:
    """Return the end of the message about a path that leads to no file: a file with a similar name, if there is one."""
    folder = root / posixpath.dirname(path)
    if path.startswith("scenes/scenes/"):
        return "; paths of modules are relative to scenes/, so leave out scenes/"
    names = [file.name for file in folder.iterdir() if file.is_file()] if folder.is_dir() else []
    return did_you_mean(posixpath.basename(path), names)
