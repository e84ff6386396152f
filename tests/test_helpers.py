from __future__ import annotations

from pathlib import Path

import pytest

from scenebook import helpers
from tests.review_site import write


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
def test_a_helper_is_not_found(source: str, found: tuple[str, ...], tmp_path: Path) -> None:
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
    own, *others = helpers.code(tmp_path, "one/a.py").texts
    assert own == "scenes/one/a.py"
    assert set(found) <= set(others) <= {*found, "scenes/one/__init__.py"}


@pytest.mark.parametrize("head", [b"\xef\xbb\xbf", b"# coding: latin-1\n# \xe9\n", b"# coding: what\n", b"# \xe9\n"])
def test_an_encoding_hides_a_helper(head: bytes, tmp_path: Path) -> None:
    write(tmp_path, {"scenes/a.py": "", "scenes/tools.py": ""})
    (tmp_path / "scenes/a.py").write_bytes(head + b"import scenes.tools")
    unreadable = b"what" in head or head == b"# \xe9\n"
    assert tuple(helpers.code(tmp_path, "a.py").texts) == (() if unreadable else ("scenes/a.py", "scenes/tools.py"))


def test_a_module_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    assert helpers.code(tmp_path, "one/a.py").texts == {}
