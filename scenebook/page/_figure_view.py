"""A scene's figure as the page shows it: its panels with their titles and legends, and its downloads."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from scenebook.core.text import Text
from scenebook.figure.spec import Figure, Panel
from scenebook.page import texts
from scenebook.page.views import AxisView, FigureView, Html, LegendView, Link, PanelView
from scenebook.prose import alt_text, prose
from scenebook.storyboard.model import Scene

if TYPE_CHECKING:
    from scenebook.figure.data_table import Table
    from scenebook.figure.drawing import Drawing

_AXES = ("rows", "columns", "x", "y")


def figure_view(scene: Scene, finished: Any, drawing: "Drawing | None", scope: prose.Scope) -> FigureView | None:
    """The view of a figure, or None if it was not drawn. `finished` is the figure with its texts finished."""
    figure, where = scene.figure, f"scenes.{scene.id}.figure"
    assert figure is not None
    _check_alt(scene, figure, where, scope)
    if drawing is None:
        return None
    axes = {name: _axis_view(figure, finished, name, where, scope) for name in _AXES}
    return FigureView(
        texts=finished,
        panels=tuple(_panel_views(scene, finished, drawing, where, scope)),
        **axes,
        png=f"{scene.id}.png",
        size=_png_size(drawing.png),
        downloads=(Link(Html("PNG"), f"{scene.id}.png"),),
    )


def _check_alt(scene: Scene, figure: Figure, where: str, scope: prose.Scope) -> None:
    lead, _ = texts.sentence(figure.caption)
    beside = {"title": scene.title or "", "caption": figure.caption, "first sentence of the caption": lead}
    names = [str(scene.id), *(panel.name for panel in figure.panels)]
    if message := alt_text.fault(figure.alt, beside, names):
        scope.complain(figure.alt, 0, f"{where}.alt", message)


def _png_size(png: bytes) -> tuple[int, int]:
    """Width and height in pixels, from the header of a PNG."""
    return int.from_bytes(png[16:20]), int.from_bytes(png[20:24])


def _axis_view(figure: Figure, finished: Any, name: str, where: str, scope: prose.Scope) -> AxisView:
    axis = getattr(figure, name)
    words = prose.plain(axis.title, f"{where}.{name}.title", scope)
    return AxisView(getattr(finished, name).title, words, axis.color)


def _kind(panel: Panel) -> str:
    return "heatmap" if panel.heatmap else "bars" if panel.bars else "lines"


def _panel_views(
    scene: Scene, finished: Any, drawing: "Drawing", where: str, scope: prose.Scope
) -> Iterator[PanelView]:
    titles = [(_kind(panel), panel.title) for panel in finished.panels] or [("drawn", Html(""))]
    for index, ((kind, title), panel) in enumerate(zip(titles, drawing.panels, strict=True), 1):
        stem = f"{scene.id}-{panel.name}"
        files = [("SVG", f"{stem}.svg"), *([("CSV", f"{stem}.csv")] if panel.csv is not None else [])]
        labels = texts.silent(scope) if kind == "lines" else scope  # the labels of lines are checked as texts
        yield PanelView(
            name=panel.name,
            kind=kind,
            title=title,
            svg=Html(panel.svg),
            legend=tuple(_legend(panel.legend, f"{where}.panels.{index}", labels)),
            scale=panel.scale,
            table=panel.table if kind == "heatmap" else _labelled(panel.table, scope),
            summary=panel.summary,
            bad=panel.bad,
            bad_look=panel.bad_look,
            downloads=tuple(Link(Html(kind), href) for kind, href in files),
        )


def _labelled(table: "Table | None", scope: prose.Scope) -> "Table | None":
    """A table whose column labels look as they do in the legend, with formulas as MathML."""
    unchecked = replace(texts.silent(scope), numbers="off")
    return table and replace(
        table, columns=tuple(Html(prose.inline(Text(name), "", unchecked)) for name in table.columns)
    )


def _legend(keys: Iterable[Any], where: str, scope: prose.Scope) -> Iterator[LegendView]:
    """The entries of a legend. Three or more in a row that look the same become one, with its first and last label."""
    unchecked = replace(scope, numbers="off")
    for look, alike in groupby(keys, key=lambda key: (key.css, key.dashed, key.again)):
        labels = [prose.inline(key.label, where, unchecked) for key in alike]
        shown = [f"{labels[0]} … {labels[-1]}"] if len(labels) > 2 else labels
        yield from (LegendView(Html(label), *look) for label in shown)
