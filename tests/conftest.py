"""What tests share: a browser, and a server that behaves as GitHub Pages does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

import pytest
from hypothesis import settings
from playwright.sync_api import Browser, Playwright, sync_playwright

from tests.browser.chromium import launch
from tests.browser.pages_server import serve


class ServeSite(Protocol):
    """The fixture `site_server`: the address at which `folder` is served under `prefix`."""

    def __call__(self, folder: Path, prefix: str = "/scenebook/") -> str: ...


# Both cores are busy with other tests, so time says nothing about an example.
settings.register_profile("scenebook", settings.default, deadline=None)
settings.load_profile("scenebook")


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """A headless Chromium, one for each worker."""
    started = launch(playwright)
    yield started
    started.close()


@pytest.fixture(scope="session")
def site_server() -> Iterator[ServeSite]:
    """Serves folders as GitHub Pages would: `site_server(folder)` gives the address."""
    with ExitStack() as servers:

        def site_server(folder: Path, prefix: str = "/scenebook/") -> str:
            return servers.enter_context(serve(folder, prefix))

        yield site_server
