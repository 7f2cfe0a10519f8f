"""Installs the programs that tests need and this machine lacks; `make test` runs it first.

As root, they come from the packages of Debian or Ubuntu. Without root, or where that fails, playwright
installs a browser. Tests that need what is still missing are skipped; with CI=true this fails instead.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

from tests.support.programs import BROWSER, IN_CI, find_browser, find_program

PACKAGES = {
    # Pages are tried with letters and emoji that people write.
    BROWSER: ("chromium", "fonts-dejavu-core", "fonts-noto-color-emoji"),
    "curl": ("curl",),
    "openssl": ("openssl",),
}
PLAYWRIGHT = (sys.executable, "-m", "playwright")


def install_programs(as_root: bool, playwright: Sequence[str] = PLAYWRIGHT) -> list[str]:
    """Install what is missing. Return the names of the programs that are missing still."""
    if as_root and shutil.which("apt-get"):
        _install_packages(_list_missing())
    if find_browser() is None and not os.environ.get("CHROMIUM"):
        _install_with_playwright(as_root, playwright)
    return _list_missing()


def _list_missing() -> list[str]:
    return [name for name in PACKAGES if find_program(name) is None]


def _install_packages(programs: Sequence[str]) -> None:
    packages = [package for program in programs for package in PACKAGES[program]]
    if packages:
        print(f"Installing packages for the tests: {' '.join(packages)}", flush=True)
        options = ("-y", "-qq", "--no-install-recommends")
        _run("apt-get", "update", "-qq") and _run("apt-get", "install", *options, *packages)


def _install_with_playwright(as_root: bool, playwright: Sequence[str]) -> None:
    print("Installing a browser for the tests: playwright install chromium", flush=True)
    if _run(*playwright, "install", "chromium") and find_browser() is None and as_root:
        print("Installing the libraries of the browser: playwright install-deps chromium", flush=True)
        _run(*playwright, "install-deps", "chromium")


def _run(*command: str) -> bool:
    """Run it quietly; only a failure is shown, by its last line."""
    environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(
        command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    if done.returncode:
        said = [line for line in done.stdout.splitlines() if "rror" in line] or done.stdout.splitlines()
        print(f"  failed: {said[-1].strip() if said else done.returncode}", flush=True)
    return done.returncode == 0


def main() -> int:
    missing = install_programs(os.geteuid() == 0)
    for name in missing:
        named = os.environ.get("CHROMIUM") if name == BROWSER else None
        lack = f"CHROMIUM={named} does not start" if named else f"There is no {name}"
        print(f"{lack}: tests that need one {'fail' if IN_CI else 'are skipped'}.", flush=True)
    return int(bool(missing) and IN_CI)


if __name__ == "__main__":
    sys.exit(main())
