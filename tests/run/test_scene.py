"""A scene's module and result are accepted as the author means them, or refused with a clear message."""

import functools
import json
import math
import pickle
import subprocess
import sys
from dataclasses import replace
from enum import Enum, IntEnum, StrEnum
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pytest

from scenebook.run import scene
from scenebook.run._result_values import VALUE_KINDS
from scenebook.run.scene_code import PACKAGE

ROOT = Path(__file__).parents[2]


def run(monkeypatch: pytest.MonkeyPatch, compute: Any, **params: Any) -> scene.Computed:
    """Run a function as if it were the `compute` of a module, in a process that has imported no other scene."""
    for name in [each for each in sys.modules if each.startswith(f"{PACKAGE}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(scene, "load", lambda _: type("Module", (), {"compute": compute}))
    return scene.run("a_module_that_no_site_has.py", params)


def refused(monkeypatch: pytest.MonkeyPatch, compute: Any, **params: Any) -> str:
    with pytest.raises(scene.SceneError) as caught:
        run(monkeypatch, compute, **params)
    return str(caught.value)


def test_values_arrive_unchanged_in_their_own_types(monkeypatch: pytest.MonkeyPatch) -> None:
    def compute(d_k: int = 8) -> dict[str, Any]:
        return {
            "whole": np.int64(3),
            "real": np.float64(0.1),
            "single": np.float32(0.1),
            "truth": np.ones(1, dtype=bool)[0],
            "zero_d": np.array(2.5),
            "words": ["a", "b"],
            "names": np.array(["x", "y"]),
            "numbers": [1, 2, 3],
            "matrix": np.eye(2),
        }

    found = run(monkeypatch, compute)
    assert found.scalars == {
        "d_k": 8, "whole": 3, "real": 0.1, "single": 0.1, "truth": True, "zero_d": 2.5, "words": ("a", "b"),
        "names": ("x", "y"),
    }  # fmt: skip
    assert {name: type(value) for name, value in found.scalars.items()} == {
        "d_k": int, "whole": int, "real": float, "single": float, "truth": bool, "zero_d": float, "words": tuple,
        "names": tuple,
    }  # fmt: skip
    assert found.arrays == {"numbers": "an array of 3 (int64)", "matrix": "an array of 2 x 2 (float64)"}
    assert found.facts["matrix"] == [[1.0, 0.0], [0.0, 1.0]]
    assert np.array_equal(found.values["matrix"], np.eye(2))
    assert found.listings[0].code.startswith("    def compute(d_k: int = 8)")


def test_a_result_can_be_read_without_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    found = run(monkeypatch, lambda: {"a": np.float64(0.5), "m": np.eye(2), "t": np.str_("x")})
    script = "import pickle, sys; found = pickle.load(sys.stdin.buffer); print(found.scalars, 'numpy' in sys.modules)"
    printed = subprocess.run(
        [sys.executable, "-c", script], input=pickle.dumps(found), capture_output=True, cwd=ROOT, check=True
    )
    assert printed.stdout.decode().strip() == "{'a': 0.5, 't': 'x'} False"


def test_a_large_array_is_summarized_and_saved_as_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    found = run(monkeypatch, lambda: {"large": np.arange(5000.0), "small": np.arange(4.0)})
    assert found.facts["small"] == [0.0, 1.0, 2.0, 3.0]
    assert found.facts["large"] == {
        "shape": [5000], "dtype": "float64", "min": 0.0, "max": 4999.0, "mean": 2499.5,
        "std": pytest.approx(np.std(np.arange(5000))), "nan": 0, "inf": 0, "masked": 0,
    }  # fmt: skip
    assert set(found.npy) == {"large"}
    assert found.npy["large"].startswith(b"\x93NUMPY")


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (None, "None; return a dict of named values"),
        (3, "an int; return a dict of named values"),
        (np.eye(2), "an array of 2 x 2 and type float64; return a dict of named values"),
        ({"c": np.eye(2) + 1j}, f"c = an array of 2 x 2 and type complex128; a value must be {VALUE_KINDS}"),
        ({"c": 1j}, f"c = a complex; a value must be {VALUE_KINDS}"),
        ({"r": [[1, 2], [3]]}, f"r = a ragged list; a value must be {VALUE_KINDS}"),
        ({"o": np.array(["a", 1], object)}, f"o = an array of 2 and type object; a value must be {VALUE_KINDS}"),
        ({"t": np.array([["1", "2"]])}, f"t = an array of 1 x 2 and type <U1; a value must be {VALUE_KINDS}"),
        ({"d": {}}, f"d = a dict; a value must be {VALUE_KINDS}"),
        ({"a b": 1}, "a value named 'a b'; use a Python identifier as its name"),
        ({3: 1}, "a value named 3; use a Python identifier as its name"),
        ({"m": np.ma.masked}, f"m = a masked number, which has no value; a value must be {VALUE_KINDS}"),
        ({"t": "a\x01"}, "'t', which contains the character U+0001, which a page cannot show; replace it"),
        ({"t": "\ud800"}, "'t', which contains the character U+D800, which a page cannot show; replace it"),
        ({"t": ["a", "\x1b"]}, "'t', which contains the character U+001B, which a page cannot show; replace it"),
        ({"t": np.array(["\r"])}, "'t', which contains the character U+000D, which a page cannot show; replace it"),
        (
            {"n": -(10**308)},
            "'n', which is an integer of more than 308 digits; take its logarithm, or turn it into a string",
        ),
    ],
)
def test_a_result_of_the_wrong_kind_is_refused(monkeypatch: pytest.MonkeyPatch, result: Any, words: str) -> None:
    assert refused(monkeypatch, lambda: result) == f"compute returned {words}"


def test_all_wrong_values_are_reported_together(monkeypatch: pytest.MonkeyPatch) -> None:
    words = f"compute returned a = a dict, b = a complex; a value must be {VALUE_KINDS}"
    assert refused(monkeypatch, lambda: {"a": {}, "b": 1j, "c": 1}) == words


def takes_size(size: int = 1) -> dict[str, Any]:
    return {"double": 2 * size}


def test_parameters_are_values_too(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, takes_size).scalars == {"size": 1, "double": 2}
    assert run(monkeypatch, takes_size, size=4).scalars == {"size": 4, "double": 8}
    assert run(monkeypatch, takes_size, size=4).params == {"size": 4}


def test_parameters_are_recorded_as_they_were_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    def compute(xs: list[int], ys: list[int] = [1]) -> dict[str, Any]:  # noqa: B006 - an author may write this
        xs.sort()
        xs.append(9)
        ys.append(2)
        return {"x": len(xs)}

    found = run(monkeypatch, compute, xs=[3, 1, 2])
    assert found.params == {"xs": [3, 1, 2], "ys": [1]}
    assert (found.facts["xs"], found.facts["ys"]) == ([3, 1, 2], [1])


def test_a_default_that_is_not_plain_data_is_not_a_parameter(monkeypatch: pytest.MonkeyPatch) -> None:
    grid, thing, deep = np.arange(3), object(), [{"a"}]

    def compute(
        norm: Any = np.linalg.norm, grid: Any = grid, thing: Any = thing, root: Any = 1j, deep: Any = deep
    ) -> dict[str, Any]:
        return {"x": 1}

    found = run(monkeypatch, compute)
    assert (found.params, found.facts) == ({}, {"x": 1})


def test_parameters_are_strict_json(monkeypatch: pytest.MonkeyPatch) -> None:
    third = np.float32(0.1)

    def compute(
        limit: float = math.inf, pair: Any = (1, {2: -math.inf}), third: Any = third, none: None = None
    ) -> dict[str, Any]:
        return {"x": 1}

    found = run(monkeypatch, compute, limit=math.nan)
    assert json.loads(json.dumps(found.params, allow_nan=False)) == found.params
    assert found.params == {"limit": "NaN", "pair": [1, {"2": "-inf"}], "third": 0.1, "none": None}


def test_a_parameter_that_no_page_can_show_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    message = refused(monkeypatch, lambda sep="\x1f", n=(10**400,): {"x": 1})
    assert message == (
        "the parameter 'sep' contains the character U+001F, which a page cannot show; replace it; "
        "the parameter 'n' is an integer of more than 308 digits; take its logarithm, or turn it into a string"
    )


class Size(IntEnum):
    LARGE = 3


class Name(StrEnum):
    KEY = "key"


class Old(str, Enum):  # noqa: UP042 - unlike a StrEnum, its str() is not its value
    OLD = "old"


class Real(float):
    def __float__(self) -> float:
        return 7.0


class Grid(np.ndarray[Any, Any]):
    pass


def test_values_of_an_authors_class_become_pythons_own_types(monkeypatch: pytest.MonkeyPatch) -> None:
    keyed = {Name.KEY: [Real(0.5)]}

    def compute(size: Any = Size.LARGE, names: Any = keyed) -> dict[str, Any]:
        grid = np.eye(2).view(Grid)
        values = {"large": Size.LARGE, "old": Old.OLD, "real": Real(0.5), "words": [Old.OLD], "sizes": [Size.LARGE]}
        return {Name.KEY: Name.KEY, **values, "grid": grid, "masked": np.ma.masked_equal(grid, 0)}

    found = run(monkeypatch, compute)
    assert b"test_scene" not in pickle.dumps(replace(found, listings=())) + pickle.dumps(found.values)
    assert found.scalars == {"key": "key", "large": 3, "old": "old", "real": 0.5, "size": 3, "words": ("old",)}
    assert found.params == {"size": 3, "names": {"key": [0.5]}}
    assert found.facts["masked"] == [[1.0, None], [None, 1.0]]


@pytest.mark.parametrize(
    "written",
    [
        b"A = 1\n\x0c\ndef compute():\n    y = '\xe2\x80\xa8'\n    return {'x': len(y)}\n",
        b"\xef\xbb\xbfdef compute():\r\n    y = '\xc3\xa9'\r\n    return {'x': len(y)}\r\n",
        b"# coding: latin-1\n\ndef compute():\r    y = '\xe9'\r    return {'x': len(y)}",
    ],
)
def test_a_listing_shows_the_code_as_python_reads_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, written: bytes
) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(written)
    names: dict[str, Any] = {}
    exec(compile(written, str(path), "exec"), names)
    monkeypatch.chdir(tmp_path)
    found = run(monkeypatch, names["compute"])
    first, middle, last, end = found.listings[0].code.split("\n")
    assert (first, last, end) == ("def compute():", "    return {'x': len(y)}", "")
    assert middle in ("    y = '\u2028'", "    y = 'é'")
    assert found.scalars["x"] == 1


def test_a_wrapped_function_is_run_and_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, functools.lru_cache(takes_size)).scalars == {"size": 1, "double": 2}
    found = run(monkeypatch, functools.partial(takes_size, size=2))
    assert found.params == {"size": 2}
    assert found.listings[0].code.startswith("def takes_size(size: int = 1)")


def needs(size: int) -> dict[str, Any]:
    return {"size": size + 1}


def positional(size: int = 1, /, *, width: int = 2) -> dict[str, Any]:
    return {"area": size * width}


@pytest.mark.parametrize(
    ("compute", "params", "words"),
    [
        (takes_size, {"sise": 1}, "compute takes no parameter 'sise'; did you mean 'size'?"),
        (needs, {}, "compute needs 'size'; give the parameter a default, or a value under `params`"),
        (
            needs,
            {"size": 1},
            "compute returned 'size', which is a parameter with another value; rename one of them",
        ),
        (positional, {"size": 1}, "compute takes no parameter 'size'; it takes width"),
        (int, {}, "the module has no function 'compute'; define compute() and have it return a dict of values"),
    ],
)
def test_a_wrong_signature_is_reported(
    monkeypatch: pytest.MonkeyPatch, compute: FunctionType, params: dict[str, Any], words: str
) -> None:
    assert refused(monkeypatch, compute, **params) == words
