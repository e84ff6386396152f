"""The floor: a short script in a single process that builds a site as cheaply as possible, `python floor.py ROOT`.

It computes, draws each figure as SVG and PNG with plain pyplot, and renders a template. Between runs it keeps only a
digest of the sources of each page and figure. It checks nothing, and it does not notice changes in helpers, libraries
or templates.
"""

import hashlib
import importlib
import json
import re
import sys
from pathlib import Path
from typing import Any

TEMPLATE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{{ page.title }}</title>
<h1>{{ page.title }}</h1>{{ text(page.summary) }}
{% for scene in page.scenes %}<h2>{{ scene.title }}</h2>{{ text(scene.text) }}
<figure><img src="{{ scene.id }}.svg" alt="{{ plain(scene.figure.alt) }}">
<figcaption>{{ text(scene.figure.caption) }}</figcaption></figure>{% endfor %}
{% for takeaway in page.takeaways %}{{ text(takeaway) }}{% endfor %}</html>
"""
OWN_SIZE = (4.5, 3.2)
"""The size of a scene's own drawing in inches, about that of the engine."""


def build(root: Path) -> None:
    """Build every page whose sources changed, and draw those of its figures whose sources changed."""
    cache = root / "floor.cache.json"
    known = json.loads(cache.read_text()) if cache.exists() else {}
    sys.path.insert(0, str(root))
    sys.dont_write_bytecode = True  # Python would reuse it after another edit within the same second
    for source in sorted(root.glob("floor/*.json")):
        scripts = {path.stem: path.read_bytes() for path in sorted((root / "scenes" / source.stem).glob("*.py"))}
        made = digest(source.read_bytes(), *scripts.values())
        old = known.get(source.stem, {"figures": {}})
        if old.get("digest") != made:
            figures = build_page(source, scripts, old["figures"], root / "floor-output" / source.stem)
            known[source.stem] = {"digest": made, "figures": figures}
    cache.write_text(json.dumps(known))


def build_page(source: Path, scripts: dict[str, bytes], old: dict[str, Any], folder: Path) -> dict[str, Any]:
    page = json.loads(source.read_bytes())
    folder.mkdir(parents=True, exist_ok=True)
    figures = {}
    for scene in page["scenes"]:
        name, drawn = scene["id"], {**scene["figure"], "caption": "", "alt": "", "params": scene["params"]}
        made = digest(scripts[name], json.dumps(drawn).encode())
        kept = old.get(name, {})
        same = kept.get("digest") == made
        figures[name] = kept if same else {"digest": made, "values": draw(scene, folder / name)}
    html = render(page, {name: figure["values"] for name, figure in figures.items()})
    (folder / "index.html").write_text(html, encoding="utf-8")
    return figures


def digest(*parts: bytes) -> str:
    return hashlib.blake2b(b"\0".join(parts)).hexdigest()


def draw(scene: dict[str, Any], path: Path) -> dict[str, Any]:
    """Compute and draw a scene; return its numbers, for the texts."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    module = importlib.import_module("scenes." + scene["compute"].removesuffix(".py").replace("/", "."))
    values = {**scene["params"], **module.compute(**scene["params"])}
    if "draw" in scene["figure"]:
        figure = plt.figure(figsize=OWN_SIZE)
        module.draw(figure, values)
    else:
        figure = draw_panels(plt, scene["figure"], values)
    figure.savefig(path.with_suffix(".svg"))
    figure.savefig(path.with_suffix(".png"))
    plt.close(figure)
    numbers = {
        name: value.item() if hasattr(value, "item") and not value.ndim else value for name, value in values.items()
    }
    return {name: value for name, value in numbers.items() if isinstance(value, int | float)}


def draw_panels(plt: Any, spec: dict[str, Any], values: dict[str, Any]) -> Any:
    panels = spec["panels"]
    figure, axes = plt.subplots(1, len(panels), squeeze=False, figsize=(4 * len(panels), 4))
    for axis, panel in zip(axes[0], panels, strict=True):
        (heatmap if "heatmap" in panel else bars)(axis, panel, spec, values)
        axis.set_title(panel["title"])
    return figure


def heatmap(axis: Any, panel: dict[str, Any], spec: dict[str, Any], values: dict[str, Any]) -> None:
    data = values[panel["heatmap"]]
    axis.imshow(data, cmap="Greens", vmin=spec.get("vmin"), vmax=spec.get("vmax"))
    axis.set_xticks(range(len(data)), values[spec["columns"]["labels"]])
    axis.set_yticks(range(len(data)), values[spec["rows"]["labels"]])
    axis.set_xlabel(spec["columns"]["title"])
    axis.set_ylabel(spec["rows"]["title"])
    for row, cells in enumerate(data if "cells" in spec else ()):
        for column, value in enumerate(cells):
            axis.text(column, row, format(value, spec["cells"]), ha="center", va="center")


def bars(axis: Any, panel: dict[str, Any], spec: dict[str, Any], values: dict[str, Any]) -> None:
    left = 0
    for part, length in zip(values[spec["columns"]["labels"]], values[panel["bars"]].T, strict=True):
        axis.barh(values[spec["rows"]["labels"]], length, left=left, label=part)
        left = left + length
    axis.set_xlabel(spec["x"]["title"])
    axis.legend()


def render(page: dict[str, Any], values: dict[str, Any]) -> str:
    from jinja2 import Template
    from markdown import markdown
    from math_core import LatexToMathML

    converter = LatexToMathML()

    def plain(text: str) -> str:
        return re.sub(r"{{ (\w+)\.(\w+):?(\S*) }}", lambda found: format(values[found[1]][found[2]], found[3]), text)

    def formula(found: re.Match[str]) -> str:
        return str(converter.convert_with_local_state(found[2], displaystyle=found[1] == "$$"))

    def text(source: str) -> str:
        return markdown(re.sub(r"(\$\$?)(.+?)\1", formula, plain(source)))

    return str(Template(TEMPLATE).render(page=page, text=text, plain=plain))


if __name__ == "__main__":
    build(Path(sys.argv[1]))
