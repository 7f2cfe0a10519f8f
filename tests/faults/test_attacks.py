"""How the attacks in full say that they ended, and two of them in short."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.long import HELD, NOT_HELD, attack
from tests.faults.outages import endurance, failovers, full_memory, full_room, set_clock
from tests.faults.outages.attacked import NotRun


def test_what_cannot_be_tried_has_not_held() -> None:
    def lack(folder: Path) -> bool:
        raise NotRun("it needs a compiler")

    assert attack(lack) == "not run: it needs a compiler"


def test_an_attack_says_whether_it_held() -> None:
    assert attack(lambda folder: folder.is_dir()) == HELD
    assert attack(lambda folder: folder.is_file()) == NOT_HELD


@pytest.mark.long
def test_no_choice_is_lost_or_doubled_while_processes_are_killed_and_stopped(tmp_path: Path) -> None:
    """`make faults ATTACK=killed` goes on for 20,000 choices."""
    assert endurance.run(tmp_path, goal=1_000)


@pytest.mark.long
def test_no_choice_is_lost_or_doubled_when_redis_has_no_memory(tmp_path: Path) -> None:
    assert full_memory.run(tmp_path)


@pytest.mark.long
@pytest.mark.needs("gcc")
def test_no_table_is_answered_or_closed_when_the_clock_is_set(tmp_path: Path) -> None:
    """`make faults ATTACK=clock` also sets it by eight days."""
    assert set_clock.run(tmp_path, (set_clock.HOUR, -set_clock.HOUR))


@pytest.mark.long
def test_games_go_on_to_their_end_while_strangers_fill_the_memory(tmp_path: Path) -> None:
    assert full_room.run(tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", failovers.FAULTS)
def test_no_choice_is_lost_or_doubled_when_the_master_is(tmp_path: Path, name: str) -> None:
    """`make faults ATTACK=Sentinel` does it five times, and once more without replicas that confirm."""
    assert failovers.run(tmp_path, failovers.FAULTS[name], rounds=1)


@pytest.mark.long
@pytest.mark.parametrize("name", failovers.FAULTS)
def test_no_choice_is_lost_or_doubled_when_a_master_of_a_cluster_is(tmp_path: Path, name: str) -> None:
    """`make faults ATTACK=Cluster` does it five times, and moves slots."""
    assert failovers.run_in_cluster(tmp_path, failovers.FAULTS[name], rounds=1)
