"""Build the site of this folder: `python build.py build` (or `make build`); `python build.py --help` names the rest.

The steps, in order, and where each lives:

    scenebook/storyboard.py   storyboard.yaml and page files to frozen models, every problem with file and line
    scenebook/scene.py        run `compute` of each scene of scenes/
    scenebook/figure.py       values and a figure's spec to SVG, PNG and data
    scenebook/prose.py        texts to HTML: Markdown, formulas, values
    scenebook/claims.py       claims checked over values
    scenebook/page.py         views through templates/
    scenebook/check.py        links, anchors, ids of the finished pages
    scenebook/output.py       output/ written, file by file

`scenebook/site.py` puts them together.
"""

import sys
from pathlib import Path

from scenebook.cli import main

if __name__ == "__main__":
    sys.exit(main(root=Path(__file__).resolve().parent))
