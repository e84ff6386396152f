"""The pictures of a report: where they are in its folder, which changed most, and which fit into one file."""

from base64 import b64encode
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from scenebook.review._differences import Differences, PictureChange, SceneChange

TYPES = {"png": "image/png", "svg": "image/svg+xml"}


class Picture(NamedTuple):
    """A picture of a scene: which side it shows, and its path in the folder of the report."""

    side: str
    path: str


def figure(scene: SceneChange) -> tuple[Picture, ...]:
    """Return the pictures of a figure that changed: before and after, if it existed there, and the difference."""
    change = scene.picture
    if change is None:
        return ()
    before = () if change.kind == "added" else (Picture("before", f"before/{change.before}"),)
    after = () if change.kind == "removed" else (Picture("after", f"after/{change.after}"),)
    marked = (Picture("difference", f"differences/{scene.name}.png"),) if change.difference else ()
    return before + after + marked


def figures_by_change(differences: Differences) -> tuple[SceneChange, ...]:
    """Return the scenes whose figure changed: new and removed figures first, then those of which most changed."""
    changed = [(scene, scene.picture) for scene in differences.scenes if scene.picture]
    return tuple(scene for scene, picture in sorted(changed, key=lambda found: -_changed_part(found[1])))


def _changed_part(picture: PictureChange) -> float:
    """Return how much of a figure changed, from 0 to 1."""
    difference = picture.difference
    return difference.differ / difference.shared if difference else 1


def embedded(differences: Differences, paths: Iterable[str], files: Mapping[str, bytes], room: int) -> dict[str, str]:
    """Return, by path, the data URLs of the pictures that fit into `room` bytes.

    Figures come first, those that changed most before others, and then all other paths in their order. Either all
    pictures of a figure fit, or none of them is taken.
    """
    figures = [[picture.path for picture in figure(scene)] for scene in figures_by_change(differences)]
    others = [[path] for path in paths if not any(path in group for group in figures)]
    taken: dict[str, str] = {}
    for group in [*figures, *others]:
        urls = {path: _data_url(path, files[path]) for path in group if path in files}
        size = sum(map(len, urls.values()))
        if size <= room:
            taken |= urls
            room -= size
    return taken


def _data_url(path: str, content: bytes) -> str:
    return f"data:{TYPES[path.rpartition('.')[2]]};base64,{b64encode(content).decode()}"
