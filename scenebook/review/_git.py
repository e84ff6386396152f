"""Read the revisions of a site from git, without touching the user's working tree, index or branches."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from scenebook.core.problems import Problem, Problems

_GIT_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX")
"""Variables that git sets for the programs it starts. With them, our git commands would use the wrong index."""
_NO_SITE = "is not the folder of a built site (it has no facts.json)"


def commit(root: Path, revision: str) -> str:
    """Return the hash of the commit that a revision names; raises `Problems` if there is none."""
    found = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}", check=False)
    if not found:
        raise Problems(
            [
                Problem(
                    revision, 0, "", _unknown_revision(_git(root, "rev-parse", "--is-shallow-repository", check=False))
                )
            ]
        )
    return found


def _unknown_revision(shallow: str) -> str:
    """Return the message for an unknown revision.

    `shallow` is git's answer to "is this clone shallow?": "true", "false", or "" outside a repository.
    """
    if not shallow:
        return f"{_NO_SITE}, and the site's folder is not in a git repository"
    if shallow == "true":
        return (
            "is not in this clone, which is shallow and lacks older commits. Run `git fetch --unshallow`; "
            "in GitHub Actions, set `fetch-depth: 0` for actions/checkout"
        )
    return f"{_NO_SITE}, and git does not know this revision; if it is new on the server, run `git fetch` first"


def name(root: Path, revision: str) -> str:
    """Return a revision's name for people, with its tag or short hash."""
    described = _git(root, "describe", "--always", "--tags", commit(root, revision))
    return described if revision.startswith(described) else f"{revision} ({described})"


def tree(root: Path, revision: str) -> str:
    """Return the hash of the root folder's content at a commit."""
    return _git(root, "rev-parse", f"{revision}:{_prefix(root)}")


def content(root: Path, revision: str, file: str) -> str:
    """Return the text of a file at a commit; empty if there was no such file."""
    return _git(root, "show", f"{revision}:{_prefix(root)}{file}", check=False)


@contextmanager
def worktree(root: Path, revision: str) -> Iterator[Path]:
    """Check out a commit in a temporary worktree, without running hooks, and yield its root folder."""
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
    environment = {name: value for name, value in os.environ.items() if name not in _GIT_VARIABLES}
    command = ["git", "-C", str(root), *arguments]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", check=False)
    except FileNotFoundError:
        raise Problems([Problem("git", 0, "", "is not installed; a review of revisions needs it")]) from None
    if check and done.returncode:
        raise Problems([Problem("git", 0, "", f"{arguments[0]} failed: {done.stderr.strip()}")])
    return done.stdout.strip() if done.returncode == 0 else ""
