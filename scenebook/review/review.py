"""A review: two versions of the site, built where they are not, compared, and told in `review/`.

    a revision, or the working tree --revision, rebuild--> the folder of a built site
    two such folders ---------------built, compare-------> differences
    differences --------------------report, review_page--> review/index.html, report.md, report.json

`review/before/` and `review/after/` hold both sites, so that every picture and page can be opened on either side.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from scenebook.cache import versions
from scenebook.core.digests import file
from scenebook.page import output, templates
from scenebook.review import _built_site as built_site
from scenebook.review import _git as git
from scenebook.review import _report as report
from scenebook.review import _report_page as report_page
from scenebook.review import _revision_build as revision_build
from scenebook.review import _wording as wording
from scenebook.review._compare import compare
from scenebook.review._differences import Differences, Package, Review, Side

FOLDER = "review"
WORKING_TREE = "working tree"
STYLES = ("static/site.css", "review.css")


@dataclass(frozen=True)
class _Source:
    """A version: its name, the folder in which its site is or will be, and its lock.

    If it has to be built, `tree` is what it is built from; `keep` is where its site shall be kept for the next time.
    """

    name: str
    folder: Path
    lock: str | None = None
    tree: Path | None = None
    keep: Path | None = None


def review(root: Path, base: str, head: str | None) -> Review:
    """Compare two versions, each the folder of a built site or a revision, and write the report into root/review.

    Without `head` it is the working tree as it is. Raises `Problems` where there is no such version.
    """
    with ExitStack() as stack:
        sources = [_source(root, version, stack) for version in (base, head)]
        with ThreadPoolExecutor() as threads:
            sides = tuple(threads.map(lambda source: _built(root, source), sources))
        found = _compared(sources, sides)
        files = dict(_files(root, found, sources))
        output.write(root / FOLDER, {path: file(data) for path, data in files.items()}, FOLDER)
    return found


def headline(found: Review) -> str:
    """The review in one line, such as "2 scenes changed, 5 values, 1 claim now fails; 14 scenes unchanged"."""
    return wording.headline(found)


def passes(found: Review, gate: str | None) -> bool:
    """Whether a gate lets a change through: `changed` stops any change, `claims` a failing claim or build."""
    broken = found.after.failed or any(change.kind == "fails" for change in found.differences.claims)
    return not (broken if gate == "claims" else bool(gate) and (broken or bool(found.differences)))


def _source(root: Path, version: str | None, stack: ExitStack) -> _Source:
    if version and (Path(version) / built_site.FACTS).is_file():
        return _Source(version, Path(version).resolve())
    if version:
        return _revision(root, version, stack)
    lock = root / revision_build.LOCK
    text = lock.read_text(encoding="utf-8") if lock.exists() else ""
    return _Source(WORKING_TREE, _temporary(stack), text, tree=root)


def _revision(root: Path, version: str, stack: ExitStack) -> _Source:
    """A revision: as it was built before, or in a worktree in which it can be built."""
    commit, name = git.commit(root, version), git.name(root, version)
    lock, kept = git.content(root, commit, revision_build.LOCK), revision_build.kept(root, git.tree(root, commit))
    if kept.exists():
        kept.touch()
        return _Source(name, kept, lock)
    tree = stack.enter_context(git.worktree(root, commit))
    return _Source(name, _temporary(stack), lock, tree, keep=kept)


def _temporary(stack: ExitStack) -> Path:
    return Path(stack.enter_context(TemporaryDirectory(prefix="scenebook-site-")))


def _built(root: Path, source: _Source) -> Side:
    """Have a version built, if it is not; a build that fails is a side of the review like any other."""
    if source.tree is None:
        return Side(source.name)
    outcome = revision_build.build(root, source.tree, source.folder)
    if source.keep and not outcome.problems:
        revision_build.keep(source.folder, source.keep)
    return Side(source.name, outcome.problems, outcome.failed)


def _compared(sources: Sequence[_Source], sides: Sequence[Side]) -> Review:
    before, after = sides
    if not all((source.folder / built_site.FACTS).is_file() for source in sources):
        return Review(before, after, Differences(), comparable=False, link=_link(os.environ))
    old, new = (built_site.read(source.folder) for source in sources)
    return Review(before, after, compare(old, new), tuple(_packages(sources)), link=_link(os.environ))


def _packages(sources: Sequence[_Source]) -> Iterator[Package]:
    """Packages whose pinned version changed, where both locks are known."""
    old, new = (revision_build.pins(source.lock or "") for source in sources)
    if all(source.lock is not None for source in sources):
        for name in sorted({*old, *new}):
            if old.get(name) != new.get(name):
                yield Package(name, old.get(name), new.get(name))


def _link(environment: Mapping[str, str]) -> str:
    """Where a run of GitHub Actions keeps the full report."""
    parts = [environment.get(f"GITHUB_{part}", "") for part in ("SERVER_URL", "REPOSITORY", "RUN_ID")]
    return "{}/{}/actions/runs/{}".format(*parts) if all(parts) else ""


def _files(root: Path, found: Review, sources: Sequence[_Source]) -> Iterator[tuple[str, bytes]]:
    """The report's files, with both sites."""
    yield "index.html", report_page.page(found, root / "templates")
    yield "report.md", report.markdown(found).encode()
    yield "report.json", report.data(found).encode()
    for style in STYLES:
        yield Path(style).name, templates.asset(versions.OWN_TEMPLATES / style)
    for scene in found.differences.scenes:
        if scene.picture and scene.picture.difference:
            yield f"differences/{scene.name}.png", scene.picture.difference.image
    for side, source in zip(("before", "after"), sources, strict=True):
        for path in sorted(source.folder.rglob("*")):
            if path.is_file():
                yield f"{side}/{path.relative_to(source.folder).as_posix()}", path.read_bytes()
