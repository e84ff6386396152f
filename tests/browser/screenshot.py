"""Takes the README's picture of the built site: `make screenshot` writes screenshot.png."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.chromium import launch
from tests.browser.pages_server import serve

ROOT = Path(__file__).parents[2]
PLACE = "attention-is-all-you-need/"
ABOVE = 250
"""So many pixels of the text above the first figure are in the picture."""


def main() -> None:
    with serve(ROOT / "output") as address, sync_playwright() as playwright:
        page = launch(playwright).new_page(viewport={"width": 1280, "height": 880}, color_scheme="light")
        page.goto(f"{address}{PLACE}")
        top = page.locator("figure").first.evaluate("figure => figure.getBoundingClientRect().top + scrollY")
        page.evaluate(f"scrollTo(0, {top - ABOVE})")
        page.screenshot(path=ROOT / "screenshot.png")


if __name__ == "__main__":
    main()
