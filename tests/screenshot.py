"""Takes the README's picture of the built site: `make screenshot` writes screenshot.png."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser import launch
from tests.pages_server import serve

ROOT = Path(__file__).parent.parent
PLACE = "attention-is-all-you-need/#scaled-dot-product"


def main() -> None:
    with serve(ROOT / "output") as address, sync_playwright() as playwright:
        page = launch(playwright).new_page(viewport={"width": 1200, "height": 900}, color_scheme="light")
        page.goto(f"{address}{PLACE}")
        page.screenshot(path=ROOT / "screenshot.png")


if __name__ == "__main__":
    main()
