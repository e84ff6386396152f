"""Browser tests run in a real Chromium. On a machine without one they fail with advice, and none is skipped."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Playwright

from tests.browser import chromium as browsers
from tests.conftest import ServeSite


@pytest.fixture
def no_chromium(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Pretend that nothing is installed, and return the only folder on the path."""
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(browsers, "has_own", lambda _: False)
    return tmp_path


def test_the_browser_shows_a_page(browser: Browser, site_server: ServeSite, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<title>Home</title><math><mi>x</mi></math>", encoding="utf-8")
    page = browser.new_page()
    page.goto(site_server(tmp_path))
    assert page.title() == "Home"
    assert page.locator("math").bounding_box() is not None
    page.close()


def test_the_program_that_chromium_names_is_used(no_chromium: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = no_chromium / "mine"
    program.symlink_to(sys.executable)
    monkeypatch.setenv("CHROMIUM", str(program))
    assert browsers.installed() == str(program)
    monkeypatch.setenv("CHROMIUM", "/missing/chromium")
    with pytest.raises(SystemExit, match="CHROMIUM names /missing/chromium, which is not a program"):
        browsers.installed()


@pytest.mark.parametrize("name", ["chromium", "google-chrome-stable"])
def test_an_installed_browser_is_found(no_chromium: Path, name: str) -> None:
    (no_chromium / name).symlink_to(sys.executable)
    assert browsers.installed() == shutil.which(name) is not None


@pytest.mark.usefixtures("no_chromium")
def test_a_missing_browser_is_reported_with_advice(playwright: Playwright) -> None:
    with pytest.raises(SystemExit, match="No Chromium for the browser tests: run `make browser`, or install Chromium"):
        browsers.launch(playwright)


def test_a_failed_installation_is_reported_with_advice(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    ways = [[["sh", "-c", "exit 1"], ["never", "run"]], [["sh", "-c", "exit 2"]]]
    monkeypatch.setattr(browsers, "ways", lambda: ways)
    monkeypatch.setattr(browsers, "is_there", lambda: False)
    with pytest.raises(SystemExit, match=r"install Chromium or Chrome, or name its program in .* CHROMIUM"):
        browsers.main()
    assert capfd.readouterr().err.splitlines() == [
        "No Chromium found; installing one: sh -c 'exit 1' && never run",
        "No Chromium found; installing one: sh -c 'exit 2'",
    ]


def test_only_root_installs_the_package_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    playwright = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    monkeypatch.setattr(browsers, "is_debian", lambda: True)
    monkeypatch.setattr(browsers, "is_root", lambda: False)
    assert browsers.ways() == [playwright]
    monkeypatch.setattr(browsers, "is_root", lambda: True)
    assert browsers.ways() == [browsers.debian_commands(), playwright]
