"""A page as lists show it: its entry, with a small drawing."""

import re

from scenebook.page.views import Card, PageSummary, PageView

_LEFT_OUT = re.compile(r"<text\b[^>]*/>|<text\b.*?</text>|</?a\b[^>]*>", re.DOTALL)
_BOX = re.compile(r'^<svg\b[^>]* data-box="([^"]*)"')
_SIZE = re.compile(r'viewBox="[^"]*" width="[^"]*" height="[^"]*"')


def summary(view: PageView) -> PageSummary:
    """Return the entry of a page in lists."""
    card = view.card and Card(view.card.png, view.card.size, view.card.alt)
    return PageSummary(view.slug, view.title, view.plain_title, view.description, card)


def small_drawing(view: PageView) -> str:
    """Return the first drawing of a page, for lists: without texts, which would be too small, and without links."""
    return _cropped(_LEFT_OUT.sub("", view.card.panels[0].svg)) if view.card else ""


def _cropped(svg: str) -> str:
    """Return a drawing without the margins of its labels, if it says where its cells are. A frame of a pixel stays."""
    if not (found := _BOX.search(svg)):
        return svg
    x, y, width, height = map(float, found[1].split())
    left, top, wide, high = (f"{length:g}" for length in (x - 1, y - 1, width + 2, height + 2))
    return _SIZE.sub(f'viewBox="{left} {top} {wide} {high}" width="{wide}" height="{high}"', svg, count=1)
