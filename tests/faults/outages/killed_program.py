"""A program that plays in fifty games over one connection, killed twenty times."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

from tests.support.parallel_players import play_with_kills
from tests.support.service_process import run_service

GAMES, KILLS = 50, 20


def run(folder: Path) -> bool:
    with run_service(folder / "data") as (base, _):
        started = monotonic()
        held = play_with_kills(base, GAMES, KILLS, folder / "place")
    print(f"  {GAMES} games, {KILLS} kills, {monotonic() - started:.0f} s")
    return held
