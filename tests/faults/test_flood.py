"""A hundred dear games of a stranger: an ordinary player hardly notices."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.config import LimitSettings
from service.ops.redis_server import find_running_url
from tests.support.bot_flood import Waits, flood, percentile_95, play_and_time
from tests.support.request_flood import flood_bad_bodies, flood_reads, put_games
from tests.support.service_process import run_service

pytestmark = pytest.mark.long
ANNA = "127.0.0.1"
GAMES, FINISHED = 40, 20
SECONDS = 6
# What is promised on two cores of our own. Where others work too, quiet play is slow as well.
CHOICE_SECONDS, BOT_SECONDS = 0.1, 0.5
AS_SLOW = 6
# Of whoever reads all the time: the suite has the rest of the machine.
READERS = 2
ALLOWED = int(LimitSettings().reviewing.split()[0])


@pytest.mark.parametrize("stranger", ["127.0.0.2", ANNA], ids=["another-address", "the-same-address"])
def test_nobody_pays_with_somebody_elses_time(tmp_path: Path, stranger: str) -> None:
    with run_service(tmp_path / "data", RATE_LIMITS="off") as (base, _):
        quiet = play_and_time(base, ANNA, SECONDS / 2)
        with flood(base, stranger, GAMES):
            crowded = play_and_time(base, ANNA, SECONDS)
    check(quiet.choices, crowded.choices, CHOICE_SECONDS, crowded)
    check(quiet.bots, crowded.bots, BOT_SECONDS, crowded)


def test_nobody_pays_for_whoever_reads_whole_games_again(tmp_path: Path) -> None:
    """`make faults ATTACK=dear` does it for half a minute, with more games than a process remembers."""
    with run_service(tmp_path / "data", RATE_LIMITS="on") as (base, _):
        games = put_games(find_running_url(tmp_path / "data") or "", FINISHED)
        quiet = play_and_time(base, ANNA, SECONDS / 2)
        with flood_reads(base, "127.0.0.2", games, READERS) as told:
            crowded = play_and_time(base, ANNA, SECONDS)
    check(quiet.choices, crowded.choices, CHOICE_SECONDS, crowded)
    check(quiet.bots, crowded.bots, BOT_SECONDS, crowded)
    assert told["200"] > 0
    # Where the machine was too busy for as many as two stretches of LIMIT_REVIEWING allow, none was too many.
    assert told["429"] > 0 or told["200"] < 2 * ALLOWED, told


def test_nobody_pays_for_whoever_sends_bad_bodies(tmp_path: Path) -> None:
    with run_service(tmp_path / "data", RATE_LIMITS="on") as (base, _):
        quiet = play_and_time(base, ANNA, SECONDS / 2)
        with flood_bad_bodies(base, "127.0.0.2") as told:
            crowded = play_and_time(base, ANNA, SECONDS)
    check(quiet.choices, crowded.choices, CHOICE_SECONDS, crowded)
    check(quiet.bots, crowded.bots, BOT_SECONDS, crowded)
    assert told["422"] > 0
    assert not {"200", "201", "500", "no reply"} & {*told}, told


def check(quiet: list[float], crowded: list[float], promised: float, waits: Waits) -> None:
    assert percentile_95(crowded) < max(promised, AS_SLOW * percentile_95(quiet)), waits
