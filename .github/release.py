"""Build a release into dist/ and check it: the source archive, the wheel that is made from it, and the release's notes.

The version is in scenebook/__init__.py. CHANGELOG.md has to begin with it, and a tag has to name it. The
wheel is installed into a new environment, with the packages of requirements.txt, and builds a site
there.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "tests/sites/tour"
HEADING = re.compile(r"^## \[(.+?)\](?: - \d{4}-\d{2}-\d{2})?$", re.MULTILINE)


def main(root: Path, dist: Path, tag: str | None) -> int:
    """Build and check a release; return the exit code. `tag` is the git tag that it is for, if it has one."""
    sys.path.insert(0, str(root))
    from scenebook import __version__
    from scenebook.storyboard._old_keys import OLD_KEYS

    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    if faults := list(not_ready(__version__, changelog, tag, {key.path: key.since for key in OLD_KEYS})):
        print(*faults, sep="\n", file=sys.stderr)
        return 1
    build = [sys.executable, "-P", "-m", "build", "--no-isolation", "--outdir", str(dist), str(root)]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    files = [dist / f"scenebook-{__version__}{end}" for end in ("-py3-none-any.whl", ".tar.gz")]
    try_wheel(files[0], root / "requirements.txt")
    (dist / "notes.md").write_text(notes(changelog), encoding="utf-8")
    for file in files:
        print(f"{sha256(file.read_bytes()).hexdigest()}  {file}")
    return 0


def not_ready(version: str, changelog: str, tag: str | None, old_keys: dict[str, str]) -> Iterator[str]:
    """Yield what is missing for a release. `old_keys` are those that give a warning, each with its first release."""
    released = HEADING.search(changelog)
    if not released or released[1] != version:
        found = f"begins with [{released[1]}]" if released else "lists no release"
        yield f"CHANGELOG.md: {found}; begin it with '## [{version}] - YEAR-MONTH-DAY', or change the version"
    if tag is not None and tag != f"v{version}":
        yield f"scenebook/__init__.py: the version is {version}, but the tag is {tag}; the tag has to be v{version}"
    for key, since in old_keys.items():
        if since != version:
            yield f"scenebook/storyboard/_old_keys.py: {key} has had its warning since {since}; remove it"


def notes(changelog: str) -> str:
    """Return what CHANGELOG.md says about the release that it begins with."""
    start, *others = HEADING.finditer(changelog)
    return changelog[start.end() : others[0].start() if others else None].strip() + "\n"


def try_wheel(wheel: Path, lock: Path) -> None:
    """Install a wheel into a new environment, and build a site with it, far from this folder."""
    with TemporaryDirectory() as folder:
        place = Path(folder)
        programs = place / "env" / ("Scripts" if os.name == "nt" else "bin")
        pip: list[str | Path] = [programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        copytree(SITE, place / "site")
        commands: list[list[str | Path]] = [
            [sys.executable, "-m", "venv", place / "env"],
            [*pip, "--require-hashes", "-r", lock],
            [*pip, "--no-deps", wheel.resolve()],
            [programs / "scenebook", "build", "--strict"],
        ]
        for command in commands:
            subprocess.run(command, check=True, cwd=place / "site")
        assert (place / "site/output/index.html").is_file()


if __name__ == "__main__":
    TAG = os.environ["GITHUB_REF_NAME"] if os.environ.get("GITHUB_REF_TYPE") == "tag" else None
    try:
        sys.exit(main(ROOT, ROOT / "dist", TAG))
    except subprocess.CalledProcessError as error:
        sys.exit(f"failed: {' '.join(map(str, error.cmd))}")
