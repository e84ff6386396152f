"""What the models say of themselves: their keys, which of these are required, and the words that document them.

Checks, messages, the schema for editors and the reference are all derived from the models by these functions.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from itertools import pairwise
from typing import Any, cast, get_args, get_origin, get_type_hints

from scenebook.figure.spec import KEYS, Figure, Panel
from scenebook.storyboard.model import Storyboard


@cache
def models() -> tuple[type[Any], ...]:
    """Every model that a storyboard can hold, itself first."""
    found: dict[type[Any], None] = {}
    waiting: list[type[Any]] = [Storyboard]
    for kind in waiting:
        if kind not in found:
            found[kind] = None
            waiting += (part for hint in get_type_hints(kind).values() for part in _models_in(hint))
    return tuple(found)


@cache
def required() -> frozenset[str]:
    """The keys that no model can do without that has them."""
    parts = [each for kind in models() for each in fields(kind)]
    needed = {each.name for each in parts if each.default is MISSING and each.default_factory is MISSING}
    optional = {each.name for each in parts if each.default is not MISSING or each.default_factory is not MISSING}
    return frozenset(needed - optional)


def model_at(steps: Sequence[str]) -> Any:
    """The dataclass of the models that a path leads to."""
    found: Any = Storyboard
    for step in steps:
        found = next(_models_in(get_type_hints(found)[step]))
    return found


def keys_of(kind: Any) -> dict[str, Any]:
    """The keys of a model, and the model of each that is a mapping in place."""
    hints = get_type_hints(kind)
    return {each.name: _part(hints[each.name]) for each in fields(kind)}


def _part(hint: Any) -> Any:
    return None if get_origin(hint) is tuple else next(_models_in(hint), None)


def _models_in(hint: Any) -> Iterator[type[Any]]:
    return (cast("type[Any]", part) for part in _unfolded(hint) if is_dataclass(part))


def _unfolded(hint: Any) -> Iterator[Any]:
    yield hint
    for inner in get_args(hint):
        yield from _unfolded(inner)


def fields_of(kind: type[Any], node: Any, wanted: Any) -> Iterator[tuple[Any, str]]:
    """The places in a tree where a model has a text of a declared type: a mapping and a key each."""
    for key, hint in get_type_hints(kind, include_extras=True).items():
        value = node.get(key)
        declared = set(_unfolded(hint))
        if wanted in declared and isinstance(value, str):
            yield node, key
        for part in _models_in(hint):
            items = value if isinstance(value, list) else [value]
            for item in items:
                if isinstance(item, dict):
                    yield from fields_of(part, item, wanted)


def documentation() -> dict[str, dict[str, str]]:
    """The docstrings under the fields, by class and field."""
    return {kind.__name__: dict(_documented(kind)) for kind in models()}


def _documented(kind: type[Any]) -> Iterator[tuple[str, str]]:
    """The words under the fields of a model; a figure and its panels have the options of all kinds of panels."""
    if issubclass(kind, Figure | Panel):
        yield from _options_documented()
    for base in kind.__mro__:
        if is_dataclass(base) and base not in (Figure, Panel):
            yield from _under_fields(base)


def _options_documented() -> Iterator[tuple[str, str]]:
    """The words for each option; those of several kinds name them."""
    words: dict[str, dict[str, str]] = {}
    for key, kind in KEYS.items():
        for option, told in _under_fields(kind):
            words.setdefault(option, {})[key] = told
    for option, by_kind in words.items():
        shared = " ".join(f"{key.capitalize()}: {text}" for key, text in by_kind.items())
        yield option, by_kind[option] if option in KEYS else shared


def _under_fields(kind: type[Any]) -> Iterator[tuple[str, str]]:
    [node] = ast.parse(inspect.getsource(kind)).body
    assert isinstance(node, ast.ClassDef)
    for attribute, words in pairwise(node.body):
        match attribute, words:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(told))):
                yield name, inspect.cleandoc(told)
