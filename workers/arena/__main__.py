"""`croupier arena`: who plays whom at which table, and what becomes of the findings."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from service.catalog.bots import FILE, Strength, read_findings, to_json
from workers.arena.contestants import BadBot, UnknownContestant, find_contestant, label_of
from workers.arena.matches import Match, Runner, list_matches, list_rungs, run_match
from workers.arena.report import (
    PAGE,
    describe_match,
    describe_row,
    merge_findings,
    put_into_page,
    render_findings,
    sum_up_findings,
)
from workers.arena.settings import plan_settings, read_arguments

# Within a match, somebody wants to know that it goes on.
TELL_SECONDS = 10.0
Found = list[tuple[Match, Strength]]


def plan_matches(given: argparse.Namespace) -> list[Match]:
    """Those in which everybody knows the game. Raises UnknownContestant."""
    for bot in (*given.bots, *(given.against or ())):
        find_contestant(bot)
    settings = plan_settings(given)
    against = given.against or given.bots
    rungs = given.ladder or given.gate
    matches = list_rungs(settings, given.bots) if rungs else list_matches(settings, given.bots, against)
    return [match for match in matches if can_be_played(match)]


def can_be_played(match: Match) -> bool:
    return all(find_contestant(bot).plays(match.setting) for bot in (match.level, match.against))


def run_matches(planned: Sequence[Match], run: Runner, found: Found) -> None:
    """Plays every match, and tells of each on stderr. Where one fails, those before it are found."""
    begun = time.monotonic()
    for count, match in enumerate(planned, 1):
        tell = teller(f"{count}/{len(planned)}", begun)
        row = run_match(match, run, now_and_then(tell, match))
        found.append((match, row))
        tell(describe_row(label_of(match.level), row))


def teller(head: str, begun: float) -> Callable[[str], None]:
    """Says things, with the seconds that have passed."""
    return lambda text: say(f"[{head}, {time.monotonic() - begun:.0f} s] {text}")


def now_and_then(tell: Callable[[str], None], match: Match) -> Callable[[int], None]:
    """Says how far a match has come."""
    told = time.monotonic()

    def tell_games(played: int) -> None:
        nonlocal told
        if time.monotonic() - told > TELL_SECONDS:
            told = time.monotonic()
            tell(f"{describe_match(match)}, {played} of {match.setting.games} games")

    return tell_games


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


@contextmanager
def runner(processes: int) -> Iterator[Runner]:
    """Games are played in their order or at once; what is found is the same."""
    if processes < 2:
        yield map
        return
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
        yield pool.map


def by_level(found: Found) -> dict[str, list[Strength]]:
    rows: dict[str, list[Strength]] = {}
    for match, row in found:
        rows.setdefault(label_of(match.level), []).append(row)
    return rows


def find_weak(found: Found) -> list[str]:
    """Where a level does not win clearly more than an even share."""
    return [
        f"not clearly stronger: {describe_row(match.level, row)}, even is {row.even:.1%}"
        for match, row in found
        if row.low <= row.even
    ]


def write(found: Found) -> None:
    merged = merge_findings(read_findings(), by_level(found))
    FILE.write_text(to_json(merged), "utf-8")
    if PAGE.exists():
        PAGE.write_text(put_into_page(PAGE.read_text("utf-8"), merged), "utf-8")
    say(f"wrote {FILE}")


def main(arguments: Sequence[str] | None = None) -> int:
    given = read_arguments(arguments)
    found = Found()
    failed = meet(given, found)
    if found:
        print(render_findings(sum_up_findings(by_level(found))), end="")
    if found and given.write:
        write(found)
    return failed or (judge(found) if given.gate else 0)


def meet(given: argparse.Namespace, found: Found) -> int:
    """Whatever goes wrong, what was found before is kept: 2 if something did."""
    try:
        planned = plan_matches(given)
        if not planned:
            raise UnknownContestant("none of these bots meet at a table that all of them can play")
        with runner(given.processes) as run:
            run_matches(planned, run, found)
    except (BadBot, BrokenProcessPool, UnknownContestant) as fault:
        say(f"croupier arena: {fault}")
        return 2
    return 0


def judge(found: Found) -> int:
    """Whether the gate opens: 0 if so."""
    weak = find_weak(found)
    for line in weak:
        say(line)
    return 1 if weak else 0


if __name__ == "__main__":
    sys.exit(main())
