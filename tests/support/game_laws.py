"""What must hold for a game as a whole: its numbers, its log, its result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import reduce

from events.chain import GENESIS, check_chain, link, redact_commit
from events.commit import Commit, decode, decode_raw, encode, logged_form
from events.types import ChipCardsMoved, ChipsMoved, Event, GameEnded, NotesMoved
from events.values import PURSE
from rules import scoring
from rules.evolve import evolve, fold
from rules.state import EMPTY
from tests.support.game_loop import Move, SeededChance


def check_chance_numbers(game: Sequence[Move], chance: SeededChance) -> None:
    """No running number serves twice for the same, none is left out, and the events tell them in order."""
    told = [number for event in events_of(game) if (number := getattr(event, "chance", None)) is not None]
    assert len(chance.used) == len(set(chance.used))
    assert told == sorted(told)
    assert [*dict.fromkeys(told)] == [*range(game[-1].after.drawn)]
    assert {number for _, number in chance.used} == {*told}


def events_of(game: Sequence[Move]) -> list[Event]:
    return [event for move in game for event in move.events]


def commits_of(game: Sequence[Move]) -> list[Commit]:
    commits: list[Commit] = []
    for version, move in enumerate(game, 1):
        prev, command = commits[-1].hash if commits else GENESIS, logged_form(move.command, move.events)
        commits.append(link(Commit(version, "", "", move.after.release, command, move.events, prev)))
    return commits


def check_log_round_trip(game: Sequence[Move]) -> None:
    """Written, read back and folded, a game is the same; every viewer's copy has the same unbroken chain."""
    commits, last = commits_of(game), game[-1].after
    read = [decode(encode(commit)) for commit in commits]
    assert read == commits
    events = [event for commit in read for event in commit.events]
    assert fold(EMPTY, events) == reduce(evolve, events, EMPTY) == last
    for viewer in (None, *range(len(last.seats))):
        shown = [decode_raw(encode(redact_commit(commit, viewer))) for commit in commits]
        assert check_chain(shown) == commits[-1].hash


def check_result(game: Sequence[Move]) -> None:
    """The result is what the table shows, and what went into the purses on the way."""
    last, events = game[-1].after, events_of(game)
    (ended,) = (event for event in events if isinstance(event, GameEnded))
    assert ended in game[-1].events
    assert ended.totals == scoring.totals(last)
    assert ended.winners == scoring.winners(last) == last.winners
    standings = [standing_of(events, seat) for seat in range(len(last.seats))]
    assert ended.totals == tuple(total for total, _ in standings)
    assert ended.winners == tuple(seat for seat, won in enumerate(standings) if won == max(standings))


def standing_of(events: Sequence[Event], seat: int) -> tuple[int, int]:
    """Money, then notes and chips, added up along the way; sets of chip cards grow by $10,000 a card."""
    notes, chips, cards = list[int](), 0, Counter[str]()
    for event in events:
        match event:
            case NotesMoved(source, target, moved):
                notes += moved if target == PURSE[seat] else ()
                for note in moved if source == PURSE[seat] else ():
                    notes.remove(note)
            case ChipsMoved(source, target, count):
                chips += count * ((target == PURSE[seat]) - (source == PURSE[seat]))
            case ChipCardsMoved(_, target, taken):
                cards.update(taken if target == PURSE[seat] else ())
    sets = sum(10_000 * count * (count + 1) // 2 for count in cards.values())
    return sum(notes) + 10_000 * chips + sets, len(notes) + chips
