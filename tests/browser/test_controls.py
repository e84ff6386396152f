"""Controls, tried by hand: what a reader moves, and what follows. Tested in a real Chromium.

Most tests open the page of `support/controls_page.py`. The last builds a tiny site from its storyboard.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from scenebook.core.number_format import show
from scenebook.core.settings import Settings
from scenebook.page.settings_file import SettingsFile, read_settings_file
from tests.browser.reader import Findings, Reader, findings, opened, sideways
from tests.conftest import ServeSite
from tests.support import controls_page
from tests.support.builder import building
from tests.support.controls_page import WAVES, WEIGHTS, heatmap, table, wave, weights

Opened = Callable[..., Reader]
FAILED = "The other settings could not be loaded, so this shows the start. Move a control to try again."
REST, STEP = 600, 700
"""The milliseconds until a control has rested, and those from one point to the next while it is played."""


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return controls_page.write(tmp_path_factory.mktemp("controls"))


@pytest.fixture(scope="session")
def address(folder: Path, site_server: ServeSite) -> str:
    return site_server(folder)


@pytest.fixture
def read(browser: Browser, address: str) -> Iterator[Opened]:
    """Open the page: `read("?weights.d_k=4", width=360, has_touch=True, ...)`."""
    with ExitStack() as pages:

        def open_page(query: str = "", **options: Any) -> Reader:
            return pages.enter_context(opened(browser, address, f"page/{query}", **options))

        yield open_page


# What the page has, and what it shows.


def slider(page: Page, key: str = "weights.d_k") -> Locator:
    return page.locator(f"input[type=range][name='{key}']")


def back_to_the_start(page: Page, scene: str = "weights") -> Locator:
    return page.locator(f"#{scene} .back")


def play(page: Page) -> Locator:
    return page.get_by_role("button", name="Play: entries d_k")


def said(page: Page) -> Locator:
    return page.locator("#weights .said")


def fills(drawing: str) -> list[str]:
    return re.findall(r'fill="([^"]*)"', drawing)


def number_of(**setting: Any) -> int:
    return WEIGHTS.moved(WEIGHTS.start, setting)


def largest(number: int) -> str:
    return show(float(weights(WEIGHTS[number]).max(axis=1).mean()), ".3f")


def sentence(number: int) -> str:
    return f"With {WEIGHTS.describe(number)}, the largest weight is {largest(number)}."


def expect_weights(page: Page, **setting: Any) -> None:
    """Everything in the scene shows one setting: the start, except for these controls."""
    number = number_of(**setting)
    command = f"python build.py run page/weights --set '{WEIGHTS.describe(number)}'"
    expect(page.locator("[data-follow='weights--command']")).to_have_text(command)
    assert fills(page.locator("#weights svg.panel").inner_html()) == fills(heatmap(WEIGHTS[number]))
    cells = page.locator("#weights--weights-data tbody td").all_text_contents()
    assert cells == [text for row in table(WEIGHTS[number]).texts for text in row]
    values = page.locator("#weights data")
    assert values.all_text_contents() == [largest(number)] * 2
    assert [value.get_attribute("value") for value in values.all()] == [largest(number)] * 2
    label = page.locator("#weights .drawing").get_attribute("aria-label")
    assert label == f"A heatmap whose largest weight is {largest(number)}."
    for key, value in WEIGHTS[number].items():
        field = page.locator(f"input[name='weights.{key}']")
        if field.get_attribute("type") == "checkbox":
            assert field.is_checked() is value
        else:
            assert field.input_value() == str(WEIGHTS.points[key].index(value))


def expect_wave(page: Page, **setting: Any) -> None:
    number = WAVES.moved(WAVES.start, setting)
    expect(page.locator("#waves output")).to_have_text(str(WAVES[number]["turns"]))
    shape = WAVES.points["shape"].index(WAVES[number]["shape"])
    expect(page.locator("#waves [type=radio]").nth(shape)).to_be_checked()
    drawing = page.locator("#waves .drawing > div")
    if WAVES[number]["shape"] == "none":
        expect(drawing).to_have_text("nothing")
    else:
        [path] = re.findall(r' d="([^"]*)"', wave(WAVES[number]))
        expect(drawing.locator("path")).to_have_attribute("d", path)


def loaded(reader: Reader) -> list[str]:
    """The settings files that the page has asked for."""
    return [url.rpartition("/")[2] for url in reader.requests if url.endswith("-settings.js")]


def stop_the_clock(page: Page) -> None:
    page.clock.install(time=0)
    page.clock.pause_at(10_000)


# Moving a control.


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (("ArrowRight",), 16),
        (("ArrowUp", "ArrowUp"), 32),
        (("ArrowLeft",), 4),
        (("ArrowDown", "ArrowDown"), 2),
        (("Home",), 1),
        (("End",), 128),
    ],
)
def test_keys_move_a_slider(read: Opened, keys: tuple[str, ...], expected: int) -> None:
    reader = read()
    slider(reader.page).focus()
    for key in keys:
        reader.page.keyboard.press(key)
    expect_weights(reader.page, d_k=expected)
    assert reader.messages == []


def place_on(slider: Locator, point: int) -> tuple[float, float]:
    """Where a point of a slider is on the screen."""
    slider.scroll_into_view_if_needed()
    box, most = slider.bounding_box(), int(slider.get_attribute("max") or 0)
    assert box
    return box["x"] + 10 + (box["width"] - 20) * point / most, box["y"] + box["height"] / 2


def test_a_dragged_slider_takes_everything_along(read: Opened) -> None:
    page = read().page
    mouse, points = page.mouse, slider(page)
    mouse.move(*place_on(points, 3))
    mouse.down()
    for place, value in ((4, 16), (7, 128), (1, 2)):
        mouse.move(*place_on(points, place), steps=5)
        expect_weights(page, d_k=value)
    mouse.up()
    expect_weights(page, d_k=2)


def test_a_slider_a_switch_and_a_choice_can_be_touched(read: Opened) -> None:
    page = read(width=360, has_touch=True, is_mobile=True).page
    page.touchscreen.tap(*place_on(slider(page), 6))
    expect_weights(page, d_k=64)
    page.get_by_text("causal mask").last.tap()
    expect_weights(page, d_k=64, masked=True)
    page.get_by_text("square wave").last.tap()
    expect_wave(page, shape="square")


def test_a_switch_and_a_choice_follow_the_keyboard(read: Opened) -> None:
    page = read().page
    page.get_by_role("switch").press("Space")
    expect_weights(page, masked=True)
    page.get_by_role("radio", name="sine").focus()
    page.keyboard.press("ArrowDown")
    expect_wave(page, shape="square")
    page.keyboard.press("ArrowDown")
    expect_wave(page, shape="none")
    page.keyboard.press("ArrowUp")
    expect_wave(page, shape="square")


def test_controls_combine(read: Opened) -> None:
    page = read().page
    slider(page).press("End")
    slider(page, "weights.temperature").press("Home")
    page.get_by_role("switch").check()
    expect_weights(page, d_k=128, temperature=0.05, masked=True)


def test_only_what_differs_between_two_settings_is_changed(read: Opened) -> None:
    page = read("?weights.d_k=16").page
    expect_weights(page, d_k=16)
    page.evaluate("""window.changes = [];
      const note = ({ target, oldValue, attributeName }) => [oldValue, target.getAttribute(attributeName)];
      new MutationObserver((all) => window.changes.push(...all.map(note))).observe(
        document.querySelector("#weights svg.panel"), { subtree: true, attributeOldValue: true })""")
    page.get_by_role("switch").check()
    expect_weights(page, d_k=16, masked=True)
    old, new = fills(heatmap(WEIGHTS[number_of(d_k=16)])), fills(heatmap(WEIGHTS[number_of(d_k=16, masked=True)]))
    assert page.evaluate("window.changes") == [[a, b] for a, b in zip(old, new, strict=True) if a != b] != []


def test_the_start_is_one_press_away(read: Opened) -> None:
    page = read("?weights.masked=true&waves.turns=5").page
    slider(page).press("End")
    expect_weights(page, d_k=128, masked=True)
    expect(back_to_the_start(page)).to_have_attribute("aria-disabled", "false")
    back_to_the_start(page).click()
    expect_weights(page)
    expect(back_to_the_start(page)).to_have_attribute("aria-disabled", "true")
    expect_wave(page, turns=5)
    page.wait_for_url("**/page/?waves.turns=5")


# Loading the settings.


@pytest.mark.parametrize("touch", ["hover", "focus", "tap"])
def test_a_scene_loads_its_settings_when_it_is_first_touched(read: Opened, touch: str) -> None:
    reader = read(has_touch=True)
    reader.page.wait_for_load_state("networkidle")
    assert loaded(reader) == []
    with reader.page.expect_response("**/weights-settings.js"):
        getattr(slider(reader.page), touch)()
    back_to_the_start(reader.page).hover()
    slider(reader.page).press("End")
    expect_weights(reader.page, d_k=128)
    assert loaded(reader) == ["weights-settings.js"]


def test_settings_that_cannot_be_loaded_put_the_controls_back_and_say_so(read: Opened) -> None:
    reader = read(alone=True)
    page = reader.page
    page.route("**/weights-settings.js", lambda route: route.abort())
    slider(page).press("End")
    expect(said(page)).to_have_text(FAILED)
    expect(said(page)).to_be_visible()
    box = said(page).bounding_box()
    assert box and box["width"] > 100 and box["height"] > 10
    assert said(page).get_attribute("role") == "status"
    expect_weights(page)
    expect(page.locator("#weights output").first).to_have_text("8")
    page.unroute("**/weights-settings.js")
    slider(page).press("End")
    expect_weights(page, d_k=128)
    expect(said(page)).to_have_text(sentence(number_of(d_k=128)))
    assert page.locator(".failed").count() == 0


def test_a_settings_file_that_is_none_is_reported_too(read: Opened) -> None:
    page = read(alone=True).page
    page.route("**/weights-settings.js", lambda route: route.fulfill(content_type="text/javascript", body="<html>"))
    page.get_by_role("switch").click()
    expect(said(page)).to_have_text(FAILED)
    expect_weights(page)


# The address.


def test_the_address_holds_the_setting_after_a_rest(read: Opened) -> None:
    page = read("?from=mail#weights").page
    slider(page).press("ArrowRight")
    page.get_by_role("switch").check()
    expect_weights(page, d_k=16, masked=True)
    page.wait_for_url("**/page/?from=mail&weights.d_k=16&weights.masked=true#weights")
    slider(page).press("ArrowLeft")
    page.get_by_role("switch").uncheck()
    page.wait_for_url("**/page/?from=mail#weights")


def test_a_link_leads_to_its_setting(read: Opened) -> None:
    reader = read("?weights.d_k=4&weights.temperature=0.05&waves.shape=none")
    expect_weights(reader.page, d_k=4, temperature=0.05)
    expect_wave(reader.page, shape="none")
    assert reader.messages == []


def test_unknown_settings_in_an_address_are_ignored(read: Opened) -> None:
    reader = read("?weights.d_k=5&weights.masked=yes&weights.colour=red&waves.turns=3&other=")
    expect_wave(reader.page, turns=3)
    expect_weights(reader.page)
    assert loaded(reader) == ["waves-settings.js"]
    assert reader.messages == []


def test_a_reload_returns_to_the_setting(read: Opened) -> None:
    page = read().page
    slider(page).press("Home")
    page.get_by_role("radio", name="square wave").check()
    both = re.compile(r"/page/\?(weights\.d_k=1&waves\.shape=square|waves\.shape=square&weights\.d_k=1)$")
    page.wait_for_url(both)
    page.reload()
    expect_weights(page, d_k=1)
    expect_wave(page, shape="square")


def test_back_from_another_page_returns_to_the_setting(read: Opened) -> None:
    reader = read()
    page = reader.page
    slider(page).press("End")
    page.wait_for_url("**/page/?weights.d_k=128")
    page.goto(reader.address + "static/page.js")
    page.go_back()
    expect_weights(page, d_k=128)


def test_back_within_a_page_returns_to_the_setting(read: Opened) -> None:
    page = read().page
    slider(page).press("End")
    page.wait_for_url("**/page/?weights.d_k=128")
    page.evaluate("location.hash = 'waves'")
    slider(page).press("Home")
    page.wait_for_url("**/page/?weights.d_k=1#waves")
    page.go_back()
    expect_weights(page, d_k=128)


def test_scenes_do_not_disturb_each_other(read: Opened) -> None:
    reader = read()
    page = reader.page
    still = page.locator("#still").inner_html()
    slider(page, "waves.turns").press("End")
    expect_wave(page, turns=5)
    expect_weights(page)
    assert loaded(reader) == ["waves-settings.js"]
    slider(page).press("Home")
    expect_weights(page, d_k=1)
    expect_wave(page, turns=5)
    back_to_the_start(page, "waves").click()
    expect_wave(page)
    expect_weights(page, d_k=1)
    page.wait_for_url("**/page/?weights.d_k=1")
    assert page.locator("#still").inner_html() == still


# Playing.


def test_a_control_can_be_played_to_its_end_and_again(read: Opened) -> None:
    page = read("?weights.d_k=16", alone=True).page
    expect_weights(page, d_k=16)
    stop_the_clock(page)
    play(page).click()
    for value, going in ((16, "true"), (32, "true"), (64, "true"), (128, "false")):
        expect_weights(page, d_k=value)
        assert play(page).get_attribute("aria-pressed") == going
        page.clock.run_for(STEP)
    page.clock.run_for(20 * STEP)
    expect_weights(page, d_k=128)
    play(page).click()
    expect_weights(page, d_k=1)
    page.clock.run_for(STEP)
    expect_weights(page, d_k=2)


@pytest.mark.parametrize("stop", ["play", "slider", "back"])
def test_a_press_or_another_touch_stops_what_plays(read: Opened, stop: str) -> None:
    page = read("?weights.d_k=2", alone=True).page
    expect_weights(page, d_k=2)
    stop_the_clock(page)
    play(page).click()
    page.clock.run_for(STEP)
    {
        "play": lambda: play(page).click(),
        "slider": lambda: slider(page).press("ArrowRight"),
        "back": lambda: back_to_the_start(page).click(),
    }[stop]()
    page.clock.run_for(20 * STEP)
    expect_weights(page, d_k={"play": 4, "slider": 8, "back": 8}[stop])
    assert play(page).get_attribute("aria-pressed") == "false"


def test_nothing_plays_by_itself(read: Opened) -> None:
    reader = read(alone=True)
    stop_the_clock(reader.page)
    reader.page.reload()
    reader.page.clock.run_for(60_000)
    expect_weights(reader.page)
    assert loaded(reader) == []


def test_readers_who_want_no_motion_are_offered_none(read: Opened) -> None:
    page = read(reduced_motion="reduce").page
    assert page.locator(".play").count() == 1
    assert page.locator(".play:visible").count() == play(page).count() == 0


# What is said, and the tips.


def test_one_sentence_is_said_after_a_rest(read: Opened) -> None:
    page = read("?weights.d_k=16", alone=True).page
    first = sentence(WEIGHTS.start)
    expect(said(page)).not_to_have_text(first)
    stop_the_clock(page)
    page.evaluate("""window.said = [];
      const region = document.querySelector("#weights .said");
      new MutationObserver(() => window.said.push(region.textContent)).observe(
        region, { subtree: true, childList: true, characterData: true })""")
    for _ in range(3):
        slider(page).press("ArrowRight")
        page.clock.run_for(REST - 1)
    assert page.evaluate("window.said") == []
    page.clock.run_for(1)
    assert page.evaluate("window.said") == [sentence(number_of(d_k=128))]
    page.clock.run_for(10 * REST)
    assert page.evaluate("window.said.length") == 1


def test_the_tip_of_a_cell_shows_the_value_at_the_setting(read: Opened) -> None:
    reader = read()
    page = reader.page
    area = page.locator("#weights .drawing > div")
    slider(page).focus()
    area.hover(position={"x": 20, "y": 20})
    assert reader.tip == f"{table(WEIGHTS[WEIGHTS.start]).texts[0][0]}\nquery 0, key 0"
    page.keyboard.press("Home")
    expect_weights(page, d_k=1)
    assert reader.tip == f"{table(WEIGHTS[number_of(d_k=1)]).texts[0][0]}\nquery 0, key 0"
    page.mouse.move(0, 0)
    expect(page.locator("#tip")).to_have_text("")
    page.locator("#weights data").first.hover()
    assert reader.tip == f"{largest(number_of(d_k=1))}\npage/weights.largest"


# Without scripts, from a folder, on paper.


def expect_the_tables_instead_of_controls(page: Page) -> None:
    assert page.locator(".controls:visible").count() == 0
    rows = page.locator("#weights .settings tbody tr:visible").all_inner_texts()
    numbers = WEIGHTS.along(WEIGHTS.start, "d_k")
    assert [row.split() for row in rows] == [[str(WEIGHTS[at]["d_k"]), largest(at)] for at in numbers]


def test_without_scripts_the_page_shows_the_start_and_a_table(read: Opened) -> None:
    page = read("?weights.d_k=1", java_script_enabled=False).page
    expect_the_tables_instead_of_controls(page)
    expect_weights(page)


def test_paper_shows_the_start_and_a_table(read: Opened) -> None:
    reader = read("?weights.d_k=1", width=794)
    page = reader.page
    expect_weights(page, d_k=1)
    page.evaluate("""addEventListener("beforeprint", () => {
      window.printed = document.querySelector("#weights svg.panel").innerHTML;
    })""")
    page.pdf()
    assert fills(page.evaluate("window.printed")) == fills(heatmap(WEIGHTS[WEIGHTS.start]))
    expect_weights(page, d_k=1)
    assert page.locator(".settings:visible").count() == 0
    page.emulate_media(media="print")
    expect_the_tables_instead_of_controls(page)
    assert sideways(reader) == []


def test_controls_work_from_a_folder(browser: Browser, folder: Path) -> None:
    with opened(browser, (folder / "page/index.html").as_uri(), "?waves.turns=1") as reader:
        page = reader.page
        expect_wave(page, turns=1)
        slider(page).press("End")
        expect_weights(page, d_k=128)
        expect(said(page)).to_have_text(sentence(number_of(d_k=128)))
        page.reload()
        expect_weights(page, d_k=128)
        assert reader.messages == []


def test_an_address_that_cannot_change_disturbs_nothing(read: Opened) -> None:
    reader = read()
    reader.page.evaluate("() => { history.replaceState = () => { throw new DOMException('no', 'SecurityError'); }; }")
    slider(reader.page).press("End")
    expect_weights(reader.page, d_k=128)
    expect(said(reader.page)).to_have_text(sentence(number_of(d_k=128)))
    assert reader.messages == []


# What assistive technology reads.

HEARD = """
- group "Try other settings Weights":
  - paragraph: Try other settings
  - button "Back to the start"
  - slider "entries d k": "4"
  - 'button "Play: entries d_k"'
  - slider "temperature": "10"
  - switch "causal mask"
  - status: With d_k = 16, temperature = 1, masked = false, the largest weight is 0.832.
"""


def test_a_screen_reader_finds_names_and_values(read: Opened) -> None:
    page = read("?weights.d_k=16").page
    expect(page.locator("#weights form")).to_match_aria_snapshot(HEARD)
    assert slider(page).get_attribute("aria-valuetext") == "16"
    slider(page, "weights.temperature").press("Home")
    assert slider(page, "weights.temperature").get_attribute("aria-valuetext") == "0.05"
    expect(page.get_by_role("radiogroup", name="shape of the wave").get_by_role("radio")).to_have_count(3)
    expect(page.get_by_role("radio", name="sine")).to_be_checked()


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("query", ["", "?weights.d_k=128&weights.masked=true&waves.shape=none"])
def test_the_page_is_sound(read: Opened, query: str, width: int) -> None:
    reader = read(query, width=width)
    reader.page.wait_for_load_state("networkidle")
    found = findings(reader, width)
    assert replace(found, shifts=()) == Findings()
    assert query or found.shifts == ()


def test_forced_colours_leave_the_controls_visible(read: Opened) -> None:
    page = read(forced_colors="active").page
    ink, paper = page.evaluate(
        "(({ color, backgroundColor }) => [color, backgroundColor])(getComputedStyle(document.body))"
    )
    assert ink != paper
    track = "(e) => getComputedStyle(e, '::-webkit-slider-runnable-track').backgroundColor"
    assert slider(page).evaluate(track) != paper
    assert page.get_by_role("switch").evaluate("(e) => getComputedStyle(e).appearance") == "auto"


# A site from its storyboard.

BOARD = "site: {title: Tiny, url: https://example.org/tiny/}\npages: [scenes/page.yaml]\n"
MODULE = """
import numpy as np


def compute(n=2, size=0.5, masked=False, shape="flat"):
    grid = np.outer(np.arange(3), np.arange(3)) * size + n
    if masked:
        grid[0, 0] = -1
    places = np.arange(20)
    wave = np.sin(places * size * n) + (shape == "round")
    return {"grid": grid, "total": grid.sum(), "word": "big" if n > 2 else "small", "wave": wave, "places": places}
"""
STORYBOARD = """
slug: tour
title: Tour
summary: At the start it is {{ s.total:.1f }}.
scenes:
  - id: s
    title: Scene
    compute: one.py
    controls:
      - {param: n, label: 'entries $n$', values: [1, 2, 4, 8]}
      - {param: size, label: size, from: 0, to: 1, points: 3}
      - {param: masked, label: mask}
      - {param: shape, label: shape, values: [flat, round]}
    text: |
      It is {{ s.total:.1f }}, which is {{ s.word }}. So $n = {{ s.n }}$.
    figure:
      panels: [{heatmap: grid}, {lines: [{value: wave}]}]
      x: {values: places}
      cells: .1f
      caption: The grid. It sums to {{ s.total:.1f }}.
      alt: A grid that sums to {{ s.total:.1f }}.
"""
MISMATCHES = """(wanted) => wanted.flatMap(([key, node, name, value]) =>
  [...document.querySelectorAll(`[data-follow="${key}"]`)].map((element) => {
    const found = node < 0 ? element : element.querySelectorAll("*")[node];
    const now = name === "*" ? found.innerHTML : name ? found.getAttribute(name) : found.textContent;
    return now === value ? null : [key, node, name, value, now];
  }).filter(Boolean))"""


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of a tiny site whose only scene has controls."""
    root = tmp_path_factory.mktemp("tiny") / "site"
    with building(root) as (made,):
        (root / "scenes").mkdir()
        for path, text in {"storyboard.yaml": BOARD, "scenes/page.yaml": STORYBOARD, "scenes/one.py": MODULE}.items():
            (root / path).write_text(text, encoding="utf-8")
        assert [str(problem) for problem in made.build().refused] == []
    return root / "output"


def choose(page: Page, settings: Settings, number: int) -> None:
    for param, value in settings[number].items():
        fields = page.locator(f"input[name='s.{param}']")
        place = settings.points[param].index(value)
        if fields.first.get_attribute("type") == "range":
            fields.fill(str(place))
        elif isinstance(value, bool):
            fields.set_checked(value)
        else:
            fields.nth(place).check()


def tracks_at(file: SettingsFile, number: int) -> list[tuple[str, int, str, str | None]]:
    return [
        (key, at, name, values[number])
        for key, of in file.regions.items()
        for at, name, values in of
        if "--said" not in key
    ]


def test_a_built_page_shows_at_every_setting_what_was_computed(
    browser: Browser, tiny: Path, site_server: ServeSite
) -> None:
    settings = Settings(
        {"n": (1, 2, 4, 8), "size": (0.0, 0.5, 1.0), "masked": (False, True), "shape": ("flat", "round")}
    )
    file = read_settings_file((tiny / "tour/s-settings.js").read_bytes())
    values = json.loads((tiny / "facts.json").read_text("utf-8"))["pages"]["tour"]["scenes"]["s"]["settings"]["values"]
    assert file.settings == len(settings)
    assert not any(name == "*" for of in file.regions.values() for _, name, _ in of if "--grid" in name)
    with opened(browser, site_server(tiny), "tour/") as reader:
        for number in random.Random(14).sample(range(len(settings)), 10):
            choose(reader.page, settings, number)
            [command] = file.regions["s--command"]
            expect(reader.page.locator("[data-follow='s--command']")).to_have_text(command.values[number] or "")
            assert reader.page.evaluate(MISMATCHES, tracks_at(file, number)) == []
            shown = reader.page.locator("#s .prose data[data-follow]").all_text_contents()
            assert shown == [f"{values['total'][number]:.1f}", values["word"][number]]
        assert reader.messages == []
