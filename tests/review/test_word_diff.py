from __future__ import annotations

from collections.abc import Set

from scenebook.core.text import Text
from scenebook.prose import prose
from scenebook.review import _word_diff as word_diff


def render(text: str, **values: object) -> str:
    return prose.block(Text(text), "", prose.Scope("page", {"scene": values}))


def changed_sentences(
    before: str, after: str, changed: Set[str] = frozenset(), names: dict[str, str] | None = None
) -> list[str]:
    """Return the changed sentences, with removed words in [-...-] and new words in {+...+}."""
    full_names = {f"page/scene.{name}" for name in changed}
    found = word_diff.compare(before, after, lambda name: (names or {}).get(name, name), full_names.__contains__)
    marks = {"gone": "[-{}-]", "new": "{{+{}+}}", "same": "{}"}
    return [
        " ".join(marks[kind].format(word_diff.joined(tokens)) for kind, tokens in word_diff.runs(sentence))
        for sentence in found
    ]


def test_only_changed_sentences_are_reported() -> None:
    before = render("One stays. Two goes away. Three stays.\n\nFour stays.")
    after = render("One stays. Two comes back. Three stays.\n\nFour stays.")
    assert changed_sentences(before, after) == ["Two [-goes away.-] {+comes back.+}"]


def test_markup_and_line_breaks_are_ignored() -> None:
    assert changed_sentences(render("One *two*\nthree."), render("One two three.")) == []


def test_a_changed_value_does_not_count_as_rewording() -> None:
    before, after = (render("It is {{ scene.x:.2f }} bits. More.", x=x) for x in (0.651, 0.662))
    assert changed_sentences(before, after, {"x"}) == ["It is [-0.65-] {+0.66+} bits."]
    [sentence] = word_diff.compare(before, after, str, {"page/scene.x"}.__contains__)
    assert not word_diff.reworded(sentence)
    assert word_diff.changed_values(sentence) == ("page/scene.x",)


def test_rounding_noise_is_ignored_even_if_it_changes_a_digit() -> None:
    before, after = (render("It is {{ scene.x:.1f }} bits.", x=x) for x in (0.25, 0.25000000001))
    assert before != after
    assert changed_sentences(before, after) == []


def test_another_format_of_the_same_value_is_reported() -> None:
    before, after = (render(f"It is {{{{ scene.x:{spec} }}}}.", x=0.651) for spec in (".2f", ".1f"))
    assert changed_sentences(before, after) == ["It is [-0.65-] {+0.7+} ."]


def test_an_element_changes_with_its_array() -> None:
    raw = r"At {{ scene.x[1] }}, {{ scene.df['a b'][0] }} and $v = \begin{matrix} {{ scene.x }} \end{matrix}$."
    before = render(raw, **{"x": ("1", "2"), 'df["a b"]': ("c",)})
    after = render(raw, **{"x": ("1", "3"), 'df["a b"]': ("d",)})
    both = changed_sentences(before, after, {"x", 'df["a b"]'})
    assert len(both) == 1
    assert both[0].startswith("At [-2-] {+3+} , [-c-] {+d+} and")
    names = {"page/scene.x": "page/scene.y", 'page/scene.df["a b"]': 'page/scene.df["c"]'}
    raw = raw.replace("scene.x", "scene.y").replace("'a b'", "'c'")
    renamed = render(raw, **{"y": ("1", "2"), 'df["c"]': ("c",)})
    assert changed_sentences(before, renamed, names=names) == []


def test_another_element_of_the_same_array_is_a_rewording() -> None:
    before, after = (render(f"At {{{{ scene.x[{index}] }}}}.", x=("1", "2")) for index in (0, 1))
    assert changed_sentences(before, after) == ["At [-1-] {+2+} ."]


def test_a_renamed_value_is_ignored() -> None:
    before, after = render("It is {{ scene.x }}.", x=2), render("It is {{ scene.y }}.", y=2)
    assert changed_sentences(before, after, names={"page/scene.x": "page/scene.y"}) == []
    assert changed_sentences(before, after) == ["It is [-2-] {+2+} ."]


def test_a_formula_changes_as_a_whole() -> None:
    before, after = render("Take $a_i + b$ here."), render("Take $a_i - b$ here.")
    assert changed_sentences(before, after) == ["Take [-a_i + b-] {+a_i - b+} here."]
    [sentence] = word_diff.compare(before, after, str, bool)
    assert [piece.token.html[:5] for piece in sentence if piece.kind == "new"] == ["<math"]


def test_a_changed_value_in_a_formula_does_not_count_as_rewording() -> None:
    before, after = (render("So $n = {{ scene.x }}$ here.", x=x) for x in (4, 5))
    [sentence] = word_diff.compare(before, after, str, {"page/scene.x"}.__contains__)
    assert not word_diff.reworded(sentence)
    assert word_diff.changed_values(sentence) == ("page/scene.x",)


def test_an_unknown_value_of_a_failed_scene_is_ignored() -> None:
    text = Text("For $n = {{ scene.x:,d }}$ it is {{ scene.y }}.")
    failed = prose.block(text, "", prose.Scope("page", {"scene": {}}, failed=frozenset({"scene"})))
    assert "?" in failed
    assert changed_sentences(render(text, x=1024, y=0.5), failed) == []
    assert changed_sentences(failed, render(text, x=1024, y=0.5)) == []


def test_a_changed_link_target_is_reported() -> None:
    before, after = render("See [this](https://a.example/) now."), render("See [this](https://b.example/) now.")
    assert changed_sentences(before, after) == ["See this [-(https://a.example/)-] {+(https://b.example/)+} now."]


def test_letters_composed_differently_are_equal() -> None:
    assert changed_sentences(render("caf\xe9 open."), render("cafe\u0301 open.")) == []


def test_code_and_escapes_stay_escaped() -> None:
    [sentence] = word_diff.compare("<p>a</p>", render("`<b>` & \\` c"), str, bool)
    assert "".join(piece.token.html for piece in sentence if piece.kind == "new") == "&lt;b&gt;&amp;`c"


def test_one_changed_word_is_found_in_a_long_text() -> None:
    text = " ".join(f"word{number % 50} is here." for number in range(4000))
    assert changed_sentences(render(text), render(text.replace("word7 is", "word7 was", 1))) == [
        "word7 [-is-] {+was+} here."
    ]


def test_the_number_of_a_footnote_is_ignored() -> None:
    scope = prose.Scope("page", {}, notes=[3])
    text = Text("One[^n] stays.\n\n[^n]: note")
    before, after = render(str(text)), prose.block(text, "", scope)
    assert (">1<" in before, ">4<" in after) == (True, True)
    assert changed_sentences(before, after) == []
    assert changed_sentences(before, render("One stays.")) == ["One [-1-] stays.", "[-note ↩-]"]
