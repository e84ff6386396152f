"""The server behaves as GitHub Pages does, so that the browser tests hold for the published site too."""

from __future__ import annotations

import gzip
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.browser.pages_server import Response, respond, serve

FILES = {
    "index.html": "<p>home</p>",
    "404.html": "<p>lost</p>",
    "about.html": "<p>about</p>",
    "feed.xml": "<feed/>",
    "page/index.html": "<p>page</p>",
    "page/plot.svg": "<svg/>",
    "page/values.csv": "a\n1\n",
    "page/facts.json": "{}",
    "page/plot.png": "png",
    "page/values.npy": "npy",
    "ü page/index.html": "<p>ü</p>",
    "_hidden/index.html": "hidden",
    ".hidden": "hidden",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def get(folder: Path, target: str, accept_encoding: str = "") -> Response:
    return respond(folder, "/repo/", target, accept_encoding)


@pytest.mark.parametrize(
    ("target", "name", "content_type"),
    [
        ("/repo/", "index.html", "text/html; charset=utf-8"),
        ("/repo/?q=1#top", "index.html", "text/html; charset=utf-8"),
        ("/repo/about", "about.html", "text/html; charset=utf-8"),
        ("/repo/page/", "page/index.html", "text/html; charset=utf-8"),
        ("/repo/%C3%BC%20page/", "ü page/index.html", "text/html; charset=utf-8"),
        ("/repo/feed.xml", "feed.xml", "application/xml"),
        ("/repo/page/plot.svg", "page/plot.svg", "image/svg+xml"),
        ("/repo/page/plot.png", "page/plot.png", "image/png"),
        ("/repo/page/facts.json", "page/facts.json", "application/json; charset=utf-8"),
        ("/repo/page/values.csv", "page/values.csv", "text/csv; charset=utf-8"),
        ("/repo/page/values.npy", "page/values.npy", "application/octet-stream"),
    ],
)
def test_every_file_is_served_with_its_type(folder: Path, target: str, name: str, content_type: str) -> None:
    response = get(folder, target)
    assert (response.status, response.body) == (200, FILES[name].encode())
    assert response.headers["Content-Type"] == content_type
    assert response.headers["Content-Length"] == str(len(FILES[name].encode()))


@pytest.mark.parametrize(
    ("target", "location"),
    [("/repo", "/repo/"), ("/repo/page", "/repo/page/"), ("/repo/%C3%BC%20page", "/repo/%C3%BC%20page/")],
)
def test_a_folder_without_its_slash_is_redirected(folder: Path, target: str, location: str) -> None:
    response = get(folder, target)
    assert (response.status, response.headers["Location"]) == (301, location)


@pytest.mark.parametrize(
    "target",
    [
        "/repo/Page/",
        "/repo/page/Plot.svg",
        "/repo/missing",
        "/repo/page/missing/",
        "/repo/index.html/",
        "/repo/_hidden/",
        "/repo/.hidden",
        "/repo/page/../index.html",
        "/repo//",
    ],
)
def test_a_missing_file_is_answered_with_the_404_page(folder: Path, target: str) -> None:
    response = get(folder, target)
    assert (response.status, response.body) == (404, b"<p>lost</p>")
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize("target", ["/", "/page/", "/repository/", "/Repo/"])
def test_a_link_that_leaves_the_prefix_finds_no_site(folder: Path, target: str) -> None:
    response = get(folder, target)
    assert response.status == 404
    assert b"lost" not in response.body


def test_a_site_without_a_404_page_gets_a_plain_answer(folder: Path) -> None:
    (folder / "404.html").unlink()
    assert get(folder, "/repo/missing").status == 404


def test_text_is_compressed_and_pictures_are_not(folder: Path) -> None:
    page = get(folder, "/repo/page/plot.svg", "gzip, deflate, br")
    assert page.headers["Content-Encoding"] == "gzip"
    assert page.headers["Vary"] == "Accept-Encoding"
    assert gzip.decompress(page.body) == b"<svg/>"
    assert page.headers["Content-Length"] == str(len(page.body))
    assert "Content-Encoding" not in get(folder, "/repo/page/plot.png", "gzip").headers
    assert "Content-Encoding" not in get(folder, "/repo/page/plot.svg").headers


def request(address: str, method: str, name: str) -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection(urlsplit(address).netloc, timeout=10)
    connection.request(method, f"{urlsplit(address).path}{name}")
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body


def test_head_sends_the_headers_of_get_and_no_body(folder: Path) -> None:
    with serve(folder, "/repo/") as address:
        got, body = request(address, "GET", "page/")
        head, nothing = request(address, "HEAD", "page/")
    assert (got.status, body) == (200, b"<p>page</p>")
    assert (head.status, nothing) == (200, b"")
    assert head.headers["Content-Length"] == got.headers["Content-Length"] == "11"


def test_the_server_ends_with_its_block(folder: Path) -> None:
    with serve(folder) as address:
        pass
    with pytest.raises(ConnectionRefusedError):
        request(address, "GET", "")
