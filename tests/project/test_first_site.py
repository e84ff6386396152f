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
    recall,
    rotation,
    saturation,
    scaled_dot_product,
    score_spread,
    similarity,
)
from scenes.three_pass_method import reading_time

ROOT = Path(__file__).parents[2]
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


def test_rows_that_the_text_treats_alike_are_told_apart_when_they_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    assert scaled_dot_product.compute()["keen_spread"] < 1e-12
    monkeypatch.setattr(scaled_dot_product, "QUERIES", scaled_dot_product.QUERIES + 0.5 * np.eye(4)[[3, 2, 3, 3]])
    assert scaled_dot_product.compute()["keen_spread"] > 0.01
    shuffled = np.array([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3]])
    assert scaled_dot_product.spread_of_rows(shuffled) == 0
    assert_allclose(scaled_dot_product.spread_of_rows(np.array([[0.5, 0.3, 0.2], [0.1, 0.5, 0.4]])), 0.1)


def test_the_toy_is_repeated_to_any_multiple_of_its_kinds_and_refuses_others() -> None:
    small, large = (scaled_dot_product.compute(d_k=d_k) for d_k in (4, 64))
    assert_allclose(large["lead_raw"] / small["lead_raw"], 16)
    assert_allclose(large["lead_scaled"] / small["lead_scaled"], 4)
    with pytest.raises(ValueError, match="multiple of 4"):
        scaled_dot_product.compute(d_k=6)


def test_score_spread_is_that_of_dot_products_cut_to_their_first_entries() -> None:
    queries, keys = np.random.default_rng(3).standard_normal((2, 40, 500), dtype=np.float32).astype(float)
    expected = [np.einsum("is,is->s", queries[:d_k], keys[:d_k]).std() for d_k in range(1, 41)]
    values = score_spread.compute(largest=40, samples=500, seed=3)
    assert_allclose(values["spread"], expected, rtol=1e-5)
    assert_allclose(values["worst"], max(abs(s / math.sqrt(i + 1) - 1) for i, s in enumerate(expected)), rtol=1e-4)


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


def test_gradients_of_the_figure_are_means_and_medians_of_raw_and_of_scaled_rows() -> None:
    values = query_gradient.compute(largest=4, n_keys=3, rows=9, seed=5)
    queries, keys = functions.random_rows(9, 3, 4, 5)
    for name, divisor in (("raw", 1), ("scaled", 2)):
        lengths = [_gradient_length(query, rows / divisor) for query, rows in zip(queries, keys, strict=True)]
        assert_allclose(values[f"median_{name}"][-1], np.median(lengths), rtol=1e-7)
        assert_allclose(values[f"mean_{name}"][-1], np.mean(lengths), rtol=1e-7)
        assert_allclose(values[f"last_mean_{name}"], np.mean(lengths), rtol=1e-7)


def test_the_steepest_fifth_and_the_faint_rows_are_counted() -> None:
    lengths = np.tile([3, 0.001, 0.5, 0.002, 0.25, 5, 0.125, 0.125, 0.5, 0.5], 2)
    told = query_gradient.at_largest(lengths, "raw")
    assert_allclose(told["steepest_fifth_raw"], 8 / 10.003)
    assert told["faint_raw"] == 0.2


def test_a_lead_is_that_of_the_best_score_over_the_second_best() -> None:
    keys = np.array([[[1.0, 0], [4, 1], [0, 2]]])
    assert_allclose(query_gradient.lead(np.array([[2.0, 1]]), keys), [9 - 2])


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


def test_faint_rows_and_the_winners_own_entry_are_measured_row_by_row() -> None:
    values = saturation.compute(largest=64, n_keys=3, rows=200, seed=5)
    queries, keys = functions.random_rows(200, 3, 64, 5)
    slopes = []
    for query, rows in zip(queries, keys, strict=True):
        winner = functions.softmax(rows @ query).max()
        slopes.append(winner * (1 - winner))
    assert_allclose(values["faint_raw"], np.mean(np.array(slopes) < 0.01))
    assert_allclose(values["last_raw"], np.mean(slopes), rtol=1e-12)
    assert values["from_winners_own"] < 1e-15


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


@pytest.mark.parametrize("d_model", [4, 16, 64])
def test_measured_wavelengths_are_those_of_the_formula(d_model: int) -> None:
    measured = positional_encoding.wavelengths(functions.positional_encoding(np.arange(3), d_model))
    assert_allclose(measured, [2 * math.pi * 10_000 ** (2 * i / d_model) for i in range(d_model // 2)], rtol=1e-12)


def test_the_wavelengths_are_those_the_page_promises() -> None:
    values = positional_encoding.compute()
    assert round(values["longest_turns"]) == 3162
    assert round(values["longest_turns_of_paper"]) == 9647
    assert_allclose([values["shortest"], values["longest"]], [2 * math.pi, 2 * math.pi * 10_000 ** (14 / 16)])
    assert_allclose(values["growth"], 10_000 ** (1 / 8))
    assert_allclose(math.radians(values["slowest_angle"]), 15 / 10_000 ** (14 / 16))


def test_the_nearest_encodings_are_found_among_all_pairs() -> None:
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


def test_a_look_up_that_ties_is_no_hit() -> None:
    weights = np.array([[0.4, 0.4, 0.2], [0.5, 0.25, 0.25], [0.4, 0.4, 0.2]])
    assert rotation.hits(weights, 0) == 0
    assert rotation.hits(weights, 1) == 1


def test_with_the_number_of_the_position_the_last_position_wins() -> None:
    weights = rotation.look_back_by_number(6, 2, 1)
    assert_allclose(weights[2], np.full(6, 1 / 6))  # looks for position 0: all tie
    assert_array_equal(weights[3:].argmax(axis=1), [5, 5, 5])
    found = np.log(weights[4] / weights[4, 0])
    assert_allclose(found, 2 * np.arange(6) / math.sqrt(2), atol=1e-12)  # (2, 1) times (pos, 1)


def test_a_head_looks_back_in_each_of_many_sentences_as_in_one() -> None:
    found = _random(3, 7, 16)
    together = rotation.look_back(found, 2, 4)
    for one, weights in zip(found, together, strict=True):
        assert_allclose(rotation.look_back(one, 2, 4), weights, rtol=1e-12)


def test_similarity_is_a_sum_of_cosines_and_has_the_values_the_page_promises() -> None:
    values = similarity.compute()
    for distance, found in enumerate(values["by_distance"]):
        assert_allclose(found, sum(math.cos(distance / 10000 ** (pair / 8)) for pair in range(8)), rtol=1e-12)
    assert (
        f"{values['at_zero']:.2f} {values['by_distance'][10]:.2f} {values['by_distance'][13]:.2f}" == "8.00 3.65 5.52"
    )
    assert f"{values['at_near']:.2f} {values['at_far']:.2f}" == "5.54 6.44"
    assert f"{values['at_later']:.2f} {values['at_two']:.2f}" == "6.43 6.37"


def test_peaks_are_higher_than_both_neighbours() -> None:
    assert_array_equal(similarity.peaks(np.array([5.0, 1, 3, 2, 2, 4, 4, 0, 1, 0.5, 7])), [2, 8])


def _readers(name: str, position: int, layer: int, n: int) -> list[int]:
    """Who reads a position, one by one."""
    step = 3**layer
    reach = {
        "self_attention": range(n),
        "recurrence": [position + 1],
        "convolution": [position, position + step, position + 2 * step],
        "restricted": range(position - 3, position + 5),
    }[name]
    return [reader for reader in reach if 0 <= reader < n]


@pytest.mark.parametrize("name", path_length.LAYERS)
def test_the_longest_path_equals_that_by_products_of_connection_matrices(name: str) -> None:
    for n in range(2, 30):
        joined = np.eye(n, dtype=bool)
        carried, found = joined, 0
        for layer in range(n):
            connected = np.zeros((n, n), dtype=bool)
            for position in range(n):
                connected[position, _readers(name, position, layer, n)] = True
            carried = carried @ connected
            if (carried & ~joined).any():
                found = layer + 1
            joined = joined | carried
        assert joined.all() or (joined == np.tri(n, dtype=bool).T).all()
        assert path_length.maximum_path_length(path_length.LAYERS[name], n) == found, n


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("self_attention", lambda n: 1),
        ("recurrence", lambda n: n - 1),
        ("convolution", lambda n: next(k for k in range(n) if 3**k >= n)),
        ("restricted", lambda n: math.ceil((n - 1) / 3)),
    ],
)
def test_path_lengths_follow_their_formulas_between_powers_of_two(name: str, expected: Any) -> None:
    for n in (2, 3, 4, 9, 10, 27, 28, 81, 82, 100):
        assert path_length.maximum_path_length(path_length.LAYERS[name], n) == expected(n), n


def test_the_longest_path_of_a_window_leads_from_the_last_position_to_the_first() -> None:
    steps = [path_length.steps_to_farthest(path_length.restricted, start, 25) for start in (0, 24)]
    assert steps == [24 / path_length.BEFORE, 24 / path_length.AFTER]


def test_a_window_holds_as_many_positions_as_it_says() -> None:
    sees = [place for place in range(41) if path_length.restricted(1 << place, 0, 41) & 1 << 20]
    assert sees == list(range(20 - path_length.BEFORE, 20 + path_length.WINDOW - path_length.BEFORE))


def test_the_integer_logarithm_is_exact_at_powers() -> None:
    for k in range(1, 20):
        assert [path_length.integer_log(3**k + i, 3) for i in (-1, 0, 1)] == [k, k, k + 1]


def test_a_recurrent_state_is_what_one_unit_at_a_time_computes() -> None:
    sentences = np.random.default_rng(4).integers(recall.VOCABULARY, size=(2, 3))
    recurrent, inputs = _random(5, 5), _random(recall.VOCABULARY, 5)
    states = recall.recurrent_states(sentences, recurrent, inputs)
    state = [0.0] * 5
    for place, word in enumerate(sentences[1]):
        state = [
            math.tanh(sum(recurrent[i, j] * state[i] for i in range(5)) + float(inputs[word, j])) for j in range(5)
        ]
        assert_allclose(states[1, place], state, rtol=1e-12)


def test_a_reading_finds_what_the_states_hold_and_nothing_else() -> None:
    sentences = np.random.default_rng(4).integers(recall.VOCABULARY, size=(80, recall.LENGTH))
    states = 0.01 * _random(80, recall.LENGTH, recall.UNITS)
    states[:, 5:, : recall.VOCABULARY] += np.eye(recall.VOCABULARY)[sentences[:, :-5]]  # the word five back
    assert recall.read_from_states(states, sentences, 5, 60) == 1
    assert recall.read_from_states(states, sentences, 4, 60) < 0.3


def test_a_head_that_finds_places_reads_the_right_word_and_one_that_finds_nothing_the_commonest() -> None:
    sentences = np.random.default_rng(4).integers(recall.VOCABULARY, size=(20, recall.LENGTH))
    places = functions.positional_encoding(np.arange(recall.LENGTH), recall.UNITS)
    assert recall.read_by_head(places, sentences, 7) == 1
    commonest = [np.bincount(sentence, minlength=recall.VOCABULARY).argmax() for sentence in sentences]
    expected = np.mean([recall.words_back(sentences, 7)[i] == word for i, word in enumerate(commonest)])
    assert_allclose(recall.read_by_head(0 * places, sentences, 7), expected)


def test_the_right_answer_is_the_word_that_stood_that_far_back() -> None:
    sentences = np.arange(recall.LENGTH)[None]
    for distance in (1, 16):
        expected = [place - distance for place in range(recall.LENGTH - recall.ASKED, recall.LENGTH)]
        assert recall.words_back(sentences, distance)[0].tolist() == expected


def test_recall_is_what_the_page_says_with_other_random_numbers_too() -> None:
    values = recall.compute(seed=1)
    assert (values["head"] == 1).all()
    assert values["head_with_words"].max() < 0.2
    assert values["network_near"] > 0.99
    assert values["network_far"] < 0.2 < values["other_network_far"] < 0.5


def test_reading_times_add_up() -> None:
    values = reading_time.compute()
    totals = [values[f"total_{reader}"] for reader in ("one", "two", "experienced", "beginner")]
    assert totals == [10, 70, 130, 370]
