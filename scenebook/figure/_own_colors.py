"""Decides what the colours of a scene's own drawing become on a page, which is light or dark.

Black, white and every grey turn with the page: a grey is a mixture of ink and paper. All other colours stay, and those
that can hardly be seen on one of the two papers are reported. What lies on a colour or on a picture keeps its own
colours too, because its background does not turn: the white number on a dark cell of a heatmap stays white.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backend_bases import MouseEvent
from matplotlib.collections import Collection
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure, SubFigure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.table import Cell
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from scenebook.figure import _svg as svg
from scenebook.figure import color
from scenebook.figure._shown_artists import shown

OPAQUE = 0.5
"""A fill with less alpha lets the page through, so what lies on it lies on the page."""
SEEN = 1.5
"""A colour with less contrast against the paper can hardly be seen."""
EDGE = 2.0
"""Pixels by which something may leave a background on which it lies."""
SHOWN = 3
"""How many texts or colours a message names."""
STEPS = 12
"""Places between two points of a line where we look at what is below it."""
PLACES = 300
"""At about this many places of a long line we look."""
_HEX = re.compile(r"#[0-9a-f]{6}\b")


class _Fill(NamedTuple):
    """A filled artist. What lies on it keeps its colours if it `stays`; if it `lightens` in the dark, white turns."""

    artist: Artist
    box: Bbox
    stays: bool
    lightens: bool


class OnPage(NamedTuple):
    """What lies on the page itself, and the pale colours that are crossed by a line which turns white in the dark."""

    artists: tuple[Artist, ...]
    crossed: tuple[str, ...]


def keep_on_colors(figure: Figure) -> OnPage:
    """Mark everything that keeps its colours, once the layout is known. Return what lies on the page itself."""
    fills: list[_Fill] = []
    crossed: dict[str, None] = {}
    free: list[Artist] = []
    for number, artist in enumerate(shown(figure, ticks=False)):
        if str(artist.get_gid() or "").startswith(svg.DATA):
            artist.set_gid(None)  # an author's own name, which must not mean anything to us
        below = _below(artist, fills)
        kept = _is_picture(artist) or _is_dark_background(artist) or _is_on_color(artist, below)
        if kept:
            artist.set_gid(f"{svg.KEPT}-{number}")
        elif below is None and getattr(artist.axes, "name", "") != "3d":  # there, light and shade make the colours
            free += [artist, *_tick_labels(artist)]
            crossed |= dict.fromkeys(_crossed(artist, fills))
        if _is_fill(artist):
            fills.append(_Fill(artist, _clipped_box(artist), kept or _stays(artist), not kept and _lightens(artist)))
    return OnPage(tuple(free), tuple(crossed))


def turning(figure: Figure, raw: str) -> dict[str, str]:
    """Return what a page writes for each colour that matplotlib wrote. On a background of its own, all stay."""
    if _is_fill(figure.patch) and _stays(figure.patch):
        return {}
    return {grey: color.mixture(grey) for grey in set(_HEX.findall(raw)) if color.is_grey(grey)} | color.on_page()


def hardly_visible(found: OnPage) -> Iterator[str]:
    """Yield a warning for each page, light or dark, that hides a colour of what lies on it."""
    hidden: dict[color.Scheme, dict[str, None]] = {}
    for artist in found.artists:
        for each in _colors(artist):
            if scheme := _hidden_on(each, is_text=isinstance(artist, Text)):
                hidden.setdefault(scheme, {})[_named(artist, each)] = None
    for paper, names in hidden.items():
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        yield (
            f"this can hardly be seen on a {paper} page: {', '.join(list(names)[:SHOWN])}{more}; "
            "use black, which turns with the page, or a colour that shows on both"
        )
    for pale in found.crossed:
        yield (
            f"a dark line crosses {pale}; on a dark page the line turns light and can hardly be seen there; "
            "let the page through with alpha=0.4"
        )


def _crossed(artist: Artist, fills: Iterable[_Fill]) -> Iterator[str]:
    """Yield the pale colours below a line that turns light on a dark page."""
    if not isinstance(artist, Line2D) or not color.is_grey(line := to_hex(artist.get_color())):
        return
    pale = [fill for fill in fills if fill.stays and not fill.lightens and not _is_picture(fill.artist)]
    if not pale or color.contrast(line, "light") < color.contrast(line, "dark"):
        return
    points: Any = artist.get_transform().transform_path(artist.get_path()).interpolated(STEPS).vertices
    places = points[:: len(points) // PLACES + 1]
    for fill in pale:
        faces = [face for face in map(to_hex, _faces(fill.artist)) if color.contrast(face, "light") < SEEN]
        if faces and any(fill.box.contains(x, y) and _contains(fill.artist, x, y) for x, y in places):
            yield faces[0]


def _below(artist: Artist, fills: Sequence[_Fill]) -> _Fill | None:
    """Return the fill on which a text has its middle, or the background that holds all of another artist."""
    if not fills or isinstance(artist, Figure | SubFigure):
        return None
    if isinstance(cell := fills[-1].artist, Cell) and cell.get_text() is artist:  # its place is known only when drawn
        return fills[-1]
    if isinstance(artist, Text):
        box = Text.get_window_extent(artist)
        x, y = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
        return next(
            (fill for fill in reversed(fills) if fill.box.contains(x, y) and _contains(fill.artist, x, y)), None
        )
    backgrounds = [fill for fill in fills if _is_picture(fill.artist) or _is_background(fill.artist)]
    return next((fill for fill in reversed(backgrounds) if _holds(fill.box, artist)), None)


def _contains(artist: Artist, x: float, y: float) -> bool:
    """Ask matplotlib whether an artist is at a place, as it does for a click."""
    figure = artist.get_figure(root=True)
    if figure is None:
        return False
    event = MouseEvent("click", figure.canvas, round(x), round(y))
    return artist.contains(event)[0] and not _is_hole(artist, event)


def _is_hole(artist: Artist, event: MouseEvent) -> bool:
    """Return whether a picture has no value at a place, and shows the page there."""
    if not isinstance(artist, AxesImage | Collection) or artist.get_cmap().get_bad()[3] >= OPAQUE:
        return False
    value = artist.get_cursor_data(event)
    return value is not None and not np.isfinite(np.ma.filled(np.ma.asarray(value, float), np.nan)).any()


def _clipped_box(artist: Artist) -> Bbox:
    """Return the box around what its axes show of an artist."""
    box = artist.get_window_extent()
    inside = Bbox.intersection(box, artist.axes.bbox) if artist.axes is not None else None
    return inside or box


def _holds(background: Bbox, artist: Artist) -> bool:
    """Return whether a background holds an artist; axes only with room to spare, for their labels lie outside."""
    inner = _clipped_box(artist)
    outer = background.padded(-EDGE if isinstance(artist, Axes) else EDGE)
    return (
        outer.containsx(inner.x0)
        and outer.containsx(inner.x1)
        and outer.containsy(inner.y0)
        and outer.containsy(inner.y1)
    )


def _is_on_color(artist: Artist, below: _Fill | None) -> bool:
    """Return whether an artist lies on a fill that stays. White turns on a colour of the palette, which lightens."""
    if not isinstance(artist, Text):
        return below is not None and below.stays
    if (box := artist.get_bbox_patch()) is not None and _stays(box):
        return True
    is_light = float(np.mean(to_rgb(artist.get_color()))) > OPAQUE
    return below is not None and below.stays and not (below.lightens and is_light)


def _tick_labels(artist: Artist) -> list[Text]:
    """Return one label of each axis, since all look the same."""
    if not isinstance(artist, Axes) or not artist.axison or _is_fill(artist.figure.patch):
        return []
    return [axis.majorTicks[0].label1 for axis in artist._axis_map.values() if axis.get_visible() and axis.majorTicks]


def _is_picture(artist: Artist) -> bool:
    """Return whether an artist shows data as colours or light and shade: an image, a colormap, a surface."""
    if isinstance(artist, Collection):
        return artist.get_array() is not None or type(artist).__name__ == "Poly3DCollection"
    return isinstance(artist, AxesImage)


def _is_background(artist: Artist) -> bool:
    figure = artist.get_figure(root=True)
    return figure is not None and any(artist is each for each in _backgrounds(figure))


def _backgrounds(figure: Figure | SubFigure) -> list[Patch]:
    return [figure.patch, *(part.patch for part in figure.subfigs), *(axes.patch for axes in figure.axes)]


def _is_fill(artist: Artist) -> bool:
    return _is_picture(artist) or len(_faces(artist)) > 0


def _stays(artist: Artist) -> bool:
    """Return whether a fill has a colour that does not turn."""
    return _is_dark_background(artist) or not all(color.is_grey(to_hex(face)) for face in _faces(artist))


def _is_dark_background(artist: Artist) -> bool:
    """Return whether all axes or the whole figure are black or dark grey, which are meant to be dark on any page."""
    faces = [to_hex(face) for face in _faces(artist)] if _is_background(artist) else []
    return any(color.contrast(face, "dark") < color.contrast(face, "light") for face in faces)


def _lightens(artist: Artist) -> bool:
    return not _is_picture(artist) and all(to_hex(face) in color.on_page() for face in _faces(artist))


def _faces(artist: Artist) -> list[Any]:
    """Return the colours with which an artist is filled so that what is behind it does not show."""
    found: list[Any] = []
    if isinstance(artist, Patch):
        found = [artist.get_facecolor()] if artist.get_fill() else []
    elif isinstance(artist, Collection):
        found = [*artist.get_facecolor()]
    alpha = artist.get_alpha()
    return [each for each in found if each[3] * (alpha if isinstance(alpha, float) else 1) >= OPAQUE]


def _colors(artist: Artist) -> set[str]:
    """Return the colours of a text, of lines and of fills."""
    if isinstance(artist, Text) and artist.get_text().strip():
        return {to_hex(artist.get_color())}
    if isinstance(artist, Line2D):
        return {to_hex(artist.get_color())}
    return {to_hex(face) for face in _faces(artist)}


def _hidden_on(each: str, *, is_text: bool) -> color.Scheme | None:
    """Return the paper on which a colour can hardly be seen. A pale line or fill may be meant to be just that."""
    if each in color.on_page():
        return None
    if is_text and color.contrast(each, "light") < SEEN:
        return "light"
    return "dark" if not color.is_grey(each) and color.contrast(each, "dark") < SEEN else None


def _named(artist: Artist, each: str) -> str:
    words = artist.get_text() if isinstance(artist, Text) else str(artist.get_label() or "")
    if not words or words.startswith("_"):
        return each
    return f"'{' '.join(words.split())}' ({each})"
