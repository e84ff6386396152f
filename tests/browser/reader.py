"""A page in a browser: what a reader sees and hears there, and everything that is wrong with it."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from weakref import WeakKeyDictionary

import matplotlib as mpl
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Request, ViewportSize

SCRIPT = (Path(__file__).parent / "reader.js").read_text(encoding="utf-8")
SHIFTS = """
window.shifts = [];
const inFormula = ({ node }) => (node?.nodeType === 1 ? node : node?.parentElement)?.closest("math, .strip");
new PerformanceObserver((list) => {
  const { domInteractive } = performance.getEntriesByType("navigation")[0];
  const after = list.getEntries().filter((entry) => domInteractive && entry.startTime > domInteractive);
  window.shifts.push(...after.filter((entry) => !entry.sources.every(inFormula)).map((entry) => entry.value));
}).observe({ type: "layout-shift", buffered: true });
"""
"""Records what moves after the whole page has arrived. Until then, a busy machine may show half a formula."""
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
CONTRAST_RULES = ("color-contrast", "link-in-text-block")
WIDEST = 1280
PATIENCE = 120_000
"""The milliseconds that a busy machine gets for what a page usually does at once."""
FACES = {"wide": "DejaVuSans.ttf", "widest": "DejaVuSans-Bold.ttf"}
"""Typefaces that come with matplotlib: a wide one, and one that is wider than any text face."""
_IDLE: WeakKeyDictionary[Browser, dict[str, list[Page]]] = WeakKeyDictionary()
"""Empty pages that wait for the next test, by the options of their contexts."""


@dataclass
class Reader:
    """A page in a browser, with its messages and its requests."""

    page: Page
    address: str
    messages: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def measure(self, name: str) -> Any:
        """Return what a function of reader.js measures."""
        return self.page.evaluate(f"({SCRIPT}).{name}()")

    @property
    def tip(self) -> str:
        """The text of the page's tip, line by line."""
        return self.page.locator("#tip").inner_text()


@contextmanager
def opened(  # noqa: PLR0913 - each is an option of the page that is opened
    browser: Browser,
    address: str,
    path: str,
    width: int = WIDEST,
    scheme: Literal["light", "dark"] = "light",
    *,
    height: int = 800,
    face: str = "",
    alone: bool = False,
    **options: Any,
) -> Iterator[Reader]:
    """Open a page of the site at `address`, in a browser context with these options.

    `face` sets all text in one of `FACES`, so that nothing depends on the typefaces of the machine. An `alone` page is
    in a context that no other test uses.
    """
    with _tab(browser, alone=alone, bypass_csp=bool(face), **options) as page:
        page.set_viewport_size(ViewportSize(width=width, height=height))
        page.emulate_media(color_scheme=scheme, media="null")
        reader = Reader(page, address)
        with _listening(reader):
            page.goto(address + path)
            if face:
                page.add_style_tag(content=_style_of(FACES[face]))
                page.evaluate("document.fonts.load('16px forced')")
            yield reader


@contextmanager
def _tab(browser: Browser, *, alone: bool, **options: Any) -> Iterator[Page]:
    """Open an empty page. After a test that passes, the page is kept for others with the same options.

    A new page takes five times as much of the processor, because it gets a process of its own.
    """
    idle = _IDLE.setdefault(browser, {}).setdefault(repr(sorted(options.items())), [])
    page = idle.pop() if idle and not alone else _new_page(browser, options)
    yield page
    if alone:
        page.context.close()
        return
    page.mouse.move(-1, -1)
    page.goto("about:blank")
    idle.append(page)


def _new_page(browser: Browser, options: dict[str, Any]) -> Page:
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE)
    context.add_init_script(SHIFTS)
    return context.new_page()


def _style_of(file: str) -> str:
    """A style that sets all text of a page in a face that comes with matplotlib."""
    face = base64.b64encode((Path(mpl.get_data_path()) / "fonts" / "ttf" / file).read_bytes()).decode()
    return (
        f"@font-face {{ font-family: forced; src: url(data:font/ttf;base64,{face}); }}"
        "* { font-family: forced !important; }"
    )


def open_all(page: Page) -> None:
    """Open everything that is folded."""
    page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")


@contextmanager
def _listening(reader: Reader) -> Iterator[None]:
    """In this context, the reader notes the page's messages and requests."""

    def note(message: ConsoleMessage) -> None:
        reader.messages.append(message.text)

    def error(found: Error) -> None:
        reader.messages.append(str(found))

    def failed(request: Request) -> None:
        reader.messages.append(f"failed: {request.url}")

    def requested(request: Request) -> None:
        reader.requests.append(request.url)

    listeners = {"console": note, "pageerror": error, "requestfailed": failed, "request": requested}
    for event, listener in listeners.items():
        reader.page.on(event, listener)  # type: ignore[call-overload]
    yield
    for event, listener in listeners.items():
        reader.page.remove_listener(event, listener)


@dataclass(frozen=True)
class Findings:
    """Everything that is wrong with a page at one width; empty for a sound page."""

    messages: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    shifts: tuple[float, ...] = ()
    sideways: tuple[str, ...] = ()
    overlaps: tuple[str, ...] = ()
    axe: tuple[str, ...] = ()
    axe_in_the_dark: tuple[str, ...] = ()


def scroll_through(page: Page) -> None:
    """Scroll down the whole page as a reader would, so that everything has been on the screen."""
    height, step = page.evaluate("document.documentElement.scrollHeight"), 700
    for top in range(0, height, step):
        page.evaluate(f"scrollTo(0, {top}); new Promise(requestAnimationFrame)")


def findings(reader: Reader, width: int) -> Findings:
    """Return everything that is wrong with a page, in both colour schemes."""
    page = reader.page
    scroll_through(page)
    shifts, light = page.evaluate("window.shifts"), tuple(axe(page, RULES))
    page.emulate_media(color_scheme="dark")
    return Findings(
        tuple(reader.messages),
        tuple(url for url in reader.requests if not url.startswith((reader.address, "data:"))),
        tuple(shifts),
        tuple(sideways(reader)),
        tuple(overlaps(reader)),
        light,
        tuple(axe(page, CONTRAST_RULES)) if width == WIDEST else (),
    )


def sideways(reader: Reader) -> list[str]:
    page = reader.page
    scrolls = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    found: list[str] = reader.measure("sideways")
    return [f"the page scrolls sideways: {found}"] if scrolls or found else []


def overlaps(reader: Reader) -> list[str]:
    found: list[str] = reader.page.evaluate(f"({SCRIPT}).overlaps(({SCRIPT}).blocks())")
    return found


def axe(page: Page, rules: tuple[str, ...]) -> Iterator[str]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    results = page.evaluate("(rules) => axe.run({ runOnly: rules, resultTypes: ['violations'] })", rules)
    for rule in results["violations"]:
        for node in rule["nodes"]:
            yield f"{rule['id']}: {node['html'][:160]}: {node['failureSummary']}"
