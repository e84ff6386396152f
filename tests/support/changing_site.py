"""A small site as data, with an input of every documented kind, and the edits that authors make to it.

An edit changes a `Site`, and `files()` gives its sources. Tests build it from a cache and without one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

HELPER = "from scenes.deep import U\n\nT = U + {0}.0\n"
DEEP = "U = {0}.5\n"
PAINT = "WIDTH = {0} + 1\n"
SPARE = "NEVER_RUN = {0}\n"
SCORES = """
import numpy as np

from scenes.helper import T


def compute(scale=1.0, shift=None):
    # {0}
    names = [*(shift or {{"none": 0}})]
    return {{"m": np.array([[T, {0}.0], [3.0, scale]]), "x": T * scale, "names": ["a", "b"], "first": names[0]}}
"""
TABLE = """
import os

import numpy as np


def compute():
    parts = sorted(os.listdir("data/parts"))
    shown = "".join(open(f"data/parts/{{name}}").read() for name in parts)
    table = np.loadtxt("data/one.csv", delimiter=",")
    return {{"m": table, "x": float(np.nansum(table)) + {0}, "parts": len(parts), "shown": shown,
             "flag": os.path.exists("data/flag")}}
"""
DRAWN = """
def compute():
    return {{"x": {0}.25}}


def sketch(figure, values):
    from scenes.paint import WIDTH

    figure.subplots().plot([1, 2, {1}], linewidth=WIDTH)


def never():
    from scenes import spare, {2}
"""
CHILD = """
import subprocess


def compute():
    return {{"x": {0}.5, "said": subprocess.run(["cat", "data/child.txt"], capture_output=True, text=True).stdout}}
"""


def _scene(name: str, module: str, panel: str = "m", **more: Any) -> dict[str, Any]:
    figure = {"panels": [{"heatmap": panel}], "caption": "See this. Read it so.", "alt": "Something to hear."}
    claim = {"say": "It is small.", "check": f"{name}.x < 1000000"}
    text = f"It is {{{{ {name}.x:.1f }}}}."
    return {
        "id": name,
        "title": name.title(),
        "compute": module,
        "text": text,
        "figure": figure,
        "claims": [claim],
        **more,
    }


def _first() -> dict[str, Any]:
    drawn = {"draw": "sketch", "caption": "A line. It rises.", "alt": "Three points on a line."}
    scenes = [
        _scene("scores", "scores.py", params={"scale": 2.0}),
        {**_scene("drawn", "drawn.py"), "figure": drawn},
        _scene(
            "again",
            "scores.py",
            controls=[{"param": "scale", "label": "scale", "values": [0.5, 1, 2]}],
            text="It is {{ again.x:.1f }}, and {{ again.x @ scale=2 :.1f }} at most.",
        ),
    ]
    return {"slug": "first", "title": "First", "summary": "Words, and {{ scores.x }}.", "scenes": scenes}


def _second() -> dict[str, Any]:
    child = {**_scene("child", "child.py"), "inputs": ["data/child.txt"]}
    del child["figure"]
    text = "On the first page it is {{ first/scores.x:.2f }}."
    scenes = [_scene("table", "table.py"), child, {"id": "prose", "text": text}]
    return {"slug": "second", "title": "Second", "summary": "More words.", "scenes": scenes, "takeaways": ["Keep it."]}


@dataclass
class Site:
    """The sources: pages as data, everything else as text by path; `settings` and `tracks` go into storyboard.yaml."""

    settings: dict[str, Any] = field(
        default_factory=lambda: {"title": "Tiny", "url": "https://example.org/tiny/", "numbers": "warn"}
    )
    pages: list[dict[str, Any]] = field(default_factory=lambda: [_first(), _second()])
    tracks: list[dict[str, Any]] = field(default_factory=list)
    texts: dict[str, str] = field(
        default_factory=lambda: {
            "scenes/scores.py": SCORES.format(1),
            "scenes/table.py": TABLE.format(1),
            "scenes/drawn.py": DRAWN.format(1, 3, "nothing"),
            "scenes/other.py": DRAWN.format(1, 5, "nothing"),
            "scenes/child.py": CHILD.format(1),
            "scenes/helper.py": HELPER.format(1),
            "scenes/deep.py": DEEP.format(1),
            "scenes/paint.py": PAINT.format(1),
            "scenes/spare.py": SPARE.format(1),
            "data/one.csv": "1,2\n3,4\n",
            "data/parts/a": "a",
            "data/child.txt": "child",
            "data/unused.csv": "1\n",
        }
    )

    def files(self) -> dict[str, bytes]:
        """Every source by its path."""
        listed = [f"scenes/{page['slug']}.yaml" for page in self.pages]
        board = {"site": self.settings, "pages": listed, **({"tracks": self.tracks} if self.tracks else {})}
        pages = {path: _yaml(page) for path, page in zip(listed, self.pages, strict=True)}
        return {path: text.encode() for path, text in {"storyboard.yaml": _yaml(board), **pages, **self.texts}.items()}

    def scene(self, number: int) -> dict[str, Any]:
        """One of the scenes that compute."""
        scenes = list(self.named().values())
        return scenes[number % len(scenes)]

    def named(self) -> dict[str, dict[str, Any]]:
        """The scenes that compute, by full name."""
        return {
            f"{page['slug']}/{scene['id']}": scene
            for page in self.pages
            for scene in page["scenes"]
            if "compute" in scene
        }

    def unkept(self) -> set[str]:
        """Return the scenes that run each time, because nobody knows what their child process reads."""
        return {
            name for name, scene in self.named().items() if scene["compute"] == "child.py" and "inputs" not in scene
        }

    def warned(self) -> set[str]:
        """Return the scenes whose drawing warns."""
        nan = "nan" in self.texts.get("data/one.csv", "")
        return {name for name, scene in self.named().items() if nan and scene["compute"] == "table.py"}

    def page(self, number: int) -> dict[str, Any]:
        return self.pages[number % len(self.pages)]

    def copy(self) -> Site:
        return deepcopy(self)


def _yaml(tree: Any) -> str:
    """Return data as YAML. JSON is valid YAML."""
    return json.dumps(tree, indent=1, ensure_ascii=False) + "\n"


def write(root: Path, files: Mapping[str, bytes]) -> None:
    """Make these files the sources of a root. Files that need no change, and files of builds, are not touched."""
    root.mkdir(parents=True, exist_ok=True)
    tops = (path for path in root.iterdir() if path.name not in {"output", ".scenebook", "facts.lock"})
    for path in sorted((path for top in tops for path in (top, *top.rglob("*"))), reverse=True):
        name = path.relative_to(root).as_posix()
        if path.is_file() and name not in files:
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()
    for name, content in files.items():
        path = root / name
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def tree(root: Path) -> dict[str, bytes]:
    """Return the files that a build wrote: output/ and facts.lock."""
    paths = [root / "facts.lock", *(root / "output").rglob("*")]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths if path.is_file()}


def differences(found: Mapping[str, bytes], expected: Mapping[str, bytes]) -> list[str]:
    """Return how two trees differ: a line for each path, with the first line of the file that differs."""
    found_differences = []
    for path in sorted({*found, *expected}):
        if path not in expected or path not in found:
            found_differences.append(f"{path} is {'missing' if path in expected else 'unexpected'}")
        elif found[path] != expected[path]:
            lines = zip(found[path].splitlines(), expected[path].splitlines(), strict=False)
            found_differences.append(f"{path}: {next((pair for pair in lines if pair[0] != pair[1]), 'its length')}")
    return found_differences


# Edits: each changes the sources in one of several ways, chosen by a small number.

Spares = Literal["everything", "compute", "nothing"]
"""What an edit must not make run: anything at all, any `compute`, or nothing in particular."""


@dataclass(frozen=True)
class Edit:
    name: str
    change: Callable[[Site, int], None] = field(repr=False)
    spares: Spares = field(default="nothing", repr=False)


def _text(path: str, form: str) -> Callable[[Site, int], None]:
    def change(site: Site, number: int) -> None:
        site.texts[path] = form.format(number)

    return change


def _set(path: str, *texts: str) -> Callable[[Site, int], None]:
    """Give a file one of these texts, or remove it if the text is empty."""

    def change(site: Site, number: int) -> None:
        text = texts[number % len(texts)]
        site.texts.pop(path, None)
        if text:
            site.texts[path] = text

    return change


def _drawn(site: Site, number: int) -> None:
    module = ("drawn", "other")[number % 2]
    site.texts[f"scenes/{module}.py"] = DRAWN.format(1, 3 + number // 2, "nothing")


def _which_drawn(site: Site, number: int) -> None:
    """Use another module, with the same values and another drawing."""
    for page in site.pages:
        for scene in page["scenes"]:
            if scene.get("compute") in {"drawn.py", "other.py"}:
                scene["compute"] = ("drawn.py", "other.py")[number % 2]


def _spare(site: Site, number: int) -> None:
    """Change an import in a function that never runs. It still belongs to the code of the scene in facts.json."""
    site.texts["scenes/drawn.py"] = DRAWN.format(1, 3, ("nothing", "spare_too")[number % 2])
    site.texts["scenes/spare.py"] = ("from scenes import deep\n", SPARE.format(number))[number // 2 % 2]


def _params(site: Site, number: int) -> None:
    scene = site.pages[0]["scenes"][0]
    if scene.get("compute") == "scores.py":
        orders: list[dict[str, int]] = [{"one": 1, "two": 2}, {"two": 2, "one": 1}]
        scene["params"] = {"scale": number / 2, "shift": orders[number % 2]}


def _controls(site: Site, number: int) -> None:
    """Change the points of a control, and where it starts."""
    for scene in (scene for scene in site.named().values() if "controls" in scene):
        points = [0.5, 1, 2, *[4, 8][: number % 3]]
        scene["controls"] = [{"param": "scale", "label": f"scale {chr(97 + number % 2)}", "values": points}]
        scene["params"] = {"scale": points[number % len(points)]}


def _prose(site: Site, number: int) -> None:
    site.page(number)["summary"] = f"Words.{' More.' * number}\n\nAnd {'{{ first/scores.x }}' if number % 3 else 'no'}."


def _scene_text(site: Site, number: int) -> None:
    scene = site.scene(number)
    lines = "Line.\n\n" * (number % 4)
    scene["text"] = f"{lines}It is {{{{ {scene['id']}.x:.{number % 5}f }}}}."


def _title(site: Site, number: int) -> None:
    site.scene(number)["title"] = f"Title {chr(97 + number)}"


def _page_title(site: Site, number: int) -> None:
    site.page(number)["title"] = f"Page {chr(97 + number)}"


def _macro(site: Site, number: int) -> None:
    site.settings["macros"] = {"m": ["x", "y_1"][number % 2]}
    site.page(number)["title"] = r"About $\m$"
    scene = site.scene(number)
    for panel in scene.get("figure", {}).get("panels", ()):
        panel["title"] = r"$\m$"


def _caption(site: Site, number: int) -> None:
    scene = site.scene(number)
    if "figure" in scene:
        scene["figure"]["caption"] = f"See {chr(97 + number)}. Then {{{{ {scene['id']}.x }}}}."


def _colormap(site: Site, number: int) -> None:
    scene = site.scene(number)
    if "panels" in scene.get("figure", {}):
        scene["figure"]["colormap"] = ("white_green", "blue_white_green")[number // 2 % 2]
        scene["figure"]["panels"][0]["title"] = f"Panel {chr(97 + number)}"


def _claim(site: Site, number: int) -> None:
    scene = site.scene(number)
    scene["claims"] = [{"say": "It is less.", "check": f"{scene['id']}.x < {number + 1}000000"}]


def _typed_number(site: Site, number: int) -> None:
    """Type a number, which gives a warning with its line."""
    site.page(number)["takeaways"] = [*["Keep."] * (number % 3), f"There are {number} of them."]


def _inputs(site: Site, number: int) -> None:
    """Change the declared inputs. Without any, a scene that starts a child process runs each time."""
    for page in site.pages:
        for scene in page["scenes"]:
            if scene.get("compute") == "child.py":
                scene.pop("inputs", None)
                if number % 3:
                    scene["inputs"] = ["data/child.txt", "data/one.csv"][: number % 3]


def _add_scene(site: Site, number: int) -> None:
    page = site.page(number)
    name = f"new_{number % 3}"
    if all(scene["id"] != name for scene in page["scenes"]):
        module = ("scores.py", "table.py", "drawn.py")[number % 3]
        scene = _scene(name, module)
        if module == "drawn.py":
            del scene["figure"]
        page["scenes"].insert(number % (len(page["scenes"]) + 1), scene)


def _remove_scene(site: Site, number: int) -> None:
    """Remove a scene, but none that another page or a summary mentions."""
    page = site.page(number)
    free = [scene for scene in page["scenes"] if scene["id"] not in {"scores", "prose"}]
    if free:
        page["scenes"].remove(free[number % len(free)])


def _rename_scene(site: Site, number: int) -> None:
    scene = site.scene(number)
    if scene["id"] != "scores":
        old, new = scene["id"], f"named_{number % 4}"
        others = {other["id"] for page in site.pages for other in page["scenes"]}
        if new not in others:
            renamed = json.loads(json.dumps(scene).replace(f"{old}.x", f"{new}.x"))
            scene.update(renamed, id=new)


def _move_scene(site: Site, number: int) -> None:
    """Move a scene to another page, or to another place on its page."""
    source, target = site.page(number), site.page(number // 2)
    free = [scene for scene in source["scenes"] if scene["id"] not in {"scores", "prose"}]
    if free:
        scene = free[number % len(free)]
        if source is target or all(other["id"] != scene["id"] for other in target["scenes"]):
            source["scenes"].remove(scene)
            target["scenes"].insert(number % (len(target["scenes"]) + 1), scene)


def _page_order(site: Site, number: int) -> None:
    site.pages.reverse()


def _add_page(site: Site, number: int) -> None:
    slug = f"page-{number % 2}"
    if all(page["slug"] != slug for page in site.pages):
        mention = f"Elsewhere it is {{{{ first/scores.x:.{number % 4}f }}}}."
        scenes = [{"id": "words", "title": "Words", "text": mention}, _scene("own", "table.py")]
        site.pages.append({"slug": slug, "title": "Added", "summary": mention, "scenes": scenes})


def _remove_page(site: Site, number: int) -> None:
    free = [page for page in site.pages if page["slug"].startswith("page-")]
    if free:
        site.pages.remove(free[number % len(free)])
        site.tracks = []


def _track(site: Site, number: int) -> None:
    pages = [page["slug"] for page in site.pages]
    site.tracks = [{"title": "Track", "slug": "track", "pages": pages[: 1 + number % 3]}] if number % 4 else []


def _setting(name: str, *values: str) -> Callable[[Site, int], None]:
    def change(site: Site, number: int) -> None:
        site.settings[name] = values[number % len(values)]

    return change


EDITS = [
    Edit("a scene's code", _text("scenes/scores.py", SCORES)),
    Edit("another scene's code", _text("scenes/table.py", TABLE)),
    Edit("a helper", _text("scenes/helper.py", HELPER)),
    Edit("a helper's helper", _text("scenes/deep.py", DEEP)),
    Edit("what a drawing imports", _text("scenes/paint.py", PAINT), "compute"),
    Edit("how a scene draws", _drawn),
    Edit("which module draws", _which_drawn),
    Edit("code that never runs", _spare),
    Edit("a helper that could hide a library", _set("fractions.py", "", "x = 1\n")),
    Edit("a package beside a module", _set("scenes/helper/__init__.py", "", "T = 4.5\n")),
    Edit("a cell of a data file", _set("data/one.csv", "1,2\n3,4\n", "1,2\n3,5\n", "1,nan\n3,4\n", "1,2\n3,4\n5,6\n")),
    Edit("a file in a listed folder", _set("data/parts/b", "", "b", "c")),
    Edit("another file in a listed folder", _set("data/parts/0", "", "0")),
    Edit("a file that a scene only looks for", _set("data/flag", "", "x")),
    Edit("what a child process reads", _set("data/child.txt", "child", "other")),
    Edit("declared inputs", _inputs),
    Edit("parameters", _params),
    Edit("controls", _controls),
    Edit("a page's prose", _prose, "everything"),
    Edit("a scene's prose", _scene_text, "everything"),
    Edit("a scene's title", _title, "everything"),
    Edit("a page's title", _page_title, "everything"),
    Edit("a caption", _caption, "everything"),
    Edit("a colormap", _colormap, "compute"),
    Edit("a claim", _claim, "everything"),
    Edit("a typed number", _typed_number, "everything"),
    Edit("a template", _set("templates/robots.txt", "", "User-agent: *\n", "# {{ site.texts.title }}\n"), "everything"),
    Edit(
        "a part of the page's template",
        _set("templates/ending.html", "", "<p>{{ page.slug }}</p>\n", "<p>End</p>\n"),
        "everything",
    ),
    Edit("the style", _set("templates/static/site.css", "", "p { color: red }\n", "p { color: blue }\n"), "everything"),
    Edit("a file that starts another engine", _set("build.py", "", "main()\n"), "everything"),
    Edit("another asset", _set("templates/static/more.txt", "", "x", "y"), "everything"),
    Edit(
        "the address",
        _setting("url", "https://example.org/tiny/", "https://example.org/", "https://example.com/a/b"),
        "everything",
    ),
    Edit("a macro, in a title and in a drawing", _macro, "compute"),
    Edit("the site's title", _setting("title", "Tiny", "Small"), "everything"),
    Edit("the rule for numbers", _setting("numbers", "warn", "off"), "everything"),
    Edit("the repository", _setting("repository", "https://example.org/r", "https://example.org/s"), "everything"),
    Edit("the order of pages", _page_order, "everything"),
    Edit("a scene added", _add_scene),
    Edit("a scene removed", _remove_scene, "everything"),
    Edit("a scene renamed", _rename_scene),
    Edit("a scene moved", _move_scene),
    Edit("a page added", _add_page),
    Edit("a page removed", _remove_page, "everything"),
    Edit("a track", _track, "everything"),
    Edit("a file that nothing uses", _text("data/unused.csv", "{0}\n"), "everything"),
    Edit("a module that nothing uses", _text("scenes/unused.py", "x = {0}\n"), "everything"),
    Edit("notes beside the sources", _text("notes.txt", "{0}\n"), "everything"),
]

BROKEN = [
    Edit("a scene raises", _set("scenes/scores.py", "def compute():\n    raise ValueError('no')\n")),
    Edit("a drawing raises", _set("scenes/paint.py", "raise ValueError('no')\n")),
    Edit("a helper is not Python", _set("scenes/deep.py", "U = (\n")),
    Edit("a helper is gone", _set("scenes/helper.py", "")),
    Edit("a module is gone", _set("scenes/table.py", "")),
    Edit("a data file is gone", _set("data/one.csv", "")),
    Edit("a declared input is gone", _set("data/child.txt", "")),
    Edit(
        "a claim fails",
        lambda site, number: site.scene(0).update(
            claims=[{"say": "No.", "check": f"{site.scene(0)['id']}.x > 1000000"}]
        ),
    ),
    Edit(
        "a value does not exist", lambda site, number: site.page(number).update(summary="It is {{ first/scores.zz }}.")
    ),
    Edit(
        "a scene of another page does not exist",
        lambda site, number: site.page(number).update(summary="It is {{ first/none.x }}."),
    ),
    Edit("a link leads nowhere", lambda site, number: site.page(number).update(summary="[This](#nowhere).")),
    Edit("a panel has no value", lambda site, number: site.scene(0).update(figure=_scene("x", "x", "zz")["figure"])),
    Edit("a key is unknown", lambda site, number: site.settings.update(titel="Typo")),
    Edit("a template cannot be parsed", _set("templates/robots.txt", "{% if %}\n")),
    Edit("a template names something that does not exist", _set("templates/ending.html", "{{ page.zz }}\n")),
]
