"""One scene by itself: computed, drawn, and handed over."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

from scenebook.build import assemble, scene_runs
from scenebook.build.last_build import BuildOptions
from scenebook.cache import store
from scenebook.cache.reads import Reads
from scenebook.core.problems import Problem, Problems, stop_on
from scenebook.core.suggestions import did_you_mean_or_list
from scenebook.core.text import EMPTY
from scenebook.page import compose
from scenebook.page.compose import of_page
from scenebook.run.scene import Computed
from scenebook.run.workers import Workers
from scenebook.storyboard import loader
from scenebook.storyboard.model import Page, Scene, Storyboard

WILL = {"compute": "will run", "draw": "will be drawn"}
UNKNOWN = "nothing is kept of it: it is new, or starts a program and names no `inputs:`"


def run(options: BuildOptions, name: str, workers: Workers, tell: scene_runs.Tell) -> tuple[Computed, dict[str, bytes]]:
    """Compute and draw one scene, named `slug/id`, or `id` where that is unique: its values, and its figure's files.

    It runs each time, so that what it prints is seen; what else is needed for it may be kept.
    """
    shop = scene_runs.BuildContext(options.root, workers, options.cache(), tell)
    while True:
        with suppress(store.LostError):  # what was lost is found no more, so it is made again
            return _run(options, name, shop)


def _run(options: BuildOptions, name: str, shop: scene_runs.BuildContext) -> tuple[Computed, dict[str, bytes]]:
    book = loader.load(options.root, options.url, shop.kept).book
    found = find(book, name)
    full, item, _ = found
    shop = replace(shop, anew=full)
    computed, failed = scene_runs.compute(_needed(book, found), shop)
    stop_on(failed, strict=True)
    values = scene_runs.Results(computed)
    scopes = compose.scopes([item], book.site, values, set(computed))
    drawn, undrawn = scene_runs.draw([found], computed, scopes, shop)
    stop_on(undrawn, strict=False)
    material = compose.Material(
        item, scopes[item.slug], of_page(item, {full: values[full]}), of_page(item, scene_runs.Results(drawn))
    )
    return values[full], assemble.figure_files(material)


def _needed(book: Storyboard, found: tuple[str, Page, Scene]) -> list[tuple[str, Page, Scene]]:
    """The scenes whose values are drawn: the scene itself, and those that the titles in its figure mention."""
    full, item, scene = found
    titles = compose.texts(replace(scene.figure, caption=EMPTY, alt=EMPTY) if scene.figure else ())
    others = {other if "/" in other else f"{item.slug}/{other}" for other in compose.named(titles)}
    return [each for each in scene_runs.scenes(book.pages) if each[0] in {full, *others}]


def find(book: Storyboard, name: str) -> tuple[str, Page, Scene]:
    """The scene of that name: its full name, its page and itself. Raises `Problems` unless there is just one."""
    known = {each[0]: each for each in scene_runs.scenes(book.pages)}
    found = [full for full in known if name in (full, full.rpartition("/")[2])]
    if len(found) == 1:
        return known[found[0]]
    names = dict.fromkeys([*known, *(full.rpartition("/")[2] for full in known)])
    which = f"; several scenes are called so: {', '.join(found)}" if found else did_you_mean_or_list(name, names)
    raise Problems([Problem("", 0, name, f"is not the name of one scene that computes{which}")])


def why(options: BuildOptions, name: str) -> list[str]:
    """Why a scene would run now, or why it last did, and which changes would make it run again."""
    book = loader.load(options.root, options.url).book
    found, kept = find(book, name), options.cache()
    full, entries = found[0], list[store.CacheEntry]()
    for step, declared in _steps(book, found, kept):
        if entry := kept.find(step, full, declared):  # of what was kept, not always the last
            entries.append(entry)
        else:
            changes = kept.why(step, full, declared)
            return [f"{full} {WILL[step]}: {UNKNOWN if change == store.NEW else change}" for change in changes]
    because = f"because {entries[0].data['why']}" if entries[0].data["why"] else "for the first time"
    lines = [f"{full} is as it was when it last ran, {because}."]
    inputs = sorted({path for entry in entries for path in _inputs(scene_runs.reads(entry))})
    return [*lines, "It runs again when its parameters change, the engine or a library, or one of these:", *inputs]


def _steps(
    book: Storyboard, found: tuple[str, Page, Scene], kept: store.Cache
) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The steps of a scene with what each depends on; the drawing is left out where it waits for other values."""
    full, item, scene = found
    yield "compute", scene_runs.computing(scene)
    made = {name: scene_runs.kept_values(name, each, kept) for name, _, each in _needed(book, found)}
    computed = {name: values for name, values in made.items() if values}
    if scene.figure and len(computed) == len(made):
        scopes = compose.scopes([item], book.site, scene_runs.Results(computed), set(computed))
        yield "draw", scene_runs.drawing(full, scene, scopes[item.slug], computed[full].load())


def _inputs(reads: Reads) -> Iterator[str]:
    """What was read, as an author would call it."""
    yield from reads.paths
    yield from (f"{folder}/ (the names in it)" for folder in reads.folders)
    yield from (f"{path}.py (an import looks there)" for path in reads.modules if f"{path}.py" not in reads.paths)
