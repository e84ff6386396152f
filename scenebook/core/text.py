"""A text of a storyboard that knows its place, so that every mistake in it is reported at its own line."""

from __future__ import annotations

from bisect import bisect_right
from typing import Annotated, Any, ClassVar


class Text(str):
    """A scalar of a storyboard, as written, that knows its place.

    `line` is the line of its first character; `breaks` are the offsets at which what is written on the next lines of
    the file begins, so that an offset in the text leads to a line of the file.
    """

    file: str
    line: int
    breaks: tuple[int, ...]

    def __new__(cls, raw: str, file: str = "", line: int = 0, breaks: tuple[int, ...] = ()) -> Text:
        text = super().__new__(cls, raw)
        text.file, text.line, text.breaks = file, line, breaks
        return text

    def line_at(self, offset: int) -> int:
        """The line of the file on which the character at `offset` stands."""
        return self.line + bisect_right(self.breaks, offset)

    def part(self, start: int, end: int) -> Text:
        """The text from one offset to another, which knows its place too."""
        breaks = tuple(offset - start for offset in self.breaks if start < offset <= end)
        return Text(self[start:end], self.file, self.line_at(start), breaks)

    def __reduce__(self) -> tuple[type[Text], tuple[str, str, int, tuple[int, ...]]]:
        return Text, (str(self), self.file, self.line, self.breaks)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.json_or_python_schema(core_schema.str_schema(), core_schema.is_instance_schema(cls))


EMPTY = Text("")

ValueName = Annotated[Text, "the name of a value of the scene"]


class Model:
    """What the classes below share: a key that is not a field is a mistake."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}
