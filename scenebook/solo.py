"""One scene by itself: computed, drawn, and handed over."""

from contextlib import suppress
from dataclasses import replace

from scenebook import assemble, cache, compose, produce, storyboard
from scenebook.compose import of_page
from scenebook.errors import Problem, Problems, stop_on
from scenebook.fresh import Options
from scenebook.model import EMPTY, Page, Scene, Storyboard
from scenebook.scene import Computed
from scenebook.work import Workers


def run(options: Options, name: str, workers: Workers, tell: produce.Tell) -> tuple[Computed, dict[str, bytes]]:
    """Compute and draw one scene, named `slug/id`, or `id` where that is unique: its values, and its figure's files."""
    shop = produce.Workshop(options.root, workers, options.cache(), tell)
    while True:
        with suppress(cache.LostError):  # what was lost is found no more, so it is made again
            return _run(options, name, shop)


def _run(options: Options, name: str, shop: produce.Workshop) -> tuple[Computed, dict[str, bytes]]:
    book = storyboard.load(options.root, options.url, shop.kept).book
    found = find(book, name)
    full, item, scene = found
    titles = compose.texts(replace(scene.figure, caption=EMPTY, alt=EMPTY) if scene.figure else ())
    others = {other if "/" in other else f"{item.slug}/{other}" for other in compose.named(titles)}
    needed = [each for each in produce.scenes(book.pages) if each[0] in {full, *others}]
    computed, failed = produce.compute(needed, shop)
    stop_on(failed, strict=True)
    values = produce.Results(computed)
    scopes = compose.scopes([item], book.site, values, set(computed))
    drawn, undrawn = produce.draw([found], computed, scopes, shop)
    stop_on(undrawn, strict=False)
    material = compose.Material(
        item, scopes[item.slug], of_page(item, {full: values[full]}), of_page(item, produce.Results(drawn))
    )
    return values[full], assemble.figure_files(material)


def find(book: Storyboard, name: str) -> tuple[str, Page, Scene]:
    """The scene of that name: its full name, its page and itself. Raises `Problems` unless there is just one."""
    known = {each[0]: each for each in produce.scenes(book.pages)}
    found = [full for full in known if name in (full, full.rpartition("/")[2])]
    if len(found) == 1:
        return known[found[0]]
    which = f"several scenes are called so: {', '.join(found)}" if found else f"there are: {', '.join(known)}"
    raise Problems([Problem("", 0, name, f"is not the name of one scene that computes; {which}")])


def why(options: Options, name: str) -> list[str]:
    """Why a scene would run now, or why it last did, and which changes would make it run again."""
    book = storyboard.load(options.root, options.url).book
    full, _, scene = find(book, name)
    declared, kept = produce.computing(scene), options.cache()
    if changes := kept.why("compute", full, declared):
        return [f"{full} will run: {change}" for change in changes]
    entry = kept.find("compute", full, declared)
    assert entry is not None
    lines = [f"{full} is as it was when it last ran: {entry.data['why'] or cache.NEW}"]
    reads = sorted({path for states in entry.reads.values() for path in states})
    return [*lines, "It runs again when its parameters change, the engine or a library, or one of these:", *reads]
