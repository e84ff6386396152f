"""A small site that pull requests change in tests, and helpers that run git."""

from __future__ import annotations

import subprocess
from pathlib import Path

SITE = """\
site:
  title: Small
  url: https://example.org/small/
  numbers: off
pages: [scenes/one/page.yaml, scenes/two/page.yaml]
"""

ONE = """\
slug: one
title: First page
summary: Here is a curve and a grid.
scenes:
  - id: opening
    title: Opening
    text: |
      Nothing is computed here. All of it is words.
  - id: curve
    title: The curve
    compute: one/curve.py
    text: |
      The curve ends at {{ curve.last:.2f }}. It has {{ curve.points }} points.
    figure:
      panels: [{lines: [{value: heights, label: height}]}]
      x: {values: places, title: place}
      y: {title: height}
      caption: The curve rises. It ends at {{ curve.last:.2f }}.
      alt: A line that rises to {{ curve.last:.2f }}.
    claims:
      - {say: The curve ends high., check: curve.last > 2}
      - {say: It starts low., check: curve.first < 1.6}
  - id: grid
    title: The grid
    compute: one/grid.py
    text: |
      Of the cells the largest is {{ grid.largest:.4f }}.
    figure:
      panels: [{heatmap: cells}]
      colormap: white_green
      vmin: 0
      vmax: 4
      caption: The grid is mixed. No two cells agree.
      alt: Squares in shades of green.
takeaways:
  - The end of the curve, {{ curve.last:.2f }}, is what counts.
"""

TWO = """\
slug: two
title: Second page
summary: Here is a table.
scenes:
  - id: table
    title: The table
    compute: two/table.py
    text: |
      The sum is {{ table.sum:.1f }}, and the mean is {{ table.mean:.3f }}.
    claims:
      - {say: The sum is large., check: table.sum > 5}
"""

FILES = {
    ".gitignore": "/.scenebook/\n/output/\n/review/\n__pycache__/\n",
    "storyboard.yaml": SITE,
    "scenes/one/page.yaml": ONE,
    "scenes/two/page.yaml": TWO,
    "scenes/functions.py": "def stretch(values):\n    return 1.5 * values\n",
    "scenes/one/curve.py": """\
import numpy as np

from scenes.functions import stretch


def compute(points: int = 9) -> dict:
    places = np.linspace(0, 1, points)
    heights = stretch(1 + places**2)
    return {"places": places, "heights": heights, "first": heights[0], "last": heights[-1]}
""",
    "scenes/one/grid.py": """\
import numpy as np

from scenes.functions import stretch


def compute(seed: int = 3) -> dict:
    cells = stretch(np.random.default_rng(seed).random((20, 20)) + 0.5)
    return {"cells": cells, "largest": cells.max()}
""",
    "scenes/two/numbers.csv": "1.5\n2.5\n4.0\n",
    "scenes/two/table.py": """\
from pathlib import Path

import numpy as np

from scenes.functions import stretch


def compute() -> dict:
    numbers = stretch(np.loadtxt(Path(__file__).with_name("numbers.csv")))
    return {"numbers": numbers, "sum": numbers.sum(), "mean": numbers.mean()}
""",
}


def git(root: Path, *arguments: str) -> str:
    """Run git in a folder, independent of the user's settings."""
    settings = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    command = ["git", *settings, *arguments]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.strip()


def write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


def repository(root: Path) -> Path:
    """The small site as a git repository with one commit, on the branch main."""
    write(root, FILES)
    git(root, "init", "--quiet", "--initial-branch=main")
    commit(root, "The site")
    return root


def commit(root: Path, message: str) -> None:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", message)


def edit(root: Path, path: str, *changes: tuple[str, str]) -> None:
    """Replace texts in a file. Each of them must be there."""
    text = (root / path).read_text(encoding="utf-8")
    for before, after in changes:
        assert before in text, (path, before)
        text = text.replace(before, after)
    (root / path).write_text(text, encoding="utf-8")
