"""One scene: import its module, run `compute`, and check what it returned.

A scene is plain numpy and knows nothing of this engine. Its module is imported under its dotted name
(`scenes.attention.x`), so `scenes/attention/random.py` shadows nothing and each module is loaded once. `run` is called
in a process of its own.

What leaves that process has Python's own types and numpy's, since no other can import the author's classes. A parameter
that is plain data (None, a truth value, number or text, a list, tuple or dict of these) is shown and recorded as it was
passed. A default that is anything else, such as a function or a generator, is part of the code.
"""

import ast
import importlib
import inspect
import pickle
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scenebook.core import digests, facts
from scenebook.core.scanner import swallowed
from scenebook.core.suggestions import did_you_mean
from scenebook.run import intact, module_files

if TYPE_CHECKING:
    from scenebook.core.values import Value, Values

KINDS = "a number, a text, a list of texts, or an array of bool, int or float"
DIGITS = 308
"""More digits no integer has: it could not be written as a float is."""
_UNFIT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""What no XML can hold, and other control characters."""


@dataclass(frozen=True)
class Computed:
    """What a scene computed, as plain data that is read without numpy.

    `facts` is JSON data by name; `scalars` are the numbers, texts and lists of text as they are; `arrays` says of each
    array what it is; `params` is JSON data too; `pickled` holds all values, `npy` the large arrays' files by name;
    `listings` are the scene's code, part by part.
    """

    scalars: dict[str, Any]
    arrays: dict[str, str]
    facts: dict[str, Any]
    params: dict[str, Any]
    pickled: bytes = field(repr=False)
    npy: dict[str, bytes] = field(default_factory=dict, repr=False)
    listings: tuple[module_files.Listing, ...] = field(default=(), repr=False)

    @cached_property
    def digest(self) -> str:
        """The name of all values together."""
        return digests.digest(self.pickled)

    @property
    def results(self) -> dict[str, Any]:
        """The scalars that were computed, without the parameters."""
        return {name: value for name, value in self.scalars.items() if name not in self.params}

    @property
    def values(self) -> "Values":
        """All values, arrays included."""
        values: Values = pickle.loads(self.pickled)
        return values


class SceneError(Exception):
    """What is wrong with a scene's module or result, told for its author; at a line of the module, or 1."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


def load(compute: str) -> Any:
    """Import the module of `attention/scores.py` as `scenes.attention.scores`; the root is on the path."""
    return importlib.import_module(f"scenes.{compute.removesuffix('.py').replace('/', '.')}")


def run(compute: str, params: Mapping[str, Any]) -> Computed:
    """Run `compute(**params)` of a module under scenes/.

    Raises `SceneError`, or whatever the scene's own code raises.
    """
    root = str(Path.cwd())
    function = _compute(load(compute))
    try:
        computed = _run(function, params)
    except SceneError as error:
        raise SceneError(str(error), _line(function, compute)) from None
    place = _place(function, root)
    texts = module_files.loaded(root, [f"scenes/{compute}", *([place.file] if place else [])])
    return replace(computed, listings=module_files.listings(texts, place))


def _run(function: Callable[..., Any], params: Mapping[str, Any]) -> Computed:
    passed = _plain(_arguments(function, params))
    result = function(**params)
    intact.restore()
    values = _checked(result, passed)
    arrays = {name: value for name, value in values.items() if facts.is_array(value)}
    return Computed(
        scalars={name: value for name, value in values.items() if name not in arrays},
        arrays={name: f"an array of {_size(value)} ({value.dtype})" for name, value in arrays.items()},
        facts={name: facts.fact(value) for name, value in values.items()},
        params={name: facts.plain(value) for name, value in passed.items()},
        pickled=pickle.dumps(values),
        npy={name: facts.npy(value) for name, value in arrays.items() if value.size > facts.LISTED},
    )


def drawer(compute: str, name: str) -> Callable[..., Any]:
    """The function by which a scene draws its own figure; what it replaces of Python is put back behind it."""
    function = getattr(load(compute), name, None)
    if not callable(function):
        raise SceneError(f"there is no function '{name}'; define {name}(figure, values)")

    def draw(figure: Any, values: Any) -> None:
        try:
            function(figure, values)
        finally:
            intact.restore()

    return draw


def _compute(module: Any) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(module, "compute", None)  # type: ignore[assignment]
    if _code(function) is None:
        raise SceneError("there is no function 'compute'; define compute() that returns a dict of values")
    return function


def _code(function: Any) -> Any:
    """The code of a function, were it wrapped, or called through an object; None where there is none in Python."""
    function = inspect.unwrap(function)
    if isinstance(function, partial):
        return _code(function.func)
    return getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)


def _line(function: Callable[..., Any], compute: str) -> int:
    """The line at which the function starts in the scene's own module, or 1."""
    code = _code(function)
    return code.co_firstlineno if code.co_filename.endswith(f"/scenes/{compute}") else 1


def _arguments(function: Callable[..., Any], params: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword arguments with which `compute` runs: its defaults, overridden by `params`."""
    parameters = inspect.signature(function).parameters
    open_ended = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    known = [name for name, parameter in parameters.items() if parameter.kind not in _UNNAMED]
    if (unknown := [name for name in params if name not in known]) and not open_ended:
        hint = did_you_mean(unknown[0], known) or f"; it takes {', '.join(known) or 'none'}"
        raise SceneError(f"compute takes no parameter '{unknown[0]}'{hint}")
    defaults = {
        name: parameters[name].default for name in known if parameters[name].default is not inspect.Parameter.empty
    }
    if missing := [name for name in known if name not in defaults and name not in params]:
        raise SceneError(f"compute needs '{missing[0]}'; give the parameter a default, or a value under params")
    return {**defaults, **params}


def _plain(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Those arguments that are plain data, as copies: the scene may change what it is given."""
    found: dict[str, Any] = {}
    for name, value in arguments.items():
        with suppress(TypeError):
            found[name] = _data(value)
    return found


def _data(value: Any) -> Any:
    """A copy of plain data in Python's own types; raises `TypeError` for anything else."""
    if isinstance(value, dict):
        return {_data(key): _data(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_data(item) for item in value]
    if isinstance(value, tuple):
        return tuple(_data(item) for item in value)
    if value is None or isinstance(own := _own(value), bool | int | float | str):
        return None if value is None else own
    raise TypeError(value)


_UNNAMED = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.POSITIONAL_ONLY)


def _place(function: Callable[..., Any], root: str) -> module_files.Function | None:
    """Where a function stands. `inspect` would find it too, but compiles its patterns anew in each fresh process."""
    code = _code(function)
    text, line = module_files.text(code.co_filename), code.co_firstlineno
    if text is None:
        return None
    found = next((node for node in ast.walk(ast.parse(text)) if _first_line(node) == line), None)
    return module_files.Function(module_files.under(root, code.co_filename), line, getattr(found, "end_lineno", line))


def _first_line(node: ast.AST) -> int:
    if not isinstance(node, ast.FunctionDef | ast.Lambda):
        return 0
    decorators = () if isinstance(node, ast.Lambda) else node.decorator_list
    return min(node.lineno, *(each.lineno for each in decorators)) if decorators else node.lineno


def _checked(result: Any, params: Mapping[str, Any]) -> dict[str, "Value"]:
    """The result as values, parameters included; raises `SceneError` with everything that is wrong with it."""
    if not isinstance(result, Mapping):
        raise SceneError(f"compute returned {_what(result)}; return a dict of named values")
    if problems := list(_complaints(result, params)):
        raise SceneError("; ".join(problems))
    given = {name: value for name, value in params.items() if _accepted(_value(value))}
    return {name: _value(value) for name, value in sorted({**given, **_named(result)}.items())}


def _named(result: Mapping[str, Any]) -> dict[str, Any]:
    return {_own(name): value for name, value in result.items()}


def _complaints(result: Mapping[Any, Any], params: Mapping[str, Any]) -> Iterator[str]:
    odd = {name: value for name, value in result.items() if not _accepted(_value(value))}
    if told := ", ".join(f"{name} = {_what(_value(value))}" for name, value in odd.items()):
        yield f"compute returned {told}; a value is {KINDS}"
    yield from (f"the parameter '{name}' {fault}" for name, value in params.items() if (fault := _fault(value)))
    for name, value in result.items():
        if not isinstance(name, str) or not name.isidentifier():
            yield f"compute returned a value named {name!r}; names are Python names"
        elif name in params and name not in odd and not _same(value, params[name]):
            yield f"compute returned '{name}', which is a parameter with another value; name one of them otherwise"
        elif name not in params and name not in odd and (fault := _fault(_value(value))):
            yield f"compute returned '{name}', which {fault}"


def _fault(value: Any) -> str:
    """What of a value, or of plain data, cannot be written on a page or in a file."""
    if isinstance(value, int) and abs(value) >= 10**DIGITS:
        return f"is an integer of more than {DIGITS} digits; take its logarithm, or make it a text"
    if isinstance(value, str) and (escaped := swallowed(value)):
        made, command = escaped
        return f"holds the character U+{ord(made):04X}, which no page can show; write r'...' if {command} is meant"
    if isinstance(value, str) and (found := _UNFIT.search(value)):
        return f"holds the character U+{ord(found[0]):04X}, which no page can show; replace it"
    parts = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return next(filter(None, map(_fault, parts)), "")


def _value(value: Any) -> Any:
    """Numbers and texts in Python's own types, lists of text as tuples, lists of numbers as arrays."""
    import numpy as np

    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, list | tuple):
        return tuple(map(_own, value)) if all(isinstance(item, str) for item in value) else _listed(value)
    return _own(value)


def _own(value: Any) -> Any:
    """A number or text of numpy or of an author's class (an `IntEnum`, a `StrEnum`) in Python's own type."""
    import numpy as np

    match value:
        case np.generic():
            return float(str(value)) if isinstance(value, np.floating) and value.itemsize < 8 else value.item()
        case int() if not isinstance(value, bool):
            return int.__int__(value)
        case float():
            return float.__float__(value)
        case str():
            return str.__str__(value)
    return value


def _array(value: Any) -> Any:
    """An array without the author's class; a single element is itself."""
    import numpy as np

    if value is np.ma.masked:
        return value
    data = np.asarray(value)
    if isinstance(value, np.ma.MaskedArray):
        data = np.ma.array(data, mask=np.ma.getmask(value))
    if data.ndim == 0:
        return _value(data[()])
    return tuple(data.tolist()) if data.dtype.kind == "U" and data.ndim == 1 else data


def _listed(value: Any) -> Any:
    import numpy as np

    try:
        return np.array(value)
    except ValueError:
        return value


def _accepted(value: Any) -> bool:
    if hasattr(value, "ndim"):
        return value.ndim > 0 and value.dtype.kind in "biuf" and value.dtype.itemsize <= 8
    return isinstance(value, bool | int | float | str) or (
        isinstance(value, tuple) and all(isinstance(item, str) for item in value)
    )


def _same(value: Any, other: Any) -> bool:
    return facts.fact(_value(value)) == facts.fact(_value(other)) if _accepted(_value(value)) else False


def _what(value: Any) -> str:
    if value is None:
        return "None"
    if type(value).__name__ == "MaskedConstant":
        return "a masked number, which is missing"
    if getattr(value, "ndim", 0):
        return f"an array of {_size(value)} and type {value.dtype}"
    return "a ragged list" if isinstance(value, list | tuple) else f"a {type(value).__name__}"


def _size(value: Any) -> str:
    return " x ".join(map(str, value.shape))
