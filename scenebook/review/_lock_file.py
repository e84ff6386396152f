"""What the lock file of a site (requirements.txt) pins: packages, and the engine if it is one of them.

Only the parts of pip's format that pin something are understood: `name==version`, and the path or address of a wheel.
"""

import json
import re
from collections.abc import Iterator, Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from scenebook.cache import versions

ENGINE = "scenebook"

_PIN = re.compile(r"(?P<name>[A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*==\s*(?P<version>[^\s;]+)")
_WHEEL = re.compile(r"(?:[\w.-]+\s*@\s*)?(?P<path>(?:\S*[/:])?(?P<name>\w[\w.]*)-(?P<version>[^\s/-]+)-[^\s/]+\.whl)\b")
_HASH = re.compile(r"(?:--hash=sha256:|#sha256=)(\w+)")
_SETTING = re.compile(r"--(?:no-|only-|prefer-|pre\b|require-|trusted-|use-|\w*index|find-links)|-[if]\b")
"""Matches an option that installs nothing by itself."""


class Requirement(NamedTuple):
    """A line of a lock file. It pins nothing if it has no version.

    path: the path or address of a wheel.
    marker: whether the line applies only to some systems.
    """

    name: str
    version: str = ""
    path: str = ""
    marker: bool = False
    hashes: tuple[str, ...] = ()


def pins(lock: str) -> Mapping[str, str]:
    """Return the versions that a lock file pins, by package."""
    return {each.name: each.version for each in requirements(lock) if each.version}


def engine(lock: str) -> Requirement | None:
    """Return the engine that a lock file pins, if any."""
    return next((each for each in requirements(lock) if each.name == ENGINE and each.version), None)


def requirements(lock: str) -> Iterator[Requirement]:
    """Yield what a lock file asks for, in its order."""
    for line in re.sub(r"\\\r?\n", " ", lock).splitlines():
        text = re.sub(r"(^|\s)#.*", "", line).strip()
        if text and not _SETTING.match(text):
            match, marker, hashes = _WHEEL.match(text) or _PIN.match(text), ";" in text, tuple(_HASH.findall(text))
            yield Requirement(**match.groupdict(), marker=marker, hashes=hashes) if match else Requirement(text)


def is_installed(lock: str) -> bool:
    """Return whether the running interpreter has everything that a lock file pins.

    A package with a marker may be missing, because it may be for another system. Of several versions one is enough.
    """
    by_name = groupby(sorted(requirements(lock)), key=lambda each: each.name)
    return all(any(map(_is_installed, alternatives)) for _, alternatives in by_name)


def _is_installed(requirement: Requirement) -> bool:
    try:
        found = distribution(requirement.name)
    except (PackageNotFoundError, ValueError):
        return requirement.marker
    same = found.version == requirement.version
    return same and (requirement.name != ENGINE or (versions.INSTALLED and _is_same_file(found, requirement)))


def _is_same_file(found: Distribution, requirement: Requirement) -> bool:
    """Return whether the wheel that was installed has a pinned hash. One from an index has only its version."""
    origin = json.loads(found.read_text("direct_url.json") or "null")
    return origin is None or origin.get("archive_info", {}).get("hashes", {}).get("sha256") in requirement.hashes


def local_files(lock: str, tree: Path) -> list[str]:
    """Return the wheels in a tree that its lock file names: another file of the same name is another environment."""
    paths = (tree / each.path.removeprefix("file:") for each in requirements(lock) if each.path)
    return [str(path) for path in paths if path.is_file()]
