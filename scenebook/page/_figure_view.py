"""A scene's figure as the page shows it: its panels with their titles and legends, and its downloads."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from scenebook.core.text import Text
from scenebook.figure.spec import Figure
from scenebook.page import texts
from scenebook.page.views import AxisView, FigureView, Html, LegendView, Link, PanelView
from scenebook.prose import alt_text, prose
from scenebook.storyboard.model import Scene

if TYPE_CHECKING:
    from scenebook.figure.data_table import Table
    from scenebook.figure.drawing import ColorBar, Drawing


def figure_view(scene: Scene, finished: Any, drawing: "Drawing | None", scope: prose.Scope) -> FigureView | None:
    """Return the view of a figure, or None if it was not drawn. `finished` is the figure with its texts finished."""
    figure, where = scene.figure, f"scenes.{scene.id}.figure"
    assert figure is not None
    _check_alt(scene, figure, where, scope)
    if drawing is None:
        return None
    return FigureView(
        texts=finished,
        panels=tuple(_panel_views(scene, finished, drawing, where, scope)),
        scale=_shared_scale(drawing),
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
    """Return the width and height in pixels from the header of a PNG."""
    return int.from_bytes(png[16:20]), int.from_bytes(png[20:24])


def _shared_scale(drawing: "Drawing") -> "ColorBar | None":
    """Return the colour bar of a figure if all panels that have one share it, or None."""
    scales = list(dict.fromkeys(panel.scale for panel in drawing.panels if panel.scale))
    return scales[0] if len(scales) == 1 else None


def _panel_views(
    scene: Scene, finished: Any, drawing: "Drawing", where: str, scope: prose.Scope
) -> Iterator[PanelView]:
    shared = _shared_scale(drawing)
    for index, panel in enumerate(drawing.panels):
        spec = finished.panels[index] if finished.panels else None
        left, bottom = _sides(scene, finished, index, scope) if spec else (None, None)
        stem = f"{scene.id}-{panel.name}"
        files = [("SVG", f"{stem}.svg"), *([("CSV", f"{stem}.csv")] if panel.csv is not None else [])]
        yield PanelView(
            name=panel.name,
            kind=spec.kind.key if spec else "drawn",
            title=spec.title if spec else Html(""),
            svg=Html(panel.svg),
            left=left,
            bottom=bottom,
            legend=tuple(_legend(panel.legend, f"{where}.panels.{index + 1}", scope)),
            scale=panel.scale if panel.scale != shared else None,
            table=_labelled(panel.table, scope) if panel.table and panel.table.rich else panel.table,
            summary=panel.summary,
            bad=panel.bad,
            bad_look=panel.bad_look,
            downloads=tuple(Link(Html(kind), href) for kind, href in files),
        )


def _sides(scene: Scene, finished: Any, index: int, scope: prose.Scope) -> tuple[AxisView, AxisView]:
    """Return the vertical and the horizontal axis of a panel."""
    figure = scene.figure
    assert figure is not None
    written, shown = figure.options(figure.panels[index]), finished.options(finished.panels[index])
    vertical, horizontal, arrow = written.sides
    silent = texts.silent(scope)  # the titles are checked as texts

    def view(name: str, arrow: str) -> AxisView:
        axis = written.axis(name)
        return AxisView(shown.axis(name).title or Html(""), prose.plain(axis.title, "", silent), axis.color, arrow)

    return view(vertical, arrow), view(horizontal, "→")


def _labelled(table: "Table | None", scope: prose.Scope) -> "Table | None":
    """Return a table whose column labels look as they do in the legend, with formulas as MathML."""
    unchecked = replace(texts.silent(scope), numbers="off")
    return table and replace(
        table, columns=tuple(Html(prose.inline(Text(name), "", unchecked)) for name in table.columns)
    )


def _legend(keys: Iterable[Any], where: str, scope: prose.Scope) -> Iterator[LegendView]:
    """Yield the entries of a legend. Three or more alike in a row become one, with the first and the last label."""
    unchecked = replace(scope, numbers="off")
    for look, alike in groupby(keys, key=lambda key: (key.css, key.dashed, key.again, key.mark)):
        labels = [prose.inline(key.label, where, unchecked) for key in alike]
        shown = [f"{labels[0]} … {labels[-1]}"] if len(labels) > 2 else labels
        yield from (LegendView(Html(label), *look) for label in shown)
