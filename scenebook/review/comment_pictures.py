"""Publish the pictures of a review, so that the comment on its pull request can show them.

    python -m scenebook.review.comment_pictures review/pictures

They go to a branch of their own, one folder for each pull request. The branch has a single commit without a parent,
which every run replaces. So pictures that are no longer needed do not stay in the repository's history.

The pictures were drawn by code from the pull request, and this job may write to the repository. So it runs none of that
code, takes no file whose name it does not expect, and writes each picture anew (see `_png`).
"""

import base64
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

from scenebook.review import _github as github
from scenebook.review import _png as png
from scenebook.review._github import Call, PullRequest

BRANCH = "scenebook-review-pictures"
SIDES = ("before", "after", "difference")
MAX_PICTURES = 18
MAX_PULL_REQUESTS = 20
"""How many pull requests keep their pictures: the newest."""

NAME = re.compile(rf"([0-9]{{1,2}})/([a-z0-9-]+)/([a-z][a-z0-9_]*)/({'|'.join(SIDES)})\.png")
"""Matches the path of a picture: its rank, the page, the scene and the side."""
_README = "The pictures in the comments on pull requests. The review workflow writes this branch. It may be deleted.\n"
_NOT_FOUND = 404


def main(folder: Path, environment: Mapping[str, str]) -> None:
    """Publish the pictures in a folder, for the event that the environment variables of GitHub Actions describe."""
    call = github.client(environment)
    pull = github.pull_request(github.event(environment), call)
    if pull is None:
        print("no open pull request has this commit as its head")
        return
    pictures = dict(safe_pictures(folder))
    publish(pull, pictures, call)
    print(f"published {len(pictures)} pictures of #{pull.number}")


def safe_pictures(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the path and content of each picture that may be shown, the most important first; follow no links."""
    for path in sorted(_names(folder), key=_rank)[:MAX_PICTURES]:
        with (folder / path).open("rb") as file:
            data = file.read(png.MAX_BYTES + 1)
        try:
            yield path, png.rewritten(data)
        except ValueError as error:
            print(f"{path} is left out: {error}")


def _names(folder: Path) -> Iterator[str]:
    for parent, _, files in os.walk(folder):
        for file in files:
            path = Path(parent, file)
            name = path.relative_to(folder).as_posix()
            if NAME.fullmatch(name) and not path.is_symlink():
                yield name


def _rank(name: str) -> tuple[int, str]:
    return int(name.partition("/")[0]), name


def publish(pull: PullRequest, pictures: Mapping[str, bytes], call: Call) -> None:
    """Replace the pictures of a pull request on the branch, and drop those of old pull requests."""
    data = f"/repos/{pull.repository}/git"
    found = tree(pull.repository, call)
    entries = [_entry("README.md", content=_README), *kept(found, pull.number)]
    for path, picture in pictures.items():
        blob = {"content": base64.b64encode(picture).decode(), "encoding": "base64"}
        sha = call("POST", f"{data}/blobs", blob)["sha"]
        entries.append(_entry(f"{folder(pull)}/{path}", sha=sha))
    files = call("POST", f"{data}/trees", {"tree": entries})["sha"]
    commit = call("POST", f"{data}/commits", {"message": "Pictures of reviews", "tree": files, "parents": []})["sha"]
    if found:
        call("PATCH", f"{data}/refs/heads/{BRANCH}", {"sha": commit, "force": True})
    else:
        call("POST", f"{data}/refs", {"ref": f"refs/heads/{BRANCH}", "sha": commit})


def folder(pull: PullRequest) -> str:
    """Return the folder on the branch that has the pictures of a pull request."""
    return f"{pull.number}/{pull.commit}"


def published(pull: PullRequest, call: Call) -> list[str]:
    """Return the paths of a pull request's pictures, below its folder, the most important first."""
    start = f"{folder(pull)}/"
    found = (entry["path"].removeprefix(start) for entry in tree(pull.repository, call) if entry["type"] == "blob")
    return sorted(filter(NAME.fullmatch, found), key=_rank)


def tree(repository: str, call: Call) -> list[dict[str, Any]]:
    """Return the entries of the branch; none if there is no such branch."""
    try:
        found: list[dict[str, Any]] = call("GET", f"/repos/{repository}/git/trees/{BRANCH}?recursive=1", None)["tree"]
    except HTTPError as error:
        if error.code != _NOT_FOUND:
            raise
        return []
    return found


def kept(found: list[dict[str, Any]], number: int) -> Iterator[dict[str, str]]:
    """Yield the entries that stay when a pull request gets new pictures."""
    owners = {entry["path"]: re.match(r"(\d+)/", entry["path"]) for entry in found if entry["type"] == "blob"}
    numbers = {path: int(owner[1]) for path, owner in owners.items() if owner}
    newest = sorted({*numbers.values()} - {number}, reverse=True)[: MAX_PULL_REQUESTS - 1]
    for entry in found:
        if numbers.get(entry["path"]) in newest:
            yield _entry(entry["path"], sha=entry["sha"])


def _entry(path: str, **content: str) -> dict[str, str]:
    return {"path": path, "mode": "100644", "type": "blob", **content}


if __name__ == "__main__":
    main(Path(sys.argv[1]), os.environ)
