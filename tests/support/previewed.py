"""A preview that runs in a thread of the tests, and what its builds led to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

from scenebook.build import serve
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

    @property
    def address(self) -> str:
        return self.preview.server.address

    def next_build(self) -> Built:
        """Wait for the next build."""
        return self._builds.get(timeout=PATIENCE)

    def write(self, path: str, text: str) -> None:
        """Write a source in one step, so that no build sees a part of it."""
        beside = self.root.with_name("beside")
        beside.write_text(text, encoding="utf-8")
        beside.replace(self.root / path)

    def edit(self, path: str, old: str, new: str) -> Built:
        """Replace a text in a source, and wait for the build that follows."""
        text = (self.root / path).read_text(encoding="utf-8")
        assert old in text
        self.write(path, text.replace(old, new))
        return self.next_build()

    def follow(self) -> None:
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
