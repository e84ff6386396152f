"""Phones and paper: nothing is wider than the screen or the sheet, and whatever scrolls can be reached.

What depends on a typeface is tried with the machine's own and with two that come with matplotlib.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from tests.browser.reader import FACES, SCRIPT, Reader, open_all, sideways

MAIN, HARD_PAGE, BARE = ("tour", "tour/"), ("hard_to_show", "hard/"), ("hard_to_show", "bare/")
WIDE_PAGE, ROOTS = ("too_wide", "sums/"), ("too_wide", "roots/")
LONG_PAGES = [MAIN, HARD_PAGE, WIDE_PAGE, ROOTS]


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("place", LONG_PAGES, ids="/".join)
def test_no_typeface_makes_a_page_wider_than_the_screen(
    read: Callable[..., Reader], place: tuple[str, str], face: str
) -> None:
    reader = read(place, 320, face=face)
    assert reader.page.evaluate("document.fonts.check('16px forced')")
    open_all(reader.page)
    for width in (320, 360, 1280):
        reader.page.set_viewport_size({"width": width, "height": 800})
        assert sideways(reader) == []


WITH_SUMS = (
    *("h1", ".summary > p", ".summary .footnote li:nth-child(2)", ".display", "dt", "dd", ".title", ".legend li"),
    *("figcaption strong", ".checked li", ".wrong", ".takeaways li", ".companions li"),
)


@pytest.mark.parametrize("width", [320, 360])
def test_a_long_formula_takes_as_many_lines_as_it_needs(read: Callable[..., Reader], width: int) -> None:
    """A part of a formula begins where the part before it ends, or at the start of a new line."""
    page = read(WIDE_PAGE, width).page
    for place in WITH_SUMS:
        lefts = page.locator(f"{place}:has(math + math)").first.evaluate(
            "(e) => [...e.querySelectorAll('math')].map((part) => part.getBoundingClientRect().left)"
        )
        lines = sum(1 for left, following in pairwise(lefts) if following <= left)
        assert lines >= 1, place
    assert page.locator("math:has(annotation)").count() < page.locator("math").count()


@pytest.mark.parametrize("place", LONG_PAGES, ids="/".join)
def test_whatever_scrolls_is_not_cut_off_above_or_below(read: Callable[..., Reader], place: tuple[str, str]) -> None:
    reader = read(place)
    for width in (320, 360, 1280):
        reader.page.set_viewport_size({"width": width, "height": 800})
        assert reader.measure("clipped") == []


@pytest.mark.parametrize("width", [360, 1280])
def test_whatever_scrolls_has_a_name_and_the_keyboard_reaches_it(read: Callable[..., Reader], width: int) -> None:
    page = read(WIDE_PAGE, width).page
    open_all(page)
    scrolls = """[...document.querySelectorAll("main *")].filter((e) => e.checkVisibility()
      && getComputedStyle(e).overflowX === "auto" && e.scrollWidth > e.clientWidth + 1)"""
    found = page.evaluate(f"{scrolls}.map((e) => [e.tabIndex, e.role ?? '', e.ariaLabel ?? ''])")
    assert len(found) >= 5
    assert {index for index, _, _ in found} == {0}
    assert {(role, name) for _, role, name in found} <= {
        ("group", "Formula"), ("group", "Table"), ("group", "Code"), ("img", "A heatmap with two rows."),
        ("img", "One line goes up, the other down."),
    }  # fmt: skip


EACH_NUMBER = """async ([block, astray]) => {
  const found = [];
  let tried = 0;
  for (const number of document.querySelectorAll("main [data-from][tabindex]")) {
    if (!number.checkVisibility()) continue;
    number.scrollIntoView({ block });
    number.focus({ preventScroll: true });
    await new Promise(requestAnimationFrame);
    tried++;
    const wrong = document.querySelector("#tip").textContent ? eval(astray).astray() : ["no tip"];
    if (wrong.length) found.push(`${number.dataset.from}: ${wrong}`);
  }
  if (!tried) found.push("no number that the keyboard reaches");
  return found;
}"""


@pytest.mark.parametrize(("width", "font"), [(320, 16), (360, 16), (360, 32)])
@pytest.mark.parametrize("place", [MAIN, HARD_PAGE, WIDE_PAGE], ids="/".join)
def test_the_tip_of_a_number_stays_on_the_screen_of_a_phone(
    read: Callable[..., Reader], place: tuple[str, str], width: int, font: int
) -> None:
    reader = read(place, width, height=480, face="wide", alone=True)
    reader.page.context.new_cdp_session(reader.page).send("Page.setFontSizes", {"fontSizes": {"standard": font}})
    for block in ("start", "end"):
        assert reader.page.evaluate(EACH_NUMBER, [block, SCRIPT]) == []


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("width", [320, 360])
def test_the_tip_of_a_touched_number_stays_on_the_screen_of_a_phone(
    read: Callable[..., Reader], width: int, side: str
) -> None:
    """A number at one edge is touched after one at the other edge, and then again on a zoomed page."""
    reader = read(MAIN, width, height=560, has_touch=True, is_mobile=True, face="wide", alone=True)
    numbers = [number for number in reader.page.locator("main p data").all() if number.is_visible()]
    boxes = [
        (box["x"] + box["width"] / 2, place) for place, number in enumerate(numbers) if (box := number.bounding_box())
    ]
    leftmost, rightmost = min(boxes)[1], max(boxes)[1]
    first, second = (rightmost, leftmost) if side == "left" else (leftmost, rightmost)
    for number in (numbers[first], numbers[second]):
        number.tap()
        assert reader.tip.endswith(str(number.get_attribute("data-from")))
        assert reader.measure("astray") == []
    reader.page.context.new_cdp_session(reader.page).send("Emulation.setPageScaleFactor", {"pageScaleFactor": 2})
    numbers[second].evaluate("(number) => { number.blur(); number.scrollIntoView(); number.focus(); }")
    assert reader.page.evaluate("visualViewport.scale") == 2
    assert reader.tip and reader.measure("astray") == []


@pytest.mark.parametrize("width", [320, 360])
@pytest.mark.parametrize("figure", [(HARD_PAGE, "#drawn"), (WIDE_PAGE, "#sums")])
def test_the_tip_of_a_cell_stays_on_the_screen_of_a_phone(
    read: Callable[..., Reader], figure: tuple[tuple[str, str], str], width: int
) -> None:
    place, scene = figure
    reader = read(place, width, height=480, face="wide")
    reader.page.keyboard.press("Tab")
    drawings = reader.page.locator(f"{scene} .drawing[data-cells]").all()
    assert drawings
    for drawing in drawings:
        drawing.focus()
        for key in ("ArrowDown", "ArrowRight", "ArrowUp", "ArrowLeft"):
            for _ in range(30):
                reader.page.keyboard.press(key)
            cell = drawing.locator("i").bounding_box()
            assert cell and -1 <= cell["x"] <= width and -1 <= cell["y"] <= 480
            assert reader.tip and reader.measure("astray") == []


def test_a_cell_of_a_scrolled_drawing_shows_its_own_value(read: Callable[..., Reader]) -> None:
    reader = read(WIDE_PAGE, 360)
    drawing = reader.page.locator("#sums .drawing").first
    drawing.scroll_into_view_if_needed()
    drawing.evaluate("(drawing) => { drawing.scrollLeft = 10000; }")
    cells = drawing.locator("svg rect, svg path").evaluate_all("(all) => all.length")
    assert cells
    box = drawing.locator("svg").bounding_box()
    place = drawing.locator("svg").evaluate("svg => svg.dataset.box.split(' ').map(n => n / svg.viewBox.baseVal.width)")
    assert box
    left, top, across, down = (part * box["width"] for part in place)
    reader.page.mouse.move(box["x"] + left + across * 23.5 / 24, box["y"] + top + down / 4)
    assert reader.tip.splitlines()[0] == "23.25"
    mark = drawing.locator("i").bounding_box()
    assert mark and mark["x"] + mark["width"] == pytest.approx(box["x"] + left + across, abs=2)


def test_a_tip_disappears_when_its_number_is_scrolled_away(read: Callable[..., Reader]) -> None:
    reader = read(MAIN, 360)
    number = reader.page.locator("main p data").first
    number.focus()
    assert reader.tip
    reader.page.mouse.move(180, 400)
    reader.page.mouse.wheel(0, 3000)
    expect(reader.page.locator("#tip")).to_have_text("")


@pytest.mark.parametrize("scripts", [True, False])
def test_a_phone_shows_the_contents_folded(read: Callable[..., Reader], scripts: bool) -> None:
    page = read(MAIN, 360, java_script_enabled=scripts).page
    contents = page.get_by_role("navigation", name="On this page")
    assert contents.count() == 1
    assert contents.get_by_role("link").count() == 0
    box, title = contents.bounding_box(), page.locator("h1").bounding_box()
    assert box and title and title["y"] + title["height"] <= box["y"] < 560
    page.locator(".folded summary").focus()
    page.keyboard.press("Enter")
    expect(contents.get_by_role("link")).to_have_count(page.locator("main h2:not(.ending h2)").count())
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#.+$"))
    anchor = page.url.partition("#")[2]
    assert page.locator(f"#{anchor} h2").evaluate("(heading) => heading.getBoundingClientRect().top") < 200


def test_a_wide_screen_shows_the_contents_once(read: Callable[..., Reader]) -> None:
    page = read(MAIN, 1280).page
    contents = page.get_by_role("navigation", name="On this page")
    assert contents.count() == 1
    assert contents.get_by_role("link").count() == page.locator("main h2:not(.ending h2)").count()
    assert not page.locator(".folded").is_visible()


def test_a_page_without_sections_has_no_contents(read: Callable[..., Reader]) -> None:
    assert read(BARE, 360).page.get_by_role("navigation", name="On this page").count() == 0


@pytest.mark.parametrize("face", ["", *FACES])
@pytest.mark.parametrize("place", LONG_PAGES, ids="/".join)
def test_paper_cuts_nothing_off(read: Callable[..., Reader], place: tuple[str, str], face: str) -> None:
    """A sheet of A4 has room for 680 pixels between its margins, and nothing on it can be scrolled."""
    reader = read(place, 680, face=face)
    open_all(reader.page)
    reader.page.emulate_media(media="print")
    assert reader.measure("cut") == []
    scrolls = "[...document.querySelectorAll('body *')].filter((e) => /auto|scroll/.test(getComputedStyle(e).overflow))"
    assert (
        reader.page.evaluate(f"{scrolls}.filter((e) => e.checkVisibility() && e.id !== 'tip').map((e) => e.outerHTML)")
        == []
    )
