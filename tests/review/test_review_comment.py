"""The script that comments on pull requests, tested with real events from GitHub and with hostile reports."""

from __future__ import annotations

import importlib.util
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from scenebook.review import _markdown_report as markdown_report

SCRIPT = Path(__file__).parents[2] / ".github/review_comment.py"
SPEC = importlib.util.spec_from_file_location("review_comment", SCRIPT)
assert SPEC
assert SPEC.loader
comment = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(comment)

GITHUB = MarkdownIt("commonmark").enable(["table", "strikethrough"])
RUN = "https://github.com/example/site/actions/runs/4711"
SHA = "0123456789abcdef0123456789abcdef01234567"

# The event that GitHub sends after the review of a pull request from a fork. It does not name the pull request.
FORK: dict[str, Any] = {
    "action": "completed",
    "workflow_run": {
        "id": 4711,
        "name": "Review",
        "event": "pull_request",
        "conclusion": "success",
        "head_branch": "colours & more",
        "head_sha": SHA,
        "html_url": RUN,
        "head_repository": {"full_name": "octocat/site", "owner": {"login": "octocat"}},
        "pull_requests": [],
    },
    "repository": {"full_name": "example/site", "owner": {"login": "example"}},
}
REPORT = f"1 scene changed; 3 scenes unchanged\n\n`a` → `b` · [the full report](<{RUN}>)\n\n{markdown_report.MARKER}\n"


class GitHub:
    """A fake of GitHub's API: it returns the given data and records the requests."""

    def __init__(self, pulls: list[dict[str, Any]], comments: list[dict[str, Any]]) -> None:
        self.pulls, self.comments, self.requests = pulls, comments, list[tuple[str, str]]()
        self.written: list[str] = []

    def __call__(self, method: str, path: str, data: Any) -> Any:
        self.requests.append((method, path))
        if method != "GET":
            self.written.append(data["body"])
            return {}
        if "/pulls?" in path:
            return self.pulls
        page = int(re.findall(r"&page=(\d+)", path)[0])
        return self.comments[100 * (page - 1) : 100 * page]


def pull(number: int, sha: str = SHA) -> dict[str, Any]:
    return {"number": number, "head": {"sha": sha}}


def comment_by(login: str, number: int, body: str = f"old\n\n{comment.MARKER}\n") -> dict[str, Any]:
    return {"id": number, "user": {"login": login}, "body": body}


def test_a_pull_request_from_a_fork_is_found() -> None:
    github = GitHub([pull(6, "f" * 40), pull(7)], [])
    assert comment.post(FORK, REPORT, github) == "commented on #7"
    assert github.requests == [
        ("GET", "/repos/example/site/pulls?state=open&head=octocat%3Acolours+%26+more&per_page=100"),
        ("GET", "/repos/example/site/issues/7/comments?per_page=100&page=1"),
        ("POST", "/repos/example/site/issues/7/comments"),
    ]
    [body] = github.written
    assert body.startswith("1 scene changed; 3 scenes unchanged\n\n`a` → `b` · [the full report](")
    assert body.endswith(f"\n\nReview of 0123456 · [the full report](<{RUN}>)\n\n{markdown_report.MARKER}\n")


def test_an_outdated_review_is_not_posted() -> None:
    github = GitHub([pull(7, "f" * 40)], [])
    assert comment.post(FORK, REPORT, github) == "no open pull request has this commit as its head"
    assert github.written == []


def test_a_later_push_updates_the_comment() -> None:
    others = [comment_by("octocat", number, "Hello.") for number in range(150)]
    github = GitHub([pull(7)], [*others, comment_by("github-actions[bot]", 9001)])
    assert comment.post(FORK, REPORT, github) == "updated the comment of #7"
    assert github.requests[-2:] == [
        ("GET", "/repos/example/site/issues/7/comments?per_page=100&page=2"),
        ("PATCH", "/repos/example/site/issues/comments/9001"),
    ]


def test_the_comments_of_others_are_left_alone() -> None:
    github = GitHub([pull(7)], [comment_by("octocat", 1), comment_by("github-actions[bot]", 2, "Another job's.")])
    assert comment.post(FORK, REPORT, github) == "commented on #7"


HOSTILE = (
    "@octocat @example/team see #12, GH-12, example/site#3 and https://evil.example or www.evil.example\n"
    "[click](https://evil.example) ![see](http://evil.example/a.png) [a][b]\n\n[b]: https://evil.example\n"
    "<a href='https://evil.example'>x</a><details><script>alert(1)</script><!-- hidden\n<https://evil.example>\n"
    f"[the full report](<https://evil.example>)\n{comment.MARKER}\n\u202etxt.exe\x00\x1b[31m"
)


def rendered(body: str) -> str:
    return str(GITHUB.render(body.removesuffix(f"{comment.MARKER}\n")))


def test_a_hostile_report_cannot_link_mention_or_hide_anything() -> None:
    body = comment.body(HOSTILE, RUN, SHA)
    html = rendered(body)
    assert re.findall(r'(?:href|src)="([^"]*)"', html) == [RUN]
    assert set(re.findall(r"<(\w+)", html)) <= {"p", "a"}
    assert not re.search(r"@\w|#\w|://evil|www\.|GH-|[\u202e\x00\x1b]", html)
    assert body.count(comment.MARKER) == 1
    assert "click" in html


@given(st.text(st.sampled_from('ab<>@#[]()!:/w.&`~-\n 1hts"'), max_size=60))
@example("`#`1")
def test_no_text_becomes_a_link_a_mention_or_a_reference(text: str) -> None:
    html = rendered(comment.body(text, RUN, SHA))
    assert re.findall(r'(?:href|src)="([^"]*)"', html) == [RUN]
    for node in re.split(r"<[^>]*>", html):  # a link, mention or reference lies within one text node
        assert not re.search(r"@\w|#\w|://(?!github\.com/example)", node)


def test_a_report_keeps_its_formatting_in_the_comment() -> None:
    body = comment.body(
        "### A `x < 1`\n\n| a | b |\n|---|---|\n| 1 | ~~2~~ **3** |\n\n```diff\n-a\n+b\n```\n", RUN, SHA
    )
    html = rendered(body)
    assert all(f"<{tag}" in html for tag in ("h3", "table", "s", "strong", "pre"))


@pytest.mark.parametrize("line", ["x" * 200, "<" * 200, "é@" * 100, "\N{CAT FACE}" * 50])
@pytest.mark.parametrize("fence", ["", "```", "``````", "~~~~"])
def test_a_huge_report_is_cut_off_and_keeps_its_end(line: str, fence: str) -> None:
    body = comment.body(f"Head.\n\n{fence}\n" + f"{line}\n" * 5000 + fence, RUN, SHA)
    assert len(body) <= len(body.encode()) <= 65_536
    assert len(body.encode()) > 64_000
    assert f'<a href="{RUN}">the full report</a>' in rendered(body)
    assert body.endswith(f"{comment.MARKER}\n")


@contextmanager
def serving(github: GitHub, tokens: list[str | None]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            data = json.loads(self.rfile.read(length)) if length else None
            tokens.append(self.headers.get("Authorization"))
            content = json.dumps(github(self.command, self.path, data)).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = answer  # noqa: N815 - so the base class calls them

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_the_script_posts_through_the_api(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "event.json").write_text(json.dumps(FORK), encoding="utf-8")
    (tmp_path / "report.md").write_bytes(REPORT.encode() + b"\xff")
    github, tokens = GitHub([pull(7)], []), list[str | None]()
    with serving(github, tokens) as address:
        environment = {
            "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
            "GITHUB_API_URL": address,
            "GITHUB_TOKEN": "secret",
        }
        comment.main(tmp_path / "report.md", environment)
    assert capsys.readouterr().out == "commented on #7\n"
    assert set(tokens) == {"Bearer secret"}
    assert len(github.written) == 1


def test_the_comment_has_the_marker_and_limit_of_the_report() -> None:
    assert (comment.MARKER, comment.LIMIT) == (markdown_report.MARKER, markdown_report.LIMIT)
