"""Serves a built site to browsers on this machine, and tells open pages about each build.

A served page has one more script, `preview.js`, which is added on the way: the files on the disk stay as they are. The
script listens for events: each has the state of the last build as JSON.

Other sites that are open in the same browser get nothing: requests are answered only if they name this machine as their
host, and no other site as their origin.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import BaseServer
from threading import Condition, Thread
from typing import Any, NamedTuple

from scenebook.build import _published_files as published_files
from scenebook.core.problems import Problem, Problems, printable

ADDRESS = "127.0.0.1"
HOSTS = (ADDRESS, "localhost")
PORTS_TRIED = 100
SCRIPT, EVENTS = "/.scenebook/preview.js", "/.scenebook/events"
SCRIPT_FILE = Path(__file__).with_name("preview.js")
SCRIPT_TAG = f'<script type="module" src="{SCRIPT}"></script>'.encode()
POLICY = (
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
)
"""Pages load nothing from other hosts, and no other site shows them. A page's own policy applies as well."""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
    ".xml": "application/xml",
}
HEAD, DOCTYPE = (re.compile(start, re.IGNORECASE) for start in (rb"<head\b[^>]*>", rb"^\s*<!doctype[^>]*>"))
NOT_BUILT = b"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Not built yet</title><meta name="color-scheme" content="light dark"></head>
<body><p>This site has not been built yet. It appears here as soon as a build succeeds.</p></body>
</html>
"""
HEARTBEAT = 15
"""Seconds after which a page that waits for an event gets an empty one. So the server finds out that a page is gone."""


class State(NamedTuple):
    """What pages show about the last build: its mistakes and warnings. While one runs, they are those of the last."""

    building: bool = False
    problems: tuple[Problem, ...] = ()

    def json(self) -> str:
        problems = [_shown(problem) for problem in self.problems if not problem.note]
        return json.dumps({"building": self.building, "problems": problems})


def _shown(problem: Problem) -> Mapping[str, str | bool]:
    place = f"{problem.file}:{problem.line}" if problem.line else problem.file
    texts = {"place": place, "where": problem.where, "message": problem.message}
    return {**{name: printable(text) for name, text in texts.items()}, "warning": problem.warning}


class PreviewServer(ThreadingHTTPServer):
    """A server for the folder of a built site, at the path `base`, which is that of the site's address."""

    request_queue_size = 64  # a page with many files opens many connections at once

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.base = folder, "/"
        self.changed, self.state, self.number, self.closed = Condition(), State(), 0, False
        super().__init__((ADDRESS, port), _Handler)

    @property
    def address(self) -> str:
        return f"http://{ADDRESS}:{self.server_port}{self.base}"

    def publish(self, state: State) -> None:
        """Tell all open pages."""
        with self.changed:
            self.state, self.number = state, self.number + 1
            self.changed.notify_all()

    def states(self) -> Iterator[State | None]:
        """Yield the current state, then each newer one, and None now and then. Ends when the server closes."""
        number = -1
        while not self.closed:
            with self.changed:
                if self.number == number and not self.closed:
                    self.changed.wait(HEARTBEAT)
                state, news, number = self.state, self.number != number, self.number
            yield state if news else None

    def close(self) -> None:
        """Stop serving, and let go of every page that waits."""
        with self.changed:
            self.closed = True
            self.changed.notify_all()
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing if a browser has closed a connection. Anything else is a bug, with its traceback."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def serving(folder: Path, port: int) -> Iterator[PreviewServer]:
    """Serve a folder at the port, or at the next one that is free. Raises `Problems` if there is none."""
    server = _bound(folder, port)
    Thread(target=server.serve_forever, args=(0.1,), daemon=True).start()
    try:
        yield server
    finally:
        server.close()


def _bound(folder: Path, port: int) -> PreviewServer:
    last = min(port + PORTS_TRIED, 2**16) - 1
    for each in range(port, last + 1):
        with suppress(OSError):
            return PreviewServer(folder, each)
    raise Problems([Problem("", 0, "--port", f"no port from {port} to {last} is free; choose another")])


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, request: Any, client_address: Any, server: BaseServer) -> None:
        assert isinstance(server, PreviewServer)
        self.preview = server
        super().__init__(request, client_address, server)

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if objection := _objection(self.headers.get("Host", ""), self.headers.get("Origin")):
            self._send(HTTPStatus.FORBIDDEN, objection.encode(), TYPES[".txt"])
        elif path == EVENTS:
            self._send_events()
        elif path == SCRIPT:
            self._send(HTTPStatus.OK, SCRIPT_FILE.read_bytes(), TYPES[".js"])
        else:
            self._send_page()

    do_HEAD = do_GET  # noqa: N815 - the standard library's name

    def _send_page(self) -> None:
        found = published_files.find(self.preview.folder, self.preview.base, self.path)
        if found.location:
            self._send(found.status, b"", TYPES[".txt"], Location=found.location)
        elif found.file:
            content, kind = found.file.read_bytes(), TYPES.get(found.file.suffix, "application/octet-stream")
            self._send(found.status, with_script(content) if found.file.suffix == ".html" else content, kind)
        elif (self.preview.folder / "index.html").exists():
            self._send(HTTPStatus.NOT_FOUND, b"There is no such page.\n", TYPES[".txt"])
        else:
            self._send(HTTPStatus.SERVICE_UNAVAILABLE, with_script(NOT_BUILT), TYPES[".html"])

    def _send_events(self) -> None:
        self._start(HTTPStatus.OK, {"Content-Type": "text/event-stream", "Connection": "close"})
        if self.command == "HEAD":
            return
        for state in self.preview.states():
            self.wfile.write(f"data: {state.json()}\n\n".encode() if state else b":\n\n")

    def _send(self, status: HTTPStatus, content: bytes, kind: str, **headers: str) -> None:
        self._start(status, {"Content-Type": kind, "Content-Length": str(len(content)), **headers})
        if self.command == "GET":
            self.wfile.write(content)

    def _start(self, status: HTTPStatus, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {**HEADERS, **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *args: object) -> None:
        """Print nothing: the terminal is for builds."""


def _objection(host: str, origin: str | None) -> str:
    """Return why a request is refused, or "". A page of another site may reach this port under a name of its own."""
    if host.rpartition(":")[0] not in HOSTS and host not in HOSTS:
        return f"This preview answers only at {ADDRESS} and localhost.\n"
    if origin not in (None, f"http://{host}"):
        return "This preview answers no other site.\n"
    return ""


def with_script(page: bytes) -> bytes:
    """Return a page with the script of the preview, ahead of its own scripts."""
    start = HEAD.search(page) or DOCTYPE.match(page)
    place = start.end() if start else 0
    return page[:place] + SCRIPT_TAG + page[place:]
