"""The bench measures what it is told to, or says what there is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from subprocess import CalledProcessError

import pytest

from bench import boardgame_io
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


def test_boardgame_io_is_skipped_where_node_is_missing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bench", "boardgame_io"]
    environ = {**os.environ, "PATH": str(tmp_path)}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    assert done.stdout == "boardgame_io: skipped, node is missing\n"
    assert done.stderr == ""


def make_run(rate: int, slowest: float) -> boardgame_io.Run:
    """A run of one second: all choices took a millisecond but the slowest two in a hundred."""
    slow = rate // 50
    return boardgame_io.Run(seconds=1.0, milliseconds=[1.0] * (rate - slow) + [slowest] * slow)


def test_run_has_choices_a_second_and_percentiles() -> None:
    run = boardgame_io.Run(seconds=0.5, milliseconds=[float(number) for number in range(1, 1000)])
    assert run.rate == 1998
    assert run.p50 == 500
    assert run.p99 == 990


def test_boardgame_io_is_compared_by_the_median_turn() -> None:
    turns = [
        boardgame_io.Turn(ours=make_run(rate, slowest), peer=make_run(1000, 10), bare=make_run(2000, 5))
        for rate, slowest in [(900, 40), (500, 20), (2000, 15)]
    ]
    rates = boardgame_io.compare_rates(16, turns)
    assert rates.value == 0.9
    assert not rates.met
    assert rates.remark == "0.50 to 2.00 in 3 turns; to a bare socket 0.45"
    p99 = boardgame_io.compare_p99(64, turns)
    assert p99.value == 2.0
    assert not p99.met
    assert p99.remark == "1.50 to 4.00 in 3 turns; p50 1.0 : 1.0 ms"
