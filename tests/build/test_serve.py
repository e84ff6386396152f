"""The preview without a browser: whom it answers, what it serves, and what it does after a change."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from watchfiles import Change

from scenebook import cli
from scenebook.build import _preview_server as preview_server
from scenebook.build import _published_files as published_files
from scenebook.build import _watch as watch
from scenebook.build import serve
from scenebook.build.result import BuildResult
from scenebook.core.problems import Problem, Problems
from tests.support.changing_site import Site, tree, write
from tests.support.previewed import PATIENCE, Previewed, previewed

ENGINE = Path(__file__).parents[2]
PAGE = "scenes/first.yaml"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Previewed]:
    """A preview whose first build has succeeded. Each test leaves its sources as they were."""
    root = tmp_path_factory.mktemp("preview") / "site"
    write(root, Site().files())
    with previewed(root) as found:
        assert found.next_build().result
        yield found


def get(site: Previewed, path: str, **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
    port = site.preview.server.server_port
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        connection.putrequest("GET", path, skip_host=True)
        for name, value in {"Host": f"127.0.0.1:{port}", **headers}.items():
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        return response, response.read()


def test_a_page_is_served_under_the_path_of_the_sites_address(site: Previewed) -> None:
    response, body = get(site, "/tiny/first/")
    assert (response.status, response.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert b"It is" in body
    assert get(site, "/")[0].headers["Location"] == "/tiny/"
    assert get(site, "/tiny/first")[0].headers["Location"] == "/tiny/first/"
    missing, body = get(site, "/tiny/nowhere")
    assert missing.status == 404
    assert body == preview_server.with_script((site.root / "output/404.html").read_bytes())


def test_a_page_is_what_the_build_wrote_and_one_script(site: Previewed) -> None:
    _, body = get(site, "/tiny/first/")
    assert body.replace(preview_server.SCRIPT_TAG, b"") == (site.root / "output/first/index.html").read_bytes()
    assert get(site, preview_server.SCRIPT)[1] == preview_server.SCRIPT_FILE.read_bytes()


def test_every_answer_has_the_policy_and_is_never_kept(site: Previewed) -> None:
    for path in ("/", "/tiny/", "/tiny/nowhere", "/tiny/feed.xml", preview_server.SCRIPT):
        headers = get(site, path)[0].headers
        assert headers["Content-Security-Policy"] == preview_server.POLICY
        assert headers["Cache-Control"] == "no-store"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example:80", "localhost.evil.example", "", "127.0.0.2:80"]
)
def test_a_request_for_another_host_is_refused(site: Previewed, host: str) -> None:
    assert get(site, "/tiny/", Host=host)[0].status == 403
    assert get(site, preview_server.EVENTS, Host=host)[0].status == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1"])
def test_a_request_from_another_site_is_refused(site: Previewed, origin: str) -> None:
    assert get(site, "/tiny/", Origin=origin)[0].status == 403
    assert get(site, preview_server.EVENTS, Origin=origin)[0].status == 403


def test_the_preview_answers_itself(site: Previewed) -> None:
    for host in (f"127.0.0.1:{site.preview.server.server_port}", "localhost:80", "localhost"):
        assert get(site, "/tiny/", Host=host, Origin=f"http://{host}")[0].status == 200


SECRETS = (
    *("/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/%2e%2e%2fsecret.txt", "/a/../../secret.txt"),
    *("/..%5csecret.txt", "/%252e%252e/secret.txt", "//secret.txt", "/./index.html", "/a//../index.html"),
    *("/link.txt", "/linked/secret.txt", "/.hidden", "/_hidden", "/index.html%00.txt", "/INDEX.html", "/pipe"),
)


@pytest.mark.parametrize("path", SECRETS)
def test_only_files_in_the_folder_are_found(tmp_path: Path, path: str) -> None:
    folder = tmp_path / "output"
    (folder / "a").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("secret")
    for name in ("index.html", ".hidden", "_hidden", "a/index.html"):
        (folder / name).write_text("found")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "linked").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe")
    for base in ("/", "/repo/"):
        found = published_files.find(folder, base, base + path.removeprefix("/"))
        assert (found.status, found.file, found.location) == (404, None, "")
        assert published_files.find(folder, base, base).file == folder / "index.html"
        assert published_files.find(folder, base, f"{base}a/").file == folder / "a/index.html"


def events(site: Previewed) -> Iterator[dict[str, object]]:
    """Yield the events that a page gets."""
    port = site.preview.server.server_port
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        connection.request("GET", preview_server.EVENTS)
        for line in connection.getresponse():
            if line.startswith(b"data: "):
                yield json.loads(line.removeprefix(b"data: "))


def test_a_mistake_is_told_with_its_line_and_is_gone_when_it_is_fixed(site: Previewed) -> None:
    before = tree(site.root)
    told = (event["problems"] for event in events(site) if not event["building"])
    assert next(told) == []
    built = site.edit(PAGE, "Words, and", "Words {{ nothing }}, and")
    assert built.result is None
    problem = built.problems[0]
    shown = {"place": f"{PAGE}:{problem.line}", "where": problem.where, "message": problem.message, "warning": False}
    assert next(told) == [shown]
    assert tree(site.root) == before
    site.edit(PAGE, "Words {{ nothing }}, and", "Words, and")
    assert next(told) == []
    assert tree(site.root) == before


def test_an_edit_changes_the_page_and_runs_no_scene(site: Previewed) -> None:
    built = site.edit(PAGE, "Words, and", "Other words, and")
    assert built.result
    assert not built.result.jobs
    assert b"Other words, and" in get(site, "/tiny/first/")[1]
    site.edit(PAGE, "Other words, and", "Words, and")


def test_all_that_changes_during_a_build_is_in_the_next(site: Previewed) -> None:
    scene = (site.root / "scenes/scores.py").read_text(encoding="utf-8")
    for number in (2, 3, 4):
        site.write("scenes/scores.py", scene.replace("# 1", f"# {number}").replace("1.0]", f"{number}.0]"))
    while "4.0" not in get(site, "/tiny/first/")[1].decode():
        site.next_build()
    site.write("scenes/scores.py", scene)
    while "4.0]" in get(site, "/tiny/first/")[1].decode():
        site.next_build()


def test_new_workers_start_when_the_old_ones_are_killed(site: Previewed) -> None:
    start, killing = "def compute():", "def compute():\n    import os\n    os.kill(os.getppid(), 9)\n"
    built = site.edit("scenes/table.py", start, killing)
    assert "the process that starts all scenes was killed" in built.problems[0].message
    built = site.edit("scenes/table.py", killing, f"{start} # again")
    assert built.result
    assert "second/table" in {job.scene for job in built.result.jobs}


def test_a_full_disk_is_told_and_the_preview_goes_on(site: Previewed, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", str(site.root / "output/first/index.html"))

    with monkeypatch.context() as patch:
        patch.setattr("scenebook.page.output._put", full)
        built = site.edit(PAGE, "Words, and", "More words, and")
    assert [problem.message for problem in built.problems] == ["cannot be written: No space left on device"]
    assert site.edit(PAGE, "More words, and", "Words, and").problems == ()


def test_a_bug_is_told_and_the_preview_goes_on(site: Previewed, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("scenebook.page.output.write", lambda *_, **__: 1 / 0)
        built = site.edit(PAGE, "Words, and", "More words, and")
    assert [problem.message for problem in built.problems] == [serve.BUG]
    assert "ZeroDivisionError" in built.bug
    assert site.edit(PAGE, "More words, and", "Words, and").problems == ()


def test_a_change_of_the_engine_asks_for_a_restart(site: Previewed, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(serve, "_engine", lambda: ("changed",))
        assert [problem.message for problem in site.edit(PAGE, "Words", "Texts").problems] == [serve.RESTART]
    assert site.edit(PAGE, "Texts", "Words").result


INPUTS = ("storyboard.yaml", "scenes/a/b.py", "scenes/output/x", "data/x.csv", "templates/a.html")
OTHERS = (
    *("output/index.html", ".scenebook/cache/x", "facts.lock", "facts.lock.scenebook-part", "review/index.html"),
    *(".git/HEAD", "scenes/__pycache__/a.pyc", "scenes/.a.py.swp", "scenes/a.py~", "scenes/4913"),
)


@pytest.mark.parametrize(("path", "counts"), [*((path, True) for path in INPUTS), *((path, False) for path in OTHERS)])
def test_only_what_a_site_is_made_from_counts(path: str, counts: bool) -> None:
    root = Path("/home/.venv/node_modules/site")
    assert watch._input_filter(root)(Change.modified, f"{root}/{path}") == counts


def test_a_taken_port_is_passed_over(tmp_path: Path) -> None:
    with preview_server.serving(tmp_path, 0) as first, preview_server.serving(tmp_path, first.server_port) as second:
        assert first.server_port < second.server_port


def test_no_free_port_is_a_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preview_server, "PORTS_TRIED", 1)
    with preview_server.serving(tmp_path, 0) as first, pytest.raises(Problems) as error:
        preview_server._bound(tmp_path, first.server_port)
    assert str(error.value).startswith("--port: no port from")


def test_a_site_that_has_never_been_built_appears_when_its_mistakes_are_fixed(tmp_path: Path) -> None:
    files = Site().files()
    write(tmp_path, {**files, PAGE: files[PAGE].replace(b"Words, and", b"Words {{ nothing }}, and")})
    with previewed(tmp_path) as site:
        assert site.next_build().problems
        response, body = get(site, "/any/page")
        assert response.status == 503
        assert preview_server.SCRIPT_TAG in body
        assert next(events(site))["problems"]
        site.edit(PAGE, "Words {{ nothing }}, and", "Words, and")
        assert get(site, "/tiny/first/")[0].status == 200


BROWSER = """#!/bin/sh
printf %s "$1" > opened
cat /proc/$PPID/task/$PPID/children > children
kill -INT $PPID
"""
"""A browser that notes what it opens and which processes there are, and then presses Ctrl-C."""


def test_the_command_says_where_the_site_is_and_ctrl_c_ends_every_process(tmp_path: Path) -> None:
    root, browser = tmp_path / "site", tmp_path / "browser"
    write(root, Site().files())
    browser.write_text(BROWSER)
    browser.chmod(0o755)
    with preview_server.serving(tmp_path, 0) as taken:
        port = str(taken.server_port)
        command = [sys.executable, str(ENGINE / "build.py"), "serve", "--root", str(root), "--port", port, "--open"]
        environment = {**os.environ, "BROWSER": f"{browser} %s"}
        ended = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE
        )
    assert (ended.returncode, ended.stderr) == (130, "interrupted\n")
    first, *_, last = ended.stdout.splitlines()
    opened, children = (tmp_path / "opened").read_text(), (tmp_path / "children").read_text().split()
    assert first.startswith(f"port {port} is taken, so this uses port ")
    assert last == f"The site is at {opened}  (Ctrl-C ends this)"
    assert opened.endswith("/tiny/")
    assert len(children) == 2  # the pool and the browser
    deadline = time.monotonic() + PATIENCE
    while (left := [pid for pid in children if Path(f"/proc/{pid}").exists()]) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert left == []


def test_the_command_says_that_mistakes_are_fixed_even_if_nothing_else_has_changed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong, right = serve.Built(None, (Problem("page.yaml", 1, "", "is wrong"),)), BuildResult(up_to_date=True)
    builds = iter([serve.Built(right, ()), wrong, serve.Built(right, ()), serve.Built(right, ())])

    @contextmanager
    def finished(*_: object) -> Iterator[serve.Preview]:
        with preview_server.serving(Path(), 0) as server:
            yield serve.Preview(server, builds, lambda: None)

    monkeypatch.setattr(serve, "preview", finished)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    assert cli.main(["serve", "--port", "0"]) == 130
    printed = capsys.readouterr()
    assert printed.out.splitlines()[1:] == ["all mistakes are fixed"]
    assert printed.err.splitlines() == ["page.yaml:1: is wrong", "interrupted"]
