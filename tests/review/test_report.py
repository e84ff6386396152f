from __future__ import annotations

import json
import re
from dataclasses import replace
from html import escape
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from scenebook.review import _json_report as json_report
from scenebook.review import _markdown_report as markdown_report
from scenebook.review import _pixel_diff as pixel_diff
from scenebook.review import _wording as wording
from scenebook.review._built_site import BuiltClaim
from scenebook.review._compare import compare
from scenebook.review._differences import (
    ClaimChange,
    CodeChange,
    Differences,
    Package,
    PageChange,
    PictureChange,
    Review,
    SceneChange,
    Side,
    ValueChange,
)
from tests.review.test_compare import SITE, A, B, page, scene, site

LINK = "https://github.com/example/site/actions/runs/1"
GITHUB = MarkdownIt("commonmark").enable(["table", "strikethrough"])
NASTY = (
    "`a` ``b`` | c @octocat <details> &amp; [x](https://x.example) ![](y) #12 $z$ www.x.example :tada: ~~s~~ **t** \\"
)
TAGS = {"h3", "p", "ul", "li", "code", "strong", "s", "a", "table", "thead", "tbody", "tr", "th", "td", "pre"}


def review(differences: Differences, **fields: Any) -> Review:
    return Review(Side("main"), Side("branch"), differences, **fields)


def scenes(*changes: SceneChange, **fields: Any) -> Review:
    return review(Differences((PageChange("one", "Page", None, scenes=changes),), **fields))


def change(number: int = 1, **fields: Any) -> SceneChange:
    values = fields.pop("values", (ValueChange(f"one/s{number}.x", 0.25, 0.26),))
    return SceneChange(f"one/s{number}", f"Scene {number}", "changed", values=values, **fields)


def shown(markdown: str) -> str:
    """Return the text that GitHub would show, on one line."""
    text = re.sub(r"<[^>]*>", " ", GITHUB.render(markdown))
    for name, character in (("lt", "<"), ("gt", ">"), ("quot", '"'), ("amp", "&")):
        text = text.replace(f"&{name};", character)
    return " ".join(text.replace("\N{ZERO WIDTH SPACE}", "").split())


def tags(markdown: str) -> set[str]:
    return set(re.findall(r"<(\w+)", GITHUB.render(markdown)))


def assert_safe(markdown: str) -> None:
    """Assert that a report is well formed and short enough, ends with the marker, and contains no active text."""
    assert len(markdown) <= len(markdown.encode()) <= 65_536
    assert markdown.endswith(f"\n\n{markdown_report.MARKER}\n")
    assert tags(markdown.removesuffix(f"{markdown_report.MARKER}\n")) <= TAGS
    rendered = GITHUB.render(markdown)
    assert not re.search(r"@\w|#\d", re.sub(r"(?s)<code.*?</code>|<[^>]*>", "", rendered))
    assert set(re.findall(r'href="([^"]*)"', rendered)) <= {LINK}
    assert {row.count("<td") for row in re.findall(r"(?s)<tr>.*?</tr>", rendered)} <= {0, 5}
    assert rendered.count("<table>") == markdown.count("|---|---|---|---|---|")


@given(st.text(st.sampled_from("ab1 \\`*_{}[]<>()#+-.!|~$&;:/@\n\"'éw"), max_size=30))
def test_a_text_never_becomes_markup(raw: str) -> None:
    assert shown(f"x {markdown_report.text(raw)} y") == " ".join(f"x {raw} y".split())
    assert tags(f"x {markdown_report.text(raw)} y") == {"p"}


@given(st.text(st.sampled_from("ab1 \\`*_{}[]<>()#|$&@\n"), max_size=30))
def test_code_keeps_all_its_characters(raw: str) -> None:
    if raw.strip():
        assert shown(f"x {markdown_report.code(raw)} y") == " ".join(f"x {raw} y".split())
        assert tags(f"x {markdown_report.code(raw)} y") == {"p", "code"}


def test_six_hundred_scenes_with_nasty_titles_fit_into_a_comment() -> None:
    title = (NASTY * 3)[:200]
    changes = [replace(change(number), title=escape(title), name=f"{NASTY}/s{number}") for number in range(600)]
    found = markdown_report.render(replace(scenes(*changes), link=LINK))
    assert_safe(found)
    assert found.startswith("600 scenes changed, 600 values; 0 scenes unchanged\n")
    reported = len(re.findall("^### ", found, re.MULTILINE))
    assert reported > 50
    more = f"and {600 - reported} more, in [the full report](<{LINK}>)"
    assert f"\n\n{more}\n\n{markdown_report.MARKER}\n" in found


def test_characters_of_four_bytes_fit_into_a_comment() -> None:
    found = markdown_report.render(
        scenes(*(replace(change(number), title="\N{CAT FACE}" * 120) for number in range(600)))
    )
    assert_safe(found)


def test_one_huge_scene_fits_into_a_comment() -> None:
    long = "word " * 500
    claims = tuple(BuiltClaim(f"{long}{number}", f"{long}{number}", holds=True, margin=1.0) for number in range(400))
    before = replace(A, texts={"text": f"<p>{long}</p>"}, values={f"v{n}": n for n in range(500)}, claims=())
    after = replace(A, texts={"text": f"<p>{long.replace('word', 'other')}. {long}.</p>"}, claims=claims)
    after = replace(after, values={f"v{n}": n + 0.5 for n in range(500)}, title=long)
    code = {A.code[0]: "\n".join(f"```` {n} {long}" for n in range(2000))}
    found = markdown_report.render(
        review(compare(site(page("one", before), code={A.code[0]: ""}), site(page("one", after), code=code)))
    )
    assert_safe(found)
    assert "and 476 more values" in found
    assert "and 1961 more lines" in found


def test_nasty_values_texts_claims_and_names_are_escaped() -> None:
    before = replace(A, title=escape(NASTY), values={"x": NASTY}, texts={"text": f"<p>{NASTY}</p>"}, claims=())
    after = replace(
        before,
        values={"x": NASTY + "\n| e |", "y": "@octocat"},
        claims=(BuiltClaim(NASTY, NASTY, holds=True, margin=1.0),),
    )
    after = replace(after, texts={"text": f"<p>{NASTY[::-1]}</p>"})
    quoted = page("one", after, quoted={NASTY: (NASTY,)}, texts={"summary": f"<p>{NASTY}</p>"})
    found = review(compare(site(page("one", before)), site(quoted)))
    found = replace(found, before=Side(NASTY, (NASTY,), failed=True), packages=(Package(NASTY, NASTY, None),))
    assert_safe(markdown_report.render(found))
    assert f"claim, new : {NASTY}" in shown(markdown_report.render(found))


def test_a_report_without_changes_says_so() -> None:
    found = markdown_report.render(review(compare(SITE, SITE)))
    assert found == f"no changes; 5 scenes unchanged\n\n`main` → `branch`\n\n{markdown_report.MARKER}\n"


def test_the_headline_sums_up_the_changes() -> None:
    fails = BuiltClaim("It holds.", "s.x > 1", holds=False, margin=0.1)
    claims = (ClaimChange(replace(fails, holds=True), fails),)
    values = tuple(ValueChange(f"one/s1.v{number}", number, number + 1) for number in range(4))
    changes = change(1, values=values), change(2, claims=claims)
    found = scenes(*changes, unchanged=tuple(f"one/u{number}" for number in range(14)))
    assert wording.headline(found) == "2 scenes changed, 5 values, 1 claim now fails; 14 scenes unchanged"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"kind": "moved", "values": ()}, "1 scene moved; 0 scenes unchanged"),
        ({"kind": "moved"}, "1 scene changed, 1 moved, 1 value; 0 scenes unchanged"),
        ({"kind": "added"}, "1 scene added; 0 scenes unchanged"),
        ({"kind": "removed"}, "1 scene removed; 0 scenes unchanged"),
        ({"values": (), "failed": ("after",)}, "1 scene fails; 0 scenes unchanged"),
        (
            {"picture": PictureChange("added", None, "one/s.png")},
            "1 scene changed, 1 value, 1 figure; 0 scenes unchanged",
        ),
    ],
)
def test_the_headline_counts_each_kind_of_change(fields: dict[str, Any], expected: str) -> None:
    assert wording.headline(scenes(replace(change(), **fields))) == expected


def test_the_most_important_changes_come_first() -> None:
    fails = BuiltClaim("It holds.", "s.x > 1", holds=False, margin=0.1)
    changes = (
        change(1, values=(), code=(CodeChange("scenes/one.py", ("-a", "+b")),)),
        change(2),
        change(3, values=(), claims=(ClaimChange(replace(fails, holds=True), fails),)),
        change(4, values=(), failed=("after",)),
        change(5),
    )
    names = re.findall(r"^### .*`one/(s\d)`", markdown_report.render(scenes(*changes)), re.MULTILINE)
    assert names == ["s4", "s3", "s2", "s5", "s1"]


def test_a_side_that_cannot_be_built_is_reported() -> None:
    failed = Side("branch", ("storyboard.yaml:3: pages: not found",), failed=True)
    found = replace(review(Differences()), after=failed, comparable=False)
    text = markdown_report.render(found)
    assert text.startswith("the build of branch fails; nothing can be compared\n")
    assert "- `storyboard.yaml:3: pages: not found`" in text


def test_a_changed_picture_is_described_with_its_place() -> None:
    difference = pixel_diff.Difference((640, 480), (641, 480), 12, 307_200, 30, (3, 4, 10, 6), b"")
    text = wording.picture(PictureChange("changed", "a", "a", difference))
    assert text == ("size 640×480 → 641×480 pixels; 12 of 307,200 pixels differ, within columns 3 to 9 and rows 4 to 5")


def test_the_report_for_programs_is_strict_json() -> None:
    after = replace(B, values={"x": float("inf"), "n": [1.0, 2.0]}, texts={"text": "<p>Other words.</p>"})
    found = review(compare(site(page("one", B)), site(page("one", after))))
    data = json.loads(json_report.render(found), parse_constant=pytest.fail)
    [changed] = data["differences"]["pages"][0]["scenes"]
    assert data["headline"] == wording.headline(found)
    assert [(value["name"], value["after"]) for value in changed["values"]] == [("one/b.x", "inf"), ("one/b.n", [1, 2])]
    assert changed["texts"][0]["sentence"][-1] == {"kind": "new", "text": "Other words."}


def test_unchanged_words_far_from_a_change_are_left_out() -> None:
    words = " ".join(f"w{number}" for number in range(100))
    old, new = (replace(scene("one/a"), texts={"text": f"<p>{words} {end}</p>"}) for end in ("up", "down"))
    text = markdown_report.render(review(compare(site(page("one", old)), site(page("one", new)))))
    assert "- text: … w88 w89 w90 w91 w92 w93 w94 w95 w96 w97 w98 w99 ~~up~~ **down**" in text
