"""Find a Chromium for the browser tests, or install one.

`make browser` runs this module before the tests, so that their parallel workers never install anything. It looks for
Chromium in three places: the environment variable CHROMIUM, the path, and Playwright's own folder.
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
START = 180_000
"""The milliseconds that it may take to start on a busy machine."""
DEBIAN_PACKAGES = ("chromium", "fonts-dejavu-core")
ADVICE = "install Chromium or Chrome, or name its program in the environment variable CHROMIUM"


def installed() -> str | None:
    """Return the path of the machine's Chromium. Exit if the variable CHROMIUM names no program."""
    if named := os.environ.get("CHROMIUM"):
        return shutil.which(named) or sys.exit(
            f"CHROMIUM names {named}, which is not a program: correct it or unset it"
        )
    return next(filter(None, map(shutil.which, NAMES)), None)


def has_own(playwright: Playwright) -> bool:
    """Whether Playwright's own build of Chromium is installed."""
    return Path(playwright.chromium.executable_path).exists()


def is_there() -> bool:
    if installed():
        return True
    with sync_playwright() as playwright:
        return has_own(playwright)


def install() -> None:
    """Install a Chromium, trying the ways of this machine until one works, and print each before it begins."""
    for commands in ways():
        sys.stderr.write(f"No Chromium found; installing one: {' && '.join(map(shlex.join, commands))}\n")
        if all(run(command) for command in commands):
            return


def run(command: list[str]) -> bool:
    silent = subprocess.DEVNULL
    return subprocess.run(command, stdin=silent, stdout=silent, check=False).returncode == 0


def ways() -> list[list[list[str]]]:
    """Return the ways to install a Chromium, each a list of commands: Debian's package needs root."""
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
    """Start the machine's Chromium, or else Playwright's own. Exit if there is neither.

    It runs without a sandbox, which is Playwright's default: it shows only our own pages, and a sandbox does not work
    for root or in containers.
    """
    program = installed()
    if program is None and not has_own(playwright):
        sys.exit(f"No Chromium for the browser tests: run `make browser`, or {ADVICE}")
    return playwright.chromium.launch(executable_path=program, args=FLAGS, timeout=START)


def main() -> None:
    if not is_there():
        install()
        if not is_there():
            sys.exit(f"No Chromium could be installed for the browser tests: {ADVICE}")


if __name__ == "__main__":
    main()
