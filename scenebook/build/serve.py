"""The preview: builds a site, serves it on this machine, and builds again after each change, in one warm process.

    files change --[_watch]---------> paths, many at a time
    paths        --[build]----------> output/ and facts.lock, as `build` writes them, or mistakes
    either       --[_preview_server]-> open pages, which update themselves with `preview.js`

Builds run one after the other, in the main thread. What changes during a build is built next, so the last state always
wins. The workers stay warm between builds; if they are killed, new ones start.
"""

import gc
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from scenebook.build import _watch as watch
from scenebook.build import build
from scenebook.build._preview_server import PreviewServer, State, serving
from scenebook.build.build import Progress
from scenebook.build.options import BuildOptions
from scenebook.build.result import BuildResult
from scenebook.cache import versions
from scenebook.cache.store import retry_if_lost
from scenebook.core import digests
from scenebook.core.problems import Problem, Problems
from scenebook.run.workers import Workers
from scenebook.storyboard import loader

RESTART = "Scenebook's own code has changed; stop the preview with Ctrl-C and start it again"
BUG = "Scenebook itself has failed, and the terminal says how; the preview goes on with your next change"


class Built(NamedTuple):
    """What a build of the preview led to: a result, or the problems that stopped it. `bug` is a traceback."""

    result: BuildResult | None
    problems: tuple[Problem, ...]
    bug: str = ""


class Preview(NamedTuple):
    """A preview, served at `server.address`. Iterating over `builds` keeps it up to date, until `end` is called."""

    server: PreviewServer
    builds: Iterator[Built]
    end: Callable[[], None]


@contextmanager
def preview(options: BuildOptions, port: int, progress: Progress) -> Iterator[Preview]:
    """Serve a site at the port, or at the next one that is free, until the context ends.

    `builds` yields what the first build led to, then each further one. It waits for changes in between.
    """
    with (
        serving(options.output, port) as server,
        watch.watching(options.root, versions.ENGINE, versions.OWN_TEMPLATES) as watcher,
        _warm_workers(options) as get_workers,
    ):
        builds = _builds(options, server, watcher, lambda: _build(options, progress, get_workers))
        yield Preview(server, builds, watcher.end)


def _builds(
    options: BuildOptions, server: PreviewServer, watcher: watch.Watcher, build_once: Callable[[], Built]
) -> Iterator[Built]:
    engine, base_known = _engine(), False
    while True:
        server.publish(server.state._replace(building=True))
        built = build_once() if engine == _engine() else Built(None, (Problem("", 0, "", RESTART),))
        if not base_known:
            with suppress(Problems):  # of which `built` has all
                server.base, base_known = _base(options), True
        server.publish(State(problems=built.problems))
        yield built
        if not gc.get_freeze_count():
            gc.collect()
            gc.freeze()  # what the first build has imported is never garbage
        if not (changed := watcher.next()):
            return
        base_known &= options.root / loader.FILE not in changed
        if any(path.is_relative_to(versions.OWN_TEMPLATES) for path in changed):
            versions.templates.cache_clear()


def _build(options: BuildOptions, progress: Progress, get_workers: Callable[[], Workers]) -> Built:
    """Build the site, and once more if the process that starts all scenes has been killed meanwhile."""
    workers = get_workers()
    built = _attempt(options, progress, workers)
    return _attempt(options, progress, get_workers()) if built.problems and workers.ended else built


def _attempt(options: BuildOptions, progress: Progress, workers: Workers) -> Built:
    try:
        result = build.build(options, progress, workers)
    except Problems as error:
        return Built(None, error.problems)
    except OSError as error:
        return Built(None, (Problem(str(error.filename or ""), 0, "", error.strerror or str(error)),))
    except Exception:  # noqa: BLE001 - whatever it is, the preview goes on
        workers.end()  # they may still be busy with jobs that nobody waits for
        return Built(None, (Problem("", 0, "", BUG),), bug=traceback.format_exc())
    return Built(result, result.warnings)


@contextmanager
def _warm_workers(options: BuildOptions) -> Iterator[Callable[[], Workers]]:
    """Yield a function that returns workers: the same ones each time, until they have ended."""
    with ExitStack() as stack:
        opened: list[Workers] = []

        def get() -> Workers:
            if not opened or opened[-1].ended:
                stack.close()
                opened[:] = [stack.enter_context(build.open_workers(options.root, options.jobs))]
            return opened[-1]

        yield get


def _base(options: BuildOptions) -> str:
    """Return the path of the site's address, which ends in a slash."""
    loaded = retry_if_lost(lambda: loader.load(options.root, options.url, options.open_cache()))
    return urlsplit(loaded.site.url).path or "/"


def _engine() -> tuple[str, ...]:
    """Return the digests of the engine's code as it is on the disk now; a running process keeps what it imported."""
    return tuple(map(str, digests.of_files([str(path) for path in sorted(_sources())])))


def _sources() -> Iterator[Path]:
    return versions.ENGINE.rglob("*.py")
