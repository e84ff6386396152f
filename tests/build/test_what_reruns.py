"""A step is made again if the code that it runs has changed, and only then."""

from __future__ import annotations

import ast
import pickletools
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from scenebook.build import assemble, template_files
from scenebook.build.options import BuildOptions
from scenebook.cache import _engine_code as engine_code
from scenebook.cache import store, versions
from scenebook.cache.store import Cache
from tests.support.builder import Builder, building
from tests.support.changing_site import Site, write
from tests.support.other_code import engine_in

ENGINE = engine_code.ENGINE
STEPS = {
    "source": "read",
    "compute": "computed",
    "settings": "computed at all settings",
    "draw": "drawn",
    "share": "drawn",
    "drawings": "drawn at all settings",
    "claims": "judged",
    "page": "written",
    "html": "rendered",
    "links": "followed",
}
"""What a step of the cache is called below."""
READ, WRITTEN, RENDERED, JUDGED, FOLLOWED = {"read"}, {"written"}, {"rendered"}, {"judged"}, {"followed"}
COMPUTED, EVERY_COMPUTED = {"computed"}, {"computed at all settings"}
DRAWN, EVERY_DRAWN = {"drawn"}, {"drawn at all settings"}
RUN = COMPUTED | EVERY_COMPUTED | DRAWN | EVERY_DRAWN
SHOWN = JUDGED | WRITTEN
RERUN: dict[str, set[str]] = {
    "cli.py": set(),
    "progress.py": set(),
    "review/review.py": set(),
    "review/_value_diff.py": set(),
    "build/build.py": set(),
    "build/site.py": set(),
    "build/last_build.py": set(),
    "build/one_scene.py": set(),
    "build/pages.py": WRITTEN,
    "build/template_files.py": RENDERED,
    "build/_compute_jobs.py": COMPUTED | EVERY_COMPUTED | WRITTEN,
    "build/_draw_jobs.py": DRAWN | EVERY_DRAWN | WRITTEN,
    "page/output.py": set(),
    "page/templates.py": RENDERED,
    "page/links.py": RENDERED | FOLLOWED,
    "page/page_view.py": WRITTEN,
    "page/drawing_tracks.py": EVERY_DRAWN | WRITTEN,
    "claims/claims.py": SHOWN,
    "prose/prose.py": SHOWN,
    "prose/code.py": COMPUTED | EVERY_COMPUTED | SHOWN,
    "run/scene.py": RUN | WRITTEN,
    "storyboard/loader.py": READ,
    "storyboard/schema.py": set(),
    "figure/figure.py": DRAWN | EVERY_DRAWN | WRITTEN,
    "figure/kinds/bars.py": READ | DRAWN | EVERY_DRAWN | SHOWN | RENDERED,
    "formulas/mathml.py": READ | DRAWN | EVERY_DRAWN | SHOWN | RENDERED,
    "cache/store.py": RUN | READ | WRITTEN | RENDERED,
    "core/number_format.py": READ | DRAWN | EVERY_DRAWN | SHOWN | RENDERED,
    "core/web_address.py": READ | SHOWN,
}
"""What is made again after a change to a module of the engine."""


class Built(NamedTuple):
    """A site that has been built, and a copy of the engine whose modules can be changed."""

    builder: Builder
    engine: Path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    folder = tmp_path_factory.mktemp("what_reruns")
    shutil.copytree(ENGINE, folder / "scenebook", ignore=shutil.ignore_patterns("__pycache__"))
    site = Site()
    site.pages[1]["scenes"] = site.pages[1]["scenes"][2:]  # without the scenes that run each time
    with building(folder / "site") as (builder,):
        write(builder.root, site.files())
        with engine_in(folder / "scenebook"):
            for _ in range(2):  # the first does not keep what it read, because the files are too new
                assert builder.build().refused == ()
        yield Built(builder, folder / "scenebook")


def made_again(builder: Builder) -> set[str]:
    """Build, and return what was made again."""
    steps = set()
    keep = Cache.keep

    def noted(cache: Cache, step: str, *arguments: Any, **more: Any) -> Any:
        steps.add(step)
        return keep(cache, step, *arguments, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Cache, "keep", noted)
        builder.build()
    return {STEPS[step] for step in steps & STEPS.keys()}


def test_every_package_of_the_engine_is_tried() -> None:
    packages = {path.parent.relative_to(ENGINE).as_posix() for path in ENGINE.rglob("*.py")}
    assert {Path(file).parent.as_posix() for file in RERUN} == packages


@pytest.mark.parametrize("file", RERUN)
def test_a_change_to_a_module_reruns_only_what_runs_its_code(built: Built, file: str) -> None:
    changed = built.engine / file
    before = changed.read_text(encoding="utf-8")
    changed.write_text(f"{before}# changed\n", encoding="utf-8")
    try:
        with engine_in(built.engine):
            made = made_again(built.builder)
    finally:
        changed.write_text(before, encoding="utf-8")
    with engine_in(built.engine):
        assert (made, made_again(built.builder)) == (RERUN[file], set())


def test_every_import_of_the_engine_is_found() -> None:
    """The search for imports in the text of a module finds all that its syntax tree has."""
    missed = {}
    for module, file in engine_code.files().items():
        found = engine_code._imports(module)
        modules, others = imports_of((ENGINE / file).read_text(encoding="utf-8"))
        missed[module] = {*(modules - found.modules), *(others - found.others)}
    assert {module: names for module, names in missed.items() if names} == {}


def imports_of(text: str) -> tuple[set[str], set[str]]:
    """Return the modules of the engine and of packages that a module imports, other than for type checkers."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            node.body = []
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "lazy":
            names |= {ast.literal_eval(node.args[0])} if isinstance(node.args[0], ast.Constant) else set()
    others = {name.partition(".")[0] for name in names} - {"scenebook", *sys.stdlib_module_names}
    return {name for name in names if name in engine_code.files()}, others


def test_the_package_of_every_import_of_the_engine_is_known() -> None:
    texts = [(ENGINE / file).read_text(encoding="utf-8") for file in engine_code.files().values()]
    found = set[str]().union(*(imports_of(text)[1] for text in texts))
    assert found - versions._needed(found).keys() == set()


def test_a_step_that_starts_nowhere_is_refused() -> None:
    with pytest.raises(LookupError, match=r"scenebook\.build\.nothing"):
        versions.made_by("scenebook.build.nothing")


def test_a_rendered_file_depends_on_all_code_of_what_its_template_shows(built: Built) -> None:
    """A template may call methods of anything in a view, so their code counts too."""
    code = engine_code.used_by(template_files.CODE).modules
    cache = BuildOptions(built.builder.root).open_cache()
    entries = [entry for path in Path(cache.folder).glob("page/*.json") for entry in store._load(str(path))]
    shown = {name for entry in entries for name in modules_in(cache.read(entry, assemble.VIEW))}
    assert "scenebook.page.views" in shown
    assert shown - code == set()


def modules_in(pickled: bytes) -> set[str]:
    """Return the engine's modules that unpickling imports."""
    texts = {text for _, text, _ in pickletools.genops(pickled) if isinstance(text, str)}
    return texts & engine_code.files().keys()
