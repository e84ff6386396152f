"""Jobs cannot disturb each other, the build or the machine, and everything that they do is reported."""

from __future__ import annotations

import os
import pkgutil
import signal
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scenebook.run import _worker as worker
from scenebook.run.protocol import LOST, Failure
from scenebook.run.workers import ENDED, HASH_SEED, KILLED, Job, JobResult, Workers

ENGINE = Path(__file__).parents[2]

LONGEST = 60
"""The seconds within which all processes of a build must have ended, even on a busy machine."""
ENDLESSLY = 10_000_000 + os.getpid()
"""The seconds that the child processes of this test run sleep. The number is unique, so it identifies them."""


class Named:
    """A function by its name (`module:function`), which is looked up only in the worker."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]:
        return pkgutil.resolve_name, (self.name,)

    def __call__(self) -> None: ...


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    (folder / "scenes").mkdir()
    return folder


@pytest.fixture(scope="module")
def workers(root: Path) -> Iterator[Workers]:
    with Workers(root, 2, ["numpy.random"]) as started:
        yield started


class Scenes:
    """Writes modules under scenes/ and runs their `compute`."""

    def __init__(self, root: Path, workers: Workers) -> None:
        self.root, self.workers = root, workers

    def write(self, name: str, code: str) -> Path:
        path = self.root / "scenes" / f"{name}.py"
        path.write_text(textwrap.dedent(code), encoding="utf-8")
        return path

    def run(
        self, code: str, *arguments: Any, name: str = "scene", timeout: float = 30, fresh: bool = True
    ) -> JobResult:
        """Write a module to scenes/<name>.py, and return the result of its `compute`."""
        self.write(name, code)
        return self.results(Job(name, Named(f"scenes.{name}:compute"), arguments, timeout, fresh))[0]

    def results(self, *jobs: Job) -> list[JobResult]:
        for job in jobs:
            self.workers.submit(job)
        return sorted(self.workers, key=lambda result: jobs.index(result.job))


@pytest.fixture
def scenes(root: Path, workers: Workers) -> Scenes:
    return Scenes(root, workers)


def value(result: JobResult) -> Any:
    assert result.failure is None, (result.failure, result.output)
    return result.value


def processes(marker: str) -> list[str]:
    """The command lines of the running processes that contain the marker."""
    return list(running(marker).values())


def running(marker: str) -> dict[int, str]:
    """The command lines of the running processes that contain the marker, by process id."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            if marker in command and int(folder.name) != os.getpid():
                found[int(folder.name)] = command
    return found


def gone(marker: str, seconds: float = LONGEST) -> bool:
    """Whether all processes whose command lines contain the marker end within some seconds."""
    end = time.monotonic() + seconds
    while processes(marker) and time.monotonic() < end:
        time.sleep(0.02)
    return not processes(marker)


# What a job returns


def test_a_job_returns_its_value_and_what_it_printed(scenes: Scenes) -> None:
    result = scenes.run("import numpy as np\ndef compute(n):\n    print('é', n)\n    return {'eye': np.eye(n)}", 3)
    assert (value(result)["eye"] == np.eye(3)).all()
    assert result.output == "é 3\n"
    assert 0 < result.seconds < LONGEST


def test_output_of_programs_and_libraries_is_kept_in_order(scenes: Scenes) -> None:
    code = """
        import ctypes, os, subprocess, sys
        def compute():
            print("one")
            print("two", file=sys.stderr)
            os.system("echo three")
            subprocess.run(["echo", "four"])
            ctypes.CDLL(None).puts(b"five")
    """
    assert scenes.run(code).output.split() == ["one", "two", "three", "four", "five"]


def test_the_middle_of_long_output_is_left_out(scenes: Scenes) -> None:
    result = scenes.run("def compute():\n    print('begin' + 'x' * 50_000_000 + 'end')")
    assert result.failure is None
    assert len(result.output) < 70_000
    assert result.output.startswith("beginxxx")
    assert result.output.endswith("xxxend\n")
    assert f"[{50_000_009 - 65_536} bytes left out]" in result.output


def test_large_data_can_be_sent_in_both_directions_at_once(scenes: Scenes) -> None:
    scenes.write("echo", "def compute(data):\n    return data")
    data = [bytes([n]) * 3_000_000 for n in range(12)]
    results = scenes.results(*(Job(str(n), Named("scenes.echo:compute"), (data[n],)) for n in range(12)))
    assert [value(result) for result in results] == data


def test_a_job_submitted_while_iterating_is_run(scenes: Scenes) -> None:
    scenes.write("next", "def compute(n):\n    return n + 1")
    seen = []
    scenes.workers.submit(Job("next", Named("scenes.next:compute"), (0,)))
    for result in scenes.workers:
        seen.append(value(result))
        if result.value < 3:
            scenes.workers.submit(Job("next", Named("scenes.next:compute"), (result.value,)))
    assert seen == [1, 2, 3]


# Failures


@pytest.mark.parametrize(
    ("code", "kind", "message", "line"),
    [
        ("raise ValueError('bad é')", "raised", "bad é", 4),
        ("import not_there", "raised", "No module named 'not_there'", 4),
        ("return lambda: 1", "raised", "local object", 0),
        ("sys.exit(0)", "exited", "sys.exit(0)", 4),
        ("os._exit(0)", "exited", "exit code 0", 0),
        ("os._exit(7)", "exited", "exit code 7", 0),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "killed", "SIGSEGV", 0),
        ("os.kill(os.getpid(), signal.SIGKILL)", "killed", "SIGKILL (out of memory?)", 0),
        ("os.killpg(0, signal.SIGKILL)", "killed", "SIGKILL", 0),
        ("raise KeyboardInterrupt", "interrupted", "raised KeyboardInterrupt; a scene must not interrupt the build", 4),
        ("input()", "raised", "EOF", 4),
        ("os.closerange(3, 100); time.sleep(1000)", "broke", "close files", 0),
        ("os.closerange(3, 100)", "broke", "close files", 0),
        ("os.closerange(3, 100); return [open(os.devnull, 'w') for _ in range(50)]", "broke", "close files", 0),
        ("[overwrite(place) for place in range(3, 40)]; time.sleep(1000)", "broke", "close files", 0),
        ("sys.stdout.close(); sys.stderr = None; os.close(1); os.close(2); 1 / 0", "raised", "division by zero", 4),
    ],
)
def test_every_kind_of_failure_is_reported_with_its_line(
    scenes: Scenes, code: str, kind: str, message: str, line: int
) -> None:
    overwrite = "def overwrite(place):\n    try: os.write(place, b'noise')\n    except OSError: pass\n"
    result = scenes.run(f"import os, signal, sys, time\n\ndef compute():\n    {code}\n\n{overwrite}")
    assert result.value is None
    assert result.failure
    assert result.failure.kind == kind
    assert message in result.failure.message
    frames = [(frame.file, frame.line, frame.function) for frame in result.failure.frames]
    assert frames == ([("scenes/scene.py", line, "compute")] if line else [])


@pytest.mark.parametrize("when", ["{}\ndef compute(): return 1", "def compute():\n    {}\n    return 1"])
@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("builtins.len = lambda x: 3", "builtins.len"),
        ("builtins.len = builtins.isinstance = None", "builtins.isinstance, builtins.len"),
        ("del builtins.print", "builtins.print"),
        ("builtins.__import__ = builtins.__build_class__ = None", "builtins.__build_class__, builtins.__import__"),
        ("builtins.len = None; len([])", "builtins.len"),
    ],
)
def test_a_replaced_builtin_is_named(scenes: Scenes, when: str, code: str, names: str) -> None:
    failure = scenes.run(f"import builtins\n{when.format(code)}").failure
    assert failure
    assert (failure.kind, failure.message) == ("broke", f"replaced {names}; leave Python's own functions as they are")
    assert {frame.file for frame in failure.frames} <= {"scenes/scene.py"}


@pytest.mark.parametrize(
    "code",
    [
        "import json, pickle; json.dumps = json.loads = pickle.dumps = pickle.loads = None",
        "import os, time; os.write = os.fstat = os.getpid = time.perf_counter = None",
        "import sys; del sys.stdout; sys.stderr = None",
        "import sys; sys.modules.update(dict.fromkeys(list(sys.modules)))",
        "import sys; sys.setrecursionlimit(60)",
        "import sys; sys.setprofile(lambda frame, *_: frame.f_code.co_name == 'take' and 1 / 0)",
        "import signal, threading; signal.setitimer = threading.current_thread = threading.Thread = None",
        "import builtins; builtins._ = builtins.new = print",
        "import gc; gc.freeze(); gc.disable()",
        "import os, sys\n    for _ in range(100): sys.stderr.write('x' * 100_000)",
        "import os; os.fork()",
    ],
)
def test_a_scene_may_break_parts_of_python_that_are_restored_or_unused(scenes: Scenes, code: str) -> None:
    assert value(scenes.run(f"def compute():\n    {code}\n    return 5")) == 5


def test_replaced_os_functions_count_as_unseen_reads(scenes: Scenes) -> None:
    assert scenes.run("import os\ndef compute():\n    os.getcwd = None").reads.unseen == ("os.getcwd",)
    assert scenes.run("import os\ndef compute():\n    os.new = None").reads.unseen == ()


@pytest.mark.parametrize(
    ("code", "error", "message", "frames"),
    [
        ("raise ValueError('x' * 10_000_000)", "ValueError", f"{'x' * worker.MESSAGE_LIMIT}...", 1),
        ("raise SyntaxError('odd', ('a\\0b', 'line', 1, ''))", "SyntaxError", "odd", 1),
        ("raise SyntaxError('odd', ('scenes/scene.py', 'line', 1, ''))", "SyntaxError", "odd", 2),
        ("import os; os.chdir(os.mkdir('gone') or 'gone'); os.rmdir('../gone'); 1 / 0", "ZeroDivisionError", "", 1),
        ("raise MemoryError", "MemoryError", "", 1),
    ],
)
def test_an_unusual_exception_is_reported(scenes: Scenes, code: str, error: str, message: str, frames: int) -> None:
    failure = scenes.run(f"def compute():\n    {code}").failure
    assert failure
    assert (failure.error, failure.message) == (error, message or failure.message)
    assert [frame.file for frame in failure.frames] == ["scenes/scene.py"] * frames
    assert all(isinstance(frame.line, int) for frame in failure.frames)


def test_an_exception_whose_type_has_no_name_is_reported(scenes: Scenes) -> None:
    code = """
        class Nameless(type):
            __name__ = property(lambda self: 5)

        class Odd(Exception, metaclass=Nameless): ...

        def compute():
            raise Odd("odd")
    """
    failure = scenes.run(code).failure
    assert failure
    assert failure.error == "cannot be shown, because converting it to text raised TypeError"
    assert failure.message == "odd"


def test_an_exit_during_import_is_a_failure_of_the_scene(scenes: Scenes) -> None:
    result = scenes.run("import sys\nsys.exit(0)")
    assert result.failure
    assert result.failure.kind == "exited"
    assert result.failure.frames == (("scenes/scene.py", 2, "<module>"),)


def test_a_syntax_error_is_reported_with_its_line(scenes: Scenes) -> None:
    scenes.write("helper", "x = 1\ny = (\n")
    result = scenes.run("from scenes.helper import x\ndef compute():\n    return x")
    assert result.failure
    assert result.failure.error == "SyntaxError"
    assert result.failure.message == "'(' was never closed"
    assert [frame[:2] for frame in result.failure.frames] == [("scenes/scene.py", 1), ("scenes/helper.py", 2)]


def test_a_failure_in_a_library_is_reported_at_the_authors_line(scenes: Scenes) -> None:
    result = scenes.run("import json\ndef compute():\n    return json.loads('{')")
    assert result.failure
    assert result.failure.error == "JSONDecodeError"
    assert result.failure.frames == (("scenes/scene.py", 3, "compute"),)


# Limits


def test_an_endless_loop_is_stopped_and_reported_with_its_line(scenes: Scenes) -> None:
    result = scenes.run("def compute():\n    print('on and on')\n    while True:\n        pass", timeout=1.5)
    assert result.failure
    assert (result.failure.kind, result.failure.message) == ("timed out", "timed out after 1.5 s")
    assert result.failure.frames[-1][:2] in {("scenes/scene.py", 3), ("scenes/scene.py", 4)}
    assert result.output == "on and on\n"


def test_a_job_that_blocks_signals_is_stopped(scenes: Scenes) -> None:
    code = """
        import signal
        def compute():
            signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))
            while True: pass
    """
    start = time.monotonic()
    result = scenes.run(code, timeout=0.3)
    assert result.failure
    assert result.failure.message == "timed out after 0.3 s"
    assert time.monotonic() - start < LONGEST


@pytest.mark.parametrize(
    ("ending", "kind"), [("return 1", ""), ("os._exit(1)", "exited"), ("while True: time.sleep(1)", "timed out")]
)
@pytest.mark.parametrize(
    "start",
    [
        "subprocess.Popen(COMMAND)",
        "subprocess.Popen(COMMAND, start_new_session=True)",
        "subprocess.Popen(['sh', '-c', 'setsid ' + ' '.join(COMMAND) + ' & sleep 0.1']).wait()",
        "os.fork() or os.execvp(COMMAND[0], COMMAND)",
        "os.fork() or (os.setsid(), os.fork() or os.execvp(COMMAND[0], COMMAND), os._exit(0))",
    ],
)
def test_no_child_process_outlives_its_job(scenes: Scenes, start: str, ending: str, kind: str) -> None:
    code = f"import os, subprocess, time\nCOMMAND = ['sleep', '{ENDLESSLY}']\ndef compute():\n    {start}\n    {ending}"
    failure = scenes.run(code, timeout=1).failure
    assert (failure.kind if failure else "") == kind
    assert gone(f"sleep {ENDLESSLY}")


def test_a_child_that_keeps_pipes_open_does_not_delay_the_build(scenes: Scenes) -> None:
    code = "import os, time\ndef compute():\n    if os.fork() == 0:\n        time.sleep(1000)\n    os._exit(3)"
    start = time.monotonic()
    result = scenes.run(code)
    assert result.failure
    assert "exit code 3" in result.failure.message
    assert time.monotonic() - start < LONGEST


def test_jobs_run_at_the_same_time(scenes: Scenes, tmp_path: Path) -> None:
    code = """
        import pathlib, time
        def compute(mine, other):
            pathlib.Path(mine).touch()
            while not pathlib.Path(other).exists(): time.sleep(0.01)
    """
    scenes.write("meet", code)
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    arguments = [(one, two), (two, one)]
    results = scenes.results(*(Job(mine, Named("scenes.meet:compute"), (mine, other)) for mine, other in arguments))
    assert [result.failure for result in results] == [None, None]


def test_no_more_jobs_run_at_once_than_allowed(root: Path, tmp_path: Path) -> None:
    code = "import os, time\ndef compute(path):\n    os.mkdir(path)\n    time.sleep(0.05)\n    os.rmdir(path)"
    with Workers(root, 1, ["numpy.random"]) as workers:
        scenes = Scenes(root, workers)
        scenes.write("alone", code)
        jobs = [Job(str(n), Named("scenes.alone:compute"), (str(tmp_path / "lock"),)) for n in range(4)]
        assert [result.failure for result in scenes.results(*jobs)] == [None] * 4


# Isolation

NOISY = """
    import locale, os, random, sys, warnings, numpy as np
    np.random.seed(7); np.set_printoptions(precision=1); np.seterr(all="raise"); random.seed(7)
    warnings.simplefilter("error"); os.environ["TZ"] = "Asia/Kolkata"; os.chdir("/"); sys.path.insert(0, "/nowhere")
    sys.modules["json"] = None
    def compute(): return 1
"""
PLAIN = """
    import json, os, random, sys, time, numpy as np
    def compute():
        return {
            "random": [random.random(), *np.random.rand(3), *np.random.permutation(9)],
            "state": [repr(np.array([1/3])), str(np.geterr()), os.getcwd(), time.tzname, sys.path[:2]],
            "set": list({"query", "key", "value", "mask"}),
            "environment": dict(os.environ),
        }
"""


def test_a_job_finds_nothing_that_another_left(scenes: Scenes) -> None:
    before = value(scenes.run(PLAIN, name="plain"))
    value(scenes.run(NOISY, name="noisy"))
    assert value(scenes.run(PLAIN, name="plain")) == before
    assert before["state"][2:] == [str(scenes.root), ("UTC", "UTC"), [str(scenes.root), before["state"][-1][1]]]


def test_a_result_does_not_depend_on_the_environment(
    root: Path, monkeypatch: pytest.MonkeyPatch, scenes: Scenes
) -> None:
    here = value(scenes.run(PLAIN, name="plain"))
    for name, setting in {"PYTHONHASHSEED": "5", "TZ": "Asia/Kolkata", "LC_ALL": "C", "MODE": "x"}.items():
        monkeypatch.setenv(name, setting)
    assert (here["environment"]["TZ"], here["environment"]["LC_ALL"]) == ("UTC", "C.UTF-8")
    with Workers(root, 1) as workers:
        assert value(Scenes(root, workers).run(PLAIN, name="plain")) == here
    monkeypatch.setenv(HASH_SEED, "3")
    with Workers(root, 1) as workers:
        other = value(Scenes(root, workers).run(PLAIN, name="plain"))
    assert sorted(other["set"]) == sorted(here["set"])
    assert other["set"] != here["set"]


def test_the_users_matplotlibrc_has_no_effect(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in (tmp_path, root):
        (folder / "matplotlibrc").write_text("lines.linewidth: 9\n", encoding="ascii")
    monkeypatch.setenv("MPLCONFIGDIR", str(tmp_path))
    monkeypatch.setenv("MATPLOTLIBRC", str(tmp_path / "matplotlibrc"))
    code = "def compute():\n    import matplotlib\n    return matplotlib.rcParams['lines.linewidth']"
    with Workers(root, 1) as workers:
        scenes = Scenes(root, workers)
        scenes.write("lines", code)
        result = scenes.results(Job("lines", Named("scenes.lines:compute"), requires="matplotlib"))[0]
    (root / "matplotlibrc").unlink()
    assert value(result) == 1.5


def test_only_jobs_that_are_not_fresh_share_a_process(scenes: Scenes) -> None:
    scenes.write("pid", "import os\ndef compute():\n    return os.getpid()")
    names = [True, False, True, False, False]
    pids = [value(scenes.results(Job("pid", Named("scenes.pid:compute"), fresh=fresh))[0]) for fresh in names]
    assert pids[1] == pids[3] == pids[4]
    assert len(set(pids)) == 3


def test_a_process_that_ended_is_not_used_again(scenes: Scenes) -> None:
    scenes.write("pid", "import os\ndef compute(code):\n    return os._exit(code) if code else os.getpid()")
    assert scenes.run("import os\ndef compute():\n    os._exit(1)", fresh=False).failure
    assert value(scenes.run("def compute():\n    return 5", name="five", fresh=False)) == 5


def test_an_idle_worker_that_was_killed_is_replaced(scenes: Scenes) -> None:
    own = "import os\ndef compute():\n    return os.getpid()"
    killed = value(scenes.run(own, name="first", fresh=False))
    assert value(scenes.run(own, name="second", fresh=False)) == killed
    os.kill(killed, signal.SIGKILL)
    assert value(scenes.run("def compute():\n    return 5", name="between")) == 5
    assert value(scenes.run(own, name="third", fresh=False)) != killed


def test_a_job_starts_after_the_import_that_it_requires(scenes: Scenes) -> None:
    code = "import sys\ndef compute():\n    return [name in sys.modules for name in ('this', 'antigravity')]"
    scenes.write("needs", code)
    jobs = [Job(module, Named("scenes.needs:compute"), requires=module) for module in ("", "this")]
    assert [value(result) for result in scenes.results(*jobs)] == [[False, False], [True, False]]


# How a build ends

BUILD = """
    import pathlib, signal, sys, time
    sys.path.insert(0, {engine!r})
    from scenebook.run.workers import Job, Workers
    from tests.run.test_workers import Named
    signal.signal(signal.SIGINT, signal.default_int_handler)  # the test run may ignore interrupts
    try:
        with Workers(pathlib.Path({root!r}), 3, ["numpy.random"]) as workers:
            workers.submit(Job("endless", Named("scenes.endless:compute")))
            workers.submit(Job("ready", Named("scenes.ready:compute")))
            for result in workers:
                print("ready", flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        sys.exit(130)
"""
ENDLESS = f"""
    import subprocess, time
    def compute():
        subprocess.Popen(["sleep", "{ENDLESSLY}"], start_new_session=True)
        while True: time.sleep(1)
"""


@pytest.fixture
def build(scenes: Scenes, root: Path) -> Iterator[subprocess.Popen[str]]:
    """A build with one endless job and one that is done."""
    scenes.write("endless", ENDLESS)
    scenes.write("ready", "def compute():\n    pass")
    code = textwrap.dedent(BUILD.format(engine=str(ENGINE), root=str(root)))
    started = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    with started:
        yield started
        started.kill()


def wait_for_children(build: subprocess.Popen[str], root: Path) -> None:
    """Return when every process is running."""
    assert build.stdout
    assert build.stdout.readline() == "ready\n"
    while not processes(f"sleep {ENDLESSLY}"):
        time.sleep(0.02)
    assert processes(pool(root))


def pool(root: Path) -> str:
    """The marker of that build's pool and workers."""
    return f"{root} 3 numpy.random"


def test_an_interrupt_ends_all_processes_and_is_not_a_failure(build: subprocess.Popen[str], root: Path) -> None:
    wait_for_children(build, root)
    build.send_signal(signal.SIGINT)
    assert build.wait(LONGEST) == 130
    assert build.stdout
    assert build.stdout.read() == "interrupted\n"
    assert processes(f"sleep {ENDLESSLY}") + processes(pool(root)) == []


@pytest.mark.parametrize("deadly", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_build_leaves_no_processes(build: subprocess.Popen[str], root: Path, deadly: int) -> None:
    wait_for_children(build, root)
    build.send_signal(deadly)
    assert build.wait(LONGEST) == -deadly
    assert gone(f"sleep {ENDLESSLY}")
    assert gone(pool(root))


def test_a_killed_pool_fails_its_jobs_and_leaves_no_workers(root: Path, tmp_path: Path) -> None:
    """The worker dies with the pool. Its child survives, and has inherited the pool's connection."""
    code = """
        import os, pathlib, signal, time
        def compute(end):
            if os.fork():
                os.kill(os.getppid(), signal.SIGKILL)
                time.sleep(1000)
            start = time.monotonic()
            while not pathlib.Path(end).exists() and time.monotonic() < start + 20: time.sleep(0.02)
            os._exit(0)
    """
    with Workers(root, 4) as workers:
        scenes = Scenes(root, workers)
        scenes.write("killer", code)
        killer = Job("killer", Named("scenes.killer:compute"), (str(tmp_path / "end"),))
        for _ in range(2):  # the second time there is no pool
            (result,) = scenes.results(killer)
            assert result.failure == Failure("killed", KILLED)
    (tmp_path / "end").touch()
    assert gone(f"{root} 4")


def test_a_failure_of_the_pool_is_not_reported_as_a_failure_of_a_scene(root: Path, scenes: Scenes) -> None:
    scenes.write("one", "def compute(): return 1")
    with pytest.raises(RuntimeError, match=ENDED), Workers(root, 1, ["not_there"]) as workers:
        Scenes(root, workers).results(Job("one", Named("scenes.one:compute"), requires="not_there"))


def test_a_forged_report_is_a_failure_of_the_job(scenes: Scenes) -> None:
    code = """
        import os, pickle
        from scenebook.run._process_pool import HEADER_SIZE, REPORT_MARK

        def compute():
            for place in range(3, 40):
                try: os.write(place, REPORT_MARK + (4).to_bytes(HEADER_SIZE - len(REPORT_MARK), "big") + b"none")
                except OSError: pass
    """
    result = scenes.run(code)
    assert result.failure == Failure("broke", LOST)
    assert result.reads.unseen == () == result.reads.paths


def test_an_error_in_the_build_leaves_no_processes(root: Path, scenes: Scenes) -> None:
    scenes.write("endless", ENDLESS)
    with pytest.raises(ZeroDivisionError), Workers(root, 1) as workers:
        workers.submit(Job("endless", Named("scenes.endless:compute")))
        while not processes(f"sleep {ENDLESSLY}"):
            time.sleep(0.02)
        raise ZeroDivisionError
    assert processes(f"sleep {ENDLESSLY}") == []


def test_an_interrupt_while_the_pool_starts_is_raised(
    root: Path, scenes: Scenes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    scenes.write("one", "def compute(): return 1")
    monkeypatch.setattr("multiprocessing.connection.Connection", interrupted)
    with pytest.raises(KeyboardInterrupt), Workers(root, 5) as workers:
        workers.submit(Job("one", Named("scenes.one:compute")))
    assert gone(f"{root} 5")


def test_a_second_signal_does_not_interrupt_the_shutdown_of_the_pool(root: Path, scenes: Scenes) -> None:
    scenes.write("endless", ENDLESS)
    with Workers(root, 6) as workers:
        workers.submit(Job("endless", Named("scenes.endless:compute")))
        while not processes(f"sleep {ENDLESSLY}"):
            time.sleep(0.02)
        pool = min(running(f"{root} 6"))  # the pool started first
        for _ in range(50):
            with suppress(ProcessLookupError):
                os.kill(pool, signal.SIGTERM)
            time.sleep(0.0005)
        assert gone(f"{root} 6")
        assert gone(f"sleep {ENDLESSLY}")


@pytest.mark.parametrize("error", ["raise ImportError from error", "pass"])
def test_a_pool_that_is_stopped_during_an_import_exits_quietly(tmp_path: Path, error: str) -> None:
    module = f"""
        import time
        print("importing", flush=True)
        try:
            time.sleep(60)
        except BaseException as error:
            {error}
    """
    (tmp_path / "stubborn.py").write_text(textwrap.dedent(module), encoding="ascii")
    ours, theirs = socket.socketpair()
    serve = (
        f"from scenebook.run._process_pool import serve; serve('{theirs.fileno()}', {str(tmp_path)!r}, '1', 'stubborn')"
    )
    environment = os.environ | {"PYTHONPATH": f"{Path(__file__).parents[2]}:{tmp_path}"}
    command = [sys.executable, "-c", serve]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with ours, theirs, subprocess.Popen(command, env=environment, pass_fds=[theirs.fileno()], **pipes) as pool:
        try:
            assert pool.stdout and pool.stdout.readline() == b"importing\n"
            pool.terminate()
            assert (pool.communicate(timeout=LONGEST)[1], pool.returncode) == (b"", 0)
        finally:
            pool.kill()
