"""Runs one scene: imports its module, calls `compute`, and checks the result.

A scene is plain numpy and knows nothing about this engine. Its module is imported under its dotted name
(`scenes.attention.x`), so `scenes/attention/random.py` shadows nothing and each module is loaded once. The engine calls
`run` in a separate process for each scene.

The results that leave this process have only Python's and numpy's own types, because other processes cannot import the
author's classes. A parameter that is plain data (None, a bool, number or string, or a list, tuple or dict of these) is
recorded and shown as it was passed. A default of any other type, such as a function or a generator, counts as code.
"""

import ast
import importlib
import inspect
import pickle
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scenebook.core import digests, facts
from scenebook.core.suggestions import did_you_mean
from scenebook.core.values import file_name, with_tables
from scenebook.run import _interpreter_state as interpreter_state
from scenebook.run import _result_values as result_values
from scenebook.run import scene_code
from scenebook.run.everywhere import Everywhere
from scenebook.run.repeats import Repeats

if TYPE_CHECKING:
    from scenebook.core.values import Values


@dataclass(frozen=True)
class Computed:
    """The values of a scene, as plain data that can be read without numpy. The keys of all dicts are names.

    `scalars` are the numbers, strings and lists of strings; `arrays` describe the arrays' shapes and types; `facts` and
    `params` are all values and the parameters as JSON data; `pickled` holds all values; `npy` holds the files of large
    arrays; `listings` are the scene's code.

    If the scene has controls, all of these are for the setting at which it starts, and `everywhere` has the values at
    every setting. If it repeats its run, all of these are those of the first run, and `repeats` has every run.
    """

    scalars: dict[str, Any]
    arrays: dict[str, str]
    facts: dict[str, Any]
    params: dict[str, Any]
    pickled: bytes = field(repr=False)
    npy: dict[str, bytes] = field(default_factory=dict, repr=False)
    listings: tuple[scene_code.Listing, ...] = field(default=(), repr=False)
    everywhere: Everywhere | None = field(default=None, repr=False)
    repeats: Repeats | None = field(default=None, repr=False)

    @cached_property
    def digest(self) -> str:
        """The digest of all values."""
        return digests.digest(self.pickled)

    @property
    def npy_files(self) -> dict[str, str]:
        """The ends of the names of the files of large arrays, by name."""
        stems = {name: file_name(name) for name in self.npy}
        again = {name: list(stems.values())[:place].count(stem) for place, (name, stem) in enumerate(stems.items())}
        return {name: f"{stem}{f'-{again[name] + 1}' if again[name] else ''}.npy" for name, stem in stems.items()}

    @property
    def results(self) -> dict[str, Any]:
        """The computed scalars, without the parameters."""
        return {name: value for name, value in self.scalars.items() if name not in self.params}

    def texts(self, name: str) -> tuple[str, ...]:
        """The texts in a value, at all settings."""
        every = self.everywhere.scalars if self.everywhere else (self.scalars,)
        found = [value for scalars in every for value in _texts(scalars.get(name))]
        return tuple(dict.fromkeys(found))

    @property
    def values(self) -> "Values":
        """All values, arrays included."""
        values: Values = pickle.loads(self.pickled)
        return values


def _texts(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value if isinstance(value, tuple) else ()


class SceneError(Exception):
    """A mistake in a scene's module or result, with a message for its author and a line of the module, or 1."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


def load(compute: str) -> Any:
    """Import the module of `attention/scores.py` as `scenes.attention.scores`. The root must be on the path."""
    return importlib.import_module(f"scenes.{compute.removesuffix('.py').replace('/', '.')}")


def run(compute: str, params: Mapping[str, Any], *, listed: bool = True) -> Computed:
    """Run `compute(**params)` of a module under scenes/, and list the scene's code unless it is not wanted.

    Raises `SceneError`, and anything that the scene's own code raises.
    """
    root = str(Path.cwd())
    function = _compute_function(load(compute))
    try:
        computed = _run(function, params)
    except SceneError as error:
        raise SceneError(str(error), _line(function, compute)) from None
    if not listed:
        return computed
    location = _locate(function, root)
    texts = scene_code.imported(root, [f"scenes/{compute}", *([location.file] if location else [])])
    return replace(computed, listings=scene_code.listings(texts, location))


def _run(function: Callable[..., Any], params: Mapping[str, Any]) -> Computed:
    plain = _plain_arguments(_arguments(function, params))
    result = function(**params)
    interpreter_state.restore()
    if problems := list(result_values.problems(result, plain)):
        raise SceneError("; ".join(problems))
    values = result_values.convert(result, plain)
    arrays = {name: value for name, value in values.items() if facts.is_array(value)}
    return Computed(
        scalars={name: value for name, value in values.items() if name not in arrays},
        arrays={name: f"an array of {result_values.size(value)} ({value.dtype})" for name, value in arrays.items()},
        facts={name: facts.fact(value) for name, value in values.items()},
        params={name: facts.plain(value) for name, value in plain.items()},
        pickled=pickle.dumps(values),
        npy={name: facts.npy(value) for name, value in arrays.items() if value.size > facts.LISTED},
    )


def drawer(compute: str, name: str) -> Callable[..., Any]:
    """Return the function that draws a scene's own figure. Python's own functions are restored after each call.

    Raises `SceneError` if the module has no such function.
    """
    function = getattr(load(compute), name, None)
    if not callable(function):
        raise SceneError(f"the module has no function '{name}'; define {name}(figure, values)")

    def draw(figure: Any, values: Any) -> None:
        try:
            function(figure, with_tables(values))
        finally:
            interpreter_state.restore()

    return draw


def _compute_function(module: Any) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(module, "compute", None)  # type: ignore[assignment]
    if _code(function) is None:
        raise SceneError("the module has no function 'compute'; define compute() and have it return a dict of values")
    return function


def _code(function: Any) -> Any:
    """Return the code object of a function or a callable object, after unwrapping; None if it is not Python code."""
    function = inspect.unwrap(function)
    if isinstance(function, partial):
        return _code(function.func)
    return getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)


def _line(function: Callable[..., Any], compute: str) -> int:
    """Return the line where the function starts if it is in the scene's own module, and 1 otherwise."""
    code = _code(function)
    return code.co_firstlineno if code.co_filename.endswith(f"/scenes/{compute}") else 1


def _arguments(function: Callable[..., Any], params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keyword arguments of `compute`: its defaults, overridden by `params`."""
    parameters = inspect.signature(function).parameters
    open_ended = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    known = [name for name, parameter in parameters.items() if parameter.kind not in _NOT_BY_NAME]
    if (unknown := [name for name in params if name not in known]) and not open_ended:
        hint = did_you_mean(unknown[0], known) or f"; it takes {', '.join(known) or 'none'}"
        raise SceneError(f"compute takes no parameter '{unknown[0]}'{hint}")
    defaults = {
        name: parameters[name].default for name in known if parameters[name].default is not inspect.Parameter.empty
    }
    if missing := [name for name in known if name not in defaults and name not in params]:
        raise SceneError(f"compute needs '{missing[0]}'; give the parameter a default, or a value under `params`")
    return {**defaults, **params}


def _plain_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return copies of the arguments that are plain data, made before the scene can change them."""
    found: dict[str, Any] = {}
    for name, value in arguments.items():
        with suppress(TypeError):
            found[name] = _copy(value)
    return found


def _copy(value: Any) -> Any:
    """Return a copy of plain data in Python's own types. Raises `TypeError` for anything else."""
    if isinstance(value, dict):
        return {_copy(key): _copy(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_copy(item) for item in value]
    if isinstance(value, tuple):
        return tuple(_copy(item) for item in value)
    if value is None or isinstance(own := result_values.to_builtin(value), bool | int | float | str):
        return None if value is None else own
    raise TypeError(value)


_NOT_BY_NAME = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.POSITIONAL_ONLY)


def _locate(function: Callable[..., Any], root: str) -> scene_code.Function | None:
    """Return the location of a function. `inspect` would compile its patterns again in each fresh process."""
    code = _code(function)
    text, line = scene_code.text(code.co_filename), code.co_firstlineno
    if text is None:
        return None
    found = next((node for node in ast.walk(ast.parse(text)) if _first_line(node) == line), None)
    return scene_code.Function(scene_code.relative_to(root, code.co_filename), line, getattr(found, "end_lineno", line))


def _first_line(node: ast.AST) -> int:
    """Return the first line of a function, including its decorators, or 0 for any other node."""
    if not isinstance(node, ast.FunctionDef | ast.Lambda):
        return 0
    decorators = () if isinstance(node, ast.Lambda) else node.decorator_list
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])
