"""Build a revision of a site with its own engine and its own pinned packages, or reuse an earlier build of it.

Everything slow is kept in the user's `.scenebook/`: environments by the digest of their lock file, sites by the digest
of everything they were built from, and the cache of scene results, which all revisions share.

In this module, a tree is the folder of a site at some revision.
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
LOCK_FILE = "requirements.txt"
STATE_FOLDER = ".scenebook"
MAX_SITES = 8
"""The number of built sites that are kept: those used most recently."""

_INSTALLED = ".installed"
_ENVIRONMENT_LOCK = Lock()  # one thread at a time: both sides of a review may need the same environment
_PIN = re.compile(r"^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?==([^\s;\\]+)", re.MULTILINE)


@dataclass(frozen=True)
class RevisionBuild:
    """The outcome of a build: whether it failed, and the problems it reported, one per line."""

    failed: bool = False
    problems: tuple[str, ...] = ()


def build(root: Path, tree: Path, into: Path) -> RevisionBuild:
    """Build a tree into a folder, as far as possible. It is built by its own engine, or by this one if it has none."""
    try:
        interpreter = python(root, tree)
    except Problems as error:
        return RevisionBuild(failed=True, problems=tuple(map(str, error.problems)))
    has_engine = (tree / "build.py").exists()
    engine = [str(tree / "build.py")] if has_engine else ["-m", "scenebook"]
    site = [] if has_engine else ["--root", str(tree)]
    cache, path = str(root / STATE_FOLDER / "cache"), "" if has_engine else str(ENGINE)
    environment = {**os.environ, "SCENEBOOK_CACHE": cache, "PYTHONPATH": path}
    command = [interpreter, *engine, "build", *site, "--into", str(into)]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    return RevisionBuild(done.returncode != 0, tuple(line for line in done.stderr.splitlines() if line.strip()))


def python(root: Path, tree: Path) -> str:
    """Return a Python interpreter that has the packages of a tree's lock file.

    It is the running one if the lock file is the same, otherwise one in an environment of its own. Raises `Problems` if
    the packages cannot be installed.
    """
    lock = _read(tree / LOCK_FILE)
    if lock is None or lock == _read(ENGINE / LOCK_FILE):
        return sys.executable
    folder = root / STATE_FOLDER / "env" / _digest(lock, sys.version.encode())
    interpreter = str(folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    with _ENVIRONMENT_LOCK:
        if not (folder / _INSTALLED).exists():
            _run([sys.executable, "-m", "venv", "--clear", "--without-pip", str(folder)], tree)
            pip = [sys.executable, "-m", "pip", "--python", interpreter, "--disable-pip-version-check"]
            _run([*pip, "install", "--quiet", "--requirement", LOCK_FILE], tree)
            (folder / _INSTALLED).touch()
    return interpreter


def pins(lock: str) -> Mapping[str, str]:
    """Return the versions that a lock file pins, by package."""
    return dict(_PIN.findall(lock))


def kept_site(root: Path, tree: str) -> Path:
    """Return the folder for the site built from a tree with this hash.

    If the folder exists, it has what another build would give.
    """
    builder = (versions.engine(), versions.templates(), versions.libraries(), os.environ.get("SCENEBOOK_URL", ""))
    return root / STATE_FOLDER / "sites" / _digest(tree.encode(), *(part.encode() for part in builder))


def keep(site: Path, folder: Path) -> None:
    """Copy a built site to the folder where it is kept, and delete the sites that were unused for the longest time."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    copy = Path(mkdtemp(dir=folder.parent))
    shutil.copytree(site, copy, dirs_exist_ok=True)
    with suppress(OSError):  # another review was faster
        copy.rename(folder)
    by_age = sorted(folder.parent.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for unused in {copy, *by_age[MAX_SITES:]}:
        shutil.rmtree(unused, ignore_errors=True)


def _run(command: list[str], tree: Path) -> None:
    """Run a step of an installation; raises `Problems` with the last line of its output if it fails."""
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise Problems([Problem(LOCK_FILE, 0, "", f"cannot be installed: {lines[-1] if lines else 'no reason given'}")])


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _digest(*parts: bytes) -> str:
    return digests.digest(b"\0".join(parts))[:16]
