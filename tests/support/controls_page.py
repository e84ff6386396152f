"""A page with controls for tests: its views are made by hand, and shown by the real templates.

Scene `weights` has a heatmap and three controls: a range that can be played, a range with many points, and a switch.
Scene `waves` has a choice and a range, and drawings that differ in kind. Scene `still` has no controls.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element, fromstring

import numpy as np

from scenebook.core.number_format import show
from scenebook.core.settings import Settings, written
from scenebook.core.tracks import CONTENT, ITSELF, TEXT, Track
from scenebook.page import templates
from scenebook.page.settings_file import settings_file
from scenebook.page.views import (
    AxisView,
    CaptionView,
    ClaimView,
    ControlView,
    FigureView,
    Html,
    Link,
    PanelView,
    PointView,
    SceneView,
    SettingsTable,
    SettingsView,
    SiteView,
    SourceView,
)
from tests.support.sample_page import composed

if TYPE_CHECKING:
    from scenebook.core.settings import Setting

ROOT = Path(__file__).parents[2]
PAGE = """\
slug: page
title: A page to touch
summary: Three scenes; the first two have controls.
scenes:
  - {id: weights, title: Weights, text: Words.}
  - {id: waves, title: Waves, text: Words.}
  - {id: still, title: Nothing moves, text: Words.}
"""
WEIGHTS = Settings(
    {
        "d_k": (1, 2, 4, 8, 16, 32, 64, 128),
        "temperature": tuple(float(f"{value:.3g}") for value in np.geomspace(0.05, 20, 21)),
        "masked": (False, True),
    },
    start=3 * 42 + 10 * 2,
)
WAVES = Settings({"shape": ("sin", "square", "none"), "turns": (1, 2, 3, 4, 5)}, start=1)
WORDS = {
    "d_k": 'entries <math aria-label="d k"><msub><mi>d</mi><mi>k</mi></msub></math>',
    "temperature": "temperature",
    "masked": "causal mask",
    "shape": "shape of the wave",
    "turns": "turns",
    "sin": "sine",
    "square": "square wave",
    "none": "none at all",
}
Follow = dict[str, list[Track]]


# What the scenes compute and draw.


def weights(setting: Setting, size: int = 4) -> np.ndarray[Any, np.dtype[np.float64]]:
    scores = np.random.default_rng(0).normal(size=(size, size)) * float(setting["d_k"]) ** 0.5
    masked = np.triu(np.full((size, size), -1e9), 1) * float(setting["masked"])
    exp = np.exp((scores - scores.max()) / float(setting["temperature"]) + masked)
    return np.asarray(exp / exp.sum(axis=1, keepdims=True))


def heatmap(setting: Setting, size: int = 4) -> str:
    side = 320 / size
    cells = "".join(
        f'<path d="M{j * side + 5} {i * side + 5}h{side}v{side}h-{side}z" fill="rgb({255 * (1 - cell):.0f} 255 200)" />'
        for (i, j), cell in np.ndenumerate(weights(setting, size))
    )
    return f'<svg class="panel" viewBox="0 0 330 330" data-box="5 5 320 320">{cells}</svg>'


def table(setting: Setting, size: int = 4) -> Any:
    texts = tuple(tuple(show(float(cell), ".3f") for cell in row) for row in weights(setting, size))
    labels = tuple(map(str, range(size)))
    return SimpleNamespace(columns=labels, rows=labels, texts=texts, rich=False, spreads=())


def wave(setting: Setting) -> str:
    x = np.linspace(0, 1, 200)
    y = np.sin(2 * np.pi * float(setting["turns"]) * x)
    y = np.sign(y) if setting["shape"] == "square" else y
    points = " ".join(f"{1 + 328 * a:.0f} {60 - 50 * b:.0f}" for a, b in zip(x, y, strict=True))
    line = f'<path d="M{points}" fill="none" stroke="var(--c-blue)" />'
    body = '<text x="165" y="60">nothing</text>' if setting["shape"] == "none" else line
    return f'<svg class="panel" viewBox="0 0 330 120" width="330" height="120">{body}</svg>'


# What differs between settings.


def track(node: int, attribute: str, values: Sequence[str | None]) -> list[Track]:
    return [Track(node, attribute, tuple(values))] if len(set(values)) > 1 else []


def of_drawings(drawings: Sequence[str]) -> list[Track]:
    """What differs between drawings: attributes and texts, or all of it if they differ in kind."""
    trees = [list(fromstring(drawing).iter()) for drawing in drawings]
    if len({tuple(each.tag for each in tree) for tree in trees}) > 1:
        return track(ITSELF, CONTENT, drawings)
    return list(chain.from_iterable(_of_node(place, each) for place, each in enumerate(zip(*trees, strict=True))))


def _of_node(place: int, elements: Sequence[Element]) -> Iterator[Track]:
    for name in {name for element in elements for name in element.attrib}:
        yield from track(place, name, [element.get(name) for element in elements])
    if not len(elements[0]):
        yield from track(place, TEXT, [element.text or "" for element in elements])


def of_table(tables: Sequence[Sequence[Sequence[str]]]) -> list[Track]:
    rows, columns = len(tables[0]), len(tables[0][0])
    places = [(r, c) for r in range(rows) for c in range(columns)]
    found = (track(r * (columns + 2) + 2 + c, TEXT, [table[r][c] for table in tables]) for r, c in places)
    return list(chain.from_iterable(found))


def of_pairs(lists: Sequence[Sequence[str]]) -> list[Track]:
    places = enumerate(zip(*lists, strict=True))
    return list(chain.from_iterable(track(4 * place + 3, TEXT, values) for place, values in places))


# Views.


def point(value: Any) -> PointView:
    label = WORDS.get(value, written(value)) if isinstance(value, str) else written(value)
    return PointView(written(value), Html(label), label)


def controls(settings: Settings, **play: bool) -> tuple[ControlView, ...]:
    start = settings[settings.start]
    return tuple(
        ControlView(
            param=param,
            kind="switch" if points == (False, True) else "choice" if isinstance(points[0], str) else "range",
            label=Html(WORDS[param]),
            plain_label="entries d_k" if param == "d_k" else WORDS[param],
            points=tuple(map(point, points)),
            start=points.index(start[param]),
            play=play.get(param, False),
        )
        for param, points in settings.points.items()
    )


def number(scene: str, place: int, text: str) -> str:
    """A value in a text that follows, with room for the widest."""
    value = f'data value="{text}" data-from="page/{scene}.largest" data-follow="{scene}--{place}" style="--room: 6"'
    return f"<{value}>{text}</data>"


def words(**texts: Any) -> Any:
    return SimpleNamespace(
        quoted=(), **{name: Html(text) if isinstance(text, str) else text for name, text in texts.items()}
    )


def panel_view(name: str, svg: str, table: Any = None) -> PanelView:
    left, bottom = AxisView(Html("query"), "query", None, "↓"), AxisView(Html("key"), "key", None, "→")
    return PanelView(
        name, name, Html("Softmax weights"), Html(svg), left, bottom, (), None, table, (("mean", "0.25"),), (), "", ()
    )


def figure_view(panel: PanelView, alt: str, lead: str) -> FigureView:
    texts = words(alt=alt, width=330, caption=CaptionView(Html(lead), Html("<p>The rest of it.</p>")))
    return FigureView(texts, (panel,), None, "picture.png", (1200, 630), (Link(Html("PNG"), "picture.png"),))


def claims(settings: Settings | None) -> tuple[ClaimView, ...]:
    where = f"holds at all {len(settings)} settings" if settings else "holds"
    return (ClaimView(Html("The largest weight is under one."), "s.largest < 1", "0.1", where),)


def source(scene: str) -> tuple[SourceView, ...]:
    return (SourceView("function", f"{scene}.py", f"{scene}--code", Html("<pre>pass</pre>")),)


def weights_scene(size: int = 4) -> tuple[SceneView, bytes]:
    every = [WEIGHTS[place] for place in range(len(WEIGHTS))]
    drawn = [heatmap(setting, size) for setting in every]
    largest = [show(float(weights(setting, size).max(axis=1).mean()), ".3f") for setting in every]
    said = [f"With {WEIGHTS.describe(place)}, the largest weight is {text}." for place, text in enumerate(largest)]
    alt = [f"A heatmap whose largest weight is {text}." for text in largest]
    command = [f"python build.py run page/weights --set '{WEIGHTS.describe(place)}'" for place in range(len(WEIGHTS))]
    pairs = [tuple(map(written, setting.values())) for setting in every]
    tables = [table(setting, size) for setting in every]
    regions = {
        "weights--weights": of_drawings(drawn),
        "weights--weights-data": of_table([each.texts for each in tables]),
        "weights--weights-summary": track(ITSELF, TEXT, [f"mean {text}" for text in largest]),
        "weights--alt": track(ITSELF, "aria-label", alt),
        "weights--said": track(ITSELF, TEXT, said),
        "weights--command": track(ITSELF, TEXT, command),
        "weights--params": of_pairs(pairs),
        "weights--values": of_pairs([(text,) for text in largest]),
        "weights--1": [*track(ITSELF, TEXT, largest), *track(ITSELF, "value", largest)],
    }
    start = WEIGHTS.start
    value = number("weights", 1, largest[start])
    text = f"<p>The largest weight is {value}, and {value} again.</p>"
    shown = figure_view(panel_view("weights", drawn[start], tables[start]), alt[start], "Weights freeze.")
    rows = tuple(
        (Html(written(value)), (largest[place],))
        for value, place in zip(WEIGHTS.points["d_k"], WEIGHTS.along(start, "d_k"), strict=True)
    )
    view = SceneView(
        "weights", "weights", words(title="Weights", text=text), shown, claims(WEIGHTS),
        sources=source("weights"),
        params=tuple(zip(WEIGHTS.points, pairs[start], strict=True)),
        values=(("largest", largest[start]),),
        command=command[start],
        settings=SettingsView(
            controls(WEIGHTS, d_k=True), len(WEIGHTS), "weights-settings.js", said[start],
            (SettingsTable(Html(WORDS["d_k"]), ("largest weight",), rows),),
        ),
    )  # fmt: skip
    return view, settings_file("weights", len(WEIGHTS), regions)


def waves_scene() -> tuple[SceneView, bytes]:
    every = [WAVES[place] for place in range(len(WAVES))]
    drawn = [wave(setting) for setting in every]
    said = [f"The wave is {WORDS[str(setting['shape'])]}." for setting in every]
    regions = {"waves--y": of_drawings(drawn), "waves--said": track(ITSELF, TEXT, said)}
    shown = figure_view(panel_view("y", drawn[WAVES.start]), "A wave.", "Waves turn.")
    view = SceneView(
        "waves", "waves", words(title="Waves", text="<p>Words.</p>"), shown, (),
        settings=SettingsView(controls(WAVES), len(WAVES), "waves-settings.js", said[WAVES.start]),
    )  # fmt: skip
    return view, settings_file("waves", len(WAVES), regions)


def still_scene() -> SceneView:
    shown = figure_view(panel_view("weights", heatmap(WEIGHTS[0]), table(WEIGHTS[0])), "A heatmap.", "Nothing moves.")
    return SceneView(
        "still", "still", words(title="Nothing moves", text="<p>Words.</p>"), shown, claims(None), source("still")
    )


def write(folder: Path, size: int = 4) -> Path:
    """Write a site with the page into a folder, and return its output folder."""
    output = folder / "output"
    shutil.copytree(ROOT / "templates/static", output / "static")
    (weights_view, weights_file), (waves_view, waves_file) = weights_scene(size), waves_scene()
    assets = {f"static/{path.name}": f"static/{path.name}" for path in (output / "static").iterdir()}
    site = SiteView(
        words(title="T", author="A", license=None, repository=None),
        "T",
        "D",
        "https://example.org/",
        "en",
        assets=assets,
    )
    page, _ = composed(folder, PAGE)
    context = {
        "site": site, "page": page._replace(scenes=(weights_view, waves_view, still_scene())), "root": "../",
        "track": None, "previous": None, "next": None, "canonical": "https://example.org/page/",
    }  # fmt: skip
    files = {"weights-settings.js": weights_file, "waves-settings.js": waves_file}
    (output / "page").mkdir()
    (output / "page/index.html").write_bytes(templates.render(templates.environment(folder), "page.html", **context))
    for name, script in files.items():
        (output / "page" / name).write_bytes(script)
    return output
