"""A page as its readers see it, and what lists show of it."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from scenebook.page import compose, views
from scenebook.page.compose import small
from scenebook.page.views import PageView
from scenebook.storyboard import loader

SITE: Any = SimpleNamespace(url="https://example.org/", author="A", plain_title="T")
BOARD = """\
site: {title: T, url: https://example.org/}
pages: [page.yaml]
"""


def composed(root: Path, written: str) -> tuple[PageView, list[str]]:
    """The view of a page whose scenes compute nothing, and what is wrong with its texts."""
    (root / "storyboard.yaml").write_text(BOARD, encoding="utf-8")
    (root / "page.yaml").write_text(written, encoding="utf-8")
    book = loader.load(root).book
    scopes = compose.scopes(book.pages, book.site, {}, ())
    material = compose.Material(book.pages[0], scopes[book.pages[0].slug], {}, {})
    view = compose.page_view(material, book.site, compose.judge(material))
    return view, list(map(str, material.scope.problems))


HEATMAP = '<svg class="panel" viewBox="0 0 330 311" width="330" height="311" data-box="39 1 288 270.5">'
CROPPED = '<svg class="panel" viewBox="38 0 290 272.5" width="290" height="272.5" data-box="39 1 288 270.5">'
LINES = '<svg class="panel" viewBox="0 0 330 311" width="330" height="311">'


def view(svg: str) -> Any:
    return SimpleNamespace(card=SimpleNamespace(panels=[SimpleNamespace(svg=svg)]))


@pytest.mark.parametrize(("drawing", "expected"), [(HEATMAP, CROPPED), (LINES, LINES)])
def test_a_small_drawing_keeps_the_room_of_texts_that_it_lost(drawing: str, expected: str) -> None:
    text, cell = '<text x="1">the <tspan>viewBox</tspan></text>', '<path d="M39 1z" /></svg>'
    assert small(view(drawing + text + cell)) == expected + cell


def test_a_page_without_figure_has_a_small_drawing() -> None:
    page: Any = SimpleNamespace(card=None)
    assert small(page) == ""


def test_notes_are_counted_through_the_page(tmp_path: Path) -> None:
    written = """\
slug: one
title: One
summary: "First[^1], second[^b].\\n\\n[^b]: b\\n\\n[^1]: a"
scenes:
  - {id: summary, text: "Third[^1].\\n\\n[^1]: c"}
  - {id: none, text: Nothing.}
  - {id: two, text: "Fourth[^1], fifth[^2], fourth[^1].\\n\\n[^1]: d\\n\\n[^2]: e"}
trap:
  wrong: "Sixth[^1].\\n\\n[^1]: f"
  right: "Seventh[^1].\\n\\n[^1]: g"
takeaways: ["Eighth[^1].\\n\\n[^1]: h", "Ninth[^1].\\n\\n[^1]: i"]
"""
    view, problems = composed(tmp_path, written)
    assert problems == []
    shown = [view.summary, *(scene.text for scene in view.scenes), view.wrong, view.right, *view.takeaways]
    html = "".join(map(str, shown))
    assert re.findall(r'class="footnote-ref" href="#fn:(\d+)">\1<', html) == list("1234546789")
    assert re.findall(r'<li id="fn:(\d+)"[^>]*>\s*<p>(\w)', html) == list(zip("123456789", "abcdefghi", strict=True))
    assert re.findall(r'<ol(?: start="(\d+)")?>', html) == ["", "3", "4", "6", "7", "8", "9"]
    ids = re.findall(r'id="([^"]*)"', html)
    assert len(ids) == len(set(ids)) == 19
    assert {link.removeprefix("#") for link in re.findall(r'href="([^"]*)"', html)} == set(ids)
    assert view.description == "First, second."


@pytest.mark.parametrize(
    ("entries", "shown"),
    [
        (["2017"], "2017"),
        (["8", "512"], "8 and 512"),
        (["8", "512", "-65 %"], "8, 512 and -65 %"),
        (["Section 3.2.1", "section 3.5"], "<q>Section 3.2.1</q> and <q>section 3.5</q>"),
        (["28.4 BLEU", "and 41.8 from"], "<q>28.4 BLEU</q> and 41.8"),
        (["2007", "5 to 10 minutes", "of 4 or 5 hours, as"], "2007, <q>5 to 10 minutes</q> and <q>4 or 5 hours</q>"),
        (["the 41.8", "and 41.8 from", "41.8"], "41.8"),
        (["8x <b>&"], "<q>8x &lt;b&gt;&amp;</q>"),
    ],
)
def test_quoted_numbers_are_listed_as_a_sentence_would(tmp_path: Path, entries: list[str], shown: str) -> None:
    view, _ = composed(
        tmp_path, f"slug: one\ntitle: One\nsummary: A.\nscenes: [{{id: a}}]\nquoted: {{Source: {entries}}}\n"
    )
    ending = views.render(views.environment(tmp_path), "ending.html", page=view, site=SITE).decode()
    assert re.findall("<dt>Source</dt><dd>(.*)</dd>", ending)[0].replace("<bdi>", "").replace("</bdi>", "") == shown


def test_a_citation_has_no_marks_of_direction(tmp_path: Path) -> None:
    view, _ = composed(tmp_path, "slug: one\ntitle: One\nsummary: A.\nscenes: [{id: a}]\n")
    named = view._replace(tex_title="שלום \u2066−1.5\u2069 & more")
    assert "  title = {{שלום −1.5 \\& more}},\n" in views.bibtex(named, SITE)
