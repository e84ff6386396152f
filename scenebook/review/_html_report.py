"""Write a review as a web page in the style of the site, for reviewers to read instead of the diff."""

from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

from scenebook.page.templates import environment
from scenebook.page.templates import render as render_template
from scenebook.page.views import Html
from scenebook.review import _pixel_diff as pixel_diff
from scenebook.review import _report_pictures as pictures
from scenebook.review import _word_diff as word_diff
from scenebook.review import _wording as wording
from scenebook.review._built_site import BuiltClaim
from scenebook.review._differences import PictureChange, Review

TAGS = {"gone": "del", "new": "ins"}
OPEN_UP_TO = 14
"""The most lines of a diff of code that is open at first."""
STYLES = ("site.css", "review.css")
MAX_BYTES = 5_000_000
"""The most bytes of the report that is one file. Pictures are left out to stay below it."""


def render(review: Review, templates: Path) -> bytes:
    """Return the page, made with the templates of a site.

    It links to both sites, in `before/` and `after/` next to it, and to the picture differences, in `differences/`.
    """
    return _page(review, templates, source=str, alone=False)


def render_alone(review: Review, templates: Path, files: Mapping[str, bytes]) -> bytes:
    """Return the page as one file that needs no other, with the pictures that fit; `files` are those of the report."""
    styles = Html("".join(files[style].decode() for style in STYLES))
    paths: dict[str, None] = {}

    def page(inside: Mapping[str, str]) -> bytes:
        def source(path: str) -> str | None:
            paths[path] = None
            return inside.get(path)

        left_out = [path for path in paths if path not in inside]
        return _page(review, templates, source=source, alone=True, styles=styles, left_out=left_out, paths=paths)

    page({})  # which pictures it shows
    room = MAX_BYTES - len(page({}))
    return page(pictures.embedded(review.differences, paths, files, room))


def _page(review: Review, templates: Path, **context: Any) -> bytes:
    headline, _, unchanged = wording.headline(review).rpartition("; ")
    return render_template(
        environment(templates),
        "review.html",
        review=review,
        headline=headline[:1].upper() + headline[1:],
        unchanged=unchanged,
        wording=wording,
        pictures=pictures,
        marked=sentence_html,
        said=claim_html,
        shown=text_html,
        line_class=line_class,
        open_up_to=OPEN_UP_TO,
        size=size,
        drawing_size=drawing_size,
        attributes=attributes,
        **context,
    ).lstrip()


def claim_html(claim: BuiltClaim) -> Html:
    """Return a claim as its page shows it."""
    return text_html(claim.html) if claim.html else Html(escape(claim.say))


def text_html(markup: str) -> Html:
    """Return a rendered text without links, emphasis and other markup, except for formulas."""
    return _tokens_html(token for token in word_diff.tokens(markup) if not token.quiet)


def sentence_html(sentence: word_diff.Sentence) -> Html:
    """Return a sentence with its removed words in <del> and its new words in <ins>."""
    parts = []
    for kind, tokens in word_diff.runs(sentence):
        tag, space = TAGS.get(kind), " " if tokens[0].space else ""
        parts.append(f"{space}<{tag}>{_tokens_html(tokens)}</{tag}>" if tag else f"{space}{_tokens_html(tokens)}")
    return Html("".join(parts).strip())


def _tokens_html(tokens: Iterable[word_diff.Token]) -> Html:
    return Html("".join(f"{' ' if token.space else ''}{token.html}" for token in tokens).strip())


def size(change: PictureChange, side: str) -> Html:
    """Return the attributes for the size of a figure before or after, or of the picture of its differences."""
    before, after = change.sizes
    if side == "difference" and before and after:
        return attributes((max(before[0], after[0]), max(before[1], after[1])))
    return attributes(before if side == "before" else after)


def drawing_size(drawing: str) -> Html:
    """Return the attributes for the size of an SVG."""
    return attributes(pixel_diff.size(drawing.encode()))


def attributes(found: pixel_diff.Size | None) -> Html:
    """Return the attributes for a size, so that nothing moves when the picture arrives."""
    return Html(f' width="{found[0]}" height="{found[1]}"') if found else Html("")


def line_class(line: str) -> str:
    """Return the CSS class of a line of a diff."""
    return {"+": "new", "-": "gone", "@": "place"}.get(line[:1], "same")
