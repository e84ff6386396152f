"""What a text can refer to, and what is collected while the texts of a page become HTML: problems, links and notes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from scenebook.core.problems import Problem
from scenebook.core.scanner import Span
from scenebook.core.settings import describe, read_pins
from scenebook.core.suggestions import did_you_mean_or_list
from scenebook.core.text import Text
from scenebook.core.value_reference import ValueReference
from scenebook.core.values import columns_of
from scenebook.formulas.macros import Macros
from scenebook.formulas.mathml import Label
from scenebook.prose import typed_numbers
from scenebook.prose._held import HeldValues
from scenebook.prose._left_marks import unclosed
from scenebook.prose._places import Paragraph
from scenebook.prose._spoken import shortened
from scenebook.prose.array_elements import Array, element, example, rows
from scenebook.prose.following import Following
from scenebook.prose.spelled_out import spelled_out
from scenebook.run.everywhere import Everywhere
from scenebook.run.repeats import Repeats
from scenebook.storyboard.model import NumberRule

LONGEST = 80
"""How much of a text a message shows, in characters."""
FAILED = "?"
"""Shown in place of a value whose scene failed."""


class WrittenLink(NamedTuple):
    """A link in a text: its address, and the file and line in which it was written."""

    address: str
    file: str
    line: int


@dataclass(frozen=True)
class Scope:
    """What a text can refer to: values by scene, as `id` (of the page with this `slug`) and as `slug/id`.

    A value of a `failed` scene can be anything: the failure is reported elsewhere, so texts report nothing about it.
    `numbers` says what happens to a typed number. `quoted` lists numbers that may be typed, for the whole page under ""
    and for its scenes by id. Those that a text contains are added to `used`, each with where it is listed. `scene` is
    the id of the scene that the text belongs to. `called` has the labels of controls, by scene and parameter.

    `notes` has the number of notes in each text converted so far, because notes are numbered through the page. `links`
    are the links of these texts.

    `language` is the one that the texts are written in, such as "en".

    Formulas know the author's `macros` and the `labels` of equations. `equations` has how many numbers each displayed
    formula so far has used up. A text that is not `numbered`, such as a title, has no equations with numbers.

    `pages_with` finds the pages that have a scene with an id that computes values.

    `everywhere` has the values at all settings of scenes with controls, by the same names as `values`. A text that is
    `following` a scene shows its values at each setting; `followable` has the page's scenes with controls, by id.
    `repeats` has every run of the scenes that repeat theirs, by the same names as `values`.
    """

    slug: str
    values: Mapping[str, Mapping[str, Any]]
    failed: frozenset[str] = frozenset()
    problems: list[Problem] = field(default_factory=list)
    numbers: NumberRule = "strict"
    language: str = "en"
    quoted: Mapping[str, tuple[Text, ...]] = field(default_factory=dict)
    used: set[tuple[str, str]] = field(default_factory=set)
    scene: str = ""
    called: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    notes: list[int] = field(default_factory=list)
    links: list[WrittenLink] = field(default_factory=list)
    macros: Macros = ()
    labels: tuple[Label, ...] = ()
    equations: list[int] = field(default_factory=list)
    numbered: bool = False
    everywhere: Mapping[str, Everywhere] = field(default_factory=dict)
    following: Following | None = None
    followable: Mapping[str, Following] = field(default_factory=dict)
    pages_with: Callable[[str], tuple[str, ...]] = lambda _: ()
    repeats: Mapping[str, Repeats] = field(default_factory=dict)

    def complain(self, text: Text, offset: int, where: str, message: str, warning: bool = False) -> None:
        """Add a problem at an offset in a text."""
        self.problems.append(Problem(text.file, text.line_at(offset), where, message, warning))

    def check_numbers(
        self, text: Text, spans: Sequence[Span], where: str, paragraphs: Iterable[Paragraph] | None = None
    ) -> None:
        """Report the numbers that are typed in a text. `spans` and `paragraphs` are those of `typed_numbers.find`.

        If something in the text is not closed, that is reported elsewhere, and the numbers are not checked: until it is
        closed, nobody can tell which numbers are typed.
        """
        if self.numbers != "off" and not any(any(unclosed(span)) for span in spans):
            allowed = self.allowed()
            for typed in typed_numbers.find(spans, paragraphs, allowed):
                self.complain(text, typed.offset, where, typed.message, self.numbers == "warn")
            self.note_used(allowed.used)

    def check_source(self, what: str, texts: Iterable[str], sources: Mapping[str, str], where: str) -> None:
        """Report the numbers in texts of a scene that its sources, by file, spell out. `what` says what shows them."""
        if self.numbers == "off":
            return
        allowed = self.allowed()
        for found in dict.fromkeys(spelled_out(texts, sources)):
            words = shortened(" ".join(found.text.split()), LONGEST)
            advice = f"format a value into the text, or {typed_numbers.ADVICE}"
            for numeral in typed_numbers.not_computed(found.text, found.spelled, allowed):
                message = f"{numeral} is typed in {what}, in {words!r}: {advice}"
                self.problems.append(Problem(found.file, found.line, where, message, self.numbers == "warn"))
        self.note_used(allowed.used)

    def allowed(self) -> typed_numbers.Allowed:
        """Return what decides whether a number may be typed in a text."""
        quoted = (*self.quoted.get("", ()), *(self.quoted.get(self.scene, ()) if self.scene else ()))
        return typed_numbers.Allowed(HeldValues(self._own(), self.called), quoted, scene=self.scene)

    def note_used(self, entries: Iterable[str]) -> None:
        """Note that a text contains entries of `quoted`."""
        self.used.update((scene, entry) for entry in entries for scene in {"", self.scene})

    def check_quoted(self, computed: Mapping[str, Mapping[str, Any]]) -> None:
        """Report quoted numbers that no text contains or that a scene computes. Call this after reading all texts."""
        if self.numbers == "off":
            return
        for scene, entries in self.quoted.items():
            used = {entry for place, entry in self.used if place == scene}
            for entry in entries:
                if message := typed_numbers.misquoted(entry, computed, used):
                    where = f"scenes.{scene}.quoted" if scene else "quoted"
                    self.complain(entry, 0, where, message, self.numbers == "warn")

    def _own(self) -> dict[str, Mapping[str, Any]]:
        """Return the values of the page's own scenes."""
        return {scene: values for scene, values in self.values.items() if "/" not in scene}

    def of_scene(self, scene: str) -> Scope:
        """The same scope for a text of a scene, which follows the scene's controls if it has any."""
        return replace(self, scene=scene, following=self.followable.get(scene))

    def apart(self) -> Scope:
        """Return the same scope for values without an element of their own, as in formulas and plain texts."""
        return replace(self, following=self.following and self.following.apart())

    def all_values(self, reference: ValueReference) -> tuple[Any, ...]:
        """The value at each setting that the text follows; a single value if it is the same at all, or follows none.

        Raises `LookupError` like `find`, or if the value is pinned to something that is not a point.
        """
        indices, name = reference.indices, f"{reference.scene}.{reference.name}"
        if not indices:
            self.find(reference.scene, reference.name)

        def read(value: Any, scalars: Mapping[str, Any]) -> Any:
            return element(value, indices, scalars, name) if indices else value

        return self._at_settings(reference, read)

    def all_rows(self, reference: ValueReference) -> tuple[Any, ...] | None:
        """All elements of an array or list, as rows, at each setting like `all_values`; None for any other value."""
        value = None if reference.indices else self._named(reference.scene, reference.name)
        if not isinstance(value, Array | tuple):
            return None
        return self._at_settings(reference, lambda found, _: rows(found, f"{reference.scene}.{reference.name}"))

    def _at_settings(self, reference: ValueReference, read: Callable[[Any, Mapping[str, Any]], Any]) -> tuple[Any, ...]:
        """What is read from a value at each setting. `read` is given the value and the single values beside it."""
        value, every = self._named(reference.scene, reference.name), self.everywhere.get(reference.scene)
        if value is FAILED:
            return (FAILED,)
        if every is None:
            if reference.pins:
                raise LookupError(f"'{reference.scene}' has no controls; leave out what follows @")
            return (read(value.load(None) if isinstance(value, Array) else value, self.values[reference.scene]),)
        found = []
        for number in self._settings(reference, every):
            scalars = every.scalars[number]
            here = value.load(number) if isinstance(value, Array) else scalars[reference.name]
            try:
                found.append(read(here, scalars))
            except LookupError as error:
                raise LookupError(f"at {every.settings.describe(number)}: {error}") from None
        return tuple(found) if any(other != found[0] for other in found) else (found[0],)

    def samples(self, reference: ValueReference) -> tuple[tuple[Any, ...], ...]:
        """What a value is in each run of a scene that repeats it: for one setting, or for each that the text follows.

        It is empty if the scene does not repeat its run, or failed. Raises `LookupError` like `all_values`.
        """
        repeats, every = self.repeats.get(reference.scene), self.everywhere.get(reference.scene)
        if repeats is None or self._named(reference.scene, reference.name) is FAILED:
            return ()
        if not reference.indices:
            self.find(reference.scene, reference.name)
        numbers = self._settings(reference, every) if every else (0,)
        return tuple(_runs(repeats, reference, number) for number in numbers)

    def _settings(self, reference: ValueReference, every: Everywhere) -> Iterator[int]:
        """The settings whose values a text shows: one for each setting that it follows, or a single one."""
        settings = every.settings
        pinned = read_pins(reference.pins, settings.points)
        follows = self.following is not None and self.following.everywhere is every
        for number in range(len(settings)) if follows else (settings.start,):
            yield settings.moved(number, pinned)

    def shown_at(self, reference: ValueReference) -> str:
        """The setting at which a text shows a value that other texts show at other settings, in words."""
        every = self.everywhere.get(reference.scene)
        if every is None or (self.following is not None and self.following.everywhere is every and not reference.pins):
            return ""
        if self.following is not None and self.following.everywhere is every:
            return describe(read_pins(reference.pins, every.settings.points))
        return every.settings.describe(next(self._settings(reference, every)))

    def find(self, scene: str, name: str) -> Any:
        """Return the single value `scene.name`. Raises `LookupError` with a message for the author."""
        value = self._named(scene, name)
        if isinstance(value, Array | tuple):
            size = value.size if isinstance(value, Array) else f"a list of {len(value)} texts"
            first = example(f"{scene}.{name}", size.count(" x ") + 1)
            raise LookupError(f"'{scene}.{name}' is {size}; name an element, as in {first}, or compute one value")
        return value

    def _named(self, scene: str, name: str) -> Any:
        if scene in self.failed:
            return FAILED
        if scene not in self.values:
            slug, _, bare = scene.rpartition("/")
            if places := [place for place in self.pages_with(bare) if place != (slug or self.slug)]:
                raise LookupError(moved(bare, name, places, self.slug))
            raise LookupError(f"there is no scene '{scene}'{did_you_mean_or_list(scene, self.values)}")
        if name not in self.values[scene]:
            if table := columns_of(name, self.values[scene]):
                raise LookupError(table)
            raise LookupError(f"'{scene}' has no value '{name}'{did_you_mean_or_list(name, self.values[scene])}")
        return self.values[scene][name]


def moved(scene: str, name: str, places: Sequence[str], here: str, *, braces: bool = False) -> str:
    """Say to which pages a scene has moved, and how its value is named on the page `here`."""
    if here in places:
        return f"'{scene}' is now on this page: write {scene}.{name}"
    full = [f"{place}/{scene}.{name}" for place in places]
    named = " or ".join(f"'{{{{ {value} }}}}'" if braces else value for value in full)
    pages = " and ".join(f"'{place}'" for place in places)
    return f"'{scene}' is now on the page{'s' if len(places) > 1 else ''} {pages}: write {named}"


def _runs(repeats: Repeats, reference: ValueReference, setting: int) -> tuple[Any, ...]:
    """A value, or an element of one, in each run at a setting."""
    if not reference.indices:
        return repeats.runs(reference.name, setting)
    name, found = f"{reference.scene}.{reference.name}", []
    for number in repeats.numbers(setting):
        scalars = repeats.scalars[number]
        value = scalars[reference.name] if reference.name in scalars else repeats.values(number)[reference.name]
        found.append(element(value, reference.indices, scalars, name))
    return tuple(found)
