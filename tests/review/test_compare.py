from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scenebook.core.problems import Problems
from scenebook.review import _built_site as built_site
from scenebook.review import _wording as wording
from scenebook.review._built_site import BuiltClaim, BuiltPage, BuiltScene, BuiltSite
from scenebook.review._compare import compare
from scenebook.review._differences import Differences, SceneChange
from scenebook.review._word_diff import joined, runs
from tests.review.test_pixel_diff import BASE, png

NOWHERE = Path("nowhere")


def scene(name: str, **fields: Any) -> BuiltScene:
    """Return a scene that shares no value, text or title with any other."""
    slug, _, scene_id = name.partition("/")
    unique = sum(map(ord, name)) / 7
    defaults = {
        "title": f"Title of {name}",
        "values": {"x": unique, "n": 4},
        "texts": {"text": f'<p>About {name}: <data value="{unique}" data-from="{name}.x">{unique:.3g}</data>.</p>'},
        "code": (f"scenes/{name}.py",),
        "claims": (BuiltClaim(f"{name} is large.", f"{scene_id}.x > 1", holds=True, margin=unique - 1),),
    }
    return BuiltScene(slug, scene_id, **{**defaults, **fields})


def page(slug: str, *scenes: BuiltScene, **fields: Any) -> BuiltPage:
    defaults = {"texts": {}, "claims": (), "quoted": {}, "weight": 10_000}
    return BuiltPage(slug, title=f"Page {slug}", scenes=scenes, **{**defaults, **fields})


def site(*pages: BuiltPage, **fields: Any) -> BuiltSite:
    return BuiltSite(fields.pop("folder", NOWHERE), pages, **fields)


A, B, C, D, E = (scene(name) for name in ("one/a", "one/b", "one/c", "two/d", "two/e"))
SITE = site(page("one", A, B, C), page("two", D, E))


def kinds(differences: Differences) -> dict[str, tuple[str, str, bool]]:
    return {change.name: (change.kind, change.was, change.content) for change in differences.scenes}


def only_scene(differences: Differences) -> SceneChange:
    [change] = differences.scenes
    return change


def values(change: SceneChange) -> dict[str, Any]:
    return {value.name.rpartition(".")[2]: (value.before, value.after) for value in change.values}


def test_a_site_does_not_differ_from_itself() -> None:
    differences = compare(SITE, SITE)
    assert not differences
    assert differences.unchanged == ("one/a", "one/b", "one/c", "two/d", "two/e")


def test_a_changed_value_is_reported_with_the_sentences_that_show_it() -> None:
    text = '<p>It is <data value="5" data-from="one/b.x">5</data> now. It was.</p>'
    old = replace(B, values={"x": 4, "n": 4}, texts={"text": text.replace("5", "4")})
    new = replace(B, values={"x": 5, "n": 4}, texts={"text": text})
    elsewhere = page("two", D, E, texts={"takeaways": text})
    before = page("two", D, E, texts={"takeaways": text.replace("5", "4")})
    differences = compare(site(page("one", A, old, C), before), site(page("one", A, new, C), elsewhere))
    change = only_scene(differences)
    assert (change.name, values(change)) == ("one/b", {"x": (4, 5)})
    [shown] = change.sentences
    assert (shown.place, shown.field, shown.also) == ("one/b", "text", ("takeaways of two",))
    assert change.texts == ()
    assert [page.slug for page in differences.pages] == ["one"]


def test_a_moved_scene_is_recognized() -> None:
    moved = replace(B, slug="two", texts={"text": B.texts["text"].replace("one/b", "two/b")})
    now = site(page("one", A, C), page("two", D, moved, E))
    assert kinds(compare(SITE, now)) == {"two/b": ("moved", "one/b", True)}  # its text contains the name of its page
    moved = replace(moved, texts={"text": B.texts["text"].replace("one/b.x", "two/b.x")})
    now = site(page("one", A, C), page("two", D, moved, E))
    assert kinds(compare(SITE, now)) == {"two/b": ("moved", "one/b", False)}


def test_a_renamed_scene_is_recognized() -> None:
    claims = (BuiltClaim("one/b is large.", "better.x > 1", holds=True, margin=B.claims[0].margin),)
    renamed = replace(B, id="better", claims=claims, texts={"text": B.texts["text"].replace("one/b.x", "one/better.x")})
    differences = compare(SITE, site(page("one", A, renamed, C), page("two", D, E)))
    assert kinds(differences) == {"one/better": ("renamed", "one/b", False)}


def test_as_few_scenes_as_possible_are_reported_as_reordered() -> None:
    differences = compare(SITE, site(page("one", C, A, B), page("two", D, E)))
    assert kinds(differences) == {"one/c": ("reordered", "", False)}


def test_a_removed_and_an_added_scene_are_not_matched() -> None:
    new = scene("one/new", values={"y": 2.0, "n": 4})
    differences = compare(SITE, site(page("one", A, new, C), page("two", D, E)))
    assert kinds(differences) == {"one/b": ("removed", "", True), "one/new": ("added", "", True)}
    assert [change.name for change in differences.scenes] == ["one/b", "one/new"]
    assert differences.unchanged == ("one/a", "one/c", "two/d", "two/e")


def test_a_removed_scene_is_reported_at_its_old_place() -> None:
    differences = compare(SITE, site(page("one", A, C), page("two", E)))
    assert [(change.name, change.kind) for change in differences.scenes] == [("one/b", "removed"), ("two/d", "removed")]


def test_a_renamed_page_is_recognized_with_its_scenes() -> None:
    def renamed(part: BuiltScene) -> BuiltScene:
        texts = {field: text.replace("two/", "second/", 2) for field, text in part.texts.items()}
        return replace(part, slug="second", texts=texts)

    text = {"text": '<p>About it: <data value="1" data-from="two/d.x">1</data>.</p>'}
    old, new = replace(D, texts=text), renamed(replace(D, texts=text))
    second = replace(page("second", new), title="BuiltPage two")
    differences = compare(site(page("one", A), page("two", old)), site(page("one", A), second))
    [change] = differences.pages
    assert (change.kind, change.was, change.scenes) == ("renamed", "two", ())
    assert differences.unchanged == ("one/a", "second/d")


def test_added_removed_and_reordered_pages_are_reported() -> None:
    one, two, three = SITE.pages[0], SITE.pages[1], page("three", scene("three/z"))
    found = [(p.slug, p.kind) for p in compare(site(one, two), site(three, two, one)).pages]
    assert found == [("three", "added"), ("one", "reordered")]
    assert [(p.slug, p.kind) for p in compare(site(one, two, three), site(one, three)).pages] == [("two", "removed")]


@pytest.mark.parametrize(
    ("before", "after", "new", "within"),
    [
        ({"x": (0.9, 1.1)}, {"x": (5.0, 6.0)}, 1.05, True),
        ({"x": (0.9, 1.1)}, {"x": (5.0, 6.0)}, 1.15, False),
        ({}, {"x": (0.9, 1.1)}, 1.15, True),
        ({}, {}, 1.05, False),
        ({"x": (0.9, 1.1)}, {}, None, False),
    ],
)
def test_a_change_within_what_another_seed_gives_is_told_apart(
    before: dict[str, Any], after: dict[str, Any], new: float | None, within: bool
) -> None:
    old, now = (replace(A, spreads=spreads, texts={}, claims=()) for spreads in (before, after))
    old, now = replace(old, values={"x": 1.0}), replace(now, values={"x": new})
    [change] = only_scene(compare(site(page("one", old)), site(page("one", now)))).values
    assert change.within is within
    [row] = wording.rows(only_scene(compare(site(page("one", old)), site(page("one", now)))))
    assert row.note == ("within what another seed gives" if within else "")


def test_a_renamed_value_is_recognized_in_texts_and_claims() -> None:
    def named(name: str) -> BuiltScene:
        text = f'<p>It is <data value="5" data-from="one/b.{name}">5</data>.</p>'
        claims = (BuiltClaim("It is large.", f"b.{name} > 1 and a.x < 9", holds=True, margin=4.0),)
        return replace(B, values={name: 5, "n": 4}, texts={"text": text}, claims=claims)

    differences = compare(site(page("one", A, named("x"))), site(page("one", A, named("bits"))))
    change = only_scene(differences)
    [value] = change.values
    assert (value.name, value.was, value.kind) == ("one/b.bits", "x", "renamed")
    assert (change.sentences, change.texts, change.claims) == ((), (), ())


def test_added_and_removed_values_are_reported() -> None:
    before, after = replace(B, values={"x": 1.0, "old": 2.0}), replace(B, values={"x": 1.0, "new": 3.0})
    change = only_scene(compare(site(page("one", before)), site(page("one", after))))
    assert {(value.name, value.kind) for value in change.values} == {("one/b.new", "added"), ("one/b.old", "removed")}


LARGE = BuiltClaim("Large.", "b.x > 2", holds=True, margin=3.0)


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (LARGE, replace(LARGE, check="b.x > 1", margin=4.0), "weakened"),
        (LARGE, replace(LARGE, check="b.x > 2.5", margin=2.5), "changed"),
        (LARGE, replace(LARGE, say="Big."), "changed"),
        (LARGE, replace(LARGE, say="Big.", check="b.x > 1"), "weakened"),
        (LARGE, replace(LARGE, at={"fair": True}), None),
        (replace(LARGE, at={}), replace(LARGE, at={"fair": True}), "weakened"),
        (replace(LARGE, at={"fair": True}), replace(LARGE, at={"fair": False}), "changed"),
        (LARGE, replace(LARGE, holds=False, margin=1.0), "fails"),
        (replace(LARGE, holds=False, margin=1.0), LARGE, "holds"),
        (LARGE, None, "removed"),
        (None, LARGE, "added"),
        (LARGE, replace(LARGE, margin=3.0 + 1e-9), None),
    ],
)
def test_a_changed_claim_is_reported_with_its_kind(
    before: BuiltClaim | None, after: BuiltClaim | None, kind: str | None
) -> None:
    old, new = (replace(B, claims=(claim,) if claim else ()) for claim in (before, after))
    differences = compare(site(page("one", old)), site(page("one", new)))
    assert [change.kind for change in differences.claims] == ([kind] if kind else [])


def test_a_claim_with_another_margin_is_listed_apart_and_is_no_change() -> None:
    old, new = (replace(B, claims=(replace(LARGE, margin=margin),)) for margin in (3.0, 2.0))
    differences = compare(site(page("one", old)), site(page("one", new)))
    [change] = differences.margins
    assert (change.kind, change.place, change.before, change.after) == ("margin", "one/b", *old.claims, *new.claims)
    assert (bool(differences), differences.unchanged) == (False, ("one/b",))


def test_a_claim_that_moves_between_a_scene_and_its_page_is_no_change() -> None:
    before, after = page("one", replace(B, claims=(LARGE,))), page("one", replace(B, claims=()), claims=(LARGE,))
    assert compare(site(before), site(after)).claims == ()
    assert compare(site(after), site(before)).claims == ()
    twice = page("one", replace(B, claims=(LARGE, LARGE)))
    assert [change.kind for change in compare(site(twice), site(after)).claims] == ["removed"]


def test_a_sentence_that_shows_values_of_two_scenes_is_reported_once() -> None:
    text = (
        '<p>From <data value="{0}" data-from="one/a.x">{0}</data> to <data value="{1}" data-from="one/b.x">{1}</data>.'
    )

    def both(x: int) -> tuple[BuiltScene, BuiltScene]:
        shown = {"text": text.format(x, x + 1)}
        return replace(A, values={"x": x}, texts={}), replace(B, values={"x": x + 1}, texts=shown)

    differences = compare(site(page("one", *both(4))), site(page("one", *both(7))))
    assert [(scene.name, len(scene.sentences)) for scene in differences.scenes] == [("one/a", 0), ("one/b", 1)]


def test_a_sentence_with_other_words_and_numbers_is_reported_once() -> None:
    def named(x: int, verb: str) -> BuiltScene:
        text = f'<p>It {verb} <data value="{x}" data-from="one/b.x">{x}</data>.</p>'
        return replace(B, values={"x": x}, texts={"text": text})

    change = only_scene(compare(site(page("one", named(4, "is"))), site(page("one", named(5, "was")))))
    assert (change.sentences, len(change.texts)) == ((), 1)


def test_the_data_that_changed_is_named_where_both_sides_know_it() -> None:
    old = replace(B, values={"x": 1.0}, inputs={"a.csv": "1", "b.csv": "1", "d.csv": "1"})
    new = replace(B, values={"x": 2.0}, inputs={"a.csv": "2", "b.csv": "1", "c.csv": "1"})
    assert only_scene(compare(site(page("one", old)), site(page("one", new)))).inputs == ("a.csv", "c.csv", "d.csv")
    unknown = replace(old, inputs=None)
    assert only_scene(compare(site(page("one", unknown)), site(page("one", new)))).inputs == ()
    same = replace(new, values=old.values)
    assert not compare(site(page("one", old)), site(page("one", same)))


def test_claims_with_the_same_words_are_told_apart() -> None:
    def claims(*checks: str) -> tuple[BuiltClaim, ...]:
        return tuple(BuiltClaim("It holds.", check, holds=True, margin=1.0) for check in checks)

    old, new = replace(B, claims=claims("b.x > 1", "b.n > 2")), replace(B, claims=claims("b.n > 2", "b.x > 1"))
    assert not compare(site(page("one", old)), site(page("one", new)))


def test_the_values_claims_and_texts_of_a_failed_scene_are_not_reported_as_removed() -> None:
    old = replace(B, picture="one/b.png", texts={**B.texts, "caption": "<p>See it.</p>"})
    failed = BuiltScene("one", "b", title=B.title, failed=True, texts=B.texts, code=B.code)
    claim = BuiltClaim("Both.", "a.x > b.x", holds=True, margin=1.0)
    before, after = page("one", A, old, claims=(claim,)), page("one", replace(A, values={"x": 1.5, "n": 4}), failed)
    differences = compare(site(before), site(after))
    a, b = differences.scenes
    assert (a.name, values(a)["x"][1]) == ("one/a", 1.5)
    assert b == SceneChange("one/b", B.title, "changed", failed=("after",))
    assert differences.pages[0].claims == ()


def test_shared_code_is_reported_once_and_moved_files_are_not_reported() -> None:
    shared = "scenes/one/functions.py"
    code = {"scenes/one/a.py": "a = 1\n", "scenes/one/b.py": "b = 1\n", shared: "f = 1\n"}
    scenes = [replace(part, code=(part.code[0], shared)) for part in (A, B)]
    old = site(page("one", *scenes), code=code)
    new = site(page("one", *scenes), code={**code, "scenes/one/a.py": "a = 2\n"})
    [change] = only_scene(compare(old, new)).code
    assert (change.file, change.lines) == ("scenes/one/a.py", ("@@ -1 +1 @@", "-a = 1", "+a = 2"))
    differences = compare(old, site(page("one", *scenes), code={**code, shared: "f = 2\n"}))
    assert (differences.scenes, [change.file for change in differences.code]) == ((), [shared])
    elsewhere = site(
        page("one", replace(A, code=("scenes/other.py", shared)), scenes[1]),
        code={**code, "scenes/other.py": "a = 1\n"},
    )
    assert not compare(old, elsewhere)


def test_changed_quoted_numbers_are_reported() -> None:
    old = page("one", A, quoted={"the paper": ("8", "512"), "a talk": ("3",)})
    new = page("one", A, quoted={"the paper": ("8", "513"), "a talk": ("3",)})
    [change] = compare(site(old), site(new)).pages[0].quoted
    assert (change.source, change.gone, change.new) == ("the paper", ("512",), ("513",))


@pytest.mark.parametrize(("after", "reported"), [(10_900, False), (12_000, True), (8_000, True), (None, False)])
def test_only_a_large_change_of_a_pages_weight_is_reported(after: int | None, reported: bool) -> None:
    differences = compare(SITE, site(page("one", A, B, C, weight=after), page("two", D, E)))
    assert [change.weight for change in differences.pages] == ([(10_000, after)] if reported else [])


def folder(path: Path, files: Mapping[str, bytes]) -> Path:
    for name, content in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)
    return path


def test_a_broken_picture_does_not_stop_the_comparison(tmp_path: Path) -> None:
    scenes = [scene(f"one/{name}", picture=f"one/{name}.png") for name in ("a", "b", "c", "d", "e")]
    changed = BASE.copy()
    changed[3:5, 7:9] ^= 64
    same, other = png(BASE), png(changed)
    before = folder(tmp_path / "before", {"one/a.png": same, "one/b.png": same, "one/c.png": same, "one/e.png": same})
    after = folder(
        tmp_path / "after",
        {"one/a.png": same[:900], "one/b.png": other, "one/d.png": same, "one/e.png": png(BASE, compress_level=0)},
    )
    differences = compare(site(page("one", *scenes), folder=before), site(page("one", *scenes), folder=after))
    pictures = {change.name: change.picture for change in differences.scenes}
    assert {name: picture and picture.kind for name, picture in pictures.items()} == {
        "one/a": "unreadable",
        "one/b": "changed",
        "one/c": "removed",
        "one/d": "added",
    }
    assert pictures["one/a"]
    assert pictures["one/a"].message.startswith("the picture after cannot be read")
    assert pictures["one/b"]
    assert pictures["one/b"].difference
    assert pictures["one/b"].difference.box == (7, 3, 9, 5)


@pytest.mark.parametrize("content", [b"", b"[]", b'{"pages": 3}', b'{"pages": {"one": {}}}', b"\xff"])
def test_a_folder_that_is_not_a_site_is_reported(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "facts.json").write_bytes(content)
    with pytest.raises(Problems, match=r"facts\.json"):
        built_site.read(tmp_path)


def test_a_site_built_by_an_older_engine_is_read(tmp_path: Path) -> None:
    facts = b'{"pages": {"one": {"title": "One", "scenes": {"a": {"params": {"n": 2}, "values": {"x": 0.5}}}}}}'
    read = built_site.read(folder(tmp_path, {"facts.json": facts}))
    assert read.pages[0].scenes[0] == BuiltScene("one", "a", values={"n": 2, "x": 0.5})


def test_removed_and_new_words_are_marked() -> None:
    old, new = replace(B, texts={"text": "<p>It goes up.</p>"}), replace(B, texts={"text": "<p>It goes down.</p>"})
    [shown] = only_scene(compare(site(page("one", old)), site(page("one", new)))).texts
    assert [(kind, joined(tokens)) for kind, tokens in runs(shown.sentence)] == [
        ("same", "It goes"),
        ("gone", "up."),
        ("new", "down."),
    ]


def test_six_hundred_renamed_scenes_are_matched() -> None:
    random = np.random.default_rng(2)
    old = [scene(f"one/a{number}", values={"x": float(random.random())}) for number in range(600)]
    new = [replace(part, id=f"b{part.id}") for part in old]
    differences = compare(site(page("one", *old)), site(page("one", *new)))
    assert {change.kind for change in differences.scenes} == {"renamed"}
    assert all(change.was.replace("/a", "/ba") == change.name for change in differences.scenes)
