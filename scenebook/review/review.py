"""Review a change: build two versions of the site, compare them, and write a report to `review/`.

    revision or working tree ---_git, _revision_build-----> folder of a built site
    two such folders -----------_built_site, _compare-----> differences
    differences ----------------_html_report and others---> review/index.html, review.html, report.md, report.json

`review/before/` and `review/after/` contain both sites, so every picture and page can be opened in both versions.
`review.html` is the report as one file, to be sent or published by itself. `pictures/` has those that changed most, in
the order that `comment_pictures` expects.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from scenebook.cache.versions import OWN_TEMPLATES
from scenebook.core.digests import file
from scenebook.page import output, templates
from scenebook.review import _built_site as built_site
from scenebook.review import _git as git
from scenebook.review import _html_report as html_report
from scenebook.review import _json_report as json_report
from scenebook.review import _lock_file as lock_file
from scenebook.review import _markdown_report as markdown_report
from scenebook.review import _page_pictures as page_pictures
from scenebook.review import _report_pictures as report_pictures
from scenebook.review import _revision_build as revision_build
from scenebook.review import _wording as wording
from scenebook.review._compare import compare
from scenebook.review._differences import Differences, Package, Review, Side

FOLDER = "review"
WORKING_TREE = "working tree"
WORSE = ("fails", "removed", "weakened")
"""What may have happened to a claim that is no longer what it was."""
STYLES = ("static/site.css", "review.css")
MAX_FIGURES = 6
"""How many figures a comment can show."""


@dataclass(frozen=True)
class _Version:
    """A version of the site: its name, the folder for its built site, and the text of its lock file.

    If it still has to be built, `tree` is the folder of its sources, and `keep` is where to keep the built site.
    """

    name: str
    folder: Path
    lock: str | None = None
    tree: Path | None = None
    keep: Path | None = None


def review(root: Path, base: str, head: str | None) -> Review:
    """Compare two versions and write the report to root/review.

    A version is the folder of a built site or a git revision. If `head` is None, it is the working tree. Raises
    `Problems` if a version does not exist.
    """
    with ExitStack() as stack:
        versions = [_version(root, name, stack) for name in (base, head)]
        with ThreadPoolExecutor() as threads:
            sides = tuple(threads.map(lambda version: _build(root, version), versions))
        result = _compare(versions, sides)
        files = dict(_files(root, result, versions))
        files["review.html"] = html_report.render_alone(result, root / "templates", files)
        files |= _pictures_by_change(result, files)
        output.write(root / FOLDER, {path: file(data) for path, data in files.items()}, FOLDER)
    return result


def headline(result: Review) -> str:
    """Return the review in one line, such as "2 scenes changed, 5 values, 1 claim now fails; 14 scenes unchanged"."""
    return wording.headline(result)


def fails_gate(result: Review, gate: str | None) -> bool:
    """Return whether a gate rejects the change.

    The gate "claims" rejects a build that fails, and a claim that now fails, is gone or lets more pass; "changed" also
    rejects any other change. None rejects nothing.
    """
    broken = result.after.failed or any(change.kind in WORSE for change in result.differences.claims)
    return broken if gate == "claims" else bool(gate) and (broken or bool(result.differences))


def exit_code(result: Review, gate: str | None) -> int:
    """Return 1 if there is nothing to compare, because a side could not be built, or if a gate rejects the change."""
    return int(not result.comparable or fails_gate(result, gate))


def _version(root: Path, name: str | None, stack: ExitStack) -> _Version:
    if name and (Path(name) / built_site.FACTS).is_file():
        return _Version(name, Path(name).resolve())
    if name:
        return _revision(root, name, stack)
    lock = root / revision_build.LOCK_FILE
    text = lock.read_text(encoding="utf-8") if lock.exists() else ""
    return _Version(WORKING_TREE, _temporary(stack), text, tree=root)


def _revision(root: Path, revision: str, stack: ExitStack) -> _Version:
    """Return a revision with its kept site, or with a worktree to build it from."""
    commit, name = git.commit(root, revision), git.name(root, revision)
    lock = git.content(root, commit, revision_build.LOCK_FILE)
    kept = revision_build.kept_site(root, git.tree(root, commit))
    if kept.exists():
        kept.touch()
        return _Version(name, kept, lock)
    tree = stack.enter_context(git.worktree(root, commit))
    return _Version(name, _temporary(stack), lock, tree, keep=kept)


def _temporary(stack: ExitStack) -> Path:
    return Path(stack.enter_context(TemporaryDirectory(prefix="scenebook-site-")))


def _build(root: Path, version: _Version) -> Side:
    """Build a version unless it is built already. A build that fails is still one side of the review."""
    if version.tree is None:
        return Side(version.name)
    outcome = revision_build.build(root, version.tree, version.folder)
    if version.keep and not outcome.problems:
        revision_build.keep(version.folder, version.keep)
    return Side(version.name, outcome.problems, outcome.failed)


def _compare(versions: Sequence[_Version], sides: Sequence[Side]) -> Review:
    before, after = sides
    if not all((version.folder / built_site.FACTS).is_file() for version in versions):
        return Review(before, after, Differences(), comparable=False, link=_run_address(os.environ))
    old, new = (built_site.read(version.folder) for version in versions)
    before, after = (
        replace(side, problems=(*side.problems, *built_site.unrecorded(site)))
        for side, site in ((before, old), (after, new))
    )
    old, new = built_site.comparable(old, new), built_site.comparable(new, old)
    differences = compare(old, new)
    return Review(
        before,
        after,
        differences,
        tuple(_packages(versions)),
        link=_run_address(os.environ),
        pictures=page_pictures.take(old.folder, new.folder, differences),
    )


def _packages(versions: Sequence[_Version]) -> Iterator[Package]:
    """Yield the packages whose pinned version changed, if both lock files are known."""
    old, new = (lock_file.pins(version.lock or "") for version in versions)
    if all(version.lock is not None for version in versions):
        for name in sorted({*old, *new}):
            if old.get(name) != new.get(name):
                yield Package(name, old.get(name), new.get(name))


def _run_address(environment: Mapping[str, str]) -> str:
    """Return the address of the GitHub Actions run, which has the full report; empty outside of Actions."""
    parts = [environment.get(f"GITHUB_{part}", "") for part in ("SERVER_URL", "REPOSITORY", "RUN_ID")]
    return "{}/{}/actions/runs/{}".format(*parts) if all(parts) else ""


def _files(root: Path, result: Review, versions: Sequence[_Version]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the report and of both sites, as path and content."""
    yield "index.html", html_report.render(result, root / "templates")
    yield "report.md", markdown_report.render(result).encode()
    yield "report.json", json_report.render(result).encode()
    for style in STYLES:
        yield Path(style).name, templates.asset(OWN_TEMPLATES / style)
    for scene in result.differences.scenes:
        if scene.picture and scene.picture.difference:
            yield f"differences/{scene.name}.png", scene.picture.difference.image
    yield from _setting_pictures(result)
    yield from page_pictures.files(result.pictures).items()
    for side, version in zip(("before", "after"), versions, strict=True):
        for path in sorted(version.folder.rglob("*")):
            if path.is_file():
                yield f"{side}/{path.relative_to(version.folder).as_posix()}", path.read_bytes()


def _pictures_by_change(result: Review, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the pictures of the figures that changed most, in folders by rank, page and scene."""
    scenes = report_pictures.figures_by_change(result.differences)[:MAX_FIGURES]
    return {
        f"pictures/{rank}/{scene.name}/{picture.side}.png": files[picture.path]
        for rank, scene in enumerate(scenes, start=1)
        for picture in report_pictures.figure(scene)
        if picture.path in files
    }


def _setting_pictures(result: Review) -> Iterator[tuple[str, bytes]]:
    """Yield the drawings of panels that changed at some setting, before and after, as path and content."""
    for scene in result.differences.scenes:
        for picture in scene.settings.pictures if scene.settings else ():
            stem = f"settings/{scene.name}-{picture.panel}"
            yield f"{stem}-before.svg", picture.before.encode()
            yield f"{stem}-after.svg", picture.after.encode()
