"""The shape of the project: imports go down, each library has its place, functions are short, nothing is local.

The floors, and who knows which library, are read from the table in ARCHITECTURE.md, so that the map stays true. Where
the code teaches better, change the map in the same commit.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parent.parent
ENGINE = ROOT / "scenebook"

ROWS = re.findall(
    r"^\| (\d+) \| (`.+?) \| .+ \|(.*)\|$",
    (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"),
    flags=re.MULTILINE,
)
MAP = {module: int(floor) for floor, names, _ in ROWS for module in re.findall(r"`(\w+)\.py`", names)}
FLOOR = {"__init__": -1, **MAP, "__main__": max(MAP.values()) + 1}
IMPORTED_AS = {"Pillow": "PIL", "math-core": "math_core"}
LIBRARIES = {
    IMPORTED_AS.get(library, library): set(re.findall(r"`(\w+)\.py`", names))
    for _, names, libraries in ROWS
    for library in re.findall(r"[\w-]+", libraries)
}
REQUIRED_AS = {"PIL": "pillow", "math_core": "math-core", "pydantic_core": "pydantic", "yaml": "pyyaml"}
LOCAL = re.compile(r"/(?:home|Users)/\w+/|\bpypi[.]org|python[h]osted[.]org|registry[.]npmjs|[/.]debian[.]org")


@cache
def tracked() -> tuple[Path, ...]:
    """Every file of the project that is there, committed or about to be."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return tuple(path for name in listed.split("\0") if name and (path := ROOT / name).is_file())


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def modules() -> dict[str, Path]:
    return {path.stem: path for path in sorted(ENGINE.glob("*.py"))}


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and dotted name of each import, those inside functions too; `from scenebook import x` is `scenebook.x`."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "scenebook":
            yield from ((node.lineno, f"scenebook.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, "." * node.level + (node.module or "")


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Place and length of each function: the lines of its body without the docstring."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            last = body[-1].end_lineno if body else None
            yield f"{path.relative_to(ROOT)}:{node.lineno}: {node.name}", last - body[0].lineno + 1 if last else 0


def test_a_module_is_not_on_the_map_or_gone_from_the_code() -> None:
    assert modules().keys() == FLOOR.keys()
    assert [path for path in ENGINE.iterdir() if path.is_dir() and path.name != "__pycache__"] == []


def test_an_import_goes_up_or_sideways() -> None:
    wrong = [
        f"{path.name}:{line}: {name}"
        for module, path in modules().items()
        for line, name in imports(path)
        if not goes_down(name, module)
    ]
    assert wrong == []


def goes_down(name: str, module: str) -> bool:
    package, _, imported = name.partition(".")
    return package != "" and (package != "scenebook" or FLOOR.get(imported, len(FLOOR)) < FLOOR.get(module, 0))


def test_a_library_is_used_outside_its_module() -> None:
    wrong = [
        f"{path.name}:{line}: {name}"
        for module, path in modules().items()
        for line, name in imports(path)
        if module not in LIBRARIES.get(name.split(".")[0], {module})
    ]
    assert wrong == []


def test_a_library_is_used_but_not_pinned() -> None:
    listed = set(re.findall(r"^[a-z0-9-]+", (ROOT / "requirements.in").read_text(encoding="utf-8"), flags=re.MULTILINE))
    ours = {"scenebook", "scenes", *sys.stdlib_module_names}
    used = {name.split(".")[0] for path in modules().values() for _, name in imports(path)} - ours
    assert {REQUIRED_AS.get(name, name) for name in used} <= listed


def test_a_library_slows_every_start() -> None:
    """What the command line imports before it knows that there is work is measured in milliseconds."""
    script = "import sys, scenebook.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert LIBRARIES.keys() & set(loaded.stdout.split()) <= {"argparse"}


def test_a_function_is_long() -> None:
    ours = [path for path in tracked() if path.suffix == ".py" and "sites" not in path.parts]
    assert ours
    assert [f"{place}: {length} lines" for path in ours for place, length in functions(path) if length > 40] == []


def test_functions_grow() -> None:
    assert median(length for path in modules().values() for _, length in functions(path)) < 10


def test_a_file_holds_what_is_true_on_one_machine_only() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {found}"
        for path in tracked()
        for found in local_names(path.read_bytes().decode("utf-8", errors="replace"))
    ]
    assert wrong == []


def local_names(text: str) -> list[str]:
    here = [str(ROOT)] if str(ROOT) in text and len(ROOT.parts) > 2 else []
    return here + LOCAL.findall(text)
