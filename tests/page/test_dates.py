"""A site shows a date if the environment gives one, and no date otherwise."""

import re
import time
from pathlib import Path

import pytest

from scenebook import cli

PAGE = "slug: page\ntitle: Page\nsummary: Words.\nscenes: [{id: one, title: One, text: Words.}]\n"
SITE = "site: {title: Tiny, url: https://example.org/}\npages: [scenes/page.yaml]\n"

REFUSED = {
    "SCENEBOOK_UPDATED": "is not a date; write one such as 2030-01-31 or 2030-01-31T12:00:00Z",
    "SOURCE_DATE_EPOCH": "is not a number of seconds since 1970; write one such as 1900000000",
}


def dates(root: Path) -> set[str]:
    """Every date in the built files, except 1970-01-01, which stands for no date."""
    texts = (path.read_text(encoding="utf-8") for path in (root / "output").rglob("*") if path.is_file())
    return {date for text in texts for date in re.findall(r"\b20\d\d-\d\d-\d\d[\dT:Z]*", text)}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "scenes").mkdir()
    (tmp_path / "storyboard.yaml").write_text(SITE, encoding="utf-8")
    (tmp_path / "scenes" / "page.yaml").write_text(PAGE, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({"SCENEBOOK_UPDATED": "2030-01-31T12:00:00+02:00"}, {"2030-01-31T10:00:00Z"}),
        ({"SCENEBOOK_UPDATED": "2030-01-31"}, {"2030-01-31T00:00:00Z"}),
        ({"SCENEBOOK_UPDATED": "20300131"}, {"2030-01-31T00:00:00Z"}),
        ({"SCENEBOOK_UPDATED": "20300131T120000Z"}, {"2030-01-31T12:00:00Z"}),
        ({"SOURCE_DATE_EPOCH": "1900000000"}, {"2030-03-17T17:46:40Z"}),
        ({"SCENEBOOK_UPDATED": "", "SOURCE_DATE_EPOCH": "1900000000"}, {"2030-03-17T17:46:40Z"}),
        ({"SCENEBOOK_UPDATED": "2030-01-31", "SOURCE_DATE_EPOCH": "1900000000"}, {"2030-01-31T00:00:00Z"}),
        ({"SCENEBOOK_UPDATED": ""}, set()),
        ({"SCENEBOOK_UPDATED": " \n", "SOURCE_DATE_EPOCH": ""}, set()),
    ],
)
def test_the_feed_has_the_date_of_the_environment(
    root: Path, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], found: set[str]
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    assert cli.main(["build", "--root", str(root)]) == 0
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert cli.main(["build", "--root", str(root)]) == 0
    assert dates(root) == found


@pytest.mark.parametrize(
    ("name", "date"),
    [
        *(("SCENEBOOK_UPDATED", date) for date in ("yesterday", "0001-01-01T00:00:00+09:00", "1900000000", "9" * 40)),
        *(("SOURCE_DATE_EPOCH", date) for date in ("2030-01-31", "-1", "1.5", "1_000", "٣", "9" * 40)),
    ],
)
def test_an_invalid_date_is_refused(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, date: str
) -> None:
    monkeypatch.setenv(name, date)
    assert cli.main(["build", "--root", str(root)]) == 1
    assert capsys.readouterr().err == f"{name}: {date!r} {REFUSED[name]}\n"
