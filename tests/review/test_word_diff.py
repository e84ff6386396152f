from __future__ import annotations

from scenebook.core.text import Text
from scenebook.prose import prose
from scenebook.review import _word_diff as word_diff


def render(text: str, **values: object) -> str:
    return prose.block(Text(text), "", prose.Scope("page", {"scene": values}))


def told(before: str, after: str, changed: set[str] = frozenset(), names: dict[str, str] | None = None) -> list[str]:  # type: ignore[assignment]
    """The changed sentences, with what is gone in [-...-] and what is new in {+...+}."""
    full = {f"page/scene.{name}" for name in changed}
    found = word_diff.compare(before, after, lambda name: (names or {}).get(name, name), full.__contains__)
    marks = {"gone": "[-{}-]", "new": "{{+{}+}}", "same": "{}"}
    return [
        " ".join(marks[kind].format(word_diff.joined(tokens)) for kind, tokens in word_diff.runs(sentence))
        for sentence in found
    ]


def test_a_sentence_that_did_not_change_is_told() -> None:
    before = render("One stays. Two goes away. Three stays.\n\nFour stays.")
    after = render("One stays. Two comes back. Three stays.\n\nFour stays.")
    assert told(before, after) == ["Two [-goes away.-] {+comes back.+}"]


def test_markup_or_a_line_break_is_a_change() -> None:
    assert told(render("One *two*\nthree."), render("One two three.")) == []


def test_a_value_that_changed_makes_its_text_a_changed_text() -> None:
    before, after = (render("It is {{ scene.x:.2f }} bits. More.", x=x) for x in (0.651, 0.662))
    assert told(before, after, {"x"}) == ["It is [-0.65-] {+0.66+} bits."]
    [sentence] = word_diff.compare(before, after, str, {"page/scene.x"}.__contains__)
    assert not word_diff.reworded(sentence)
    assert word_diff.shows(sentence) == ("page/scene.x",)


def test_rounding_noise_at_the_border_of_two_digits_is_told() -> None:
    before, after = (render("It is {{ scene.x:.1f }} bits.", x=x) for x in (0.25, 0.25000000001))
    assert (before, after) != (after, before)
    assert told(before, after) == []


def test_another_format_of_the_same_value_is_silent() -> None:
    before, after = (render(f"It is {{{{ scene.x:{spec} }}}}.", x=0.651) for spec in (".2f", ".1f"))
    assert told(before, after) == ["It is [-0.65-] {+0.7+} ."]


def test_a_renamed_value_is_another_text() -> None:
    before, after = render("It is {{ scene.x }}.", x=2), render("It is {{ scene.y }}.", y=2)
    assert told(before, after, names={"page/scene.x": "page/scene.y"}) == []
    assert told(before, after) == ["It is [-2-] {+2+} ."]


def test_a_formula_is_cut_into_its_symbols() -> None:
    before, after = render("Take $a_i + b$ here."), render("Take $a_i - b$ here.")
    assert told(before, after) == ["Take [-a_i + b-] {+a_i - b+} here."]
    [sentence] = word_diff.compare(before, after, str, bool)
    assert [piece.token.html[:5] for piece in sentence if piece.kind == "new"] == ["<math"]


def test_a_value_in_a_formula_makes_it_another_formula() -> None:
    before, after = (render("So $n = {{ scene.x }}$ here.", x=x) for x in (4, 5))
    [sentence] = word_diff.compare(before, after, str, {"page/scene.x"}.__contains__)
    assert not word_diff.reworded(sentence)
    assert word_diff.shows(sentence) == ("page/scene.x",)


def test_an_unknown_value_of_a_failed_scene_is_a_change() -> None:
    text = Text("For $n = {{ scene.x:,d }}$ it is {{ scene.y }}.")
    failed = prose.block(text, "", prose.Scope("page", {"scene": {}}, failed=frozenset({"scene"})))
    assert "?" in failed
    assert told(render(text, x=1024, y=0.5), failed) == []
    assert told(failed, render(text, x=1024, y=0.5)) == []


def test_a_link_that_leads_elsewhere_is_silent() -> None:
    before, after = render("See [this](https://a.example/) now."), render("See [this](https://b.example/) now.")
    assert told(before, after) == ["See this [-(https://a.example/)-] {+(https://b.example/)+} now."]


def test_letters_composed_differently_are_told() -> None:
    assert told(render("caf\xe9 open."), render("cafe\u0301 open.")) == []


def test_code_and_escapes_come_back_as_markup() -> None:
    [sentence] = word_diff.compare("<p>a</p>", render("`<b>` & \\` c"), str, bool)
    assert "".join(piece.token.html for piece in sentence if piece.kind == "new") == "&lt;b&gt;&amp;`c"


def test_a_long_text_takes_minutes() -> None:
    text = " ".join(f"word{number % 50} is here." for number in range(4000))
    assert told(render(text), render(text.replace("word7 is", "word7 was", 1))) == ["word7 [-is-] {+was+} here."]


def test_the_number_of_a_note_is_not_a_word() -> None:
    scope = prose.Scope("page", {}, notes=[3])
    text = Text("One[^n] stays.\n\n[^n]: note")
    before, after = render(str(text)), prose.block(text, "", scope)
    assert (">1<" in before, ">4<" in after) == (True, True)
    assert told(before, after) == []
    assert told(before, render("One stays.")) == ["One [-1-] stays.", "[-note ↩-]"]
