"""A review as a page of HTML, in the look of the site: what a reviewer reads instead of the diff."""

from collections.abc import Iterable
from html import escape
from pathlib import Path

from scenebook.page.templates import environment, render
from scenebook.page.views import Html
from scenebook.review import _word_diff as word_diff
from scenebook.review import _wording as wording
from scenebook.review._built_site import BuiltClaim
from scenebook.review._differences import Review

TAGS = {"gone": "del", "new": "ins"}
OPEN_UP_TO = 14
"""A diff of code of so many lines stands open."""


def page(review: Review, templates: Path) -> bytes:
    """The page, through the templates of a site; it finds both sites in `before/` and `after/` beside it, and the
    pictures' differences in `differences/`.
    """
    headline, _, unchanged = wording.headline(review).rpartition("; ")
    return render(
        environment(templates),
        "review.html",
        review=review,
        headline=headline[:1].upper() + headline[1:],
        unchanged=unchanged,
        wording=wording,
        marked=marked,
        said=said,
        shown=shown,
        line_class=line_class,
        open_up_to=OPEN_UP_TO,
    ).lstrip()


def said(claim: BuiltClaim) -> Html:
    """A claim in the words of its page."""
    return shown(claim.html) if claim.html else Html(escape(claim.say))


def shown(markup: str) -> Html:
    """A rendered text without links, emphasis and the like."""
    return _html(token for token in word_diff.tokens(markup) if not token.quiet)


def marked(sentence: word_diff.Sentence) -> Html:
    """A sentence with what is gone and what is new marked as such."""
    parts = []
    for kind, tokens in word_diff.runs(sentence):
        tag, space = TAGS.get(kind), " " if tokens[0].space else ""
        parts.append(f"{space}<{tag}>{_html(tokens)}</{tag}>" if tag else f"{space}{_html(tokens)}")
    return Html("".join(parts).strip())


def _html(tokens: Iterable[word_diff.Token]) -> Html:
    return Html("".join(f"{' ' if token.space else ''}{token.html}" for token in tokens).strip())


def line_class(line: str) -> str:
    """The class of a line of a diff."""
    return {"+": "new", "-": "gone", "@": "place"}.get(line[:1], "same")
