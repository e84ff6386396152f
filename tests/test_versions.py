"""What every result depends on besides the author's files."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenebook import versions


@pytest.mark.parametrize("changed", ["engine.py", "package/module.py", "package/inner/__init__.py"])
def test_a_change_to_any_module_of_the_engine_changes_its_digest(
    tmp_path: Path, changed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "ENGINE", tmp_path)
    for name in ("engine.py", "package/module.py", "package/inner/__init__.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("", encoding="ascii")
    before = versions.engine.__wrapped__()
    (tmp_path / changed).write_text("x = 1\n", encoding="ascii")
    assert versions.engine.__wrapped__() != before


def test_compiled_modules_do_not_change_the_digest_of_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "ENGINE", tmp_path)
    (tmp_path / "engine.py").write_text("", encoding="ascii")
    before = versions.engine.__wrapped__()
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__/engine.cpython-311.py").write_text("", encoding="ascii")
    assert versions.engine.__wrapped__() == before
