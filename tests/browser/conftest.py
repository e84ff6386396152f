"""Fixtures that build sites and open their pages in a browser."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from scenebook.cli import main
from tests.browser.reader import Reader, opened
from tests.conftest import ServeSite

SITES = Path(__file__).parents[1] / "sites"
BuiltSite = Callable[[str], Path]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    """Build a site of `tests/sites` once, and return its output folder: `site(name)`."""
    built: dict[str, Path] = {}

    def build(name: str) -> Path:
        if name not in built:
            root = tmp_path_factory.mktemp(name) / "root"
            shutil.copytree(SITES / name, root)
            assert main(["build", "--root", str(root)]) == 0
            built[name] = root / "output"
        return built[name]

    return build


@pytest.fixture(scope="session")
def address(site: BuiltSite, site_server: ServeSite) -> Callable[[str], str]:
    """Serve a site of `tests/sites`, and return its address: `address(name)`."""
    addresses: dict[str, str] = {}

    def serve(name: str) -> str:
        if name not in addresses:
            addresses[name] = site_server(site(name), "/some/prefix/" if name == "hard_to_show" else "/scenebook/")
        return addresses[name]

    return serve


@pytest.fixture
def read(browser: Browser, address: Callable[[str], str]) -> Iterator[Callable[..., Reader]]:
    """Open a page: `read((site, path), width=..., scheme=..., ...)`."""
    with ExitStack() as pages:

        def open_page(place: tuple[str, str], *args: Any, **options: Any) -> Reader:
            name, path = place
            return pages.enter_context(opened(browser, address(name), path, *args, **options))

        yield open_page
