"""Build a revision of a site with its own engine and its own pinned packages, or reuse an earlier build of it.

A site's engine is its own `build.py`, or what its lock file pins (`_lock_file.py`), or else the one that is running.

Everything slow is kept in the user's `.scenebook/`: environments by the digest of their lock file, sites by the digest
of everything they were built from, and the cache of scene results, which all revisions share.

In this module, a tree is the folder of a site at some revision.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from threading import Lock

from scenebook.cache import versions
from scenebook.core import digests
from scenebook.core.commands import START_FILE
from scenebook.core.problems import Problem, Problems
from scenebook.review import _lock_file as lock_file

LOCK_FILE = "requirements.txt"
STATE_FOLDER = ".scenebook"
MAX_SITES = 8
"""The number of built sites that are kept: those used most recently."""

_INSTALLED = ".installed"
_NOTE = re.compile(r"\S+:\d+: \S+: note: ")
_ENVIRONMENT_LOCK = Lock()  # one thread at a time: both sides of a review may need the same environment


@dataclass(frozen=True)
class RevisionBuild:
    """The outcome of a build: whether it failed, and the problems it reported, one per line, without notes."""

    failed: bool = False
    problems: tuple[str, ...] = ()


def build(root: Path, tree: Path, into: Path) -> RevisionBuild:
    """Build a tree into a folder, as far as possible."""
    try:
        interpreter = python(root, tree)
    except Problems as error:
        return RevisionBuild(failed=True, problems=tuple(map(str, error.problems)))
    starts_itself = (tree / START_FILE).exists()
    engine = [str(tree / START_FILE)] if starts_itself else ["-P", "-m", "scenebook"]
    site = [] if starts_itself else ["--root", str(tree)]
    cache = str(root / STATE_FOLDER / "cache")
    environment = {**os.environ, "SCENEBOOK_CACHE": cache, "PYTHONPATH": _python_path(tree)}
    command = [interpreter, *engine, "build", *site, "--into", str(into)]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    lines = (line for line in done.stderr.splitlines() if line.strip() and not _NOTE.match(line))
    return RevisionBuild(done.returncode != 0, tuple(lines))


def python(root: Path, tree: Path) -> str:
    """Return a Python interpreter that has the packages of a tree's lock file.

    It is the running one if that has all of them, otherwise one in an environment of its own. If the tree has no
    engine, the running one and its packages are added there. Raises `Problems` if the packages cannot be installed.
    """
    lock = lock_text(tree)
    if not lock or lock_file.is_installed(lock):
        return sys.executable
    added = "" if _has_engine(tree) else "\n".join(_running_packages())
    files = lock_file.local_files(lock, tree)
    folder = root / STATE_FOLDER / "env" / _digest(lock, sys.version, added, *map(digests.of_file, files))
    interpreter = str(folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    with _ENVIRONMENT_LOCK:
        if not (folder / _INSTALLED).exists():
            _run([sys.executable, "-m", "venv", "--clear", "--without-pip", str(folder)], tree)
            pip = [sys.executable, "-m", "pip", "--python", interpreter, "--disable-pip-version-check"]
            _run([*pip, "install", "--quiet", "--requirement", LOCK_FILE], tree)
            if added:
                packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))
                (packages / "running.pth").write_text(added, encoding="utf-8")
            (folder / _INSTALLED).touch()
    return interpreter


def lock_text(tree: Path) -> str:
    """Return the text of a tree's lock file; empty if it has none."""
    try:
        return (tree / LOCK_FILE).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _has_engine(tree: Path) -> bool:
    """Return whether a tree says which engine builds it."""
    return (tree / START_FILE).exists() or lock_file.engine(lock_text(tree)) is not None


def kept_site(root: Path, tree: str) -> Path:
    """Return the folder for the site built from a tree with this hash.

    If the folder exists, it has what another build would give.
    """
    builder = (versions.engine(), versions.templates(), versions.libraries(), os.environ.get("SCENEBOOK_URL", ""))
    return root / STATE_FOLDER / "sites" / _digest(tree, *builder)


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


def _python_path(tree: Path) -> str:
    """Return where the build of a tree finds its engine, if that is not installed in its environment."""
    if _has_engine(tree):
        return ""
    return os.environ.get("PYTHONPATH", "") if versions.INSTALLED else str(versions.ENGINE.parent)


def _running_packages() -> list[str]:
    """Return the folders of the running engine and of its packages."""
    folders = (str(versions.ENGINE.parent), *(path for path in sys.path if path.endswith("-packages")))
    return list(dict.fromkeys(folders))


def _digest(*parts: str) -> str:
    return digests.digest("\0".join(parts).encode())[:16]
