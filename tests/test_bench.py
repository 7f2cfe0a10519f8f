"""The bench measures what it is told to, or says what there is."""

from __future__ import annotations

from pathlib import Path
from subprocess import CalledProcessError

import pytest

from bench.__main__ import main, part_names
from bench.before import NO_SUCH_PART, run_part


@pytest.mark.parametrize("wanted", [["nonsense"], ["ratio"], ["scrub", "nonsense"]])
def test_what_is_no_part_is_refused_with_the_parts_there_are(
    wanted: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A module without `measure` is none."""
    with pytest.raises(SystemExit) as stopped:
        main(wanted)
    assert stopped.value.code == NO_SUCH_PART == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert f"there is no {wanted[-1]}: " in said.err
    assert len(part_names(())) > 1
    for part in part_names(()):
        assert part in said.err


def make_checkout(folder: Path, code: int) -> Path:
    """Its bench exits with this code, whatever it is told."""
    python = folder / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\nexit {code}\n", "utf-8")
    python.chmod(0o755)
    return folder


def test_a_part_that_other_code_does_not_have_is_not_compared(tmp_path: Path) -> None:
    assert list(run_part(make_checkout(tmp_path, NO_SUCH_PART), "scrub")) == []


def test_a_part_that_fails_on_other_code_is_no_comparison(tmp_path: Path) -> None:
    with pytest.raises(CalledProcessError):
        list(run_part(make_checkout(tmp_path, 1), "scrub"))
