from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image, PngImagePlugin

from scenebook.review import _pixel_diff as pixel_diff

CELL = 24  # a heatmap of 20 by 20 cells
BASE = np.full((480, 640, 3), 255, dtype=np.uint8)
BASE[:, :480] = np.kron(np.arange(400).reshape(20, 20) % 200, np.ones((CELL, CELL), dtype=int))[..., None] + 20
BASE[100:110, 500:600] = 40  # text


def png(array: Any, mode: str | None = None, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image = Image.fromarray(array)
    image = image.quantize(256) if mode == "P" else image.convert(mode)
    image.save(buffer, "png", **options)
    return buffer.getvalue()


def test_the_noise_of_a_font_renderer_is_ignored() -> None:
    noisy = BASE.copy()
    noisy[100:110, 500:600] += np.random.default_rng(3).integers(0, 4, (10, 100, 3)).astype(np.uint8)
    assert pixel_diff.compare(png(BASE), png(noisy)) is None


def test_a_cell_that_changes_by_a_tenth_of_the_colour_range_is_found() -> None:
    changed = BASE.copy()
    changed[5 * CELL : 6 * CELL, 7 * CELL : 8 * CELL] -= 25
    found = pixel_diff.compare(png(BASE), png(changed))
    assert found
    assert (found.differ, found.levels) == (CELL * CELL, 25)
    assert found.box == (7 * CELL, 5 * CELL, 8 * CELL, 6 * CELL)
    shown = np.asarray(Image.open(io.BytesIO(found.image)))
    marked = (shown == pixel_diff.MARK).all(axis=2)
    assert marked[5 * CELL : 6 * CELL, 7 * CELL : 8 * CELL].all()
    assert marked.sum() == (CELL + 2) ** 2


def test_one_more_column_of_pixels_is_a_change_of_size_only() -> None:
    wider = np.concatenate([BASE, BASE[:, -1:]], axis=1)
    found = pixel_diff.compare(png(BASE), png(wider))
    assert found
    assert (found.size_before, found.size_after) == ((640, 480), (641, 480))
    assert (found.differ, found.box, found.shared) == (0, None, 640 * 480)
    assert Image.open(io.BytesIO(found.image)).size == (641, 480)


def test_pictures_of_different_sizes_are_compared_where_they_overlap() -> None:
    smaller = BASE[:470, :600].copy()
    smaller[10:12, 20:24] ^= 128
    found = pixel_diff.compare(png(BASE), png(smaller))
    assert found
    assert (found.box, found.differ) == ((20, 10, 24, 12), 8)
    assert Image.open(io.BytesIO(found.image)).size == (640, 480)


def test_metadata_and_compression_are_ignored() -> None:
    notes = PngImagePlugin.PngInfo()
    notes.add_text("Software", "another one")
    other = png(BASE, compress_level=1, pnginfo=notes, dpi=(300, 300))
    assert other != png(BASE)
    assert pixel_diff.compare(png(BASE), other) is None


@pytest.mark.parametrize("mode", ["P", "L", "RGBA"])
def test_the_storage_of_the_same_pixels_is_ignored(mode: str) -> None:
    grey = BASE // 16 * 16
    assert pixel_diff.compare(png(grey), png(grey, mode)) is None


def test_a_transparent_background_differs_from_a_white_one() -> None:
    clear = np.dstack([BASE, np.where((BASE == 255).all(axis=2), 0, 255).astype(np.uint8)])
    found = pixel_diff.compare(png(BASE), png(clear))
    assert found
    assert found.differ == (BASE == 255).all(axis=2).sum()


def test_colours_under_full_transparency_are_ignored() -> None:
    first = np.zeros((10, 10, 4), dtype=np.uint8)
    second = first.copy()
    second[..., :3] = 200
    assert pixel_diff.compare(png(first), png(second)) is None


@pytest.mark.parametrize("cut", [0, 10, 100, 2000])
def test_a_truncated_file_is_reported(cut: int) -> None:
    with pytest.raises(ValueError, match="the picture after cannot be read"):
        pixel_diff.compare(png(BASE), png(BASE)[:cut])
    with pytest.raises(ValueError, match="the picture before cannot be read"):
        pixel_diff.compare(png(BASE)[:cut], png(BASE))
