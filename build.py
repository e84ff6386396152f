"""Build the site of this folder: `python build.py build` (or `make build`); `python build.py --help` names the rest.

The steps, in order, and where each lives:

    scenebook/storyboard/loader.py   storyboard.yaml and page files to frozen models, every problem with file and line
    scenebook/run/scene.py        run `compute` of each scene of scenes/
    scenebook/figure/figure.py       values and a figure's spec to SVG, PNG and data
    scenebook/prose/prose.py        texts to HTML: Markdown, formulas, values
    scenebook/claims/claims.py       claims checked over values
    scenebook/page/views.py         views through templates/
    scenebook/page/links.py        links, anchors, ids of the finished pages
    scenebook/page/output.py       output/ written, file by file

`scenebook/build/site.py` puts them together.
"""

import sys
from pathlib import Path

from scenebook.cli import main

if __name__ == "__main__":
    sys.exit(main(root=Path(__file__).resolve().parent))
