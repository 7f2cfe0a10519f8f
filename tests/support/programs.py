"""The programs that tests start and Python packages do not bring: where they are, and whether they work."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator

from playwright.sync_api import sync_playwright

BROWSER = "browser"
BROWSER_NAMES = ("chromium", "chromium-browser", "google-chrome")
# In CI nothing may be left out unnoticed.
IN_CI = os.environ.get("CI") == "true"


def find_program(name: str) -> str | None:
    """Return the path of the program, or None. Any Chromium is a `browser`."""
    return find_browser() if name == BROWSER else shutil.which(name)


def find_browser() -> str | None:
    """Return the first browser that starts: of the PATH, else playwright's; `CHROMIUM` replaces both."""
    return next(filter(_starts, _list_browsers()), None)


def _list_browsers() -> Iterator[str]:
    if named := os.environ.get("CHROMIUM"):
        yield named
        return
    for name in BROWSER_NAMES:
        if path := shutil.which(name):
            yield path
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    yield path


def _starts(path: str) -> bool:
    """Return whether it can be run: a package may be a stub, and a library may be missing."""
    try:
        return subprocess.run([path, "--version"], capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
