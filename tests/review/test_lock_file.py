"""What a review reads in the lock file of a site."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import pytest

from scenebook.review import _lock_file as lock_file
from scenebook.review import _revision_build as revision_build

ROOT = Path(__file__).parents[2]
NUMPY, RICH = (f"{name}=={version(name)}" for name in ("numpy", "rich"))
WHEEL = "scenebook-0.1.0-py3-none-any.whl"
OURS = ("scenebook", "0.1.0")


@pytest.mark.parametrize(
    ("lock", "found"),
    [
        ("scenebook==0.1.0 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n", (*OURS, "", ("aa", "bb"))),
        (f"./vendor/{WHEEL} --hash=sha256:aa  # ours", (*OURS, f"./vendor/{WHEEL}", ("aa",))),
        (f"scenebook @ file:./vendor/{WHEEL}", (*OURS, f"file:./vendor/{WHEEL}", ())),
        (f"# of ours\nscenebook @ https://a.org/{WHEEL}#sha256=aa\n", (*OURS, f"https://a.org/{WHEEL}", ("aa",))),
        (f"https://a.org/{WHEEL}\\\n --hash=sha256:aa", (*OURS, f"https://a.org/{WHEEL}", ("aa",))),
    ],
)
def test_the_pinned_engine_is_found(lock: str, found: tuple[str, str, str, tuple[str, ...]]) -> None:
    engine = lock_file.engine(f"--no-index\n{NUMPY}\n{lock}")
    assert engine
    assert (engine.name, engine.version, engine.path, engine.hashes) == found


@pytest.mark.parametrize("lock", ["", "numpy==2\n", "# scenebook==1\n", "my-scenebook==1\n", "scenebook>=1\n"])
def test_a_lock_file_without_an_engine_pins_none(lock: str) -> None:
    assert lock_file.engine(lock) is None


@pytest.mark.parametrize(
    ("lock", "installed"),
    [
        (f"{NUMPY}\n{RICH} ; python_version > '3'\n", True),
        ("--index-url https://a.org\n-f wheels\n", True),
        (f"numpy==1.0 ; python_version < '3'\n{NUMPY}\n", True),
        ("no-such-package==1 ; sys_platform == 'win32'\n", True),
        ("no-such-package==1\n", False),
        ("numpy==1.0\n", False),
        ("numpy>=1\n", False),
        ("-r others.txt\n", False),
        ("-e .\n", False),
        (f"{NUMPY}\nscenebook==0.1.0\n", False),
    ],
)
def test_the_running_interpreter_is_used_if_it_has_everything_that_is_pinned(lock: str, *, installed: bool) -> None:
    """These tests run from a checkout, which is never the engine that a lock file pins."""
    assert lock_file.is_installed(lock) == installed


def test_a_wheel_in_the_site_is_a_file_that_the_environment_depends_on(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}-1-py3-none-any.whl").touch()
    lock = "./a-1-py3-none-any.whl\nb @ file:b-1-py3-none-any.whl\nc @ https://a.org/c-1-py3-none-any.whl\nd==1\n"
    assert [Path(path).name[0] for path in lock_file.local_files(lock, tmp_path)] == ["a", "b"]


def test_a_tree_that_says_which_engine_builds_it_does_not_find_the_running_one(tmp_path: Path) -> None:
    assert revision_build._python_path(tmp_path) == str(ROOT)
    (tmp_path / "requirements.txt").write_text("numpy==2.0\n", encoding="ascii")
    assert revision_build._python_path(tmp_path) == str(ROOT)
    (tmp_path / "requirements.txt").write_text("numpy==2.0\nscenebook==0.1.0\n", encoding="ascii")
    assert revision_build._python_path(tmp_path) == ""
    (tmp_path / "requirements.txt").unlink()
    (tmp_path / "build.py").touch()
    assert revision_build._python_path(tmp_path) == ""
