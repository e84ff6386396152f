"""Numbers footnotes in reading order through a page, and links each one with the marks that refer to it."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


def number(root: "Element", above: int, unused: Callable[[str], None]) -> int:
    """Number the notes in reading order, after the `above` notes higher up on the page. Return how many there are.

    `unused` is called with the label of each note that nothing refers to.
    """
    box = next((child for child in root if child.get("class") == "footnote"), None)
    listed = None if box is None else box.find("ol")
    if listed is None:
        return 0
    notes = {note.get("id", ""): note for note in listed}
    references = _references([child for child in root if child is not box], notes)
    for name in notes:
        if name not in references:
            unused(name.removeprefix("fn:"))
    listed[:] = [notes[name] for name in references]
    if above:
        listed.set("start", str(above + 1))
    for count, (name, marks) in enumerate(references.items(), above + 1):
        _tie(count, notes[name], marks)
    return len(references)


def _references(parts: list["Element"], notes: Mapping[str, "Element"]) -> dict[str, list["Element"]]:
    """Return the marks that refer to each note, by the note's name, in reading order. A note is read after the text."""
    found: dict[str, list[Element]] = {}
    for part in parts:
        for mark in part.iter("sup"):
            name = mark[0].get("href", "").removeprefix("#")
            if name not in found:
                parts.append(notes[name])
            found.setdefault(name, []).append(mark)
    return found


def _tie(count: int, note: "Element", marks: list["Element"]) -> None:
    """Link the marks to their note and back, and give them the names that the style sheet uses.

    The style sheet places a note beside its first mark and below the note above; it finds both by these names.
    """
    place = f"--note-{count}"
    note.set("id", f"fn:{count}")
    note.set("style", f"--note: {place}n; --ref: {place}; --above: --note-{count - 1}n")
    marks[0].set("style", f"--ref: {place}")
    back = [link for link in note.iter("a") if link.get("class") == "footnote-backref"]
    for link in back[len(marks) :]:
        note[-1].remove(link)  # Markdown dropped the mark, for example because it was in the words of an image
    for index, (mark, link) in enumerate(zip(marks, back, strict=False), 1):
        name = f"fnref:{count}" if index == 1 else f"fnref:{count}:{index}"
        mark.set("id", name)
        mark[0].set("href", f"#fn:{count}")
        mark[0].text = str(count)
        link.set("href", f"#{name}")
