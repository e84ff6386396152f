"""Whatever differs in a published file, a review says so, and says it once."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from scenebook.review import _built_site as built_site
from scenebook.review import _revision_build as revision_build
from scenebook.review import _wording as wording
from scenebook.review._compare import compare
from scenebook.review._differences import Differences, Review, Side
from scenebook.review._word_diff import joined, runs
from tests.support.review_site import FILES, edit, write

PAGES = ("404.html", "index.html", "one/index.html", "two/index.html")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small site, built."""
    root, folder = tmp_path_factory.mktemp("sources"), tmp_path_factory.mktemp("built")
    write(root, FILES)
    assert revision_build.build(root, root, folder) == revision_build.RevisionBuild()
    return folder


@pytest.fixture
def other(built: Path, tmp_path: Path) -> Path:
    """A copy of the built site, to be changed."""
    return shutil.copytree(built, tmp_path / "other")


def differences(before: Path, after: Path) -> Differences:
    return compare(built_site.read(before), built_site.read(after))


def words(found: Differences) -> dict[str, tuple[str, ...]]:
    marks = {"gone": "[-{}-]", "new": "{{+{}+}}", "same": "{}"}
    return {
        " ".join(marks[kind].format(joined(tokens)) for kind, tokens in runs(change.sentence)): change.pages
        for change in found.words
    }


def headline(found: Differences) -> str:
    return wording.headline(Review(Side("a"), Side("b"), found))


def test_every_file_in_which_something_differs_is_told(built: Path, other: Path) -> None:
    """Anything can differ in a file: its end, or its first letter. A file can be gone, and a file can be new."""
    for path in built_site.read(built).paths:
        content = (other / path).read_bytes()
        for changed in (content + b"\n ", content[:-9] + b"~" + content[-8:], None):
            if path == "facts.json" and changed != content + b"\n ":
                continue
            (other / path).write_bytes(changed) if changed else (other / path).unlink()
            found = differences(built, other)
            assert found or found.quiet, (path, changed and changed[-20:])
            if changed is None:
                assert found, path
            (other / path).write_bytes(content)
    assert not differences(built, other)
    assert not differences(built, other).quiet


def test_a_style_is_told_with_the_pages_that_load_it(built: Path, other: Path) -> None:
    edit(other, "static/site.css", ("figure {", "figure { display: none;"))
    for page in PAGES:  # a build gives the address of a style another version
        text = (other / page).read_text(encoding="utf-8")
        (other / page).write_text(text.replace("site.css?v=", "site.css?v=0"), encoding="utf-8")
    found = differences(built, other)
    [file] = found.files
    assert (file.path, file.kind, file.pages) == ("static/site.css", "changed", PAGES)
    assert any(line.startswith("+figure { display: none;") for line in file.lines)
    assert (found.words, found.markup, found.pages) == ((), (), ())
    assert headline(found) == "1 other file; 4 scenes unchanged"


def test_a_style_reaches_a_page_through_another_style(built: Path, other: Path, tmp_path: Path) -> None:
    for folder in (before := shutil.copytree(built, tmp_path / "before"), other):
        for page in PAGES:
            edit(folder, page, ("<head>", '<head><link rel="stylesheet" href="/small/static/more.css">'))
        write(folder, {"static/more.css": '@import "deep.css";', "static/deep.css": "p { background: url(a.png) }"})
        edit(folder, "files.json", ('"404.html"', '"404.html", "static/more.css", "static/deep.css", "static/a.png"'))
    write(before, {"static/a.png": "1"})
    write(other, {"static/a.png": "2"})
    [file] = differences(before, other).files
    assert (file.path, file.pages, file.lines) == ("static/a.png", PAGES, ())


def test_words_of_templates_are_told_once_with_all_their_pages(built: Path, other: Path) -> None:
    for page in PAGES:
        edit(other, page, ("Skip to the text", "Go to the text"))
    edit(other, "one/index.html", (">Takeaways</h2>", ">Summary</h2>"), ('aria-label="Legend"', 'aria-label="Key"'))
    found = differences(built, other)
    assert words(found) == {
        "[-Skip-] {+Go+} to the text": PAGES,
        "[-Legend-] {+Key+}": ("one/index.html",),
        "[-Takeaways-] {+Summary+}": ("one/index.html",),
    }
    assert headline(found) == "other words of 4 pages; 4 scenes unchanged"


def test_markup_is_told_where_no_word_differs(built: Path, other: Path) -> None:
    for page in ("one/index.html", "two/index.html"):
        edit(other, page, ('<details class="made"', '<details hidden class="made"'))
    [markup] = differences(built, other).markup
    assert markup.pages == ("one/index.html", "two/index.html")
    assert markup.lines == ('- <details class="made">', '+ <details hidden class="made">')


def test_a_size_in_the_markup_is_told_where_nothing_else_differs(built: Path, other: Path) -> None:
    edit(other, "one/index.html", ('class="single" style="--width: 330"', 'class="single" style="--width: 33"'))
    [markup] = differences(built, other).markup
    assert any(line.startswith("+") and "--width: 33" in line for line in markup.lines)


def test_markup_is_told_beside_a_change_of_words(built: Path, other: Path) -> None:
    edit(other, "one/index.html", (">Takeaways</h2>", ">Summary</h2>"), ("<article>", '<article style="opacity: 0">'))
    found = differences(built, other)
    assert list(words(found)) == ["[-Takeaways-] {+Summary+}"]
    assert [change.lines for change in found.markup] == [("- <article>", '+ <article style="opacity: #">')]


def test_a_drawing_that_hardly_moved_is_counted_and_is_no_change(built: Path, other: Path) -> None:
    path = "one/curve-heights.svg"
    text = (other / path).read_text(encoding="utf-8")
    place = text.index("M") + 1
    number = text[place:].split(" ")[0].split("V")[0]
    (other / path).write_text(text.replace(number, str(float(number) + 0.01)), encoding="utf-8")
    found = differences(built, other)
    assert (bool(found), found.quiet.files, headline(found)) == (False, 1, "no changes; 4 scenes unchanged")
    assert wording.quiet(found.quiet) == "within the tolerances: 1 file"
    (other / path).write_text(text.replace(number, str(float(number) + 0.5)), encoding="utf-8")
    assert [file.path for file in differences(built, other).files] == [path]
    (other / path).write_text(text.replace("</text>", "1</text>", 1), encoding="utf-8")
    assert [file.path for file in differences(built, other).files] == [path]


def test_numbers_of_footnotes_are_counted_and_are_no_change(built: Path, other: Path, tmp_path: Path) -> None:
    note = '<p>All of it is so.<sup><a class="footnote-ref" href="#fn:{0}">{0}</a></sup></p>'
    before = shutil.copytree(built, tmp_path / "before")
    for folder, number in ((before, 1), (other, 2)):
        edit(folder, "one/index.html", ("</article>", f"{note.format(number)}</article>"))
    found = differences(before, other)
    assert (bool(found), wording.quiet(found.quiet)) == (False, "renumbered: 1 place")


def test_numbers_that_differ_within_the_tolerances_are_counted_and_are_no_change(built: Path, other: Path) -> None:
    """The value is on the edge between two numbers with two decimals, so the page shows another one."""
    facts = json.loads((other / "facts.json").read_text(encoding="utf-8"))
    facts["pages"]["one"]["scenes"]["curve"]["values"]["last"] = 3.0000000001
    (other / "facts.json").write_text(json.dumps(facts), encoding="utf-8")
    shown = '<data value="3.0" data-from="one/curve.last">3.00'
    listed = "<dt><code>last</code></dt><dd>3.0</dd>"
    edit(
        other,
        "one/index.html",
        (shown, '<data value="3.0000000001" data-from="one/curve.last">3.01'),
        (listed, listed.replace("3.0", "3.0000000001")),
    )
    found = differences(built, other)
    assert (bool(found), headline(found)) == (False, "no changes; 4 scenes unchanged")
    assert wording.quiet(found.quiet) == "within the tolerances: 1 value, 4 shown numbers"
    edit(other, "one/index.html", ("<dd>3.0000000001</dd>", "<dd>3.2</dd>"))
    assert list(words(differences(built, other))) == ["last [-3.0-] {+3.2+}"]


def test_a_file_of_no_build_is_not_compared(built: Path, other: Path) -> None:
    write(other, {"CNAME": "example.org"})
    assert not differences(built, other)


Change = Callable[[Path], None]


def rebuilt(root: Path, change: Change) -> Path:
    write(root, FILES)
    change(root)
    revision_build.build(root, root, root.parent / "rebuilt")
    return root.parent / "rebuilt"


def editing(path: str, before: str, after: str) -> Change:
    return lambda root: edit(root, path, (before, after))


def adding_a_page(root: Path) -> None:
    edit(root, "storyboard.yaml", ("two/page.yaml]", "two/page.yaml, scenes/three/page.yaml]"))
    page = "slug: three\ntitle: Third\nsummary: No more.\nscenes:\n  - {id: words, title: Words, text: Only words.}\n"
    write(root, {"scenes/three/page.yaml": page})


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (editing("scenes/one/page.yaml", "slug: one", "slug: uno"), "1 page renamed; 4 scenes unchanged"),
        (
            editing("scenes/one/page.yaml", "title: First page", "title: First leaf"),
            "1 page changed outside its scenes; 4 scenes unchanged",
        ),
        (
            editing("storyboard.yaml", "one/page.yaml, scenes/two", "two/page.yaml, scenes/one"),
            "1 page reordered; 4 scenes unchanged",
        ),
        (adding_a_page, "1 scene added, 1 page added; 4 scenes unchanged"),
        (
            editing("scenes/one/page.yaml", "points.\n", "points. Then {{ curve.first }}.\n"),
            "1 scene changed; 3 scenes unchanged",
        ),
        (
            editing(
                "scenes/one/page.yaml",
                "Nothing is computed here. All of it is words.",
                "All of it is words. It is not computed. Nothing is.",
            ),
            "1 scene changed; 3 scenes unchanged",
        ),
    ],
    ids=["a page renamed", "a title", "the order of pages", "a page added", "one more number", "sentences that moved"],
)
def test_lists_of_pages_and_copies_of_texts_repeat_nothing(
    change: Change, expected: str, built: Path, tmp_path: Path
) -> None:
    found = differences(built, rebuilt(tmp_path / "root", change))
    assert (found.words, found.markup, found.files, headline(found)) == ((), (), (), expected)
