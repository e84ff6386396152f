"""Scenes that repeat their run, from the storyboard to the files of the site."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from scenebook.build.one_scene import why
from scenebook.build.options import BuildOptions
from scenebook.cache._input_states import TICK
from scenebook.core.problems import Problems, stop_on
from scenebook.page.settings_file import read_settings_file
from scenebook.review import _built_site as built_site
from tests.support.builder import Builder, Outcome, building

BOARD = "site: {title: Tiny, url: https://example.org/tiny/}\npages: [scenes/page.yaml, scenes/other.yaml]\n"
OTHER = """
slug: other
title: Other
summary: Elsewhere it is {{ chance/s.mean.about }}, from {{ chance/s.mean.low:.3f }}.
scenes: [{id: t, title: Text, text: Nothing.}]
"""
MODULE = """
import numpy as np

calls = []


def compute(n=3, shift=0.0, seed=2017):
    calls.append(seed)
    place = (seed - 2017) % 20
    return {"mean": 0.4 + shift + place / 100, "hits": 760 + place, "same": n, "calls": len(calls),
            "walk": np.arange(4.0) + place}
"""
PAGE = """
slug: chance
title: Chance
summary: The mean is {{ s.mean.about }}.
scenes:
  - id: s
    title: Scene
    compute: one.py
    repeat: {seed: 20}
    text: |
      It is {{ s.mean:.1f }}, {{ s.mean.range }}, with {{ s.mean.low:.2f }} as the low of {{ s.mean.runs }} runs.
      So $h = {{ s.hits.about }}$, in {{ s.same }} ways, from seed {{ s.seed }}.
    figure:
      panels: [{bars: walk}]
      caption: The walk. It is {{ s.mean:.1f }}.
      alt: A walk of {{ s.mean.about }}.
    claims:
      - {say: The mean is large., check: s.mean > 0.3}
"""
CONTROLS = "    controls: [{param: shift, label: shift, values: [0, 0.1, 0.5]}]\n"


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Builder]:
    with building(tmp_path_factory.mktemp("repeats") / "site") as (made,):
        yield made


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Outcome]]:
    """The site as it is above, built once: its root, and what the build did."""
    with building(tmp_path_factory.mktemp("standing") / "site") as (made,):
        yield made.root, edited(made)


def built(builder: Builder, page: str = PAGE, module: str = MODULE) -> Outcome:
    builder.empty()
    return edited(builder, page, module)


def edited(builder: Builder, page: str = PAGE, module: str = MODULE) -> Outcome:
    (builder.root / "scenes").mkdir(exist_ok=True)
    texts = {"storyboard.yaml": BOARD, "scenes/page.yaml": page, "scenes/other.yaml": OTHER, "scenes/one.py": module}
    for path, text in texts.items():
        (builder.root / path).write_text(text, encoding="utf-8")
    time.sleep(2 * TICK / 1e9)  # a build keeps no result of sources that are not older
    return builder.build()


def messages(outcome: Outcome) -> list[str]:
    return [str(problem) for problem in outcome.refused]


def shown(outcome: Outcome, page: str = "chance") -> list[tuple[str, str, str]]:
    """The values on a page: the name, what is asked of its runs, and the text."""
    text = outcome.tree[f"output/{page}/index.html"].decode()
    pattern = r'<data value="[^"]*" data-from="chance/s\.([^"]*)"(?: data-stat="([^"]*)")?[^>]*>([^<]*)<'
    return re.findall(pattern, text)


def test_texts_say_how_a_value_varies_over_the_runs(standing: tuple[Path, Outcome]) -> None:
    outcome = standing[1]
    assert messages(outcome) == []
    assert shown(outcome)[:8] == [
        ("mean", "about", "0.49"),
        ("mean", "", "0.4"),
        ("mean", "range", "0.41 to 0.58"),
        ("mean", "low", "0.41"),
        ("mean", "runs", "20"),
        ("same", "", "3"),
        ("seed", "", "2017"),
        ("mean", "", "0.4"),
    ]
    assert "h equals 770" in outcome.tree["output/chance/index.html"].decode()
    assert shown(outcome, "other") == [("mean", "about", "0.49"), ("mean", "low", "0.410")]


def test_figures_and_values_are_those_of_the_first_run(standing: tuple[Path, Outcome]) -> None:
    page = standing[1].tree["output/chance/index.html"].decode()
    assert "<dt><code>hits</code></dt><dd>760</dd>" in page


def test_one_more_seed_is_one_more_run(builder: Builder, tmp_path: Path) -> None:
    stop = tmp_path / "stop"  # a file outside of the site is not observed
    check = f"    import os\n    assert seed == 2037 or not os.path.exists({str(stop)!r})\n    calls"
    module = MODULE.replace("    calls", check, 1)
    assert messages(built(builder, module=module)) == []
    stop.touch()
    assert messages(edited(builder, PAGE.replace("{seed: 20}", "{seed: 21}"), module)) == []
    assert "AssertionError" in messages(edited(builder, module=f"{module}# ".rstrip()))[0]


def test_seeds_can_be_named_and_the_start_comes_first(builder: Builder) -> None:
    outcome = built(builder, PAGE.replace("{seed: 20}", "{seed: [2019, 2017, 2018]}"))
    assert messages(outcome) == []
    assert shown(outcome)[1:5] == [
        ("mean", "", "0.4"),
        ("mean", "range", "0.40 to 0.42"),
        ("mean", "low", "0.40"),
        ("mean", "runs", "3"),
    ]


def test_every_point_of_a_control_is_repeated(builder: Builder) -> None:
    page = PAGE.replace("    text: |", f"{CONTROLS}    text: |").replace("s.mean > 0.3", "s.mean > 0.3 + s.shift / 2")
    outcome = built(builder, page)
    assert messages(outcome) == []
    script = outcome.tree["output/chance/s-settings.js"].decode()
    for text in ("0.41 to 0.58", "0.51 to 0.68", "0.91 to 1.08"):
        assert text in script


def test_digits_as_written_are_not_checked(builder: Builder) -> None:
    page = PAGE.replace("{{ s.mean:.1f }}, {{", "{{ s.mean:.4f }}, {{")
    refused = messages(built(builder, page))
    assert [message.split(" varies")[0] for message in refused] == [
        "scenes/page.yaml:11: scenes.s.text: {{ s.mean:.4f }}"
    ]
    assert messages(edited(builder, page.replace("{seed: 20}\n", "{seed: 20}\n    digits: as written\n"))) == []


def test_a_claim_says_for_how_many_seeds_it_holds(builder: Builder) -> None:
    claims = (
        "      - {say: The mean is small., check: s.mean < 0.585, in: 0.95}\n"
        "      - {say: So is its low., check: s.mean.low < 0.45}\n"
        "      - {say: Walks differ., check: 's.walk[1] < 20.5', at: {shift: 0}}\n"
    )
    page = f"{PAGE}{claims}".replace("    text: |", f"{CONTROLS}    text: |").replace("0.1, 0.5]", "0.0001]")
    trap = "trap: {wrong: It is large., right: It is small., claims: [{say: It is., check: s.mean < 0.7}]}\n"
    outcome = built(builder, f"{page}{trap}")
    assert messages(outcome) == []
    text = outcome.tree["output/chance/index.html"].decode()
    assert re.findall(r'<span class="where">([^<]*)</span>', text) == [
        "held at all 2 settings, for 20 of 20 seeds",
        "held at all 2 settings, for 19 of 20 seeds",
        "holds at all 2 settings",
        "held at the one setting with shift = 0, for 20 of 20 seeds",
        "held for 20 of 20 seeds",
    ]


def test_a_claim_that_held_is_not_forgotten_when_a_seed_is_added(builder: Builder) -> None:
    assert messages(built(builder, PAGE.replace("> 0.3", "< 0.595"))) == []
    [message] = messages(
        edited(builder, PAGE.replace("> 0.3", "< 0.595").replace("seed: 20", "seed: 40"), MODULE.replace("% 20", ""))
    )
    assert message.endswith("is false at seed = 2037: s.mean is 0.6; it fails in 20 of 40 runs")


def test_facts_lock_has_low_and_high_of_what_differs(standing: tuple[Path, Outcome]) -> None:
    lock = standing[1].tree["facts.lock"].decode().splitlines()
    assert lock[1:11] == [
        "chance/s.calls = 1",
        "chance/s.hits = 760",
        "chance/s.hits.high = 778",
        "chance/s.hits.low = 761",
        "chance/s.mean = 0.4",
        "chance/s.mean.high = 0.58",
        "chance/s.mean.low = 0.41",
        "chance/s.n = 3",
        "chance/s.same = 3",
        "chance/s.seed = 2017",
    ]


def test_a_review_reads_how_values_vary(standing: tuple[Path, Outcome]) -> None:
    [page, _] = built_site.read(standing[0] / "output").pages
    spreads = page.scenes[0].spreads
    assert spreads == {"mean": pytest.approx((0.41, 0.58)), "hits": (761, 778)}


def test_what_shows_one_run_says_which_one(standing: tuple[Path, Outcome]) -> None:
    page = standing[1].tree["output/chance/index.html"].decode()
    assert page.count("run 1 of 20") == 3  # at the figure, at its table and at the list of values
    assert "This is run 1 of 20, seed = 2017. The whiskers reach from the low to the high of all runs." in page
    assert "Another run would change some of them" not in page


def test_the_page_says_that_digits_are_as_written(builder: Builder) -> None:
    outcome = built(builder, PAGE.replace("{seed: 20}\n", "{seed: 20}\n    digits: as written\n"))
    assert "Another run would change some of them" in outcome.tree["output/chance/index.html"].decode()


SEEDED = (
    "import numpy as np\n\n\ndef compute(seed=3):\n    return {'mean': np.random.default_rng(seed).random(9).mean()}\n"
)
ONCE = """
slug: chance
title: Chance
summary: Nothing.
scenes: [{id: once, compute: one.py}, {id: s, compute: one.py, repeat: {seed: 20}}]
"""


def test_a_seeded_generator_without_repeats_is_noted_and_passes_a_strict_build(builder: Builder) -> None:
    outcome = built(builder, ONCE, SEEDED)
    [note] = outcome.warnings
    assert str(note) == (
        "scenes/page.yaml:5: scenes.once.compute: note: scenes/one.py:5 seeds a generator; say what other seeds give, "
        "with `repeat: {seed: 20}`"
    )
    stop_on(outcome.warnings, strict=True)
    with pytest.raises(Problems):
        stop_on([note, note._replace(note=False)], strict=True)


def test_bars_have_whiskers_and_their_table_low_and_high(standing: tuple[Path, Outcome]) -> None:
    csv = standing[1].tree["output/chance/s-walk.csv"].decode().splitlines()
    assert csv[:2] == [',walk,"walk, low","walk, high"', "0,0.0,1.0,18.0"]
    assert 'stroke-width="1.2"' in standing[1].tree["output/chance/s-walk.svg"].decode()


def test_a_line_has_a_band_at_every_setting(builder: Builder) -> None:
    page = PAGE.replace("{bars: walk}", "{lines: [{value: walk, band: true}]}")
    page = page.replace("    text: |", f"{CONTROLS}    text: |").replace(
        "      caption", "      x: {values: step}\n      caption"
    )
    outcome = built(
        builder, page.replace("0.1, 0.5]", "0.0001]"), MODULE.replace('"walk"', '"step": np.arange(4), "walk"')
    )
    assert messages(outcome) == []
    assert 'opacity="0.2"' in outcome.tree["output/chance/s-walk.svg"].decode()
    csv = outcome.tree["output/chance/s-walk.csv"].decode().splitlines()
    assert csv[:2] == [',walk,"walk, low","walk, high"', "0,0.0,1.0,18.0"]


def test_a_band_needs_repeats(builder: Builder) -> None:
    page = ONCE.replace(
        "{id: once, compute: one.py}",
        "{id: once, compute: one.py, figure: {panels: [{lines: [{value: "
        "row, band: true}]}], x: {values: row}, caption: A line., alt: A line that goes up.}}",
    )
    module = SEEDED.replace("{'mean'", "{'row': np.arange(3), 'mean'")
    assert messages(built(builder, page, module))[1:] == [
        (
            "scenes/page.yaml:5: scenes.once.figure.panels.1.lines: row: the band needs the runs of a scene with "
            "`repeat`, in each of which it is as long"
        )
    ]


def test_an_element_of_an_array_earns_its_digits_as_any_number(builder: Builder) -> None:
    written = "It is {{ s.walk[1]:.1f }}, {{ s.walk[3].about }}, {{ s.walk[0].high:.0f }}"
    found = messages(built(builder, PAGE.replace("It is {{ s.mean:.1f }}", written, 1)))
    assert [message.removeprefix("scenes/page.yaml:11: scenes.s.text: ") for message in found] == [
        (
            "{{ s.walk[1]:.1f }} varies from 1 to 19 over 20 runs, so another seed would change the digits of 1.0; "
            "write {{ s.walk[1].range }}"
        ),
        "{{ s.walk[3].about }}: not one digit is the same for all seeds, from 4 to 21; write {{ s.walk[3].range }}",
    ]
    written = "It is {{ s.walk[1].range }}, {{ s.walk[0].high:.0f }}"
    outcome = edited(builder, PAGE.replace("It is {{ s.mean:.1f }}", written, 1))
    assert messages(outcome) == []
    assert [text for name, _, text in shown(outcome) if name.startswith("walk")] == ["2 to 19", "18"]


def test_a_claim_of_another_page_is_checked_for_every_run(builder: Builder) -> None:
    page = f"{OTHER}claims: [{{say: It is small., check: '{{{{ chance/s.mean }}}} < 0.585'}}]\n"
    built(builder)
    (builder.root / "scenes" / "other.yaml").write_text(page, encoding="utf-8")
    [message] = messages(builder.build())
    assert message.endswith("is false at seed = 2036: chance/s.mean is 0.59")
    (builder.root / "scenes" / "other.yaml").write_text(page.replace("mean }}", "mean.high }}"), encoding="utf-8")
    assert messages(builder.build()) == []


def test_the_tips_of_cells_name_the_spread_at_every_setting(builder: Builder) -> None:
    page = PAGE.replace("{bars: walk}", "{heatmap: cells}").replace("      caption", "      cells: d\n      caption")
    module = MODULE.replace('"walk"', '"cells": np.arange(4).reshape(2, 2) * place + int(10 * shift), "walk"')
    outcome = built(builder, page, module)
    assert messages(outcome) == []
    cells = re.findall(r'<td data-spread="([^"]*)">([^<]*)</td>', outcome.tree["output/chance/index.html"].decode())
    assert cells == [("0 to 0", "0"), ("1 to 18", "0"), ("2 to 36", "0"), ("3 to 54", "0")]
    page = page.replace("    text: |", f"{CONTROLS}    text: |").replace("0.1, 0.5]", "0.1]")
    controlled = edited(builder, page.replace("s.mean > 0.3", "s.mean > 0.2"), module)
    assert messages(controlled) == []
    tracks = read_settings_file(controlled.tree["output/chance/s-settings.js"]).regions["s--cells-data"]
    spreads = [track.values for track in tracks if track.attribute == "data-spread"]
    assert spreads == [("0 to 0", "1 to 1"), ("1 to 18", "2 to 19"), ("2 to 36", "3 to 37"), ("3 to 54", "4 to 55")]


@pytest.mark.parametrize("controls", ["", CONTROLS])
def test_nothing_runs_again_without_a_reason(builder: Builder, controls: str) -> None:
    page = PAGE.replace("    text: |", f"{controls}    text: |")
    assert messages(built(builder, page)) == []
    assert edited(builder, page.replace("Scene\n", "The scene\n")).ran == frozenset()
    assert why(BuildOptions(builder.root), "chance/s")[0].startswith("chance/s is up to date")
