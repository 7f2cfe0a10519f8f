"""The command line: what it prints and which code it exits with."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from service import cli

COMMANDS = [
    "run",
    "serve",
    "doctor",
    "verify",
    "export",
    "backup",
    "restore",
    "rebuild",
    "games",
    "players",
    "keys",
    "signing-keys",
    "replay-all",
    "load",
    "mcp",
    "openapi",
    "arena",
]
USAGE = 2


def test_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"croupier {version('croupier')}\n"


def test_help_lists_the_commands_in_order_each_with_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    rows = capsys.readouterr().out.split("Commands:\n")[1].splitlines()
    assert [row.split()[0] for row in rows] == COMMANDS
    assert all(row.rstrip().endswith(".") and "..." not in row for row in rows)


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "arena"])
def test_help_of_a_command_explains_it_and_its_options(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([command, "--help"]) == 0
    assert f"Usage: croupier {command}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "Usage: croupier"),
        (["deal"], "No such command 'deal'"),
        (["--quick"], "No such option '--quick'"),
        (["run", "fast"], "unexpected extra argument (fast)"),
        (["verify"], "Missing argument 'FILE...'"),
        (["export"], "Missing argument 'FOLDER'"),
        (["replay-all", "load", "--releas", "1"], "No such option '--releas'"),
    ],
)
def test_a_wrong_call_is_explained_on_standard_error(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments) == USAGE
    assert told in capsys.readouterr().err


def test_a_file_that_cannot_be_read_is_one_line_without_a_traceback(tmp_path: Path) -> None:
    croupier = Path(sys.executable).with_name("croupier")
    run = subprocess.run([croupier, "verify", tmp_path / "absent"], capture_output=True, text=True)
    assert run.returncode == 1
    assert "absent" in run.stdout + run.stderr
    assert "Traceback" not in run.stderr
