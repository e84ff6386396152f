"""Others can cite a page, as BibTeX and as linked data."""

from pathlib import Path

from scenebook.page._citation import bibtex, linked_data
from tests.support.sample_page import SITE, composed

PAGE = "slug: one\ntitle: One\nsummary: A.\nscenes: [{id: a}]\n"
PAPER = "paper: {title: A paper, authors: [B, C], year: 2017, url: https://example.org/paper}\n"


def test_a_citation_has_no_marks_of_direction(tmp_path: Path) -> None:
    view, _ = composed(tmp_path, PAGE)
    named = view._replace(tex_title="שלום \u2066−1.5\u2069 & more")
    assert "  title = {{שלום −1.5 \\& more}},\n" in bibtex(named, SITE)


def test_linked_data_cites_the_paper_of_a_page(tmp_path: Path) -> None:
    view, _ = composed(tmp_path, PAGE + PAPER)
    assert linked_data(view, SITE)["citation"] == {
        "@type": "ScholarlyArticle",
        "name": "A paper",
        "author": [{"@type": "Person", "name": "B"}, {"@type": "Person", "name": "C"}],
        "datePublished": "2017",
        "url": "https://example.org/paper",
    }
