"""Lines to readers of all kinds, cut 500 times: what arrived, joined together, is the log."""

from __future__ import annotations

from pathlib import Path

from tests.support.faults import read_with_cuts
from tests.support.service_process import run_service

CUTS = 500


def run(folder: Path) -> bool:
    cuts = 0
    held: list[bool] = []
    with run_service(folder / "data") as (base, _):
        while cuts < CUTS:
            more, is_whole = read_with_cuts(base, seed=len(held))
            cuts += more
            held.append(is_whole)
    print(f"  {cuts} cuts in {len(held)} games, of which {sum(held)} were read whole by six readers each")
    return all(held)
