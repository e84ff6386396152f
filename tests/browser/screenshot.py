"""Take a picture of the built site for the README: `make screenshot` writes screenshot.png.

It shows the first figure of the first page that has one.
"""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import sync_playwright

from scenebook.storyboard import loader
from tests.browser.chromium import launch
from tests.browser.pages_server import serve

ROOT = Path(__file__).parents[2]
ABOVE = 250
"""The height of the text above the first figure that the picture shows, in pixels."""


def first_page_with_a_figure() -> str:
    """Return the slug of this page."""
    pages = loader.load(ROOT).book.pages
    return next(page.slug for page in pages if any(scene.figure for scene in page.scenes))


def main() -> None:
    with serve(ROOT / "output") as address, sync_playwright() as playwright:
        page = launch(playwright).new_page(viewport={"width": 1280, "height": 880}, color_scheme="light")
        page.goto(f"{address}{first_page_with_a_figure()}/")
        top = page.locator("figure").first.evaluate("figure => figure.getBoundingClientRect().top + scrollY")
        page.evaluate(f"scrollTo(0, {top - ABOVE})")
        page.screenshot(path=ROOT / "screenshot.png")


if __name__ == "__main__":
    main()
