"""A scene runs again if a package that it uses, or looks for, has changed. Other packages change nothing."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from scenebook.build import last_build, one_scene
from scenebook.build.options import BuildOptions
from tests.support.builder import Builder, building
from tests.support.changing_site import write
from tests.support.other_code import packages_in

PAGE = """
slug: one
title: One
summary: A page.
scenes:
"""
SCENE = "  - {{id: {0}, title: {0}, compute: {0}.py, text: 'It is {{{{ {0}.x }}}}.'{1}}}\n"
FIGURE = ", figure: {panels: [{bars: y}], caption: Three bars. They rise., alt: Three bars that rise.}"
CODE = {
    "alone": "import numpy as np\n\ndef compute():\n    return {'x': 1, 'y': np.arange(3.0)}\n",
    "user": "import quick\n\ndef compute():\n    return {'x': quick.X}\n",
    "looker": "def compute():\n    try:\n        import maybe\n    except ImportError:\n        return {'x': 0}\n"
    "    return {'x': maybe.X}\n",
    "asker": "from importlib.util import find_spec\n\ndef compute():\n"
    "    return {'x': int(find_spec('maybe') is not None)}\n",
    "plotter": "import matplotlib\n\ndef compute():\n    return {'x': len(matplotlib.__version__)}\n",
    "lister": "from importlib.metadata import distributions\n\ndef compute():\n"
    "    return {'x': len([each for each in distributions() if each.name == 'other'])}\n",
}
ALL = {("compute", f"one/{name}") for name in CODE} | {("draw", "one/alone")}


BOARD = "site: {title: S, url: 'https://example.org/'}\npages: [page.yaml]\n"


class Built(NamedTuple):
    """A site that has been built, and a folder of packages that its scenes can import."""

    builder: Builder
    packages: Path

    def build(self) -> set[tuple[str, str]]:
        """Build, and return what ran."""
        with packages_in(self.packages):
            done = self.builder.build()
        assert done.refused == ()
        return set(done.ran)

    def why(self, scene: str) -> str:
        with packages_in(self.packages):
            return "\n".join(one_scene.why(BuildOptions(self.builder.root), scene))

    def install(self, name: str, version: str, code: str = "", requires: str = "") -> None:
        """Install a package of one module, instead of any other version of it."""
        for old in self.packages.glob(f"{name}-*.dist-info"):
            shutil.rmtree(old)
        info = self.packages / f"{name}-{version}.dist-info"
        info.mkdir()
        (info / "RECORD").write_text(f"{name}.py,sha256=x,1\n{info.name}/RECORD,,\n", encoding="ascii")
        (info / "METADATA").write_text(f"Name: {name}\n{requires}\n\nRequires-Dist: text\n", encoding="ascii")
        if code:
            (self.packages / f"{name}.py").write_text(code, encoding="ascii")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    folder = tmp_path_factory.mktemp("packages")
    scenes = "".join(SCENE.format(name, FIGURE if name == "alone" else "") for name in CODE)
    files = {"storyboard.yaml": BOARD, "page.yaml": PAGE + scenes}
    files |= {f"scenes/{name}.py": text for name, text in CODE.items()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(folder / "packages"))
        patch.setenv("PYTHONDONTWRITEBYTECODE", "1")
        with building(folder / "site") as (builder,):
            write(builder.root, {path: text.encode() for path, text in files.items()})
            yield Built(builder, folder / "packages")


@pytest.fixture
def built(site: Built) -> Built:
    """Return the site with the packages that it begins with, built from the cache."""
    shutil.rmtree(site.packages, ignore_errors=True)
    site.packages.mkdir()
    site.install("needed", "1.0")
    site.install("quick", "1.0", "X = 1\n", "Requires-Dist: needed>=1\nRequires-Dist: other; extra == 'more'")
    site.build()
    site.build()  # now the files of the packages are old enough for results to be kept
    assert site.build() == set()
    return site


def test_a_package_that_a_scene_imports_counts_by_its_version(built: Built) -> None:
    built.install("quick", "1.1", requires="Requires-Dist: needed")
    assert built.why("user") == "one/user will run: quick changed from 1.0 to 1.1"
    assert built.build() == {("compute", "one/user"), ("compute", "one/lister")}


def test_the_packages_of_a_scene_are_listed(built: Built) -> None:
    assert {"needed 1.0", "quick 1.0"} <= set(built.why("user").split("\n"))
    assert "maybe (an import looks for it)" in built.why("asker").split("\n")
    assert "all installed packages" in built.why("lister").split("\n")


def test_what_a_used_package_requires_counts_too(built: Built) -> None:
    built.install("needed", "2.0")
    assert "one/user will run: needed changed from 1.0 to 2.0" in built.why("user").split("\n")
    assert built.build() == {("compute", "one/user"), ("compute", "one/lister")}


def test_another_package_reruns_only_a_scene_that_lists_packages(built: Built) -> None:
    built.install("other", "1.0", "import nothing_at_all\n")
    assert built.why("lister") == "one/lister will run: all installed packages changed"
    assert built.build() == {("compute", "one/lister")}


def test_a_module_that_a_scene_has_looked_for_reruns_it_once_it_is_there(built: Built) -> None:
    (built.packages / "maybe.py").write_text("X = 7\n", encoding="ascii")
    found = "an import of maybe found nothing, and could now find maybe.py"
    assert built.why("looker") == f"one/looker will run: {found}"
    assert built.build() == {("compute", "one/looker"), ("compute", "one/asker")}
    lock = (built.builder.root / "facts.lock").read_text(encoding="utf-8")
    assert "one/looker.x = 7\n" in lock
    assert "one/asker.x = 1\n" in lock


def test_a_library_counts_only_where_it_is_used(built: Built) -> None:
    """Matplotlib is loaded in the process of each scene, but only some scenes import it."""
    built.install("matplotlib", "99.0")
    assert built.build() == {("compute", "one/plotter"), ("compute", "one/lister"), ("draw", "one/alone")}


def test_a_module_of_no_package_counts_by_its_content(built: Built) -> None:
    (built.packages / "quick.py").write_text("X = 2\n", encoding="ascii")
    assert built.why("user") == "one/user will run: ../packages/quick.py changed"
    assert built.build() == {("compute", "one/user")}


@pytest.mark.parametrize("name", ["paths.pth", "sitecustomize.py", "usercustomize.py"])
def test_what_runs_when_python_starts_reruns_everything(built: Built, name: str) -> None:
    (built.packages / name).write_text("import os\n", encoding="ascii")
    assert built.why("alone") == "one/alone will run: .pth files and sitecustomize changed"
    assert built.build() == ALL


def test_an_unrelated_package_changes_nothing_at_all(built: Built) -> None:
    (built.builder.root / "scenes/lister.py").write_text(CODE["alone"], encoding="ascii")
    try:
        built.build()
        built.build()
        built.install("other", "1.0")
        with packages_in(built.packages):
            assert last_build.find(
                BuildOptions(built.builder.root), BuildOptions(built.builder.root).open_cache()
            ).up_to_date
    finally:
        (built.builder.root / "scenes/lister.py").write_text(CODE["lister"], encoding="ascii")
