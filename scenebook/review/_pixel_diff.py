"""Compare two pictures by what they look like. Metadata, compression and palettes do not matter.

A pixel differs if one of its colours differs by more than 3 of 255 levels, on a white or a black background. The
rounding of a font renderer stays below that limit, and a change by a tenth of a colormap is above it. Pictures of
different sizes are compared on the area they share, from the upper left corner.
"""

import io
import re
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

LEVELS = 3
"""The largest difference of a colour, of 255, that does not count."""
WHITE, BLACK = (255, 255, 255, 255), (0, 0, 0, 255)
PALE = 0.3
"""How much of the contrast of the picture is left under the marks."""
MARK, OUTSIDE = (214, 0, 92), (235, 225, 245)


Size = tuple[int, int]
"""A width and a height, in pixels."""
_PNG_SIZE = slice(16, 24)
_SVG_SIZE = re.compile(rb'^<svg\b[^>]*? width="([\d.]+)" height="([\d.]+)"')


def size(content: bytes) -> Size | None:
    """Return the size of a PNG or SVG from its first bytes; None if it is neither."""
    if content.startswith(b"\x89PNG"):
        width, height = struct.unpack(">II", content[_PNG_SIZE]) if len(content) >= _PNG_SIZE.stop else (0, 0)
        return (width, height) if width and height else None
    found = _SVG_SIZE.match(content)
    return (round(float(found[1])), round(float(found[2]))) if found else None


@dataclass(frozen=True)
class Difference:
    """How two pictures differ.

    Sizes are in pixels. `differ` of the `shared` pixels differ, by at most `levels` of 255, all within `box`: left,
    top, right, bottom, where right and bottom are the first pixels outside. `image` is a PNG that marks them.
    """

    size_before: tuple[int, int]
    size_after: tuple[int, int]
    differ: int
    shared: int
    levels: int
    box: tuple[int, int, int, int] | None
    image: bytes = field(repr=False)


def compare(before: bytes, after: bytes) -> Difference | None:
    """Return the visible difference between two pictures; None if there is none.

    Raises `ValueError` with a message that says which of the two cannot be read.
    """
    first, second = _read(before, "before"), _read(after, "after")
    shared = (0, 0, min(first.width, second.width), min(first.height, second.height))
    gap = _levels(first.crop(shared), second.crop(shared))
    differs, levels = gap.point([255 * (level > LEVELS) for level in range(256)]), gap.histogram()
    if first.size == second.size and not differs.getbbox():
        return None
    return Difference(
        size_before=first.size,
        size_after=second.size,
        differ=sum(levels[LEVELS + 1 :]),
        shared=sum(levels),
        levels=max(level for level, count in enumerate(levels) if count),
        box=differs.getbbox(),
        image=_marked(first, second, differs),
    )


def _read(content: bytes, side: str) -> "Image":
    from PIL import Image

    try:
        with Image.open(io.BytesIO(content)) as image:
            return image.convert("RGBA")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise ValueError(f"the picture {side} cannot be read: {error}") from None


def _flatten(background: tuple[int, int, int, int], image: "Image") -> "Image":
    from PIL import Image

    return Image.alpha_composite(Image.new("RGBA", image.size, background), image).convert("RGB")


def _levels(first: "Image", second: "Image") -> "Image":
    """Return the largest difference of each pixel, over its colours and over both backgrounds."""
    from functools import reduce

    from PIL import ImageChops

    gaps = [
        ImageChops.difference(_flatten(background, first), _flatten(background, second))
        for background in (WHITE, BLACK)
    ]
    return reduce(ImageChops.lighter, (band for gap in gaps for band in gap.split()))


def _marked(first: "Image", second: "Image", differs: "Image") -> bytes:
    """Return the second picture, pale, with the differing pixels marked. Marks are a pixel wider, to be visible."""
    from PIL import Image, ImageFilter

    size = (max(first.width, second.width), max(first.height, second.height))
    marked = Image.new("RGB", size, OUTSIDE)
    pale = _flatten(WHITE, second).convert("L").point([round(255 - PALE * (255 - level)) for level in range(256)])
    marked.paste(pale.crop((0, 0, *differs.size)).convert("RGB"))
    marked.paste(MARK, (0, 0), differs.filter(ImageFilter.MaxFilter(3)))
    buffer = io.BytesIO()
    marked.save(buffer, "png")
    return buffer.getvalue()
