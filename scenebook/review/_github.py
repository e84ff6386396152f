"""Talk to GitHub's API from a workflow, with nothing but the standard library, so that nothing has to be installed."""

import json
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

PAGE = 100

Call = Callable[[str, str, Any], Any]
"""A function that sends a request (method, path, and data or None) and returns the data of the response."""


class PullRequest(NamedTuple):
    """An open pull request whose review is finished."""

    repository: str
    number: int
    commit: str
    """The commit that was reviewed."""
    run: int
    run_address: str


def client(environment: Mapping[str, str]) -> Call:
    """Return a function that sends requests to GitHub's API, with the rights of the job."""

    def call(method: str, path: str, data: Any) -> Any:
        headers = {
            "Authorization": f"Bearer {environment['GITHUB_TOKEN']}",
            "Accept": "application/vnd.github+json",
        }
        content = None if data is None else json.dumps(data).encode()
        request = urllib.request.Request(environment["GITHUB_API_URL"] + path, content, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)

    return call


def event(environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the event that started the workflow."""
    content: dict[str, Any] = json.loads(Path(environment["GITHUB_EVENT_PATH"]).read_bytes())
    return content


def pull_request(event: dict[str, Any], call: Call) -> PullRequest | None:
    """Return the open pull request that a finished review belongs to, if its head is still the reviewed commit.

    It has to be searched for, because the event does not name it if it comes from a fork. If the fork was deleted in
    the meantime, the event does not name the fork either.
    """
    run, repository = event["workflow_run"], event["repository"]["full_name"]
    query, fork = {"state": "open"}, run["head_repository"]
    if fork:
        query["head"] = f"{fork['owner']['login']}:{run['head_branch']}"
    for found in entries(f"/repos/{repository}/pulls?{urllib.parse.urlencode(query)}", call):
        if found["head"]["sha"] == run["head_sha"]:
            return PullRequest(repository, int(found["number"]), run["head_sha"], run["id"], run["html_url"])
    return None


def entries(path: str, call: Call) -> Iterator[dict[str, Any]]:
    """Yield all entries of a list that the API gives in pages."""
    for page in count(1):
        found = call("GET", f"{path}{'&' if '?' in path else '?'}per_page={PAGE}&page={page}", None)
        yield from found
        if len(found) < PAGE:
            return
