"""The command line: one function for each command, with the command's arguments above it.

To add a command, write a function next to the others and decorate it with `_command`.

Exit codes: 0 done; 1 the author's mistakes, printed as `file:line: where: message` on standard error, or with
`--format github` as annotations on standard output; 2 wrong usage;
70 a bug in Scenebook; 130 interrupted; 141 the reader of our output, such as `head`, has closed it.

Commands import what they need inside their functions, so that a build with nothing to do stays fast.
"""

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TextIO, TypeAlias

from scenebook import __version__
from scenebook.core.problems import Problem, Problems, printable, stop_on

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from scenebook.build.one_scene import SceneRun
    from scenebook.build.options import BuildOptions
    from scenebook.build.result import OnFinished

HELP_FORMATTER = partial(argparse.HelpFormatter, width=80)
"""The width is fixed because the import that finds the terminal's width takes as long as a build with nothing to do."""
DATE_VARIABLES = {
    "SCENEBOOK_UPDATED": "is not a date; write one such as 2030-01-31 or 2030-01-31T12:00:00Z",
    "SOURCE_DATE_EPOCH": "is not a number of seconds since 1970; write one such as 1900000000",
}
"""The variables for the date of the feed, with the message for a wrong value. The first one that is set wins."""
CACHE_LIMIT = "SCENEBOOK_CACHE_LIMIT"
"""The variable for the largest size of the cache in bytes."""
BUG_REPORT = "This is a bug in Scenebook, not in your site. Please report it, and include the lines above."


def main(arguments: Sequence[str] | None = None, root: Path | None = None) -> int:
    """Run one command and return its exit code. `root` is the default of --root."""
    parsed = _parser(root or Path()).parse_args(arguments)
    _escape_unencodable_output()
    try:
        run: Run = parsed.run
        code = run(parsed)
        sys.stdout.flush()
        return code
    except Problems as error:
        return _report(error.problems, parsed)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains again when it exits
        return 141
    except Exception:  # noqa: BLE001 - the last resort
        import traceback

        from scenebook.cache import versions

        if unfit_packages := sorted(versions.package_problems(parsed.root)):
            return _report(unfit_packages, parsed)
        print(printable(traceback.format_exc(), keep="\n"), BUG_REPORT, sep="", file=sys.stderr)
        return 70


# How commands are declared


Run: TypeAlias = Callable[[argparse.Namespace], int]
AddArgument: TypeAlias = Callable[[argparse.ArgumentParser], object]


class Command(NamedTuple):
    """A command: its help text, the function that returns its exit code, its arguments, and its fixed values."""

    help: str
    run: Run
    arguments: tuple[AddArgument, ...]
    fixed: Mapping[str, Any]


COMMANDS: dict[str, Command] = {}
"""Every command by name, in the order of this file, which is also the order of the help text."""


def _command(text: str, *arguments: AddArgument, **fixed: Any) -> Callable[[Run], Run]:
    """Make the decorated function a command. It is named after the function, without the underscore."""

    def register(run: Run) -> Run:
        COMMANDS[run.__name__.removeprefix("_")] = Command(text, run, arguments, fixed)
        return run

    return register


def _argument(*names: str, **settings: Any) -> AddArgument:
    return lambda parser: parser.add_argument(*names, **settings)


def _parser(root: Path) -> argparse.ArgumentParser:
    description = "Build explainer pages whose every number is computed."
    parser = _Parser(prog="scenebook", description=description, formatter_class=HELP_FORMATTER)
    parser.set_defaults(locked=False, strict=False, into=None, jobs=None, format="text")
    parser.add_argument("--version", action="version", version=f"scenebook {__version__}")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        description = f"{command.help[0].upper()}{command.help[1:]}."
        added = subparsers.add_parser(name, help=command.help, description=description, formatter_class=HELP_FORMATTER)
        added.add_argument("--root", type=Path, default=root, metavar="DIR", help="the site's folder")
        added.add_argument("--verbose", action="store_true", help="show what scenes print")
        for add_argument in command.arguments:
            add_argument(added)
        added.set_defaults(run=command.run, **command.fixed)
    return parser


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def _positive_number(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 1 or more")
    return int(text)


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port; write a number up to 65535, or 0 for any free port")
    return int(text)


SCENE = _argument("scene", metavar="SCENE", help="slug/id, or id if that is unique")
JOBS = _argument(
    "--jobs", type=_positive_number, metavar="N", help="how many processes run at once (default: one per processor)"
)
FORMAT = _argument(
    "--format",
    choices=("text", "github"),
    help="print mistakes on standard error, or as annotations for GitHub Actions (default: text)",
)


# The commands


@_command(
    "build the site into output/",
    _argument("--locked", action="store_true", help="fail if facts.lock would change"),
    _argument("--strict", action="store_true", help="treat warnings as errors"),
    _argument(
        "--into",
        type=Path,
        metavar="DIR",
        help="write everything that can be built into this folder, even if something fails; leave output/ alone",
    ),
    FORMAT,
    JOBS,
)
def _build(arguments: argparse.Namespace) -> int:
    from scenebook.build import build

    options = _build_options(arguments)
    _check_folder("--into", arguments.into, options, whole_site=True)
    result = build.build(options, partial(_progress, verbose=arguments.verbose))
    _report(result.warnings, arguments)
    if result.up_to_date:
        print("nothing has changed")
        return 0
    from scenebook import progress

    print(progress.summary(result, printable(str(options.output))))
    return 0


@_command(
    "build, serve the site on this machine, and update open pages with each change",
    _argument("--port", type=_port, default=8000, metavar="N", help="the first port to try (default: 8000)"),
    _argument("--open", action="store_true", help="open the site in a browser"),
    JOBS,
)
def _serve(arguments: argparse.Namespace) -> int:
    import signal

    from scenebook import progress
    from scenebook.build import serve

    options = _build_options(arguments)
    with serve.preview(options, arguments.port, partial(_progress, verbose=arguments.verbose)) as preview:
        signal.signal(signal.SIGINT, lambda *_: _interrupt(preview.end))
        if arguments.port not in (0, preview.server.server_port):
            print(f"port {arguments.port} is taken, so this uses port {preview.server.server_port}")
        last = None
        for built in preview.builds:
            _report(built.problems, arguments)
            print(printable(built.bug, keep="\n"), end="", file=sys.stderr)
            if built.result and not built.result.up_to_date:
                print(progress.summary(built.result, printable(str(options.output))))
            elif built.result and last and not last.result:
                print("all mistakes are fixed")
            if not last:
                _show_address(preview.server.address, in_browser=arguments.open)
            sys.stdout.flush()
            last = built
    raise KeyboardInterrupt


def _interrupt(end: Callable[[], None]) -> NoReturn:
    """Handle Ctrl-C. Python drops an exception that is raised while it frees an object, but the end comes then too."""
    end()
    raise KeyboardInterrupt


def _show_address(address: str, *, in_browser: bool) -> None:
    print(f"The site is at {address}  (Ctrl-C ends this)")
    if in_browser:
        import webbrowser

        webbrowser.open(address)


@_command(
    "build strictly, and fail if facts.lock would change",
    _argument("--external", action="store_true", help="also test the links to other sites"),
    FORMAT,
    JOBS,
    locked=True,
    strict=True,
)
def _check(arguments: argparse.Namespace) -> int:
    code = _build(arguments)
    if code or not arguments.external:
        return code
    from scenebook.page import outside_links
    from scenebook.storyboard import loader

    options = _build_options(arguments)
    stop_on(outside_links.check(options.output, loader.load(options.root, options.url).site.url))
    print("all links to other sites work")
    return 0


@_command(
    "run one scene and print its values",
    _argument("--out", type=Path, metavar="DIR", help="write the figure's files into this folder"),
    _argument("--json", action="store_true", help="print the values as JSON, and everything else on standard error"),
    SCENE,
    _argument("setting", metavar="CONTROL=VALUE", nargs="*", help="where a control stands (default: at its start)"),
)
def _run(arguments: argparse.Namespace) -> int:
    from scenebook.build import build

    options = _build_options(arguments)
    _check_folder("--out", arguments.out, options, whole_site=False)
    messages = sys.stderr if arguments.json else sys.stdout
    with build.open_workers(options.root, options.jobs) as workers:
        from scenebook.build import one_scene
        from scenebook.page import output

        with _progress(verbose=True, stream=messages) as on_finished:
            found = one_scene.run(options, arguments.scene, workers, on_finished, arguments.setting)
    _report(found.warnings, arguments)
    print(found.as_json() if arguments.json else _listed(found), end="")
    if arguments.out:
        for path, content in found.files.items():
            output.replace(arguments.out / Path(path).name, content)
            print(printable(f"wrote {arguments.out / Path(path).name}"), file=messages)
    return 0


def _listed(found: "SceneRun") -> str:
    """Return the values of a scene as a list: each on one line, and the elements of arrays below."""
    width = max(map(len, found.computed.facts), default=0)
    return "".join(f"{name:{width}}  {_value(found, name)}\n" for name in found.computed.facts)


def _value(found: "SceneRun", name: str) -> str:
    if name in found.computed.scalars:
        return repr(found.computed.scalars[name])
    from textwrap import indent

    text = str(found.computed.values[name])
    return found.computed.arrays[name] + indent(f"\n{text}", "    ")


@_command("say why a scene will run, or what would make it run", SCENE)
def _why(arguments: argparse.Namespace) -> int:
    from scenebook.build import one_scene

    print("\n".join(map(printable, one_scene.why(_build_options(arguments), arguments.scene))))
    return 0


@_command(
    "compare two versions of the site, into review/",
    _argument("base", metavar="BASE", help="a git revision, or the folder of a built site"),
    _argument("head", metavar="HEAD", nargs="?", help="the same (default: the working tree as it is)"),
    _argument(
        "--fail-on",
        choices=("changed", "claims"),
        help="exit with 1 on any change, or on a claim that fails, is gone or lets more pass",
    ),
)
def _review(arguments: argparse.Namespace) -> int:
    from scenebook.review import review

    root = arguments.root.resolve()
    found = review.review(root, arguments.base, arguments.head)
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write((root / review.FOLDER / "report.md").read_text(encoding="utf-8"))
    print(printable(review.headline(found)), printable(f"See {root / review.FOLDER / 'index.html'}"), sep="\n")
    return review.exit_code(found, arguments.fail_on)


@_command("build twice without a cache, in different environments, and compare every byte")
def _verify(arguments: argparse.Namespace) -> int:
    from scenebook.review import verify

    print(f"two builds in different environments wrote the same {verify.verify(arguments.root.resolve())} files")
    return 0


@_command(
    "write the schemas that help editors complete and check storyboards",
    _argument("--into", type=Path, metavar="DIR", help="the folder for them (default: beside the code of Scenebook)"),
)
def _schema(arguments: argparse.Namespace) -> int:
    from scenebook.cache import versions
    from scenebook.page import output
    from scenebook.storyboard import schema

    if versions.INSTALLED and not arguments.into:
        message = "is missing; name a folder for the schemas, such as `scenebook schema --into .vscode`"
        raise Problems([Problem("", 0, "--into", message)])
    for name, text in schema.schemas().items():
        output.replace((arguments.into or versions.ENGINE) / name, text.encode())
    return 0


@_command(
    "write a new site into a folder, or add a page or a scene to a site",
    _argument("what", metavar="WHAT", help="a folder for a new site, or one of the words `page` and `scene`"),
    _argument("name", metavar="NAME", nargs="?", help="the slug of the new page, or SLUG/ID of the new scene"),
)
def _new(arguments: argparse.Namespace) -> int:
    what, name = arguments.what, arguments.name
    if what in ("page", "scene"):
        return _new_part(what, name, arguments.root.resolve())
    if name is not None:
        commands = "`scenebook new page NAME`, `scenebook new scene PAGE/NAME` or `scenebook new DIR`"
        return _wrong_usage(f"only a page or a scene takes a second word; write {commands} (quote a DIR with blanks)")
    if not what:
        return _wrong_usage("a new site needs a folder; write `scenebook new DIR`, or `scenebook new .` for this one")
    from scenebook.build import new_site

    folder = Path(what)
    count = len(new_site.write(folder))
    into, there = (what, " in that folder") if folder.name else ("this folder", "")
    print(printable(f"wrote {count} files into {into}; to see the site, run `make serve`{there}"))
    return 0


def _new_part(what: str, name: str | None, root: Path) -> int:
    """Add a page or a scene to a site."""
    if name is None:
        form = {"page": "NAME", "scene": "PAGE/NAME"}[what]
        advice = f"write `scenebook new {what} {form}`, or `scenebook new ./{what}` for a site in a folder of this name"
        return _wrong_usage(f"a new {what} needs a name; {advice}")
    from scenebook.build import new_page

    files = new_page.add_page(root, name) if what == "page" else new_page.add_scene(root, name)
    print(*(printable(f"wrote {path}") for path in files[:-1]), printable(f"added to {files[-1]}"), sep="\n")
    return 0


def _wrong_usage(message: str) -> int:
    print(printable(message), file=sys.stderr)
    return 2


@_command(
    "remove the files that builds wrote, and nothing else",
    _argument("--cache", action="store_true", help="remove the cache instead of the site"),
)
def _clean(arguments: argparse.Namespace) -> int:
    if arguments.cache:
        from scenebook.cache import store

        print(f"removed {store.remove(_build_options(arguments).cache_folder)} files of the cache")
        return 0
    from scenebook.page import output

    print(f"removed {len(output.clean(arguments.root.resolve() / 'output'))} files")
    return 0


# What several commands use


def _progress(*, verbose: bool, stream: TextIO | None = None) -> "AbstractContextManager[OnFinished]":
    from scenebook import progress

    return progress.progress(stream or sys.stdout, verbose=verbose)


def _build_options(arguments: argparse.Namespace) -> "BuildOptions":
    """Return the options of a build, from the command line and the environment."""
    from scenebook.build.options import BuildOptions

    cache = os.environ.get("SCENEBOOK_CACHE")
    limit = _cache_limit(os.environ)
    return BuildOptions(
        root=arguments.root.resolve(),
        locked=arguments.locked,
        strict=arguments.strict,
        jobs=arguments.jobs or os.cpu_count() or 1,
        url=os.environ.get("SCENEBOOK_URL"),
        updated=_feed_date(os.environ),
        into=arguments.into,
        cache=Path(cache) if cache else None,
        **({} if limit is None else {"cache_limit": limit}),
    )


def _check_folder(option: str, folder: Path | None, options: "BuildOptions", *, whole_site: bool) -> None:
    """Raise `Problems` if an option names a folder that a command must not write to."""
    if folder is None:
        return
    from scenebook.build import output_folder

    objection = output_folder.objection(folder, options.root, options.cache_folder, whole_site=whole_site)
    if objection:
        advice = "choose a folder outside the site, or a new one in it such as 'public'"
        raise Problems([Problem("", 0, option, f"{str(folder)!r} {objection}; {advice}")])


def _cache_limit(environment: Mapping[str, str]) -> int | None:
    """Return the largest size of the cache, if it is set. Raises `Problems` if it is not a number of bytes."""
    text = environment.get(CACHE_LIMIT, "").strip()
    if text and not (text.isascii() and text.isdecimal()):
        message = f"{text!r} is not a number of bytes; write one such as 500000000"
        raise Problems([Problem("", 0, CACHE_LIMIT, message)])
    return int(text) if text else None


def _feed_date(environment: Mapping[str, str]) -> str | None:
    """Return the date of the feed from the first variable that is not empty. Raises `Problems` if it is not a date."""
    for name, message in DATE_VARIABLES.items():
        if text := environment.get(name, "").strip():
            try:
                return _to_rfc3339(text, in_seconds=name == "SOURCE_DATE_EPOCH")
            except (ValueError, OverflowError, OSError):
                raise Problems([Problem("", 0, name, f"{text!r} {message}")]) from None
    return None


def _to_rfc3339(text: str, *, in_seconds: bool) -> str:
    """Return a date in UTC and RFC 3339, from seconds since 1970 or from an ISO date. The default time zone is UTC."""
    from datetime import UTC, datetime

    if in_seconds and not (text.isascii() and text.isdecimal()):
        raise ValueError(text)
    date = datetime.fromtimestamp(int(text), UTC) if in_seconds else datetime.fromisoformat(text)
    in_utc = date.replace(tzinfo=date.tzinfo or UTC).astimezone(UTC).isoformat(timespec="seconds")
    return in_utc.replace("+00:00", "Z")


def _report(problems: Sequence[Problem], arguments: argparse.Namespace) -> int:
    """Print problems in the format that is asked for. Return the exit code, which is 0 if all of them are warnings."""
    if arguments.format == "github":
        from scenebook.core.github_annotations import annotation

        print("".join(f"{annotation(problem, arguments.root)}\n" for problem in problems), end="")
    else:
        print("".join(f"{problem}\n" for problem in problems), end="", file=sys.stderr)
    return 0 if all(problem.warning for problem in problems) else 1


def _escape_unencodable_output() -> None:
    """Escape characters that the terminal cannot show, because an encoding error would end the build."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
