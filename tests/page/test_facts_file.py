"""facts.json holds every text of a page by the name of its field."""

import json
from pathlib import Path
from typing import Any

from scenebook.core import digests
from scenebook.page import facts_file
from scenebook.page.judged_claims import judge
from scenebook.page.page_view import page_view
from scenebook.storyboard import loader
from tests.support.sample_page import material_of

PAGE = """\
slug: one
title: One of $x$
summary: "*A*."
description: "B & {{ gone.x }}."
terms: [{term: C, at: a}]
paper: {title: "D < E", authors: [F, G], year: 2017, url: https://example.org/paper}
scenes: [{id: a, title: H, text: "I."}]
takeaways: [J., K.]
companions: [{title: L, page: one}]
quoted: {M: ["8"]}
"""


def facts(root: Path) -> dict[str, Any]:
    material, site = material_of(root, PAGE)
    judged = judge(material)
    return facts_file.page_facts(material, judged, page_view(material, site, judged), {})


def test_texts_are_listed_by_field_and_the_texts_of_a_list_together(tmp_path: Path) -> None:
    found = facts(tmp_path)
    title = found["texts"].pop("title")
    assert title.startswith("One of <math")
    assert found["texts"] == {
        "summary": "<p><em>A</em>.</p>",
        "description": "B &amp; .",
        "terms": "<p>C</p><p>a</p>",
        "paper.title": "D &lt; E",
        "paper.authors": "<p>F</p><p>G</p>",
        "paper.url": "https://example.org/paper",
        "takeaways": "<p>J.</p><p>K.</p>",
        "companions": "<p>L</p><p>one</p>",
    }
    assert found["scenes"]["a"]["texts"] == {"title": "H", "text": "<p>I.</p>"}
    assert found["quoted"] == {"M": ["8"]}
    assert found["counts"] == {"figures": 0, "numbers": 0, "claims": 0}


def test_the_texts_of_the_site_and_its_tracks_are_listed_beside_the_pages(tmp_path: Path) -> None:
    board = """\
site: {title: T, url: https://example.org/, author: A, quoted: {B: ["8"]}}
pages: [{slug: one, title: One, summary: S., scenes: [{id: a}]}]
tracks: [{title: "C & D", slug: first, pages: [one], summary: "*E*"}]
"""
    (tmp_path / "storyboard.yaml").write_text(board, encoding="utf-8")
    book = loader.load(tmp_path).book
    code = digests.file(b'"scenes/a.py": "x"\n')
    whole = facts_file.site_facts(
        {"one": digests.file(b"{}")}, [code, code], facts_file.site_texts(book.site, book.tracks)
    )
    assert json.loads(whole.read()) == {
        "format": 1,
        "code": {"scenes/a.py": "x"},
        "pages": {"one": {}},
        "texts": {
            "title": "T",
            "author": "A",
            "quoted": "<p>B</p><p>8</p>",
            "tracks.first.title": "C &amp; D",
            "tracks.first.summary": "<p><em>E</em></p>",
        },
    }
