"""Two pictures compared as they look, not as files: metadata, compression and palettes are no change.

A pixel differs when, on white paper or on black, one of its colours does by more than three of 255 levels: that much
comes and goes with a font renderer's rounding, while a tenth of a colormap is more. Pictures of different sizes are
compared on the area they share, from the upper left corner.
"""

import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

LEVELS = 3
WHITE, BLACK = (255, 255, 255, 255), (0, 0, 0, 255)
PALE = 0.3
MARK, OUTSIDE = (214, 0, 92), (235, 225, 245)


@dataclass(frozen=True)
class Difference:
    """Sizes in pixels; `differ` of the `shared` pixels differ, by at most `levels` of 255, all within `box` (left, top,
    right, bottom; the last two are the first pixels outside). `image` shows where, as a PNG.
    """

    size_before: tuple[int, int]
    size_after: tuple[int, int]
    differ: int
    shared: int
    levels: int
    box: tuple[int, int, int, int] | None
    image: bytes = field(repr=False)


def compare(before: bytes, after: bytes) -> Difference | None:
    """What one sees to differ between two pictures; None where nothing does.

    Raises `ValueError`, saying which, where one of the files is no whole picture.
    """
    first, second = _read(before, "before"), _read(after, "after")
    shared = (0, 0, min(first.width, second.width), min(first.height, second.height))
    gap = _gap(first.crop(shared), second.crop(shared))
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


def _on(paper: tuple[int, int, int, int], image: "Image") -> "Image":
    from PIL import Image

    return Image.alpha_composite(Image.new("RGBA", image.size, paper), image).convert("RGB")


def _gap(first: "Image", second: "Image") -> "Image":
    """The largest difference of each pixel, over its colours and over white and black paper."""
    from functools import reduce

    from PIL import ImageChops

    gaps = [ImageChops.difference(_on(paper, first), _on(paper, second)) for paper in (WHITE, BLACK)]
    return reduce(ImageChops.lighter, (band for gap in gaps for band in gap.split()))


def _marked(first: "Image", second: "Image", differs: "Image") -> bytes:
    """The picture after, pale, with what differs marked and a pixel wider than it is, so that none is overlooked."""
    from PIL import Image, ImageFilter

    size = (max(first.width, second.width), max(first.height, second.height))
    marked = Image.new("RGB", size, OUTSIDE)
    pale = _on(WHITE, second).convert("L").point([round(255 - PALE * (255 - level)) for level in range(256)])
    marked.paste(pale.crop((0, 0, *differs.size)).convert("RGB"))
    marked.paste(MARK, (0, 0), differs.filter(ImageFilter.MaxFilter(3)))
    buffer = io.BytesIO()
    marked.save(buffer, "png")
    return buffer.getvalue()
