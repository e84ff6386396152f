"""What a build prints while it runs: a progress bar on a terminal, and a line for each job that has finished."""

import re
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from scenebook.core.problems import printable

if TYPE_CHECKING:
    from scenebook.build.result import BuildResult, FinishedJob, OnFinished


@contextmanager
def progress(stream: TextIO, *, verbose: bool) -> Iterator["OnFinished"]:
    """Yield the function to call with each finished job. It prints a line, and updates a bar if that is a terminal.

    With `verbose` it also prints what each job printed.
    """
    if not stream.isatty():
        yield lambda job: print(line(job, verbose=verbose), file=stream, flush=True)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(file=stream), transient=True) as bar:
        tasks = {step: bar.add_task(step, total=0, visible=False) for step in ("compute", "share", "draw")}

        def on_finished(job: "FinishedJob") -> None:
            task = bar.tasks[tasks[job.step]]
            added = job.batch if task.completed == task.total else 0
            bar.update(task.id, total=(task.total or 0) + added, advance=1, visible=True)
            bar.console.print(line(job, verbose=verbose), markup=False, highlight=False, emoji=False, soft_wrap=True)

        yield on_finished


def line(job: "FinishedJob", *, verbose: bool) -> str:
    """Return a finished job on one line, followed by what it printed if it failed or if `verbose` is true."""
    end = "failed" if job.failed else f"({job.because})" if job.because else ""
    several = f" at {job.settings} settings" if job.settings > 1 else ""
    text = printable(f"{job.step:7} {job.scene}{several} {job.seconds:.2f} s {end}".rstrip())
    if job.output and (job.failed or verbose):
        text += "\n" + textwrap.indent(printed(job.output.rstrip()), "    | ")
    return text


def printed(output: str) -> str:
    """Return what a scene printed, made safe for a terminal. A line that was overwritten becomes several lines."""
    return printable(re.sub(r"\r\n?", "\n", output), keep="\n\t")


def summary(result: "BuildResult", folder: str) -> str:
    """Return the last line of a build: what ran, what was reused, and what changed in the site's folder."""
    ran = len({job.scene for job in result.jobs})
    reused, changed = result.scenes - ran, len(result.changed)
    return f"{ran} of {result.scenes} scenes ran, {reused} reused; {changed} files changed in {folder}"
