"""Writes a site that builds into a folder of one's own. Its files are in `starters/site/`.

Files are only ever added. If one is in the way, all of those are reported and nothing is written.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path, PurePosixPath
from typing import Any

from scenebook.build import engine_wheel
from scenebook.cache.versions import OWN_FILES
from scenebook.core.problems import Problem, Problems, stop_on
from scenebook.storyboard import loader, schema

REQUIRED, LOCK = "requirements.in", "requirements.txt"
SCHEMAS, VENDOR = "schemas", "vendor"


def write(folder: Path) -> tuple[str, ...]:
    """Write a new site into a folder. Return the paths of its files. Raises `Problems` if one is in the way."""
    stop_on(_no_place(folder))
    files = dict(sorted(contents().items()))
    add(Path(), {(folder / path).as_posix(): content for path, content in files.items()})
    return tuple(files)


def contents() -> Mapping[str, bytes]:
    """Return the files of a new site by path."""
    files = dict(engine_wheel.files_below(OWN_FILES / "starters/site"))
    files.update((f"{SCHEMAS}/{name}", text.encode()) for name, text in schema.schemas().items())
    address, sha256 = _released() or (None, "")
    if address is None:
        wheel = engine_wheel.pack()
        address, sha256 = f"./{VENDOR}/{wheel.name}", wheel.sha256
        files[f"{VENDOR}/{wheel.name}"] = wheel.content
    else:
        address = f"scenebook @ {address}"
    files[REQUIRED] += f"{address}\n".encode()
    files[LOCK] = _with_pin(files[LOCK].decode(), f"{address} \\\n    --hash=sha256:{sha256}\n").encode()
    return files


def _with_pin(lock: str, pin: str) -> str:
    """Return a lock file with one more package: the engine, where the tool that sorts the others would put it."""
    names = re.finditer(r"^([a-z0-9-]+)==", lock, re.MULTILINE)
    place = next((found.start() for found in names if found[1] > "scenebook"), len(lock))
    return lock[:place] + pin + lock[place:]


def add(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write new files below a folder, all or none. Raises `Problems` if one is in the way or cannot be written."""
    stop_on(_in_the_way(folder, files))
    written: list[Path] = []
    for path, content in files.items():
        try:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            with (folder / path).open("xb") as file:
                written.append(folder / path)
                file.write(content)
        except OSError as error:
            for ours in written:
                ours.unlink()
            raise Problems([Problem(path, 0, "", f"cannot be written: {error.strerror}")]) from None


def _in_the_way(folder: Path, paths: Iterable[str]) -> Iterator[Problem]:
    """Yield a problem for each path that exists already, and for each file where a folder has to be."""
    advice = "so nothing was written; move it away, or choose another name"
    for path in paths:
        if os.path.lexists(folder / path):
            yield Problem(path, 0, "", f"exists already, {advice}")
    for above in sorted({above for path in paths for above in PurePosixPath(path).parents}):
        if os.path.lexists(folder / above) and not (folder / above).is_dir():
            yield Problem(str(above if above.name else folder), 0, "", f"is not a folder, {advice}")


def _no_place(folder: Path) -> Iterator[Problem]:
    """Yield a problem if there is a site already, in the folder or above it: a page was probably meant."""
    site = next((at for at in (folder.resolve(), *folder.resolve().parents) if (at / loader.FILE).exists()), None)
    if site == folder.resolve():
        yield Problem(str(folder), 0, "", "has a site already; to add a page, write `scenebook new page NAME` in it")
    elif site:
        message = f"is inside the site in {site}; for a page, write `scenebook new page {folder.name}`"
        yield Problem(str(folder), 0, "", f"{message}, and for a site choose a folder outside")


def _released() -> tuple[str, str] | None:
    """Return the address and the hash of the released wheel that the engine was installed from, or None."""
    try:
        origin: Any = json.loads(distribution("scenebook").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return None
    address, sha256 = origin.get("url", ""), origin.get("archive_info", {}).get("hashes", {}).get("sha256")
    return (address, sha256) if address.startswith("https://") and address.endswith(".whl") and sha256 else None
