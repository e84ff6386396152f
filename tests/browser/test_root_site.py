"""Every page of the site at the root of the repository is sound, no matter which site that is."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser

from scenebook.cli import main
from scenebook.storyboard import loader
from tests.browser.reader import WIDEST, Findings, findings, opened, overlaps, sideways
from tests.conftest import ServeSite

ROOT = Path(__file__).parents[2]
PHONE, BETWEEN = 360, (768, 640, 320)
NO_SOURCES = (".*", "__pycache__", "output", "review", "scenebook", "tests")
"""Files at the root that are not sources of the site."""
LARGEST_PAGE = 1_000_000
"""In bytes."""


pytestmark = pytest.mark.reads_the_site


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site at the root, and return its output folder."""
    root = tmp_path_factory.mktemp("root")
    shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(*NO_SOURCES), dirs_exist_ok=True)
    assert main(["build", "--root", str(root)]) == 0
    return root / "output"


def prefix() -> str:
    """Return the path of the site's address: links of its 404 page begin with it."""
    return urlsplit(loader.load(ROOT).site.url).path


def pages(output: Path) -> Iterator[str]:
    """Return the address of every page, relative to the site."""
    for path in sorted(output.rglob("*.html")):
        yield path.relative_to(output).as_posix().removesuffix("index.html")


def faults(browser: Browser, address: str, path: str) -> list[object]:
    """Return everything that is wrong with a page on a phone and on a wide screen, and with its layout in between."""
    found: list[object] = []
    for width in (PHONE, WIDEST):
        with opened(browser, address, path, width) as reader:
            seen = findings(reader, width)
            found += [] if seen == Findings() else [(path, width, seen)]
            for between in BETWEEN if width == WIDEST else ():
                reader.page.set_viewport_size({"width": between, "height": 800})
                found += [(path, between, fault) for fault in (*sideways(reader), *overlaps(reader))]
    return found


def test_every_page_of_the_site_is_sound(browser: Browser, output: Path, site_server: ServeSite) -> None:
    """It is one test, because the site is built for it, which can take long."""
    address = site_server(output, prefix())
    assert [fault for path in pages(output) for fault in faults(browser, address, path)] == []
    sizes = {path.as_posix(): path.stat().st_size for path in output.rglob("*.html")}
    assert {path: size for path, size in sizes.items() if size >= LARGEST_PAGE} == {}
