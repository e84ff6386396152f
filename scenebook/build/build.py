"""One build from start to end: nothing where nothing has changed, else the site, with processes for its scenes.

Commands, tests and previews all build through `build`. The processes import numpy and matplotlib, which takes long. So
they start first, and this process imports the rest meanwhile. What is imported here for a build that has nothing to do
is as little as can be.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, NamedTuple

from scenebook.build import last_build
from scenebook.core.problems import Problem, stop_on

if TYPE_CHECKING:
    from pathlib import Path

    from scenebook.build.last_build import BuildOptions
    from scenebook.build.scene_runs import FinishedJob, Tell
    from scenebook.run.workers import Workers

YOUNG = 2_000
"""So many new objects before a look for garbage: a build makes many that stay."""


class Done(NamedTuple):
    """What a build did: the paths that it changed in the site, its warnings, and the jobs it ran.

    `scenes` counts the scenes of the site; `unchanged` is true where there was nothing to do.
    """

    changed: tuple[str, ...] = ()
    warnings: tuple[Problem, ...] = ()
    ran: tuple["FinishedJob", ...] = ()
    scenes: int = 0
    unchanged: bool = False


Progress = Callable[[], "AbstractContextManager[Tell]"]
"""Opens what shows the progress of a build, and gives the function that is told of each finished job."""


def build(
    options: "BuildOptions",
    progress: Progress = lambda: nullcontext(lambda job: None),
    workers: "Workers | None" = None,
) -> Done:
    """Build a site, as far as the last build does not hold.

    `workers` may outlast a build; without them the build starts its own and ends them. Raises `Problems` with all that
    is wrong, and then output/ and facts.lock are as they were.
    """
    kept = options.cache()
    last = last_build.find(options, kept)
    if last.holds and not options.into:
        stop_on(last.warnings, strict=options.strict)
        return Done(warnings=last.warnings, unchanged=True)
    gc.set_threshold(YOUNG)
    with _ready(workers, options, at_once=not (last.holds or last.texts_only)) as running:
        from scenebook.build import site

        gc.freeze()  # what is imported is no garbage
        ran: list[FinishedJob] = []
        with progress() as tell:

            def note(job: "FinishedJob") -> None:
                ran.append(job)
                tell(job)

            built = site.build(options, kept, running, note)
    return Done(built.changed, built.warnings, tuple(ran), built.scenes)


@contextmanager
def processes(root: "Path", jobs: int, *, at_once: bool = True) -> Iterator["Workers"]:
    """The processes for the scenes of a root. If they start `at_once`, they get ready while this process goes on.

    Raises `Problems` where a package that they need is missing or too old.
    """
    from scenebook.build import _jobs
    from scenebook.cache import versions

    stop_on(versions.package_problems())

    with _jobs.workers(root, jobs) as workers:
        if at_once:
            workers.start()
        yield workers


def _ready(workers: "Workers | None", options: "BuildOptions", *, at_once: bool) -> "AbstractContextManager[Workers]":
    return nullcontext(workers) if workers else processes(options.root, options.jobs, at_once=at_once)
