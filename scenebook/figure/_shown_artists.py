"""What matplotlib shows of a scene's own figure, in the order in which it draws."""

from collections.abc import Iterator, Sequence

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis, Tick
from matplotlib.table import Cell
from matplotlib.text import Text


def shown(artist: Artist, *, ticks: bool = True) -> Iterator[Artist]:
    """Yield an artist and all artists in it that are drawn. Without `ticks`, leave out scales and their labels."""
    if not artist.get_visible():
        return
    yield artist
    background = getattr(artist, "patch", None)
    for child in sorted(_children(artist), key=lambda each: (each is not background, each.get_zorder())):
        if ticks or not isinstance(child, Axis):
            yield from shown(child, ticks=ticks)


def _children(artist: Artist) -> Sequence[Artist]:
    if isinstance(artist, Text):
        return []
    if isinstance(artist, Cell):
        return [artist.get_text()]
    if isinstance(artist, Axis):
        return [artist.label, artist.offsetText, *shown_ticks(artist)]
    children: Sequence[Artist] = artist.get_children()
    if isinstance(artist, Axes) and not artist.axison:
        frame = {id(each) for each in (artist.patch, *artist.spines.values(), *artist._axis_map.values())}
        return [each for each in children if id(each) not in frame]
    return children


def shown_ticks(axis: Axis) -> Iterator[Tick]:
    """Yield the ticks within the limits of an axis. It has more, which are not drawn."""
    low, high = sorted(axis.get_view_interval())
    noise = 1e-9 * (high - low)
    for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
        if low - noise <= tick.get_loc() <= high + noise:
            yield tick
