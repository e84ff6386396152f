"""Text from a storyboard that knows its file and line, so that every mistake in it is reported at the right line."""

from __future__ import annotations

from bisect import bisect_right
from typing import Annotated, Any, ClassVar


class Text(str):
    """A YAML scalar from a storyboard, as written, with its file and line.

    `line` is the line of the first character. `breaks` are the offsets in the text at which the next lines of the file
    begin, so that `line_at` can convert an offset into a line number.
    """

    file: str
    line: int
    breaks: tuple[int, ...]

    def __new__(cls, raw: str, file: str = "", line: int = 0, breaks: tuple[int, ...] = ()) -> Text:
        text = super().__new__(cls, raw)
        text.file, text.line, text.breaks = file, line, breaks
        return text

    def line_at(self, offset: int) -> int:
        """Return the line of the file that contains the character at `offset`."""
        return self.line + bisect_right(self.breaks, offset)

    def part(self, start: int, end: int) -> Text:
        """Return the text between two offsets, with its own file and line."""
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


def key_of(field: str) -> str:
    """The key of a field in a storyboard. The name of a field ends with _ if its key is a keyword of Python."""
    return field.rstrip("_")


class Model:
    """The base class of all models: a key that is not a field is reported as a mistake."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}
