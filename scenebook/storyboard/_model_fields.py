"""What can be derived from the models: their keys, which keys are required, and the documentation of each key.

Checks, messages and the schema for editors use these functions.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from itertools import pairwise
from typing import Any, cast, get_args, get_origin, get_type_hints

from scenebook.core.text import key_of
from scenebook.figure.spec import KEYS, Figure, Panel
from scenebook.storyboard.model import Storyboard


@cache
def models() -> tuple[type[Any], ...]:
    """Return the storyboard model and every model that it can contain."""
    reached: dict[type[Any], None] = {}
    waiting: list[type[Any]] = [Storyboard]
    for model in waiting:
        if model not in reached:
            reached[model] = None
            waiting += (part for hint in get_type_hints(model).values() for part in _models_in(hint))
    return tuple(reached)


@cache
def required() -> frozenset[str]:
    """Return the keys that are required in every model that has them."""
    keys = [key for model in models() for key in fields(model)]
    needed = {key.name for key in keys if key.default is MISSING and key.default_factory is MISSING}
    optional = {key.name for key in keys if key.default is not MISSING or key.default_factory is not MISSING}
    return frozenset(needed - optional)


def model_at(steps: Sequence[str]) -> Any:
    """Return the model at the end of a path of keys that begins at the storyboard."""
    model: Any = Storyboard
    for step in steps:
        model = next(_models_in(get_type_hints(model)[step]))
    return model


def keys_of(model: Any) -> dict[str, Any]:
    """Return the keys of a model, each with the model of its mapping, or None if its value is not a mapping."""
    hints = get_type_hints(model)
    return {key_of(each.name): _mapping_model(hints[each.name]) for each in fields(model)}


def _mapping_model(hint: Any) -> Any:
    return None if get_origin(hint) is tuple else next(_models_in(hint), None)


def _models_in(hint: Any) -> Iterator[type[Any]]:
    return (cast("type[Any]", part) for part in _unfolded(hint) if is_dataclass(part))


def _unfolded(hint: Any) -> Iterator[Any]:
    yield hint
    for inner in get_args(hint):
        yield from _unfolded(inner)


def fields_of(kind: type[Any], node: Any, wanted: Any) -> Iterator[tuple[Any, str]]:
    """Yield each place in a tree where a model has a text of the type `wanted`, as a mapping and a key."""
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
    """Return the docstring below each field, by class and field."""
    return {model.__name__: dict(_field_docstrings(model)) for model in models()}


def _field_docstrings(kind: type[Any]) -> Iterator[tuple[str, str]]:
    """Yield each field of a model with its docstring. Figures and panels have the options of all kinds of panels."""
    if issubclass(kind, Figure | Panel):
        yield from _options_documented()
    for base in kind.__mro__:
        if is_dataclass(base) and base not in (Figure, Panel):
            yield from _under_fields(base)


def _options_documented() -> Iterator[tuple[str, str]]:
    """Yield each option with its docstrings, each after the name of the kind of panel that it is from."""
    words: dict[str, dict[str, str]] = {}
    for key, kind in KEYS.items():
        for option, docstring in _under_fields(kind):
            words.setdefault(option, {})[key] = docstring
    for option, by_kind in words.items():
        shared = " ".join(f"{key.capitalize()}: {text}" for key, text in by_kind.items())
        yield option, by_kind[option] if option in KEYS else shared


def _under_fields(kind: type[Any]) -> Iterator[tuple[str, str]]:
    [node] = ast.parse(inspect.getsource(kind)).body
    assert isinstance(node, ast.ClassDef)
    for field, following in pairwise(node.body):
        match field, following:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(docstring))):
                yield key_of(name), inspect.cleandoc(docstring)
