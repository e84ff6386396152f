"""Take pictures of pages before and after a change of styles, scripts or markup, with a browser of this machine.

Nothing else of a review needs a browser. Without one, the review says so.
"""

import io
import os
import shutil
import subprocess
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from scenebook.review import _pixel_diff as pixel_diff
from scenebook.review._differences import Differences, PagePictures, Pictures

if TYPE_CHECKING:
    from PIL.Image import Image

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
FLAGS = ("--headless=new", "--hide-scrollbars", "--disable-gpu", "--no-first-run", "--disable-background-networking")
WIDTH, HEIGHT = 900, 2400
"""The size of the window, in pixels. Pictures show as much of a page."""
MAX_PAGES = 4
COLORS = 128
NOT_FOUND = "404.html"
"""The page that is shown last, because it has absolute addresses and so no styles when it is opened from a folder."""
SECONDS = 60
"""How long the browser may take for a page."""
NO_BROWSER = "No browser was found, so there are no pictures of these pages. Install Chromium, or name one in CHROMIUM"


def take(before: Path, after: Path, differences: Differences) -> Pictures:
    """Take pictures of the pages of two built sites that a change of styles, scripts or markup reaches."""
    reached = [path for change in differences.markup for path in change.pages]
    reached += [path for change in differences.files for path in change.pages]
    old = {f"{page.slug}/index.html": f"{page.was}/index.html" for page in differences.pages if page.was}
    paths = {path: old.get(path, path) for path in dict.fromkeys(reached)}
    both = [path for path in paths if (before / paths[path]).is_file() and (after / path).is_file()]
    if not both:
        return Pictures()
    program = browser(os.environ)
    if program is None:
        return Pictures(left=tuple(both), problem=NO_BROWSER)
    both.sort(key=lambda path: path == NOT_FOUND)
    chosen, left = both[:MAX_PAGES], tuple(both[MAX_PAGES:])
    files = [file for path in chosen for file in (before / paths[path], after / path)]
    with ThreadPoolExecutor(2) as threads:
        shots = list(threads.map(lambda file: _shot(program, file), files))
    if not all(shots):
        return Pictures(left=tuple(both), problem=f"{program} could not show these pages, so there are no pictures")
    return Pictures(tuple(map(_compared, chosen, shots[::2], shots[1::2])), left)


def browser(environment: Mapping[str, str]) -> str | None:
    """Return the program of a browser, which the variable CHROMIUM can name; None if there is none."""
    named = environment.get("CHROMIUM", "")
    return next(filter(None, map(shutil.which, [named] if named else BROWSERS)), None)


def _shot(program: str, page: Path) -> bytes:
    """Return a picture of a page; empty if the browser makes none."""
    with TemporaryDirectory(prefix="scenebook-browser-", ignore_cleanup_errors=True) as folder:
        picture = Path(folder) / "page.png"
        command = [program, *FLAGS, f"--user-data-dir={folder}/profile", f"--window-size={WIDTH},{HEIGHT}"]
        command += ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        try:
            subprocess.run(
                [*command, f"--screenshot={picture}", page.resolve().as_uri()],
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
            return picture.read_bytes()
        except (OSError, subprocess.TimeoutExpired):
            return b""


def _compared(path: str, before: bytes, after: bytes) -> PagePictures:
    """Cut off what is below both pages, and make the pictures small."""
    from PIL import Image

    if pixel_diff.compare(before, after) is None:
        return PagePictures(path)
    images = [Image.open(io.BytesIO(shot)).convert("RGB") for shot in (before, after)]
    height = max(map(_content_height, images))
    cropped = [image.crop((0, 0, image.width, height)) for image in images]
    return PagePictures(path, (cropped[0].width, height), *map(_small, cropped))


def _content_height(image: "Image") -> int:
    """Return where the last row begins that looks like the one at the bottom."""
    from PIL import Image, ImageChops

    ground = Image.new("RGB", image.size, image.getpixel((0, image.height - 1)))
    box = ImageChops.difference(image, ground).getbbox()
    return box[3] if box else image.height


def _small(image: "Image") -> bytes:
    """Return a PNG with few colours, chosen so that rare ones stay as they are."""
    from PIL import Image

    buffer = io.BytesIO()
    image.quantize(COLORS, Image.Quantize.MAXCOVERAGE).save(buffer, "png", optimize=True)
    return buffer.getvalue()


def files(pictures: Pictures) -> dict[str, bytes]:
    """Return the files of all pictures, by path in the report."""
    shown = [page for page in pictures.pages if page.before]
    sides = [(page.stem, side, getattr(page, side)) for page in shown for side in ("before", "after")]
    return {f"{stem}-{side}.png": picture for stem, side, picture in sides}
