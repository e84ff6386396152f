"""What a build says while it runs: a bar on a terminal, and a line for each scene that ran."""

import re
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from scenebook.core.problems import printable

if TYPE_CHECKING:
    from scenebook.build.build import Done
    from scenebook.build.scene_runs import FinishedJob, Tell


@contextmanager
def progress(*, verbose: bool) -> Iterator["Tell"]:
    """Something to tell of each job that ran; elsewhere than on a terminal it prints plain lines."""
    if not sys.stdout.isatty():
        yield lambda ran: print(line(ran, verbose=verbose), flush=True)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, transient=True) as bar:
        tasks = {step: bar.add_task(step, total=0, visible=False) for step in ("compute", "draw")}

        def tell(ran: "FinishedJob") -> None:
            task = bar.tasks[tasks[ran.step]]
            more = ran.due if task.completed == task.total else 0
            bar.update(task.id, total=(task.total or 0) + more, advance=1, visible=True)
            bar.console.print(line(ran, verbose=verbose), markup=False, highlight=False, soft_wrap=True)

        yield tell


def line(ran: "FinishedJob", *, verbose: bool) -> str:
    """A job in one line, with what it printed if that is wanted or may tell why it failed."""
    end = "failed" if ran.failed else f"({ran.because})" if ran.because else ""
    text = printable(f"{ran.step:7} {ran.scene} {ran.seconds:.2f} s {end}".rstrip())
    if ran.output and (ran.failed or verbose):
        text += "\n" + textwrap.indent(printed(ran.output.rstrip()), "    | ")
    return text


def printed(output: str) -> str:
    """What a scene printed, as it may be shown; a bar that is drawn over itself becomes a line for each state."""
    return printable(re.sub(r"\r\n?", "\n", output), keep="\n\t")


def summary(done: "Done", where: str) -> str:
    """The last line of a build: what ran, what was reused, what was written."""
    ran = len({job.scene for job in done.ran})
    return (
        f"{ran} of {done.scenes} scenes ran, {done.scenes - ran} reused; {len(done.changed)} files changed in {where}"
    )
