"""A site has a date where it is told one, and nowhere else."""

import re
import time
from pathlib import Path

import pytest

from scenebook import cli

PAGE = "slug: page\ntitle: Page\nsummary: Words.\nscenes: [{id: one, title: One, text: Words.}]\n"
SITE = "site: {title: Tiny, url: https://example.org/}\npages: [scenes/page.yaml]\n"


def dates(root: Path) -> set[str]:
    """Every year and date in what was built, but for the one that stands for none."""
    texts = (path.read_text(encoding="utf-8") for path in (root / "output").rglob("*") if path.is_file())
    return {date for text in texts for date in re.findall(r"\b20\d\d-\d\d-\d\d[\dT:Z]*", text)}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "scenes").mkdir()
    (tmp_path / "storyboard.yaml").write_text(SITE, encoding="utf-8")
    (tmp_path / "scenes" / "page.yaml").write_text(PAGE, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("SCENEBOOK_UPDATED", "2030-01-31T12:00:00+02:00", {"2030-01-31T10:00:00Z"}),
        ("SCENEBOOK_UPDATED", "2030-01-31", {"2030-01-31T00:00:00Z"}),
        ("SOURCE_DATE_EPOCH", "1900000000", {"2030-03-17T17:46:40Z"}),
        ("SCENEBOOK_UPDATED", "", set()),
    ],
)
def test_the_feed_has_another_date_or_none(
    root: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, found: set[str]
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    assert cli.main(["build", "--root", str(root)]) == 0
    monkeypatch.setenv(name, value)
    assert cli.main(["build", "--root", str(root)]) == 0
    assert dates(root) == found


@pytest.mark.parametrize("date", ["yesterday", "0001-01-01T00:00:00+09:00", "9" * 40])
def test_a_date_that_is_none_is_a_traceback(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], date: str
) -> None:
    monkeypatch.setenv("SCENEBOOK_UPDATED", date)
    assert cli.main(["build", "--root", str(root)]) == 1
    assert capsys.readouterr().err == f"SCENEBOOK_UPDATED: {date!r} is no date; write 2030-01-31T12:00:00Z\n"
