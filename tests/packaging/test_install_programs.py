"""What `make test` does on a machine without a browser: packages as root, then playwright, then nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.install_programs import install_programs
from tests.support.programs import find_browser, find_program

WORKING = "#!/bin/sh\nexit 0\n"


def write_program(path: Path, text: str = WORKING) -> str:
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The one folder of the PATH, with nothing but curl and openssl in it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    write_program(folder / "curl")
    write_program(folder / "openssl")
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "browsers"))
    monkeypatch.delenv("CHROMIUM", raising=False)
    return folder


@pytest.fixture
def playwright(tmp_path: Path) -> str:
    """A playwright that notes what it is told and installs nothing."""
    return write_program(tmp_path / "playwright", f'#!/bin/sh\necho "$@" >> {tmp_path}/told\nexit 1\n')


def write_apt(programs: Path, browser: str) -> None:
    """An apt-get that notes what it is told and installs this browser."""
    write_program(programs / "browser", browser)
    note = f'echo "$@" >> {programs}/told'
    install = f'[ "$1" = update ] || /bin/cp {programs}/browser {programs}/chromium'
    write_program(programs / "apt-get", f"#!/bin/sh\n{note}\n{install}\n")


def test_browser_of_the_path_is_used_and_nothing_installed(programs: Path, playwright: str) -> None:
    browser = write_program(programs / "chromium-browser")
    write_apt(programs, WORKING)
    assert install_programs(as_root=True, playwright=[playwright]) == []
    assert find_browser() == browser
    assert not (programs / "told").exists()


def test_browser_of_the_variable_comes_first(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_program(programs / "chromium")
    own = write_program(tmp_path / "my-chrome")
    monkeypatch.setenv("CHROMIUM", own)
    assert find_browser() == own


def test_variable_that_names_no_browser_is_not_replaced_by_another(
    programs: Path, playwright: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_program(programs / "chromium")
    monkeypatch.setenv("CHROMIUM", str(programs / "absent"))
    assert install_programs(as_root=False, playwright=[playwright]) == ["browser"]


def test_root_gets_the_browser_from_packages_and_is_told(
    programs: Path, playwright: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write_apt(programs, WORKING)
    assert install_programs(as_root=True, playwright=[playwright]) == []
    packages = "chromium fonts-dejavu-core fonts-noto-color-emoji"
    assert capsys.readouterr().out == f"Installing packages for the tests: {packages}\n"
    told = (programs / "told").read_text().splitlines()
    assert told == ["update -qq", f"install -y -qq --no-install-recommends {packages}"]


@pytest.mark.long
def test_others_get_it_from_playwright(programs: Path, playwright: str, tmp_path: Path) -> None:
    write_apt(programs, WORKING)
    assert install_programs(as_root=False, playwright=[playwright]) == ["browser"]
    assert not (programs / "told").exists()
    assert (tmp_path / "told").read_text() == "install chromium\n"


@pytest.mark.long
def test_package_that_is_a_stub_is_no_browser(programs: Path, playwright: str, tmp_path: Path) -> None:
    """On Ubuntu the package only points to a snap."""
    write_apt(programs, "#!/bin/sh\nexit 1\n")
    assert install_programs(as_root=True, playwright=[playwright]) == ["browser"]
    assert (tmp_path / "told").read_text() == "install chromium\n"


@pytest.mark.long
def test_program_that_cannot_be_installed_is_reported_as_missing(programs: Path, playwright: str) -> None:
    (programs / "curl").unlink()
    assert install_programs(as_root=False, playwright=[playwright]) == ["browser", "curl"]
    assert find_program("curl") is None
