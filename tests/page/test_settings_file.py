"""The settings file is a script of one call, which holds every value once and reads back as it was."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from scenebook.core.tracks import ITSELF, TEXT, Track
from scenebook.page.settings_file import read_settings_file, settings_file

PATHS = st.lists(st.sampled_from(["M", "L-1.25", " 3", "H40.5", "~", "z", "1e5", "007", "-0", "2.50", "."])).map(
    "".join
)
VALUES = st.none() | st.text(st.characters(codec="utf-8")) | PATHS


def of_length(count: int) -> st.SearchStrategy[tuple[int, dict[str, tuple[Track, ...]]]]:
    tracks = st.builds(
        Track,
        st.integers(-1, 300),
        st.sampled_from(["", "*", "d", "fill"]),
        st.lists(VALUES, min_size=count, max_size=count).map(tuple),
    )
    regions = st.dictionaries(
        st.text(st.characters(codec="utf-8")), st.lists(tracks, min_size=1, max_size=3).map(tuple)
    )
    return st.tuples(st.just(count), regions)


@given(st.integers(1, 5).flatmap(of_length), st.text(st.characters(codec="utf-8")))
def test_what_is_read_is_what_was_written(known: tuple[int, dict[str, tuple[Track, ...]]], anchor: str) -> None:
    count, regions = known
    assert read_settings_file(settings_file(anchor, count, regions)) == (anchor, count, regions)


def test_the_file_is_one_call_with_every_value_once() -> None:
    track, other = Track(3, "fill", ("#fff", None, "#fff")), Track(ITSELF, TEXT, ("a", "#fff", "a"))
    assert settings_file("page-scene", 3, {"page-scene--a": (track, other)}) == (
        b'addSettings("page-scene",{"count":3,"texts":["#fff",null,"a"],'
        b'"regions":{"page-scene--a":[[3,"fill",[0,1,0]],[-1,"",[2,0,2]]]}});\n'
    )


def test_a_region_without_tracks_is_left_out() -> None:
    assert b'"regions":{}' in settings_file("a", 2, {"a--b": ()})


def test_the_numbers_of_paths_stand_in_columns_as_steps() -> None:
    track = Track(1, "d", ("M0 5L3.2-1", "M0 5.5L3.2-1", "M0 5.5H3.2"))
    script = settings_file("a", 3, {"a--b": (track,)})
    [_, found] = json.loads(f"[{script.decode().removeprefix('addSettings(').strip()[:-2]}]")
    assert found["texts"] == ["M~ ~L~~", "M~ ~H~"]
    assert found["regions"] == {"a--b": [[1, "d", [0, 0, 1], [[], [500, 50], [320], [-100, 0, 100]]]]}


def test_a_path_that_would_read_back_otherwise_is_kept_whole() -> None:
    for value in ("M1.250 3", "M1.234 3", "M~3", "M-0 1"):
        track = Track(1, "d", (value, "M0 0"))
        assert value.encode() in settings_file("a", 2, {"a--b": (track,)})


def test_no_value_ends_the_script_or_a_line() -> None:
    script = settings_file("</script>", 1, {"a": (Track(0, "", ("\u2028</script>\u2029\n",)),)}).decode()
    assert "<" not in script
    assert script.splitlines() == [script.rstrip("\n")]


def test_the_file_is_the_same_whenever_it_is_written() -> None:
    regions = {f"a--{name}": (Track(0, "x", tuple(map(str, range(9)))),) for name in "cab"}
    assert settings_file("a", 9, regions) == settings_file("a", 9, dict(regions))
