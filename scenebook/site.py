"""The build: the steps in order, each of them a module.

storyboard.yaml --storyboard--> pages and scenes       every problem at once, or frozen models
scenes/*.py     --jobs.compute-> values                in processes of their own
values + figure --jobs.draw----> drawings              in processes of their own
values + text   --compose------> views, claims judged
views           --page---------> files                 in memory
files           --check, output> output/, facts.lock   only now is the disk touched
"""

import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from scenebook import check, compose, facts, jobs, output, page, record, storyboard
from scenebook.errors import Problem, Problems
from scenebook.model import Page, Scene, Storyboard
from scenebook.scene import Computed, SceneError

LOCK = "facts.lock"
T = TypeVar("T")


@dataclass(frozen=True)
class Options:
    """How to build: `locked` fails where facts.lock would change, `strict` takes warnings for problems."""

    locked: bool = False
    strict: bool = False
    jobs: int | None = None
    url: str | None = None


@dataclass
class Gathered:
    """A build so far: the files of the site, the facts, and everything that is wrong."""

    files: dict[str, bytes] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def build(root: Path, options: Options = Options()) -> tuple[str, ...]:
    """Build the site of a root folder; return the paths in output/ that changed.

    Raises `Problems` with all that is wrong, and then output/ and facts.lock are as they were.
    """
    gathered = gather(root, options)
    stop(gathered.problems, options.strict)
    lock = _lock(gathered.facts)
    if options.locked:
        _compare_lock(root, lock)
    changed = output.write(root / "output", gathered.files)
    if not options.locked:
        output.replace(root / LOCK, lock.encode())
    return changed


def gather(root: Path, options: Options) -> Gathered:
    """Everything up to the disk: load, compute, draw, judge, render, check."""
    gathered = Gathered()
    book, warnings = storyboard.load(root, options.url)
    gathered.problems += warnings
    computed = _computed(root, book, gathered.problems)
    scopes = compose.scopes(book, computed)
    drawings = _drawings(root, book, computed, scopes, gathered.problems)
    views = {}
    for entry in book.pages:
        scope = scopes[entry.slug]
        material = compose.Material(entry, scope, _of(entry, computed), _of(entry, drawings))
        judged = compose.judge(material)
        views[entry.slug] = compose.page_view(material, book.site, judged)
        gathered.problems += scope.problems
        gathered.files |= _figure_files(entry, computed, drawings)
        gathered.facts[entry.slug] = record.page_facts(material, judged)
    if not any(not problem.warning for problem in gathered.problems):
        gathered.files |= _site_files(root, book, views, gathered)
    return gathered


def stop(problems: Iterable[Problem], strict: bool) -> None:
    """Raise `Problems` if one of them is no mere warning, or any where warnings count."""
    found = tuple(problems)
    if any(strict or not problem.warning for problem in found):
        raise Problems(found)


def scenes(book: Storyboard) -> Iterator[tuple[str, Page, Scene]]:
    """Every scene that computes, by its full name."""
    for entry in book.pages:
        for scene in entry.scenes:
            if scene.compute:
                yield f"{entry.slug}/{scene.id}", entry, scene


def _computed(root: Path, book: Storyboard, problems: list[Problem]) -> dict[str, Computed]:
    results = {}
    for name, _, scene in scenes(book):
        result = _attempt(root, scene, name, problems, jobs.compute, str(scene.compute), scene.params)
        if result is not None:
            results[name] = result
    return results


def _drawings(
    root: Path, book: Storyboard, computed: Mapping[str, Computed], scopes: Mapping[str, Any], problems: list[Problem]
) -> dict[str, Any]:
    drawings = {}
    for name, entry, scene in scenes(book):
        if scene.figure and name in computed:
            spec = compose.spec(scene, scopes[entry.slug])
            drawing = _attempt(root, scene, name, problems, jobs.draw, name, spec, str(scene.compute), computed[name])
            if drawing is not None:
                drawings[name] = drawing
    return drawings


def _attempt(
    root: Path, scene: Scene, name: str, problems: list[Problem], function: Callable[..., T], *arguments: Any
) -> T | None:
    try:
        return function(*arguments)
    except SceneError as error:
        problems.append(Problem(f"scenes/{scene.compute}", 0, name, str(error)))
    except Exception as error:
        frames = [
            f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).is_relative_to(root / "scenes")
        ]
        line = (frames[-1].lineno or 0) if frames else 0
        problems.append(Problem(f"scenes/{scene.compute}", line, name, f"{type(error).__name__}: {error}"))
    return None


def _of(entry: Page, results: Mapping[str, T]) -> dict[str, T]:
    """The results of one page's scenes, by id."""
    names = {str(scene.id): f"{entry.slug}/{scene.id}" for scene in entry.scenes}
    return {scene: results[name] for scene, name in names.items() if name in results}


def _figure_files(entry: Page, computed: Mapping[str, Computed], drawings: Mapping[str, Any]) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for scene in entry.scenes:
        name = f"{entry.slug}/{scene.id}"
        if name in computed:
            files |= {f"{name}-{value}.npy": content for value, content in computed[name].npy.items()}
        if drawing := drawings.get(name):
            files[f"{name}.png"] = drawing.png
            for panel in drawing.panels:
                files[f"{name}-{panel.name}.svg"] = panel.svg.encode()
                if panel.csv is not None:
                    files[f"{name}-{panel.name}.csv"] = panel.csv
    return files


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
    files = {**gathered.files, **assets, **{path: text.encode() for path, text in texts.items()}}
    files["facts.json"] = facts.dumps({"pages": gathered.facts}).encode()
    gathered.problems += check.check(outlines, files, urlsplit(site.url).path)
    return files


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


def _lock(pages: Mapping[str, Any]) -> str:
    return "".join(f"{line}\n" for line in sorted(record.lock_lines(pages)))


def _compare_lock(root: Path, lock: str) -> None:
    try:
        old = (root / LOCK).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise Problems([Problem(LOCK, 0, "", "not found; run `make build` and commit the file")]) from None
    raise_on = [
        Problem(LOCK, 0, "", f"would change: {line!r} is {what}; run `make build` and commit the file")
        for line, what in _line_changes(old.splitlines(), lock.splitlines())
    ]
    if raise_on:
        raise Problems(raise_on)


def _line_changes(old: list[str], new: list[str]) -> list[tuple[str, str]]:
    return [(line, "gone") for line in old if line not in new] + [(line, "new") for line in new if line not in old]


def on_path(root: Path) -> None:
    """Put the root on the path, so that `scenes.*` can be imported."""
    sys.path.insert(0, str(root))
