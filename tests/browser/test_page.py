"""What readers of finished pages see, hear and can reach, at any width and in both schemes. Tested in a real Chromium.

Three sites are built for this. `sites/tour` has one of everything. `sites/hard_to_show` has texts, notes, tables and
figures that are as long, wide and close together as a page must cope with. `sites/right_to_left` has numbers beside
Hebrew.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from scenebook.figure import color
from scenebook.page import templates
from tests.browser.conftest import BuiltSite
from tests.browser.reader import RULES, Findings, Reader, axe, findings, opened, overlaps, sideways

ROOT = Path(__file__).parents[2]
TOUR, HARD, RIGHT_TO_LEFT = "tour", "hard_to_show", "right_to_left"
WIDTHS = (360, 768, 1280)
HOME, MAIN, GUIDE = (TOUR, ""), (TOUR, "tour/"), (TOUR, "guide/")
HARD_PAGE = (HARD, "hard/")
PAGES = (HOME, MAIN, GUIDE, (TOUR, "both/"), (TOUR, "404.html"), (HARD, ""), HARD_PAGE, (HARD, "bare/"))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("place", PAGES, ids="/".join)
def test_every_page_is_sound(read: Callable[..., Reader], place: tuple[str, str], width: int) -> None:
    assert findings(read(place, width), width) == Findings()


@pytest.mark.parametrize("place", [MAIN, HARD_PAGE], ids="/".join)
def test_a_page_can_be_zoomed(read: Callable[..., Reader], place: tuple[str, str]) -> None:
    """The screen is 1280 pixels wide, and the zoom 200 and 400 %."""
    for width in (640, 320):
        reader = read(place, width, device_scale_factor=1280 / width)
        assert sideways(reader) == []
        assert overlaps(reader) == []


@pytest.mark.parametrize("place", [MAIN, HARD_PAGE], ids="/".join)
def test_a_page_fits_its_text_at_twice_the_size(read: Callable[..., Reader], place: tuple[str, str]) -> None:
    reader = read(place, 1280, alone=True)
    reader.page.context.new_cdp_session(reader.page).send("Page.setFontSizes", {"fontSizes": {"standard": 32}})
    assert reader.page.evaluate("getComputedStyle(document.documentElement).fontSize") == "32px"
    assert sideways(reader) == []
    assert overlaps(reader) == []


@pytest.mark.parametrize("place", [MAIN, HARD_PAGE], ids="/".join)
def test_a_page_can_be_read_without_scripts(read: Callable[..., Reader], place: tuple[str, str]) -> None:
    texts = []
    for scripts in (True, False):
        reader = read(place, java_script_enabled=scripts)
        for summary in reader.page.locator("summary:visible").all():
            summary.click()
        texts.append(reader.page.locator("main").inner_text())
    assert texts[0] == texts[1]
    assert len(texts[1]) > 500


@pytest.mark.parametrize("place", [MAIN, GUIDE, HARD_PAGE], ids="/".join)
def test_the_text_of_figures_is_large_enough_on_a_phone(read: Callable[..., Reader], place: tuple[str, str]) -> None:
    sizes = read(place, 360).measure("sizes")
    assert sizes and round(min(sizes), 1) >= 11


@pytest.mark.parametrize("place", [MAIN, GUIDE], ids="/".join)
def test_a_table_with_short_words_fits_a_phone(read: Callable[..., Reader], place: tuple[str, str]) -> None:
    page = read(place, 360).page
    tables = page.locator(".prose .scroll")
    assert tables.count() > 0
    assert tables.evaluate_all("(all) => all.filter((e) => e.scrollWidth > e.clientWidth).length") == 0


def test_the_titles_of_panels_side_by_side_are_level(read: Callable[..., Reader]) -> None:
    page = read(MAIN, 1280).page
    baseline = """(title) => {
      const mark = title.appendChild(document.createElement("img"));
      return mark.getBoundingClientRect().bottom;
    }"""
    one, other = [title.evaluate(baseline) for title in page.locator("#weights .pane .title").all()]
    assert one == pytest.approx(other, abs=0.5)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_is_sound_with_everything_unfolded(
    read: Callable[..., Reader], scheme: Literal["light", "dark"]
) -> None:
    reader = read(HARD_PAGE, 360, scheme)
    for summary in reader.page.locator("summary:visible").all():
        summary.click()
    assert list(axe(reader.page, RULES)) == []
    assert sideways(reader) == []
    assert overlaps(reader) == []


def test_lines_of_text_hold_about_seventy_characters(read: Callable[..., Reader]) -> None:
    reader = read(MAIN, 1280)
    lines = sorted(reader.measure("lines"))
    assert 65 <= lines[len(lines) // 2] <= 75


def test_a_first_visit_loads_little(read: Callable[..., Reader]) -> None:
    for place in PAGES:
        reader = read(place, 412, alone=True)
        assert len(reader.requests) <= 6
        sizes = reader.page.evaluate("performance.getEntries().map((entry) => entry.encodedBodySize ?? 0)")
        assert 5_000 < sum(sizes) < 150_000


def test_style_and_script_stay_within_their_budgets(site: BuiltSite) -> None:
    assert (site(TOUR) / "static/site.css").stat().st_size < 20_000
    assert (site(TOUR) / "static/page.js").stat().st_size < 5_000


def test_pages_and_figures_have_the_same_colours(site: BuiltSite) -> None:
    style = "".join((site(TOUR) / "static/site.css").read_text(encoding="utf-8").split())
    for dark in (False, True):
        assert "".join(color.css_variables(dark).split()) in style


def test_a_single_thing_is_counted_in_the_singular(site: BuiltSite) -> None:
    parts: Any = templates.environment(ROOT).get_template("parts.html").module
    assert [parts.count(number, "claim") for number in (0, 1, 2)] == ["0 claims", "1 claim", "2 claims"]
    made = " ".join((site(TOUR) / "guide/index.html").read_text(encoding="utf-8").split())
    assert re.search(r"They computed 1 figure and 6 numbers in its texts and formulas, and checked 1 claim;", made)


def test_a_small_drawing_is_cropped_to_its_cells(read: Callable[..., Reader]) -> None:
    drawing = read(HOME).page.locator(".small svg").first
    left, top, width, height = map(float, str(drawing.get_attribute("viewBox")).split())
    box = " ".join(f"{length:g}" for length in (left + 1, top + 1, width - 2, height - 2))
    assert drawing.get_attribute("data-box") == box


# Values, cells and the keyboard.


def test_a_number_says_where_it_comes_from(read: Callable[..., Reader]) -> None:
    reader = read(MAIN)
    number = reader.page.locator("main p data[data-from$='weights.entropy_raw']").first
    expected = f"{number.get_attribute('value')}\ntour/weights.entropy_raw"
    number.hover()
    assert reader.tip == expected
    reader.page.keyboard.press("Escape")
    assert reader.tip == ""
    number.focus()
    assert reader.tip == expected
    assert reader.page.evaluate("window.shifts") == []


def test_a_touched_number_says_where_it_comes_from(read: Callable[..., Reader]) -> None:
    reader = read(HARD_PAGE, 360, has_touch=True, is_mobile=True)
    reader.page.locator("main p data").first.tap()
    assert reader.tip == "20\nhard/drawn.count"
    box = reader.page.locator("#tip").bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= 360


def test_a_tip_stays_while_the_pointer_is_on_it(read: Callable[..., Reader]) -> None:
    reader = read(HARD_PAGE, alone=True)
    reader.page.clock.install()
    reader.page.locator("main p data").first.hover()
    reader.page.locator("#tip").hover()
    reader.page.clock.run_for(400)
    assert reader.tip == "20\nhard/drawn.count"
    reader.page.mouse.move(0, 0)
    expect(reader.page.locator("#tip")).to_have_text("")


def test_having_left_a_number_before_does_not_close_its_tip(read: Callable[..., Reader]) -> None:
    reader = read(HARD_PAGE, alone=True)
    reader.page.clock.install()
    number = reader.page.locator("main p data").first
    leave_twice = "(number) => [1, 2].forEach(() => number.dispatchEvent(new MouseEvent('mouseleave')))"
    number.evaluate(leave_twice)
    number.hover()
    reader.page.clock.run_for(400)
    assert reader.tip == "20\nhard/drawn.count"


@pytest.mark.parametrize("first", ["main p data", "#permutation .drawing"])
def test_an_earlier_tip_does_not_close_the_tip_of_a_cell(read: Callable[..., Reader], first: str) -> None:
    reader = read(MAIN, 360, has_touch=True, is_mobile=True, alone=True)
    reader.page.clock.install()
    reader.page.locator(first).first.tap()
    assert reader.tip
    reader.page.locator("#weights .drawing").first.tap()
    shown = reader.tip
    assert shown.splitlines()[1].startswith("query")
    reader.page.clock.run_for(400)
    assert reader.tip == shown


def test_a_cell_shows_its_value(read: Callable[..., Reader]) -> None:
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


def test_the_keyboard_reaches_the_cells(read: Callable[..., Reader]) -> None:
    reader = read(MAIN)
    drawing = reader.page.locator("#weights .drawing").first
    reader.page.keyboard.press("Tab")
    drawing.focus()
    assert reader.tip.splitlines()[1] == "query the, key the"
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "ArrowUp", "ArrowLeft", "ArrowLeft"):
        reader.page.keyboard.press(key)
    data = reader.page.locator("#weights .made table").first
    row = data.locator("tbody tr").nth(1)
    assert reader.tip == f"{row.locator('td').first.text_content()}\nquery cat, key the"


@pytest.mark.parametrize("place", [MAIN, HARD_PAGE, HOME], ids="/".join)
def test_the_keyboard_reaches_everything_in_order(read: Callable[..., Reader], place: tuple[str, str]) -> None:
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


def test_the_skip_link_leads_to_the_text(read: Callable[..., Reader]) -> None:
    page = read(MAIN, 360).page
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


# What assistive technology reads.


def accessibility_tree(page: Page) -> list[dict[str, Any]]:
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    return [node for node in nodes if not node["ignored"]]


def named(nodes: list[dict[str, Any]], role: str) -> list[str]:
    return [node.get("name", {}).get("value", "") for node in nodes if node["role"]["value"] == role]


def test_a_screen_reader_finds_every_figure_and_formula(read: Callable[..., Reader]) -> None:
    page = read(MAIN).page
    for made in page.locator("details.made").all():
        made.evaluate("details => { details.open = true }")
    nodes = accessibility_tree(page)
    figures = page.locator("figure").count()
    assert figures == 5
    leads = page.locator("figcaption strong").all_inner_texts()
    assert len([name for name in named(nodes, "figure") if name]) == len(leads) == figures
    assert all(named(nodes, "image")) and len(named(nodes, "image")) == page.locator(".drawing").count()
    assert len(named(nodes, "MathMLMath")) == page.locator("math:visible").count() > 15
    assert len(named(nodes, "table")) == page.locator("table").count() >= figures
    assert page.locator(".made table th:not([scope])").count() == 0


def test_a_screen_reader_finds_the_alternative_texts(read: Callable[..., Reader]) -> None:
    nodes = accessibility_tree(read(HARD_PAGE).page)
    assert 'Three heatmaps, "one" <with> holes & two without' in named(nodes, "group")
    assert "A heatmap of truth values." in named(nodes, "image")


# Other media.


def test_forced_colours_hide_nothing(read: Callable[..., Reader]) -> None:
    reader = read(MAIN, forced_colors="active")
    label = reader.page.locator("figure text").last
    ink = reader.page.evaluate("getComputedStyle(document.body).color")
    assert label.evaluate("text => getComputedStyle(text).fill") == ink
    paper = reader.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ink != paper
    bar = reader.page.locator(".scale .bar").first
    assert "gradient" in bar.evaluate("bar => getComputedStyle(bar).backgroundImage")


def test_nothing_moves_for_readers_who_want_no_motion(read: Callable[..., Reader]) -> None:
    page = read(MAIN, reduced_motion="reduce").page
    page.locator("main data").first.hover()
    assert page.evaluate("document.getAnimations().length") == 0
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_paper_shows_every_figure_and_no_navigation(
    read: Callable[..., Reader], scheme: Literal["light", "dark"]
) -> None:
    reader = read(MAIN, 794, scheme)
    pdf = reader.page.pdf(format="A4")
    assert 3 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 12
    reader.page.emulate_media(media="print")
    assert sideways(reader) == []
    assert reader.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert reader.page.locator("nav:visible").count() == 0
    assert all(figure.is_visible() for figure in reader.page.locator("figure").all())


def test_on_paper_captions_and_labels_are_smaller_than_the_text(read: Callable[..., Reader]) -> None:
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


def test_notes_beside_the_text_start_near_their_marks_and_do_not_overlap(read: Callable[..., Reader]) -> None:
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


def test_notes_on_a_phone_are_below_their_text(read: Callable[..., Reader]) -> None:
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


SHOWN = {
    "h1": "שלום − 1.5 and 12",
    ".summary p:nth-child(1)": "word שלום − 1.5 and",
    ".summary p:nth-child(2)": "עברית − 1.5 12",
    ".summary p:nth-child(3)": "words ! עולם שלום − 1.5 of עברית and f( -1)",
    "h2": "עברית − 1.5 12",
    ".paper div:nth-child(1) dd": "שלום 2017",
    ".paper div:nth-child(2) dd": "משה דוד",
    ".pane .title": "שלום − 1.5 12",
    "figcaption p": "caption שלום − 1.5 here",
}
"""The words of a page in their order on the screen, from left to right."""


def test_numbers_beside_hebrew_are_read_from_left_to_right(read: Callable[..., Reader]) -> None:
    page = read((RIGHT_TO_LEFT, "page/")).page
    found = {selector: page.locator(selector).first.evaluate(LEFT, shown.split()) for selector, shown in SHOWN.items()}
    assert found == {selector: shown.split() for selector, shown in SHOWN.items()}


def test_the_text_of_a_page_contains_no_marks_of_direction(read: Callable[..., Reader]) -> None:
    page = read((RIGHT_TO_LEFT, "page/")).page
    text = page.locator("main").inner_text()
    assert "The word שלום −1.5 and so on." in text
    assert not re.search("[\u200e\u200f\u202a-\u202e\u2066-\u2069]", text)
    assert page.evaluate("window.find('עברית −1.5 12')") is True


def test_a_number_beside_hebrew_is_isolated_where_there_is_no_markup(read: Callable[..., Reader]) -> None:
    page = read((RIGHT_TO_LEFT, "page/")).page
    assert page.title() == "שלום \u2066−1.5\u2069 and \u206612\u2069"
    description = page.locator("meta[name=description]").get_attribute("content")
    assert description is not None
    assert description.startswith("The word שלום \u2066−1.5\u2069 and so on.")
    assert page.locator(".drawing").get_attribute("aria-label") == (
        "Two green cells on a white diagonal of שלום \u2066−1.5\u2069 and \u206612\u2069 עברית."
    )
    page.locator(".drawing").press("ArrowRight")
    assert page.locator("#tip bdi").all_inner_texts() == ["שורה", "0", "עמודה", "1"]


# Where a site may be published.


def test_the_404_page_has_its_style_at_any_depth(read: Callable[..., Reader]) -> None:
    reader = read((HARD, "no/such/page/"))
    assert reader.page.locator("h1").inner_text() == "Page not found"
    assert reader.page.evaluate("getComputedStyle(document.body).marginTop") == "0px"
    reader.page.locator(".entries a").first.click()
    assert reader.page.url == f"{reader.address}hard/index.html"


def test_a_site_works_from_a_folder(browser: Browser, site: BuiltSite) -> None:
    with opened(browser, (site(HARD) / "index.html").as_uri(), "") as reader:
        reader.page.locator(".entries a").first.click()
        assert reader.page.locator("h1").inner_text().startswith("A title with")
        reader.page.locator("main p data").first.hover()
        assert reader.tip == "20\nhard/drawn.count"
        reader.page.locator(".home").click()
        reader.page.locator(".masthead nav a").click()
        assert reader.page.locator("h1").inner_text() == 'A <track> & "more"'
        assert reader.messages == []


def test_text_of_an_author_does_not_become_markup(read: Callable[..., Reader]) -> None:
    page = read(HARD_PAGE).page
    assert page.title().startswith("A title with")
    assert "<script>alert(1)</script>" in page.title()
    assert page.locator("meta[name=description]").get_attribute("content") == (
        'Text with "quotes", <tags>, & and ]]> in a description'
    )
    data = page.locator("script[type='application/ld+json']").evaluate("script => JSON.parse(script.textContent)")
    assert data["citation"]["name"] == 'A "paper" & its </script> title'
    assert data["citation"]["author"][1]["name"] == "<i>Eve</i>"
    assert page.locator("main :is(b, i:not(.drawing i), u, script)").count() == 0
