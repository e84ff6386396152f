"""The controls of a scene as its page shows them, and everything on the page that follows them."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from scenebook.core import facts, number_format
from scenebook.core.settings import Settings, describe, written
from scenebook.core.tracks import CONTENT, ITSELF, TEXT, Track
from scenebook.page import _fit_html as fit_html
from scenebook.page import drawing_tracks, texts
from scenebook.page.material import Material
from scenebook.page.settings_file import settings_file
from scenebook.page.views import ControlView, Html, PointView, SceneView, SettingsTable, SettingsView
from scenebook.prose import prose
from scenebook.prose.following import Following
from scenebook.storyboard.model import Control, Scene

OFF_ON = ("off", "on")
ROWS = 8
"""The most rows of a table that shows the points of a control. Of more points, some are left out."""


def settings_view(scene: Scene, finished: Any, material: Material) -> SettingsView | None:
    """What a reader can set in a scene, or None if it has no controls. `finished` is the scene with finished texts."""
    following = material.scope.followable.get(str(scene.id))
    if following is None:
        return None
    settings = following.everywhere.settings
    silent = texts.silent(material.scope)
    views = tuple(
        _control_view(control, shown, settings, silent)
        for control, shown in zip(scene.controls, finished.controls, strict=True)
    )
    return SettingsView(
        controls=views,
        total=len(settings),
        script=f"{scene.id}-settings.js",
        said=_said(scene, views, following, silent)[settings.start],
        tables=tuple(_tables(views, following)),
    )


def _control_view(control: Control, finished: Any, settings: Settings, silent: prose.Scope) -> ControlView:
    param = str(control.param)
    values = settings.points[param]
    switch = isinstance(values[0], bool)
    if switch:
        points = tuple(PointView(written(value), Html(word), word) for value, word in zip(values, OFF_ON, strict=True))
    else:
        points = tuple(_points(values, control, finished, silent))
    return ControlView(
        param=param,
        kind="switch" if switch else "choice" if isinstance(values[0], str) else "range",
        label=finished.label,
        plain_label=prose.plain(control.label, "", silent),
        points=points,
        start=values.index(settings[settings.start][param]),
        play=control.play,
    )


def _points(values: Sequence[Any], control: Control, finished: Any, silent: prose.Scope) -> Iterator[PointView]:
    """Yield the points with their labels. A point without one shows its value as a page writes it."""
    labelled = zip(control.values, finished.values, strict=True)
    labels = {written(choice.value): (choice.label, made.label) for choice, made in labelled if choice.label}
    for value in values:
        text, label = labels.get(written(value), (None, None))
        plain = prose.plain(text, "", silent) if text else number_format.show(value)
        yield PointView(written(value), label or Html(escape(plain, quote=False)), plain)


def _said(scene: Scene, controls: Sequence[ControlView], following: Following, silent: prose.Scope) -> tuple[str, ...]:
    """What a screen reader says at each setting: where the controls stand, and what the figure shows there."""
    settings = following.everywhere.settings
    shown = [""] * len(settings)
    if scene.figure:
        first, _ = texts.sentence(scene.figure.alt)
        shown = [f": {words}" for words in prose.plain_everywhere(first, silent.of_scene(str(scene.id)))]
    return tuple(f"{_where(controls, settings, number)}{shown[number]}" for number in range(len(settings)))


def _where(controls: Sequence[ControlView], settings: Settings, number: int) -> str:
    """Where the controls stand at a setting, in the words of their labels."""
    setting = settings[number]
    places = [settings.points[control.param].index(setting[control.param]) for control in controls]
    named = zip(controls, places, strict=True)
    return ", ".join(f"{control.plain_label} {control.points[place].plain_label}" for control, place in named)


def _tables(controls: Sequence[ControlView], following: Following) -> Iterator[SettingsTable]:
    """The numbers of a scene's texts at the points of each control, the other controls at their start."""
    settings = following.everywhere.settings
    numbers = {name: each for name, each in following.numbers.items() if name not in settings.points}
    for control in controls if numbers else ():
        line = settings.along(settings.start, control.param)
        rows = tuple(
            (control.points[place].label, tuple(each[line[place]] for each in numbers.values()))
            for place in _some(len(line), control.start)
        )
        yield SettingsTable(control.label, tuple(name.replace("_", " ") for name in numbers), rows)


def _some(count: int, start: int) -> list[int]:
    """The places of at most `ROWS` points, spread over all, the start among them."""
    if count <= ROWS:
        return list(range(count))
    spread = {round(place * (count - 1) / (ROWS - 2)) for place in range(ROWS - 1)}
    return sorted(spread | {start})


# What follows the controls.


def scene_settings_file(scene: Scene, view: SceneView, material: Material) -> bytes:
    """The file with everything that differs between the settings of a scene. Its texts have been finished before."""
    following = material.scope.followable[str(scene.id)]
    drawing = material.drawings.get(str(scene.id))
    regions = {key: tuple(map(_fitted, tracks)) for key, tracks in following.regions.items()}
    regions |= drawing_tracks.with_anchor(drawing.regions if drawing else {}, view.anchor)
    regions |= drawing_tracks.with_anchor(_beside(scene, view, material, following), view.anchor)
    differing = {key: tuple(filter(_differs, tracks)) for key, tracks in regions.items()}
    return settings_file(view.anchor, len(following.everywhere.settings), differing)


def _differs(track: Track) -> bool:
    return len(set(track.values)) > 1


def _fitted(track: Track) -> Track:
    """A track whose formulas fit the width of a phone, as those of the page do."""
    if track.attribute != CONTENT:
        return track
    fitted = {body: fit_html.fitted(body or "") for body in set(track.values)}
    return track._replace(values=tuple(fitted[body] for body in track.values))


def _beside(scene: Scene, view: SceneView, material: Material, following: Following) -> dict[str, tuple[Track, ...]]:
    """What follows around the drawings and the texts."""
    every, silent = following.everywhere, texts.silent(material.scope)
    settings = every.settings
    assert view.settings is not None
    found = {
        "said": _text(_said(scene, view.settings.controls, following, silent)),
        "command": _text([_command(view.command, settings, number) for number in range(len(settings))]),
        "params": tuple(_pairs([name for name, _ in view.params], every.scalars)),
        "values": tuple(_pairs([name for name, _ in view.values], every.scalars)),
    }
    if scene.figure:
        alts = prose.plain_everywhere(scene.figure.alt, silent.of_scene(str(scene.id)))
        found["alt"] = (Track(ITSELF, "aria-label", alts),)
    return found


def _text(values: Sequence[str]) -> tuple[Track, ...]:
    return (Track(ITSELF, TEXT, tuple(values)),)


def _command(command: str, settings: Settings, number: int) -> str:
    """The command that reproduces a setting; what is as at the start is left out."""
    start, here = settings[settings.start], settings[number]
    changed = {param: value for param, value in here.items() if value != start[param]}
    return " ".join([command, *(describe({param: value}).replace(" = ", "=") for param, value in changed.items())])


def _pairs(names: Sequence[str], scalars: Sequence[Mapping[str, Any]]) -> Iterator[Track]:
    """The values of a list of pairs, of which the value is the fourth element in each group."""
    for place, name in enumerate(names):
        if all(name in each for each in scalars):
            yield Track(4 * place + 3, TEXT, tuple(full_value(each[name]) for each in scalars))


def full_value(value: Any) -> str:
    """A value with all of its digits."""
    return ", ".join(value) if isinstance(value, tuple) else str(facts.fact(value))
