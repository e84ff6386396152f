"""Revisions of a site, built: each in a temporary worktree, by its own engine and its own pinned packages.

The user's tree, index and branches are never touched. What costs time is kept in the user's `.scenebook/`: environments
by the digest of their lock, and the cache of scenes' results, which all versions share.
"""

import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

from scenebook.errors import Problem, Problems

ENGINE = Path(__file__).resolve().parent.parent
LOCK = "requirements.txt"
KEPT = ".scenebook"
ENDED_WELL = ".installed"
_ONE_AT_A_TIME = Lock()  # both sides may need the same environment
_GIT_STATE = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX")
_PIN = re.compile(r"^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?==([^\s;\\]+)", re.MULTILINE)


@dataclass(frozen=True)
class Outcome:
    """What became of a build: whether it failed, and the lines of its complaints."""

    failed: bool
    problems: tuple[str, ...]


def commit(root: Path, revision: str) -> str:
    """The commit that a revision names; raises `Problems` where there is none."""
    found = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}", check=False)
    if not found:
        message = "is neither the folder of a built site (it holds no facts.json) nor a revision that git knows here"
        raise Problems([Problem(revision, 0, "", message)])
    return found


def name(root: Path, revision: str) -> str:
    """A revision as people call it, with its tag or short hash."""
    described = _git(root, "describe", "--always", "--tags", commit(root, revision))
    return described if revision.startswith(described) else f"{revision} ({described})"


@contextmanager
def worktree(root: Path, revision: str) -> Iterator[Path]:
    """The root folder as it was at a revision, in a worktree that is gone afterwards."""
    prefix = _git(root, "rev-parse", "--show-prefix")
    with TemporaryDirectory(prefix="scenebook-review-") as folder:
        tree = Path(folder).resolve() / "tree"
        quiet = ("-c", f"core.hooksPath={os.devnull}", "worktree", "add", "--quiet", "--detach")
        _git(root, *quiet, str(tree), commit(root, revision))
        try:
            yield tree / prefix
        finally:
            _git(root, "worktree", "remove", "--force", str(tree))


def python(root: Path, tree: Path) -> str:
    """The interpreter that has the packages of a tree's lock: the running one where it has, or one made for it."""
    lock = _bytes(tree / LOCK)
    if lock is None or lock == _bytes(ENGINE / LOCK):
        return sys.executable
    version = f"{platform.python_implementation()} {platform.python_version()} {platform.machine()}"
    folder = root / KEPT / "env" / blake2b(lock + version.encode(), digest_size=8).hexdigest()
    interpreter = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    with _ONE_AT_A_TIME:
        if not (folder / ENDED_WELL).exists():
            _run([sys.executable, "-m", "venv", "--clear", "--without-pip", str(folder)], LOCK)
            pip = [sys.executable, "-m", "pip", "--python", str(interpreter), "--disable-pip-version-check"]
            _run([*pip, "install", "--quiet", "--requirement", LOCK], LOCK, cwd=tree)
            (folder / ENDED_WELL).touch()
    return str(interpreter)


def build(root: Path, tree: Path, interpreter: str, into: Path) -> Outcome:
    """Build what can be built of a tree into a folder, by the tree's own engine, or by this one where it has none."""
    own = (tree / "build.py").exists()
    engine = [str(tree / "build.py")] if own else ["-m", "scenebook"]
    place = [] if own else ["--root", str(tree)]
    cache, path = str(root / KEPT / "cache"), "" if own else str(ENGINE)
    environment = {**os.environ, "SCENEBOOK_CACHE": cache, "PYTHONPATH": path}
    command = [interpreter, *engine, "build", *place, "--into", str(into)]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    return Outcome(done.returncode != 0, tuple(line for line in done.stderr.splitlines() if line.strip()))


def pins(tree: Path) -> Mapping[str, str]:
    """The versions that a tree's lock pins, by package."""
    return dict(_PIN.findall((_bytes(tree / LOCK) or b"").decode(errors="replace")))


def _git(root: Path, *arguments: str, check: bool = True) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in _GIT_STATE}
    command = ["git", "-C", str(root), *arguments]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise Problems([Problem("git", 0, "", "is not installed; a review of revisions needs it")]) from None
    if check and done.returncode:
        raise Problems([Problem("git", 0, "", f"{arguments[0]} failed: {done.stderr.strip()}")])
    return done.stdout.strip()


def _run(command: list[str], about: str, cwd: Path | None = None) -> None:
    """Run a step of the set-up; raises `Problems` with its last words."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        words = (done.stderr or done.stdout).strip().splitlines()
        raise Problems([Problem(about, 0, "", f"cannot be installed: {words[-1] if words else 'no reason given'}")])


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
