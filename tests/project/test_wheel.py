"""The wheel, installed in a fresh environment without a checkout nearby: every command works on a site of one's own.

The environment finds the libraries in the one that runs the tests, so nothing is downloaded.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

from scenebook.build import engine_wheel
from tests.support.review_site import commit, edit, git, repository, write

ROOT = Path(__file__).parents[2]
LIBRARIES = sysconfig.get_path("purelib")
FOLDERS = ("scenebook", "starters", "templates")
NAME = "scenebook-0.1.0-py3-none-any.whl"
OWN_PAGE = """\
{% extends "scenebook/page.html" %}
{% block closing %}
{{ super() }}
<p>Made by us.</p>
{% endblock %}
"""

HIDES = "raise ImportError('what is installed must not hide a module of Python')"


def run(*command: str | Path, cwd: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run a command without the variables and the umask of the tests, and check its exit code."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SCENEBOOK"))}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, umask=0o077)
    assert done.returncode == code, done.stdout + done.stderr
    return done


def packed(sources: Path, target: str, into: Path) -> Path:
    """Return the `wheel` or the `sdist` of a folder of sources."""
    run(sys.executable, "-P", "-m", "hatchling", "build", "--target", target, "--directory", into, cwd=sources)
    [made] = into.iterdir()
    return made


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packed(ROOT, "wheel", tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def scenebook(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command, installed from the wheel."""
    folder = tmp_path_factory.mktemp("fresh") / "environment"
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=wheel.parent)
    pip = (sys.executable, "-m", "pip", "--python", folder / "bin/python", "--disable-pip-version-check")
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=wheel.parent)
    [packages] = folder.glob("lib/*/site-packages")
    (packages / "libraries.pth").write_text(f"{LIBRARIES}\n", encoding="utf-8")
    (packages / "calendar.py").write_text(HIDES, encoding="utf-8")
    return folder / "bin/scenebook"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return repository(tmp_path / "site")


def test_the_wheel_holds_the_engine_with_its_templates_and_starters_and_nothing_else(wheel: Path) -> None:
    listed = git(ROOT, "ls-files", "--cached", "--others", "--exclude-standard", *FOLDERS).split("\n")
    names = zipfile.ZipFile(wheel).namelist()
    expected = [re.sub("^(templates|starters)/", r"scenebook/\1/", name) for name in listed if (ROOT / name).is_file()]
    assert {"scenebook/storyboard.schema.json", "scenebook/templates/static/site.css"} <= set(expected)
    assert sorted(name for name in names if ".dist-info/" not in name) == sorted(expected)


def test_the_wheel_is_the_same_when_it_is_built_again_from_the_source_distribution(wheel: Path, tmp_path: Path) -> None:
    source = packed(ROOT, "sdist", tmp_path / "sdist")
    with tarfile.open(source) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    again = packed(tmp_path / "unpacked" / source.name.removesuffix(".tar.gz"), "wheel", tmp_path / "again")
    assert (again.name, again.read_bytes()) == (NAME, wheel.read_bytes())


def test_every_command_works_on_a_site_of_ones_own(scenebook: Path, site: Path) -> None:
    write(
        site, {"calendar.py": HIDES, "templates/page.html": OWN_PAGE, "templates/static/site.css": "p { color: red }\n"}
    )
    missing = "facts.lock: not found; run `scenebook build` and commit the file\n"
    assert run(scenebook, "check", cwd=site, code=1).stderr == missing
    run(scenebook, "build", cwd=site)
    page = (site / "output/one/index.html").read_text(encoding="utf-8")
    assert ">scenebook run one/curve</code>" in page
    assert "<p>Made by us.</p>\n</article>" in page
    assert [path.read_text(encoding="utf-8") for path in (site / "output/static").glob("site*.css")] == [
        "p { color: red }\n"
    ]
    assert "nothing has changed" in run(scenebook, "check", cwd=site).stdout
    assert re.search("^last +3.0$", run(scenebook, "run", "one/curve", cwd=site).stdout, re.MULTILINE)
    assert run(scenebook, "why", "curve", cwd=site).stdout.startswith("one/curve is up to date.")
    assert "wrote the same" in run(scenebook, "verify", cwd=site).stdout
    assert run(scenebook, "review", "HEAD", cwd=site).stdout.endswith(f"See {site}/review/index.html\n")
    assert (site / "review/before/one/index.html").is_file()


def test_a_folder_without_a_site_is_reported(scenebook: Path, tmp_path: Path) -> None:
    advice = "name the site's folder with `--root DIR`, or start a site with `scenebook new DIR`"
    message = f"storyboard.yaml: not found in {tmp_path}; {advice}\n"
    assert run(scenebook, "build", cwd=tmp_path, code=1).stderr == message


def test_the_schemas_are_written_into_a_folder_of_the_site(scenebook: Path, tmp_path: Path) -> None:
    message = "--into: is missing; name a folder for the schemas, such as `scenebook schema --into .vscode`\n"
    assert run(scenebook, "schema", cwd=tmp_path, code=1).stderr == message
    run(scenebook, "schema", "--into", ".vscode", cwd=tmp_path)
    for name in ("page.schema.json", "storyboard.schema.json"):
        assert (tmp_path / ".vscode" / name).read_bytes() == (ROOT / "scenebook" / name).read_bytes()


def test_the_command_says_its_version(scenebook: Path, tmp_path: Path) -> None:
    assert run(scenebook, "--version", cwd=tmp_path).stdout == "scenebook 0.1.0\n"


def test_a_new_site_carries_its_engine_and_builds(scenebook: Path, tmp_path: Path) -> None:
    assert run(scenebook, "new", "mine", cwd=tmp_path).stdout.startswith("wrote 22 files into mine; ")
    [carried] = (tmp_path / "mine/vendor").iterdir()
    assert carried.read_bytes() == engine_wheel.pack().content
    run(scenebook, "new", "page", "waves", cwd=tmp_path / "mine")
    run(scenebook, "build", "--strict", cwd=tmp_path / "mine")
    assert (tmp_path / "mine/output/waves/index.html").is_file()


def changed_engine(wheel: Path, into: Path) -> bytes:
    """Return a wheel of an engine with another footer. It needs no libraries, and finds them all the same."""
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(into, "w") as new:
        for name in old.namelist():
            text = re.sub(rb"^Requires-Dist: .*\n", b"", old.read(name), flags=re.MULTILINE)
            new.writestr(name, text.replace(b"Every figure on these pages", b"Each picture"))
        new.writestr("libraries.pth", f"{LIBRARIES}\n")
    return into.read_bytes()


def pin(site: Path, content: bytes) -> None:
    (site / "vendor").mkdir(exist_ok=True)
    (site / "vendor" / NAME).write_bytes(content)
    lock = f"--no-index\n./vendor/{NAME} \\\n    --hash=sha256:{hashlib.sha256(content).hexdigest()}\n"
    write(site, {"requirements.txt": lock})


def test_each_side_of_a_review_is_built_by_the_engine_that_it_pins(
    scenebook: Path, wheel: Path, site: Path, tmp_path: Path
) -> None:
    """The engine that runs the review is pinned by the base, so only the head needs an environment of its own."""
    pin(site, wheel.read_bytes())
    commit(site, "One engine")
    pin(site, changed_engine(wheel, tmp_path / NAME))
    run(scenebook, "review", "HEAD", cwd=site)
    sides = [(site / f"review/{side}/index.html").read_text(encoding="utf-8") for side in ("before", "after")]
    assert ["Each picture" in side for side in sides] == [False, True]
    assert len(list((site / ".scenebook/env").iterdir())) == 1


def test_a_site_that_pins_libraries_alone_is_built_by_the_running_engine(scenebook: Path, site: Path) -> None:
    """Its environment has the pinned libraries first, and those of the running engine after them."""
    write(site, {"requirements.txt": f"--no-index\n--find-links {site}\nlengths==2\n"})
    with zipfile.ZipFile(site / "lengths-2-py3-none-any.whl", "w") as file:
        file.writestr("lengths.py", "LENGTH = 2\n")
        file.writestr("lengths-2.dist-info/METADATA", "Metadata-Version: 2.1\nName: lengths\nVersion: 2\n")
        file.writestr("lengths-2.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr("lengths-2.dist-info/RECORD", "")
    text = "from lengths import LENGTH\n\n\ndef compute() -> dict:\n    return {'sum': LENGTH, 'mean': 1.5}\n"
    write(site, {"scenes/two/table.py": text})
    edit(site, "scenes/two/page.yaml", ("table.sum > 5", "table.sum > 1"))
    run(scenebook, "review", "HEAD", cwd=site)
    assert ">2.0</data>" in (site / "review/after/two/index.html").read_text(encoding="utf-8")
