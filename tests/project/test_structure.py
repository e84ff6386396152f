"""The shape of the project: imports go down, each library has its place, functions are short.

The order of the packages, and which of them knows which library, are read from the table in ARCHITECTURE.md. So the map
stays true: to change the shape, change the map in the same commit.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from statistics import median
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
ENGINE = ROOT / "scenebook"

ROWS = re.findall(
    r"^\| `(\w+)/` \|.*\|([^|]*)\|$", (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"), flags=re.MULTILINE
)
COMMANDS = "commands"
"""The modules beside the packages: the command line."""
PACKAGES = [COMMANDS, *(package for package, _ in ROWS)]
"""The packages, highest first."""
IMPORTED_AS = {"Pillow": "PIL", "math-core": "math_core"}
OF_COMMANDS = {"argparse", "rich"}
KNOWN = [
    (IMPORTED_AS.get(library, library), package) for package, known in ROWS for library in re.findall(r"[\w-]+", known)
]
LIBRARIES = {
    library: {package for name, package in KNOWN if name == library} for library in (name for name, _ in KNOWN)
} | {library: {COMMANDS} for library in OF_COMMANDS}
REQUIRED_AS = {
    "PIL": "pillow",
    "markdown_it": "markdown-it-py",
    "math_core": "math-core",
    "pydantic_core": "pydantic",
    "yaml": "pyyaml",
}
OF_THE_SITE = re.compile(r"scenes/|data/|storyboard\.yaml$|facts\.lock$")
"""Matches the files that belong to the author of the site, not to the engine."""
LOCAL = re.compile(r"/(?:home|Users)/\w+/|\bpypi[.]org|python[h]osted[.]org|registry[.]npmjs|[/.]debian[.]org")


class Import(NamedTuple):
    """An import: the module and line where it is written, and the dotted name that is imported."""

    module: str
    line: int
    name: str

    def __str__(self) -> str:
        return f"{self.module}:{self.line}: {self.name}"


@cache
def tracked() -> tuple[Path, ...]:
    """Return every file of the project, committed or about to be, without those of the site at the root."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return tuple(
        path for name in listed.split("\0") if name and not OF_THE_SITE.match(name) and (path := ROOT / name).is_file()
    )


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def modules() -> dict[str, Path]:
    """Return the engine's modules by dotted name."""
    return {dotted(path): path for path in sorted(ENGINE.rglob("*.py"))}


def dotted(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports() -> tuple[Import, ...]:
    """Return every import of the engine, including those inside functions."""
    return tuple(found for module, path in modules().items() for found in imports_of(module, path))


def imports_of(module: str, path: Path) -> Iterator[Import]:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (Import(module, node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level:
            yield Import(module, node.lineno, "." * node.level + (node.module or ""))
        elif isinstance(node, ast.ImportFrom):
            names = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (Import(module, node.lineno, name if name in modules() else str(node.module)) for name in names)


def package_of(module: str) -> str:
    """Return the package of a module of the engine, or the library that the module belongs to."""
    first, *rest = module.split(".")
    if first != "scenebook":
        return first
    return rest[0] if rest and (ENGINE / rest[0]).is_dir() else COMMANDS


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Return the place and length of each function: the number of lines of its body, without the docstring."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            last = body[-1].end_lineno if body else None
            yield f"{path.relative_to(ROOT)}:{node.lineno}: {node.name}", last - body[0].lineno + 1 if last else 0


def test_the_map_names_every_package() -> None:
    packages = {path.name for path in ENGINE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert set(PACKAGES) - {COMMANDS} == packages
    assert len(PACKAGES) == len(set(PACKAGES))


def test_a_package_file_holds_only_a_short_docstring() -> None:
    for package in PACKAGES[1:]:
        [docstring] = tree(ENGINE / package / "__init__.py").body
        assert isinstance(docstring, ast.Expr)
        assert len(ast.unparse(docstring).split("\n")) <= 7


def test_imports_go_down_or_stay_in_their_package() -> None:
    ours = [each for each in imports() if each.name.startswith("scenebook.")]
    assert len(ours) > 100
    assert [str(each) for each in ours if rank(each.name) < rank(each.module)] == []
    assert [str(each) for each in imports() if each.name.startswith(".")] == []


def rank(module: str) -> int:
    return PACKAGES.index(package_of(module))


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph: dict[str, set[str]] = {}
    for each in imports():
        if each.name in modules() and not each.name.endswith("__init__"):
            graph.setdefault(each.module, set()).add(each.name)
    assert list(TopologicalSorter(graph).static_order())


def test_a_module_with_an_underscore_is_private_to_its_package() -> None:
    private = [each for each in imports() if re.search(r"\._[a-z]", each.name) and each.name in modules()]
    assert private
    assert [str(each) for each in private if not each.module.startswith(each.name.rpartition(".")[0])] == []


def test_a_library_is_used_only_where_the_map_says() -> None:
    wrong = [
        str(each)
        for each in imports()
        if package_of(each.module) not in LIBRARIES.get(each.name.split(".")[0], PACKAGES)
    ]
    assert wrong == []


def test_every_library_is_a_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = {re.split("[<>=]", dependency)[0] for dependency in project["dependencies"]}
    ours = {"scenebook", "scenes", *sys.stdlib_module_names}
    used = {each.name.split(".")[0] for each in imports()} - ours
    assert {REQUIRED_AS.get(name, name) for name in used} <= listed


def test_the_command_line_starts_without_a_library() -> None:
    """Each import before the command knows that there is work costs milliseconds."""
    script = "import sys, scenebook.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert LIBRARIES.keys() & set(loaded.stdout.split()) <= {"argparse"}


def test_no_function_is_longer_than_forty_lines() -> None:
    ours = [path for path in tracked() if path.suffix == ".py" and "sites" not in path.parts]
    assert ours
    assert [f"{place}: {length} lines" for path in ours for place, length in functions(path) if length > 40] == []


def test_half_of_the_functions_are_shorter_than_ten_lines() -> None:
    assert median(length for path in modules().values() for _, length in functions(path)) < 10


def test_every_test_file_is_collected(pytestconfig: pytest.Config) -> None:
    """By default, pytest passes over folders with names such as `build`."""
    skipped = pytestconfig.getini("norecursedirs")
    files = [path.relative_to(ROOT) for folder in ("tests", "scenes") for path in (ROOT / folder).rglob("test_*.py")]
    assert len(files) > 50
    assert [file for file in files if any(fnmatch(part, pattern) for part in file.parts for pattern in skipped)] == []


def test_no_file_contains_a_path_or_address_of_one_machine() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {found}"
        for path in tracked()
        for found in local_names(path.read_bytes().decode("utf-8", errors="replace"))
    ]
    assert wrong == []


def local_names(text: str) -> list[str]:
    here = [str(ROOT)] if str(ROOT) in text and len(ROOT.parts) > 2 else []
    return here + LOCAL.findall(text)
