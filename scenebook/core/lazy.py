"""Modules that are imported when they are first used, until Python's own `lazy import` can be relied on.

A build that changes a sentence needs to know which kinds of panels there are, but it needs neither numpy nor
matplotlib. A module that describes panels and also draws them imports a heavy library like this, with a second import
for type checkers:

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
    """Return a stand-in for a module, which is imported when one of its attributes is first read."""
    return _Lazy(name)
