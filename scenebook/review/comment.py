"""Post the report of a review as a comment on its pull request, or update the existing comment.

    python -m scenebook.review.comment review/report.md

This script may comment, but the report was made by code from the pull request. So the report is untrusted: no link,
mention, reference or tag in it works. The pull request and the address of the full report come from the event and from
GitHub, never from the report. Only the standard library is needed, so nothing has to be installed.
"""

import os
import re
import sys
import urllib.parse
from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path

from scenebook.review import _github as github
from scenebook.review import comment_pictures
from scenebook.review._github import Call, PullRequest

LIMIT = 65_536
MARKER = "<!-- scenebook-review -->"
BOT = "github-actions[bot]"
REPORT = "review.html"
"""The name of the artifact that is the full report: one file, which opens in the browser."""

_ACTIVE = re.compile(
    r"(?<=[<@])|(?<=\])(?=[(\[:])|(?<=:)(?=//)|(?<=www)(?=\.)|(?<=#)(?=\w)|(?<=GH)(?=-)", re.IGNORECASE
)
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
BREAK = "\N{ZERO WIDTH SPACE}"


def main(report: Path, environment: Mapping[str, str]) -> None:
    """Post the report for the event that the environment variables of GitHub Actions describe."""
    with report.open("rb") as file:
        text = file.read(2 * LIMIT).decode(errors="replace")
    call = github.client(environment)
    pull = github.pull_request(github.event(environment), call)
    if pull is None:
        print("no open pull request has this commit as its head")
        return
    with_pictures = environment.get("SCENEBOOK_REVIEW_PICTURES") == "true"
    names = comment_pictures.published(pull, call) if with_pictures else []
    shown = pictures(f"{environment['GITHUB_SERVER_URL']}/{pull.repository}", pull, names)
    print(post(pull, body(text, pull, full_report(pull, call), shown), call))


def post(pull: PullRequest, body: str, call: Call) -> str:
    """Create or update the comment; return what was done."""
    issues = f"/repos/{pull.repository}/issues"
    for comment in github.entries(f"{issues}/{pull.number}/comments", call):
        if comment["user"]["login"] == BOT and MARKER in comment["body"]:
            call("PATCH", f"{issues}/comments/{comment['id']}", {"body": body})
            return f"updated the comment of #{pull.number}"
    call("POST", f"{issues}/{pull.number}/comments", {"body": body})
    return f"commented on #{pull.number}"


def full_report(pull: PullRequest, call: Call) -> str:
    """Return the address of the full report: the one file that opens in the browser, or else the run."""
    found = call("GET", f"/repos/{pull.repository}/actions/runs/{pull.run}/artifacts?name={REPORT}", None)["artifacts"]
    return f"{pull.run_address}/artifacts/{int(found[0]['id'])}" if found else pull.run_address


def body(report: str, pull: PullRequest, link: str, shown: str = "") -> str:
    """Return the comment: the report as harmless text, pictures, the link to the full report, the marker."""
    full = f"[the full report](<{link}>)"
    end = f"\n\nReview of {pull.commit[:7]} · {full}\n\n{MARKER}\n"
    parts = report.replace(MARKER, "").split(f"[the full report](<{pull.run_address}>)")
    text = full.join(harmless(part) for part in parts)
    headline, _, rest = text.strip().partition("\n\n")
    start = cut(headline, LIMIT // 8) + shown
    rest = cut(rest, LIMIT - len(f"{start}\n\n{end}".encode()))
    return f"{start}\n\n{rest}".rstrip() + end


def pictures(address: str, pull: PullRequest, names: Iterable[str]) -> str:
    """Return published pictures as a table with a row for each scene; empty if there are none."""
    rows = []
    for scene, paths in groupby(names, key=lambda name: name.rpartition("/")[0]):
        shown = {Path(path).stem: _picture(address, pull, path) for path in paths}
        cells = (shown.get(side, "") for side in comment_pictures.SIDES)
        rows.append(" | ".join((f"| `{scene.partition('/')[2]}`", *cells)) + " |")
    head = " | ".join(("|", *map(str.capitalize, comment_pictures.SIDES))) + " |"
    return "\n\n" + "\n".join([head, "|---" * 4 + "|", *rows]) if rows else ""


def _picture(address: str, pull: PullRequest, path: str) -> str:
    file = urllib.parse.quote(f"{comment_pictures.BRANCH}/{comment_pictures.folder(pull)}/{path}")
    return f'<img width="260" alt="{Path(path).stem}" src="{address}/blob/{file}?raw=true">'


def harmless(text: str) -> str:
    """Return a text that looks the same but has no working link, mention, reference or tag."""
    return _ACTIVE.sub(BREAK, _INVISIBLE.sub("", text.replace("\r\n", "\n")))


def cut(text: str, limit: int) -> str:
    """Return the first lines of a text, at most `limit` bytes; a code block that was cut is closed."""
    kept: list[str] = []
    fence = ""
    for line in text.split("\n"):
        limit -= len(line.encode()) + 1
        if limit < len(fence) + 1:
            break
        kept.append(line)
        if match := _FENCE.match(line):
            mark = match[1]
            if not fence:
                fence = mark
            elif mark.startswith(fence) and not line.strip().strip(mark[0]):
                fence = ""
    return "\n".join([*kept, *([fence] if fence else [])])


if __name__ == "__main__":
    main(Path(sys.argv[1]), os.environ)
