"""Restores the parts of Python that a scene replaced, so that the engine can still check and return its result.

A scene may have set `builtins.len` or `json.dumps` to something else, or emptied `sys.modules`. The engine's code calls
`restore` before it goes on in the same process.
"""
# Until `restore` has put back the builtins, it must not call any of them. The list of modules is short because every
# worker pays for each name in them.

import builtins
import sys
from typing import Any

OBSERVED = ("builtins", "io", "os", "posixpath")
"""The modules whose functions a scene must not replace: without them we cannot know what it read."""

NEEDED = {*OBSERVED, "ast", "contextlib", "copyreg", "importlib", "inspect", "json", "math", "pathlib", "pickle"}
NEEDED |= {"random", "re", "signal", "struct", "textwrap", "time", "traceback"}
"""The modules that the engine uses after a scene has run."""

_Names = dict[str, Any]
_MODULES = sys.modules
_set_limit, _set_trace, _set_profile = sys.setrecursionlimit, sys.settrace, sys.setprofile
_saved_modules: _Names = {}
_saved_names: dict[str, tuple[_Names, _Names]] = {}
_saved_limit: list[int] = []

replaced: list[str] = []
"""The names in the observed modules that `restore` found replaced, such as `builtins.len`."""


def save() -> None:
    """Save the current state as the one to restore."""
    _saved_names["builtins"] = vars(builtins), vars(builtins).copy()
    for name, module in _MODULES.items():
        if name in NEEDED:
            _saved_names[name] = vars(module), vars(module).copy()
        if name in NEEDED or name == "numpy" or name.startswith("scenebook"):
            _saved_modules[name] = module
    _saved_limit[:] = [sys.getrecursionlimit()]


def restore() -> None:
    """Put back everything that was replaced since `save`. Do nothing if `save` was never called."""
    for name, (current, before) in _saved_names.items():
        if name in OBSERVED:
            found = [key for key in before if key not in current or current[key] is not before[key]]
            replaced.extend([f"{name}.{key}" for key in found])
        current.update(before)
    _MODULES.update(_saved_modules)
    for limit in _saved_limit:
        _set_limit(limit)
        _set_trace(None)
        _set_profile(None)
