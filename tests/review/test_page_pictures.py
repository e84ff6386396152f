"""Pictures of pages before and after a change of styles, with programs that stand for a browser."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from scenebook.review import _html_report as html_report
from scenebook.review import _markdown_report as markdown_report
from scenebook.review import _page_pictures as page_pictures
from scenebook.review import _pixel_diff as pixel_diff
from scenebook.review import _wording as wording
from scenebook.review._differences import Differences, FileChange, MarkupChange, PageChange, Pictures, Review, Side

PAGES = tuple(f"p{number}/index.html" for number in range(6))
BROWSER = f"""#!{sys.executable}
import sys
from pathlib import Path
from urllib.parse import urlsplit
from PIL import Image
to = next(part.partition("=")[2] for part in sys.argv if part.startswith("--screenshot="))
page = Path(urlsplit(sys.argv[-1]).path)
size = next(part.partition("=")[2] for part in sys.argv if part.startswith("--window-size=")).split(",")
picture = Image.new("RGB", tuple(map(int, size)), "white")
picture.paste("black", (0, 0, 50, len(page.read_text()) * 10))
picture.save(to)
"""


def browser(folder: Path, text: str = BROWSER) -> str:
    (folder / "browser").write_text(text, encoding="utf-8")
    (folder / "browser").chmod(0o755)
    return str(folder / "browser")


@pytest.fixture
def sites(tmp_path: Path) -> tuple[Path, Path]:
    for side, text in (("before", "four"), ("after", "seven..")):
        for page in PAGES:
            (tmp_path / side / page).parent.mkdir(parents=True)
            (tmp_path / side / page).write_text("four" if page == PAGES[1] else text, encoding="utf-8")
    return tmp_path / "before", tmp_path / "after"


STYLE = Differences(markup=(MarkupChange(("+ <b>",), PAGES[:1]),), files=(FileChange("a.css", "changed", PAGES),))


def reviewed(pictures: Pictures) -> Review:
    return Review(Side("a"), Side("b"), STYLE, pictures=pictures)


def page(pictures: Pictures) -> str:
    templates = Path(html_report.__file__).parents[2] / "templates"
    return html_report.render(reviewed(pictures), templates).decode()


def test_pages_are_shown_before_and_after_in_one_size(
    sites: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHROMIUM", browser(tmp_path))
    found = page_pictures.take(*sites, STYLE)
    assert [shown.path for shown in found.pages] == list(PAGES[:4])
    assert (found.left, found.problem) == (PAGES[4:], "")
    first, same = found.pages[:2]
    assert (first.size, same.before) == ((page_pictures.WIDTH, 70), b"")
    files = page_pictures.files(found)
    assert len(files) == 6
    assert {pixel_diff.size(content) for content in files.values()} == {first.size}
    report = page(found)
    assert report.count("<img") == report.count(f'width="{page_pictures.WIDTH}" height="70"') == len(files)
    assert all(f'src="{path}"' in report for path in files)
    assert "It looks the same" in report
    assert "Further pages: p4 and p5" in report
    assert wording.looks(found) == "p0, p2 and p3 look different; p1 looks the same; not shown: p4 and p5"
    assert f"\n\n{wording.looks(found)}\n" in markdown_report.render(reviewed(found))


@pytest.mark.parametrize(
    ("program", "problem"),
    [("", page_pictures.NO_BROWSER), ("#!/bin/sh\nexit 1\n", " could not show these pages, so there are no pictures")],
)
def test_without_a_picture_the_review_says_why_and_lists_the_pages(
    program: str, problem: str, sites: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHROMIUM", browser(tmp_path, program) if program else str(tmp_path / "none"))
    found = page_pictures.take(*sites, STYLE)
    assert (found.pages, found.left) == ((), PAGES)
    assert found.problem.endswith(problem)
    assert f"{found.problem}." in page(found)
    assert "p0, p1, p2, p3, p4 and p5" in page(found)


def test_a_page_is_shown_under_its_new_name_and_needs_both_sides(
    sites: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHROMIUM", browser(tmp_path))
    (sites[1] / "p0").rename(sites[1] / "new")
    (sites[1] / "p1/index.html").unlink()
    reached = ("new/index.html", "p1/index.html", "p2/index.html")
    renamed = PageChange("new", "New", "renamed", was="p0")
    found = page_pictures.take(*sites, Differences((renamed,), files=(FileChange("a.css", "changed", reached),)))
    assert [shown.path for shown in found.pages] == ["new/index.html", "p2/index.html"]
    assert [bool(shown.before) for shown in found.pages] == [True, True]


def test_no_browser_is_started_for_other_changes(sites: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHROMIUM", "/nowhere")
    feed = FileChange("feed.xml", "changed")
    assert page_pictures.take(*sites, Differences(files=(feed,))) == Pictures()
