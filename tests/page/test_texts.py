"""The texts of a page as its readers see them."""

import re
from pathlib import Path

import pytest

from scenebook.core.text import Text
from scenebook.page import templates, texts
from tests.support.sample_page import SITE, composed


def test_notes_are_numbered_through_the_page(tmp_path: Path) -> None:
    written = """\
slug: one
title: One
summary: "First[^1], second[^b].\\n\\n[^b]: b\\n\\n[^1]: a"
scenes:
  - {id: summary, text: "Third[^1].\\n\\n[^1]: c"}
  - {id: none, text: Nothing.}
  - {id: two, text: "Fourth[^1], fifth[^2], fourth[^1].\\n\\n[^1]: d\\n\\n[^2]: e"}
trap:
  wrong: "Sixth[^1].\\n\\n[^1]: f"
  right: "Seventh[^1].\\n\\n[^1]: g"
takeaways: ["Eighth[^1].\\n\\n[^1]: h", "Ninth[^1].\\n\\n[^1]: i"]
"""
    view, problems = composed(tmp_path, written)
    assert problems == []
    page = view.texts
    shown = [page.summary, *(scene.text for scene in page.scenes), page.trap.wrong, page.trap.right, *page.takeaways]
    html = "".join(map(str, shown))
    assert re.findall(r'class="footnote-ref" href="#fn:(\d+)">\1<', html) == list("1234546789")
    assert re.findall(r'<li id="fn:(\d+)"[^>]*>\s*<p>(\w)', html) == list(zip("123456789", "abcdefghi", strict=True))
    assert re.findall(r'<ol(?: start="(\d+)")?>', html) == ["", "3", "4", "6", "7", "8", "9"]
    ids = re.findall(r'id="([^"]*)"', html)
    assert len(ids) == len(set(ids)) == 19
    assert {link.removeprefix("#") for link in re.findall(r'href="([^"]*)"', html)} == set(ids)
    assert view.description == "First, second."


@pytest.mark.parametrize(
    ("entries", "shown"),
    [
        (["2017"], "2017"),
        (["8", "512"], "8 and 512"),
        (["8", "512", "-65 %"], "8, 512 and -65 %"),
        (["Section 3.2.1", "section 3.5"], "<q>Section 3.2.1</q> and <q>section 3.5</q>"),
        (["28.4 BLEU", "and 41.8 from"], "<q>28.4 BLEU</q> and 41.8"),
        (["2007", "5 to 10 minutes", "of 4 or 5 hours, as"], "2007, <q>5 to 10 minutes</q> and <q>4 or 5 hours</q>"),
        (["the 41.8", "and 41.8 from", "41.8"], "41.8"),
        (["8x <b>&"], "<q>8x &lt;b&gt;&amp;</q>"),
    ],
)
def test_quoted_numbers_are_listed_as_in_a_sentence(tmp_path: Path, entries: list[str], shown: str) -> None:
    view, _ = composed(
        tmp_path, f"slug: one\ntitle: One\nsummary: A.\nscenes: [{{id: a}}]\nquoted: {{Source: {entries}}}\n"
    )
    ending = templates.render(templates.environment(tmp_path), "ending.html", page=view, site=SITE, root="../").decode()
    assert re.findall("<dt>Source</dt><dd>(.*)</dd>", ending)[0].replace("<bdi>", "").replace("</bdi>", "") == shown


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        ("See it. Read it.", "See it."),
        ("No point", "No point"),
        ("From $0. 5$ to `a. b`! Then.", "From $0. 5$ to `a. b`!"),
        ("It is {{ a.b }}. Then.", "It is {{ a.b }}."),
        ("Version 2.5 is out? Yes.", "Version 2.5 is out?"),
    ],
)
def test_a_full_stop_inside_a_formula_a_value_or_code_does_not_end_a_sentence(text: str, lead: str) -> None:
    assert texts.sentence(Text(text)) == (lead, text.removeprefix(lead))


EQUATIONS = r"""
slug: one
title: About $\norm{x}$
summary: |
  See \eqref{later}.

  $$ a = \norm{b} \label{first} $$
scenes:
  - id: two
    title: Heading $\norm{y}$
    text: |
      \begin{align}
        c &= d \\
        e &= f \nonumber \\
        g &= h \label{later}
      \end{align}

      $$ x = y $$
  - id: three
    text: |
      > $$
      > \begin{equation} i = \E{j} \tag{$\star$} \label{star} \end{equation}
      > $$

      By \eqref{first}, \ref{star} and \(\eqref{last}\).
takeaways: ['$$ z \label{last} $$']
macros: {E: ['\mathbb{E}[#1]', 1], norm: ['\lVert #1 \rVert', 1]}
"""


def test_equations_are_numbered_through_the_page_and_references_lead_to_them(tmp_path: Path) -> None:
    view, problems = composed(tmp_path, EQUATIONS)
    assert problems == []
    shown = [view.texts.summary, *(scene.text for scene in view.texts.scenes), *view.texts.takeaways]
    body = "".join(map(str, shown))
    assert re.findall(r"[>\]](\(\S+?\))</(?:span|mtext)>", body) == ["(1)", "(2)", "(3)", "(⋆)", "(4)"]
    assert re.findall(r'<a href="#(eq:\w+)">(\S+?)</a>', body) == [
        ("eq:later", "(3)"),
        ("eq:first", "(1)"),
        ("eq:star", "⋆"),
        ("eq:last", "(4)"),
    ]
    assert re.findall(r'id="(eq:\w+)"', body) == ["eq:first", "eq:later", "eq:star", "eq:last"]
    assert view.description == "See (3)."


def test_macros_are_expanded_in_titles_and_in_the_title_for_latex(tmp_path: Path) -> None:
    view, _ = composed(tmp_path, EQUATIONS)
    assert (view.plain_title, view.tex_title) == ("About the norm of x", r"About $\lVert x \rVert$")
    assert 'aria-label="the norm of y"' in view.texts.scenes[0].title


def test_a_label_that_two_equations_have_is_reported_once(tmp_path: Path) -> None:
    _, problems = composed(tmp_path, EQUATIONS.replace(r"\label{star}", r"\label{first}"))
    assert problems == [
        "page.yaml:22: scenes.three.text: the label 'first' belongs to another equation of this page; choose another",
        (
            "page.yaml:25: scenes.three.text: in the formula '\\ref{star}': no equation has the \\label{star}; "
            "there are: first, last, later"
        ),
    ]
