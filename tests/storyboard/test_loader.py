"""Storyboards are loaded exactly as written, and every mistake is reported at its line.

The messages for most mistakes are in tests/sites. The tests here are about mistakes that cannot be kept as files in a
repository (invalid bytes, links), and about storyboards that are correct.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from scenebook.core.problems import Problem, Problems
from scenebook.core.text import Text
from scenebook.figure.options import Axis
from scenebook.figure.spec import Figure, Panel
from scenebook.storyboard import _page_rules as rules
from scenebook.storyboard import loader as storyboard
from scenebook.storyboard import schema
from scenebook.storyboard.model import Page, Scene

ROOT = Path(__file__).parents[2]
SITES = sorted(path.parent.name for path in ROOT.glob("tests/sites/*/expected.txt"))

BOARD = """\
site: {title: T, url: https://example.org/}
pages: [page.yaml]
"""
PAGE = """\
slug: one
title: One
summary: A page.
scenes:
  - id: a
    text: Prose.
"""
FIGURE = """\
slug: one
title: One
summary: A page.
scenes:
  - id: a
    compute: a.py
    figure:
      panels: [{heatmap: n}]
      caption: C
      alt: A
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a valid storyboard of one page and the module of one scene."""
    (tmp_path / "scenes").mkdir()
    (tmp_path / "scenes" / "a.py").write_text("def compute():\n    return {'n': 1}\n")
    (tmp_path / "storyboard.yaml").write_text(BOARD)
    (tmp_path / "page.yaml").write_text(PAGE)
    return tmp_path


def page(root: Path, text: str | bytes = b"") -> Page:
    """Return the page of a root, after replacing its file with this text if there is one."""
    if text:
        (root / "page.yaml").write_bytes(text.encode() if isinstance(text, str) else text)
    loaded = storyboard.load(root)
    assert loaded.warnings == ()
    return loaded.book.pages[0]


def messages(root: Path, text: str | bytes = b"") -> list[str]:
    """Return the problems of the storyboard of a root."""
    with pytest.raises(Problems) as raised:
        page(root, text)
    return [str(problem) for problem in raised.value.problems]


def outcome(root: Path) -> Any:
    """Return the loaded storyboard of a root, or its problems."""
    try:
        return storyboard.load(root)
    except Problems as error:
        return error.problems


# Texts and values are loaded as written.


@pytest.mark.parametrize(
    "written",
    [
        "off",
        "no",
        "NO",
        "3.10",
        "12:30",
        "2024-01-31",
        "1_000",
        "010",
        "0x1F",
        "1e3",
        ".5",
        "true",
        "=",
        "!",
        "N",
        "+1",
    ],
)
def test_text_stays_text_whatever_yaml_would_make_of_it(root: Path, written: str) -> None:
    if written == "!":
        written = "'!'"
    title = page(root, PAGE.replace("title: One", f"title: {written}")).title
    assert (str(title), type(title)) == (written.strip("'"), Text)


def test_a_number_is_read_as_the_type_of_its_field(root: Path) -> None:
    text = FIGURE + "      vmin: 1e-3\n      vmax: '1_000'\n      width: 0100\n    timeout: 2.5\n"
    scene = page(root, text + "paper: {title: P, authors: [A], year: 02017, url: https://example.org}\n").scenes[0]
    assert scene.figure is not None
    assert (scene.figure.vmin, scene.figure.vmax, scene.figure.width, scene.timeout) == (0.001, 1000, 100, 2.5)
    assert [type(value) for value in (scene.figure.vmin, scene.figure.width)] == [float, int]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("8", 8),
        ("-3", -3),
        ("010", 10),
        ("0x1F", 31),
        ("0o17", 15),
        ("1e-3", 0.001),
        (".5", 0.5),
        ("2.", 2.0),
        (".inf", float("inf")),
        ("-.INF", float("-inf")),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("off", "off"),
        ("no", "no"),
        ("12:30", "12:30"),
        ("2024-01-31", "2024-01-31"),
        ("1_000", "1_000"),
        ("0b1", "0b1"),
        ("nan", "nan"),
        ("'8'", "8"),
        ('"true"', "true"),
        ('"\\t"', "\t"),
        ("[1, [a, ~], {k: 2}]", [1, ["a", None], {"k": 2}]),
    ],
)
def test_parameters_have_the_types_of_yaml_1_2(root: Path, written: str, value: Any) -> None:
    text = PAGE.replace("text: Prose.", f"compute: a.py\n    params:\n      p: {written}")
    params = page(root, text).scenes[0].params
    assert params == {"p": value}
    assert type(params["p"]) is type(value)
    assert json.dumps(params) == json.dumps({"p": value})


def test_quotes_of_a_source_called_params_stay_text(root: Path) -> None:
    assert page(root, PAGE + "quoted: {params: [8, off]}\n").quoted == {"params": ("8", "off")}


def test_a_key_without_a_value_counts_as_left_out(root: Path) -> None:
    scene = page(root, PAGE.replace("text: Prose.", "text:\n    title: ~\n    figure: null")).scenes[0]
    assert scene == Scene(id=Text("a"))
    assert "scenes.a.title: is missing" not in messages(root, PAGE.replace("title: One", "title: null"))
    assert messages(root) == ["page.yaml:2: title: is missing"]


def test_merge_keys_and_aliases_are_expanded(root: Path) -> None:
    text = FIGURE.replace("figure:", "figure: &figure").replace("[{heatmap: n}]", "&panels [{heatmap: n}]")
    text += """\
      rows: {labels: tokens, title: query}
  - id: b
    compute: a.py
    figure: {<<: *figure, caption: other}
  - id: c
    compute: a.py
    figure: {<<: [{alt: first, vmin: 0}, *figure, {vmin: 1}], panels: *panels}
  - id: d
    title: &again one
    text: *again
  - id: &again d2
    title: *again
"""
    a, b, c, d, e = page(root, text).scenes
    assert (a.figure, b.figure, c.figure) == (
        first := a.figure,
        Figure(**{**vars(first), "caption": "other"}),
        Figure(**{**vars(first), "alt": "first", "vmin": 0.0}),
    )
    assert (d.text, e.title) == ("one", "d2")


def test_a_page_in_the_storyboard_equals_the_same_page_in_a_file(root: Path) -> None:
    filed = page(root)
    indented = "".join(f"    {line}\n" for line in PAGE.splitlines())
    (root / "storyboard.yaml").write_text(BOARD.replace("[page.yaml]", f"\n  -{indented[3:]}"))
    assert page(root) == filed
    assert (filed.file, page(root).file) == ("page.yaml", "storyboard.yaml")


# Texts know their lines.


@pytest.mark.parametrize(
    "header", ["|", "|-", "|+", "|2", "|-2", "| # why", "&name |", "|\n\n\n", "|\n   \n", "&name |2-  # why\n"]
)
def test_the_lines_of_a_block_are_known(root: Path, header: str) -> None:
    written = f"takeaways:\n  - plain\n  - {header.rstrip(' ')}".rstrip("\n" if header[-1] != "\n" else "")
    written += "" if written.endswith("\n") else "\n"
    written += "    first of it\n\n      second\n    third\n"
    text = page(root, PAGE + written).takeaways[1]
    lines = (PAGE + written).splitlines()
    for word in ("first", "second", "third"):
        assert "first of" in text
        assert word in lines[text.line_at(text.index(word)) - 1]


@given(st.lists(st.sampled_from(["", "word", "  indented", "# no comment", "- item", "$x$ {{ a.n }}", "a: b"])))
def test_every_line_of_a_literal_block_is_known(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    root = tmp_path_factory.getbasetemp() / "blocks"
    root.mkdir(exist_ok=True)
    (root / "storyboard.yaml").write_text(BOARD)
    block = [*lines, "end"]
    text = page(
        root, "\n".join(["summary: |2", *(f"  {line}" for line in block), PAGE.replace("summary: A page.\n", "")])
    ).summary
    assert text == "".join(f"{line}\n" for line in block)
    starts = [match.start() for match in re.finditer("(?m)^.", str(text), re.DOTALL)]
    assert [text.line_at(start) for start in starts] == [*range(2, len(block) + 2)]


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        (">-\n  one is\n  two\n\n  three", (8, 9, 11)),
        (">  # why\n\n  one is\n    two\n  three", (9, 10, 11)),
        ("'one\n  is two\n\n  three'", (7, 8, 10)),
        ('"one is\n  two\n  three"', (7, 8, 9)),
        ("one is\n  two one\n  three", (7, 8, 9)),
        ('"one \\u0041\n  two\n  three"', (7, 7, 7)),
    ],
)
def test_the_lines_of_a_folded_text_are_known(root: Path, written: str, lines: tuple[int, ...]) -> None:
    text = page(root, PAGE + f"description: {written}\n").description
    assert text is not None
    assert tuple(text.line_at(text.index(word)) for word in ("one", "two", "three")) == lines
    assert text.part(text.index("two"), len(text)).line_at(text.index("three") - text.index("two")) == lines[2]


def test_a_pickled_text_keeps_its_file_and_line(root: Path) -> None:
    import pickle

    text = pickle.loads(pickle.dumps(page(root))).scenes[0].text
    assert (text, text.file, text.line, text.breaks) == ("Prose.", "page.yaml", 6, ())


@pytest.mark.parametrize("escape", [*"abtvfre0_NLP ", "nu", "nabla", "neq", "notin"])
def test_tex_in_double_quotes_is_reported(root: Path, escape: str) -> None:
    message = f"\\{escape[0]} in double quotes is an escape, not a backslash; use single quotes or a | block"
    assert messages(root, PAGE + f'description: "a $\\{escape} x$"\n') == [f"page.yaml:7: description: {message}"]
    text = page(root, PAGE + f'description: "a $\\\\{escape} x$"\n').description
    assert text == f"a $\\{escape} x$"


def test_other_escapes_in_double_quotes_are_accepted(root: Path) -> None:
    text = page(root, PAGE + 'description: "\\"a\\"\\nb \\u221a \\x41\\\n  c\\/d"\n').description
    assert text == '"a"\nb √ Ac/d'


def test_tex_in_a_quoted_key_is_reported(root: Path) -> None:
    assert [line.partition(": ")[0] for line in messages(root, PAGE + 'quoted: {"\\theta": [8], !x y: [8]}\n')] == [
        "page.yaml:7"
    ] * 2


# Bytes.


@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_byte_order_mark_and_windows_line_ends_make_no_difference(root: Path, mark: bytes, end: bytes) -> None:
    text = (PAGE.replace("One", "QKᵀ/√d") + "takeaways:\n  - |\n    one\n    two\n").encode()
    plain = page(root, text)
    (root / "storyboard.yaml").write_bytes(mark + BOARD.encode().replace(b"\n", end))
    other = page(root, mark + text.replace(b"\n", end))
    assert other == plain
    assert other.takeaways[0].line_at(4) == plain.takeaways[0].line_at(4) == 10


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("slug: é".encode("latin-1"), "1: is not UTF-8 text (byte 0xE9 at offset 6); save the file as UTF-8"),
        (b"a: b\r\nc: d\r\xffe", "3: is not UTF-8 text (byte 0xFF at offset 11); save the file as UTF-8"),
        ("slug: one".encode("utf-16"), "1: is not UTF-8 text (byte 0xFF at offset 0); save the file as UTF-8"),
        (b"slug: a\n# \0\n", "2: contains the invisible character U+0000; remove it"),
        (b"slug: a\n\x1b[31m", "2: contains the invisible character U+001B; remove it"),
        ("slug: a\u2028b".encode(), "1: contains the invisible character U+2028; remove it"),
        (b"", " is empty"),
        (b"\xef\xbb\xbf", " is empty"),
        (b"---\n...\n", " is empty"),
        (b"~\n", " is empty"),
    ],
)
def test_a_file_that_is_not_text_is_reported(root: Path, content: bytes, message: str) -> None:
    (root / "page.yaml").write_bytes(content)
    assert messages(root) == [f"page.yaml:{message}"]


def test_a_missing_storyboard_is_reported(tmp_path: Path) -> None:
    advice = "name the site's folder with `--root DIR`, or start a site with `scenebook new DIR`"
    assert messages(tmp_path) == [f"storyboard.yaml: not found in {tmp_path}; {advice}"]
    (tmp_path / "storyboard.yaml").mkdir()
    assert messages(tmp_path) == ["storyboard.yaml: is a folder, not a file"]


def test_links_that_lead_outside_the_root_are_reported(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "page.yaml").write_text(PAGE)
    (outside / "a.py").write_text("")
    (root / "linked").symlink_to(outside)
    (root / "scenes" / "b.py").symlink_to(outside / "a.py")
    (root / "scenes" / "c.py").symlink_to(root / "scenes" / "a.py")
    (root / "scenes" / "d.py").symlink_to(root / "scenes" / "d.py")
    (root / "again.yaml").symlink_to(root / "page.yaml")
    (root / "storyboard.yaml").write_text(BOARD.replace("page.yaml", "page.yaml, again.yaml, linked/page.yaml"))
    scenes = "".join(f"  - {{id: {name}, compute: {name}.py}}\n" for name in "bcd")
    assert messages(root, PAGE + scenes) == [
        "page.yaml:7: scenes.b.compute: 'scenes/b.py' leads outside the root; use a file inside it",
        "page.yaml:9: scenes.d.compute: 'scenes/d.py' cannot be read: its links form a loop",
        "storyboard.yaml:2: pages.2: the file 'again.yaml' is already part of the storyboard; list it once",
        "storyboard.yaml:2: pages.3: 'linked/page.yaml' leads outside the root; use a file inside it",
    ]


# Warnings.


@pytest.mark.parametrize(
    ("written", "warned"),
    [
        ("title: Head #2 of 8", True),
        ("description: #1 of its kind", True),
        ("title: One # a comment", False),
        ("title: One #\n", False),
        ("title: One ##  a comment", False),
        ("title: 'One' #comment", False),
        ("title: C#sharp", False),
        ("title: >\n  Head #2\n", False),
        ("paper: {title: P, authors: [A], year: 2017, url: https://example.org} #comment", False),
        ("quoted: {s: [8]} #8", False),
        ("paper: {title: P, authors: [A], url: https://example.org,\n  year: 2017 #or 2018\n  }", False),
        ("takeaways: [a,\n  b #1\n  ]", True),
    ],
)
def test_a_text_that_a_hash_cuts_off_is_reported(root: Path, written: str, warned: bool) -> None:
    text = PAGE if not written.startswith("title") else PAGE.replace("title: One\n", "")
    (root / "page.yaml").write_text(f"{text}{written}\n")
    warnings = storyboard.load(root).warnings
    line = text.count("\n") + 1 + ("b #" in written)
    message = "warning: a # ends the text here; quote the text, or put a space after the # of a comment"
    where = {"a": "takeaways.2"}.get(written[1], written.partition(":")[0])
    assert [str(warning) for warning in warnings] == [f"page.yaml:{line}: {where}: {message}"] * warned


# One mistake neither hides nor causes another.


def test_links_to_a_page_that_cannot_be_read_are_not_reported(root: Path) -> None:
    (root / "storyboard.yaml").write_text(BOARD + "tracks: [{title: T, slug: t, pages: [one, two]}]\n")
    assert messages(root, "slug: one\ntitle: [") == [
        "page.yaml:2: this [ is not closed; quote a text that begins with it"
    ]
    assert (
        messages(root, PAGE + "typo: 1\n")[-1]
        == "storyboard.yaml:3: tracks.t.pages.2: there is no page with the slug 'two'"
    )


def test_a_key_with_a_block_is_reported_at_the_line_of_the_key(root: Path) -> None:
    assert messages(root, PAGE + "captoin: |\n  text\nterms: |\n  text\n")[0].startswith(
        "page.yaml:7: captoin: unknown key"
    )
    assert messages(root)[1] == "page.yaml:9: terms: expected a list with a - before each entry, found 'text\\n'"


@pytest.mark.parametrize(
    "bomb",
    [
        "takeaways:\n  - &a [x]\n" + "".join(f"  - &a{n} [*a{n - 1 if n else ''}]\n" for n in range(3000)),
        "quoted: &a {" + ", ".join(f"k{n}: [8]" for n in range(3000)) + "}\nterms:\n" + "  - {<<: *a}\n" * 3000,
        "takeaways: " + "[" * 100_000,
        "takeaways:\n" + "".join(" " * n + "-\n" for n in range(2, 3000)),
        "takeaways: " + "- " * 3000,
        "? " * 3000,
        "takeaways: [" + "{a: " * 39 + "}" * 39 + "]",
    ],
)
@pytest.mark.parametrize("loader", ["CSafeLoader", "SafeLoader"])
def test_a_small_file_that_expands_endlessly_is_reported_quickly(
    root: Path, monkeypatch: pytest.MonkeyPatch, bomb: str, loader: str
) -> None:
    monkeypatch.setattr(yaml, "CSafeLoader", getattr(yaml, loader))
    start = time.process_time()
    assert len(messages(root, PAGE + bomb)) < 50
    assert time.process_time() - start < 10


def whole(root: Path) -> Any:
    """Return the pages and warnings of a root, or its problems."""
    result = outcome(root)
    return (result.book, result.warnings) if isinstance(result, storyboard.Loaded) else result


@pytest.mark.parametrize("site", SITES)
def test_mistakes_are_reported_word_for_word_without_the_c_library_of_yaml(
    site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both loaders give the same. Sites with a valid storyboard have their mistakes elsewhere."""
    root = ROOT / "tests" / "sites" / site
    with_c_library = whole(root)
    monkeypatch.setattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found = whole(root)
    assert repr(found) == repr(with_c_library)  # a value that is NaN does not equal itself
    if isinstance(found[0], Problem):
        assert list(map(str, found)) == (root / "expected.txt").read_text(encoding="utf-8").splitlines()


FULL = (
    FIGURE
    + """\
      vmin: 0
      rows: {labels: tokens, title: "$q_i$"}
    claims:
      - {say: "It holds", check: a.n > 0}
terms: [&t {term: 'T', at: a}]
takeaways:
  - >
    folded
  - *t
quoted: {"a source": ["8", 512]}
"""
)
MARKS = [
    "",
    "\t",
    " ",
    "  ",
    "\n",
    ":",
    ": ",
    "- ",
    "#",
    " #x",
    '"',
    "'",
    "{",
    "}",
    "[",
    "]",
    "*t",
    "&x ",
    "!x ",
    "|",
    "<<: ",
]
MARKS += ["~", "\0", "é", "\\", "\\x", "---\n", "...", "?", "? ", "%", "@", "`", "\u2028", "\ud7ff", "0", "null", "\r"]


@given(st.data())
def test_a_random_edit_of_a_page_is_never_a_traceback(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    root = tmp_path_factory.getbasetemp() / "slips"
    (root / "scenes").mkdir(parents=True, exist_ok=True)
    (root / "scenes" / "a.py").touch()
    (root / "storyboard.yaml").write_text(BOARD)
    text = FULL
    for _ in range(data.draw(st.integers(1, 3))):
        at, gone = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 3))
        text = text[:at] + data.draw(st.sampled_from(MARKS)) + text[at + gone :]
    (root / "page.yaml").write_bytes(text.encode())
    result = outcome(root)
    for problem in result.warnings if isinstance(result, storyboard.Loaded) else result:
        assert re.fullmatch(r"(page|storyboard)\.yaml(:\d+)?: .+", str(problem))
        assert str(problem).isprintable()
        assert problem.line <= len(text.splitlines()) + 1
        assert not re.search(r"[Ii]nput should|pydantic|NoneType|yaml\.|Error\b|None\b", str(problem))


# The address of the site.


@pytest.mark.parametrize(
    ("written", "given_", "address"),
    [
        ("https://example.org", None, "https://example.org/"),
        ("https://example.org/repo", None, "https://example.org/repo/"),
        ("https://example.org/repo//", "", "https://example.org/repo/"),
        ("https://example.org/repo/", "http://localhost:8000/fork", "http://localhost:8000/fork/"),
    ],
)
def test_the_environment_overrides_the_address_of_the_site(
    root: Path, written: str, given_: str | None, address: str
) -> None:
    (root / "storyboard.yaml").write_text(BOARD.replace("https://example.org/", written))
    assert storyboard.load(root, given_).book.site.url == address


@pytest.mark.parametrize(
    "address", ["repo", "/repo/", "ftp://example.org", "https://example.org/?a", "https://a.org/#b", "javascript:a"]
)
def test_an_invalid_address_from_the_environment_is_reported(root: Path, address: str) -> None:
    with pytest.raises(Problems, match=r"^storyboard\.yaml: SCENEBOOK_URL: '"):
        storyboard.load(root, address)


# Speed, and the schemas for editors.


def test_importing_the_loader_imports_neither_pydantic_nor_yaml() -> None:
    script = "import sys, scenebook.storyboard.loader; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert {"pydantic", "pydantic_core", "yaml"} & set(loaded.split()) == set()


def test_the_schemas_match_the_models() -> None:
    kept = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "scenebook").glob("*.json")}
    assert kept == schema.schemas(), "run `make schema` to update them"


def test_the_schemas_accept_what_a_build_accepts() -> None:
    tour = ROOT / "tests/sites/tour"
    for kind, files in {"storyboard": ["storyboard.yaml"], "page": ["scenes/tour/page.yaml"]}.items():
        tree = json.loads(schema.schema(kind))
        Draft202012Validator.check_schema(tree)
        for file in files:
            Draft202012Validator(tree).validate(yaml.safe_load((tour / file).read_text(encoding="utf-8")))


def test_the_schema_refuses_what_a_build_refuses() -> None:
    validator = Draft202012Validator(json.loads(schema.schema("page")))
    good = {"slug": "one", "title": 3.1, "summary": "S", "scenes": [{"id": "a", "params": {"a": [1, None]}}]}
    assert list(validator.iter_errors(good)) == []
    bad = {**good, "titel": "T", "scenes": [{"id": "a", "figure": {"caption": "C", "colormap": "red", "vmin": "low"}}]}
    del bad["summary"]
    assert {error.validator for error in validator.iter_errors(bad)} == {
        "additionalProperties",
        "required",
        "enum",
        "type",
    }


def test_every_field_is_described_in_the_schema() -> None:
    tree = json.loads(schema.schema("storyboard"))
    for kind in (Figure, Scene, Axis, Panel):
        name = kind.__name__
        described = tree["$defs"][name]["properties"]
        assert set(described) == {field.name for field in fields(kind)}
        assert all(entry.get("description") for entry in described.values()), name


def test_every_anchor_of_the_templates_is_reserved() -> None:
    def ids(*names: str) -> set[str]:
        texts = [(ROOT / "templates" / name).read_text(encoding="utf-8") for name in names]
        return {name for text in texts for name in re.findall(r'\bid ?= ?"([a-z]+)"', text)}

    everywhere = ids("base.html", "static/page.js")
    assert everywhere | ids("page.html") == rules.IN_PAGES
    assert everywhere | ids("index.html") == rules.IN_LISTS
    review = (ROOT / "templates/review.html").read_text(encoding="utf-8")
    fixed = re.findall(r'\bid="([a-z-]+)"', review)
    assert fixed
    assert [name for name in fixed if not name.endswith("-")] == []  # no slug ends with a hyphen
