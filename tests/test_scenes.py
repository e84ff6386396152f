"""The scenes' formulas against independent forms and worked examples, and the numbers that the pages stand for."""

import ast
import importlib
import itertools
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from scenes.attention import (
    functions,
    multi_head,
    path_length,
    permutation,
    positional_encoding,
    query_gradient,
    rotation,
    saturation,
    scaled_dot_product,
    score_spread,
    similarity,
)
from scenes.three_pass_method import reading_time

ROOT = Path(__file__).parent.parent
MODULES = sorted(path.relative_to(ROOT) for path in (ROOT / "scenes").rglob("*.py"))
SCENES = [path for path in MODULES if "\ndef compute(" in (ROOT / path).read_text(encoding="utf-8")]


def _module(path: Path) -> Any:
    return importlib.import_module(".".join(path.with_suffix("").parts))


def _random(*shape: int) -> Any:
    return np.random.default_rng(1).standard_normal(shape)


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_a_scene_imports_numpy_the_standard_library_and_scenes_alone(path: Path) -> None:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in imports if isinstance(node, ast.ImportFrom)}
    allowed = {"numpy", "scenes", *sys.stdlib_module_names}
    assert {name.partition(".")[0] for name in names} - allowed == set()


@pytest.mark.parametrize("path", SCENES, ids=str)
def test_compute_runs_with_its_defaults_and_is_pure(path: Path) -> None:
    compute = _module(path).compute
    first, second = compute(), compute()
    assert first.keys() == second.keys()
    for name, value in first.items():
        assert_array_equal(value, second[name], err_msg=name)


@pytest.mark.parametrize("path", SCENES, ids=str)
def test_arrays_of_numbers_are_finite(path: Path) -> None:
    for name, value in _module(path).compute().items():
        array = np.asarray(value)
        assert array.dtype.kind == "U" or np.isfinite(array).all(), name


def test_a_scene_runs_as_a_program() -> None:
    command = [sys.executable, "-m", "scenes.attention.scaled_dot_product"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "entropy_scaled" in printed


def test_softmax_equals_a_loop_and_bears_large_scores() -> None:
    scores = _random(3, 5)
    expected = [[math.exp(s) / sum(math.exp(t) for t in row) for s in row] for row in scores]
    assert_allclose(functions.softmax(scores), expected, rtol=1e-14)
    assert_allclose(
        functions.softmax(np.array([1000.0, 999.0])), [1 / (1 + math.exp(-1)), 1 / (1 + math.e)], rtol=1e-14
    )


def test_entropy_equals_what_is_worked_out_by_hand() -> None:
    rows = np.array([[1 / 2, 1 / 4, 1 / 8, 1 / 8], [1 / 4, 1 / 4, 1 / 4, 1 / 4], [1, 0, 0, 0]])
    bits = functions.entropy(rows)
    assert_allclose(bits, [7 / 4, 2, 0], atol=1e-15)
    assert not np.signbit(bits).any()


def test_softmax_jacobian_equals_finite_differences() -> None:
    scores, step = _random(5), 1e-6
    differences = [
        (functions.softmax(scores + step * unit) - functions.softmax(scores - step * unit)) / (2 * step)
        for unit in np.eye(5)
    ]
    jacobian = functions.softmax_jacobian(functions.softmax(scores))
    assert_allclose(jacobian, np.transpose(differences), atol=1e-9)


def test_the_largest_slope_is_that_of_the_winner_and_vanishes_with_it() -> None:
    weights = np.array([[0.5, 0.25, 0.25], [0.999, 0.001, 0]])
    assert_allclose(functions.largest_slope(weights), [0.25, 0.999 * 0.001], rtol=1e-12)


def test_attention_equals_a_loop_over_queries_and_keys() -> None:
    (queries, keys), values = _random(2, 4, 6), _random(4, 3)
    for query, output in zip(queries, functions.attention(queries, keys, values), strict=True):
        weights = [math.exp(sum(q * k for q, k in zip(query, key, strict=True)) / math.sqrt(6)) for key in keys]
        mixed = sum(weight * value for weight, value in zip(weights, values, strict=True)) / sum(weights)
        assert_allclose(output, mixed, rtol=1e-12)


def test_positional_encoding_equals_complex_exponentials() -> None:
    encoding = functions.positional_encoding(np.arange(20), 12)
    for position, pair in itertools.product(range(20), range(6)):
        turned = np.exp(1j * position / 10000 ** (2 * pair / 12))
        assert_allclose(encoding[position, 2 * pair : 2 * pair + 2], [turned.imag, turned.real], atol=1e-14)


def test_the_toy_reaches_the_entropies_that_the_page_promises() -> None:
    values = scaled_dot_product.compute()
    assert round(values["entropy_raw"], 2) == 0.65
    assert round(values["entropy_scaled"], 2) == 1.65


def test_the_toy_is_readable_and_its_winners_make_sense() -> None:
    assert_array_equal(2 * scaled_dot_product.QUERIES % 1, 0)
    assert_array_equal(2 * scaled_dot_product.KEYS % 1, 0)
    values = scaled_dot_product.compute()
    winners = {
        query: values["tokens"][key] for query, key in zip(values["tokens"], values["winner_scaled"], strict=True)
    }
    assert winners == {"the": "cat", "cat": "sat", "sat": "cat", "down": "sat"}


def test_the_row_that_the_text_follows_is_the_row_in_the_figure() -> None:
    values = scaled_dot_product.compute()
    for name in ("raw", "scaled"):
        row = sorted(values[name][values["tokens"].index("cat")])
        assert_allclose([row[-1], row[-2]], [values[f"keen_winner_{name}"], values[f"keen_runner_up_{name}"]])
        assert_allclose(row[-1] / row[-2], values[f"odds_{name}"])


def test_rows_that_the_text_treats_alike_can_differ_in_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    assert scaled_dot_product.compute()["keen_spread"] == 0
    monkeypatch.setattr(scaled_dot_product, "QUERIES", scaled_dot_product.QUERIES + 0.5 * np.eye(4)[[3, 2, 3, 3]])
    assert scaled_dot_product.compute()["keen_spread"] == 0.5


def test_the_toy_is_repeated_to_any_multiple_of_its_kinds_and_refuses_others() -> None:
    small, large = (scaled_dot_product.compute(d_k=d_k) for d_k in (4, 64))
    assert_allclose(large["lead_raw"] / small["lead_raw"], 16)
    assert_allclose(large["lead_scaled"] / small["lead_scaled"], 4)
    with pytest.raises(ValueError, match="multiple of 4"):
        scaled_dot_product.compute(d_k=6)


def test_score_spread_carries_the_sum_from_block_to_block() -> None:
    largest, samples = 40, 500
    random = np.random.default_rng(3)
    products = []
    for start in range(0, largest, score_spread.BLOCK):
        shape = (min(score_spread.BLOCK, largest - start), samples)
        products += list(
            random.standard_normal(shape, dtype=np.float32) * random.standard_normal(shape, dtype=np.float32)
        )
    expected = [np.sum(products[:d_k], axis=0, dtype=np.float64).std() for d_k in range(1, largest + 1)]
    measured = score_spread.compute(largest=largest, samples=samples, seed=3)["spread"]
    assert_allclose(measured, expected, rtol=1e-5)


def _gradient_length(query: Any, keys: Any, step: float = 1e-6) -> float:
    winner = (keys @ query).argmax()
    moves = step * np.eye(len(query))
    ahead, behind = ([functions.softmax(keys @ (query + sign * move))[winner] for move in moves] for sign in (1, -1))
    return float(np.linalg.norm(np.subtract(ahead, behind)) / (2 * step))


@pytest.mark.parametrize("divisor", [1, 2.5])
def test_the_gradient_at_the_query_equals_finite_differences(divisor: float) -> None:
    queries, keys = _random(3, 6), _random(3, 4, 6)
    lengths = query_gradient.gradient_lengths(queries, keys, divisor)
    expected = [_gradient_length(query, rows / divisor) for query, rows in zip(queries, keys, strict=True)]
    assert_allclose(lengths, expected, rtol=1e-7)


def test_gradients_of_the_figure_are_medians_of_raw_and_of_scaled_rows() -> None:
    values = query_gradient.compute(largest=4, n_keys=3, rows=9, seed=5)
    queries, keys = functions.random_rows(9, 3, 4, 5)
    for name, divisor in (("raw", 1), ("scaled", 2)):
        lengths = [_gradient_length(query, rows / divisor) for query, rows in zip(queries, keys, strict=True)]
        assert_allclose(values[name][-1], np.median(lengths), rtol=1e-7)


def test_slopes_of_the_figure_are_means_of_raw_and_of_scaled_rows() -> None:
    values = saturation.compute(largest=4, n_keys=3, rows=9, seed=5)
    queries, keys = functions.random_rows(9, 3, 4, 5)
    assert_array_equal(values["d_k"], [1, 2, 4])
    for name, divisor in (("raw", 1), ("scaled", math.sqrt(2))):
        slopes = []
        for query, rows in zip(queries, keys, strict=True):
            weights = functions.softmax(rows[:, :2] @ query[:2] / divisor)
            slopes.append(np.abs(np.diag(weights) - np.outer(weights, weights)).max())
        assert_allclose(values[name][1], np.mean(slopes), rtol=1e-12)
    assert_allclose(values["scaled_per_score"], values["scaled"] / [1, math.sqrt(2), 2])


def test_the_winners_entry_and_the_faint_rows_are_told_apart() -> None:
    weights = np.array([[0.5, 0.5, 0], [0.999, 0.001, 0]])
    told = saturation.at_largest(weights, "raw")
    assert_allclose(told["winner_raw"], (0.25 + 0.999 * 0.001) / 2)
    assert told["faint_raw"] == 0.5


def test_the_heads_have_the_parameters_that_the_page_promises() -> None:
    values = multi_head.compute()
    assert values["total_one"] == values["total_heads"] == 1_048_576
    assert (values["projections"], values["output"]) == (786_432, 262_144)
    assert_array_equal(values["lengths"].sum(axis=1), 1_048_576)
    assert values["lengths"].shape == (len(values["bars"]), len(values["parts"]))


@pytest.mark.parametrize("heads", [1, 2, 6])
def test_batched_heads_equal_heads_run_one_by_one_and_by_definition(heads: int) -> None:
    tokens, output = _random(5, 12), _random(12, 12) / 4
    projections = _random(3, heads, 12, 12 // heads) / 4
    one_by_one = multi_head.run_one_by_one(tokens, projections, output)
    assert_allclose(multi_head.run_batched(tokens, projections, output), one_by_one, atol=1e-13)
    by_definition = 0
    for head, rows in enumerate(np.split(output, heads)):
        queries, keys, values = (tokens @ projections[i, head] for i in range(3))
        scores = np.exp(queries @ keys.T / math.sqrt(12 // heads))
        by_definition = by_definition + scores / scores.sum(axis=1, keepdims=True) @ values @ rows
    assert_allclose(one_by_one, by_definition, atol=1e-12)


def test_heads_that_do_not_divide_the_width_are_refused() -> None:
    with pytest.raises(ValueError, match="multiple of heads"):
        multi_head.compute(d_model=10, heads=3)


def test_the_wavelengths_are_those_the_page_promises() -> None:
    values = positional_encoding.compute()
    assert round(values["longest_turns"]) == 3162
    assert round(values["longest_turns_of_paper"]) == 9647
    assert_allclose(values["wavelengths"][[0, -1]], [2 * math.pi, 2 * math.pi * 10_000 ** (14 / 16)])


def test_the_nearest_addresses_are_found_among_all_pairs() -> None:
    points = np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 5.5]])
    assert positional_encoding.nearest(points) == 1.5


def test_a_shuffled_word_is_compared_with_itself() -> None:
    values = permutation.compute()
    assert sorted(values["shuffled"].split()) == sorted(values["tokens"])
    assert all(new != old for new, old in zip(values["shuffled"].split(), values["tokens"], strict=True))
    tokens, places, projections = _random(4, 6), _random(4, 6), _random(3, 6, 2)
    after = permutation.attend(tokens + places, projections)
    before = permutation.attend(tokens[permutation.SHUFFLE] + places, projections)
    moved = permutation.moved(tokens, places, projections)
    for new, old in enumerate(permutation.SHUFFLE):
        assert_allclose(moved[old], np.abs(before[new] - after[old]))


def test_rotations_add_up_and_keep_lengths() -> None:
    assert_allclose(rotation.rotation(3, 8) @ rotation.rotation(-5, 8), rotation.rotation(-2, 8), atol=1e-14)
    assert_allclose(rotation.rotation(7, 8) @ rotation.rotation(7, 8).T, np.eye(8), atol=1e-14)


def test_a_head_looks_back_by_its_distance_and_by_no_other() -> None:
    encoding = functions.positional_encoding(np.arange(10), 16)
    weights = rotation.look_back(encoding, 4, 50)
    assert_array_equal(weights.argmax(axis=1)[4:], np.arange(6))
    assert rotation.hits(weights, 4) == 6
    assert rotation.hits(weights, 3) < 2


def test_similarity_is_a_sum_of_cosines_and_has_the_values_the_page_promises() -> None:
    values = similarity.compute()
    for distance, found in enumerate(values["by_distance"]):
        assert_allclose(found, sum(math.cos(distance / 10000 ** (pair / 8)) for pair in range(8)), rtol=1e-12)
    assert f"{values['at_zero']:.2f} {values['at_near']:.2f} {values['at_far']:.2f}" == "8.00 3.65 5.52"


@pytest.mark.parametrize("name", path_length.LAYERS)
def test_breadth_first_search_equals_products_of_connection_matrices(name: str) -> None:
    readers = path_length.LAYERS[name]
    for n in range(2, 30):
        reached, layers = np.eye(n, dtype=bool)[0], 0
        while not reached[-1]:
            connected = np.array(
                [[reader in readers(position, layers, n) for reader in range(n)] for position in range(n)]
            )
            reached, layers = reached @ connected, layers + 1
        assert path_length.path_length(readers, n) == layers


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("self_attention", lambda n: 1),
        ("recurrence", lambda n: n - 1),
        ("convolution", lambda n: next(k for k in range(n) if 3**k >= n)),
        ("restricted", lambda n: math.ceil((n - 1) / 4)),
    ],
)
def test_path_lengths_follow_their_formulas_between_powers_of_two(name: str, expected: Any) -> None:
    for n in (2, 3, 4, 9, 10, 27, 28, 81, 82, 100):
        assert path_length.path_length(path_length.LAYERS[name], n) == expected(n), n


def test_a_window_holds_as_many_positions_as_it_says() -> None:
    sees = [reader for reader in range(-20, 21) if 0 in path_length.restricted(reader, 0, 0)]
    assert sees == list(range(-path_length.BEFORE, path_length.WINDOW - path_length.BEFORE))


def test_the_integer_logarithm_is_exact_at_powers() -> None:
    for k in range(1, 20):
        assert [path_length.integer_log(3**k + i, 3) for i in (-1, 0, 1)] == [k, k, k + 1]


def test_reading_times_add_up() -> None:
    values = reading_time.compute()
    totals = [values[f"total_{reader}"] for reader in ("one", "two", "practised", "beginner")]
    assert totals == [10, 70, 130, 370]
    assert values["skims_for_one_rebuild"] * 10 <= 370 < (values["skims_for_one_rebuild"] + 1) * 10
