"""What tests share: a browser, a server that behaves as GitHub Pages does, and a guard for the site at the root."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

import pytest
from hypothesis import settings
from playwright.sync_api import Browser, Playwright, sync_playwright

from tests.browser.chromium import launch
from tests.browser.pages_server import serve
from tests.support.warm_pools import warm_pools


class ServeSite(Protocol):
    """The type of the fixture `site_server`: return the address at which `folder` is served under `prefix`."""

    def __call__(self, folder: Path, prefix: str = "/scenebook/") -> str: ...


ROOT = Path(__file__).parents[1]
OF_THE_SITE = tuple(f"{ROOT}/{name}" for name in ("scenes/", "storyboard.yaml", "facts.lock"))
"""What an author replaces to make a site of their own."""
opened: set[str] = set()
"""The files of the site that this process has opened since the last test began."""


def note_files_of_the_site(event: str, arguments: tuple[Any, ...]) -> None:
    """Note each file of the site that is opened. This is an audit hook."""
    if event == "open" and isinstance(arguments[0], str | os.PathLike):
        path = os.fspath(arguments[0])
        if isinstance(path, str) and path.startswith(OF_THE_SITE) and "/test_" not in path:
            opened.add(path)


sys.addaudithook(note_files_of_the_site)


@pytest.fixture(autouse=True)
def site_is_not_read(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail a test of the engine that reads the site at the root, since that site can be any.

    Modules of that site, which its own tests have imported, are hidden.
    """
    for name in [name for name in sys.modules if name.partition(".")[0] == "scenes"]:
        monkeypatch.delitem(sys.modules, name)
    opened.clear()
    yield
    if request.node.get_closest_marker("reads_the_site") is None:
        found = {path for path in opened if Path(path).exists()}
        assert found == set(), "a test of the engine reads the site at the root; use one of tests/sites"


# Other tests keep both cores busy, so the time of one example means nothing.
settings.register_profile("scenebook", settings.default, deadline=None)
settings.load_profile("scenebook")


os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or every command that a test starts would compile the engine


@pytest.fixture(scope="session", autouse=True)
def pools() -> Iterator[None]:
    """Builds in this process need not wait for a pool to import numpy and matplotlib."""
    with warm_pools():
        yield


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """Start a headless Chromium, one for each worker."""
    started = launch(playwright)
    yield started
    started.close()


@pytest.fixture(scope="session")
def site_server() -> Iterator[ServeSite]:
    """Serve folders as GitHub Pages would: `site_server(folder)` returns the address."""
    with ExitStack() as servers:

        def site_server(folder: Path, prefix: str = "/scenebook/") -> str:
            return servers.enter_context(serve(folder, prefix))

        yield site_server
