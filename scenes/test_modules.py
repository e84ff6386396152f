"""Every scene module of this site is plain NumPy and pure, and computes only finite numbers with its defaults."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

ROOT = Path(__file__).parents[1]
MODULES = sorted(
    path.relative_to(ROOT) for path in (ROOT / "scenes").rglob("*.py") if not path.name.startswith("test_")
)
SCENES = [path for path in MODULES if "\ndef compute(" in (ROOT / path).read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_a_scene_imports_only_numpy_the_standard_library_and_other_scenes(path: Path) -> None:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in imports if isinstance(node, ast.ImportFrom)}
    allowed = {"numpy", "scenes", *sys.stdlib_module_names}
    assert {name.partition(".")[0] for name in names} - allowed == set()


@pytest.mark.parametrize("path", SCENES, ids=str)
def test_compute_is_pure_and_its_numbers_are_finite(path: Path) -> None:
    compute = importlib.import_module(".".join(path.with_suffix("").parts)).compute
    first, second = compute(), compute()
    assert first.keys() == second.keys()
    for name, value in first.items():
        assert_array_equal(value, second[name], err_msg=name)
        array = np.asarray(value)
        assert array.dtype.kind == "U" or np.isfinite(array).all(), name


def test_a_scene_runs_as_a_program() -> None:
    command = [sys.executable, "-m", "scenes.attention.scaled_dot_product"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "entropy_scaled" in printed
