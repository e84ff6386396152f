"""What results depend on besides the author's files: the engine's code, its templates, Python and the packages.

Each step depends only on the code that it runs. It names the modules in which that code starts (`made_by`).
"""
# Paths are strings here because that takes half the time that Path objects take.

import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from scenebook.cache import _engine_code as engine_code
from scenebook.cache import packages
from scenebook.core import digests
from scenebook.core.commands import has_target
from scenebook.core.problems import Problem

ENGINE = engine_code.ENGINE
INSTALLED = (ENGINE / "templates").is_dir()
"""Whether the engine comes from a wheel, which holds the templates. In a checkout they are beside the engine."""
OWN_FILES = ENGINE if INSTALLED else ENGINE.parent
"""The folder that holds the engine's templates and starters."""
OWN_TEMPLATES = OWN_FILES / "templates"
"""The templates for a site that has none of its own."""
NEEDED = {
    "numpy": ">=2.0",
    "matplotlib": ">=3.11",
    "pillow": ">=11.0",
    "jinja2": ">=3.1.2",
    "pyyaml": ">=6.0.1",
    "pydantic": ">=2.13",
    "annotated-types": "",
    "markdown": ">=3.11.1",
    "markdown-it-py": ">=3.0",
    "math-core": ">=0.9,<0.10",
    "pygments": ">=2.17",
    "simpleeval": ">=1.0",
    "rich": ">=13.7",
    "watchfiles": ">=1.0",
}
"""The packages that a build needs, with the same version bounds as in pyproject.toml."""
_IMPORTED_AS = {"PIL": "pillow", "markdown_it": "markdown-it-py", "yaml": "pyyaml"}
_MODULES = {package: module for module, package in _IMPORTED_AS.items()}


@cache
def engine() -> str:
    """Return a digest of the engine's source files."""
    return engine_code.digest(engine_code.files())


@cache
def libraries() -> str:
    """Return a digest of the Python version and of the names and versions of all installed packages."""
    return digests.digest("\n".join([sys.version, packages.version(packages.ALL)]).encode())


def environment() -> dict[str, str]:
    """Return what every result depends on besides code: Python, and what it runs when it starts."""
    return {"Python": sys.version, ".pth files and sitecustomize": packages.startup()}


@cache
def made_by(*modules: str) -> Mapping[str, str]:
    """Return what the results of a step depend on, by name, if its code starts in these modules.

    The engine's code has an entry for each of its packages, with a digest of the modules that the step runs.
    """
    code = engine_code.used_by(modules)
    used = packages.with_requirements(_needed(code.others).values())
    return {
        **environment(),
        **engine_code.digests_by_package(code.modules),
        **{name: packages.version(name) for name in used},
    }


@cache
def needed() -> tuple[str, ...]:
    """Return every package that the engine needs, and those that they require."""
    return packages.with_requirements(NEEDED)


def packages_of(modules: Collection[str]) -> tuple[str, ...]:
    """Return the packages of these top-level modules, and the packages that they require.

    Those that the engine needs are known. To find others, all packages have to be searched, which takes longer.
    """
    known = _needed(modules)
    return packages.with_requirements({*known.values(), *packages.owners(set(modules) - known.keys())})


def _needed(modules: Iterable[str]) -> dict[str, str]:
    """Return the packages that the engine needs among those of these top-level modules, by module."""
    named = {module: packages.normalized(_IMPORTED_AS.get(module, module)) for module in modules}
    return {module: name for module, name in named.items() if name in needed()}


def package_problems(root: Path) -> Iterator[Problem]:
    """Yield a problem for each package that a build needs, but that is missing or has an unsupported version.

    `root` is the site's folder: what to do depends on whether it has a Makefile and a lock file.
    """
    for name, bounds in NEEDED.items():
        version = packages.version(name)
        if version and not _within(version, bounds):
            message = f"Scenebook needs {name} {bounds}, but {version} is installed"
            yield Problem("", 0, "", f"{message}; {_install(root, name + bounds)}")
        elif not version and not _can_import(_MODULES.get(name, name.replace("-", "_"))):
            remedy = "`make build` installs it" if has_target(root, "build") else _install(root, name + bounds)
            yield Problem("", 0, "", f"Scenebook needs {name}, but it is not installed; {remedy}")


def _install(root: Path, requirement: str) -> str:
    """Return what installs a package, in words."""
    what = "-r requirements.txt" if (root / "requirements.txt").exists() else f"'{requirement}'"
    return f"run `python -m pip install {what}`"


def _can_import(module: str) -> bool:
    from importlib.util import find_spec

    return find_spec(module) is not None


def _within(version: str, bounds: str) -> bool:
    """Return whether a version is within bounds such as `>=0.9,<0.10`."""
    limits = [(bound.startswith(">="), _release(bound.lstrip("<>="))) for bound in bounds.split(",") if bound]
    return all((_release(version) >= limit) == at_least for at_least, limit in limits)


def _release(version: str) -> list[int]:
    """Return the numbers at the start of a version, without trailing zeros: 2.0 gives [2], and 2.1rc1 gives [2, 1]."""
    match = re.match(r"(\d+\.)*\d+", version)
    numbers = [int(number) for number in match[0].split(".")] if match else []
    while numbers and not numbers[-1]:
        numbers.pop()
    return numbers


@cache
def templates() -> str:
    """Return a digest of the engine's templates. A site's own templates are inputs, like its scenes."""
    files = (path for path in OWN_TEMPLATES.rglob("*") if path.is_file())
    return _digest(str(OWN_TEMPLATES), sorted(path.relative_to(OWN_TEMPLATES).as_posix() for path in files))


def _digest(folder: str, names: list[str]) -> str:
    """Return a digest of the names and contents of files in a folder."""
    listed = "".join(f"{name}\0{digests.of_file(f'{folder}/{name}')}\0" for name in names)
    return digests.digest(listed.encode())
