"""Pages for tests, made from YAML, with scenes that compute nothing."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from scenebook.page.judged_claims import judge
from scenebook.page.material import Material, text_scopes
from scenebook.page.page_view import page_view
from scenebook.page.views import PageView
from scenebook.storyboard import loader
from scenebook.storyboard.model import Site

_TEXTS = SimpleNamespace(author="A", license=None)
SITE: Any = SimpleNamespace(url="https://example.org/", plain_title="T", language="en", texts=_TEXTS)
BOARD = """\
site: {title: T, url: https://example.org/}
pages: [page.yaml]
"""


def material_of(root: Path, written: str) -> tuple[Material, Site]:
    """A page as material, and its site."""
    (root / "storyboard.yaml").write_text(BOARD, encoding="utf-8")
    (root / "page.yaml").write_text(written, encoding="utf-8")
    book = loader.load(root).book
    scopes = text_scopes(book.pages, book.site, {}, ())
    return Material(book.pages[0], scopes[book.pages[0].slug], {}, {}), book.site


def composed(root: Path, written: str) -> tuple[PageView, list[str]]:
    """The view of a page, and the problems of its texts."""
    material, site = material_of(root, written)
    view = page_view(material, site, judge(material))
    return view, list(map(str, material.scope.problems))
