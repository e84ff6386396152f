"""Build the site in this folder: `python build.py build`, or `make build`. `python build.py --help` lists all commands.

The steps of a build, in order, and the module of each:

    scenebook/storyboard/loader.py   reads storyboard.yaml and the page files
    scenebook/run/scene.py           runs `compute` of each scene
    scenebook/figure/figure.py       draws values as SVG and PNG
    scenebook/prose/prose.py         turns texts, formulas and values into HTML
    scenebook/claims/claims.py       checks claims against values
    scenebook/page/views.py          renders the pages through templates/
    scenebook/page/links.py          checks links, anchors and ids
    scenebook/page/output.py         writes output/

`scenebook/build/site.py` calls them.
"""

import sys
from pathlib import Path

from scenebook.cli import main

if __name__ == "__main__":
    sys.exit(main(root=Path(__file__).resolve().parent))
