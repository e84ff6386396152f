"""Review pull requests on a small site in a git repository, and check everything that each review reports."""

from __future__ import annotations

import re
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser

from scenebook import cli
from scenebook.core.problems import Problems
from scenebook.review import _git, comment_pictures, review
from scenebook.review import _revision_build as revision_build
from scenebook.review import _word_diff as word_diff
from scenebook.review._differences import SceneChange
from tests.conftest import ServeSite
from tests.support.review_site import ONE, commit, edit, git, repository, write

CURVE, GRID, TABLE = "scenes/one/curve.py", "scenes/one/grid.py", "scenes/two/table.py"
PAGE_ONE, PAGE_TWO = "scenes/one/page.yaml", "scenes/two/page.yaml"
GRID_SCENE = ONE[ONE.index("  - id: grid") : ONE.index("takeaways:")]
OPENING_SCENE = ONE[ONE.index("  - id: opening") : ONE.index("  - id: curve")]
NEW_SCENE = """\
  - id: extra
    title: One more
    compute: two/extra.py
    text: It is {{ extra.answer }}.
"""


@dataclass(frozen=True)
class ReviewedScene:
    """What a review reports about a scene."""

    kind: str = "changed"
    values: tuple[str, ...] = ()
    picture: str = ""
    claims: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    was: str = ""
    inputs: tuple[str, ...] = ()


@dataclass(frozen=True)
class PullRequest:
    """A change, and everything that its review reports."""

    name: str
    change: Callable[[Path], None]
    scenes: dict[str, ReviewedScene]
    helpers: tuple[str, ...] = ()
    margins: tuple[str, ...] = ()


def editing(path: str, *changes: tuple[str, str]) -> Callable[[Path], None]:
    return lambda root: edit(root, path, *changes)


def adding(root: Path) -> None:
    edit(root, PAGE_TWO, ("scenes:\n", f"scenes:\n{NEW_SCENE}"))
    write(root, {"scenes/two/extra.py": "def compute(answer: int = 42) -> dict:\n    return {}\n"})


def moving(root: Path) -> None:
    edit(root, PAGE_ONE, (GRID_SCENE, ""))
    edit(root, PAGE_TWO, ("scenes:\n", f"scenes:\n{GRID_SCENE}"))


def renaming(root: Path) -> None:
    edit(root, CURVE, ('"last"', '"end"'))
    edit(root, PAGE_ONE, ("curve.last", "curve.end"))


CURVE_SENTENCES = ("one takeaways", "one/curve figure.alt", "one/curve figure.caption", "one/curve text")
CONSTANT = PullRequest(
    "a constant",
    editing(CURVE, ("1 + places**2", "1 + 2 * places**2")),
    {
        "one/curve": ReviewedScene(
            values=("heights", "last"), picture="changed", sentences=CURVE_SENTENCES, code=(CURVE,)
        )
    },
    margins=("one/curve",),
)
TYPO = PullRequest(
    "a typo",
    editing(PAGE_ONE, ("All of it is words.", "All of it are words.")),
    {"one/opening": ReviewedScene(texts=("All of it [-is-] {+are+} words.",))},
)
COLORMAP = PullRequest(
    "a colormap",
    editing(PAGE_ONE, ("colormap: white_green\n      vmin: 0", "colormap: blue_white_green\n      vmin: -4")),
    {"one/grid": ReviewedScene(picture="changed")},
)
SEED = PullRequest(
    "a seed",
    editing(GRID, ("seed: int = 3", "seed: int = 4")),
    {
        "one/grid": ReviewedScene(
            values=("cells", "largest", "seed"), picture="changed", sentences=("one/grid text",), code=(GRID,)
        )
    },
)
ADDED = PullRequest(
    "a scene added",
    adding,
    {"two/extra": ReviewedScene("added", values=("answer",), texts=("{+One more+}", "{+It is 42.+}"))},
)
REMOVED = PullRequest(
    "a scene removed",
    editing(PAGE_ONE, (OPENING_SCENE, "")),
    {
        "one/opening": ReviewedScene(
            "removed", texts=("[-Opening-]", "[-Nothing is computed here.-]", "[-All of it is words.-]")
        )
    },
)
MOVED = PullRequest("a scene moved", moving, {"two/grid": ReviewedScene("moved", was="one/grid")})
NOISE = PullRequest(
    "noise of 1e-12",
    editing(CURVE, ("1 + places**2", "1 + places**2 * (1 + 1e-12)")),
    {"one/curve": ReviewedScene(code=(CURVE,))},
)
WIDER = PullRequest(
    "a figure wider by a pixel",
    editing(PAGE_ONE, ("      colormap: white_green", "      width: 331\n      colormap: white_green")),
    {"one/grid": ReviewedScene(picture="changed")},
)
HELPER = PullRequest(
    "a helper of three scenes",
    editing("scenes/functions.py", ("1.5 * values", "1.6 * values")),
    {
        "one/curve": ReviewedScene(
            values=("first", "heights", "last"),
            picture="changed",
            claims=("fails",),
            sentences=CURVE_SENTENCES,
        ),
        "one/grid": ReviewedScene(values=("cells", "largest"), picture="changed", sentences=("one/grid text",)),
        "two/table": ReviewedScene(values=("mean", "numbers", "sum"), sentences=("two/table text",)),
    },
    helpers=("scenes/functions.py",),
    margins=("one/curve", "two/table"),
)
WEAKENED = PullRequest(
    "a claim weakened",
    editing(PAGE_TWO, ("table.sum > 5", "table.sum > 4")),
    {"two/table": ReviewedScene(claims=("weakened",))},
)
RENAMED = PullRequest("a value renamed", renaming, {"one/curve": ReviewedScene(values=("end",), code=(CURVE,))})
CELL = PullRequest(
    "a cell of a data file",
    editing("scenes/two/numbers.csv", ("2.5", "2.6")),
    {
        "two/table": ReviewedScene(
            values=("mean", "numbers", "sum"), sentences=("two/table text",), inputs=("scenes/two/numbers.csv",)
        )
    },
    margins=("two/table",),
)


@dataclass(frozen=True)
class Prepared:
    """The repository of the small site, and the folder with its main branch built."""

    root: Path
    base: Path


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    root, base = repository(tmp_path_factory.mktemp("small")), tmp_path_factory.mktemp("base")
    outcome = revision_build.build(root, root, base)
    assert outcome == revision_build.RevisionBuild()
    return Prepared(root, base)


def branch(root: Path, name: str, *changes: Callable[[Path], None]) -> str:
    """Commit changes on a new branch, and go back to main."""
    git(root, "checkout", "--quiet", "-b", name, "main")
    for change in changes:
        change(root)
    commit(root, name)
    git(root, "checkout", "--quiet", "main")
    return name


def summary(change: SceneChange) -> ReviewedScene:
    return ReviewedScene(
        kind=change.kind,
        values=tuple(sorted(value.name.rpartition(".")[2] for value in change.values)),
        picture=change.picture.kind if change.picture else "",
        claims=tuple(sorted(claim.kind for claim in change.claims)),
        sentences=tuple(sorted({f"{entry.place} {entry.field}" for entry in change.sentences})),
        texts=tuple(marked(entry.sentence) for entry in change.texts),
        code=tuple(code.file for code in change.code),
        was=change.was,
        inputs=change.inputs,
    )


def marked(sentence: word_diff.Sentence) -> str:
    marks = {"gone": "[-{}-]", "new": "{{+{}+}}", "same": "{}"}
    return " ".join(marks[kind].format(word_diff.joined(tokens)) for kind, tokens in word_diff.runs(sentence))


HELPER_BRANCH = "a-helper-of-three-scenes"
HELPER_CHANGES = "3 scenes changed, 8 values, 2 figures, 1 claim now fails"


@pytest.mark.parametrize(
    ("headline", "pull_requests"),
    [
        ("3 scenes changed, 5 values, 1 figure; 1 scene unchanged", (CONSTANT, TYPO, CELL)),
        ("3 scenes changed, 1 value, 1 figure, 1 claim weakened; 1 scene unchanged", (COLORMAP, WEAKENED, RENAMED)),
        ("2 scenes changed, 1 added, 1 removed, 3 values, 1 figure; 1 scene unchanged", (SEED, NOISE, ADDED, REMOVED)),
        ("1 scene changed, 1 figure; 3 scenes unchanged", (WIDER,)),
        ("1 scene moved; 3 scenes unchanged", (MOVED,)),
        (f"the build of {HELPER_BRANCH} (X) fails, {HELPER_CHANGES}, 1 shared file; 1 scene unchanged", (HELPER,)),
    ],
    ids=lambda group: ", ".join(one.name for one in group) if isinstance(group, tuple) else "",
)
def test_a_review_reports_exactly_what_changed(
    headline: str, pull_requests: tuple[PullRequest, ...], small: Prepared
) -> None:
    """Pull requests that touch different scenes share a branch, to save builds."""
    name = re.sub(r"\W+", "-", pull_requests[0].name)
    head = branch(small.root, name, *(one.change for one in pull_requests))
    found = review.review(small.root, str(small.base), head).differences
    scenes = {name: scene for one in pull_requests for name, scene in one.scenes.items()}
    assert {change.name: summary(change) for change in found.scenes} == scenes
    assert [code.file for code in found.code] == [file for one in pull_requests for file in one.helpers]
    assert [page.slug for page in found.pages if page.own] == []
    assert [change.place for change in found.margins] == [place for one in pull_requests for place in one.margins]
    assert (found.words, found.markup, found.files) == ((), (), ())
    first = (small.root / "review/report.md").read_text(encoding="utf-8").splitlines()[0]
    assert re.sub(r"\(\w+\)", "(X)", first) == headline


def test_a_failing_scene_does_not_hide_changes_of_others(small: Prepared) -> None:
    def break_curve(root: Path) -> None:
        edit(root, CURVE, ("    places =", "    raise ValueError('no curve')\n    places ="))
        edit(root, "scenes/two/numbers.csv", ("2.5", "2.6"))

    found = review.review(small.root, str(small.base), branch(small.root, "failing", break_curve))
    assert found.after.failed
    assert found.after.problems == (f"{CURVE}:7: one/curve: ValueError: no curve",)
    curve, table = found.differences.scenes
    assert (curve.name, curve.failed, curve.values, curve.claims, curve.texts) == ("one/curve", ("after",), (), (), ())
    assert (table.name, len(table.values)) == ("two/table", 3)
    assert found.differences.unchanged == ("one/opening", "one/grid")
    report = (small.root / "review/report.md").read_text(encoding="utf-8")
    assert report.startswith("the build of failing (")
    assert "**It fails after the change**" in report
    assert [review.exit_code(found, gate) for gate in (None, "claims")] == [0, 1]


def test_a_side_that_cannot_be_loaded_is_reported(small: Prepared) -> None:
    head = branch(small.root, "broken", lambda root: edit(root, "storyboard.yaml", ("site:", "site: [")))
    found = review.review(small.root, str(small.base), head)
    assert (found.comparable, bool(found.differences), found.after.failed) == (False, False, True)
    assert any("storyboard.yaml" in problem for problem in found.after.problems)
    assert [review.exit_code(found, gate) for gate in (None, "claims", "changed")] == [1, 1, 1]
    assert "Nothing can be compared" in (small.root / "review/index.html").read_text(encoding="utf-8")


def state(root: Path) -> dict[str, Any]:
    """Return everything that a review must not touch: files, index, branches, worktrees."""
    kept = (".scenebook", "review")
    files = (path for path in root.rglob("*") if path.relative_to(root).parts[0] not in (".git", *kept))
    return {
        "files": {str(path): path.read_bytes() for path in files if path.is_file()},
        "index": (root / ".git/index").read_bytes(),
        "references": git(root, "for-each-ref"),
        "head": (root / ".git/HEAD").read_text(encoding="utf-8"),
        "worktrees": git(root, "worktree", "list", "--porcelain"),
    }


def test_a_review_leaves_the_tree_the_index_and_the_branches_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The working tree has a staged change, a change that is not staged, and a new file."""
    root = repository(tmp_path / "small")
    edit(root, "scenes/two/numbers.csv", ("2.5", "2.6"))
    git(root, "add", "--all")
    edit(root, PAGE_ONE, ("All of it is words.", "All of it are words."))
    write(
        root,
        {"scenes/two/new.py": "", "output/mine.txt": "mine", ".git/hooks/post-checkout": "#!/bin/sh\ntouch $PWD/ran\n"},
    )
    (root / ".git/hooks/post-checkout").chmod(0o755)
    before = state(root)
    monkeypatch.setenv("GIT_INDEX_FILE", str(root / ".git/index"))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    assert cli.main(["review", "HEAD", "--root", str(root), "--fail-on", "changed"]) == 1
    assert state(root) == before
    assert list((tmp_path / "temporary").iterdir()) == []
    assert capsys.readouterr().out.startswith("2 scenes changed, 3 values; 2 scenes unchanged\n")
    report = (root / "review/report.md").read_text(encoding="utf-8")
    assert re.search(r"^`HEAD \(\w+\)` → `working tree`$", report, re.MULTILINE)
    assert (tmp_path / "summary.md").read_text(encoding="utf-8") == report


def refusal(root: Path, version: str) -> str:
    with pytest.raises(Problems) as caught:
        review.review(root, version, None)
    return str(caught.value)


def test_a_name_that_is_not_a_version_is_refused(small: Prepared, tmp_path: Path) -> None:
    for version in ("nothing", "HEAD~999", str(tmp_path), "--help", " "):
        assert refusal(small.root, version) == (
            f"{version}: is not the folder of a built site (it has no facts.json), and git does not know this "
            "revision; if it is new on the server, run `git fetch` first"
        )


def test_a_revision_without_a_repository_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, "main") == (
        "main: is not the folder of a built site (it has no facts.json), and the site's folder is not in a git "
        "repository"
    )


def test_in_a_shallow_clone_the_message_says_how_to_get_older_commits(tmp_path: Path) -> None:
    whole, shallow = repository(tmp_path / "whole"), tmp_path / "shallow"
    edit(whole, PAGE_ONE, ("words", "letters"))
    commit(whole, "Letters")
    git(tmp_path, "clone", "--quiet", "--depth", "1", whole.as_uri(), str(shallow))
    for version in ("HEAD~1", git(whole, "rev-parse", "HEAD~1")):
        assert refusal(shallow, version) == (
            f"{version}: is not in this clone, which is shallow and lacks older commits. Run `git fetch --unshallow`; "
            "in GitHub Actions, set `fetch-depth: 0` for actions/checkout"
        )
    git(shallow, "fetch", "--quiet", "--unshallow")
    assert _git.commit(shallow, "HEAD~1") == git(whole, "rev-parse", "HEAD~1")


OWN_ENGINE = """\
import json, os, sys
from pathlib import Path

try:
    import lengths
except ImportError:
    sys.exit("storyboard.yaml:1: no library")
into = Path(sys.argv[sys.argv.index("--into") + 1])
values = {"length": lengths.LENGTH, "cache": os.environ["SCENEBOOK_CACHE"]}
pages = {"one": {"title": "One", "scenes": {"a": {"values": values}}}}
facts = {"format": 1, "code": {}, "pages": pages, "texts": {}}
into.joinpath("facts.json").write_text(json.dumps(facts))
"""


def wheel(folder: Path, version: int) -> None:
    """Write a wheel of a library with a single constant."""
    folder.mkdir(parents=True, exist_ok=True)
    info = f"lengths-{version}.dist-info"
    with zipfile.ZipFile(folder / f"lengths-{version}-py3-none-any.whl", "w") as file:
        file.writestr("lengths.py", f"LENGTH = {version}\n")
        file.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: lengths\nVersion: {version}\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{info}/RECORD", "")


def test_each_version_is_built_with_its_own_engine_and_packages(tmp_path: Path) -> None:
    """Only the library's version changed. Each side has its own library, and both share the cache."""
    root = tmp_path / "small"
    for version in (1, 2):
        wheel(tmp_path / "wheels", version)
    lock = f"--no-index\n--find-links {tmp_path / 'wheels'}\nlengths==1\n"
    write(root, {"build.py": OWN_ENGINE, "requirements.txt": lock, ".gitignore": "/.scenebook/\n/review/\n"})
    git(root, "init", "--quiet", "--initial-branch=main")
    commit(root, "One")
    edit(root, "requirements.txt", ("lengths==1", "lengths==2"))
    found = review.review(root, "main", None)
    assert (found.before.problems, found.after.problems) == ((), ())
    [value] = found.differences.scenes[0].values
    assert (value.name, value.before, value.after) == ("one/a.length", 1, 2)
    assert [(package.name, package.before, package.after) for package in found.packages] == [("lengths", "1", "2")]
    environments = list((root / ".scenebook/env").iterdir())
    stamps = [path.stat().st_mtime_ns for path in environments]
    assert len(environments) == 2
    review.review(root, "main", None)
    assert [path.stat().st_mtime_ns for path in environments] == stamps


def test_a_lock_file_that_cannot_be_installed_is_reported(small: Prepared, tmp_path: Path) -> None:
    root = tmp_path / "small"
    lock = "--no-index\nlengths==3\n"
    write(root, {"build.py": OWN_ENGINE, "requirements.txt": lock, ".gitignore": "/.scenebook/\n/review/\n"})
    git(root, "init", "--quiet", "--initial-branch=main")
    commit(root, "One")
    found = review.review(root, str(small.base), "main")
    [problem] = found.after.problems
    assert problem.startswith("requirements.txt: cannot be installed: ")
    assert not found.comparable


def test_the_review_page_is_accessible_and_complete(small: Prepared, browser: Browser, site_server: ServeSite) -> None:
    """It breaks no accessibility rule, fits on a phone, and all its pictures and links work."""
    if not (small.root / "review/differences").exists():
        review.review(
            small.root, str(small.base), branch(small.root, "seen", CONSTANT.change, TYPO.change, SEED.change)
        )
    address = site_server(small.root / "review", "/review/")
    looks: tuple[tuple[Literal["light", "dark"], int], ...] = (("light", 360), ("dark", 1280))
    for scheme, width in looks:
        page = browser.new_page(viewport={"width": width, "height": 740}, color_scheme=scheme)
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("img").count() > 0
        page.evaluate("for (const picture of document.images) picture.loading = 'eager'")
        page.wait_for_function("() => [...document.images].every(picture => picture.naturalWidth)")
        page.evaluate(AXE_SCRIPT)
        assert page.evaluate("async () => (await axe.run()).violations.map(found => found.id)") == []
        links = set(page.eval_on_selector_all("a", "links => links.map(link => link.href)"))
        assert links
        for link in links:
            assert page.request.get(link).ok, link
        page.close()


def test_the_report_in_one_file_opens_anywhere(small: Prepared, browser: Browser, tmp_path: Path) -> None:
    report, head = small.root / "review", branch(small.root, "alone", CONSTANT.change)
    review.review(small.root, str(small.base), head)
    (tmp_path / "anywhere.html").write_bytes((report / "review.html").read_bytes())
    page = browser.new_page(viewport={"width": 360, "height": 740})
    requests = list[str]()
    page.on("request", lambda request: requests.append(request.url.partition(":")[0]))
    page.goto((tmp_path / "anywhere.html").as_uri())
    page.evaluate("for (const picture of document.images) picture.loading = 'eager'")
    page.wait_for_function("() => [...document.images].every(picture => picture.naturalWidth)")
    assert page.locator("img").count() >= 3
    assert requests.count("file") == 1
    assert set(requests) <= {"file", "data"}
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.evaluate(AXE_SCRIPT)
    assert page.evaluate("async () => (await axe.run()).violations.map(found => found.id)") == []
    page.close()
    pictures = sorted((report / "pictures").rglob("*.png"))
    assert [path.relative_to(report).as_posix() for path in pictures] == [
        f"pictures/1/one/curve/{side}.png" for side in ("after", "before", "difference")
    ]
    assert len(dict(comment_pictures.safe_pictures(report / "pictures"))) == len(pictures)
