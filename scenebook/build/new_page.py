"""Adds a page or a scene to a site: new files from `starters/page/`, and an entry in the file that lists them.

The starters are a page that builds. Where they say `new-page`, `new_page`, `New page`, `new_scene` or `New scene`, the
new files have the author's names.
"""

from __future__ import annotations

import keyword
import os
import posixpath
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

from scenebook.build import new_site
from scenebook.cache.versions import OWN_FILES
from scenebook.core.problems import Problem, Problems, stop_on
from scenebook.core.suggestions import did_you_mean_or_list
from scenebook.page import output
from scenebook.storyboard import list_entry, loader, names
from scenebook.storyboard.loader import FILE, Loaded

FIRST_SCENE = "example"
"""The id of the scene of a new page."""


class _Names(NamedTuple):
    """The names of a new scene: the slug of its page, the folder of its module below scenes/, and its id."""

    slug: str
    folder: str
    scene: str

    @property
    def replacements(self) -> Mapping[str, str]:
        """What the new files have instead of the names in the starters."""
        path = f"{self.folder}/" if self.folder else ""
        return {
            "new-page": self.slug,
            "new_page/": path,
            "new_page.": path.replace("/", "."),
            "New page": _title(self.slug, "New page"),
            "new_scene": self.scene,
            "New scene": _title(self.scene, "New scene"),
        }


def add_page(root: Path, slug: str) -> tuple[str, ...]:
    """Add a page with one scene. Return the paths of its files and of storyboard.yaml, which lists it now."""
    board = _read(root, FILE)
    stop_on(_problems("page", names.slug_faults(slug, _slugs(root, board))))
    new = _Names(slug, _folder(slug), FIRST_SCENE)
    page = f"scenes/{new.folder}/page.yaml"
    listed = list_entry.added(board, ("pages",), page)
    if listed is None:
        message = f"is not a list that a page can be added to; write one entry a line, such as `- {page}`"
        raise Problems([Problem(FILE, 0, "pages", message)])
    text = _with_schema(_named(_starter("page.yaml"), new), page, board)
    return _write(root, {page: text, **_modules(new)}, FILE, listed)


def add_scene(root: Path, name: str) -> tuple[str, ...]:
    """Add a scene, named `slug/id`, to a page. Return the paths of its files and of the page's file."""
    loaded = loader.load(root)
    slug, _, scene_id = name.partition("/")
    index = _index(loaded, slug, name)
    page = loaded.pages[index].load()
    stop_on(_problems("scene", names.scene_id_faults(scene_id, [str(scene.id) for scene in page.scenes])))
    new = _Names(slug, _folder_of(page.file, slug), scene_id)
    path = ("pages", index, "scenes") if page.file == FILE else ("scenes",)
    entry = (
        dedent(_named(_starter("page.yaml"), new).partition("scenes:\n")[2]).replace("\n  ", "\n").removeprefix("- ")
    )
    listed = list_entry.added(_read(root, page.file), path, entry)
    if listed is None:
        message = "is not a list that a scene can be added to; write it with a dash before each scene"
        raise Problems([Problem(page.file, 0, "scenes", message)])
    return _write(root, _modules(new), page.file, listed)


def _slugs(root: Path, board: str) -> tuple[str, ...]:
    """Return the slugs of all pages and tracks; none if storyboard.yaml lists no pages yet."""
    if list_entry.is_missing(board, ("pages",)):
        return ()
    loaded = loader.load(root)
    return (*(page.slug for page in loaded.pages), *(str(track.slug) for track in loaded.tracks))


def _index(loaded: Loaded, slug: str, name: str) -> int:
    """Return the index of the page with a slug. Raises `Problems` if there is none, or `name` is not `slug/id`."""
    slugs = [page.slug for page in loaded.pages]
    if name.count("/") != 1:
        raise Problems(_problems("scene", [f"{name!r} is not PAGE/NAME; write, for example, {slugs[0]}/{FIRST_SCENE}"]))
    if slug not in slugs:
        raise Problems(_problems("scene", [f"there is no page {slug!r}{did_you_mean_or_list(slug, slugs)}"]))
    return slugs.index(slug)


def _problems(what: str, messages: Iterable[str]) -> list[Problem]:
    return [Problem("", 0, f"new {what}", message) for message in messages]


def _folder(slug: str) -> str:
    """Return the name of a page's folder, which has to be a Python name."""
    name = slug.replace("-", "_")
    return name if name.isidentifier() and not keyword.iskeyword(name) else f"page_{name}"


def _folder_of(file: str, slug: str) -> str:
    """Return the folder below scenes/ for the modules of a page: that of its file, if it is fit for modules."""
    top, *folders = posixpath.dirname(file).split("/")
    fit = all(part.isidentifier() and not keyword.iskeyword(part) for part in folders)
    return "/".join(folders) if top == "scenes" and fit else _folder(slug)


def _title(name: str, otherwise: str) -> str:
    """Return a name as words. A word that begins with a digit would be a number that no scene computed."""
    words = re.split("[-_]+", name)
    return otherwise if any(word[:1].isdigit() for word in words) else " ".join(words).strip().capitalize()


def _starter(name: str) -> str:
    return (OWN_FILES / "starters/page" / name).read_text(encoding="utf-8")


def _named(text: str, new: _Names) -> str:
    """Return a starter's text with the author's names."""
    replacements = new.replacements
    return re.sub("|".join(map(re.escape, replacements)), lambda match: replacements[match[0]], text)


def _modules(new: _Names) -> dict[str, str]:
    """Return the module of a new scene, and its test, by path."""
    folder = posixpath.join("scenes", new.folder)
    starters = {f"{new.scene}.py": "new_scene.py", f"test_{new.scene}.py": "test_new_scene.py"}
    return {posixpath.join(folder, name): _named(_starter(starter), new) for name, starter in starters.items()}


def _with_schema(text: str, page: str, board: str) -> str:
    """Return a page whose first line names the schema for editors, if that of storyboard.yaml does."""
    first, _, rest = text.partition("\n")
    named = re.match(r"\ufeff?# yaml-language-server: \$schema=(\S*?)storyboard\.schema\.json\s", board)
    if not named:
        return rest
    up = "" if "://" in named[1] else "../" * page.count("/")
    return f"{first.partition('=')[0]}={up}{named[1]}page.schema.json\n{rest}"


def _read(root: Path, file: str) -> str:
    """Return a file of the site as it is, line ends included."""
    try:
        return (root / file).read_bytes().decode("utf-8")
    except FileNotFoundError:
        advice = "run this in a site's folder, or name it with --root"
        raise Problems([Problem(file, 0, "", f"not found in {root}; {advice}")]) from None
    except UnicodeDecodeError:
        raise Problems([Problem(file, 0, "", "is not UTF-8 text; save the file as UTF-8")]) from None


def _write(root: Path, files: Mapping[str, str], listing: str, listed: str) -> tuple[str, ...]:
    """Write new files, and then the file that lists them."""
    new_site.add(root, {path: text.encode() for path, text in files.items()})
    output.replace(Path(os.path.realpath(root / listing)), listed.encode())
    return (*files, listing)
