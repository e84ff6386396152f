"""A checkout with CRLF line ends publishes the same site as one with LF."""

import shutil
from pathlib import Path

from scenebook import cli
from scenebook.cache import versions
from tests.support.changing_site import tree
from tests.support.review_site import FILES

OWN = {
    "static/notes.txt": b"one\ntwo\n",
    "static/app.webmanifest": b'{\n"name": "a"\n}\n',
    "static/tool.mjs": b"1;\n",
    "static/data.bin": b"\x89PNG\r\n\x1a\n",
}


def site(root: Path, end: bytes) -> Path:
    """Write the small site with templates of its own; every text has these line ends."""
    shutil.copytree(versions.OWN_TEMPLATES, root / "templates")
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    for path, content in OWN.items():
        (root / "templates" / path).write_bytes(content)
    for source in root.rglob("*.*"):
        if source.is_file() and source.suffix != ".bin":
            source.write_bytes(source.read_bytes().replace(b"\n", end))
    return root


def test_line_ends_of_sources_do_not_reach_the_site(tmp_path: Path) -> None:
    built = []
    for name, end in (("one", b"\n"), ("two", b"\r\n")):
        root = site(tmp_path / name, end)
        assert cli.main(["build", "--root", str(root)]) == 0
        built.append(tree(root))
    assert {path for path in {*built[0], *built[1]} if built[0].get(path) != built[1].get(path)} == set()
    assert built[1]["output/static/notes.txt"] == b"one\ntwo\n"
    assert built[1]["output/static/data.bin"] == b"\x89PNG\r\n\x1a\n"
