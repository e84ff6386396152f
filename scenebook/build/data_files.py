"""The data files that the scenes of a page read, so that a review can name the one that made values change."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scenebook.build.planned_jobs import SceneResult
from scenebook.core import digests
from scenebook.core.problems import printable
from scenebook.page.material import of_page
from scenebook.storyboard.model import Page

CODE = (".py", ".pyc", ".so", ".pyd")
"""How the names of files end that are no data. A review compares the code of scenes by itself."""


def digests_of(root: Path, page: Page, *results: Mapping[str, SceneResult[Any]]) -> dict[str, dict[str, str]]:
    """Return the digests of the data files that each scene of a page read, by the scene's id and the file's path."""
    by_scene: dict[str, set[str]] = {}
    for step in results:
        for scene, result in of_page(page, step).items():
            by_scene.setdefault(scene, set()).update(result.reads.paths)
    return {scene: _digests(root, sorted(paths)) for scene, paths in by_scene.items()}


def _digests(root: Path, paths: list[str]) -> dict[str, str]:
    found = {path: _digest(root / path) for path in paths if not path.endswith(CODE)}
    return {printable(path): digest for path, digest in found.items() if digest}


def _digest(file: Path) -> str:
    """Return the digest of a file's content, or "" if it cannot be read. Texts with CRLF count as with LF."""
    try:
        content = file.read_bytes()
    except OSError:
        return ""
    return digests.digest(content if b"\0" in content else content.replace(b"\r\n", b"\n"))
