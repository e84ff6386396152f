"""What a figure that is drawn at every setting of a scene's controls shares: axes, colours and sizes.

The data of all settings are read once. What they share is plain data, so each setting can be drawn by itself, in any
process and at any time.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scenebook.core.problems import Problem, Problems
from scenebook.figure._reading import Found, Shades, find, shades
from scenebook.figure.spec import Figure

if TYPE_CHECKING:
    from scenebook.core.values import Values


@dataclass(frozen=True)
class Shared:
    """What all settings of a figure share: a frame for each panel, and the scales of colours by their options.

    The same data have the same `repr` in every process, so a digest of it tells whether a drawing is still right.
    """

    frames: tuple[Any, ...]
    shades: Shades


class SettingProblems(Problems):
    """Raised with what cannot be drawn at some settings: each mistake once, as it is at the first of them.

    `settings` has the numbers of all settings with a mistake at that place.
    """

    def __init__(self, problems: Iterable[Problem], settings: Mapping[Problem, tuple[int, ...]] | None = None) -> None:
        super().__init__(problems)
        self.settings = dict(settings or {})


def shared(figure: Figure, every: Sequence["Values"], name: str) -> Shared | None:
    """What the figure of the scene `name` (`page/scene`) shares, given its values at each setting.

    None if each setting has axes and colours of its own. Raises `SettingProblems` with everything that cannot be drawn.
    """
    if not figure.panels:
        return None
    problems: list[list[Problem]] = [[] for _ in every]
    found = [find(figure, values, name, noted) for values, noted in zip(every, problems, strict=True)]
    if not figure.shared:
        for each in found:
            shades(each)
        _stop_on(problems)
        return None
    known = shades([panel for each in found for panel in each])
    _stop_on(problems)
    return Shared(tuple(_frame(figure, panels) for panels in zip(*found, strict=True)), known)


def _frame(figure: Figure, panels: Sequence[Found]) -> Any:
    charts = [panel.chart for panel in panels]
    return charts[0].frame(charts, figure.width, figure.height)


def _stop_on(problems: Sequence[Sequence[Problem]]) -> None:
    """Raise the problems of all settings: of those at one place, the first setting's."""
    settings: dict[tuple[str, int, str], list[int]] = {}
    for number, noted in enumerate(problems):
        for place in dict.fromkeys(_place(problem) for problem in noted):
            settings.setdefault(place, []).append(number)
    first = {problem: settings[_place(problem)] for noted in problems for problem in noted}
    kept = {problem: tuple(numbers) for problem, numbers in first.items() if problem in problems[numbers[0]]}
    if kept:
        raise SettingProblems(kept, kept)


def _place(problem: Problem) -> tuple[str, int, str]:
    return problem.file, problem.line, problem.where
