"""Dead links to other sites are found, and all other links are left alone."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from scenebook.page import outside_links

ANSWERS = {"/good": 200, "/gone": 404, "/no-head": 405, "/shy": 403, "/broken": 500}


class Handler(BaseHTTPRequestHandler):
    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(f"{self.command} {self.path}")
        code = 200 if self.path == "/no-head" and self.command == "GET" else ANSWERS[self.path]
        self.send_response(code)
        self.end_headers()

    do_HEAD = do_GET  # noqa: N815 - the name that the library looks for

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served() -> Iterator[tuple[str, list[str]]]:
    Handler.asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", Handler.asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def site(folder: Path, **pages: list[str]) -> Path:
    for name, links in pages.items():
        (folder / name).mkdir()
        text = "".join(f'<a href="{link}">x</a>' for link in links)
        (folder / name / "index.html").write_text(f'<html lang="en"><h1>x</h1>{text}', encoding="utf-8")
    return folder


def test_a_dead_link_is_reported(tmp_path: Path) -> None:
    with served() as (host, asked):
        links = [f"{host}{path}" for path in ANSWERS] + ["http://127.0.0.1:1/", "mailto:a@example.org", "../b/"]
        site(tmp_path, a=links, b=[f"{host}/gone#part"])
        found = outside_links.check(tmp_path, "https://own.example/", seconds=5)
    assert [str(problem).replace(host, "HOST") for problem in found] == [
        (
            "output/a/index.html: http://127.0.0.1:1/: warning: does not answer ([Errno 111] Connection refused); "
            "correct or remove the link"
        ),
        "output/a/index.html: HOST/broken: warning: answers 500 Internal Server Error; correct or remove the link",
        "output/a/index.html: HOST/gone: warning: answers 404 Not Found; correct or remove the link",
        "output/b/index.html: HOST/gone: warning: answers 404 Not Found; correct or remove the link",
    ]
    assert asked.count("HEAD /gone") == 1


def test_a_link_into_the_site_itself_is_not_tried(tmp_path: Path) -> None:
    with served() as (host, asked):
        site(tmp_path, a=[f"{host}/site/page/"])
        assert outside_links.check(tmp_path, f"{host}/site/") == ()
    assert asked == []
