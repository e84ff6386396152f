"""Make sites to measure. Every page is a copy of tests/bench/page with different words and numbers.

The engine and the floor get the same scenes and texts: the engine reads `scenes/pNNN/page.yaml`, and the floor reads
`floor/pNNN.json`.
"""

from __future__ import annotations

import json
import random
import re
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

import yaml

PROJECT = Path(__file__).parents[2]
PAGE = Path(__file__).parent / "page"
WORDS = re.findall(
    r"\w+",
    """attention weights carry what a query asks of its keys and how much each value adds to the answer while rows sum
    to one whole so that no word is heard twice or lost between layers of a model which learns by small steps from many
    examples until its errors fade and the picture below shows where most of that change has gone""",
)


@dataclass(frozen=True)
class Wording:
    """The parts of a page that are edited: three of its texts, and a number in the code of a scene."""

    sentence: str = "as written"
    title: str = "as written"
    caption: str = "as written"
    shift: int = 0


def write_site(root: Path, pages: int, *, own: bool = False) -> None:
    """Write a whole site: storyboard, templates and pages. With `own`, scenes draw their figures themselves."""
    shutil.copytree(PROJECT / "templates", root / "templates")
    site = {"title": "Bench", "url": "https://example.org/bench/", "numbers": "strict"}
    slugs = [f"p{number:03}" for number in range(1, pages + 1)]
    track = {"title": "All pages", "slug": "all", "pages": slugs}
    board = {"site": site, "pages": [f"scenes/{slug}/page.yaml" for slug in slugs], "tracks": [track]}
    (root / "storyboard.yaml").write_text(yaml.safe_dump(board), encoding="utf-8")
    (root / "floor").mkdir()
    for number in range(1, pages + 1):
        write_page(root, number, Wording(), own=own)


def write_page(root: Path, number: int, wording: Wording, *, own: bool = False) -> None:
    """Write one page and its scenes, replacing earlier versions."""
    slug, words = f"p{number:03}", random.Random(number)
    marks = {**asdict(wording), "slug": slug, "seed": number}
    texts = {path.name: path.read_text(encoding="utf-8") for path in PAGE.iterdir() if path.is_file()}
    page = re.sub("@prose@", lambda _: prose(words), texts.pop("page.yaml"))
    page = re.sub(r"@(\w+)@", lambda mark: str(marks[mark[1]]), page)
    page = own_drawings(page) if own else page
    texts["pair.py"] = texts["pair.py"].replace("SHIFT = 0", f"SHIFT = {wording.shift}")
    folder = root / "scenes" / slug
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {**texts, "page.yaml": page}.items():
        (folder / name).write_text(text, encoding="utf-8")
    (root / "floor" / f"{slug}.json").write_text(json.dumps(yaml.safe_load(page)), encoding="utf-8")


def own_drawings(page: str) -> str:
    """Return a page with the scenes' own drawings instead of panels."""
    tree = yaml.safe_load(page)
    for scene in tree["scenes"]:
        scene["figure"] = {"draw": "draw", **{key: scene["figure"][key] for key in ("caption", "alt")}}
    return str(yaml.safe_dump(tree))


def prose(words: random.Random) -> str:
    """Return 150 random words in sentences of ten."""
    return " ".join(" ".join(words.choices(WORDS, k=10)).capitalize() + "." for _ in range(15))
