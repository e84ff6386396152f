"""The entry point: `build` does nothing if nothing has changed; otherwise it builds the site with worker processes.

Commands, tests and previews all call `build`. The workers have to import numpy and matplotlib, which is slow. So they
start first, and this process imports everything else in the meantime. A build that has nothing to do imports as little
as possible.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, TypeAlias

from scenebook.build import last_build
from scenebook.build.result import BuildResult, FinishedJob, OnFinished
from scenebook.core.problems import stop_on

if TYPE_CHECKING:
    from pathlib import Path

    from scenebook.build.options import BuildOptions
    from scenebook.run.workers import Workers

GC_THRESHOLD = 2_000
"""How many new objects trigger a garbage collection. A build creates many objects, and most of them stay."""

Progress: TypeAlias = Callable[[], AbstractContextManager[OnFinished]]
"""Opens a display of the build's progress, and returns the function to call with each finished job."""


def build(
    options: "BuildOptions",
    progress: Progress = lambda: nullcontext(lambda job: None),
    workers: "Workers | None" = None,
) -> BuildResult:
    """Build the parts of a site that are out of date.

    Pass `workers` to reuse them for several builds; otherwise the build starts workers and ends them. If anything is
    wrong, this raises `Problems` with all of it, and output/ and facts.lock stay unchanged.
    """
    cache = options.open_cache()
    last = last_build.find(options, cache)
    if last.up_to_date and not options.into:
        stop_on(last.warnings, strict=options.strict)
        return BuildResult(warnings=last.warnings, up_to_date=True)
    gc.set_threshold(GC_THRESHOLD)
    scenes_will_run = not (last.up_to_date or last.only_texts_changed)
    with nullcontext(workers) if workers else open_workers(options.root, options.jobs, start=scenes_will_run) as opened:
        from scenebook.build import site

        if not workers:
            gc.freeze()  # the imported modules are never garbage
        finished: list[FinishedJob] = []
        with progress() as show:

            def on_finished(job: FinishedJob) -> None:
                finished.append(job)
                show(job)

            result = site.build(options, cache, opened, on_finished)
    return result._replace(jobs=tuple(finished))


@contextmanager
def open_workers(root: "Path", jobs: int, *, start: bool = True) -> Iterator["Workers"]:
    """Yield workers for the scenes of a root, at most `jobs` at once. They end with the context.

    With `start`, the workers get ready while this process continues; otherwise they start with the first job. Raises
    `Problems` if a package that they need is missing or too old.
    """
    from scenebook.build import _jobs
    from scenebook.cache import versions

    stop_on(versions.package_problems(root))

    with _jobs.workers(root, jobs) as workers:
        if start:
            workers.start()
        yield workers
