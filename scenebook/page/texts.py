"""The texts of a page, a site or a track: what readers see of them, and which values they use.

The model declares what each text becomes (see `core.text_fields`). The table at the end of this module says how.
"""

import html
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from scenebook.claims import claims
from scenebook.core.scanner import Span, all_values, scan
from scenebook.core.text import EMPTY, Text
from scenebook.core.text_fields import WITH_VALUES, Form, TextField, replaced, text_fields
from scenebook.core.value_reference import parse
from scenebook.figure.spec import Figure
from scenebook.formulas import mathml
from scenebook.formulas.latex import equations
from scenebook.formulas.macros import Macro, Macros
from scenebook.page.views import CaptionView, Html
from scenebook.prose import prose
from scenebook.storyboard.model import Page, Scene, Site

_MAY_HAVE_NUMBERS = re.compile(r"\\(?:begin|tag|label)\b")
DESCRIPTION = 300
"""The longest description, in characters, that is taken from the opening of a text."""
_ON_THE_PAGE = WITH_VALUES - {Form.METADATA}
_IN_SCENE = re.compile(r"scenes\.([^.]+)\.(title$)?")
_NOTE = re.compile(r"\[\^[^\]]*\]")
_SENTENCE = re.compile(r"[.!?](?=\s|$)")
_JOINING = "(?:an?|and|are|as|at|but|by|for|from|in|is|it|of|on|or|than|that|the|to|was|were|with)"
_AROUND = re.compile(rf"^(?:{_JOINING}\s+)+|(?:[,;:]?\s+{_JOINING})+[,;:]?$|[,;:]$", re.IGNORECASE)


def finished(model: Any, scope: prose.Scope, where: str = "") -> Any:
    """Return a model whose declared texts are finished: a template inserts each of them unchanged, or escapes it.

    The texts are finished in the order of the fields, which is the order of reading, so notes are numbered through a
    page.
    """
    return replaced(model, lambda field: _MAKERS[field.form](field, _scope_of(field, scope)), where)


def _scope_of(field: TextField, scope: prose.Scope) -> prose.Scope:
    """The scope of a text: all texts of a scene follow its controls, but for its title, which other places repeat."""
    match = _IN_SCENE.match(field.where)
    if match is None:
        return scope
    return replace(scope, scene=match[1]) if match[2] else scope.of_scene(match[1])


def drawn(scene: Scene, scope: prose.Scope) -> Figure:
    """Return a scene's figure for drawing. Its labels have their values, and the texts around the figure are empty."""
    assert scene.figure is not None
    scope = replace(scope, scene=str(scene.id))

    def label(field: TextField) -> Text:
        return prose.substituted(field.text, field.where, scope) if field.form is Form.LABEL else EMPTY

    return replaced(scene.figure, label, f"scenes.{scene.id}.figure")


def sentence(text: Text) -> tuple[Text, Text]:
    """Split a text after its first sentence. A period inside a formula, a value or code does not end a sentence."""
    for span in scan(text):
        if span.kind == "text" and (match := _SENTENCE.search(span.inner)):
            end = span.start + match.end()
            return text.part(0, end), text.part(end, len(text))
    return text, EMPTY


def opening(text: Text, scope: prose.Scope) -> str:
    """Return the first paragraph of a Markdown text as plain words, cut if it is long. No mistakes are reported."""
    first = Text(_NOTE.sub("", text.strip().split("\n\n")[0]))
    return prose.shortened(prose.words_of(prose.block(first, "", silent(scope))), DESCRIPTION)


def silent(scope: prose.Scope) -> prose.Scope:
    """Return a scope for a text that is finished a second time: it reports no mistakes and counts no notes."""
    return replace(scope, problems=[], notes=[], equations=[])


# Formulas.


def macros_of(*holders: Page | Site) -> Macros:
    """Return the macros of a site and a page. Those of the page take precedence."""
    defined = {name: macro for holder in holders for name, macro in holder.macros.items()}
    return tuple(Macro(name, str(macro.body), macro.arguments) for name, macro in defined.items())


def with_labels(page: Page, scope: prose.Scope) -> prose.Scope:
    """Return a scope that knows the labels of a page's equations. A label that is used twice is reported."""
    known: dict[str, str] = {}
    last = 0
    for field, span in _displayed(page):
        found = equations(span.inner, scope.macros)
        for equation, shown in zip(found, mathml.shown_tags(found, last + 1), strict=True):
            if equation.label in known:
                message = f"the label '{equation.label}' belongs to another equation of this page; choose another"
                scope.complain(field.text, prose.in_span(span, equation.token.at), field.where, message)
            elif equation.label:
                known[equation.label] = shown.removeprefix("(").removesuffix(")")
        last += sum(equation.tag is None for equation in found)
    return replace(scope, labels=tuple(mathml.Label(*each) for each in known.items()))


def _displayed(page: Page) -> Iterator[tuple[TextField, Span]]:
    """Yield the displayed formulas of a page whose equations may have numbers, in the order of reading."""
    for field in text_fields(page):
        if field.form in (Form.MARKDOWN, Form.CAPTION) and _MAY_HAVE_NUMBERS.search(field.text):
            yield from ((field, span) for span in scan(field.text) if span.kind == "display")


# Values.


def numbers_on_page(page: Page, scope: prose.Scope) -> int:
    """Return how many numbers the texts of a page show, including those in formulas, claims and alternative texts."""
    return sum(prose.numbers(field.text, scope) for field in text_fields(page) if field.form in _ON_THE_PAGE)


def mentions(page: Page) -> tuple[str, ...]:
    """Return the scenes of other pages whose values the texts and claims use, as `slug/id`."""
    scenes = {*map(_scene_of, _values_of(page)), *_scenes_in_claims(page)}
    return tuple(sorted(name for name in scenes if "/" in name and not name.startswith(f"{page.slug}/")))


def values_on_page(page: Page) -> tuple[str, ...]:
    """Return the values that the texts show, each as `slug/id.name`."""
    return tuple(sorted({name if "/" in name else f"{page.slug}/{name}" for name in _values_of(page)}))


def scenes_in_labels(figure: Figure | None) -> set[str]:
    """Return the scenes whose values the labels of a figure use, as written: `id` or `slug/id`."""
    fields = text_fields(figure) if figure else ()
    return {_scene_of(value) for value in _values_in(field.text for field in fields if field.form is Form.LABEL)}


def _scenes_in_claims(page: Page) -> Iterator[str]:
    """Yield the scenes whose values the claims use. A claim that cannot be read is reported elsewhere."""
    own = (claim for scene in page.scenes for claim in scene.claims)
    for claim in (*own, *(page.trap.claims if page.trap else ()), *page.claims):
        with suppress(claims.ClaimError):
            yield from (scene for scene, _ in claims.names(" ".join(claim.check.split())))


def _scene_of(value: str) -> str:
    return value.partition(".")[0]


def _values_of(page: Page) -> set[str]:
    return _values_in(field.text for field in text_fields(page) if field.form in WITH_VALUES)


def _values_in(texts: Iterable[Text]) -> set[str]:
    """Return the values that texts use, as written, without their formats."""
    values = (value for text in texts if "{{" in text for value in all_values(text))
    return {f"{found.scene}.{found.name}" for value in values if (found := parse(value.inner))}


# How to finish a text, by its form.


def _markdown(field: TextField, scope: prose.Scope) -> Html:
    return Html(prose.block(field.text, field.where, scope, _prefix(field.where)))


def _prefix(where: str) -> str:
    """Return the prefix for the ids of headings in a text: `multi-head` for the text of the scene `multi_head`."""
    return re.sub(r"[._]", "-", where.removeprefix("scenes.").removesuffix(".text"))


def _caption(field: TextField, scope: prose.Scope) -> CaptionView:
    lead, rest = sentence(field.text)
    prefix = _prefix(field.where)
    first = prose.block(lead, field.where, scope, f"{prefix}-lead").removeprefix("<p>").removesuffix("</p>")
    return CaptionView(Html(first), Html(prose.block(rest, field.where, scope, prefix)))


def _inline(field: TextField, scope: prose.Scope) -> Html:
    return Html(prose.inline(field.text, field.where, scope))


def _label(field: TextField, scope: prose.Scope) -> Html:
    """Return a label. In a legend it cannot follow the controls of its scene, because a drawing shows it, too."""
    made = _inline(field, scope)
    if "data-follow" in made and field.where.endswith(".label"):
        message = "shows a value that the controls change, and a legend stays as it is; show the value in the caption"
        scope.complain(field.text, 0, field.where, message)
    return made


def _source(field: TextField, scope: prose.Scope) -> Html:
    return _inline(field, replace(scope, numbers="off"))


def _words(field: TextField, scope: prose.Scope) -> str:
    return prose.plain(field.text, field.where, scope)


def _quoted(field: TextField, scope: prose.Scope) -> Html:
    """Return a quoted number, or the phrase that contains it without words that only join it to its text."""
    shown = html.escape(_AROUND.sub("", " ".join(field.text.split())), quote=False)
    return Html(f"<q>{shown}</q>" if " " in shown and re.search(r"[^\W\d_]", shown) else shown)


def _as_written(field: TextField, scope: prose.Scope) -> str:
    return str(field.text)


_MAKERS: dict[Form, Callable[[TextField, prose.Scope], Any]] = {
    Form.MARKDOWN: _markdown,
    Form.CAPTION: _caption,
    Form.INLINE: _inline,
    Form.LABEL: _label,
    Form.SOURCE: _source,
    Form.WORDS: _words,
    Form.METADATA: _words,
    Form.QUOTED: _quoted,
    Form.AS_WRITTEN: _as_written,
    Form.TARGET: _as_written,
}
