"""The files of a scene are found without running it, and pages list their code in a useful order."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from scenebook.run import scene_code
from scenebook.run.scene_code import LISTING_LIMIT, Function, Listing, listings
from tests.support.review_site import write


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import numpy as np", ()),
        ("from scenes.one.tools import f", ("scenes/one/tools.py",)),
        ("from scenes.one import tools", ("scenes/one/__init__.py", "scenes/one/tools.py")),
        ("import scenes.one.tools", ("scenes/one/tools.py",)),
        ("from .tools import f", ("scenes/one/tools.py",)),
        ("from . import tools", ("scenes/one/__init__.py", "scenes/one/tools.py")),
        ("from ..shared import f", ("scenes/shared.py",)),
        ("def compute():\n    from scenes.shared import f", ("scenes/shared.py",)),
        ("from scenes.one.around import f", ("scenes/one/around.py", "scenes/shared.py")),
        ("from scenes.one.missing import f", ()),
        ("from scenes.one.broken import f", ("scenes/one/broken.py",)),
        ("from scenes.one.a import f", ()),
    ],
)
def test_every_imported_helper_is_found(source: str, found: tuple[str, ...], tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "scenes/one/a.py": source,
            "scenes/one/__init__.py": "",
            "scenes/one/tools.py": "import os",
            "scenes/one/around.py": "from scenes.shared import g\nfrom scenes.one import around",
            "scenes/one/broken.py": "def (",
            "scenes/shared.py": "",
        },
    )
    own, *others = scene_code.find(tmp_path, "one/a.py").texts
    assert own == "scenes/one/a.py"
    assert set(found) <= set(others) <= {*found, "scenes/one/__init__.py"}


@pytest.mark.parametrize("head", [b"\xef\xbb\xbf", b"# coding: latin-1\n# \xe9\n", b"# coding: what\n", b"# \xe9\n"])
def test_a_module_in_any_encoding_that_python_reads_is_found(head: bytes, tmp_path: Path) -> None:
    write(tmp_path, {"scenes/a.py": "", "scenes/tools.py": ""})
    (tmp_path / "scenes/a.py").write_bytes(head + b"import scenes.tools")
    unreadable = b"what" in head or head == b"# \xe9\n"
    assert tuple(scene_code.find(tmp_path, "a.py").texts) == (() if unreadable else ("scenes/a.py", "scenes/tools.py"))


def test_a_missing_module_has_no_code(tmp_path: Path) -> None:
    assert scene_code.find(tmp_path, "one/a.py").texts == {}


MODULE = '''"""A module."""
from scenes.tools import f

A = 1


# The computation.
@f
def compute():
    return {"a": A}


def draw(figure, values):
    pass
'''
COMPUTE = '# The computation.\n@f\ndef compute():\n    return {"a": A}\n'
REST = '"""A module."""\nfrom scenes.tools import f\n\nA = 1\n\n\ndef draw(figure, values):\n    pass\n'


def test_the_first_listing_is_the_function_with_its_comment() -> None:
    texts = {"scenes/a.py": MODULE, "scenes/__init__.py": "\n", "scenes/tools.py": "f = print\n"}
    assert listings(texts, Function("scenes/a.py", 8, 10)) == (
        Listing("scenes/a.py", "function", COMPUTE),
        Listing("scenes/a.py", "rest", REST),
        Listing("scenes/tools.py", "whole", "f = print\n"),
    )


def test_a_function_from_another_file_is_listed_first() -> None:
    texts = {"scenes/a.py": "from scenes.b import compute\n", "scenes/b.py": COMPUTE}
    assert listings(texts, Function("scenes/b.py", 2, 4)) == (
        Listing("scenes/b.py", "function", COMPUTE),
        Listing("scenes/a.py", "whole", "from scenes.b import compute\n"),
    )


def test_a_module_is_listed_whole_if_its_function_was_not_found() -> None:
    assert listings({"scenes/a.py": MODULE}, None) == (Listing("scenes/a.py", "whole", MODULE),)


def test_a_long_listing_is_cut_between_two_lines() -> None:
    line = "x = 1  # " + "x" * 90 + "\n"
    shown = LISTING_LIMIT // len(line)
    [found] = listings({"scenes/a.py": line * 300}, None)
    assert (found.code, found.left) == (line * shown, 300 - shown)
    assert listings({"scenes/a.py": line * shown}, None)[0].left == 0


def test_a_line_that_is_longer_than_the_limit_is_cut() -> None:
    [found] = listings({"scenes/a.py": "x = '" + "x" * LISTING_LIMIT + "'\ny = 1\n"}, None)
    assert (len(found.code), found.left) == (LISTING_LIMIT + 1, 1)


def test_only_imported_scene_modules_and_named_files_are_returned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"scenes/a.py": "A", "scenes/b/c.py": "C", "scenes/b/d.py": "D", "other.py": "O", "f.py": "F"})
    for name, file in (("scenes.b.c", "scenes/b/c.py"), ("scenes.a", "scenes/a.py"), ("other", "other.py")):
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(__file__=str(tmp_path / file)))
    monkeypatch.setitem(sys.modules, "scenes.gone", SimpleNamespace(__file__=str(tmp_path / "gone.py")))
    monkeypatch.setitem(sys.modules, "scenes.folder", SimpleNamespace(__file__=None))
    found = scene_code.imported(str(tmp_path), ["scenes/a.py", "f.py", "../outside.py"])
    ours = {file: text for file, text in found.items() if text in "ACDOF"}
    assert list(ours.items()) == [("scenes/a.py", "A"), ("f.py", "F"), ("scenes/b/c.py", "C")]
