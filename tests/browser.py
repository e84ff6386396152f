"""The Chromium of the browser tests: finds one, or installs one.

`make browser` runs this module before the tests, so that their parallel workers never install anything. Chromium is
looked for where people have it: in the environment's CHROMIUM, on the path, in Playwright's own folder.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Browser, Playwright, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-sync",
    "--no-first-run",
)
DEBIAN_PACKAGES = ("chromium", "fonts-dejavu-core")
ADVICE = "install Chromium or Chrome, or name its program in the environment variable CHROMIUM"


def find() -> str | None:
    """The program of an installed Chromium; exits when CHROMIUM names none."""
    if named := os.environ.get("CHROMIUM"):
        return shutil.which(named) or sys.exit(f"CHROMIUM names {named}, which is no program: correct it or unset it")
    return next(filter(None, map(shutil.which, NAMES)), None) or playwrights_own()


def playwrights_own() -> str | None:
    with sync_playwright() as playwright:
        program = playwright.chromium.executable_path
    return program if Path(program).exists() else None


def install() -> None:
    """Install a Chromium in the ways this machine has, until one works; say each before it begins."""
    for commands in ways():
        sys.stderr.write(f"No Chromium found; installing one: {' && '.join(map(shlex.join, commands))}\n")
        if all(run(command) for command in commands):
            return


def run(command: list[str]) -> bool:
    return subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode == 0


def ways() -> list[list[list[str]]]:
    """Each way is a list of commands: Debian's package for its root, Playwright's own build for everybody."""
    playwright = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    return [debian_commands(), playwright] if is_root() and is_debian() else [playwright]


def debian_commands() -> list[list[str]]:
    apt = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet=2"]
    return [[*apt, "update"], [*apt, "install", "--yes", "--no-install-recommends", *DEBIAN_PACKAGES]]


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def is_debian() -> bool:
    """Whether the system's package is Chromium itself; Ubuntu's only points to a snap."""
    return sys.platform == "linux" and platform.freedesktop_os_release().get("ID") == "debian"


def launch(playwright: Playwright) -> Browser:
    """Start the Chromium that `find` finds; exits when there is none."""
    program = find() or sys.exit(f"No Chromium for the browser tests: run `make browser`, or {ADVICE}")
    return playwright.chromium.launch(executable_path=program, args=FLAGS, chromium_sandbox=not is_root())


def main() -> None:
    if find() is None:
        install()
        if find() is None:
            sys.exit(f"No Chromium could be installed for the browser tests: {ADVICE}")


if __name__ == "__main__":
    main()
