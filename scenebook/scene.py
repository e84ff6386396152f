"""One scene: import its module, run `compute`, and check what it returned.

A scene is plain numpy and knows nothing of this engine. Its module is imported under its dotted name
(`scenes.attention.x`), so `scenes/attention/random.py` shadows nothing and each module is loaded once. `run` is called
in a process of its own.
"""

import ast
import importlib
import inspect
import pickle
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scenebook import content, facts

if TYPE_CHECKING:
    from scenebook.model import Value, Values

KINDS = "a number, a text, a list of texts, or an array of bool, int or float"


@dataclass(frozen=True)
class Computed:
    """What a scene computed, as plain data that is read without numpy.

    `facts` is JSON data by name; `scalars` are the numbers, texts and lists of text as they are; `arrays` says of each
    array what it is; `pickled` holds all values, `npy` the large arrays' files by name; `source` is the text of
    `compute`, `listing` the same as a page shows it.
    """

    scalars: dict[str, Any]
    arrays: dict[str, str]
    facts: dict[str, Any]
    params: dict[str, Any]
    source: str
    pickled: bytes = field(repr=False)
    npy: dict[str, bytes] = field(default_factory=dict, repr=False)
    listing: str = field(default="", repr=False)

    @cached_property
    def digest(self) -> str:
        """The name of all values together."""
        return content.digest(self.pickled)

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
    """What is wrong with a scene's module or result, told for its author."""


def load(compute: str) -> Any:
    """Import the module of `attention/scores.py` as `scenes.attention.scores`; the root is on the path."""
    return importlib.import_module(f"scenes.{compute.removesuffix('.py').replace('/', '.')}")


def run(compute: str, params: Mapping[str, Any]) -> Computed:
    """Run `compute(**params)` of a module under scenes/.

    Raises `SceneError`, or whatever the scene's own code raises.
    """
    function = _compute(load(compute))
    arguments = _arguments(function, params)
    values = _checked(function(**params), arguments)
    arrays = {name: value for name, value in values.items() if facts.is_array(value)}
    return Computed(
        scalars={name: value for name, value in values.items() if name not in arrays},
        arrays={name: f"an array of {_size(value)} ({value.dtype})" for name, value in arrays.items()},
        facts={name: facts.fact(value) for name, value in values.items()},
        params=arguments,
        source=_source(function),
        pickled=pickle.dumps(values),
        npy={name: facts.npy(value) for name, value in arrays.items() if value.size > facts.LISTED},
    )


def drawer(compute: str, name: str) -> Callable[..., Any]:
    """The function by which a scene draws its own figure."""
    function = getattr(load(compute), name, None)
    if not callable(function):
        raise SceneError(f"there is no function '{name}'; define {name}(figure, values)")
    return function  # type: ignore[no-any-return]


def _compute(module: Any) -> Callable[..., Any]:
    function = getattr(module, "compute", None)
    if not inspect.isfunction(function):
        raise SceneError("there is no function 'compute'; define compute() that returns a dict of values")
    return function


def _arguments(function: Callable[..., Any], params: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword arguments with which `compute` runs: its defaults, overridden by `params`."""
    parameters = inspect.signature(function).parameters
    open_ended = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    known = [name for name, parameter in parameters.items() if parameter.kind not in _UNNAMED]
    if (unknown := [name for name in params if name not in known]) and not open_ended:
        raise SceneError(f"compute takes no parameter '{unknown[0]}'; it takes {', '.join(known) or 'none'}")
    defaults = {
        name: parameters[name].default for name in known if parameters[name].default is not inspect.Parameter.empty
    }
    if missing := [name for name in known if name not in defaults and name not in params]:
        raise SceneError(f"compute needs '{missing[0]}'; give the parameter a default, or a value under params")
    return {**defaults, **params}


_UNNAMED = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.POSITIONAL_ONLY)


def _source(function: Callable[..., Any]) -> str:
    """The text of a function. `inspect` would find it too, but compiles its patterns anew in each fresh process."""
    code = inspect.unwrap(function).__code__
    text, line = Path(code.co_filename).read_text(encoding="utf-8"), code.co_firstlineno
    found = next((node for node in ast.walk(ast.parse(text)) if _first_line(node) == line), None)
    return "".join(text.splitlines(keepends=True)[line - 1 : getattr(found, "end_lineno", line)])


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
    return {name: _value(value) for name, value in sorted({**given, **result}.items())}


def _complaints(result: Mapping[Any, Any], params: Mapping[str, Any]) -> Iterator[str]:
    odd = {name: value for name, value in result.items() if not _accepted(_value(value))}
    if told := ", ".join(f"{name} = {_what(_value(value))}" for name, value in odd.items()):
        yield f"compute returned {told}; a value is {KINDS}"
    for name, value in result.items():
        if not isinstance(name, str) or not name.isidentifier():
            yield f"compute returned a value named {name!r}; names are Python names"
        elif name in params and name not in odd and not _same(value, params[name]):
            yield f"compute returned '{name}', which is a parameter with another value; name one of them otherwise"


def _value(value: Any) -> Any:
    """numpy scalars as Python numbers, lists of text as tuples, lists of numbers as arrays."""
    import numpy as np

    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, np.generic):
        return float(str(value)) if isinstance(value, np.floating) and value.itemsize < 8 else value.item()
    if isinstance(value, list | tuple):
        return tuple(value) if all(isinstance(item, str) for item in value) else _listed(value)
    return value


def _array(value: Any) -> Any:
    if value.ndim == 0:
        return _value(value[()])
    return tuple(value.tolist()) if value.dtype.kind == "U" and value.ndim == 1 else value


def _listed(value: Any) -> Any:
    import numpy as np

    try:
        return np.array(value)
    except ValueError:
        return value


def _accepted(value: Any) -> bool:
    if hasattr(value, "ndim"):
        return value.dtype.kind in "biuf" and value.dtype.itemsize <= 8
    return isinstance(value, bool | int | float | str) or (
        isinstance(value, tuple) and all(isinstance(item, str) for item in value)
    )


def _same(value: Any, other: Any) -> bool:
    return facts.fact(_value(value)) == facts.fact(_value(other)) if _accepted(_value(value)) else False


def _what(value: Any) -> str:
    if value is None:
        return "None"
    if hasattr(value, "ndim"):
        return f"an array of {_size(value)} and type {value.dtype}"
    return "a ragged list" if isinstance(value, list | tuple) else f"a {type(value).__name__}"


def _size(value: Any) -> str:
    return " x ".join(map(str, value.shape)) or "no dimensions"
