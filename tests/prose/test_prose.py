"""Texts become HTML that holds everything the author wrote, once, and nothing else."""

from __future__ import annotations

import math
import re
import time
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenebook.core.text import Text
from scenebook.prose import prose
from scenebook.storyboard.model import NumberRule

VALUES: dict[str, dict[str, Any]] = {
    "s": {
        "a": 0.6473801910873517,
        "n": 8,
        "share": 0.031,
        "big": 1048576,
        "tiny": 1.2e-7,
        "loss": -0.5,
        "word": "a_<b>",
    },
    "x/y": {"q": 3},
}
MARKS = st.text(alphabet="$`~\\{}\n a1.:<>&*_[]()#|!^=+-'\"/ s\u05e9\u0301\U0001f600", max_size=60)
TAGS = set(
    re.findall(
        r"\w+",
        "p strong em a code pre span data math h3 h4 h5 h6 ul ol li dl dt dd table thead tbody tr th td div sup hr br "
        "blockquote img semantics annotation mrow mi mn mo ms mtext msup msub msubsup mfrac msqrt mroot mover munder "
        "munderover mtable mtr mtd mspace mstyle mpadded mphantom merror menclose mmultiscripts mprescripts none",
    )
)


class Read(HTMLParser):
    """Reads the tags, attributes and text of a piece of HTML. The annotations of formulas are kept separately."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.formulas: list[str] = []
        self.text = ""
        self.within: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("br", "hr", "img"):
            self.within.append(tag)
        if tag == "annotation":
            self.formulas.append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.within.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.within[-1:] == ["annotation"]:
            self.formulas[-1] += data
        else:
            self.text += data


def breaks(raw: str) -> tuple[int, ...]:
    return tuple(found.end() for found in re.finditer("\n", raw))


def scope(numbers: NumberRule = "off", *quoted: str) -> prose.Scope:
    return prose.Scope("page", VALUES, numbers=numbers, quoted={"": tuple(map(Text, quoted))})


def block(raw: str, line: int = 1, numbers: NumberRule = "off", *quoted: str) -> tuple[str, list[str]]:
    known = scope(numbers, *quoted)
    html = prose.block(Text(raw, "page.yaml", line, breaks(raw)), "text", known, "here")
    return html, [str(problem) for problem in sorted(known.problems)]


def html(raw: str) -> str:
    found, problems = block(raw)
    assert problems == []
    return found


def test_a_mark_of_a_line_that_markdown_cuts_is_not_shown() -> None:
    assert "0" not in block("***z*_\n*z*")[0]


@given(MARKS)
def test_the_html_is_sound_for_any_text(raw: str) -> None:
    found, problems = block(raw)
    read = Read(found)
    assert read.within == []
    assert not re.search("[\x00-\x08\x0b-\x1f]|wzxhzdk|klzzwxh", found)
    assert {tag for tag, _ in read.tags} <= TAGS
    for _, attributes in read.tags:
        assert not any(name.startswith("on") for name in attributes)
        if not problems:
            assert not re.match(r"\s*(javascript|data|vbscript):", attributes.get("href") or "", re.IGNORECASE)


@given(MARKS)
def test_a_title_is_read_as_it_is_written(raw: str) -> None:
    known = scope()
    title = prose.inline(Text(raw, "page.yaml", 1), "title", known)
    read = Read(title)
    assert read.within == []
    assert {tag for tag, _ in read.tags} <= TAGS - {"p", "strong", "em", "a", "img", "table"}
    if not re.search(r"[$`{\\]", raw):
        assert read.text == " ".join(raw.split())


WORDS = st.lists(st.from_regex(r"[a-z]{1,8}", fullmatch=True), min_size=1, max_size=12).map(" ".join)


@given(
    st.lists(
        st.sampled_from(["{}", "**{}**", "*{}*", "- {}", "## {}", "> {}", "| {} |\n|---|\n| {} |", "{}[^n]"]),
        max_size=5,
    ),
    st.data(),
)
def test_every_word_is_kept(forms: list[str], data: st.DataObject) -> None:
    words = [data.draw(WORDS) for _ in forms]
    raw = "\n\n".join(form.format(text, text) for form, text in zip(forms, words, strict=True))
    found, _ = block(f"{raw}\n\n[^n]: note")
    text = " ".join(Read(found).text.split())
    assert all(each in text for each in words)


@pytest.mark.parametrize(
    "title",
    [
        "Q & K <b>bold</b>",
        "<script>alert(1)</script> \"double\" 'single' & &amp;",
        '"><img src=x onerror=alert(2)>',
        "a < b > c",
        "שלום עולם, x̂ and x\u0302",
        "C++, C#, 注意力 🧮 𝐱",
        "snake_case *stars* [a](b)",
    ],
)
def test_a_title_shows_what_is_written(title: str) -> None:
    read = Read(prose.inline(Text(title), "title", scope()))
    assert (read.text, read.tags) == (title, [])
    assert prose.plain(Text(title), "title", scope()) == title


def test_markdown_does_not_touch_formulas() -> None:
    raw = r"""Inline ${q}_{i}$ then ${k}_{j}$, $x*y*z$, $q^*k^*$, $\{1,2\}$, $[1](2)$ and code `$x_1$`.

$$
\begin{align*}
s &= q k \\
w &= \mathrm{softmax}(s)
# not a heading
\end{align*}
$$

| term | form |
|---|---|
| Bayes | $P(A|B)$ |
| norm | $\|x\|_2$ |
"""
    read = Read(html(raw))
    display = raw[raw.index("$$") + 2 : raw.rindex("$$")]
    assert read.formulas == [
        *("{q}_{i}", "{k}_{j}", "x*y*z", "q^*k^*", r"\{1,2\}", "[1](2)"),
        display,
        *("P(A|B)", r"\|x\|_2"),
    ]
    tags = [tag for tag, _ in read.tags]
    assert not {"em", "h1", "h2", "h3"} & set(tags)
    assert (tags.count("th"), tags.count("td"), tags.count("tr")) == (2, 4, 3)
    assert "<code>$x_1$</code>" in html(raw)


def test_money_is_not_a_formula() -> None:
    read = Read(html("It costs $5 and $10 a day; $HOME is not math; \\$7 is escaped; $a+b$ is math."))
    assert read.formulas == ["a+b"]
    assert read.text.startswith("It costs $5 and $10 a day; $HOME is not math; $7 is escaped; ")


def test_html_and_entities_are_shown_as_text() -> None:
    raw = "<script>alert(1)</script> &amp; &lt; <b onclick=x> <!-- c --> <![CDATA[x]]>\n\n<div>\n**b**\n</div>"
    read = Read(html(raw))
    assert [tag for tag, _ in read.tags] == ["p", "p", "strong"]
    assert read.text == raw.replace("**", "").replace("\n\n", "\n")


def test_a_value_shows_what_was_computed() -> None:
    raw = "**{{ s.a:.2f }}** *{{ s.n }}* | {{ s.loss }} {{ s.word }} {{x/y.q}} {{ s.tiny }}"
    assert html(raw) == (
        '<p><strong><data value="0.6473801910873517" data-from="page/s.a">0.65</data></strong> '
        '<em><data value="8" data-from="page/s.n">8</data></em> | '
        '<data value="-0.5" data-from="page/s.loss">−0.5</data> '
        '<data value="a_&lt;b&gt;" data-from="page/s.word">a_&lt;b&gt;</data> '
        '<data value="3" data-from="x/y.q">3</data> '
        '<data value="1.2e-07" data-from="page/s.tiny">1.2×10⁻⁷</data></p>'
    )


@pytest.mark.parametrize(
    ("raw", "latex", "shown"),
    [
        ("$h = {{ s.n }}$", "h = {8}", "h=8"),
        ("${{ s.share:.1%}}$", r"{3.1\%}", "3.1%"),
        ("${{ s.big:,d }}$", "{1{,}048{,}576}", "1,048,576"),
        ("$x^{{{ s.loss }}}$", "x^{{-0.5}}", "x−0.5"),
        ("${{ s.tiny }}$", "{1.2×10^{-7}}", "1.2×10−7"),
        ("$t = {{ s.word }}$", r"t = {\text{a\_<b>}}", "t=a_<b>"),
    ],
)
def test_a_value_in_a_formula_shows_what_was_computed(raw: str, latex: str, shown: str) -> None:
    read = Read(html(raw))
    assert (read.formulas, "".join(read.text.split())) == ([latex], shown)
    assert dict(read.tags)["math"]["data-from"] == f"page/{re.findall(r's[.][a-z]+', raw)[0]}"


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (
            "a\n{{ s.nope }}",
            "page.yaml:8: text: {{ s.nope }}: 's' has no value 'nope'; there are: a, big, loss, n, share, ",
        ),
        ("a\n{{ t.a }}", "page.yaml:8: text: {{ t.a }}: there is no scene 't'; there are: s, x/y"),
        ("a\n{{ s.a:d }}", "page.yaml:8: text: {{ s.a:d }}: the format 'd' does not fit a float"),
        ("a\n{{ s.a|round }}", "page.yaml:8: text: '{{ s.a|round }}' is not a value; write {{ scene.name }} or "),
        ("a\n{{}}", "page.yaml:8: text: '{{}}' is not a value; write {{ scene.name }} or {{ scene.name:.2f }}"),
        (
            "a\n{{ s.a",
            "page.yaml:8: text: '{{' opens a value that is not closed on its line; write {{ scene.name }}, or ",
        ),
        ("a\n$\\foo$", "page.yaml:8: text: in the formula '\\foo': Unknown command \"\\foo\""),
        ("$$\na\\\\\n\\foo\n$$", "page.yaml:9: text: in the formula 'a\\\\ \\foo': Unknown command \"\\foo\""),
        (
            "a\n\n```\nx",
            "page.yaml:9: text: this fence is not closed; end it with a line of the same marks, or escape them",
        ),
    ],
)
def test_a_mistake_is_reported_at_its_line(raw: str, problem: str) -> None:
    _, problems = block(raw, 7)
    assert len(problems) == 1
    assert problems[0].startswith(problem)


def test_a_name_that_is_nearly_right_is_suggested() -> None:
    known = prose.Scope("page", {"scores": {"entropy": 1.0}}, numbers="off")
    prose.block(Text("{{ scores.entorpy }} {{ score.entropy }}", "page.yaml", 3), "text", known)
    assert [str(problem) for problem in known.problems] == [
        "page.yaml:3: text: {{ scores.entorpy }}: 'scores' has no value 'entorpy'; did you mean 'entropy'?",
        "page.yaml:3: text: {{ score.entropy }}: there is no scene 'score'; did you mean 'scores'?",
    ]


def test_a_number_that_is_not_finite_is_reported() -> None:
    known = prose.Scope("page", {"s": {"x": math.nan, "y": -math.inf, "z": 1.0}}, numbers="off")
    written = "{{ s.z }}\n{{ s.x:.2f }}\n$x = {{ s.y }}$"
    raw = Text(written, "page.yaml", 3, breaks(written))
    for form in (prose.block, prose.inline, prose.plain, prose.substituted):
        known.problems.clear()
        form(raw, "text", known)
        advice = "have the scene compute a number, or return a text if this is intended"
        assert [str(problem) for problem in known.problems] == [
            f"page.yaml:4: text: warning: {{{{ s.x:.2f }}}} is NaN; {advice}",
            f"page.yaml:5: text: warning: {{{{ s.y }}}} is −inf; {advice}",
        ]


def test_a_failed_scene_is_not_reported_again() -> None:
    known = prose.Scope("page", {}, frozenset({"s"}), numbers="off")
    assert prose.plain(Text("{{ s.a }} of {{ s.b:.2f }}"), "title", known) == "? of ?"
    assert known.problems == []


def test_plain_text_has_no_marks() -> None:
    raw = Text("Weights $\\mathrm{softmax}(QK^\\top/\\sqrt{d_k})V$ of `code` at {{ s.a:.2f }},\n  {{ s.loss }}")
    words = "softmax of open paren Q K transposed divided by the square root of d sub k close paren V"
    assert prose.plain(raw, "alt", scope()) == f"Weights {words} of code at 0.65, −0.5"


def test_a_formula_is_labelled_with_its_words() -> None:
    title = prose.inline(Text('why $\\sqrt{d_k} > {{ s.n }}$, a "quote"'), "title", scope())
    words = "the square root of d sub k is greater than 8"
    assert dict(Read(title).tags)["math"] == {"data-from": "page/s.n", "aria-label": words}
    assert prose.words_of(title) == f'why {words}, a "quote"'


def test_the_words_of_a_text_have_neither_tags_nor_entities() -> None:
    raw = "A *word* & `<code>` of [a link](#x), $a < b$\n\nand {{ s.a:.2f }}."
    assert prose.words_of(html(raw)) == "A word & <code> of a link, a is less than b and 0.65."


def test_a_text_without_blocks_has_no_indented_code() -> None:
    assert prose.plain(Text("Of these\n\n    {{ s.n }} are *new*."), "alt", scope()) == "Of these 8 are *new*."


def test_a_title_for_a_drawing_has_its_values() -> None:
    raw = Text("\\query $\\query{q}$ $d_k = {{ s.n }}$, costs {{ s.word }}", "page.yaml", 5)
    title = prose.substituted(raw, "title", scope())
    assert (title, title.file, title.line) == ("\\query ${q}$ $d_k = {8}$, costs a_<b>", "page.yaml", 5)


def test_typed_numbers_are_reported_with_file_line_and_the_nearest_value() -> None:
    raw = "The entropy is 0.65 bits.\n\nAnd $d_k = n = 8$,\n`512`, {{ s.a:.2f }}, 1**00**.\n\nOr 40.[^a]\n\n[^a]: 20.\n"
    _, problems = block(raw, 10, "strict")
    close = "Write the value, or list the number under quoted: with its source"
    unknown = "is typed: write a value that a scene computes, or list it under quoted: with its source"
    assert problems == [
        f"page.yaml:10: text: 0.65 is typed: is this {{{{ s.a:.2f }}}} = 0.6474? {close}",
        f"page.yaml:12: text: 8 is typed: is this {{{{ s.n }}}} = 8? {close}",
        f"page.yaml:13: text: 100 {unknown}",
        f"page.yaml:13: text: 512 {unknown}",
    ]


@pytest.mark.parametrize(
    ("raw", "reported"),
    [
        ("A BLEU score of **41.8**[^a], and\n28.4.\n\nThen 20.\n\n[^a]: From 30 papers.", ["20"]),
        ("| a | b |\n|---|---|\n| 41.8[^a] | 28.4 |\n| 20 | 30 |\n\n[^a]: N.", ["20", "30"]),
        ("With $n = 40$ and `50`.[^a] With $n = 60$.\n\n[^a]: And $n = 70$.", ["60"]),
        ("- 20\n- 30[^a]\n\n[^a]: N.", ["20"]),
        ("10 | 200\n---|---\n20 | 000", ["20", "200"]),
    ],
)
def test_a_note_counts_for_its_own_sentence(raw: str, reported: list[str]) -> None:
    assert sorted(problem.split("text: ")[1].split()[0] for problem in block(raw, 1, "strict")[1]) == reported


def test_a_number_in_a_cell_is_reported_at_its_own_line() -> None:
    _, problems = block("| a | b | c |\n|---|---|---|\n| x | 20 | 30 |\n| y | | 40 |\n\nThen 50.", 1, "strict")
    found = [(line.split(":")[1], line.split("text: ")[1].split()[0]) for line in problems]
    assert found == [("3", "20"), ("3", "30"), ("4", "40"), ("6", "50")]


def test_a_phrase_is_found_across_the_marks_of_emphasis() -> None:
    assert block("It takes **50 to *100* minutes** and *more*.", 1, "strict", "50 to 100 minutes")[1] == []


def test_typed_numbers_can_be_allowed_or_only_warned_about() -> None:
    assert block("a 50", 3, "off")[1] == []
    (warning,) = block("a 50", 3, "warn")[1]
    assert warning.startswith("page.yaml:3: text: warning: 50 is typed")


@pytest.mark.parametrize("form", [prose.inline, prose.plain, prose.substituted])
def test_every_form_of_text_is_checked_for_numbers(form: Any) -> None:
    known = scope("strict", "70")
    form(Text("Of 50 in $x = 60$, 70 and `80`", "page.yaml", 2), "title", known)
    assert [problem.message.split()[0] for problem in sorted(known.problems)] == ["50", "60", "80"]
    assert known.used == {("", "70")}


@pytest.mark.parametrize(
    "raw",
    [
        "1. one\n2. two",
        "9. nine\n10. ten",
        "text[^12]\n\n[^12]: note",
        "[link](https://example.org/2017/x?y=8) and [ref][3]\n\n[3]: page-7.html",
        "<https://example.org/2017> and <me8@example.org>",
        "## Head {#h9 .c9}",
        "| a |\n|---:|\n| b |",
        "$x_1$ and `x[3]` and {{ s.a:.8f }}",
    ],
)
def test_numbers_that_are_not_read_as_numbers_are_not_reported(raw: str) -> None:
    assert block(raw, 1, "strict")[1] == []


@pytest.mark.parametrize(
    ("raw", "numerals"),
    [
        ("1**00**", ["100"]),
        ("1\\.5", ["1.5"]),
        ("[80](#a)", ["80"]),
        ("[a](#b '90 of them')", ["90"]),
        ("[80](#b '90 of them') 70", ["70", "80", "90"]),
        ("2217. was a year", ["2217"]),
        ("## In 120 steps", ["120"]),
        ("| 30 |\n|---|\n| 40 |", ["30", "40"]),
        ("Term 50\n:   means 60", ["50", "60"]),
        ("> 70", ["70"]),
        ("20 \\\n80", ["20", "80"]),
        ("<b>90</b>", ["90"]),
        ("&#49;", ["49"]),
    ],
)
def test_marks_do_not_hide_a_typed_number(raw: str, numerals: list[str]) -> None:
    assert sorted(problem.split("text: ")[1].split()[0] for problem in block(raw, 1, "strict")[1]) == numerals


def test_code_is_coloured_if_its_language_is_known() -> None:
    assert html("```python\nx < 1\n```") == (
        '<pre class="code" tabindex="0"><code>x &lt; <span class="mi">1</span>\n</code></pre>'
    )
    for info in ("", "text"):
        assert html(f"```{info}\n<b> {{{{ s.a }}}}\n```") == (
            '<pre class="code" tabindex="0"><code>&lt;b&gt; {{ s.a }}\n</code></pre>'
        )
    assert '<span class="mi">1</span>' in html("```python title=x\nx < 1\n```")


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (
            "> a\n> ```\n> x\n> ```\n> b",
            "<blockquote>\n<p>a</p>\n{}\n<p>b</p>\n</blockquote>",
        ),
        ("> ```\n> x\n> ```\nb", "<blockquote>\n{}\n</blockquote>\n<p>b</p>"),
        ("a\n> ```\n> x\n> ```\n", "<p>a</p>\n<blockquote>\n{}\n</blockquote>"),
        (
            "> > ```\n> > x\n> > ```\n> b",
            "<blockquote>\n<blockquote>\n{}\n</blockquote>\n<p>b</p>\n</blockquote>",
        ),
        ("> - ```\n>   x\n>   ```\n> - b", "<blockquote>\n<ul>\n<li>\n{}\n</li>\n<li>b</li>\n</ul>\n</blockquote>"),
        ("- > ```\n  > x\n  > ```", "<ul>\n<li>\n<blockquote>\n{}\n</blockquote>\n</li>\n</ul>"),
        ("- a\n\n    ```\n    x\n    ```\n\n    b", "<ul>\n<li>\n<p>a</p>\n{}\n<p>b</p>\n</li>\n</ul>"),
        ("1. ```\n   x\n   ```\n2. b", "<ol>\n<li>\n{}\n</li>\n<li>b</li>\n</ol>"),
        ("T\n:   ```\n    x\n    ```", "<dl>\n<dt>T</dt>\n<dd>\n{}\n</dd>\n</dl>"),
    ],
)
def test_fenced_code_stays_in_its_quote_or_list(raw: str, shown: str) -> None:
    assert html(raw) == shown.format('<pre class="code" tabindex="0"><code>x\n</code></pre>')


def test_a_note_that_ends_in_code_is_valid_html() -> None:
    found = html("a[^n]\n\n[^n]: ```\n    x\n    ```")
    assert '<pre class="code" tabindex="0"><code>x\n</code></pre><p>&#160;<a class="footnote-backref"' in found
    assert "<p><pre" not in found


@pytest.mark.parametrize(
    "raw",
    [
        "> We have\n>\n> $$\n> x = {{ s.n }}\n> $$\n>\n> for $a\n> < b$",
        "> > We have\n> >\n> > $$\n> > x = {{ s.n }}\n> > $$\n> >\n> > for $a\n> > < b$",
        "1. > We have\n   >\n   > $$\n   > x = {{ s.n }}\n   > $$\n   >\n   > for $a\n   > < b$",
    ],
)
def test_a_formula_in_a_quote_does_not_contain_the_marks_of_the_quote(raw: str) -> None:
    read = Read(html(raw))
    assert read.formulas == ["\nx = {8}\n", "a\n< b"]
    assert "blockquote" in dict(read.tags)


def test_a_mistake_in_a_formula_of_a_quote_is_reported_at_its_line() -> None:
    _, problems = block("> one\n>\n> $$\n> a = {{ s.big }}\\\\\n> \\foo\n> $$", 7)
    assert problems == ["page.yaml:11: text: in the formula 'a = {{ s.big }}\\\\ \\foo': Unknown command \"\\foo\""]


RIGHT = {"s": {**VALUES["s"], "hebrew": "שלום, עולם"}}


def test_a_number_beside_right_to_left_words_is_isolated_in_plain_text() -> None:
    known = prose.Scope("page", RIGHT, numbers="off")
    raw = Text("שלום {{ s.loss }} {{ s.n }}, $x = {{ s.n }}$ and `a - 1`")
    isolated = "שלום \u2066−0.5\u2069 \u20668\u2069, \u2066x equals 8\u2069 and \u2066a - 1\u2069"
    assert prose.plain(raw, "alt", known).replace("  ", " ") == isolated
    assert prose.plain(Text("It is {{ s.loss }} and $x$"), "alt", known) == "It is −0.5 and x"
    assert prose.plain(Text("{{ s.hebrew }} {{ s.loss }}"), "alt", known) == ("\u2068שלום, עולם\u2069 \u2066−0.5\u2069")


def test_a_value_in_right_to_left_words_has_its_own_direction() -> None:
    known = prose.Scope("page", RIGHT, numbers="off")
    found = prose.block(Text("{{ s.hebrew }} {{ s.n }}"), "text", known)
    assert '<data value="שלום, עולם" data-from="page/s.hebrew" dir="auto">' in found
    assert '<data value="8" data-from="page/s.n">' in found
    assert prose.words_of(found) == "\u2068שלום, עולם\u2069 \u20668\u2069"
    assert prose.words_of(html("It is {{ s.n }} &amp; *so*.")) == "It is 8 &amp; so."


def test_a_drawing_keeps_the_sign_of_a_number_beside_hebrew() -> None:
    known = prose.Scope("page", RIGHT, numbers="off")
    assert prose.substituted(Text("שלום {{ s.loss }}"), "title", known) == "שלום \u2066−0.5\u2069"
    assert prose.substituted(Text("a {{ s.loss }}"), "title", known) == "a −0.5"
    assert prose.substituted(Text("שלום $x$ {{ s.loss }}"), "title", known) == "שלום $x$ −0.5"


def test_a_shortened_text_closes_what_it_isolates() -> None:
    words = "שלום \u2066a b c\u2069 d"
    assert prose.shortened(words, 100) == words
    assert prose.shortened(words, 9) == "שלום \u2066a\u2069 ..."
    assert prose.shortened("one two three", 9) == "one two ..."


def test_the_time_for_a_paragraph_does_not_grow_with_the_square_of_its_length() -> None:
    def seconds(sentences: int) -> float:
        text, times = Text("A word is here. " * sentences), []
        for _ in range(3):
            begun = time.process_time()
            prose.block(text, "", prose.Scope("page", {}))
            times.append(time.process_time() - begun)
        return min(times)

    assert seconds(4000) < 10 * seconds(1000)
