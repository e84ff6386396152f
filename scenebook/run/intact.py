"""Puts back what a scene replaced of Python itself, so that its result can still be checked and handed over.

A scene may have set `builtins.len` or `json.dumps` to something else, or emptied `sys.modules`. Whatever of ours runs
after it in the same process calls `restore` first.
"""
# Until `restore` has put back the builtins, it must call none of them.

import builtins
import sys
from types import ModuleType
from typing import Any

OBSERVED = ("builtins", "io", "os", "posixpath")
"""The modules whose functions nobody should replace: without them it is not known what was read."""

_Names = dict[str, Any]
_MODULES = sys.modules
_set_limit, _set_trace, _set_profile = sys.setrecursionlimit, sys.settrace, sys.setprofile
_had_modules: _Names = {}
_had_names: dict[str, tuple[_Names, _Names]] = {}
_had_limit: list[int] = []

replaced: list[str] = []
"""What `restore` found replaced in these modules, as `builtins.len`."""


def remember() -> None:
    """Take everything as it is now for what is right."""
    _had_modules.update(_MODULES)
    _had_names["builtins"] = vars(builtins), vars(builtins).copy()
    for name, module in _MODULES.items():
        if isinstance(module, ModuleType) and _is_needed(name):
            _had_names[name] = vars(module), vars(module).copy()
    _had_limit[:] = [sys.getrecursionlimit()]


def restore() -> None:
    """Put back what was replaced since `remember`; does nothing where that was never called."""
    for name, (current, before) in _had_names.items():
        if name in OBSERVED:
            found = [key for key in before if key not in current or current[key] is not before[key]]
            replaced.extend([f"{name}.{key}" for key in found])
        current.update(before)
    _MODULES.update(_had_modules)
    for limit in _had_limit:
        _set_limit(limit)
        _set_trace(None)
        _set_profile(None)


def _is_needed(name: str) -> bool:
    """Whether a module is Python's or ours. Streams and what becomes of warnings may be changed for a while."""
    return name not in {"sys", "warnings"} and name.partition(".")[0] in {"scenebook", *sys.stdlib_module_names}
