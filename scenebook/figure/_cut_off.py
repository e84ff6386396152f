"""Finds what a reader sees only in part, or not at all, in a figure that a scene has drawn itself.

Texts are cut off at the edge of the figure, or of their axes if they are clipped there. A layout engine that finds no
room for titles and labels gives up, or leaves axes without a size.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox

from scenebook.figure import _canvas as canvas
from scenebook.figure._shown_artists import shown, shown_ticks

LEAST = 1.0
"""CSS pixels by which a text may be cut off. Less cannot be seen."""
LEAST_AXES = 8.0
"""Axes narrower or lower than this show nothing."""
DESCENT = 0.236
"""matplotlib leaves this room below each line, as a part of the font size, even if no letter reaches down."""
SHOWN, WORDS = 3, 40
"""How many texts a message quotes, and how many characters of each."""
NO_ROOM = (
    "its titles and labels leave no room for its axes, so matplotlib could not lay it out; "
    "shorten or turn them, or give the figure more width or height"
)
_GAVE_UP = ("constrained_layout not applied", "Tight layout not applied")
_HARMLESS = "The figure layout has changed to tight"
_SIDES = ("left", "right", "top", "bottom")


class _Role(NamedTuple):
    """What a text is in its figure: the words of a message for it, and a key that texts of one thing share."""

    what: str
    advice: str
    key: int
    several: bool = False


class _Cut(NamedTuple):
    """A text that is cut off, by how many CSS pixels on each side, and whether nothing of it is left."""

    role: _Role
    words: str
    sides: tuple[float, float, float, float]
    gone: bool


def cut_off(figure: Figure) -> Iterator[str]:
    """Yield a warning for each title, label, annotation or legend of a drawn figure that is cut off, or has no room."""
    groups: dict[int, list[_Cut]] = {}
    for text, role in _roles(figure):
        if found := _cut(text, role, figure):
            groups.setdefault(role.key, []).append(found)
    yield from map(_described, groups.values())
    yield from _undrawn(figure)
    yield from _without_size(figure)


def about_layout(message: str) -> str | None:
    """Return what a warning of matplotlib means for an author; None if it means nothing."""
    if message.startswith(_HARMLESS):
        return None
    return NO_ROOM if message.startswith(_GAVE_UP) else message


def _roles(figure: Figure) -> Iterator[tuple[Text, _Role]]:
    """Yield each text that is drawn, and what it is."""
    known: dict[int, _Role] = {}
    for artist in shown(figure):
        known |= {id(text): role for text, role in _named(artist)}
        if isinstance(artist, Text) and artist.get_text().strip() and not hasattr(artist, "get_position_3d"):
            what = "the annotation" if isinstance(artist, Annotation) else "the text"
            yield artist, known.get(id(artist)) or _Role(what, "move it inside, shorten it", id(artist))


def _named(artist: Artist) -> Iterator[tuple[Text, _Role]]:
    """Yield the texts of an artist that have a name in matplotlib."""
    lines = "shorten it, break it into lines"
    if isinstance(artist, Figure) and (title := artist.get_suptitle()):
        yield from ((text, _Role("the title", lines, id(text))) for text in artist.texts if text.get_text() == title)
    elif isinstance(artist, Axes):
        titles = [getattr(artist, name, None) for name in ("title", "_left_title", "_right_title")]
        yield from ((text, _Role("the title", lines, id(text))) for text in titles if text is not None)
    elif isinstance(artist, Axis):
        name = getattr(artist, "axis_name", "")
        yield artist.label, _Role(f"the label of the {name} axis", lines, id(artist.label))
        role = _Role(f"tick labels of the {name} axis", "shorten or turn them", id(artist), several=True)
        yield from ((text, role) for tick in shown_ticks(artist) for text in (tick.label1, tick.label2))
    elif isinstance(artist, Legend):
        texts = [*artist.get_texts(), artist.get_title()]
        yield from ((text, _Role("the legend", "move it inside, shorten it", id(artist))) for text in texts)


def _cut(text: Text, role: _Role, figure: Figure) -> _Cut | None:
    """Return by how much a text is cut off; None if all of it can be seen, or if it is clipped away on purpose."""
    box, sheet = _ink(text), Bbox.from_extents(0, 0, *figure.bbox.size)
    if text.get_clip_on() and (clip := text.get_clip_box()) is not None:
        inside = Bbox.intersection(sheet, Bbox(clip.get_points()))
        if inside is None or not box.overlaps(inside):
            return None
        sheet = inside
    outside = (sheet.x0 - box.x0, box.x1 - sheet.x1, box.y1 - sheet.y1, sheet.y0 - box.y0)
    left, right, top, bottom = (max(0.0, side * canvas.CSS_DPI / figure.dpi) for side in outside)
    if max(left, right, top, bottom) <= LEAST:
        return None
    words = " ".join(text.get_text().split())
    return _Cut(role, words, (left, right, top, bottom), not box.overlaps(sheet))


def _ink(text: Text) -> Bbox:
    """Return where a text is, in pixels, without an annotation's arrow and the room for letters that reach down."""
    box = Text.get_window_extent(text)
    if text.get_rotation() % 360 or "$" in text.get_text():
        return box
    spare = max(0.0, DESCENT - canvas.descent(text.get_text().splitlines()[-1]))
    pixels = float(text.get_fontsize()) * text.get_figure(root=True).dpi / canvas.CSS_DPI  # type: ignore[union-attr]
    return Bbox.from_extents(box.x0, min(box.y0 + spare * pixels, box.y1), box.x1, box.y1)


def _described(cuts: Sequence[_Cut]) -> str:
    role = cuts[0].role
    what = f"{role.what} {_quoted([cut.words for cut in cuts], several=role.several)}"
    verb = "are" if role.several else "is"
    worst = [max(cut.sides[side] for cut in cuts) for side in range(4)]
    room = " or ".join(name for name, two in (("width", worst[:2]), ("height", worst[2:])) if max(two) > LEAST)
    advice = f"{role.advice}, or give the figure more {room}"
    if all(cut.gone for cut in cuts):
        return f"{what} {verb} outside of what is shown; {advice}"
    parts = [f"{round(cut)} at the {side}" for side, cut in zip(_SIDES, worst, strict=True) if cut > LEAST]
    return f"{what} {verb} cut off, in pixels: {', '.join(parts)}; {advice}"


def _quoted(texts: Sequence[str], *, several: bool) -> str:
    different = list(dict.fromkeys(texts))
    short = [text if len(text) <= WORDS else f"{text[:WORDS].rstrip()}..." for text in different[:SHOWN]]
    quoted = ", ".join(f"'{text}'" for text in short)
    more = len(different) - len(short)
    listed = f"{quoted} and {more} more" if more else quoted
    return f"({listed})" if several or len(different) > 1 else listed


def _undrawn(figure: Figure) -> Iterator[str]:
    """Report annotations that matplotlib leaves out because what they point to is outside their axes."""
    for artist in shown(figure, ticks=False):
        if not isinstance(artist, Annotation) or artist.axes is None or not artist.get_text().strip():
            continue
        clipped = artist.get_annotation_clip()
        if (clipped or (clipped is None and artist.xycoords == "data")) and not _in_axes(artist):
            words = _quoted([" ".join(artist.get_text().split())], several=False)
            yield (
                f"the annotation {words} is not drawn, because it points to a place outside its axes; "
                "change their limits, or set annotation_clip=False"
            )


def _in_axes(annotation: Annotation) -> bool:
    axes = annotation.axes
    if axes is None:
        return True
    x, y = axes.transData.transform(annotation.xy)
    return bool(axes.patch.contains_point((x, y)))


def _without_size(figure: Figure) -> Iterator[str]:
    """Report axes for which a layout has left next to nothing. Colour bars are meant to be thin."""
    small = [axes for axes in figure.axes if axes.get_visible() and axes.get_subplotspec() and not _is_bar(axes)]
    sizes = [axes.get_position(original=True).transformed(axes.figure.transSubfigure) for axes in small]
    thin = [box for box in sizes if min(box.width, box.height) * canvas.CSS_DPI / figure.dpi < LEAST_AXES]
    if thin:
        worst = min(min(box.width, box.height) for box in thin) * canvas.CSS_DPI / figure.dpi
        few = f"{len(thin)} of its {len(figure.axes)} axes are" if len(figure.axes) > 1 else "its axes are"
        yield (
            f"{few} less than {LEAST_AXES:g} pixels wide or high ({max(0, round(worst))}); shorten or turn titles "
            "and labels, or give the figure more width or height"
        )


def _is_bar(axes: Axes) -> bool:
    return hasattr(axes, "_colorbar")
