"""A built page says its formulas in words, counts its numbers, and lists and links its code."""

from __future__ import annotations

import csv
import re
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Page, expect

from scenebook.cache._input_states import TICK
from tests.conftest import ServeSite
from tests.support.builder import Builder, building
from tests.support.review_site import edit, write

STORYBOARD = r"""
site:
  title: A site on $\sqrt{x}$
  url: https://example.org/
  description: |
    All about $\frac{a}{b + 1}$ and *more*.[^note]

    [^note]: Not here.
  repository: https://github.com/example/repo.git/tree/HEAD/site
pages:
  - slug: first
    title: 'Why $\frac{1}{\sqrt{d_k}}$ of {{ lines.size }}%'
    summary: |
      A text with $n = {{ lines.size }}$, {{ lines.size }}, {{ lines.word }} and {{ lines.sure }}.
    terms: [{term: '$q \cdot k$', at: lines}]
    scenes:
      - id: lines
        title: Where $\sqrt{d_k}$ comes from
        compute: a/lines.py
        text: |
          ## The part on $\sum_{i=1}^n x_i$
        figure:
          panels:
            - title: '$\hat{y}$'
              lines:
                - {value: up, label: '$q \cdot k$ of {{ lines.size }}'}
                - {value: down, label: down & $x_1$}
          x: {values: x, title: '$x^2$'}
          caption: Up to $\sqrt{ {{ lines.size }} }$. And {{ lines.size:.1f }}.
          alt: Lines up to $\sqrt{d_k}$ of {{ lines.size }}.
        claims: [{say: 'There are {{ lines.size }}, {{ lines.size }}.', check: lines.size > 2}]
      - id: bars
        compute: a/bars.py
        figure:
          draw: paint
          caption: Bars.
          alt: Three bars.
      - id: stacks
        title: Stacks
        compute: a/lines.py
        figure:
          panels: [{bars: parts}]
          rows: {labels: names}
          columns: {labels: kinds}
          caption: Stacks.
          alt: Two stacks.
    takeaways: ['{{ lines.size }} it is.']
  - slug: second
    title: Two
    summary: A page with 4 words.
    scenes: [{id: only, text: No number.}]
    quoted: {"a book, $x_1$": ["4"]}
  - {slug: third, title: Three, summary: Nothing., scenes: [{id: only, text: Nothing.}]}
tracks:
  - {title: 'On $\sqrt{x}$', slug: track, pages: [first], summary: '*Roots* such as $\sqrt{x}$.'}
"""
LINES = '''"""Lines."""
import numpy as np

from scenes.a.helper import softmax

QUERIES = np.eye(2)


def compute():
    """What is drawn."""
    up = np.arange(3.0)
    return {"x": up, "up": softmax(up), "down": -up, "size": 3, "word": "three", "sure": True,
            "parts": QUERIES, "names": ["$w_1$", "a\\\\$ `b`"], "kinds": ["$u^2$", "v"]}
'''
HELPER = '''"""What scenes share."""
def softmax(x):
    # a comment
    return x / x.max()
'''
BARS = """
def compute():
    return {"three": [1, 2, 3]}


def paint(figure, values):
    from scenes.a.painting import COLOR

    figure.subplots().bar(values["three"], values["three"], color=COLOR)
"""
FILES = {
    "storyboard.yaml": STORYBOARD,
    "scenes/a/lines.py": LINES,
    "scenes/a/bars.py": BARS,
    "scenes/a/helper.py": HELPER,
    "scenes/a/painting.py": 'COLOR = "red"\n',
    "scenes/a/__init__.py": "",
}
ROOT_OF_D = "the square root of d sub k"


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Builder]:
    with building(tmp_path_factory.mktemp("made") / "site") as (found,):
        write(found.root, FILES)
        assert found.build().refused == ()
        yield found


@pytest.fixture(scope="module")
def output(builder: Builder) -> dict[str, str]:
    """The pages after the first build."""
    folder = builder.root / "output"
    paths = [*folder.rglob("*.html"), *folder.rglob("*.xml"), *folder.rglob("*.csv")]
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}


@pytest.fixture(scope="module")
def read(builder: Builder, output: dict[str, str], browser: Browser, site_server: ServeSite) -> Iterator[Page]:
    """Open the first page in a browser, once for all tests that only read it."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{site_server(builder.root / 'output', '/')}first/")
    yield page
    context.close()


def footer(html: str) -> str:
    found = re.findall(r'<footer class="colophon">\s*<div>\s*<p>(.*?)</p>', html, re.DOTALL)
    return " ".join(found[0].split())


def test_a_footer_counts_every_number_that_its_page_shows(output: dict[str, str]) -> None:
    """Title, takeaway, label and alternative text show one number each; summary, caption and claim show two each."""
    assert footer(output["first/index.html"]) == (
        "Scripts built this page from its storyboard. They computed 3 figures and 10 numbers in its texts and "
        "formulas, and checked 1 claim; open “How this was made” to see how."
    )


def test_a_footer_does_not_say_that_quoted_numbers_were_computed(output: dict[str, str]) -> None:
    start = "Scripts built this page from its storyboard."
    assert footer(output["second/index.html"]) == f"{start} The numbers that it quotes are listed with their sources."
    assert footer(output["third/index.html"]) == start
    for path in ("index.html", "track/index.html", "404.html"):
        assert footer(output[path]) == (
            "Every figure on these pages was computed when the site was built, and every claim was checked. "
            "Every result in their texts was computed too, or is quoted with its source."
        )


def test_titles_and_descriptions_have_their_formulas_in_words(output: dict[str, str]) -> None:
    title = f"Why the fraction 1 over {ROOT_OF_D}, end fraction of 3%"
    first, index, track = (output[path] for path in ("first/index.html", "index.html", "track/index.html"))
    assert f"<title>{title}</title>" in first
    assert f'<meta property="og:title" content="{title}">' in first
    assert '<meta name="description" content="A text with n equals 3, 3, three and true.">' in first
    assert "<title>A site on the square root of x</title>" in index
    assert '<meta name="description" content="All about the fraction a over b plus 1, end fraction and more.">' in index
    assert "<title>On the square root of x – A site on the square root of x</title>" in track
    assert '<meta name="description" content="Roots such as the square root of x.">' in track
    feed = ElementTree.fromstring(output["feed.xml"])
    assert [found.text for found in feed.findall(".//{*}title")][:2] == ["A site on the square root of x", title]
    assert f'aria-label="Lines up to {ROOT_OF_D} of 3."' in first


@pytest.mark.parametrize(
    ("role", "name"),
    [
        ("heading", f"Why the fraction 1 over {ROOT_OF_D}, end fraction of 3%"),
        ("heading", f"Where {ROOT_OF_D} comes from"),
        ("heading", "The part on the sum from i equals 1 to n of x sub i"),
        ("region", f"Where {ROOT_OF_D} comes from"),
        ("figure", "Up to the square root of 3 ."),
        ("img", f"Lines up to {ROOT_OF_D} of 3."),
        ("link", f"Where {ROOT_OF_D} comes from"),
        ("link", "q dot k"),
        ("math", "x squared"),
    ],
)
def test_a_browser_reads_the_formulas_in_names_as_words(read: Page, role: Any, name: str) -> None:
    expect(read.get_by_role(role, name=name, exact=True).first).to_be_attached()


def test_a_browser_reads_the_structure_of_formulas_and_the_names_of_tables(read: Page) -> None:
    read.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    expect(read.get_by_role("table", name="y hat", exact=True)).to_be_visible()
    expect(read.get_by_role("columnheader", name="down & x sub 1", exact=True)).to_be_visible()
    nodes = read.context.new_cdp_session(read).send("Accessibility.getFullAXTree")["nodes"]
    assert {"MathMLMath", "MathMLFraction", "MathMLSquareRoot"} <= {node["role"]["value"] for node in nodes}


def test_a_citation_has_the_formulas_as_they_are_written(output: dict[str, str]) -> None:
    cited = re.findall(r"title = .*", unescape(output["first/index.html"]))
    assert cited[:1] == [r"title = {{Why $\frac{1}{\sqrt{d_k}}$ of 3\%}},"]


def test_no_formula_in_a_table_or_a_file_is_left_as_latex(output: dict[str, str]) -> None:
    heads = re.findall(r'<th scope="(?:col|row)">(.*?)</th>', output["first/index.html"])
    assert [re.sub("<[^>]*>", "", re.sub("<math.*?</math>", "MATH", head)) for head in heads] == [
        *("MATH of 3", "down &amp; MATH", "0", "1", "2"),
        *("MATH", "v", "w sub 1", "a\\$ `b`"),
    ]
    lines = list(csv.reader(output["first/lines-up.csv"].splitlines()))
    stacks = list(csv.reader(output["first/stacks-parts.csv"].splitlines()))
    assert lines[0] == ["", "q dot k of 3", "down & x sub 1"]
    assert [row[0] for row in stacks] == ["", "w sub 1", "a\\$ `b`"]
    assert stacks[0] == ["", "u squared", "v"]


def listings(html: str, scene: str) -> list[list[str]]:
    """Return the label and the text of each part of the code under "How this was made"."""
    opened = rf'<div class="listing" id="{scene}--source-\d+" role="group"[^>]*>\s*'
    part = opened + r'<p class="label" id=[^>]*>(.*?)</p>(.*?)</div>'
    found = re.findall(part, re.sub("<math.*?</math>", "MATH", html), re.DOTALL)
    return [[unescape(re.sub("<[^>]*>", "", text)).strip() for text in texts] for texts in found]


def test_the_whole_module_and_its_helpers_are_listed(output: dict[str, str]) -> None:
    compute = LINES[LINES.index("def compute") :].strip()
    rest = LINES[: LINES.index("def compute")].strip()
    assert listings(output["first/index.html"], "lines") == [
        ["compute in scenes/a/lines.py", compute],
        ["The rest of scenes/a/lines.py", rest],
        ["scenes/a/helper.py", HELPER.strip()],
    ]


def test_what_is_listed_above_is_not_listed_again(output: dict[str, str]) -> None:
    html = output["first/index.html"]
    (own, code), rest, helper = listings(html, "stacks")
    assert (own, code) == ("compute in scenes/a/lines.py", LINES[LINES.index("def compute") :].strip())
    assert rest == ["The rest of scenes/a/lines.py is listed under Where MATH comes from", ""]
    assert helper == ["scenes/a/helper.py is listed under Where MATH comes from", ""]
    assert html.count('href="#lines--source-2"') == html.count('href="#lines--source-3"') == 1


def test_a_helper_that_only_a_drawing_imports_is_listed(output: dict[str, str]) -> None:
    assert listings(output["first/index.html"], "bars")[-1] == ["scenes/a/painting.py", 'COLOR = "red"']


def test_a_test_beside_a_scene_is_not_an_input_and_is_not_shown(builder: Builder, output: dict[str, str]) -> None:
    test = builder.root / "scenes/a/test_lines.py"
    time.sleep(2 * TICK / 1e9)  # a build keeps no results of files that are as young as the build
    builder.build()
    for text in ("from scenes.a import lines\n", "from scenes.a import lines, helper\n"):
        test.write_text(text, encoding="utf-8")
        built = builder.build()
        assert (built.refused, built.ran) == ((), frozenset())
        assert [path for path, content in built.tree.items() if b"test_lines" in content] == []
    test.unlink()
    assert (builder.root / "output/first/index.html").read_text(encoding="utf-8") == output["first/index.html"]


def test_files_are_linked_in_the_folder_of_the_repository(output: dict[str, str]) -> None:
    links = set(re.findall(r'href="(https://github.com[^"]*)"', output["first/index.html"]))
    base = "https://github.com/example/repo"
    files = ("lines", "bars", "helper", "painting")
    assert links == {f"{base}.git/tree/HEAD/site", *(f"{base}/blob/HEAD/site/scenes/a/{name}.py" for name in files)}


@pytest.mark.parametrize(("name", "scene"), [("helper", "lines"), ("painting", "bars")])
def test_a_changed_helper_changes_its_page_even_if_all_values_stay(builder: Builder, name: str, scene: str) -> None:
    page = builder.root / "output/first/index.html"
    (builder.root / f"scenes/a/{name}.py").write_text(f"{FILES[f'scenes/a/{name}.py']}# another comment\n", "utf-8")
    assert builder.build().refused == ()
    assert listings(page.read_text(encoding="utf-8"), scene)[-1][1].endswith("# another comment")


def test_a_repository_elsewhere_is_linked_as_a_whole(builder: Builder) -> None:
    edit(
        builder.root, "storyboard.yaml", ("https://github.com/example/repo.git/tree/HEAD/site", "https://example.org/r")
    )
    assert builder.build().refused == ()
    html = (builder.root / "output/first/index.html").read_text(encoding="utf-8")
    assert set(re.findall(r'href="(https://[^"]*)"', html)) == {"https://example.org/r", "https://example.org/first/"}
    assert listings(html, "bars")[-1][0] == "scenes/a/painting.py"


def test_a_page_names_the_command_that_runs_its_scenes_in_the_sites_folder(builder: Builder) -> None:
    """A build notices a new `build.py`, or one that is gone, even if nothing else has changed."""
    for change, command in (
        (lambda path: None, "scenebook"),
        (Path.touch, "python build.py"),
        (Path.unlink, "scenebook"),
    ):
        change(builder.root / "build.py")
        assert builder.build().refused == ()
        html = (builder.root / "output/first/index.html").read_text(encoding="utf-8")
        assert f"<code>{command} run first/lines</code>" in html
