"""The report that is one file, and the pictures that a comment can show."""

from __future__ import annotations

import re
from base64 import b64decode
from dataclasses import replace

from scenebook.cache.versions import OWN_TEMPLATES
from scenebook.review import _html_report as html_report
from scenebook.review import _report_pictures as report_pictures
from scenebook.review._differences import PictureChange, Review, SceneChange
from scenebook.review._pixel_diff import Difference
from scenebook.review._settings_diff import SettingPicture, SettingsChange
from tests.review.test_report import change, scenes

STYLES = dict.fromkeys(html_report.STYLES, b"p { color: red; }\n")


def changed(number: int, differ: int, **fields: PictureChange) -> SceneChange:
    difference = Difference((10, 10), (10, 10), differ, 100, 255, (0, 0, 1, 1), b"")
    path = f"one/s{number}.png"
    return change(number, picture=fields.get("picture", PictureChange("changed", path, path, difference)))


def files(review: Review, size: int) -> dict[str, bytes]:
    """Return the files of a report, with pictures of this size that differ from each other."""
    page = html_report.render(review, OWN_TEMPLATES).decode()
    paths = re.findall(r'<img src="([^"]*)"', page)
    return {**STYLES, **{path: path.encode().ljust(size) for path in paths}}


def pictures_inside(page: str) -> set[str]:
    sources = re.findall(r'<img src="data:image/[a-z+]+;base64,([^"]*)"', page)
    return {b64decode(source).decode().strip() for source in sources}


def test_the_report_in_one_file_refers_to_no_other() -> None:
    review = scenes(changed(1, 5))
    page = html_report.render_alone(review, OWN_TEMPLATES, files(review, 10)).decode()
    assert pictures_inside(page) == {"before/one/s1.png", "after/one/s1.png", "differences/one/s1.png"}
    assert page.count("color: red") == 2
    assert not re.search(r'(?:src|href)="(?!data:image/|#)|url\(', page)
    assert "pictures are only there" not in page


def test_the_report_in_one_file_links_to_the_review_that_has_the_rest() -> None:
    review = replace(scenes(), link="https://github.com/example/site/actions/runs/1")
    page = html_report.render_alone(review, OWN_TEMPLATES, STYLES).decode()
    assert re.findall(r'href="([^#"][^"]*)"', page) == [review.link]


def test_the_most_changed_pictures_fit_and_the_others_are_listed() -> None:
    review = scenes(*(changed(number, differ=number) for number in range(1, 21)))
    page = html_report.render_alone(review, OWN_TEMPLATES, files(review, 200_000))
    assert 4_000_000 < len(page) < 5_000_000
    inside = {int(number) for number in re.findall(r"before/one/s(\d+)", " ".join(pictures_inside(page.decode())))}
    assert inside == {15, 16, 17, 18, 19, 20}
    assert "42 of 60 pictures are only there" in page.decode()
    listed = re.findall(r"<li><code>(\S+)\.png</code></li>", page.decode())
    sides = ("before", "after", "differences")
    assert listed == [f"{side}/one/s{number}" for number in range(1, 15) for side in sides]


def test_new_and_removed_figures_come_before_changed_ones() -> None:
    added, removed = PictureChange("added", None, "one/a.png"), PictureChange("removed", "one/b.png", None)
    review = scenes(changed(1, 99), changed(2, 0, picture=added), changed(3, 0, picture=removed))
    ranked = report_pictures.figures_by_change(review.differences)
    assert [scene.name for scene in ranked] == ["one/s2", "one/s3", "one/s1"]
    assert [report_pictures.figure(scene) for scene in ranked[:2]] == [
        (("after", "after/one/a.png"),),
        (("before", "before/one/b.png"),),
    ]


def test_pictures_at_settings_are_inside_too() -> None:
    panel = SettingPicture("wave", 2, "n = 3", "<svg/>", "<svg></svg>")
    review = scenes(change(1, settings=SettingsChange(common=4, pictures=(panel,))))
    page = html_report.render_alone(review, OWN_TEMPLATES, files(review, 10)).decode()
    assert pictures_inside(page) == {"settings/one/s1-wave-before.svg", "settings/one/s1-wave-after.svg"}
