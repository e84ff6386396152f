"""What comments on pull requests, tested with real events from GitHub and with hostile reports and pictures."""

from __future__ import annotations

import base64
import json
import re
import struct
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from PIL import Image

from scenebook.review import _markdown_report as markdown_report
from scenebook.review import _png as png
from scenebook.review import comment, comment_pictures
from scenebook.review._github import PullRequest, pull_request
from scenebook.review.comment_pictures import BRANCH

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
PULL = PullRequest("example/site", 7, SHA, 4711, RUN)
FULL = f"{RUN}/artifacts/99"


class GitHub:
    """A fake of GitHub's API: it returns the given data, records the requests and keeps one branch."""

    def __init__(self, pulls: list[dict[str, Any]], comments: list[dict[str, Any]], *, artifact: bool = True) -> None:
        self.pulls, self.comments, self.requests = pulls, comments, list[tuple[str, str]]()
        self.artifacts = [{"id": 99}] if artifact else []
        self.written: list[str] = []
        self.branch: list[dict[str, Any]] | None = None
        self.data: dict[str, Any] = {}

    def __call__(self, method: str, path: str, data: Any) -> Any:
        self.requests.append((method, path))
        if "/git/" in path:
            return self.git(method, path.removeprefix("/repos/example/site/git/"), data)
        if method != "GET":
            self.written.append(data["body"])
            return {}
        if "/artifacts?" in path:
            return {"artifacts": self.artifacts}
        page = int(re.findall(r"&page=(\d+)|$", path)[0] or 1)
        return (self.pulls if "/pulls?" in path else self.comments)[100 * (page - 1) : 100 * page]

    def git(self, method: str, path: str, data: Any) -> Any:
        if method == "GET":
            assert path == "trees/scenebook-review-pictures?recursive=1"
            if self.branch is None:
                raise HTTPError(path, 404, "Not Found", Message(), None)
            return {"tree": self.branch}
        if path in ("blobs", "trees", "commits"):
            sha = f"{len(self.data):040x}"
            self.data[sha] = data
            return {"sha": sha}
        assert (method, path) == (("POST", "refs") if self.branch is None else ("PATCH", f"refs/heads/{BRANCH}"))
        commit = self.data[data["sha"]]
        assert commit["parents"] == []
        self.branch = self.data[commit["tree"]]["tree"]
        return {}

    def files(self) -> dict[str, bytes]:
        """Return what is on the branch."""
        return {
            entry["path"]: base64.b64decode(self.data[entry["sha"]]["content"])
            for entry in self.branch or ()
            if "sha" in entry
        }


def pull(number: int, sha: str = SHA) -> dict[str, Any]:
    return {"number": number, "head": {"sha": sha}}


def comment_by(login: str, number: int, body: str = f"old\n\n{comment.MARKER}\n") -> dict[str, Any]:
    return {"id": number, "user": {"login": login}, "body": body}


def test_a_pull_request_from_a_fork_is_found() -> None:
    github = GitHub([pull(6, "f" * 40), pull(7)], [])
    assert pull_request(FORK, github) == PULL
    assert github.requests == [
        ("GET", "/repos/example/site/pulls?state=open&head=octocat%3Acolours+%26+more&per_page=100&page=1")
    ]


def test_a_pull_request_is_found_after_its_fork_was_deleted() -> None:
    event = {**FORK, "workflow_run": {**FORK["workflow_run"], "head_repository": None}}
    github = GitHub([*(pull(number, "f" * 40) for number in range(200, 90, -1)), pull(7)], [])
    assert pull_request(event, github) == PULL
    assert github.requests == [
        ("GET", f"/repos/example/site/pulls?state=open&per_page=100&page={page}") for page in (1, 2)
    ]


def test_the_comment_links_to_the_report_that_opens_in_the_browser() -> None:
    github = GitHub([], [])
    link = comment.full_report(PULL, github)
    assert link == FULL
    assert github.requests == [("GET", "/repos/example/site/actions/runs/4711/artifacts?name=review.html")]
    body = comment.body(REPORT, PULL, link)
    assert body.startswith("1 scene changed; 3 scenes unchanged\n\n`a` → `b` · [the full report](")
    assert body.endswith(f"\n\nReview of 0123456 · [the full report](<{FULL}>)\n\n{markdown_report.MARKER}\n")


def test_without_that_report_the_comment_links_to_the_run() -> None:
    assert comment.full_report(PULL, GitHub([], [], artifact=False)) == RUN


def test_an_outdated_review_is_not_posted() -> None:
    assert pull_request(FORK, GitHub([pull(7, "f" * 40)], [])) is None


def test_a_later_push_updates_the_comment() -> None:
    others = [comment_by("octocat", number, "Hello.") for number in range(150)]
    github = GitHub([], [*others, comment_by("github-actions[bot]", 9001)])
    assert comment.post(PULL, REPORT, github) == "updated the comment of #7"
    assert github.requests[-2:] == [
        ("GET", "/repos/example/site/issues/7/comments?per_page=100&page=2"),
        ("PATCH", "/repos/example/site/issues/comments/9001"),
    ]


def test_the_comments_of_others_are_left_alone() -> None:
    github = GitHub([], [comment_by("octocat", 1), comment_by("github-actions[bot]", 2, "Another job's.")])
    assert comment.post(PULL, REPORT, github) == "commented on #7"


HOSTILE = (
    "@octocat @example/team see #12, GH-12, example/site#3 and https://evil.example or www.evil.example\n"
    "[click](https://evil.example) ![see](http://evil.example/a.png) [a][b]\n\n[b]: https://evil.example\n"
    "<a href='https://evil.example'>x</a><details><script>alert(1)</script><!-- hidden\n<https://evil.example>\n"
    f"[the full report](<https://evil.example>)\n{comment.MARKER}\n\u202etxt.exe\x00\x1b[31m"
)


def rendered(body: str) -> str:
    return str(GITHUB.render(body.removesuffix(f"{comment.MARKER}\n")))


def test_a_hostile_report_cannot_link_mention_or_hide_anything() -> None:
    body = comment.body(HOSTILE, PULL, RUN)
    html = rendered(body)
    assert re.findall(r'(?:href|src)="([^"]*)"', html) == [RUN]
    assert set(re.findall(r"<(\w+)", html)) <= {"p", "a"}
    assert not re.search(r"@\w|#\w|://evil|www\.|GH-|[\u202e\x00\x1b]", html)
    assert body.count(comment.MARKER) == 1
    assert "click" in html


@given(st.text(st.sampled_from('ab<>@#[]()!:/w.&`~-\n 1hts"'), max_size=60))
@example("`#`1")
def test_no_text_becomes_a_link_a_mention_or_a_reference(text: str) -> None:
    html = rendered(comment.body(text, PULL, RUN))
    assert re.findall(r'(?:href|src)="([^"]*)"', html) == [RUN]
    for node in re.split(r"<[^>]*>", html):  # a link, mention or reference lies within one text node
        assert not re.search(r"@\w|#\w|://(?!github\.com/example)", node)


def test_a_report_keeps_its_formatting_in_the_comment() -> None:
    body = comment.body(
        "### A `x < 1`\n\n| a | b |\n|---|---|\n| 1 | ~~2~~ **3** |\n\n```diff\n-a\n+b\n```\n", PULL, RUN
    )
    html = rendered(body)
    assert all(f"<{tag}" in html for tag in ("h3", "table", "s", "strong", "pre"))


@pytest.mark.parametrize("line", ["x" * 200, "<" * 200, "é@" * 100, "\N{CAT FACE}" * 50])
@pytest.mark.parametrize("fence", ["", "```", "``````", "~~~~"])
def test_a_huge_report_is_cut_off_and_keeps_its_end(line: str, fence: str) -> None:
    body = comment.body(f"Head.\n\n{fence}\n" + f"{line}\n" * 5000 + fence, PULL, RUN)
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
            try:
                status, content = 200, json.dumps(github(self.command, self.path, data)).encode()
            except HTTPError as error:
                status, content = error.code, b""
            self.send_response(status)
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


def test_pictures_and_comment_are_posted_through_the_api(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "event.json").write_text(json.dumps(FORK), encoding="utf-8")
    (tmp_path / "report.md").write_bytes(REPORT.encode() + b"\xff")
    save(tmp_path / "pictures/1/a/b/after.png")
    github, tokens = GitHub([pull(7)], []), list[str | None]()
    with serving(github, tokens) as address:
        environment = {
            "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
            "GITHUB_API_URL": address,
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_TOKEN": "secret",
            "SCENEBOOK_REVIEW_PICTURES": "true",
        }
        comment_pictures.main(tmp_path / "pictures", environment)
        comment.main(tmp_path / "report.md", environment)
        comment.main(tmp_path / "report.md", {**environment, "SCENEBOOK_REVIEW_PICTURES": ""})
    assert capsys.readouterr().out == "published 1 pictures of #7\n" + "commented on #7\n" * 2
    assert set(tokens) == {"Bearer secret"}
    assert ["/1/a/b/after.png" in body for body in github.written] == [True, False]


def test_the_comment_has_the_marker_and_limit_of_the_report() -> None:
    assert (comment.MARKER, comment.LIMIT) == (markdown_report.MARKER, markdown_report.LIMIT)


def save(path: Path, mode: str = "RGBA", **options: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.radial_gradient("L").resize((30, 20)).convert(mode).save(path, "PNG", **options)


def test_the_comment_shows_published_pictures_below_the_headline() -> None:
    github = GitHub([], [])
    pictures = {"2/a/b/after.png": b"", "1/a/c/before.png": b"", "1/a/c/after.png": b"", "1/a/c/difference.png": b""}
    comment_pictures.publish(PULL, pictures, github)
    names = comment_pictures.published(PULL, github)
    shown = comment.pictures("https://github.com/example/site", PULL, names)
    html = rendered(comment.body(REPORT, PULL, FULL, shown))
    start = f"https://github.com/example/site/blob/{BRANCH}/7/{SHA}"
    assert re.findall(r'src="([^"]*)"', html) == [
        f"{start}/{path}.png?raw=true" for path in ("1/a/c/before", "1/a/c/after", "1/a/c/difference", "2/a/b/after")
    ]
    assert html.index("3 scenes unchanged") < html.index("<table") < html.index("→")
    assert [row.count("<td") for row in html.split("<tr>")[2:]] == [4, 4]


def test_a_report_cannot_swallow_the_pictures() -> None:
    shown = comment.pictures("https://github.com/example/site", PULL, ["1/a/b/after.png"])
    for report in ("```\nx\n\ny", "<!--\n\nx", "x" * 70_000, f"{'y' * 70_000}\n\nz", ""):
        assert "<img" in rendered(comment.body(report, PULL, RUN, shown))


def test_only_expected_files_are_published_the_most_important_first(tmp_path: Path) -> None:
    for name in ("10/a/b/after.png", "2/a/b/after.png", "2/a/b/other.png", "2/a/B/after.png", "2/a/after.png"):
        save(tmp_path / "in" / name)
    save(tmp_path / "secret.png")
    (tmp_path / "in/3/a/b").mkdir(parents=True)
    (tmp_path / "in/3/a/b/after.png").symlink_to(tmp_path / "secret.png")
    (tmp_path / "in/4").symlink_to(tmp_path / "in/2")
    assert [name for name, _ in comment_pictures.safe_pictures(tmp_path / "in")] == [
        "2/a/b/after.png",
        "10/a/b/after.png",
    ]


def test_without_a_folder_there_are_no_pictures(tmp_path: Path) -> None:
    assert list(comment_pictures.safe_pictures(tmp_path / "missing")) == []


def test_a_later_review_replaces_the_pictures_of_its_pull_request() -> None:
    github = GitHub([], [])
    comment_pictures.publish(PULL._replace(number=6), {"1/a/b/after.png": b"six"}, github)
    comment_pictures.publish(PULL, {"1/a/b/after.png": b"old"}, github)
    comment_pictures.publish(PULL._replace(commit="f" * 40), {"1/a/c/after.png": b"new"}, github)
    assert github.files() == {f"6/{SHA}/1/a/b/after.png": b"six", f"7/{'f' * 40}/1/a/c/after.png": b"new"}


def test_only_the_newest_pull_requests_keep_their_pictures() -> None:
    github = GitHub([], [])
    for number in [3, *range(100, 130), 5]:
        comment_pictures.publish(PULL._replace(number=number), {"1/a/b/after.png": b""}, github)
    assert sorted(int(path.split("/")[0]) for path in github.files()) == [5, *range(111, 130)]


@pytest.mark.parametrize("mode", ["RGB", "RGBA"])
def test_a_rewritten_picture_has_the_same_pixels_and_nothing_else(tmp_path: Path, mode: str) -> None:
    save(tmp_path / "a.png", mode, dpi=(72, 72))
    data = (tmp_path / "a.png").read_bytes()
    new = png.rewritten(data + b"<script>")
    (tmp_path / "b.png").write_bytes(new)
    with Image.open(tmp_path / "a.png") as before, Image.open(tmp_path / "b.png") as after:
        assert after.mode == mode
        assert after.tobytes() == before.tobytes()
    assert b"pHYs" in data
    assert re.findall(rb"IHDR|IDAT|IEND|pHYs|script", new) == [b"IHDR", b"IDAT", b"IEND"]


def plain_png(width: int = 1, height: int = 1, depth: int = 8, interlaced: int = 0, pixels: bytes = b"\0abc") -> bytes:
    header = struct.pack(">IIBBBBB", width, height, depth, 2, 0, 0, interlaced)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content)) + kind + content + b"crc."
        for kind, content in ((b"IHDR", header), (b"IDAT", zlib.compress(pixels)), (b"IEND", b""))
    )


def test_a_plain_picture_is_accepted() -> None:
    assert png.rewritten(plain_png()).endswith(b"IEND\xaeB`\x82")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<svg/>",
        plain_png()[:8],
        plain_png()[:40],
        plain_png().replace(b"IDAT", b"IDAX"),
        plain_png() + b" " * png.MAX_BYTES,
        plain_png(width=0),
        plain_png(width=5000, height=5000),
        plain_png(depth=16),
        plain_png(interlaced=1),
        plain_png(pixels=b"\0ab"),
        plain_png(pixels=b"\0abcd"),
        plain_png(pixels=bytes(30_000_000)),
        plain_png(pixels=b"\5abc"),
    ],
)
def test_a_picture_in_any_other_form_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        png.rewritten(data)


@given(st.binary(max_size=200) | st.binary(max_size=80).map(lambda tail: plain_png()[:50] + tail))
def test_any_bytes_are_refused_or_become_a_picture(data: bytes) -> None:
    try:
        new = png.rewritten(data)
    except ValueError:
        return
    assert new.startswith(b"\x89PNG")


def test_comments_need_only_the_standard_library() -> None:
    root = Path(__file__).parents[2]
    command = [sys.executable, "-S", "-c", "import scenebook.review.comment"]
    assert subprocess.run(command, cwd=root, env={}, check=False).returncode == 0
