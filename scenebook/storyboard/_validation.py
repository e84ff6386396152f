"""Turns trees into models with pydantic, and explains pydantic's errors in our own words at the right line."""

from __future__ import annotations

import functools
import pickle
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scenebook.cache import versions
from scenebook.cache.reads import Reads
from scenebook.cache.store import Cache, LostError
from scenebook.core.problems import Problem
from scenebook.core.suggestions import closest, did_you_mean, suggest
from scenebook.storyboard._model_fields import keys_of, model_at
from scenebook.storyboard._tree import Map, Seq, problem, quoted
from scenebook.storyboard.model import Page, Storyboard

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from pydantic_core import ErrorDetails, SchemaValidator

MODELS = {"storyboard": Storyboard, "page": Page}
"""The model of each kind of file."""
UNKNOWN, MISSING = "unexpected_keyword_argument", "missing"
"""Pydantic's names for two types of error."""
_SCHEMA = "model"


@functools.cache
def adapter(kind: str) -> TypeAdapter[Any]:
    """Return pydantic's adapter for a kind of file. Creating it takes a while."""
    from pydantic import TypeAdapter

    return TypeAdapter(MODELS[kind])


def validated(tree: Map, kind: str, problems: list[Problem], cache: Cache | None) -> Any:
    """Return the model of a tree, or None after adding its errors to `problems`.

    The pages of a storyboard are left out: each is validated by itself. If an unknown key is probably a misspelling of
    a missing key, only the unknown key is reported.
    """
    from pydantic_core import ValidationError

    bare = {**tree, "pages": ()} if isinstance(tree.get("pages", ()), Seq | tuple) and kind == "storyboard" else tree
    try:
        return _validator(kind, cache).validate_python(bare)
    except ValidationError as error:
        problems += [_problem(item, tree, kind) for item in _independent(error.errors(include_url=False), kind)]
        return None


def _validator(kind: str, cache: Cache | None) -> SchemaValidator:
    """Return pydantic's validator for a kind of file. Its schema is cached, because creating it takes longest."""
    from pydantic_core import SchemaValidator

    if cache and (entry := cache.find("models", kind, versions.made_by(__name__))):
        with suppress(LostError):
            return SchemaValidator(pickle.loads(cache.read(entry, _SCHEMA)))
    schema = _validation_only(adapter(kind).core_schema)
    if cache:
        cache.keep("models", kind, versions.made_by(__name__), Reads(), blobs={_SCHEMA: pickle.dumps(schema)})
    return SchemaValidator(schema)


def _validation_only(schema: Any) -> Any:
    """Return a compiled schema without the parts that validation does not need, because those cannot be pickled."""
    if isinstance(schema, dict):
        return {key: _validation_only(part) for key, part in schema.items() if key not in ("metadata", "serialization")}
    return type(schema)(map(_validation_only, schema)) if isinstance(schema, list | tuple) else schema


# Messages for pydantic's errors.


def _independent(errors: Sequence[ErrorDetails], kind: str) -> list[ErrorDetails]:
    """Return the errors without those for missing keys that are only misspelled."""
    unknown = [error["loc"] for error in errors if error["type"] == UNKNOWN]
    misspelled = {(*path, name) for *path, key in unknown if (name := closest(str(key), _keys(_steps(path, kind))))}
    return [error for error in errors if error["type"] != MISSING or error["loc"] not in misspelled]


def _problem(error: ErrorDetails, tree: Map, kind: str) -> Problem:
    """Return the problem for one of pydantic's errors."""
    *path, key = error["loc"]
    node: Any = tree
    for number, step in enumerate(path, 1):
        if isinstance(node[step], str | Seq) and isinstance(path[number] if number < len(path) else key, str):
            key = step  # a shorter form of a mapping, such as that of a macro
            break
        node = node[step]
    if error["type"] == UNKNOWN:
        line = next(name.line for name in node if name == key)
        return problem(node, key, f"unknown key{_known(str(key), _steps(path, kind))}")._replace(line=line)
    if error["type"] == MISSING:
        return problem(node, key, "is missing")
    return problem(node, key, unexpected(error["type"], error["input"], error.get("ctx", {}).get("expected")))


def _steps(path: Sequence[str | int], kind: str) -> list[str]:
    """Return the keys that lead from the top of a storyboard to a place in a file."""
    return [*(["pages"] if kind == "page" else []), *(step for step in path if isinstance(step, str))]


def _keys(steps: Sequence[str]) -> Iterable[str]:
    """Return the keys that a place can have."""
    return keys_of(model_at(steps))


def _known(key: str, steps: Sequence[str]) -> str:
    """Return the end of the message about an unknown key.

    It suggests a similar key of the same place, or else one from a step down or up, or else lists the keys of the
    place.
    """
    if hint := did_you_mean(key, _keys(steps)):
        return hint
    here, above = model_at(steps), model_at(steps[:-1])
    far = {name: [f"{name} of the {above.__name__.lower()}"] for name in keys_of(above)}
    far |= {name: [] for part in keys_of(here).values() if part for name in keys_of(part)}
    for step, name in ((step, name) for step, part in keys_of(here).items() if part for name in keys_of(part)):
        far[name].append(f"{step}.{name}")
    if near := closest(key, far):
        return suggest("' or '".join(far[near]))
    return f"; the keys here are {', '.join(keys_of(here))}"


_EXPECTED = {
    "dataclass": "a mapping of keys to values",
    "dict": "a mapping of keys to values",
    "tuple": "a list with a - before each entry",
    "is": "text",
    "float": "a number",
    "int": "a whole number",
    "bool": "true or false",
}


def unexpected(error_type: str, value: Any, choices: Any = None) -> str:
    """Return the message for a value of the wrong type, given pydantic's type of error and its list of choices."""
    if value is None:
        return "is missing"
    expected = choices or _EXPECTED.get(error_type.partition("_")[0], "something else")
    if isinstance(value, str):
        names = re.findall("'(.+?)'", str(expected))
        return f"expected {expected}, found {quoted(value)}{did_you_mean(value, names)}"
    found, sign = (
        ("a list", "begins with [") if isinstance(value, list) else ("a mapping", "contains ': ' or begins with {")
    )
    return f"expected {expected}, found {found}" + (f"; quote a text that {sign}" if expected == "text" else "")
