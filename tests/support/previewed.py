"""A preview that runs in a thread of the tests, and what its builds led to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from unittest.mock import patch

from scenebook.build import serve
from scenebook.build._preview_server import State
from scenebook.build.options import BuildOptions
from scenebook.build.serve import Built, Preview

PATIENCE = 120
"""The seconds that a busy machine gets for a build."""


@dataclass
class Previewed:
    """A preview of a root, and its builds that nobody has looked at yet."""

    root: Path
    preview: Preview
    _builds: SimpleQueue[Built] = field(default_factory=SimpleQueue)
    _begun: int = 0
    _seen: int = 0
    _lock: Lock = field(default_factory=Lock)

    @property
    def address(self) -> str:
        return self.preview.server.address

    def next_build(self) -> Built:
        """Wait for the next build."""
        built = self._builds.get(timeout=PATIENCE)
        self._seen += 1
        return built

    def write(self, path: str, text: str) -> None:
        """Write a source in one step, so that no build sees a part of it."""
        beside = self.root.with_name("beside")
        beside.write_text(text, encoding="utf-8")
        beside.replace(self.root / path)

    def edit(self, path: str, old: str, new: str) -> Built:
        """Replace a text in a source, and wait for the first build that begins after it."""
        text = (self.root / path).read_text(encoding="utf-8")
        assert old in text
        with self._lock:
            self.write(path, text.replace(old, new))
            begun_before = self._begun
        while self._seen < begun_before:
            self.next_build()
        return self.next_build()

    def follow(self) -> None:
        publish = self.preview.server.publish

        def counted(state: State) -> None:
            if state.building:
                with self._lock:
                    self._begun += 1
            publish(state)

        with patch.object(self.preview.server, "publish", counted):
            for built in self.preview.builds:
                self._builds.put(built)


@contextmanager
def previewed(root: Path) -> Iterator[Previewed]:
    """Preview a root, and end the preview with the context."""
    with serve.preview(BuildOptions(root), 0, lambda: nullcontext(lambda job: None)) as preview:
        found = Previewed(root, preview)
        thread = Thread(target=found.follow)
        thread.start()
        try:
            yield found
        finally:
            preview.end()
            thread.join()
