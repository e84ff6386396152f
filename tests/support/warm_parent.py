"""The parent of warm pools, which are its forks. When it imports this module, it loads what a pool loads."""

from __future__ import annotations

import gc
import os
import pkgutil
import sys
from collections.abc import Mapping
from multiprocessing.connection import Connection
from pathlib import Path

from scenebook.build._jobs import PRELOAD
from scenebook.run._process_pool import serve

ENGINE = Path(__file__).parents[2]


def be_pool(passed: Connection, arguments: tuple[str, ...], environment: Mapping[str, str]) -> None:
    """Turn a fork of this process into the pool that `Workers` would start."""
    channel = os.dup(passed.fileno())
    passed.close()
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(nothing, descriptor)
    os.close(nothing)
    os.chdir(ENGINE / "scenebook")
    os.environ.clear()
    os.environ.update(environment)
    added = [path for path in environment.get("PYTHONPATH", "").split(os.pathsep) if path]
    own = [path for path in sys.path if path.startswith((sys.prefix, sys.base_prefix, sys.base_exec_prefix))]
    sys.path[:] = [str(ENGINE), *added, *own]
    serve(str(channel), *arguments)


def load() -> None:
    for target in PRELOAD:
        found = pkgutil.resolve_name(target)
        if callable(found):
            found()
    gc.freeze()


if os.environ.get("SCENEBOOK_WARM_PARENT"):  # not where tests import this module
    load()
