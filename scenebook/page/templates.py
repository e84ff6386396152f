"""The templates of a site: prepared, rendered within limits, and with each mistake reported at its file and line.

A template in the site's own `templates/` folder replaces the engine's template of the same name, and can extend it as
`scenebook/NAME`. A misspelled name in a template is a problem, never an empty place. Static files are in the `static`
folder beside the templates.
"""

import re
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from scenebook.cache import versions
from scenebook.cache.reads import Reads
from scenebook.cache.store import Cache, LostError
from scenebook.core.problems import Problem, Problems
from scenebook.page import _citation as citation
from scenebook.page import _fit_html as fit_html
from scenebook.page import _limits as limits
from scenebook.page import views

if TYPE_CHECKING:
    from jinja2 import BytecodeCache, Environment, FileSystemLoader
    from jinja2.bccache import Bucket
    from jinja2.compiler import CodeGenerator

TemplateSet: TypeAlias = "Environment"
"""The templates of a site, ready to be rendered."""
TEXT_ASSETS = (
    *(".css", ".csv", ".geojson", ".htm", ".html", ".js", ".json", ".map", ".md", ".mjs"),
    *(".svg", ".ts", ".tsv", ".txt", ".vtt", ".webmanifest", ".xml", ".yaml", ".yml"),
)
"""Static files that are text, so a checkout with CRLF publishes the same bytes as one with LF."""

OWN = "scenebook/"
"""A template's name starts with this if it is the engine's own."""
SECONDS = 10
"""The most processor time for one file. A page with many figures takes a tenth of a second."""
MEMORY = 1 << 30
"""The most additional memory for one file, in bytes."""
SIZE = 1 << 27
"""The most characters in one file."""
RANGE = 1_000_000
"""The most numbers that `range` returns in a template. A filter that loops over more could not be interrupted."""


class LimitError(Problems):
    """Raised when a template exceeds a limit. The next page would probably exceed it too."""


def environment(folder: Path, kept: Cache | None = None) -> TemplateSet:
    """Return the templates in a folder, and the engine's own for those that it lacks. `kept` keeps compiled ones."""
    from jinja2 import Environment, StrictUndefined

    made = Environment(
        loader=_loader(folder),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        optimized=False,
        finalize=_there,
        bytecode_cache=_compiled(kept) if kept else None,
    )
    made.code_generator_class = _generator()
    made.globals["range"] = _range
    made.filters |= {"anchor": views.anchor, "bibtex": citation.bibtex, "linked_data": citation.linked_data}
    return made


def _loader(folder: Path) -> "FileSystemLoader":
    """Return a loader for which `scenebook/NAME` is the engine's template, even if the site has one of that name."""
    from jinja2 import FileSystemLoader

    class Loader(FileSystemLoader):
        def get_source(self, environment: "Environment", template: str) -> tuple[str, str, Callable[[], bool]]:
            if template.startswith(OWN):
                return engine.get_source(environment, template.removeprefix(OWN))
            return super().get_source(environment, template)

    engine = FileSystemLoader(versions.OWN_TEMPLATES)
    return Loader([folder, versions.OWN_TEMPLATES])


def _there(value: Any) -> Any:
    """Return what a template shows, unless it is a field that is left out: readers would see the word None."""
    if value is None:
        raise ValueError("shows something that is left out; put {% if ... %} around it")
    return value


def _range(*arguments: int) -> range:
    """Return Python's `range`, limited to `RANGE` numbers."""
    numbers = range(*arguments)
    if len(numbers[: RANGE + 1]) > RANGE:
        raise ValueError(f"range() is limited to {RANGE:,} numbers")
    return numbers


def _generator() -> "type[CodeGenerator]":
    """Return a compiler that evaluates no expressions, because an error in one of them would have no line."""
    from jinja2.compiler import CodeGenerator
    from jinja2.nodes import Const, Impossible, TemplateData

    class Generator(CodeGenerator):
        def _output_child_to_const(self, node: Any, frame: Any, finalize: Any) -> str:
            if not isinstance(node, Const | TemplateData):
                raise Impossible
            return super()._output_child_to_const(node, frame, finalize)

    return Generator


def _compiled(kept: Cache) -> "BytecodeCache":
    """Return a cache of compiled templates, by their text and by the versions of what compiled them."""
    from jinja2 import BytecodeCache

    def made_from(bucket: "Bucket") -> dict[str, str]:
        return {"text": bucket.checksum, **versions.made_by(__name__)}

    class Compiled(BytecodeCache):
        def get_cache_key(self, name: str, filename: str | None = None) -> str:
            return super().get_cache_key(name, ascii(filename))  # a path may have bytes that are no UTF-8

        def load_bytecode(self, bucket: "Bucket") -> None:
            entry = kept.find("template", bucket.key, made_from(bucket))
            with suppress(LostError):
                if entry:
                    bucket.bytecode_from_string(kept.read(entry, "code"))

        def dump_bytecode(self, bucket: "Bucket") -> None:
            code = {"code": bucket.bytecode_to_string()}
            kept.keep("template", bucket.key, made_from(bucket), Reads(), blobs=code)

    return Compiled()


def warm(templates: TemplateSet) -> None:
    """Compile all templates. Their mistakes are reported when they are rendered."""
    for name in templates.list_templates(("html", "xml", "txt")):
        with suppress(Exception), limits.limited(SECONDS):
            templates.get_template(name)


def render(templates: TemplateSet, name: str, **context: Any) -> bytes:
    """Render one template to UTF-8 text that ends in a newline. Raises `Problems` for a mistake in a template.

    Formulas and tables in HTML are made to fit the width of a phone and of a sheet of paper.
    """
    text = _rendered(templates, name, context)
    return (fit_html.fitted(text.decode()).encode() if name.endswith(".html") else text) + b"\n"


def _rendered(templates: TemplateSet, name: str, context: Mapping[str, Any]) -> bytes:
    try:
        with limits.limited(SECONDS, MEMORY):
            pieces = cast("Generator[str, None, None]", templates.get_template(name).generate(context))
            return b"".join(_bounded(pieces)).rstrip()
    except (LostError, Problems):
        raise
    except (limits.TooLongError, MemoryError) as error:
        raise LimitError([_located(error, name, templates)]) from None
    except Exception as error:  # noqa: BLE001 - a template may call anything
        raise Problems([_located(error, name, templates)]) from None


def _bounded(pieces: Generator[str, None, None]) -> Iterator[bytes]:
    """Yield the pieces of a text in UTF-8. Once they exceed the limit, the template fails at its current line."""
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > SIZE:
            pieces.throw(MemoryError(f"writes more than {SIZE >> 20} MB"))
        yield piece.encode()


# Mistakes in templates.


def _located(error: Exception, name: str, templates: TemplateSet) -> Problem:
    """Return the error as a problem of the template in which it was raised: the deepest one in the traceback.

    An endless call may end at any of its lines. It is reported at the one that the traceback has most often.
    """
    from jinja2 import FileSystemLoader, TemplateSyntaxError

    if isinstance(error, TemplateSyntaxError):
        return Problem(f"templates/{error.name or name}", error.lineno, "", f"{error.message}")
    folders = templates.loader.searchpath if isinstance(templates.loader, FileSystemLoader) else []
    places = [
        (Path(frame.f_code.co_filename).relative_to(folder).as_posix(), line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        for folder in folders
        if Path(frame.f_code.co_filename).is_relative_to(folder)
    ]
    endless = isinstance(error, RecursionError)
    file, line = (max(places, key=places.count) if endless else places[-1]) if places else (name, 0)
    return Problem(f"templates/{file}", line, "", _message(error))


def _message(error: Exception) -> str:
    from jinja2 import TemplateNotFound

    match error:
        case limits.TooLongError():
            return f"takes more than {SECONDS} s of processor time; check that its loops end"
        case MemoryError():
            return str(error) or f"needs more than {MEMORY >> 30} GB of memory"
        case RecursionError():
            return "includes or calls itself endlessly, or is nested too deeply"
        case SyntaxError():
            return error.msg
        case TemplateNotFound():
            return f"there is no template '{error.name}'"
        case UnicodeDecodeError():
            return "is not text in UTF-8; save it in that encoding"
        case OSError():
            return f"cannot be read: {error.strerror}"
    return re.sub(r"'[\w.]+\.(\w+) object'", r"\1", str(error))


# Static files.


def static(folder: Path) -> dict[str, Path]:
    """Return the static files by their path in the site. The site's own replace the engine's."""
    folders = (versions.OWN_TEMPLATES / "static", folder / "static")
    return {f"static/{path}": each / path for each in folders for path in _files(each)}


def _files(folder: Path) -> Iterable[str]:
    found = (path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file())
    return [path.as_posix() for path in found if not any(part.startswith((".", "_")) for part in path.parts)]


def asset(path: Path) -> bytes:
    """Return the bytes of a static file as the site publishes it. Lines of text end in LF.

    Our own scripts lose their comments and indentation: every reader loads them.
    """
    content = path.read_bytes()
    if path.suffix.lower() not in TEXT_ASSETS:
        return content
    content = content.replace(b"\r\n", b"\n")
    return _compact(content) if path.suffix == ".js" and path.is_relative_to(versions.OWN_TEMPLATES) else content


def _compact(script: bytes) -> bytes:
    """Return a script without lines of comments, blank lines and indentation. No text of it may span lines."""
    lines = (line.strip() for line in script.split(b"\n"))
    return b"".join(line + b"\n" for line in lines if line and not line.startswith(b"//"))
