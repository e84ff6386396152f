"""An open page under `serve`: it follows the sources in place, and shows mistakes until they are fixed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.reader import PATIENCE
from tests.support.changing_site import Site, write
from tests.support.previewed import Previewed, previewed

PAGE = "scenes/first.yaml"
LONG = "\n\n".join(f"{word} " * 60 for word in ("alpha", "beta", "gamma", "delta"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Previewed]:
    root = tmp_path_factory.mktemp("preview") / "site"
    made = Site()
    made.pages[0]["summary"] = f"Words, and {{{{ scores.x }}}}.\n\n{LONG}"
    write(root, made.files())
    with previewed(root) as found:
        assert found.next_build().result
        yield found


@pytest.fixture
def page(browser: Browser, site: Previewed) -> Iterator[Page]:
    """The first page, marked so that a reload would be noticed. Each test leaves the site as it was."""
    with browser.new_context(viewport={"width": 1000, "height": 700}) as context:
        context.set_default_timeout(PATIENCE)
        expect.set_options(timeout=PATIENCE)
        opened = context.new_page()
        failures: list[str] = []
        opened.on("pageerror", lambda error: failures.append(str(error)))
        opened.goto(site.address + "first/")
        opened.evaluate("window.marked = true")
        yield opened
        assert failures == []


def top(page: Page, selector: str) -> float:
    found: float = page.locator(selector).evaluate("(element) => element.getBoundingClientRect().top")
    return found


def is_what_a_new_visitor_gets(page: Page) -> bool:
    """Whether the text of the page is that of the same page opened anew."""
    fresh = page.context.new_page()
    fresh.goto(page.url)
    texts = [each.locator("main").text_content() for each in (page, fresh)]
    fresh.close()
    return texts[0] == texts[1]


def test_an_edit_changes_what_is_read_and_nothing_else(page: Page, site: Previewed) -> None:
    page.locator("#scores--made summary").click()
    page.locator("#drawn").scroll_into_view_if_needed()
    page.evaluate("scrollBy(0, 120)")
    before = top(page, "#drawn")
    site.edit(PAGE, "Words, and", f"Other words. {'And more of them. ' * 40}\\n\\nA new part, and")
    expect(page.locator(".summary")).to_contain_text("A new part, and")
    assert abs(top(page, "#drawn") - before) < 1
    assert page.locator("#scores--made").get_attribute("open") is not None
    site.edit(PAGE, f"Other words. {'And more of them. ' * 40}\\n\\nA new part, and", "Words, and")
    expect(page.locator(".summary")).not_to_contain_text("A new part")
    assert abs(top(page, "#drawn") - before) < 1
    assert page.evaluate("window.marked")
    assert is_what_a_new_visitor_gets(page)


def test_a_moved_control_stays_when_its_scene_changes(page: Page, site: Previewed) -> None:
    slider = page.locator("#again input[type=range]")
    slider.press("End")
    expect(page.locator("#again .prose")).to_contain_text("It is 5.0")
    site.edit("scenes/helper.py", "T = U + 1.0", "T = U + 3.0")
    expect(page.locator("#again .prose")).to_contain_text("It is 9.0")
    assert slider.input_value() == "2"
    expect(slider).to_be_focused()
    slider.press("Home")
    expect(page.locator("#again .prose")).to_contain_text("It is 2.2")
    site.edit("scenes/helper.py", "T = U + 3.0", "T = U + 1.0")
    expect(page.locator("#again .prose")).to_contain_text("It is 1.2")
    assert page.evaluate("window.marked")


def test_a_new_drawing_and_a_new_number_answer_the_reader(page: Page, site: Previewed) -> None:
    site.edit(PAGE, "Words, and", "Words, {{ drawn.x }}, and")
    page.locator(".summary [data-from$='drawn.x'][tabindex]").hover()  # the page's script has made it focusable
    expect(page.locator("#tip")).to_contain_text("first/drawn.x")
    site.edit("scenes/scores.py", "[T, 1.0]", "[T, 9.0]")
    expect(page.locator("#scores table")).to_contain_text("9")
    drawing = page.locator("#scores .drawing[tabindex]")
    drawing.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#tip")).to_contain_text("9")
    assert page.locator("#tip").count() == page.locator("#scores .drawing i").count() == 1
    site.edit("scenes/scores.py", "[T, 9.0]", "[T, 1.0]")
    site.edit(PAGE, "Words, {{ drawn.x }}, and", "Words, and")
    expect(page.locator("#scores table")).not_to_contain_text("9")
    expect(page.locator(".summary [data-from$='drawn.x']")).to_have_count(0)
    assert page.evaluate("window.marked")
    assert is_what_a_new_visitor_gets(page)


def test_a_mistake_is_shown_over_the_last_good_page_until_it_is_fixed(page: Page, site: Previewed) -> None:
    alert, text = page.get_by_role("alert"), page.locator("main").inner_text()
    line = next(n for n, each in enumerate((site.root / PAGE).read_text().splitlines(), 1) if "Words, and" in each)
    site.edit(PAGE, "Words, and", "Words {{ nothing }}, and")
    expect(alert).to_contain_text(f"{PAGE}:{line}")
    expect(alert).to_contain_text("nothing")
    assert page.locator("main").inner_text() == text
    alert.get_by_role("button", name="Hide").click()
    expect(alert.get_by_role("list")).to_be_hidden()
    alert.get_by_role("button", name="Show").click()
    expect(alert.get_by_role("list")).to_be_visible()
    site.edit(PAGE, "Words {{ nothing }}, and", "Words, and")
    expect(alert).to_be_hidden()
    assert page.evaluate("window.marked")


def test_a_style_is_replaced_in_place(page: Page, site: Previewed) -> None:
    style = site.root / "templates/static/site.css"
    style.parent.mkdir(parents=True)
    site.write("templates/static/site.css", "h1 { letter-spacing: 7px; }")
    expect(page.locator("h1")).to_have_css("letter-spacing", "7px")
    expect(page.locator("link[rel=stylesheet][href*='site.css']")).to_have_count(1)
    assert page.evaluate("window.marked")
    style.unlink()
    expect(page.locator("h1")).not_to_have_css("letter-spacing", "7px")


def test_a_page_that_is_removed_is_missing_until_it_is_back(page: Page, site: Previewed) -> None:
    page.goto(site.address + "second/")
    title = page.locator("h1").inner_text()
    board = (site.root / "storyboard.yaml").read_text(encoding="utf-8")
    listed = json.loads(board)
    listed["pages"].remove("scenes/second.yaml")
    site.write("storyboard.yaml", json.dumps(listed))
    expect(page.locator("h1")).not_to_have_text(title)
    site.write("storyboard.yaml", board)
    expect(page.locator("h1")).to_have_text(title)


def test_a_site_that_was_never_built_appears_when_its_mistakes_are_fixed(browser: Browser, tmp_path: Path) -> None:
    files = Site().files()
    root = tmp_path / "site"
    write(root, {**files, PAGE: files[PAGE].replace(b"Words, and", b"Words {{ nothing }}, and")})
    with previewed(root) as site, browser.new_context() as context:
        assert site.next_build().problems
        page = context.new_page()
        page.goto(site.address + "first/")
        expect(page.get_by_role("alert")).to_contain_text(f"{PAGE}:")
        site.edit(PAGE, "Words {{ nothing }}, and", "Words, and")
        expect(page.locator("h1")).to_have_text("First", timeout=PATIENCE)
        expect(page.get_by_role("alert")).to_be_hidden()
