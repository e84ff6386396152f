"""storyboard.yaml and its page files to the frozen models: every problem of all files at once, with file and line.

`source` reads YAML into trees of text that know their places, and `rules` tells what is wrong beyond the shape. Here
pydantic turns the trees into the dataclasses of `model`; where the shape is wrong, we say so in our words, at the line.
"""

from __future__ import annotations

import keyword
import os
import pickle
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scenebook.cache import versions
from scenebook.cache.reads import Reads
from scenebook.cache.store import Cache, CacheEntry, LostError
from scenebook.core import digests
from scenebook.core.problems import Problem, Problems
from scenebook.core.suggestions import closest, did_you_mean, suggest
from scenebook.core.text import Text
from scenebook.storyboard import _rules as rules
from scenebook.storyboard._model_fields import keys_of, model_at
from scenebook.storyboard._tree import INVISIBLE, Map, Seq, problem, read, shown
from scenebook.storyboard.model import Page, Scene, Site, Storyboard, Track

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from pydantic_core import ErrorDetails, SchemaValidator

FILE = "storyboard.yaml"
PARAMS = re.compile(r"(?:.*\.)?scenes\.[^.]+\.params")
Astray = Callable[[str], str | None]
"""Tells why a path leads to no file inside the root, if so."""
TREE, MODEL = "tree", "model"
UNKNOWN, MISSING = "unexpected_keyword_argument", "missing"
"""Pydantic's names of two errors. Where the first is a slip of the second, it alone is told."""
KINDS = {"storyboard": Storyboard, "page": Page}


class Listed(NamedTuple):
    """A page of a storyboard: its slug, its file, a digest of all that is written of it, and how to get it."""

    slug: str
    file: str
    digest: str
    load: Callable[[], Page]


class Loaded(NamedTuple):
    """A storyboard whose pages are loaded one by one, so that hundreds of them take hardly more memory than ten.

    `digest` is that of all that is written of the site.
    """

    site: Site
    tracks: tuple[Track, ...]
    pages: tuple[Listed, ...]
    warnings: tuple[Problem, ...]
    digest: str

    def scene(self, name: str) -> tuple[str, Page, Scene] | None:
        """The scene that computes and has this full name (`slug/id`), with its name and page."""
        slug, _, which = name.partition("/")
        pages = (item.load() for item in self.pages if item.slug == slug)
        return next(((name, page, each) for page in pages for each in page.scenes if _is(each, which)), None)

    @property
    def book(self) -> Storyboard:
        """All of it at once."""
        return Storyboard(self.site, tuple(item.load() for item in self.pages), self.tracks)


def _is(scene: Scene, which: str) -> bool:
    return scene.id == which and scene.compute is not None


class _Written(NamedTuple):
    """A file, or a page in place: what others are judged with, what is wrong with it, its digest, and its model."""

    tree: Map
    problems: list[Problem]
    digest: str
    model: Callable[[], Any]


def load(root: Path, url: str | None = None, kept: Cache | None = None) -> Loaded:
    """The storyboard of a root; raises `Problems`, with every problem of all its files.

    `url` overrides the address that the storyboard gives for the site. What files hold that have not changed is found
    in `kept`.
    """
    root = root.resolve()
    astray = partial(_astray, root, {})
    board = _read(root, FILE, "storyboard", kept)
    problems = [*board.problems]
    if url and (message := rules.not_a_base(url)):
        problems.append(Problem(FILE, 0, "SCENEBOOK_URL", message))
    pages, complete = _fetch_pages(root, board.tree, problems, kept, astray)
    trees = [page.tree for page in pages]
    problems += [*rules.check(board.tree, trees, complete=complete), *_misplaced(trees, astray)]
    if any(not each.warning for each in problems):
        raise Problems(problems)
    book: Storyboard = board.model()
    address = Text((url or book.site.url).rstrip("/") + "/", FILE, book.site.url.line)
    site = replace(book.site, url=address)
    listed = tuple(Listed(str(page.tree["slug"]), page.tree.file, page.digest, page.model) for page in pages)
    return Loaded(site, book.tracks, listed, tuple(sorted(set(problems))), digests.fingerprint(site))


# Files.


def _fetch_pages(
    root: Path, board: Map, problems: list[Problem], kept: Cache | None, astray: Astray
) -> tuple[list[_Written], bool]:
    """The pages of a storyboard, by path or in place, and whether all files of pages could be read."""
    listed = board.get("pages", Seq(FILE, board.line, "pages"))
    if not isinstance(listed, Seq):
        return [], False
    if not listed:
        message = "there are no pages; list pages, or the paths of files that hold one each"
        problems.append(problem(board, "pages", message))
    pages, seen, complete = list[_Written](), {os.path.realpath(root / FILE)}, True
    for index, entry in enumerate(listed):
        try:
            if isinstance(entry, Text):
                pages.append(_read(root, _page_file(root, listed, index, seen, astray), "page", kept))
            elif isinstance(entry, Map):
                pages.append(_judged(entry, [], "page", kept))
            else:
                problems.append(problem(listed, index, _unexpected("dataclass", entry)))
        except Problems as error:
            problems += error.problems
            complete = False
    problems += (found for page in pages for found in page.problems)
    return pages, complete


def _page_file(root: Path, listed: Seq, index: int, seen: set[str], astray: Astray) -> str:
    """The path of a page's file; raises `Problems` where it leads to none, or to one that was read."""
    path = listed[index]
    if message := astray(path):
        raise Problems([problem(listed, index, message)])
    place = os.path.realpath(f"{root}/{path}")
    if place in seen:
        raise Problems([problem(listed, index, f"the file {shown(path)} is already part of the storyboard")])
    seen.add(place)
    return posixpath.normpath(str(path))


def _read(root: Path, file: str, kind: str, kept: Cache | None) -> _Written:
    """What a file holds, as read before or now."""
    if kept and (entry := kept.find("source", file, versions.made_by())):
        with suppress(LostError):
            return _found(entry, kept)
    written = _judged(*read(root, file, PARAMS), kind, kept)
    blobs = {TREE: pickle.dumps((written.tree, written.problems)), MODEL: pickle.dumps(written.model())}
    entry = kept.keep("source", file, versions.made_by(), Reads(paths=(file,)), blobs=blobs) if kept else None
    return _found(entry, kept) if entry and kept else written


def _found(entry: CacheEntry, kept: Cache) -> _Written:
    tree, problems = pickle.loads(kept.read(entry, TREE))
    model = kept.file(entry, MODEL)
    return _Written(tree, problems, model.digest, lambda: pickle.loads(model.read()))


def _judged(tree: Map, problems: list[Problem], kind: str, kept: Cache | None) -> _Written:
    """A tree as a model, judged by itself."""
    is_page = kind == "page"
    judged = [*problems, *(rules.page(tree) if is_page else ())]
    model = _validated(tree, kind, judged, kept)
    return _Written(rules.outline(tree) if is_page else tree, judged, digests.fingerprint(model), lambda: model)


def _misplaced(pages: Sequence[Map], astray: Astray) -> Iterator[Problem]:
    """Files that scenes name and that are not there."""
    for scene in (scene for page in pages for scene in rules.maps(page, "scenes")):
        compute = rules.text(scene, "compute")
        if compute and compute.strip() and (message := _not_a_module(compute) or astray(f"scenes/{compute}")):
            yield problem(scene, "compute", message)
        for inputs, index, path in rules.texts(scene, "inputs"):
            if path.strip() and (message := astray(path)):
                yield problem(inputs, index, message)


def _not_a_module(path: str) -> str | None:
    parts = path.removesuffix(".py").split("/")
    if path.endswith(".py") and all(part.isidentifier() and not keyword.iskeyword(part) for part in parts):
        return None
    return f"{shown(path)} is not the path of a module under scenes/, Python names and / alone: attention/scores.py"


def _astray(root: Path, folders: dict[str, bool], path: str) -> str | None:
    """Why a path leads to no file inside the root, if so; `folders` are known to be reached by links or not."""
    full = f"{root}/{path}"
    if path.startswith("/") or ".." in path.split("/") or re.search(r"[\\:]", path) or INVISIBLE.search(path):
        return f"{shown(path)} is not a path inside the root, relative to it, with / between folders"
    if _is_plain(full, folders):
        return None
    try:
        if not (root / path).resolve().is_relative_to(root):
            return f"{shown(path)} leads outside the root"
        if (root / path).is_file():
            return None
        return f"not found; looked for {shown(posixpath.normpath(path))} in the root{_hint(root, path)}"
    except (OSError, RuntimeError) as error:
        return f"{shown(path)} cannot be read: {getattr(error, 'strerror', None) or 'its links lead in a circle'}"


def _hint(root: Path, path: str) -> str:
    """Return the end of the message about a path that leads to no file: a file with a similar name, if there is one."""
    folder = root / posixpath.dirname(path)
    if path.startswith("scenes/scenes/"):
        return "; what computes is looked for below scenes/"
    names = [file.name for file in folder.iterdir() if file.is_file()] if folder.is_dir() else []
    return did_you_mean(posixpath.basename(path), names)


def _is_plain(path: str, folders: dict[str, bool]) -> bool:
    """Whether there is a file, and no link on the way to it: told by strings, in a fifth of the time of objects."""
    folder = os.path.dirname(path)
    if folder not in folders:
        folders[folder] = os.path.realpath(folder) == folder
    return folders[folder] and os.path.isfile(path) and not os.path.islink(path)


# Shapes.


@cache
def adapter(kind: str) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(KINDS[kind])


def _validator(kind: str, kept: Cache | None) -> SchemaValidator:
    """What pydantic made of the models. To make it takes longer than to use it, so it is found in `kept`."""
    from pydantic_core import SchemaValidator

    if kept and (entry := kept.find("models", kind, versions.made_by())):
        with suppress(LostError):
            return SchemaValidator(pickle.loads(kept.read(entry, MODEL)))
    schema = _bare(adapter(kind).core_schema)
    if kept:
        kept.keep("models", kind, versions.made_by(), Reads(), blobs={MODEL: pickle.dumps(schema)})
    return SchemaValidator(schema)


def _bare(schema: Any) -> Any:
    """A compiled schema without what serves other ends than validation, and cannot be pickled."""
    if isinstance(schema, dict):
        return {key: _bare(part) for key, part in schema.items() if key not in ("metadata", "serialization")}
    return type(schema)(map(_bare, schema)) if isinstance(schema, list | tuple) else schema


def _validated(tree: Map, kind: str, problems: list[Problem], kept: Cache | None) -> Any:
    """The tree as a model (without its pages, which are models of their own), or None and its problems."""
    from pydantic_core import ValidationError

    bare = {**tree, "pages": ()} if isinstance(tree.get("pages", ()), Seq | tuple) and kind == "storyboard" else tree
    try:
        return _validator(kind, kept).validate_python(bare)
    except ValidationError as error:
        errors = error.errors(include_url=False)
        meant = {(*path, name) for *path, key in _unknown(errors) if (name := closest(key, _keys(_steps(path, kind))))}
        problems += [_told(each, tree, kind) for each in errors if each["type"] != MISSING or each["loc"] not in meant]
        return None


def _unknown(errors: Iterable[ErrorDetails]) -> Iterator[tuple[Any, ...]]:
    """The places of keys that nobody knows."""
    return (each["loc"] for each in errors if each["type"] == UNKNOWN)


def _told(error: ErrorDetails, tree: Map, kind: str) -> Problem:
    """Pydantic's error in our words, at its place in the tree."""
    *path, key = error["loc"]
    node: Any = tree
    for step in path:
        node = node[step]
    if error["type"] == UNKNOWN:
        line = next(written.line for written in node if written == key)
        return problem(node, key, f"unknown key{_known(str(key), _steps(path, kind))}")._replace(line=line)
    if error["type"] == MISSING:
        return problem(node, key, "is missing")
    return problem(node, key, _unexpected(error["type"], error["input"], error.get("ctx", {}).get("expected")))


def _steps(path: Sequence[str | int], kind: str) -> list[str]:
    """The keys that lead to a place from the top of a storyboard."""
    return [*(["pages"] if kind == "page" else []), *(step for step in path if isinstance(step, str))]


def _keys(steps: Sequence[str]) -> Iterable[str]:
    """Return the keys that a place can have."""
    return keys_of(model_at(steps))


def _known(key: str, steps: Sequence[str]) -> str:
    """Return the end of the message about an unknown key.

    It suggests a similar key of the same place, or else one from a step down or up, or else lists the keys of the
    place.
    """
    if hint := did_you_mean(key, _keys(steps)):
        return hint
    here, above = model_at(steps), model_at(steps[:-1])
    far = {name: [f"{name} of the {above.__name__.lower()}"] for name in keys_of(above)}
    far |= {name: [] for part in keys_of(here).values() if part for name in keys_of(part)}
    for step, name in ((step, name) for step, part in keys_of(here).items() if part for name in keys_of(part)):
        far[name].append(f"{step}.{name}")
    if other := closest(key, far):
        return suggest("' or '".join(far[other]))
    return f"; known here: {', '.join(keys_of(here))}"


_EXPECTED = {
    "dataclass": "a mapping of keys to values",
    "dict": "a mapping of keys to values",
    "tuple": "a list, each entry behind a -",
    "is": "text",
    "float": "a number",
    "int": "a whole number",
    "bool": "true or false",
}


def _unexpected(kind: str, value: Any, told: Any = None) -> str:
    """What was expected, and what was found; pydantic may have `told` the first, and knows it by this `kind`."""
    if value is None:
        return "is missing"
    expected = told or _EXPECTED.get(kind.partition("_")[0], "something else")
    if isinstance(value, str):
        choices = re.findall("'(.+?)'", str(expected))
        return f"expected {expected}, found {shown(value)}{did_you_mean(value, choices)}"
    found, begins = (
        ("a list", "begins with [") if isinstance(value, list) else ("a mapping", "holds ': ' or begins with {")
    )
    return f"expected {expected}, found {found}" + (f"; quote a text that {begins}" if expected == "text" else "")
