"""What a page says of a scene that repeats its run: which run its figures show, and how its numbers vary."""

from scenebook.core import spread
from scenebook.core.number_format import show
from scenebook.core.settings import describe
from scenebook.core.spread import Spread
from scenebook.figure.spec import Figure
from scenebook.page.views import RepeatView
from scenebook.run.repeats import Repeats


def repeat_view(repeats: Repeats, figure: Figure | None) -> RepeatView:
    """What the page of a scene says of its repeats."""
    first, seed = f"run 1 of {len(repeats.seeds)}", describe({repeats.param: repeats.seeds[0]})
    rows = ((name, show(over.low), show(over.median), show(over.high)) for name, over in spreads(repeats).items())
    return RepeatView(first, seed, tuple(rows), repeats.as_written, _drawn(figure) if figure else "")


def _drawn(figure: Figure) -> str:
    """What shows low and high in a figure."""
    bands = any(line.band for panel in figure.panels for line in panel.lines or ())
    whiskers = any(panel.bars for panel in figure.panels)
    return " and ".join(word for word, there in (("bands", bands), ("whiskers", whiskers)) if there)


def spreads(repeats: Repeats) -> dict[str, Spread]:
    """How each number that differs between the runs varies, at the start of the controls."""
    start = repeats.controls.start
    several = {name: repeats.runs(name, start) for name in repeats.scalars[repeats.numbers(start)[0]]}
    found = {name: over for name, values in several.items() if (over := spread.of_scalars(values))}
    return {name: over for name, over in found.items() if not over.equal}
