"""The build: the steps in order, each of them a module.

storyboard.yaml --storyboard--> pages and scenes      every problem at once, or frozen models
scenes/*.py     --produce-----> values, drawings      in processes of their own, many at once
values + text   --compose-----> views, claims judged
views           --page--------> files                 in memory
files           --check, output> output/, facts.lock  only now is the disk touched
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from scenebook import check, compose, output, page, produce, record, storyboard
from scenebook.errors import Problem, Problems
from scenebook.model import Page, Scene, Storyboard
from scenebook.work import Workers

LOCK = "facts.lock"
T = TypeVar("T")


@dataclass(frozen=True)
class Options:
    """How to build: `locked` fails where facts.lock would change, `strict` takes warnings for problems.

    `into` is another folder than output/; into it goes all that can be built, whatever fails, and facts.lock stays.
    """

    locked: bool = False
    strict: bool = False
    jobs: int = 2
    url: str | None = None
    into: Path | None = None


@dataclass
class Gathered:
    """A build so far: the files of the site, the facts, and everything that is wrong."""

    files: dict[str, bytes] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def build(root: Path, options: Options, tell: Callable[[produce.Ran], None]) -> tuple[tuple[str, ...], list[Problem]]:
    """Build the site of a root folder; return the paths in output/ that changed, and the warnings.

    Raises `Problems` with all that is wrong, and then output/ and facts.lock are as they were.
    """
    gathered = gather(root, options, tell)
    if options.into:
        output.write(options.into, gathered.files, options.into.name)
    stop(gathered.problems, options.strict)
    if options.into:
        return tuple(gathered.files), gathered.problems
    lock = "".join(f"{line}\n" for line in sorted(record.lock_lines(gathered.facts)))
    if options.locked:
        stop(_lock_changes(root / LOCK, lock), strict=True)
    changed = output.write(root / "output", gathered.files)
    if not options.locked:
        output.replace(root / LOCK, lock.encode())
    return changed, gathered.problems


def gather(root: Path, options: Options, tell: Callable[[produce.Ran], None]) -> Gathered:
    """Everything up to the disk: load, compute, draw, judge, render, check."""
    with Workers(root, options.jobs, produce.STEPS) as workers:
        book, warnings = storyboard.load(root, options.url)
        computed, failed = produce.compute(book.pages, workers, tell)
        scopes = compose.scopes(book, computed)
        drawings, undrawn = produce.draw(book.pages, computed, scopes, workers, tell)
    unsure = [problem for drawing in drawings.values() for problem in drawing.warnings]
    gathered = Gathered(problems=[*warnings, *failed, *undrawn, *unsure])
    views: dict[str, page.PageView] = {}
    for entry in book.pages:
        material = compose.Material(entry, scopes[entry.slug], _of(entry, computed), _of(entry, drawings))
        judged = compose.judge(material)
        views[entry.slug] = compose.page_view(material, book.site, judged)
        gathered.problems += material.scope.problems
        gathered.files |= _figure_files(material)
        gathered.facts[entry.slug] = record.page_facts(material, judged, views[entry.slug], root)
    gathered.files["facts.json"] = record.site_facts(gathered.facts, root)
    try:
        gathered.files |= _site_files(root, book, views, gathered)
    except Problems as error:
        gathered.problems += error.problems
    return gathered


def stop(problems: Iterable[Problem], strict: bool) -> None:
    """Raise `Problems` if one of them is no mere warning, or any where warnings count."""
    found = tuple(problems)
    if any(strict or not problem.warning for problem in found):
        raise Problems(found)


def _of(entry: Page, results: Mapping[str, T]) -> dict[str, T]:
    """The results of one page's scenes, by id."""
    names = {str(scene.id): f"{entry.slug}/{scene.id}" for scene in entry.scenes}
    return {scene: results[name] for scene, name in names.items() if name in results}


def _figure_files(material: compose.Material) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for scene, result in material.computed.items():
        files |= {f"{material.page.slug}/{scene}-{name}.npy": content for name, content in result.npy.items()}
    for scene, drawing in material.drawings.items():
        stem = f"{material.page.slug}/{scene}"
        files[f"{stem}.png"] = drawing.png
        files |= {f"{stem}-{panel.name}.svg": panel.svg.encode() for panel in drawing.panels}
        files |= {f"{stem}-{panel.name}.csv": panel.csv for panel in drawing.panels if panel.csv is not None}
    return files


def run(root: Path, name: str, options: Options, tell: Callable[[produce.Ran], None]) -> tuple[Any, dict[str, bytes]]:
    """Compute and draw one scene, named `slug/id`, or `id` where that is unique: its values, and its figure's files."""
    with Workers(root, options.jobs, produce.STEPS) as workers:
        book, _ = storyboard.load(root, options.url)
        page, scene = _find(book, name)
        alone = (replace(page, scenes=(scene,)),)
        computed, failed = produce.compute(alone, workers, tell)
        stop(failed, strict=True)
        everything = compose.scopes(replace(book, pages=alone), computed)
        drawings, undrawn = produce.draw(alone, computed, everything, workers, tell)
        stop(undrawn, strict=False)
    material = compose.Material(page, everything[page.slug], _of(page, computed), _of(page, drawings))
    return computed[f"{page.slug}/{scene.id}"], _figure_files(material)


def _find(book: Storyboard, name: str) -> tuple[Page, Scene]:
    known = {full: (page, scene) for full, page, scene in produce.scenes(book.pages)}
    found = [full for full in known if name in (full, full.rpartition("/")[2])]
    if len(found) == 1:
        return known[found[0]]
    which = f"several scenes are called so: {', '.join(found)}" if found else f"there are: {', '.join(known)}"
    raise Problems([Problem("", 0, name, f"is not the name of one scene that computes; {which}")])


def _site_files(
    root: Path, book: Storyboard, views: Mapping[str, page.PageView], gathered: Gathered
) -> dict[str, bytes]:
    templates = page.environment(root / "templates")
    assets = {path: source.read_bytes() for path, source in page.static(root / "templates").items()}
    addresses = {path: f"{path}?v={output.digest(content)}" for path, content in assets.items()}
    entries = tuple(compose.entry(entry, views[entry.slug]) for entry in book.pages)
    site = compose.site_view(book, entries, addresses, gathered.problems)
    texts = {path: page.render(templates, name, site=site, **context) for path, name, context in _renders(site, views)}
    outlines = {path: check.outline(text) for path, text in texts.items() if path.endswith(".html")}
    files = {**assets, **{path: text.encode() for path, text in texts.items()}}
    written = {f"{page.slug}/index.html": page for page in book.pages}
    gathered.problems += check.check(
        outlines,
        {*files, *gathered.files},
        urlsplit(site.url).path,
        lambda path, link: _written(written[path], link) if path in written else ("templates", 0),
    )
    return files


def _written(page: Page, link: str) -> tuple[str, int]:
    """File and line of a link in a page's texts; the page's first line for one that a template made."""
    for text in compose.texts(page):
        if (offset := text.find(f"({link}")) >= 0 or (offset := text.find(link)) >= 0:
            return text.file, text.line_at(offset)
    return page.file, page.slug.line


def _renders(site: page.SiteView, views: Mapping[str, page.PageView]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every page and file that a template makes: its path, the template, and what the template gets."""
    below = {"root": "../"}
    for number, entry in enumerate(site.entries):
        track = next((track for track in site.tracks if entry in track.entries), None)
        around = track.entries if track else site.entries
        place = around.index(entry) if track else number
        context = {
            "page": views[entry.slug],
            "track": track,
            "previous": around[place - 1] if place else None,
            "next": around[place + 1] if place + 1 < len(around) else None,
            "canonical": f"{site.url}{entry.slug}/",
        }
        yield f"{entry.slug}/index.html", "page.html", {**below, **context}
    for track in site.tracks:
        yield (
            f"{track.slug}/index.html",
            "track.html",
            {**below, "track": track, "canonical": f"{site.url}{track.slug}/"},
        )
    yield "index.html", "index.html", {"root": "", "canonical": site.url}
    yield "404.html", "404.html", {"root": urlsplit(site.url).path, "canonical": f"{site.url}404.html"}
    for name in ("feed.xml", "sitemap.xml", "robots.txt"):
        yield name, name, {"root": site.url, "canonical": site.url, "updated": None}


def _lock_changes(file: Path, lock: str) -> Iterator[Problem]:
    if not file.exists():
        yield Problem(LOCK, 0, "", "not found; run `make build` and commit the file")
        return
    old, new = file.read_text(encoding="utf-8").splitlines(), lock.splitlines()
    changes = [(line, "gone") for line in old if line not in set(new)] + [
        (line, "new") for line in new if line not in set(old)
    ]
    for line, what in changes:
        yield Problem(LOCK, 0, "", f"would change: {line!r} is {what}; run `make build` and commit the file")
