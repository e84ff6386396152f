"""A scene's module and result are taken as they are meant, or refused in words its author understands."""

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

ROOT = Path(__file__).parents[2]


def run(monkeypatch: pytest.MonkeyPatch, compute: Any, **params: Any) -> scene.Computed:
    """Run a function as if it were the `compute` of a module."""
    monkeypatch.setattr(scene, "load", lambda _: type("Module", (), {"compute": compute}))
    return scene.run("a_module_that_no_site_has.py", params)


def refused(monkeypatch: pytest.MonkeyPatch, compute: Any, **params: Any) -> str:
    with pytest.raises(scene.SceneError) as caught:
        run(monkeypatch, compute, **params)
    return str(caught.value)


def test_values_change_on_their_way(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_the_parent_needs_numpy_to_read_a_result(monkeypatch: pytest.MonkeyPatch) -> None:
    found = run(monkeypatch, lambda: {"a": np.float64(0.5), "m": np.eye(2), "t": np.str_("x")})
    script = "import pickle, sys; found = pickle.load(sys.stdin.buffer); print(found.scalars, 'numpy' in sys.modules)"
    told = subprocess.run(
        [sys.executable, "-c", script], input=pickle.dumps(found), capture_output=True, cwd=ROOT, check=True
    )
    assert told.stdout.decode().strip() == "{'a': 0.5, 't': 'x'} False"


def test_a_large_array_is_listed_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
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
        (3, "a int; return a dict of named values"),
        (np.eye(2), "an array of 2 x 2 and type float64; return a dict of named values"),
        ({"c": np.eye(2) + 1j}, f"c = an array of 2 x 2 and type complex128; a value is {scene.KINDS}"),
        ({"c": 1j}, f"c = a complex; a value is {scene.KINDS}"),
        ({"r": [[1, 2], [3]]}, f"r = a ragged list; a value is {scene.KINDS}"),
        ({"o": np.array(["a", 1], object)}, f"o = an array of 2 and type object; a value is {scene.KINDS}"),
        ({"t": np.array([["1", "2"]])}, f"t = an array of 1 x 2 and type <U1; a value is {scene.KINDS}"),
        ({"d": {}}, f"d = a dict; a value is {scene.KINDS}"),
        ({"a b": 1}, "a value named 'a b'; names are Python names"),
        ({3: 1}, "a value named 3; names are Python names"),
        ({"m": np.ma.masked}, f"m = a masked number, which is missing; a value is {scene.KINDS}"),
        ({"t": "a\x01"}, "'t', which holds the character U+0001, which no page can show; replace it"),
        ({"t": "\ud800"}, "'t', which holds the character U+D800, which no page can show; replace it"),
        ({"t": ["a", "\x1b"]}, "'t', which holds the character U+001B, which no page can show; replace it"),
        ({"t": np.array(["\r"])}, "'t', which holds the character U+000D, which no page can show; replace it"),
        ({"n": -(10**308)}, "'n', which is an integer of more than 308 digits; take its logarithm, or make it a text"),
    ],
)
def test_an_odd_result_is_taken(monkeypatch: pytest.MonkeyPatch, result: Any, words: str) -> None:
    assert refused(monkeypatch, lambda: result) == f"compute returned {words}"


def test_only_the_first_odd_value_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    words = f"compute returned a = a dict, b = a complex; a value is {scene.KINDS}"
    assert refused(monkeypatch, lambda: {"a": {}, "b": 1j, "c": 1}) == words


def takes_size(size: int = 1) -> dict[str, Any]:
    return {"double": 2 * size}


def test_parameters_are_no_values(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, takes_size).scalars == {"size": 1, "double": 2}
    assert run(monkeypatch, takes_size, size=4).scalars == {"size": 4, "double": 8}
    assert run(monkeypatch, takes_size, size=4).params == {"size": 4}


def test_a_scene_changes_the_parameters_that_are_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    def compute(xs: list[int], ys: list[int] = [1]) -> dict[str, Any]:  # noqa: B006 - it is what an author may do
        xs.sort()
        xs.append(9)
        ys.append(2)
        return {"x": len(xs)}

    found = run(monkeypatch, compute, xs=[3, 1, 2])
    assert found.params == {"xs": [3, 1, 2], "ys": [1]}
    assert (found.facts["xs"], found.facts["ys"]) == ([3, 1, 2], [1])


def test_a_default_that_is_code_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    grid, thing, deep = np.arange(3), object(), [{"a"}]

    def compute(
        norm: Any = np.linalg.norm, grid: Any = grid, thing: Any = thing, root: Any = 1j, deep: Any = deep
    ) -> dict[str, Any]:
        return {"x": 1}

    found = run(monkeypatch, compute)
    assert (found.params, found.facts) == ({}, {"x": 1})


def test_parameters_are_not_strict_json(monkeypatch: pytest.MonkeyPatch) -> None:
    third = np.float32(0.1)

    def compute(
        limit: float = math.inf, pair: Any = (1, {2: -math.inf}), third: Any = third, none: None = None
    ) -> dict[str, Any]:
        return {"x": 1}

    found = run(monkeypatch, compute, limit=math.nan)
    assert json.loads(json.dumps(found.params, allow_nan=False)) == found.params
    assert found.params == {"limit": "NaN", "pair": [1, {"2": "-inf"}], "third": 0.1, "none": None}


def test_a_parameter_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    told = refused(monkeypatch, lambda sep="\x1f", n=(10**400,): {"x": 1})
    assert told == (
        "the parameter 'sep' holds the character U+001F, which no page can show; replace it; "
        "the parameter 'n' is an integer of more than 308 digits; take its logarithm, or make it a text"
    )


class Size(IntEnum):
    LARGE = 3


class Name(StrEnum):
    KEY = "key"


class Old(str, Enum):  # noqa: UP042 - its text is not the member's
    OLD = "old"


class Real(float):
    def __float__(self) -> float:
        return 7.0


class Grid(np.ndarray[Any, Any]):
    pass


def test_a_class_of_the_author_leaves_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_a_listing_is_not_what_python_reads(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, written: bytes) -> None:
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


def test_a_function_is_wrapped_and_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
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
        (needs, {}, "compute needs 'size'; give the parameter a default, or a value under params"),
        (
            needs,
            {"size": 1},
            "compute returned 'size', which is a parameter with another value; name one of them otherwise",
        ),
        (positional, {"size": 1}, "compute takes no parameter 'size'; it takes width"),
        (int, {}, "there is no function 'compute'; define compute() that returns a dict of values"),
    ],
)
def test_a_wrong_signature_is_a_traceback(
    monkeypatch: pytest.MonkeyPatch, compute: FunctionType, params: dict[str, Any], words: str
) -> None:
    assert refused(monkeypatch, compute, **params) == words
