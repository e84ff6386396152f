"""A web server that behaves as GitHub Pages does, for tests of the finished site.

It serves a folder under a prefix such as `/repo/`, as Pages serves a project's site. Names match by case; a folder
without its slash is redirected; `.html` can be left out; a missing file is answered with `404.html`; text is sent
compressed. Names that begin with a dot or an underscore are missing, because some ways of publishing leave them out.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import quote, unquote, urlsplit

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "application/javascript; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
    ".xml": "application/xml",
}
COMPRESSED = ("text/", "application/javascript", "application/json", "application/xml", "image/svg+xml")


@dataclass(frozen=True)
class Response:
    """What the server sends to the browser."""

    status: HTTPStatus
    headers: Mapping[str, str]
    body: bytes = field(default=b"", repr=False)


def respond(folder: Path, prefix: str, target: str, accept_encoding: str = "") -> Response:
    """Return the response to a request for `target`, the path and query of an address. The site is under `prefix`."""
    path = unquote(urlsplit(target).path)
    if f"{path}/" == prefix:
        return redirect(prefix)
    if not path.startswith(prefix):
        return content(HTTPStatus.NOT_FOUND, ".txt", b"There is no site here.\n", accept_encoding)
    files, name = published(folder), path.removeprefix(prefix)
    for candidate in (name, f"{name}.html") if name and not name.endswith("/") else (f"{name}index.html",):
        if candidate in files:
            return content(HTTPStatus.OK, Path(candidate).suffix, files[candidate].read_bytes(), accept_encoding)
    if f"{name}/index.html" in files:
        return redirect(f"{path}/")
    missing = files["404.html"].read_bytes() if "404.html" in files else b"There is no such page.\n"
    return content(HTTPStatus.NOT_FOUND, ".html", missing, accept_encoding)


def published(folder: Path) -> dict[str, Path]:
    """Return the files that are served, by their names in the address. Case always counts."""
    files = {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
    return {name.as_posix(): path for name, path in files.items() if not any(map(is_left_out, name.parts))}


def is_left_out(part: str) -> bool:
    return part.startswith((".", "_"))


def redirect(path: str) -> Response:
    return Response(HTTPStatus.MOVED_PERMANENTLY, {"Location": quote(path), "Content-Length": "0"})


def content(status: HTTPStatus, suffix: str, body: bytes, accept_encoding: str) -> Response:
    headers = {"Content-Type": TYPES.get(suffix, "application/octet-stream"), "Cache-Control": "max-age=600"}
    if headers["Content-Type"].startswith(COMPRESSED):
        headers["Vary"] = "Accept-Encoding"
        if "gzip" in accept_encoding:
            headers["Content-Encoding"] = "gzip"
            body = gzip.compress(body, mtime=0)
    return Response(status, {**headers, "Content-Length": str(len(body))}, body)


@contextmanager
def serve(folder: Path, prefix: str = "/scenebook/") -> Iterator[str]:
    """Serve `folder` under `prefix` until the block ends; yield the site's address with the prefix."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            response = respond(folder, prefix, self.path, self.headers.get("Accept-Encoding", ""))
            self.send_response(response.status)
            for name, value in response.headers.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(response.body)

        do_HEAD = do_GET  # noqa: N815 - the standard library's name

        def log_message(self, *args: object) -> None:
            """Print nothing, so that the output of the tests stays short."""

    class Server(ThreadingHTTPServer):
        request_queue_size = 64  # on a busy machine more requests wait than the usual 5

    with Server(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}{prefix}"
        server.shutdown()
