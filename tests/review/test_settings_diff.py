"""A review compares scenes with controls at every setting that both sides have."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from scenebook.review import _built_site as built_site
from scenebook.review import _markdown_report as markdown_report
from scenebook.review import review
from scenebook.review._compare import compare
from scenebook.review._differences import Differences, SceneChange
from scenebook.review._settings_diff import SettingsChange
from tests.support.builder import Builder, building
from tests.support.review_site import write

SITE = "site: {title: T, url: https://example.org/, numbers: off}\npages: [scenes/page.yaml]\n"
PAGE = """\
slug: tour
title: Tour
summary: Words.
scenes:
  - id: my_scene
    title: Scene
    compute: one.py
    controls: [{param: n, label: n, values: [1, 2, 4]}, {param: masked, label: mask}]
    text: It is {{ my_scene.total:.2f }}, {{ my_scene.word }}.
    figure: {panels: [{heatmap: grid}], vmin: 0, vmax: 9, caption: A grid., alt: Squares in some colours.}
"""
MODULE = """\
import numpy as np


def compute(n=1, masked=False):
    return {"grid": np.full((2, 2), n + masked), "total": 4.5 * n, "word": "big" if n > 2 else "small"}
"""


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Builder]:
    with building(tmp_path_factory.mktemp("review") / "site") as (made,):
        yield made


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "before", tmp_path / "after"


def built(builder: Builder, into: Path, page: str, module: str) -> built_site.BuiltSite:
    builder.empty()
    write(builder.root, {"storyboard.yaml": SITE, "scenes/page.yaml": page, "scenes/one.py": module})
    assert builder.build().refused == ()
    shutil.copytree(builder.root / "output", into)
    return built_site.read(into)


def differences(
    builder: Builder, folders: tuple[Path, Path], page: str = PAGE, module: str = MODULE, old_page: str = PAGE
) -> Differences:
    return compare(built(builder, folders[0], old_page, MODULE), built(builder, folders[1], page, module))


def settings(found: Differences) -> SettingsChange:
    [scene] = found.scenes
    assert isinstance(scene, SceneChange)
    assert scene.settings is not None
    return scene.settings


def test_a_value_that_changed_at_a_hidden_setting_is_reported_where_it_changed_most(
    builder: Builder, folders: tuple[Path, Path]
) -> None:
    found = differences(builder, folders, module=MODULE.replace("4.5 * n", "4.5 * n + (n == 4) * (1 + masked)"))
    change = settings(found)
    [value] = change.values
    assert (value.name, value.changed, change.common) == ("total", 2, 6)
    assert (value.where, value.before, value.after) == ("n = 4, masked = true", 18.0, 20.0)
    assert (change.pictures, change.added, change.removed) == ((), (), ())
    assert found.scenes[0].values == ()


def test_a_panel_that_changed_at_some_settings_is_shown_at_one_of_them(
    builder: Builder, folders: tuple[Path, Path]
) -> None:
    found = differences(builder, folders, module=MODULE.replace("n + masked)", "n + 3 * masked)"))
    [picture] = settings(found).pictures
    assert (picture.panel, picture.changed, picture.where) == ("grid", 3, "n = 1, masked = true")
    assert picture.before.startswith("<svg ")
    assert picture.before != picture.after


def test_points_that_were_added_and_removed_are_listed(builder: Builder, folders: tuple[Path, Path]) -> None:
    change = settings(differences(builder, folders, PAGE.replace("[1, 2, 4]", "[1, 2, 3, 8]")))
    assert (change.added, change.removed, change.common) == (("n = 3", "n = 8"), ("n = 4",), 4)
    assert (change.values, change.pictures) == ((), ())


def test_a_new_control_is_compared_at_its_start(builder: Builder, folders: tuple[Path, Path]) -> None:
    old = PAGE.replace(", {param: masked, label: mask}", "")
    module = MODULE.replace("4.5 * n", "4.5 * n + (n == 2)")
    change = settings(differences(builder, folders, module=module, old_page=old))
    assert (change.added, change.common) == (("the control masked",), 3)
    assert [(value.changed, value.where) for value in change.values] == [(1, "n = 2, masked = false")]


def test_a_scene_that_gets_controls_says_so(builder: Builder, folders: tuple[Path, Path]) -> None:
    old = PAGE.replace(PAGE[PAGE.index("    controls") : PAGE.index("    text")], "")
    change = settings(differences(builder, folders, old_page=old))
    assert change.added == ("the control n", "the control masked")


def test_equal_sites_have_no_changed_settings(builder: Builder, folders: tuple[Path, Path]) -> None:
    assert not differences(builder, folders)


def test_every_form_of_the_report_tells_of_changed_settings(builder: Builder, folders: tuple[Path, Path]) -> None:
    module = MODULE.replace("n + masked)", "n + 3 * masked)").replace("4.5 * n", "4.5 * n + (n == 4)")
    differences(builder, folders, module=module)
    result = review.review(builder.root, str(folders[0]), str(folders[1]))
    assert review.headline(result) == "1 scene changed, settings of 1 scene; 0 scenes unchanged"
    report = builder.root / "review"
    row = "| `total` changed at 2 of 6 settings, most at n = 4, masked = false | 18 | 19 | +1 | +5.56 % |"
    assert row in markdown_report.render(result)
    page = (report / "index.html").read_text(encoding="utf-8")
    assert "changed at 3 of 6 settings; shown at n = 1, masked = true" in page
    before = report / "settings/tour/my_scene-grid-before.svg"
    assert f'src="{before.relative_to(report).as_posix()}"' in page
    assert before.read_text(encoding="utf-8").startswith("<svg ")
    [scene] = json.loads((report / "report.json").read_text(encoding="utf-8"))["differences"]["pages"][0]["scenes"]
    assert scene["settings"]["values"][0]["changed"] == 2
