"""Modules that are imported when they are first used, until Python's own `lazy import` can be relied on.

A build that changes a sentence needs to know which panels there are, but neither numpy nor matplotlib. Modules that
know both import what is heavy like this, and say it once more for type checkers:

    if TYPE_CHECKING:
        import numpy as np
    else:
        np = lazy("numpy")
"""

from importlib import import_module
from typing import Any


class _Lazy:
    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(import_module(self._name), attribute)
        setattr(self, attribute, value)
        return value


def lazy(name: str) -> Any:
    """A stand-in for a module: to read one of its attributes imports it."""
    return _Lazy(name)
