"""Revisions of a site, in git. The user's tree, index and branches are never touched."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from scenebook.core.problems import Problem, Problems

_STATE = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX")
"""What git hands to the programs that it starts, and which would lead us to its own index."""
_NO_SITE = "is not the folder of a built site (it holds no facts.json)"


def commit(root: Path, revision: str) -> str:
    """The commit that a revision names; raises `Problems` where there is none."""
    found = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}", check=False)
    if not found:
        raise Problems(
            [Problem(revision, 0, "", _unknown(_git(root, "rev-parse", "--is-shallow-repository", check=False)))]
        )
    return found


def _unknown(shallow: str) -> str:
    """What to say of a revision that is not there; `shallow` is git's answer to whether the clone is."""
    if not shallow:
        return f"{_NO_SITE}, and the site's folder is not in a git repository"
    if shallow == "true":
        return (
            "is not in this clone, which is shallow: it lacks older commits. Run `git fetch --unshallow`, or in GitHub "
            "Actions give actions/checkout `fetch-depth: 0`"
        )
    return f"{_NO_SITE}, and git knows no such revision here; run `git fetch` first if it is new on the server"


def name(root: Path, revision: str) -> str:
    """A revision as people call it, with its tag or short hash."""
    described = _git(root, "describe", "--always", "--tags", commit(root, revision))
    return described if revision.startswith(described) else f"{revision} ({described})"


def tree(root: Path, revision: str) -> str:
    """The hash of all that the root folder held at a commit."""
    return _git(root, "rev-parse", f"{revision}:{_prefix(root)}")


def content(root: Path, revision: str, file: str) -> str:
    """The text of a file at a commit; empty where there was none."""
    return _git(root, "show", f"{revision}:{_prefix(root)}{file}", check=False)


@contextmanager
def worktree(root: Path, revision: str) -> Iterator[Path]:
    """The root folder as it was at a commit, in a worktree that is gone afterwards. No hook is run."""
    with TemporaryDirectory(prefix="scenebook-review-") as folder:
        place = Path(folder).resolve() / "tree"
        quiet = ("-c", f"core.hooksPath={os.devnull}", "worktree", "add", "--quiet", "--detach")
        _git(root, *quiet, str(place), revision)
        try:
            yield place / _prefix(root)
        finally:
            _git(root, "worktree", "remove", "--force", str(place))


def _prefix(root: Path) -> str:
    return _git(root, "rev-parse", "--show-prefix")


def _git(root: Path, *arguments: str, check: bool = True) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in _STATE}
    command = ["git", "-C", str(root), *arguments]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", check=False)
    except FileNotFoundError:
        raise Problems([Problem("git", 0, "", "is not installed; a review of revisions needs it")]) from None
    if check and done.returncode:
        raise Problems([Problem("git", 0, "", f"{arguments[0]} failed: {done.stderr.strip()}")])
    return done.stdout.strip() if done.returncode == 0 else ""
