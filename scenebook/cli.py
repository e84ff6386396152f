"""The command line: arguments, progress and exit codes.

0 done; 1 the author's problem, told as `file:line: where: message` on standard error; 2 wrong usage; 70 our own bug;
130 interrupted; 141 whoever reads what is printed has seen enough. Nothing heavy is imported before it is known that
there is work.
"""

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from scenebook.core.problems import Problem, Problems, shown, stop_on

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from scenebook.build.last_build import BuildOptions
    from scenebook.build.scene_runs import Tell
    from scenebook.run.scene import Computed

FORMATTER = partial(argparse.HelpFormatter, width=80)
"""Asking the terminal for its width imports as much as all else that finds out that nothing has changed."""
DATES = {
    "SCENEBOOK_UPDATED": "is not a date; write one such as 2030-01-31 or 2030-01-31T12:00:00Z",
    "SOURCE_DATE_EPOCH": "is not a number of seconds since 1970; write one such as 1900000000",
}
"""Where the date of the feed comes from, and what to say of one that is wrong."""
REPORT = "This is a bug of Scenebook, not of your site. Please report it with the lines above."


def main(arguments: Sequence[str] | None = None, root: Path | None = None) -> int:
    """Run one command; `root` is the default of --root."""
    options = _parser(root or Path()).parse_args(arguments)
    _tolerant_streams()
    try:
        command: Callable[[argparse.Namespace], int] = options.command
        code = command(options)
        sys.stdout.flush()
        return code
    except Problems as error:
        return _told(error.problems)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that nothing is said of it at the end
        return 141
    except Exception:  # noqa: BLE001 - the last resort
        import traceback

        from scenebook.cache import versions

        if unfit := sorted(versions.unfit()):
            return _told(unfit)
        print(shown(traceback.format_exc(), keep="\n"), REPORT, sep="", file=sys.stderr)
        return 70


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        super().error(shown(message))


def _parser(root: Path) -> argparse.ArgumentParser:
    description = "Build explainer pages whose every number is computed."
    parser = _Parser(prog="scenebook", description=description, formatter_class=FORMATTER)
    parser.set_defaults(locked=False, strict=False, into=None, jobs=None)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, command: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        described = f"{text[0].upper()}{text[1:]}."
        added = commands.add_parser(name, help=text, description=described, formatter_class=FORMATTER)
        added.add_argument("--root", type=Path, default=root, metavar="DIR", help="the site's folder")
        added.add_argument("--verbose", action="store_true", help="show what scenes print")
        added.set_defaults(command=command)
        return added

    _building(add("build", _build, "build the site into output/"))
    check = add("check", _check, "build strictly, with facts.lock unchanged")
    check.set_defaults(locked=True, strict=True)
    check.add_argument("--external", action="store_true", help="try the links that lead out of the site, too")
    _jobs(check)
    run = add("run", _run, "run one scene and print its values")
    run.add_argument("--out", type=Path, metavar="DIR", help="write the figure's files into this folder")
    _scene(run)
    _scene(add("why", _why, "say why a scene runs, and what would make it run"))
    _reviewing(add("review", _review, "compare two versions of the site, into review/"))
    add("verify", _verify, "build twice, cold, in different surroundings, and compare all bytes")
    add("schema", _schema, "write the schemas for editors")
    add("clean", _clean, "remove what builds wrote, and nothing else")
    return parser


def _building(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--locked", action="store_true", help="fail where facts.lock would change")
    parser.add_argument("--strict", action="store_true", help="take warnings for problems")
    into = "write what can be built into this folder, whatever fails, and no more"
    parser.add_argument("--into", type=Path, metavar="DIR", help=into)
    _jobs(parser)


def _jobs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", type=_count, metavar="N", help="processes at once (default: one a processor)")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 up")
    return int(text)


def _scene(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scene", metavar="SCENE", help="slug/id, or id where that is unique")


def _reviewing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("base", metavar="BASE", help="a git revision, or the folder of a built site")
    parser.add_argument("head", metavar="HEAD", nargs="?", help="the same; left out, the working tree as it is")
    parser.add_argument(
        "--fail-on", choices=("changed", "claims"), help="exit with 1 on any change, or a failing claim"
    )


def _build(options: argparse.Namespace) -> int:
    from scenebook.build import build

    settings = _settings(options)
    _stop_on_place("--into", options.into, settings, whole=True)
    done = build.build(settings, partial(_progress, verbose=options.verbose))
    _told(done.warnings)
    if done.unchanged:
        print("nothing has changed")
        return 0
    from scenebook import progress

    print(progress.summary(done, shown(str(settings.output))))
    return 0


def _progress(*, verbose: bool) -> "AbstractContextManager[Tell]":
    from scenebook import progress

    return progress.progress(verbose=verbose)


def _check(options: argparse.Namespace) -> int:
    code = _build(options)
    if code or not options.external:
        return code
    from scenebook.page import outside_links
    from scenebook.storyboard import loader

    settings = _settings(options)
    stop_on(outside_links.check(settings.output, loader.load(settings.root, settings.url).site.url))
    print("all outside links answer")
    return 0


def _run(options: argparse.Namespace) -> int:
    from scenebook.build import build

    settings = _settings(options)
    _stop_on_place("--out", options.out, settings, whole=False)
    with build.processes(settings.root, settings.jobs) as workers:
        from scenebook import progress
        from scenebook.build import one_scene
        from scenebook.page import output

        with progress.progress(verbose=True) as tell:
            computed, files = one_scene.run(settings, options.scene, workers, tell)
    rows = [(name, _value(computed, name)) for name in computed.facts]
    width = max((len(name) for name, _ in rows), default=0)
    print("".join(f"{name:{width}}  {text}\n" for name, text in rows), end="")
    if options.out:
        for path, content in files.items():
            output.replace(options.out / Path(path).name, content)
            print(shown(f"wrote {options.out / Path(path).name}"))
    return 0


def _value(computed: "Computed", name: str) -> str:
    """A value on a line or, for a matrix that fits, on several."""
    if name in computed.scalars:
        return repr(computed.scalars[name])
    from textwrap import indent

    text = str(computed.values[name])
    return computed.arrays[name] + indent(f"\n{text}", "    ")


def _settings(options: argparse.Namespace) -> "BuildOptions":
    from scenebook.build.last_build import BuildOptions

    kept = os.environ.get("SCENEBOOK_CACHE")
    return BuildOptions(
        root=options.root.resolve(),
        locked=options.locked,
        strict=options.strict,
        jobs=options.jobs or os.cpu_count() or 1,
        url=os.environ.get("SCENEBOOK_URL"),
        updated=_updated(os.environ),
        into=options.into,
        kept=Path(kept) if kept else None,
    )


def _stop_on_place(option: str, folder: Path | None, settings: "BuildOptions", *, whole: bool) -> None:
    """Raise `Problems` if an option names a folder into which nothing may be written."""
    if folder is None:
        return
    from scenebook.build import output_folder

    if found := output_folder.fault(folder, settings.root, settings.keeps, whole=whole):
        advice = "choose a folder outside the site, or a new one in it such as 'public'"
        raise Problems([Problem("", 0, option, f"{str(folder)!r} {found}; {advice}")])


def _updated(environment: Mapping[str, str]) -> str | None:
    """The date of the feed: the first of the variables that is not empty. Raises `Problems` if it is not a date."""
    for name, advice in DATES.items():
        if written := environment.get(name, "").strip():
            try:
                return _in_utc(written, in_seconds=name == "SOURCE_DATE_EPOCH")
            except (ValueError, OverflowError, OSError):
                raise Problems([Problem("", 0, name, f"{written!r} {advice}")]) from None
    return None


def _in_utc(written: str, *, in_seconds: bool) -> str:
    """A date as RFC 3339 writes it, from seconds since 1970 or from an ISO date, which is in UTC unless it says."""
    from datetime import UTC, datetime

    if in_seconds and not (written.isascii() and written.isdecimal()):
        raise ValueError(written)
    when = datetime.fromtimestamp(int(written), UTC) if in_seconds else datetime.fromisoformat(written)
    told = when.replace(tzinfo=when.tzinfo or UTC).astimezone(UTC).isoformat(timespec="seconds")
    return told.replace("+00:00", "Z")


def _why(options: argparse.Namespace) -> int:
    from scenebook.build import one_scene

    print("\n".join(map(shown, one_scene.why(_settings(options), options.scene))))
    return 0


def _review(options: argparse.Namespace) -> int:
    from scenebook.review import review

    root = options.root.resolve()
    found = review.review(root, options.base, options.head)
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write((root / review.FOLDER / "report.md").read_text(encoding="utf-8"))
    print(shown(review.headline(found)), shown(f"See {root / review.FOLDER / 'index.html'}"), sep="\n")
    return int(review.fails_gate(found, options.fail_on))


def _verify(options: argparse.Namespace) -> int:
    from scenebook.review import verify

    print(f"two builds in different surroundings wrote the same {verify.verify(options.root.resolve())} files")
    return 0


def _schema(options: argparse.Namespace) -> int:
    from scenebook.page import output
    from scenebook.storyboard import schema

    for name, text in schema.schemas().items():
        output.replace(Path(__file__).parent / name, text.encode())
    return 0


def _clean(options: argparse.Namespace) -> int:
    from scenebook.page import output

    print(f"{len(output.clean(options.root.resolve() / 'output'))} files removed")
    return 0


def _told(problems: Sequence[Problem]) -> int:
    for problem in problems:
        print(problem, file=sys.stderr)
    return 0 if all(problem.warning for problem in problems) else 1


def _tolerant_streams() -> None:
    """A message that holds a character the terminal does not know must not end the build."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
