"""Post the report of a review as a comment on its pull request, or update the existing comment.

This script may comment, but the report was made by code from the pull request. So the report is untrusted: no link,
mention, reference or tag in it works. The pull request and the address of the full report come from the event, never
from the report. Only the standard library is needed, so nothing has to be installed.
"""

import json
import os
import re
import sys
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

LIMIT = 65_536
MARKER = "<!-- scenebook-review -->"
BOT = "github-actions[bot]"
PAGE = 100

Call = Callable[[str, str, Any], Any]
"""A function that sends a request (method, path, and data or None) and returns the data of the response."""

_ACTIVE = re.compile(
    r"(?<=[<@])|(?<=\])(?=[(\[:])|(?<=:)(?=//)|(?<=www)(?=\.)|(?<=#)(?=\w)|(?<=GH)(?=-)", re.IGNORECASE
)
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
BREAK = "\N{ZERO WIDTH SPACE}"


def main(report: Path, environment: dict[str, str]) -> None:
    """Post the report for the event that the environment variables of GitHub Actions describe."""
    event = json.loads(Path(environment["GITHUB_EVENT_PATH"]).read_bytes())
    with report.open("rb") as file:
        text = file.read(2 * LIMIT).decode(errors="replace")
    print(post(event, text, client(environment["GITHUB_API_URL"], environment["GITHUB_TOKEN"])))


def post(event: dict[str, Any], report: str, call: Call) -> str:
    """Create or update the comment; return what was done."""
    run, repository = event["workflow_run"], event["repository"]["full_name"]
    number = pull_request(run, repository, call)
    if number is None:
        return "no open pull request has this commit as its head"
    content = {"body": body(report, run["html_url"], run["head_sha"])}
    for comment in comments(repository, number, call):
        if comment["user"]["login"] == BOT and MARKER in comment["body"]:
            call("PATCH", f"/repos/{repository}/issues/comments/{comment['id']}", content)
            return f"updated the comment of #{number}"
    call("POST", f"/repos/{repository}/issues/{number}/comments", content)
    return f"commented on #{number}"


def pull_request(run: dict[str, Any], repository: str, call: Call) -> int | None:
    """Return the number of the open pull request of a run, if any.

    It has to be searched for, because the event does not name it if it comes from a fork.
    """
    head = f"{run['head_repository']['owner']['login']}:{run['head_branch']}"
    query = urllib.parse.urlencode({"state": "open", "head": head, "per_page": PAGE})
    for found in call("GET", f"/repos/{repository}/pulls?{query}", None):
        if found["head"]["sha"] == run["head_sha"]:
            return int(found["number"])
    return None


def comments(repository: str, number: int, call: Call) -> Iterator[dict[str, Any]]:
    """Yield all comments of a pull request, oldest first."""
    for page in count(1):
        found = call("GET", f"/repos/{repository}/issues/{number}/comments?per_page={PAGE}&page={page}", None)
        yield from found
        if len(found) < PAGE:
            return


def body(report: str, link: str, commit: str) -> str:
    """Return the comment: the report as harmless text, the link to the full report, and the marker."""
    full = f"[the full report](<{link}>)"
    end = f"\n\nReview of {commit[:7]} · {full}\n\n{MARKER}\n"
    text = full.join(harmless(part) for part in report.replace(MARKER, "").split(full))
    return cut(text.strip(), LIMIT - len(end.encode())) + end


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


def client(address: str, token: str) -> Call:
    """Return a function that sends requests to GitHub's API."""

    def call(method: str, path: str, data: Any) -> Any:
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
        content = None if data is None else json.dumps(data).encode()
        request = urllib.request.Request(address + path, content, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)

    return call


if __name__ == "__main__":
    main(Path(sys.argv[1]), dict(os.environ))
