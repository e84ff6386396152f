"""Scenes with controls, from the storyboard to the files of the site."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from scenebook.build import assemble
from scenebook.cache._input_states import TICK
from scenebook.cli import main
from scenebook.core.settings import Settings, describe
from scenebook.figure import svg_tracks
from scenebook.page.settings_file import SettingsFile, read_settings_file
from tests.support.builder import Builder, Outcome, building

BOARD = "site: {title: Tiny, url: https://example.org/tiny/}\npages: [scenes/page.yaml]\n"
MODULE = """
import numpy as np

calls = []


def compute(n=2, size=0.5, masked=False, shape="flat"):
    calls.append(n)
    grid = np.outer(np.arange(3), np.arange(3)) * size + n
    if masked:
        grid[0, 0] = -1
    return {"grid": grid, "total": grid.sum(), "word": "big" if n > 2 else "small", "calls": len(calls)}
"""
PAGE = """
slug: tour
title: Tour
summary: At the start it is {{ s.total:.1f }}; with n at its end it is {{ s.total @ n=8 :.1f }}.
scenes:
  - id: s
    title: Scene
    compute: one.py
    params: {size: 0.5}
    controls:
      - {param: n, label: 'entries $n$', values: [1, 2, 4, 8]}
      - {param: size, label: size, from: 0, to: 1, points: 3}
      - {param: masked, label: mask}
      - {param: shape, label: shape, values: [{value: flat, label: a plain one}, round]}
    text: |
      It is {{ s.total:.1f }}, which is {{ s.word }}; flat it is {{ s.total @ size=0 :.1f }}. So $n = {{ s.n }}$.
    figure:
      panels: [{heatmap: grid, title: 'for {{ s.n }}'}]
      cells: .1f
      caption: The grid. It sums to {{ s.total:.1f }}.
      alt: A grid that sums to {{ s.total:.1f }}.
    claims:
      - {say: The total is not much below zero., check: s.total > -10}
      - {say: It rises with each entry., check: 'increasing(s.total, along="n")'}
      - {say: It is least without a mask., check: 's.total >= at(s.total, masked=true)'}
      - {say: 'With a mask the corner is dark, at {{ s.total:.1f }}.', check: 's.grid[0][0] < 0', at: {masked: true}}
"""
SETTINGS = Settings({"n": (1, 2, 4, 8), "size": (0.0, 0.5, 1.0), "masked": (False, True), "shape": ("flat", "round")})


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Builder]:
    with building(tmp_path_factory.mktemp("controls") / "site") as (made,):
        yield made


def built(builder: Builder, page: str = PAGE, module: str = MODULE) -> Outcome:
    builder.empty()
    return edited(builder, page, module)


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Outcome]]:
    """The site as it is above, built once: its root, and what the build did."""
    with building(tmp_path_factory.mktemp("standing") / "site") as (made,):
        yield made.root, built(made)


def edited(builder: Builder, page: str = PAGE, module: str = MODULE) -> Outcome:
    (builder.root / "scenes").mkdir(exist_ok=True)
    for path, text in {"storyboard.yaml": BOARD, "scenes/page.yaml": page, "scenes/one.py": module}.items():
        (builder.root / path).write_text(text, encoding="utf-8")
    time.sleep(2 * TICK / 1e9)  # a build keeps no result of sources that are not older
    return builder.build()


def messages(outcome: Outcome) -> list[str]:
    return [str(problem) for problem in outcome.refused]


def scene_facts(outcome: Outcome) -> dict[str, object]:
    found: dict[str, object] = json.loads(outcome.tree["output/facts.json"])["pages"]["tour"]["scenes"]["s"]
    return found


def settings_file(outcome: Outcome) -> SettingsFile:
    return read_settings_file(outcome.tree["output/tour/s-settings.js"])


def column(outcome: Outcome, key: str, attribute: str = "", node: int = -1) -> tuple[str | None, ...]:
    """What a region is at each setting."""
    [track] = [each for each in settings_file(outcome).regions[key] if (each.node, each.attribute) == (node, attribute)]
    return track.values


def test_every_setting_is_a_run_that_sees_no_other(standing: tuple[Path, Outcome]) -> None:
    outcome = standing[1]
    assert messages(outcome) == []
    values = scene_facts(outcome)["settings"]["values"]  # type: ignore[index]
    assert values["calls"] == [1] * len(SETTINGS)
    assert values["n"] == [SETTINGS[number]["n"] for number in range(len(SETTINGS))]
    assert values["total"] == [
        9 * each["n"] + 9 * each["size"] - (each["n"] + 1) * each["masked"]  # type: ignore[operator]
        for each in map(SETTINGS.__getitem__, range(len(SETTINGS)))
    ]


def test_texts_follow_the_setting(standing: tuple[Path, Outcome]) -> None:
    outcome = standing[1]
    page = outcome.tree["output/tour/index.html"].decode()
    totals = scene_facts(outcome)["settings"]["values"]["total"]  # type: ignore[index]
    keys = re.findall(r'data-from="tour/s.total"(?: data-at="[^"]*")? data-follow="([^"]*)"', page)
    assert column(outcome, keys[0]) == tuple(f"{total:.1f}" for total in totals)
    without_size = [SETTINGS.moved(number, {"size": 0.0}) for number in range(len(SETTINGS))]
    assert column(outcome, keys[1]) == tuple(f"{totals[number]:.1f}" for number in without_size)
    [word] = re.findall(r'data-from="tour/s.word" data-follow="([^"]*)"', page)
    assert set(column(outcome, word)) == {"big", "small"}
    alts = column(outcome, "s--alt", "aria-label")
    assert alts == tuple(f"A grid that sums to {total:.1f}." for total in totals)


def test_texts_elsewhere_show_the_start_or_the_pinned_setting_and_say_so(standing: tuple[Path, Outcome]) -> None:
    page = standing[1].tree["output/tour/index.html"].decode()
    summary = page[page.index('class="prose summary"') : page.index('class="scene"')]
    start = "n = 2, size = 0.5, masked = false, shape = flat"
    pinned = "n = 8, size = 0.5, masked = false, shape = flat"
    assert re.findall(r'data-at="([^"]*)"[^>]*>([^<]*)<', summary) == [(start, "22.5"), (pinned, "76.5")]
    assert "data-follow" not in summary


def test_a_formula_follows_the_setting(standing: tuple[Path, Outcome]) -> None:
    outcome = standing[1]
    regions = settings_file(outcome).regions.values()
    [formula] = [track for tracks in regions for track in tracks if track.attribute == "*"]
    assert [re.sub("<[^>]*>", "", str(body)).split("n = ")[0] for body in dict.fromkeys(formula.values)] == [
        "n=1",
        "n=2",
        "n=4",
        "n=8",
    ]


def test_a_mark_after_a_number_with_room_stays_on_its_line(standing: tuple[Path, Outcome]) -> None:
    page = standing[1].tree["output/tour/index.html"].decode()
    assert re.search(r'<span class="whole"><data [^>]*--room: 4[^>]*>22.5</data>,</span> which is', page)


def test_a_claim_says_at_which_settings_it_holds(standing: tuple[Path, Outcome]) -> None:
    page = standing[1].tree["output/tour/index.html"].decode()
    assert "holds at all 48 settings" in page
    assert "holds at all 24 settings with masked = true" in page


@pytest.mark.parametrize("seed", range(3))
def test_a_setting_equals_what_run_gives(
    standing: tuple[Path, Outcome], tmp_path: Path, capsys: pytest.CaptureFixture[str], seed: int
) -> None:
    root, outcome = standing
    number = random.Random(seed).randrange(len(SETTINGS))
    pins = [describe({param: value}).replace(" = ", "=") for param, value in SETTINGS[number].items()]
    out = tmp_path / "out"
    assert main(["run", "s", *pins, "--out", str(out), "--root", str(root)]) == 0
    total = re.search(r"total +(\S+)", capsys.readouterr().out)
    assert total is not None
    values = scene_facts(outcome)["settings"]["values"]  # type: ignore[index]
    assert float(total[1]) == values["total"][number]
    tracks = settings_file(outcome).regions["s--grid"]
    followed = svg_tracks.applied(outcome.tree["output/tour/s-grid.svg"].decode(), tracks, number)
    drawn = (out / "s-grid.svg").read_text(encoding="utf-8")
    assert svg_tracks.applied(drawn, (), 0) == followed


def test_one_more_point_runs_that_point_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "scenes").mkdir()
    files = {"storyboard.yaml": BOARD, "scenes/page.yaml": PAGE, "scenes/one.py": MODULE}
    for path, text in files.items():
        (tmp_path / path).write_text(text, encoding="utf-8")
    time.sleep(2 * TICK / 1e9)
    assert main(["build", "--root", str(tmp_path)]) == 0
    (tmp_path / "scenes" / "page.yaml").write_text(PAGE.replace("[1, 2, 4, 8]", "[1, 2, 4, 8, 16]"), encoding="utf-8")
    capsys.readouterr()
    assert main(["build", "--root", str(tmp_path)]) == 0
    ran = re.findall(r"^compute tour/s at (\d+) settings", capsys.readouterr().out, re.MULTILINE)
    assert sum(map(int, ran)) == len(SETTINGS) // 4


def test_a_prose_edit_runs_nothing(builder: Builder) -> None:
    built(builder)
    outcome = edited(builder, PAGE.replace("which is", "and that is"))
    assert (messages(outcome), outcome.ran) == ([], frozenset())


def test_a_claim_that_fails_at_one_hidden_setting_names_it(builder: Builder) -> None:
    module = MODULE.replace(
        "    return", '    if (n, size, masked, shape) == (4, 1.0, True, "round"):\n        grid -= 100\n    return'
    )
    outcome = built(builder, module=module)
    where = "n = 4, size = 1, masked = true, shape = round"
    assert messages(outcome)[0] == (
        "scenes/page.yaml:23: scenes.s.claims.1: the claim 'The total is not much below zero.' fails: "
        f"'s.total > -10' is false at {where}: s.total is −860"
    )


def test_a_setting_that_fails_is_named(builder: Builder) -> None:
    module = MODULE.replace("    return", '    if n == 4:\n        raise ValueError("no")\n    return')
    where = "n = 4, size = 0, masked = false, shape = flat and at 11 other settings"
    assert messages(built(builder, module=module)) == [f"scenes/one.py:13: tour/s: at {where}: ValueError: no"]


def test_a_failure_at_every_setting_is_reported_once(builder: Builder) -> None:
    module = MODULE.replace("    return", '    raise ValueError("no")\n    return')
    assert messages(built(builder, module=module)) == ["scenes/one.py:12: tour/s: ValueError: no"]


def test_a_default_that_is_no_point_is_reported(builder: Builder) -> None:
    outcome = built(builder, module=MODULE.replace("n=2", "n=3"))
    message = (
        "the start n = 3 is not one of the points of the control; the nearest is 2; "
        "change the start under `params`, or the points"
    )
    assert messages(outcome) == [f"scenes/page.yaml:11: scenes.s.controls: {message}"]


def test_a_float_among_the_points_makes_the_parameter_a_float(builder: Builder) -> None:
    outcome = built(builder, PAGE.replace("[1, 2, 4, 8]", "[1, 2, 4, 8.0]"))
    assert messages(outcome) == []
    assert scene_facts(outcome)["params"]["n"] == 2.0  # type: ignore[index]
    assert isinstance(scene_facts(outcome)["params"]["n"], float)  # type: ignore[index]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("s.total @ n=3", "n = 3 is not one of the points of the control; the nearest is 2"),
        ("s.total @ m=3", "'m' is not a control of the scene; its controls are n, size, masked, shape"),
        ("s.total @ shape='oval'", "shape = oval is not one of the points of the control; they are flat, round"),
    ],
)
def test_a_value_pinned_to_nothing_is_reported(builder: Builder, value: str, message: str) -> None:
    outcome = built(builder, PAGE.replace("s.total @ size=0", value))
    assert messages(outcome) == [f"scenes/page.yaml:16: scenes.s.text: {{{{ {value} :.1f }}}}: {message}"]


def test_a_pin_needs_controls(builder: Builder) -> None:
    page = PAGE.replace("title: Tour", "title: Tour").replace("{{ s.total:.1f }};", "{{ t.x @ n=1 }};")
    outcome = built(builder, page + "  - {id: t, compute: two.py}\n".replace("two.py", "one.py"))
    assert "'t' has no value 'x'" in messages(outcome)[0]
    outcome = built(builder, page.replace("t.x", "t.n") + "  - {id: t, compute: one.py}\n")
    assert messages(outcome)[0].endswith("{{ t.n @ n=1 }}: 't' has no controls; leave out what follows @")


def test_a_value_that_some_settings_lack_is_reported(builder: Builder) -> None:
    module = MODULE.replace('"word": "big" if n > 2 else "small"', '**({"word": "big"} if n > 2 else {})')
    where = "n = 1, size = 0, masked = false, shape = flat"
    message = f"returns 'word' as a single value at some settings, but not at {where}; return the same everywhere"
    assert messages(built(builder, module=module)) == [f"scenes/one.py: tour/s: {message}"]


def test_the_lock_has_start_least_greatest_and_mean(standing: tuple[Path, Outcome]) -> None:
    lock = standing[1].tree["facts.lock"].decode().splitlines()
    assert lock[0] == "format = 2"
    assert [line for line in lock if line.startswith("tour/s.total.")] == [
        "tour/s.total.greatest = 81",
        "tour/s.total.least = 7",
        "tour/s.total.mean = 35.875",
        "tour/s.total.start = 22.5",
    ]
    assert "tour/s.masked.true = 24" in lock
    assert "tour/s.word.distinct = 2" in lock


def test_settings_that_take_too_long_to_load_are_refused(builder: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    assert assemble.MOST_BYTES == 300_000
    monkeypatch.setattr(assemble, "MOST_BYTES", 2_000)
    module = MODULE.replace(
        "np.outer", "np.random.default_rng([n, int(2 * size), masked]).normal(size=(19, 19)); other = np.outer"
    )
    [found] = [each for each in messages(built(builder, PAGE, module)) if "scenes.s.controls" in each]
    assert re.fullmatch(
        r"scenes/page.yaml:11: scenes.s.controls: all settings take \d+ kB to load, \d+ kB more than the 2 that are "
        r"allowed; use fewer points, or draw less",
        found,
    )
