"""Finished pages in a real Chromium: what readers see, hear and can reach, at the widths and in the schemes they have.

Sites are built for it: the project's own; `sites/hard_to_show`, whose texts, notes, tables and figures are as long,
wide and close as a page must bear; and `sites/right_to_left`, where numbers stand beside Hebrew.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect

from scenebook.figure import color
from scenebook.page import templates
from tests.conftest import ServeSite

ROOT = Path(__file__).parents[2]
READER = (Path(__file__).parent / "reader.js").read_text(encoding="utf-8")
HARD = "hard"
OURS = {"ours": ROOT, HARD: ROOT / "tests/sites/hard_to_show", "right_to_left": ROOT / "tests/sites/right_to_left"}
WIDTHS = (360, 768, 1280)
PAGES = (
    ("ours", ""),
    ("ours", "attention-is-all-you-need/"),
    ("ours", "three-pass-method/"),
    ("ours", "nlp-transformers/"),
    ("ours", "404.html"),
    (HARD, ""),
    (HARD, "hard/"),
    (HARD, "bare/"),
)
MAIN, HARD_PAGE = PAGES[1], PAGES[6]
SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map((entry) => entry.value)))
  .observe({ type: "layout-shift", buffered: true });
"""
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")

Site = Callable[[str], Path]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The folder of a built site, by its name in `OURS`."""
    built: dict[str, Path] = {}

    def build(name: str) -> Path:
        if name not in built:
            root = tmp_path_factory.mktemp(name)
            shutil.copytree(OURS[name] / "scenes", root / "scenes", ignore=shutil.ignore_patterns("__pycache__"))
            shutil.copy(OURS[name] / "storyboard.yaml", root)
            command = [sys.executable, str(ROOT / "build.py"), "build", "--root", str(root)]
            subprocess.run(command, check=True, capture_output=True, text=True)
            built[name] = root / "output"
        return built[name]

    return build


@dataclass
class Reader:
    """A page in a browser, and what happened there that should not."""

    page: Page
    address: str
    messages: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def measure(self, name: str) -> Any:
        """What a function of reader.js finds."""
        return self.page.evaluate(f"({READER}).{name}()")

    @property
    def tip(self) -> str:
        """What the page's tip says, line by line."""
        return self.page.locator("#tip").inner_text()


@pytest.fixture
def read(browser: Browser, site: Site, site_server: ServeSite) -> Iterator[Callable[..., Reader]]:
    """Opens a page: `read((site, path), width=..., scheme=..., **options of the browser's context)`."""
    contexts: list[BrowserContext] = []
    addresses: dict[str, str] = {}

    def open_page(
        place: tuple[str, str], width: int = 1280, scheme: Literal["light", "dark"] = "light", **options: Any
    ) -> Reader:
        name, path = place
        if name not in addresses:
            addresses[name] = site_server(site(name), "/some/prefix/" if name == HARD else "/scenebook/")
        context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme, **options)
        contexts.append(context)
        reader = Reader(context.new_page(), addresses[name])
        listen(reader)
        reader.page.add_init_script(SHIFTS)
        reader.page.goto(reader.address + path)
        return reader

    yield open_page
    for context in contexts:
        context.close()


def listen(reader: Reader) -> None:
    def said(message: ConsoleMessage) -> None:
        reader.messages.append(message.text)

    def failed(request: Request) -> None:
        reader.messages.append(f"failed: {request.url}")

    reader.page.on("console", said)
    reader.page.on("pageerror", lambda error: reader.messages.append(str(error)))
    reader.page.on("requestfailed", failed)
    reader.page.on("request", lambda request: reader.requests.append(request.url))


@dataclass(frozen=True)
class Findings:
    """All that is wrong with a page at one width; nothing, it should be."""

    messages: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    shifts: tuple[float, ...] = ()
    sideways: tuple[str, ...] = ()
    overlaps: tuple[str, ...] = ()
    axe: tuple[str, ...] = ()
    axe_in_the_dark: tuple[str, ...] = ()


def scroll_through(page: Page) -> None:
    """Down the whole page as a reader would, so that everything has been on the screen."""
    height, step = page.evaluate("document.documentElement.scrollHeight"), 700
    for top in range(0, height, step):
        page.evaluate(f"scrollTo(0, {top}); new Promise(requestAnimationFrame)")


def findings(reader: Reader, width: int) -> Findings:
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
        tuple(axe(page, ("color-contrast", "link-in-text-block"))) if width == WIDTHS[-1] else (),
    )


def sideways(reader: Reader) -> list[str]:
    page = reader.page
    scrolls = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    found: list[str] = reader.measure("sideways")
    return [f"the page scrolls sideways: {found}"] if scrolls or found else []


def overlaps(reader: Reader) -> list[str]:
    found: list[str] = reader.page.evaluate(f"({READER}).overlaps(({READER}).blocks())")
    return found


def axe(page: Page, rules: tuple[str, ...]) -> Iterator[str]:
    page.evaluate(AXE_SCRIPT)
    results = page.evaluate("(rules) => axe.run({ runOnly: rules, resultTypes: ['violations'] })", rules)
    for rule in results["violations"]:
        for node in rule["nodes"]:
            yield f"{rule['id']}: {node['html'][:160]}: {node['failureSummary']}"


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("place", PAGES, ids="/".join)
def test_a_page_is_broken(read: Callable[..., Reader], place: tuple[str, str], width: int) -> None:
    assert findings(read(place, width), width) == Findings()


@pytest.mark.parametrize("place", [MAIN, HARD_PAGE], ids="/".join)
def test_a_page_breaks_when_it_is_zoomed(read: Callable[..., Reader], place: tuple[str, str]) -> None:
    """A screen 1280 wide at 200 and 400 %."""
    for width in (640, 320):
        reader = read(place, width, device_scale_factor=1280 / width)
        assert sideways(reader) == []
        assert overlaps(reader) == []


@pytest.mark.parametrize("place", [MAIN, HARD_PAGE], ids="/".join)
def test_a_page_breaks_when_text_is_twice_as_large(read: Callable[..., Reader], place: tuple[str, str]) -> None:
    reader = read(place, 1280)
    reader.page.context.new_cdp_session(reader.page).send("Page.setFontSizes", {"fontSizes": {"standard": 32}})
    assert reader.page.evaluate("getComputedStyle(document.documentElement).fontSize") == "32px"
    assert sideways(reader) == []
    assert overlaps(reader) == []


@pytest.mark.parametrize("place", [MAIN, HARD_PAGE], ids="/".join)
def test_a_page_needs_its_script_to_be_read(read: Callable[..., Reader], place: tuple[str, str]) -> None:
    texts = []
    for scripts in (True, False):
        reader = read(place, java_script_enabled=scripts)
        for summary in reader.page.locator("summary").all():
            summary.click()
        texts.append(reader.page.locator("main").inner_text())
    assert texts[0] == texts[1]
    assert len(texts[1]) > 500


@pytest.mark.parametrize("place", [MAIN, PAGES[2], HARD_PAGE], ids="/".join)
def test_text_of_figures_is_too_small_on_a_phone(read: Callable[..., Reader], place: tuple[str, str]) -> None:
    sizes = read(place, 360).measure("sizes")
    assert sizes and round(min(sizes), 1) >= 11


@pytest.mark.parametrize("place", [MAIN, PAGES[2]], ids="/".join)
def test_a_table_of_ours_is_cut_off_on_a_phone(read: Callable[..., Reader], place: tuple[str, str]) -> None:
    page = read(place, 360).page
    assert page.evaluate("[...document.querySelectorAll('.prose .scroll')].every(e => e.scrollWidth <= e.clientWidth)")


def test_titles_of_panels_side_by_side_are_not_on_one_line(read: Callable[..., Reader]) -> None:
    page = read(MAIN, 1280).page
    baseline = """(title) => {
      const mark = title.appendChild(document.createElement("img"));
      return mark.getBoundingClientRect().bottom;
    }"""
    one, other = [title.evaluate(baseline) for title in page.locator("#scaled-dot-product .pane .title").all()]
    assert one == pytest.approx(other, abs=0.5)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_in_a_disclosure_is_hard_to_read(read: Callable[..., Reader], scheme: Literal["light", "dark"]) -> None:
    reader = read(HARD_PAGE, 360, scheme)
    for summary in reader.page.locator("summary").all():
        summary.click()
    assert list(axe(reader.page, RULES)) == []
    assert sideways(reader) == []
    assert overlaps(reader) == []


def test_lines_of_text_are_too_long_or_too_short(read: Callable[..., Reader]) -> None:
    reader = read(MAIN, 1280)
    lines = sorted(reader.measure("lines"))
    assert 65 <= lines[len(lines) // 2] <= 75


def test_a_first_view_is_heavy(read: Callable[..., Reader], site: Site) -> None:
    for place in PAGES:
        reader = read(place, 412)
        assert len(reader.requests) <= 6
        sizes = reader.page.evaluate("performance.getEntries().map((entry) => entry.encodedBodySize ?? 0)")
        assert sum(sizes) < 150_000
    page = site("ours") / MAIN[1]
    assert (page / "index.html").stat().st_size < 1_000_000


def test_style_or_script_outgrows_its_budget(site: Site) -> None:
    assert (site("ours") / "static/site.css").stat().st_size < 20_000
    assert (site("ours") / "static/page.js").stat().st_size < 4_000


def test_the_pages_colours_are_not_those_of_its_figures(site: Site) -> None:
    style = "".join((site("ours") / "static/site.css").read_text(encoding="utf-8").split())
    for dark in (False, True):
        assert "".join(color.css_variables(dark).split()) in style


def test_one_thing_is_counted_as_several(site: Site) -> None:
    parts: Any = templates.environment(ROOT).get_template("parts.html").module
    assert [parts.count(number, "claim") for number in (0, 1, 2)] == ["0 claims", "1 claim", "2 claims"]
    made = " ".join((site("ours") / "three-pass-method/index.html").read_text(encoding="utf-8").split())
    assert re.search(r"They computed 1 figure and \d+ numbers in its texts and formulas, and checked \d claims;", made)


def test_a_small_drawing_is_out_of_the_middle(read: Callable[..., Reader]) -> None:
    drawing = read(PAGES[0]).page.locator(".small svg").first
    left, top, width, height = map(float, str(drawing.get_attribute("viewBox")).split())
    box = " ".join(f"{length:g}" for length in (left + 1, top + 1, width - 2, height - 2))
    assert drawing.get_attribute("data-box") == box


# Values, cells and the keyboard.


def test_a_number_does_not_tell_where_it_comes_from(read: Callable[..., Reader]) -> None:
    reader = read(MAIN)
    number = reader.page.locator("main p data[data-from$='scaled_dot_product.entropy_raw']").first
    expected = f"{number.get_attribute('value')}\nattention-is-all-you-need/scaled_dot_product.entropy_raw"
    number.hover()
    assert reader.tip == expected
    reader.page.keyboard.press("Escape")
    assert reader.tip == ""
    number.focus()
    assert reader.tip == expected
    assert reader.page.evaluate("window.shifts") == []


def test_touch_does_not_tell_where_a_number_comes_from(read: Callable[..., Reader]) -> None:
    reader = read(HARD_PAGE, 360, has_touch=True, is_mobile=True)
    reader.page.locator("main p data").first.tap()
    assert reader.tip == "20\nhard/drawn.count"
    box = reader.page.locator("#tip").bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= 360


def test_a_tip_vanishes_before_it_can_be_read(read: Callable[..., Reader]) -> None:
    reader = read(HARD_PAGE)
    reader.page.locator("main p data").first.hover()
    reader.page.locator("#tip").hover()
    reader.page.wait_for_timeout(400)
    assert reader.tip == "20\nhard/drawn.count"
    reader.page.mouse.move(0, 0)
    expect(reader.page.locator("#tip")).to_have_text("")


def test_what_was_left_before_takes_the_tip_away(read: Callable[..., Reader]) -> None:
    reader = read(HARD_PAGE)
    number = reader.page.locator("main p data").first
    leave_twice = "(number) => [1, 2].forEach(() => number.dispatchEvent(new MouseEvent('mouseleave')))"
    number.evaluate(leave_twice)
    number.hover()
    reader.page.wait_for_timeout(400)
    assert reader.tip == "20\nhard/drawn.count"


@pytest.mark.parametrize("first", ["main p data", "#permutation .drawing"])
def test_a_tip_that_was_open_before_takes_that_of_a_cell_away(read: Callable[..., Reader], first: str) -> None:
    reader = read(MAIN, 360, has_touch=True, is_mobile=True)
    reader.page.locator(first).first.tap()
    assert reader.tip
    reader.page.locator("#scaled-dot-product .drawing").first.tap()
    told = reader.tip
    assert told.splitlines()[1].startswith("query")
    reader.page.wait_for_timeout(400)
    assert reader.tip == told


def test_a_cell_does_not_tell_its_value(read: Callable[..., Reader]) -> None:
    reader = read(HARD_PAGE)
    drawing = reader.page.locator("#drawn .drawing").first
    drawing.scroll_into_view_if_needed()
    box = drawing.locator("svg").bounding_box()
    place = drawing.locator("svg").evaluate("svg => svg.dataset.box.split(' ').map(n => n / svg.viewBox.baseVal.width)")
    assert box
    left, top, width, height = (part * box["width"] for part in place)
    reader.page.mouse.move(box["x"] + left + width * 0.9, box["y"] + top + height * 0.1)
    assert reader.tip == "−3\na row <b> 0, k of a column 4"
    reader.page.mouse.move(box["x"] + left + width * 0.5, box["y"] + top + height * 0.3)
    assert reader.tip == "NaN\na row <b> 1, k of a column 2"


def test_the_keyboard_does_not_reach_the_cells(read: Callable[..., Reader]) -> None:
    reader = read(MAIN)
    drawing = reader.page.locator("#scaled-dot-product .drawing").first
    reader.page.keyboard.press("Tab")
    drawing.focus()
    assert reader.tip.splitlines()[1] == "query the, key the"
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "ArrowUp", "ArrowLeft", "ArrowLeft"):
        reader.page.keyboard.press(key)
    data = reader.page.locator("#scaled-dot-product .made table").first
    row = data.locator("tbody tr").nth(1)
    assert reader.tip == f"{row.locator('td').first.text_content()}\nquery cat, key the"


@pytest.mark.parametrize("place", [MAIN, HARD_PAGE, PAGES[0]], ids="/".join)
def test_the_keyboard_meets_things_out_of_order(read: Callable[..., Reader], place: tuple[str, str]) -> None:
    page = read(place).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the text"
    where = "(e) => [scrollY + e.getBoundingClientRect().top, getComputedStyle(e).outlineStyle]"
    all_of_them = "[...document.querySelectorAll('a[href], summary, [tabindex]')].filter((e) => e.checkVisibility())"
    count = page.evaluate(f"{all_of_them}.length")
    page.evaluate(f"window.order = {all_of_them}")
    for number in range(count):
        assert page.evaluate(f"document.activeElement === window.order[{number}]")
        _, outline = page.evaluate(f"({where})(document.activeElement)")
        assert outline != "none"
        page.keyboard.press("Tab")
    assert page.evaluate("document.querySelectorAll('[tabindex]:not([tabindex=\"0\"])').length") == 0


def test_the_skip_link_does_not_skip(read: Callable[..., Reader]) -> None:
    page = read(MAIN, 360).page
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


# What assistive technology gets.


def accessibility_tree(page: Page) -> list[dict[str, Any]]:
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    return [node for node in nodes if not node["ignored"]]


def named(nodes: list[dict[str, Any]], role: str) -> list[str]:
    return [node.get("name", {}).get("value", "") for node in nodes if node["role"]["value"] == role]


def test_a_screen_reader_misses_a_figure_or_a_formula(read: Callable[..., Reader]) -> None:
    page = read(MAIN).page
    for made in page.locator("details.made").all():
        made.evaluate("details => { details.open = true }")
    nodes = accessibility_tree(page)
    figures = page.locator("figure").count()
    assert figures > 5
    leads = page.locator("figcaption strong").all_inner_texts()
    assert len([name for name in named(nodes, "figure") if name]) == len(leads) == figures
    assert all(named(nodes, "image")) and len(named(nodes, "image")) == page.locator(".drawing").count()
    assert len(named(nodes, "MathMLMath")) == page.locator("math").count() > 50
    assert len(named(nodes, "table")) == page.locator("table").count() >= figures
    assert page.locator(".made table th:not([scope])").count() == 0


def test_alternative_text_is_not_with_its_figure(read: Callable[..., Reader]) -> None:
    nodes = accessibility_tree(read(HARD_PAGE).page)
    assert 'Three heatmaps, "one" <with> holes & two without' in named(nodes, "group")
    assert "A heatmap of truth values." in named(nodes, "image")


# Other media.


def test_forced_colours_hide_something(read: Callable[..., Reader]) -> None:
    reader = read(MAIN, forced_colors="active")
    label = reader.page.locator("figure text").last
    ink = reader.page.evaluate("getComputedStyle(document.body).color")
    assert label.evaluate("text => getComputedStyle(text).fill") == ink
    paper = reader.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ink != paper
    bar = reader.page.locator(".scale .bar").first
    assert "gradient" in bar.evaluate("bar => getComputedStyle(bar).backgroundImage")


def test_something_moves_for_those_who_want_no_motion(read: Callable[..., Reader]) -> None:
    page = read(MAIN, reduced_motion="reduce").page
    page.locator("main data").first.hover()
    assert page.evaluate("document.getAnimations().length") == 0
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_paper_gets_less_than_the_screen(read: Callable[..., Reader], scheme: Literal["light", "dark"]) -> None:
    reader = read(MAIN, 794, scheme)
    pdf = reader.page.pdf(format="A4")
    assert 8 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 40
    reader.page.emulate_media(media="print")
    assert sideways(reader) == []
    assert reader.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert reader.page.locator("nav:visible").count() == 0
    assert all(figure.is_visible() for figure in reader.page.locator("figure").all())


def test_print_is_larger_beside_the_text_than_in_it(read: Callable[..., Reader]) -> None:
    page = read(MAIN, 794).page
    page.emulate_media(media="print")
    size = "(e) => parseFloat(getComputedStyle(e).fontSize)"
    prose, *beside = [
        page.locator(name).first.evaluate(size) for name in (".scene .prose p", "figcaption", ".checked li", ".label")
    ]
    assert max(beside) < prose == pytest.approx(14)
    assert page.locator("summary:visible").count() == 0
    address = page.locator(".paper a").first.evaluate("(a) => getComputedStyle(a, '::after').content")
    assert "https://arxiv.org/abs/1706.03762" in address


# Notes beside the text.


def test_notes_stand_on_one_another_or_far_from_their_place(read: Callable[..., Reader]) -> None:
    page = read(HARD_PAGE, 1280).page
    notes = [note.bounding_box() for note in page.locator(".summary .footnote li").all()]
    text = page.locator(".summary > p").first.bounding_box()
    assert text
    boxes = [box for box in notes if box]
    assert len(boxes) == 3
    assert abs(boxes[0]["y"] - text["y"]) < 20
    for box, below in pairwise(boxes):
        assert box["x"] > text["x"] + text["width"]
        assert below["y"] >= box["y"] + box["height"]


def test_notes_on_a_phone_are_not_below_their_text(read: Callable[..., Reader]) -> None:
    page = read(HARD_PAGE, 360).page
    text, note = (page.locator(f".summary {part}").first.bounding_box() for part in ("> p", ".footnote li"))
    assert text and note and note["y"] > text["y"] + text["height"]
    page.locator(".summary .footnote-ref").first.click()
    assert page.url.endswith("#fn:1")


# Numbers beside words that run from right to left.

LEFT = """(element, words) => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const places = {};
  for (let node; (node = walker.nextNode());) {
    for (const word of words) {
      const start = node.data.indexOf(word);
      if (start < 0 || word in places) continue;
      const range = document.createRange();
      range.setStart(node, start);
      range.setEnd(node, start + word.length);
      places[word] = range.getClientRects()[0].left;
    }
  }
  return Object.entries(places).sort((a, b) => a[1] - b[1]).map(([word]) => word);
}"""


@pytest.mark.parametrize(
    ("selector", "shown"),
    [
        ("h1", "שלום − 1.5 and 12"),
        (".summary p:nth-child(1)", "word שלום − 1.5 and"),
        (".summary p:nth-child(2)", "עברית − 1.5 12"),
        (".summary p:nth-child(3)", "words ! עולם שלום − 1.5 of עברית and f( -1)"),
        ("h2", "עברית − 1.5 12"),
        (".paper div:nth-child(1) dd", "שלום 2017"),
        (".paper div:nth-child(2) dd", "משה דוד"),
        (".pane .title", "שלום − 1.5 12"),
        ("figcaption p", "caption שלום − 1.5 here"),
    ],
)
def test_numbers_beside_hebrew_are_read_from_left_to_right(
    read: Callable[..., Reader], selector: str, shown: str
) -> None:
    words = shown.split()
    element = read(("right_to_left", "page/")).page.locator(selector).first
    assert element.evaluate(LEFT, words) == words


def test_the_text_of_a_page_holds_no_marks_of_direction(read: Callable[..., Reader]) -> None:
    page = read(("right_to_left", "page/")).page
    text = page.locator("main").inner_text()
    assert "The word שלום −1.5 and so on." in text
    assert not re.search("[\u200e\u200f\u202a-\u202e\u2066-\u2069]", text)
    assert page.evaluate("window.find('עברית −1.5 12')") is True


def test_a_number_beside_hebrew_is_kept_apart_where_there_is_no_markup(read: Callable[..., Reader]) -> None:
    page = read(("right_to_left", "page/")).page
    assert page.title() == "שלום \u2066−1.5\u2069 and \u206612\u2069"
    description = page.locator("meta[name=description]").get_attribute("content")
    assert description is not None
    assert description.startswith("The word שלום \u2066−1.5\u2069 and so on.")
    assert page.locator(".drawing").get_attribute("aria-label") == (
        "Two green cells on a white diagonal of שלום \u2066−1.5\u2069 and \u206612\u2069 עברית."
    )
    page.locator(".drawing").press("ArrowRight")
    assert page.locator("#tip bdi").all_inner_texts() == ["שורה", "0", "עמודה", "1"]


# Where a site may be.


def test_a_missing_page_far_down_has_no_style(read: Callable[..., Reader]) -> None:
    reader = read((HARD, "no/such/page/"))
    assert reader.page.locator("h1").inner_text() == "There is no such page"
    assert reader.page.evaluate("getComputedStyle(document.body).marginTop") == "0px"
    reader.page.locator(".entries a").first.click()
    assert reader.page.url == f"{reader.address}hard/index.html"


@contextmanager
def opened(browser: Browser, address: str) -> Iterator[Reader]:
    context = browser.new_context()
    reader = Reader(context.new_page(), address)
    listen(reader)
    reader.page.goto(address)
    yield reader
    context.close()


def test_a_site_opened_from_a_folder_is_broken(browser: Browser, site: Site) -> None:
    with opened(browser, (site(HARD) / "index.html").as_uri()) as reader:
        reader.page.locator(".entries a").first.click()
        assert reader.page.locator("h1").inner_text().startswith("A title with")
        reader.page.locator("main p data").first.hover()
        assert reader.tip == "20\nhard/drawn.count"
        reader.page.locator(".home").click()
        reader.page.locator(".masthead nav a").click()
        assert reader.page.locator("h1").inner_text() == 'A <track> & "more"'
        assert reader.messages == []


def test_what_an_author_wrote_becomes_markup(read: Callable[..., Reader]) -> None:
    page = read(HARD_PAGE).page
    assert page.title().startswith("A title with")
    assert "<script>alert(1)</script>" in page.title()
    assert page.locator("meta[name=description]").get_attribute("content") == (
        'Text with "quotes", <tags>, & and ]]> in a description'
    )
    data = page.locator("script[type='application/ld+json']").evaluate("script => JSON.parse(script.textContent)")
    assert data["citation"]["name"] == 'A "paper" & its </script> title'
    assert data["citation"]["author"][1]["name"] == "<i>Eve</i>"
    assert page.locator("main :is(b, i:not(.cell), u, script)").count() == page.locator(".drawing > i").count()
