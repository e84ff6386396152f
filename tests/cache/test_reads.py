"""Everything that a scene reads is observed, and nothing else is taken for an input."""

from __future__ import annotations

import os
import py_compile
import shutil
import sqlite3
import sys
import textwrap
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from PIL import Image

from scenebook.cache.reads import ABOVE_LIBRARIES, Reads
from scenebook.run.workers import Job, Workers
from tests.run.test_workers import Named, value

Observe = Callable[..., Reads]


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Workers]]:
    root = tmp_path_factory.mktemp("site")
    with Workers(root, 2, ["numpy.random"]) as started:
        yield root, started


@pytest.fixture
def root(workers: tuple[Path, Workers]) -> Path:
    """A site that holds only some data."""
    folder = workers[0]
    for old in folder.iterdir():
        if old.is_dir() and not old.is_symlink():
            shutil.rmtree(old)
        else:
            old.unlink()
    (folder / "scenes").mkdir()
    (folder / "data").mkdir()
    (folder / "data" / "one.csv").write_text("1,2\n3,4\n", encoding="ascii")
    np.save(folder / "data" / "one.npy", np.eye(2))
    with closing(sqlite3.connect(folder / "data" / "one.db")) as one:
        one.execute("create table one(x)")
    (folder / "data" / "link.db").symlink_to("one.db")
    with zipfile.ZipFile(folder / "data" / "one.zip", "w") as file:
        file.writestr("zipped.py", "")
    Image.new("L", (1, 1)).save(folder / "data" / "one.png")
    shutil.copy(Path(matplotlib.get_data_path()) / "fonts/ttf/DejaVuSans.ttf", folder / "data" / "one.ttf")
    (folder / "data" / "one.mplstyle").write_text("lines.linewidth: 2\n", encoding="ascii")
    return folder


@pytest.fixture
def observe(root: Path, workers: tuple[Path, Workers]) -> Observe:
    def observe(*lines: str, fresh: bool = True, before: str = "") -> Reads:
        """Return what a scene reads if its `compute` consists of these lines."""
        body = textwrap.indent("\n".join(lines), "    ")
        code = f"import os, pathlib, sys\nimport numpy as np\n{before}\ndef compute():\n{body}\n"
        (root / "scenes" / "scene.py").write_text(code, encoding="utf-8")
        workers[1].submit(Job("scene", Named("scenes.scene:compute"), fresh=fresh))
        (outcome,) = workers[1]
        value(outcome)
        return outcome.reads

    return observe


ALONE = Reads(paths=("scenes/scene.py",), modules=("scenes", "scenes/scene"), imports=("numpy",))


@pytest.mark.parametrize("folder", ["{}", "os.fsencode({})", "pathlib.Path({})"])
def test_a_scene_that_lists_a_folder_of_packages_depends_on_all_of_them(observe: Observe, folder: str) -> None:
    place = folder.format("os.path.dirname(os.path.dirname(np.__file__))")
    assert observe(f"return len(os.listdir({place}))").packages == ("all installed packages",)


def test_a_scene_that_reads_nothing_has_only_itself_as_input(observe: Observe) -> None:
    assert observe("return 1") == ALONE


@pytest.mark.parametrize(
    ("line", "file"),
    [
        ("open('data/one.csv').read()", "data/one.csv"),
        ("open(pathlib.Path(__file__).parent.parent / 'data/one.csv').read()", "data/one.csv"),
        ("open(b'data/one.csv').read()", "data/one.csv"),
        ("os.close(os.open('data/one.csv', os.O_RDONLY))", "data/one.csv"),
        ("pathlib.Path('data/one.csv').read_bytes()", "data/one.csv"),
        ("os.chdir('data'); open('one.csv')", "data/one.csv"),
        ("open('scenes/../data/one.csv')", "data/one.csv"),
        ("np.loadtxt('data/one.csv', delimiter=',')", "data/one.csv"),
        ("np.genfromtxt('data/one.csv', delimiter=',')", "data/one.csv"),
        ("np.fromfile('data/one.npy')", "data/one.npy"),
        ("np.load('data/one.npy')", "data/one.npy"),
        ("np.load('data/one.npy', mmap_mode='r')", "data/one.npy"),
        ("np.memmap('data/one.npy', mode='r')", "data/one.npy"),
        ("import sqlite3; sqlite3.connect('data/one.csv')", "data/one.csv"),
        ("import sqlite3; sqlite3.connect(b'data/one.csv')", "data/one.csv"),
        ("import sqlite3; sqlite3.connect(pathlib.Path('data/one.csv'))", "data/one.csv"),
        ("import sqlite3; sqlite3.connect('file:data/one.csv?mode=ro', uri=True)", "data/one.csv"),
        ("import sqlite3; sqlite3.connect('file:data/%6Fne.csv?immutable=1#x', uri=True)", "data/one.csv"),
        ("import sqlite3; sqlite3.connect(pathlib.Path('data/one.csv').resolve().as_uri(), uri=True)", "data/one.csv"),
        ("import sqlite3; sqlite3.connect(f'file://localhost{os.getcwd()}/data/one.csv', uri=True)", "data/one.csv"),
        ("from importlib import import_module as load; load('sqlite3').connect('data/one.csv')", "data/one.csv"),
        ("import sqlite3; sqlite3.connect('data/one.csv')", "data/one.csv-wal"),
        ("import sqlite3; sqlite3.connect('file:data/one.csv', uri=True)", "data/one.csv-journal"),
        ("import sqlite3; sqlite3.connect('data/link.db')", "data/one.db-wal"),
        ("import sqlite3; sqlite3.connect(':memory:').execute(\"attach 'data/one.db' as one\")", "data/one.db"),
        (
            "from sqlite3 import dbapi2; dbapi2.connect('', uri=True).execute(\"attach 'file:data/one.db' as one\")",
            "data/one.db",
        ),
        ("import urllib.request; urllib.request.urlopen(f'file://{os.getcwd()}/data/one.csv')", "data/one.csv"),
        ("import zipfile; zipfile.ZipFile('data/one.zip').read('zipped.py')", "data/one.zip"),
        ("sys.path.insert(0, 'data/one.zip'); import zipped", "data/one.zip"),
        ("import importlib.resources as r; r.files('scenes').joinpath('../data/one.csv').read_text()", "data/one.csv"),
        ("import mmap; mmap.mmap(os.open('data/one.csv', os.O_RDONLY), 0, prot=mmap.PROT_READ)", "data/one.csv"),
        ("import io; io.FileIO('data/one.csv').read()", "data/one.csv"),
        ("import io; io.open_code(os.path.abspath('data/one.csv')).read()", "data/one.csv"),
        ("import posix; posix.open('data/one.csv', os.O_RDONLY)", "data/one.csv"),
        ("import linecache; linecache.getline('data/one.csv', 1)", "data/one.csv"),
        ("import matplotlib.image; matplotlib.image.imread('data/one.png')", "data/one.png"),
        ("import matplotlib.font_manager as m; m.fontManager.addfont('data/one.ttf')", "data/one.ttf"),
        ("import matplotlib.style; matplotlib.style.use('data/one.mplstyle')", "data/one.mplstyle"),
        ("import ctypes\ntry: ctypes.CDLL('data/one.csv')\nexcept OSError: pass", "data/one.csv"),
        ("os.open('one.csv', os.O_RDONLY, dir_fd=os.open('data', os.O_RDONLY))", "data/one.csv"),
    ],
)
def test_a_file_that_is_read_is_observed(observe: Observe, line: str, file: str) -> None:
    reads = observe(*line.split("\n"))
    assert file in reads.paths
    assert reads.written == reads.unseen == ()


@pytest.mark.parametrize(
    "line",
    [
        "try: open('{}')\nexcept OSError: pass",
        "os.path.exists('{}')",
        "os.path.isfile('{}')",
        "os.path.isdir('{}')",
        "os.path.lexists('{}')",
        "os.access('{}', os.R_OK)",
        "pathlib.Path('{}').exists()",
        "pathlib.Path('{}').is_file()",
        "os.stat('{}') if os.path.exists('{}') else 0",
    ],
)
@pytest.mark.parametrize("file", ["data/one.csv", "data/missing.csv"])
def test_a_check_whether_a_file_exists_is_observed(observe: Observe, line: str, file: str) -> None:
    assert file in observe(*line.replace("{}", file).split("\n")).paths


def test_a_query_of_the_size_of_a_file_is_observed(observe: Observe) -> None:
    assert "data/one.csv" in observe("os.path.getsize('data/one.csv')").paths


@pytest.mark.parametrize(
    ("line", "folder"),
    [
        ("os.listdir('data')", "data"),
        ("list(os.scandir('data'))", "data"),
        ("list(os.walk('data'))", "data"),
        ("os.listdir()", "."),
        ("os.listdir(os.open('data', os.O_RDONLY))", "data"),
        ("list(os.fwalk('data'))", "data"),
        ("list(pathlib.Path('data').iterdir())", "data"),
        ("list(pathlib.Path('data').glob('*.csv'))", "data"),
        ("import glob; glob.glob('data/*.csv')", "data"),
    ],
)
def test_a_folder_that_is_listed_is_observed(observe: Observe, line: str, folder: str) -> None:
    assert observe(line).folders == (folder,)


def test_helper_modules_are_observed(observe: Observe, root: Path) -> None:
    (root / "scenes" / "one").mkdir()
    (root / "scenes" / "helper.py").write_text(
        "from .one import two\nfrom scenes.one.three import T\n", encoding="ascii"
    )
    (root / "scenes" / "one" / "two.py").write_text("", encoding="ascii")
    (root / "scenes" / "one" / "three.py").write_text("T = 3", encoding="ascii")
    reads = observe("from scenes import helper")
    helpers = ("scenes/helper.py", "scenes/one/three.py", "scenes/one/two.py", "scenes/scene.py")
    assert [path for path in reads.paths if path.endswith(".py")] == [*helpers]
    assert {"scenes/one", "scenes/one/three", "scenes/one/two"} < set(reads.modules)


def test_the_siblings_of_a_helper_are_not_inputs(observe: Observe, root: Path) -> None:
    (root / "scenes" / "helper.py").write_text("", encoding="ascii")
    assert observe("from scenes import helper").folders == ()


def test_a_module_that_could_shadow_another_is_observed(observe: Observe) -> None:
    """A file fractions.py in the root would be imported instead of the module of the standard library."""
    assert "fractions" in observe("import fractions").modules
    assert "absent" in observe("try: import absent", "except ImportError: pass").modules


LOADS = {
    "import": "from scenes.helper import T",
    "by path": "from importlib import util\nspec = util.spec_from_file_location('helper', 'scenes/helper.py')\n"
    "module = util.module_from_spec(spec)\nspec.loader.exec_module(module)\nT = module.T",
}


@pytest.mark.parametrize("load", LOADS.values(), ids=LOADS.keys())
def test_a_source_is_read_even_if_its_bytecode_exists(root: Path, workers: tuple[Path, Workers], load: str) -> None:
    helper = root / "scenes" / "helper.py"
    helper.write_text("T = 1\n", encoding="ascii")
    py_compile.compile(str(helper), str(root / "scenes" / "__pycache__" / f"helper.{sys.implementation.cache_tag}.pyc"))
    before = helper.stat()
    helper.write_text("T = 2\n", encoding="ascii")
    os.utime(helper, ns=(before.st_atime_ns, before.st_mtime_ns))
    body = textwrap.indent(f"{load}\nreturn T", "    ")
    (root / "scenes" / "scene.py").write_text(f"def compute():\n{body}\n", encoding="ascii")
    workers[1].submit(Job("scene", Named("scenes.scene:compute")))
    (outcome,) = workers[1]
    assert value(outcome) == 2
    assert "scenes/helper.py" in outcome.reads.paths
    assert not any("__pycache__" in path for path in outcome.reads.paths)


def test_importing_writes_no_bytecode(observe: Observe, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    (root / "scenes" / "helper.py").write_text("", encoding="ascii")
    (root / "scenes" / "scene.py").write_text("from scenes import helper\ndef compute(): pass", encoding="ascii")
    with Workers(root, 1) as workers:
        workers.submit(Job("scene", Named("scenes.scene:compute")))
        assert [value(outcome) for outcome in workers] == [None]
    assert [*root.rglob("__pycache__")] == []


def test_links_and_their_targets_are_observed(observe: Observe, root: Path, tmp_path: Path) -> None:
    (root / "data" / "link.csv").symlink_to("one.csv")
    (root / "data" / "out.csv").symlink_to(tmp_path / "elsewhere.csv")
    (tmp_path / "elsewhere.csv").write_text("5", encoding="ascii")
    (tmp_path / "in").symlink_to(root / "data")
    assert {"data/link.csv", "data/one.csv"} <= set(observe("open('data/link.csv')").paths)
    assert "data/out.csv" in observe("open('data/out.csv')").paths
    assert "data/one.csv" in observe(f"open('{tmp_path}/in/one.csv')").paths


@pytest.mark.parametrize(
    "line",
    ["os.readlink('data/link.db')", "pathlib.Path('data/link.db').resolve()", "os.path.realpath('data/link.db')"],
)
def test_where_a_link_leads_is_an_input(observe: Observe, line: str) -> None:
    assert observe(line).links == ("data/link.db",)


def test_files_outside_the_root_are_not_inputs(observe: Observe, root: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.csv").write_text("5", encoding="ascii")
    lines = [f"open('{tmp_path}/elsewhere.csv')", f"os.listdir('{tmp_path}')", f"os.path.exists('{root}-other')"]
    assert observe(*lines, "open('/dev/null', 'w')", "os.path.exists('/')") == ALONE


def test_the_folders_above_a_library_are_known() -> None:
    assert {"", *map(str, Path(os.__file__).parents)} - {"/"} <= ABOVE_LIBRARIES
    assert str(Path(__file__).parent) not in ABOVE_LIBRARIES


def test_libraries_under_the_root_are_not_inputs() -> None:
    """This project's own root holds its engine and, often, its virtual environment."""
    root = Path(__file__).parents[2]
    with Workers(root, 1) as workers:
        workers.submit(Job("scene", Named("PIL.Image:new"), ("L", (1, 1))))
        workers.submit(Job("scene", Named("scenebook.core.number_format:show"), (1.5, "")))
        reads = [outcome.reads for outcome in workers if outcome.failure is None]
    assert len(reads) == 2
    assert [path for job_reads in reads for path in job_reads.paths + job_reads.folders] == []


def test_a_job_does_not_inherit_the_reads_of_the_job_before_it(root: Path, workers: tuple[Path, Workers]) -> None:
    folders = []
    for function in ("os:listdir", "os:getcwd"):
        workers[1].submit(Job("scene", Named(function), fresh=False))
        folders += [outcome.reads.folders for outcome in workers[1]]
    assert folders == [(".",), ()]


@pytest.mark.parametrize(
    ("line", "file"),
    [
        ("open('scratch.txt', 'w').write('x')", "scratch.txt"),
        ("open('scratch.txt', 'a').write('x')", "scratch.txt"),
        ("open('data/one.csv', 'r+').write('x')", "data/one.csv"),
        ("pathlib.Path('scratch.txt').touch()", "scratch.txt"),
        ("np.save('scratch.npy', np.eye(2))", "scratch.npy"),
        ("os.makedirs('scratch/deep')", "scratch/deep"),
        ("os.remove('data/one.csv')", "data/one.csv"),
        ("os.rename('data/one.csv', 'data/two.csv')", "data/two.csv"),
        ("os.symlink('data', 'scratch')", "scratch"),
    ],
)
def test_a_file_that_is_written_is_observed(observe: Observe, line: str, file: str) -> None:
    reads = observe(line)
    assert file in reads.written
    assert reads.unseen == ()


@pytest.mark.parametrize(
    "line",
    [
        "import subprocess; subprocess.run(['true'])",
        "os.system('true')",
        "os.popen('true').read()",
        "os.fork() or os._exit(0)",
        "os.waitpid(os.posix_spawn('/bin/true', ['true'], {}), 0)",
        "import multiprocessing; multiprocessing.Process(target=print).start()",
        "import multiprocessing\nmultiprocessing.get_context('spawn').Process(target=print).start()",
        "import multiprocessing\nmultiprocessing.get_context('forkserver').Process(target=print).start()",
        "import socket\ntry: socket.create_connection(('localhost', 9))\nexcept OSError: pass",
        "import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('localhost', 9))",
        "import ctypes; ctypes.CDLL(None).getpid()",
        "import ctypes; exec('ctypes.CDLL(None)[\"getpid\"]', {'ctypes': ctypes})",
        "import sqlite3; sqlite3.connect('').execute('attach ? as one', ['data/one.db'])",
        "import sqlite3; sqlite3.Connection('data/one.db')",
        "from PIL import _imagingft",
    ],
)
def test_an_event_after_which_reads_may_go_unseen_is_recorded(observe: Observe, line: str) -> None:
    assert observe(*line.split("\n")).unseen


@pytest.mark.parametrize(
    "line",
    ["import h5py", "import h5py.deep", "__import__('h5py.deep')", "import lxml.etree", "from pyarrow import parquet"],
)
def test_an_import_of_a_library_that_opens_files_by_itself_counts_as_unseen_reads(
    observe: Observe, root: Path, line: str
) -> None:
    for file in ("h5py/__init__.py", "h5py/deep.py", "lxml/__init__.py", "lxml/etree.py", "pyarrow/_parquet.py"):
        (root / file).parent.mkdir(exist_ok=True)
        (root / file).touch()
    (root / "pyarrow" / "parquet.py").write_text("import pyarrow._parquet", encoding="ascii")
    (unseen,) = observe(line).unseen
    assert unseen in {"import of h5py", "import of lxml.etree", "import of pyarrow._parquet"}
    assert unseen[len("import of ") :][:4] in line


def test_an_import_of_a_library_that_opens_files_through_python_leaves_no_read_unseen(
    observe: Observe, root: Path
) -> None:
    (root / "pyarrow").mkdir()
    (root / "pyarrow" / "__init__.py").touch()
    assert observe("import pyarrow, sqlite3, ctypes, zipfile, PIL.Image, lzma, multiprocessing").unseen == ()
    assert observe("try: import h5py", "except ImportError: pass").unseen == ()


def test_an_import_of_compiled_code_of_the_author_counts_as_unseen_reads(observe: Observe, root: Path) -> None:
    spec = find_spec("markupsafe._speedups")
    assert spec and spec.origin
    shutil.copy(spec.origin, root / "scenes" / "_speedups.so")
    reads = observe("from scenes import _speedups")
    assert reads.unseen == ("import of scenes._speedups",)
    assert "scenes/_speedups.so" in reads.paths


def test_a_database_in_memory_is_not_a_file_and_works_as_usual(observe: Observe) -> None:
    lines = [
        "import sqlite3",
        "class Own(sqlite3.Connection): pass",
        "for name in ('', ':memory:'):",
        "    one = sqlite3.connect(name, factory=Own)",
        "    assert type(one) is Own",
        "    one.executescript('create table one(x); insert into one values (1), (2); create index i on one(x)')",
        "    assert one.execute('select sum(x) from one').fetchall() == [(3,)]",
        "    one.commit()",
        "    assert list(one.iterdump())[-1] == 'COMMIT;'",
    ]
    reads = observe(*lines)
    assert (reads.paths, reads.written, reads.unseen) == (ALONE.paths, (), ())


def test_observed_functions_keep_all_that_they_can_do(observe: Observe, root: Path, tmp_path: Path) -> None:
    """The standard library has sets of the functions that can follow links or take file descriptors."""
    (root / "data" / "link").symlink_to("one.csv")
    reads = observe(
        "import shutil",
        f"shutil.copytree('data', '{tmp_path}/copy/data', symlinks=True)",
        f"shutil.rmtree('{tmp_path}/copy')",
        "assert os.stat in os.supports_dir_fd and os.stat.__name__ == 'stat'",
        "with open('data/one.csv') as file: os.stat(file.fileno())",
    )
    assert "data/link" in reads.links
    assert "data/one.csv" in reads.paths
    assert reads.written == ()
