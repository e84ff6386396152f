"""A sheet in CSS pixels, with y down, for text, boxes, lines and pictures. All drawing with matplotlib is here.

There are no axes. Our own layout places what a panel shows, and a tick made of a text and a line takes a fraction of
the time of one that matplotlib lays out. Text is measured and drawn in the bundled DejaVu Sans; a page's own font is
seldom wider. The settings are matplotlib's defaults and `STYLE`, whatever the machine's matplotlibrc says.
"""

import io
import os
import pathlib
import re
import unicodedata
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.collections import EllipseCollection, PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager
from matplotlib.ft2font import FT2Font, LoadFlags
from matplotlib.lines import Line2D
from matplotlib.mathtext import MathTextParser
from matplotlib.patches import Polygon
from matplotlib.path import Path
from matplotlib.rcsetup import cycler
from matplotlib.table import Cell
from matplotlib.text import Text
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Affine2D, Transform
from numpy.typing import ArrayLike, NDArray

from scenebook.figure._sizes import LINE, SMALL, TEXT

BASELINE = 0.36
"""Digits and capitals extend this far above and below their middle, as a part of the font size."""
EM = 100
"""The font size at which text is measured."""
AREA = 0.2
"""How opaque an area is that other things are drawn on."""
CSS_DPI = 72
"""matplotlib's SVG has 72 units per inch, so here a CSS pixel is a point."""

STYLE: dict[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "scenebook",
    "font.family": ["DejaVu Sans"],
    "font.size": TEXT,
    "axes.titlesize": TEXT,
    "figure.dpi": CSS_DPI,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "legend.facecolor": "none",
    "savefig.facecolor": "none",
    "lines.linewidth": 2,
}
_FONT = str(pathlib.Path(mpl.get_data_path()) / "fonts/ttf/DejaVuSans.ttf")
_BACK = {"left": 0, "center": 0.5, "right": 1}
_ANCHOR = {"left": "start", "center": "middle", "right": "end"}
_FORMULAS: "MathTextParser[Any]" = text_to_path.mathtext_parser
"""The parser of SVG files, for all sheets: it remembers formulas. Parsing one takes as long as drawing ten labels."""
_MACHINE = {"backend", "backend_fallback"}
_LONG = 80
"""A longer message of the parser lists everything that could be in that place."""
_PARSER_SAYS = re.compile(r"^\w+: |, found .*$")
_PLAIN_PNG: dict[str, Any] = {"metadata": {"Software": None}, "pil_kwargs": {"compress_level": 3}}
"""Level 3 takes half the time of the usual level, and a fifth more bytes."""

Align = Literal["left", "center", "right"]


@dataclass(frozen=True)
class Canvas:
    """A figure, and the transform from CSS pixels of a part of it."""

    figure: Figure
    transform: Transform

    def moved(self, x: float, y: float) -> "Canvas":
        """Return the same sheet with its origin at (x, y)."""
        return Canvas(self.figure, Affine2D().translate(x, y) + self.transform)


@dataclass(frozen=True)
class Style:
    """How a text looks. `turned`: it reads upwards. `math`: formulas are between dollars. `line`: a line's height."""

    color: str
    size: float = TEXT
    align: Align = "center"
    turned: bool = False
    math: bool = False
    line: float = LINE


@dataclass(frozen=True)
class Stroke:
    """How a line is drawn. `dashes`: the lengths of dashes and gaps in turn, in line widths. `marked`: with dots."""

    color: str
    width: float = 1
    dashes: tuple[float, ...] = ()
    marked: bool = False


@contextmanager
def settings(palette: Sequence[str] = (), ink: str = "black") -> Iterator[list[warnings.WarningMessage]]:
    """Use only our settings of matplotlib, and yield the warnings that occur inside.

    For figures that a scene draws itself: `palette` is the cycle of colours, first solid and then dotted, and `ink` is
    the colour of text and axes.
    """
    ours = dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), ink)
    with mpl.rc_context(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        defaults = {name: value for name, value in mpl.rcParamsDefault.items() if name not in _MACHINE}
        for each in (defaults, STYLE, ours):
            mpl.rcParams.update(each)  # type: ignore[arg-type]
        if palette:
            mpl.rcParams["axes.prop_cycle"] = cycler("linestyle", ["-", ":"]) * cycler("color", palette)
        yield caught


def blank(width: float, height: float, scale: float = 1, paper: str = "none") -> Canvas:
    """Return an empty sheet. `scale` is the number of pixels per CSS pixel when it is written as a PNG."""
    inches = (width / CSS_DPI, height / CSS_DPI)
    figure = Figure(figsize=inches, dpi=CSS_DPI * scale, facecolor=paper)
    figure.patch.set_visible(paper != "none")
    to_inches = Affine2D().scale(1 / CSS_DPI, -1 / CSS_DPI).translate(0, inches[1])
    return Canvas(figure, to_inches + figure.dpi_scale_trans)


def own(width: float, height: float) -> Figure:
    """Return a figure for a function of a scene to draw on. Its layout keeps labels inside.

    With a canvas, all texts are measured by one renderer; without one, matplotlib would make a new one again and again.
    """
    figure = Figure(figsize=(width / CSS_DPI, height / CSS_DPI), dpi=CSS_DPI, layout="constrained")
    _with_formulas(FigureCanvasAgg(figure))
    return figure


def text(canvas: Canvas, x: float, y: float, string: str, style: Style) -> None:
    """Draw a text with its middle at y. A turned text ends at y."""
    lines = string.split("\n")
    for index, line in enumerate(lines):
        down = (index - (len(lines) - 1) / 2) * style.line + BASELINE * style.size
        place = (x + (down if style.turned else 0), y + (0 if style.turned else down))
        plain = line and not style.math and _is_simple(line)
        _add(canvas, _Label(canvas, place, line, style) if plain else _laid_out(canvas, place, line, style))


def _laid_out(canvas: Canvas, place: tuple[float, float], line: str, style: Style) -> Text:
    return Text(
        *place,
        line,
        color=style.color,
        fontproperties=_font(style.size),
        horizontalalignment=_align(style),
        verticalalignment="baseline",
        rotation=_angle(style),
        rotation_mode="anchor",
        parse_math=style.math,
        transform=canvas.transform,
    )


def _align(style: Style) -> Align:
    return "right" if style.turned else style.align


def _angle(style: Style) -> int:
    return 90 if style.turned else 0


class _Label(Artist):
    """One line of plain text on its baseline, drawn without layout. In a PNG it is drawn as an outline.

    matplotlib's own text would take most of a figure's time.
    """

    def __init__(self, canvas: Canvas, place: tuple[float, float], string: str, style: Style) -> None:
        super().__init__()
        self.place: tuple[float, float] = tuple(canvas.transform.transform(place))
        self.string, self.style = string, style

    def draw(self, renderer: Any) -> None:
        if isinstance(renderer, RendererAgg):
            self._draw_outline(renderer)
        else:
            self._write(renderer.writer, renderer.height)

    def _draw_outline(self, renderer: Any) -> None:
        style, pen = self.style, renderer.new_gc()
        pen.set_foreground(style.color)
        pen.set_linewidth(0)
        scale = style.size * float(renderer.dpi) / CSS_DPI
        back = _BACK[_align(style)] * text_width(self.string, scale)
        place = Affine2D().scale(scale).translate(-back, 0).rotate_deg(_angle(style)).translate(*self.place)
        renderer.draw_path(pen, _outline(self.string), place, pen.get_rgb())
        pen.restore()

    def _write(self, writer: Any, height: float) -> None:
        """Write the text as matplotlib would."""
        style = self.style
        x, y = (_decimal(each) for each in (self.place[0], height - self.place[1]))
        css = [f"font-size: {style.size:g}px", f"text-anchor: {_ANCHOR[_align(style)]}"]
        css += [f"fill: {style.color}"] if style.color != "#000000" else []
        turn = {"transform": f"rotate({-_angle(style)} {x} {y})"} if style.turned else {}
        writer.element("text", self.string, style="; ".join(css), x=x, y=y, **turn)


def _decimal(number: float) -> str:
    """Write a coordinate as matplotlib does."""
    return f"{number:f}".rstrip("0").rstrip(".")


def _is_simple(string: str) -> bool:
    """Return whether a text runs from left to right with one glyph for each character, so that it needs no shaping."""
    return all(unicodedata.bidirectional(c) not in {"R", "AL", "NSM"} and not missing_glyphs(c) for c in string)


@lru_cache(maxsize=4096)
def _outline(string: str) -> Path:
    """Return the shape of a text at a size of one pixel. Its origin is the left end of the baseline."""
    glyphs = [_glyph(character) for character in string]
    starts = np.cumsum([0, *map(_advance, string)])[:-1]
    moved = [vertices + np.array([start, 0]) for (vertices, _), start in zip(glyphs, starts, strict=True)]
    return Path(np.concatenate(moved), np.concatenate([codes for _, codes in glyphs]))


@lru_cache(maxsize=1024)
def _glyph(character: str) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    _glyphs().load_char(ord(character), flags=LoadFlags.NO_HINTING)
    vertices, codes = _glyphs().get_path()
    return vertices / EM, codes.astype(np.uint8)


def boxes(canvas: Canvas, corners: ArrayLike, fills: ArrayLike | list[str], *, gid: str, hatch: str = "") -> None:
    """Draw filled rectangles (n, 4): left, top, width, height. `hatch` is the colour of lines across them."""
    left, top, width, height = np.asarray(corners, float).T
    right, bottom = left + width, top + height
    outlines = np.stack([left, top, right, top, right, bottom, left, bottom], 1).reshape(-1, 4, 2)
    colors = fills if isinstance(fills, list) else np.asarray(fills) / 255
    artist: Artist = _Boxes(canvas, outlines, colors)
    if hatch:
        artist = _polygons(outlines, colors, canvas.transform)
        artist.set(hatch="//", edgecolor=hatch, antialiaseds=True)
    artist.set_gid(gid)
    _add(canvas, artist)


def _polygons(outlines: NDArray[np.float64], fills: Any, transform: Transform) -> PolyCollection:
    return PolyCollection(list(outlines), facecolors=fills, linewidths=0, antialiaseds=False, transform=transform)


class _Boxes(Artist):
    """Filled rectangles (n, corners, 2) that an SVG has as one path each."""

    def __init__(self, canvas: Canvas, outlines: NDArray[np.float64], fills: Any) -> None:
        super().__init__()
        self.canvas, self.outlines, self.fills = canvas, outlines, fills

    def draw(self, renderer: Any) -> None:
        if isinstance(renderer, RendererAgg):
            drawn = _polygons(self.outlines, self.fills, self.canvas.transform)
            drawn.set_figure(self.canvas.figure)
            drawn.draw(renderer)
        else:
            self._write(renderer.writer, renderer.height)

    def _write(self, writer: Any, height: float) -> None:
        """Write the rectangles as matplotlib would."""
        corners = self.canvas.transform.transform(self.outlines.reshape(-1, 2))
        corners[:, 1] = height - corners[:, 1]
        fills = [to_hex(fill) for fill in self.fills]
        writer.start("g", id=self.get_gid())
        for index, points in enumerate(corners.reshape(-1, 4, 2).tolist()):
            path = "L".join(f"{_decimal(x)} {_decimal(y)}" for x, y in points)
            writer.element("path", d=f"M{path}z", style=f"fill: {fills[index % len(fills)]}")
        writer.end("g")


def line(canvas: Canvas, x: ArrayLike, y: ArrayLike, stroke: Stroke, gid: str | None = None) -> None:
    """Draw a line through points, with gaps at NaN."""
    artist = Line2D(
        np.asarray(x, float),
        np.asarray(y, float),
        color=stroke.color,
        linewidth=stroke.width,
        linestyle=(0, stroke.dashes) if stroke.dashes else "-",
        marker="o" if stroke.marked else "",
        markersize=stroke.width * 2.6,
        markeredgewidth=0,
        solid_capstyle="butt" if stroke.width <= 1 else "round",
        transform=canvas.transform,
    )
    artist.set_gid(gid)
    _add(canvas, artist)


def area(canvas: Canvas, outline: ArrayLike, fill: str, *, gid: str) -> None:
    """Draw a transparent area with these corners (n, 2)."""
    artist = Polygon(np.asarray(outline, float), closed=True, facecolor=fill, linewidth=0, alpha=AREA)
    artist.set_transform(canvas.transform)
    artist.set_gid(gid)
    _add(canvas, artist)


def dots(canvas: Canvas, places: ArrayLike, radii: ArrayLike, fills: str | list[str], *, edge: str, gid: str) -> None:
    """Draw round points (n, 2), each with a radius in CSS pixels. The fill (`none` for rings) is shared or a list."""
    moved = canvas.transform.transform(np.asarray(places, float))
    artist = EllipseCollection(
        *(2 * np.asarray(radii, float),) * 2,
        np.zeros(len(moved)),
        units="points",
        offsets=canvas.figure.dpi_scale_trans.inverted().transform(moved),
        offset_transform=canvas.figure.dpi_scale_trans,
        facecolors=fills,
        edgecolors=edge,
        linewidths=1.5 if fills == "none" else 0.5,
    )
    artist.set_gid(gid)
    _add(canvas, artist)


def _add(canvas: Canvas, artist: Artist) -> None:
    """Draw later artists above earlier ones, whatever their kind."""
    artist.set_zorder(0)
    canvas.figure.add_artist(artist)


def picture(canvas: Canvas, corner: tuple[float, float, float, float], colors: NDArray[np.uint8], *, gid: str) -> None:
    """Draw colours (rows, columns, 3) as one image of sharp blocks. `corner` is its left, top, width and height."""
    left, top, width, height = corner
    (x0, y0), (x1, y1) = canvas.figure.transFigure.inverted().transform(
        canvas.transform.transform([(left, top + height), (left + width, top)])
    )
    axes = canvas.figure.add_axes((x0, y0, x1 - x0, y1 - y0))
    axes.set_axis_off()
    axes.set_zorder(0)
    axes.imshow(colors, aspect="auto", interpolation="none").set_gid(gid)


def to_svg(figure: Figure) -> str:
    """Return the sheet as matplotlib writes it."""
    target = io.StringIO()
    FigureCanvasSVG(figure).print_svg(target, metadata={"Date": None})  # type: ignore[no-untyped-call]
    return target.getvalue()


def to_png(figure: Figure) -> bytes:
    """Return the sheet as a PNG file without metadata."""
    target = io.BytesIO()
    agg = _with_formulas(FigureCanvasAgg(figure))
    agg.print_png(target, **_PLAIN_PNG)  # type: ignore[no-untyped-call]
    return target.getvalue()


@contextmanager
def settled_fonts() -> Iterator[None]:
    """Look up each font only once inside, where no setting changes. matplotlib reads eleven settings for each text."""
    fonts: Any = fontManager
    find = getattr(fonts, "_find_fonts_by_props", None)
    if find is None:
        yield
        return
    fonts._find_fonts_by_props = cache(find)
    try:
        yield
    finally:
        del fonts._find_fonts_by_props


def _with_formulas(agg: FigureCanvasAgg) -> FigureCanvasAgg:
    agg.get_renderer().mathtext_parser = _FORMULAS  # type: ignore[no-untyped-call]
    return agg


def drawn_by(function: Callable[..., Any], width: float, height: float, values: Any) -> Figure:
    """Return a figure on which a scene's function has drawn."""
    figure = own(width, height)
    function(figure, values)
    return figure


def lay_out(figure: Figure) -> None:
    """Adjust the layout now and not again, so that the figure looks the same at every resolution."""
    engine = figure.get_layout_engine()
    if engine is not None and figure.axes:
        engine.execute(figure)
    figure.set_layout_engine("none")
    for axes in figure.axes:
        axes.apply_aspect()


def holds_something(figure: Figure) -> bool:
    """Return whether a figure contains anything besides its own background."""
    return any(artist is not figure.patch for artist in figure.get_children())


def small_texts(figure: Figure) -> Iterator[str]:
    """Yield a warning if text is too small for a phone."""
    found = [artist for artist in figure.findobj(Text) if isinstance(artist, Text) and artist.get_text().strip()]
    texts = [each for each in found if each.get_visible() and float(each.get_fontsize()) < SMALL]
    if texts:
        named = ", ".join(dict.fromkeys(t.get_text() for t in texts[:5]))
        yield f"text under {SMALL} pixels is too small to read on a phone: {named}"


def texts_of(figure: Figure) -> tuple[str, ...]:
    """Return the texts that a figure shows, each once. The labels of ticks are left out."""
    return tuple(dict.fromkeys(text for text in _texts(figure) if text.strip()))


def _texts(artist: Any) -> Iterator[str]:
    if not artist.get_visible():
        return
    if isinstance(artist, Text):
        yield artist.get_text()
    elif isinstance(artist, Cell):
        yield artist.get_text().get_text()
    ticks_left_out = (artist.label,) if isinstance(artist, Axis) else None
    for child in ticks_left_out or artist.get_children():
        yield from _texts(child)


def text_width(string: str, size: float = TEXT) -> float:
    """Return the width of one line of text in CSS pixels."""
    return size * sum(map(_advance, string))


def descent(string: str) -> float:
    """Return how far a line of text reaches below its baseline, as a part of the font size."""
    return max((_descent(character) for character in string), default=0.0)


def missing_glyphs(string: str) -> str:
    """Return the characters that the bundled font cannot draw, each once."""
    return "".join(dict.fromkeys(c for c in string if c.isprintable() and not _glyphs().get_char_index(ord(c))))


@cache
def has_command(command: str) -> bool:
    r"""Return whether matplotlib has a command, such as `\alpha`."""
    return formula_problem(f"${command}$") is None


def formula_problem(string: str) -> str | None:
    """Return why matplotlib cannot draw a text with formulas between dollars, or None if it can."""
    try:
        _FORMULAS.parse(string, CSS_DPI, _font(TEXT))
    except ValueError as error:
        said = _PARSER_SAYS.sub("", str(error).strip().splitlines()[-1])
        return said if len(said) < _LONG else "a part of it is missing"
    return None


@lru_cache(maxsize=4096)
def _advance(character: str) -> float:
    """Return the width of a character, as a part of the font size. It is 1 for a wide character that the font lacks."""
    if not _glyphs().get_char_index(ord(character)):
        return 1.0 if unicodedata.east_asian_width(character) in "WF" else 0.6
    return float(_glyphs().load_char(ord(character), flags=LoadFlags.NO_HINTING).linearHoriAdvance) / 65536 / EM


@lru_cache(maxsize=4096)
def _descent(character: str) -> float:
    if not _glyphs().get_char_index(ord(character)):
        return 1.0
    return -float(_glyphs().load_char(ord(character), flags=LoadFlags.NO_HINTING).bbox[1]) / 64 / EM


@cache
def _glyphs() -> FT2Font:
    """Return the font for measuring. It is separate, because matplotlib changes the size of its own."""
    font = FT2Font(_FONT)
    font.set_size(EM, CSS_DPI)
    return font


@cache
def _font(size: float) -> FontProperties:
    return FontProperties(fname=_FONT, size=size)


def _forget_fonts() -> None:
    """Forget the fonts. They read their files on demand, and processes that share an open file would mix up glyphs."""
    _glyphs.cache_clear()
    MathTextParser._parse_cached.cache_clear()  # type: ignore[attr-defined]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_fonts)
