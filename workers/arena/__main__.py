"""Runs `croupier arena`: plans the matches, plays them, and prints or writes the results."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from math import inf
from pathlib import Path

from msgspec.structs import replace

from rules import EDITIONS
from service.catalog.bots import FILE, Findings, Strength, read_findings, to_json
from workers.arena.contestants import BadBot, UnknownContestant, find_contestant, label_of
from workers.arena.ladder import JUDGED_AFTER, LadderState, decide_cell, run_cell
from workers.arena.matches import Match, Runner, list_matches, list_rungs, run_match
from workers.arena.report import (
    LEGEND,
    PAGE,
    describe_match,
    describe_row,
    is_of_today,
    merge_findings,
    put_into_page,
    render_findings,
    sum_up_findings,
)
from workers.arena.settings import plan_settings, plays_ladder, read_arguments

# A long match reports so often how far it has come.
REPORT_SECONDS = 10.0
Found = list[tuple[Match, Strength]]


def plan_matches(given: argparse.Namespace) -> list[Match]:
    """Return the matches to play: those whose bots can both play that edition.

    Raises UnknownContestant if a bot is unknown, or if none can be played.
    """
    for bot in (*given.bots, *(given.against or ())):
        find_contestant(bot)
    settings = plan_settings(given)
    against = given.against or given.bots
    rungs = given.ladder or given.gate
    matches = list_rungs(settings, given.bots) if rungs else list_matches(settings, given.bots, against)
    planned = [
        replace(match, first_seed=given.seed, log=given.log or "")
        for match in matches
        if can_be_played(match)
    ]
    if not planned:
        raise UnknownContestant("none of these bots meet at a table that all of them can play")
    if given.missing:
        planned = [match for match in planned if not is_decided(match, read_findings())]
    # Low levels think little: what is measured soonest comes first.
    return (
        sorted(planned, key=lambda match: given.bots.index(match.level)) if plays_ladder(given) else planned
    )


def can_be_played(match: Match) -> bool:
    """Return whether both bots can play at this kind of table."""
    return all(find_contestant(bot).plays(match.setting) for bot in (match.level, match.against))


def is_decided(match: Match, findings: Findings) -> bool:
    """Return whether the sequential test decided this cell for the bots and the release of today."""
    setting = match.setting
    level = label_of(match.level)
    release = EDITIONS.newest[setting.edition].release
    wanted = (setting.edition, release, setting.options, setting.players, label_of(match.against))
    return any(
        (row.edition, row.release, row.options, row.players, row.against) == wanted
        and row.verdict != ""
        and is_of_today(level, row)
        for row in findings.levels.get(level, ())
    )


def run_matches(planned: Sequence[Match], run: Runner, found: Found) -> None:
    """Play every match, add its result to `found`, and report it on stderr.

    If a match fails, the results before it are already in `found`.
    """
    begun = time.monotonic()
    for count, match in enumerate(planned, 1):
        tell = make_reporter(f"{count}/{len(planned)}", begun)
        row = run_match(match, run, report_progress(tell, match, match.setting.games))
        found.append((match, row))
        tell(describe_row(label_of(match.level), row))


def run_ladder(planned: Sequence[Match], run: Runner, given: argparse.Namespace, found: Found) -> None:
    """Play every cell of the ladder until it is decided or time is over, and report it on stderr."""
    begun = time.monotonic()
    end = begun + 60 * given.minutes if given.minutes else inf
    state = LadderState(given.state, given.resume)
    done = sum(decide_cell(match.setting.players, state.find(match))[0] != "" for match in planned)
    say(f"{done} of {len(planned)} cells are decided; every game is kept in {given.state}")
    for count, match in enumerate(planned, 1):
        tell = make_reporter(f"{count}/{len(planned)}", begun)
        row = run_cell(match, run, state, report_progress(tell, match, JUDGED_AFTER[-1]), lambda: over(end))
        if row is None:
            say("time is over; --resume goes on from here")
            return
        found.append((match, row))
        tell(f"{describe_row(label_of(match.level), row)}: {row.verdict}")


def over(end: float) -> bool:
    """Return whether this time has come."""
    return time.monotonic() >= end


def make_reporter(head: str, begun: float) -> Callable[[str], None]:
    """Return a function that prints a text with the number of the match and the seconds passed."""
    return lambda text: say(f"[{head}, {time.monotonic() - begun:.0f} s] {text}")


def report_progress(tell: Callable[[str], None], match: Match, games: int) -> Callable[[int], None]:
    """Return a function that reports how many games of a match are over, at most once in REPORT_SECONDS."""
    told = time.monotonic()

    def tell_games(played: int) -> None:
        nonlocal told
        if time.monotonic() - told > REPORT_SECONDS:
            told = time.monotonic()
            tell(f"{describe_match(match)}, {played} of at most {games} games")

    return tell_games


def say(text: str) -> None:
    """Print the text on stderr."""
    print(text, file=sys.stderr, flush=True)


@contextmanager
def open_runner(processes: int) -> Iterator[Runner]:
    """Yield the function that runs tasks: `map`, or that of a pool of processes. The results are the same."""
    if processes < 2:
        yield map
        return
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
        yield pool.map


def by_level(found: Found) -> dict[str, list[Strength]]:
    """Return the results by the name of the measured bot."""
    rows: dict[str, list[Strength]] = {}
    for match, row in found:
        rows.setdefault(label_of(match.level), []).append(row)
    return rows


def find_weak(found: Found) -> list[str]:
    """Return a line for each match in which the bot does not win clearly more than an even share."""
    return [
        f"not clearly stronger: {describe_row(match.level, row)}, even is {row.even:.1%}"
        for match, row in found
        if (row.low <= row.even if row.verdict == "" else row.verdict != "stronger")
    ]


def write(found: Found) -> None:
    """Write the results to the file behind `GET /v1/bots` and to docs/bots.md."""
    merged = merge_findings(read_findings(), by_level(found))
    FILE.write_text(to_json(merged), "utf-8")
    if PAGE.exists():
        PAGE.write_text(put_into_page(PAGE.read_text("utf-8"), merged), "utf-8")
    say(f"wrote {FILE}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0; 1 if the gate stays closed; 2 if a match failed."""
    given = read_arguments(arguments)
    found = Found()
    failed = play_planned(given, found)
    if found:
        print(f"{render_findings(sum_up_findings(by_level(found)))}\n{LEGEND}", end="")
    if found and given.write:
        write(found)
    return failed or (gate_exit_code(found) if given.gate else 0)


def play_planned(given: argparse.Namespace, found: Found) -> int:
    """Play the planned matches. Return 2 if one failed, else 0; the results before it stay in `found`."""
    try:
        planned = plan_matches(given)
        if not planned:
            say("no cell is missing")
            return 0
        if given.log:
            Path(given.log).mkdir(parents=True, exist_ok=True)
        with open_runner(given.processes) as run:
            if plays_ladder(given):
                run_ladder(planned, run, given, found)
            else:
                run_matches(planned, run, found)
    except (BadBot, BrokenProcessPool, OSError, UnknownContestant) as fault:
        say(f"croupier arena: {fault}")
        return 2
    return 0


def gate_exit_code(found: Found) -> int:
    """Print each match that is not won clearly; return 1 if there is one, else 0."""
    weak = find_weak(found)
    for line in weak:
        say(line)
    return 1 if weak else 0


if __name__ == "__main__":
    sys.exit(main())
