"""A tree built by its own engine and its own pinned packages, or found as it was built before.

What costs time is kept in the user's `.scenebook/`: environments by the digest of their lock, sites by the hash of all
they were made from, and the cache of scenes' results, which all versions share.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from threading import Lock

from scenebook.cache import versions
from scenebook.core import digests
from scenebook.core.problems import Problem, Problems

ENGINE = Path(__file__).resolve().parents[2]
LOCK = "requirements.txt"
KEPT = ".scenebook"
SITES = 8
"""So many built sites are kept, those used last."""

_INSTALLED = ".installed"
_ONE_AT_A_TIME = Lock()  # both sides of a review may need the same environment
_PIN = re.compile(r"^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?==([^\s;\\]+)", re.MULTILINE)


@dataclass(frozen=True)
class RevisionBuild:
    """What became of a build: whether it failed, and the lines of its complaints."""

    failed: bool = False
    problems: tuple[str, ...] = ()


def build(root: Path, tree: Path, into: Path) -> RevisionBuild:
    """Build what can be built of a tree into a folder, by the tree's own engine, or by this one where it has none."""
    try:
        interpreter = python(root, tree)
    except Problems as error:
        return RevisionBuild(failed=True, problems=tuple(map(str, error.problems)))
    own = (tree / "build.py").exists()
    engine = [str(tree / "build.py")] if own else ["-m", "scenebook"]
    place = [] if own else ["--root", str(tree)]
    cache, path = str(root / KEPT / "cache"), "" if own else str(ENGINE)
    environment = {**os.environ, "SCENEBOOK_CACHE": cache, "PYTHONPATH": path}
    command = [interpreter, *engine, "build", *place, "--into", str(into)]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    return RevisionBuild(done.returncode != 0, tuple(line for line in done.stderr.splitlines() if line.strip()))


def python(root: Path, tree: Path) -> str:
    """The interpreter that has the packages of a tree's lock: the running one where it has, or one made for it.

    Raises `Problems` where the packages cannot be installed.
    """
    lock = _bytes(tree / LOCK)
    if lock is None or lock == _bytes(ENGINE / LOCK):
        return sys.executable
    folder = root / KEPT / "env" / _digest(lock, sys.version.encode())
    interpreter = str(folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    with _ONE_AT_A_TIME:
        if not (folder / _INSTALLED).exists():
            _run([sys.executable, "-m", "venv", "--clear", "--without-pip", str(folder)], tree)
            pip = [sys.executable, "-m", "pip", "--python", interpreter, "--disable-pip-version-check"]
            _run([*pip, "install", "--quiet", "--requirement", LOCK], tree)
            (folder / _INSTALLED).touch()
    return interpreter


def pins(lock: str) -> Mapping[str, str]:
    """The versions that a lock pins, by package."""
    return dict(_PIN.findall(lock))


def kept(root: Path, tree: str) -> Path:
    """Where the site made from a tree (by its hash) is kept, if it is: made again it would be the same."""
    made_by = (versions.engine(), versions.templates(), versions.libraries(), os.environ.get("SCENEBOOK_URL", ""))
    return root / KEPT / "sites" / _digest(tree.encode(), *(part.encode() for part in made_by))


def keep(site: Path, place: Path) -> None:
    """Keep a built site, in place of those that were not used for longest."""
    place.parent.mkdir(parents=True, exist_ok=True)
    part = Path(mkdtemp(dir=place.parent))
    shutil.copytree(site, part, dirs_exist_ok=True)
    with suppress(OSError):  # another review was faster
        part.rename(place)
    by_age = sorted(place.parent.iterdir(), key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in {part, *by_age[SITES:]}:
        shutil.rmtree(folder, ignore_errors=True)


def _run(command: list[str], tree: Path) -> None:
    """Run a step of an installation; raises `Problems` with its last words."""
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode:
        words = (done.stderr or done.stdout).strip().splitlines()
        raise Problems([Problem(LOCK, 0, "", f"cannot be installed: {words[-1] if words else 'no reason given'}")])


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _digest(*parts: bytes) -> str:
    return digests.digest(b"\0".join(parts))[:16]
