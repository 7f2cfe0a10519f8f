"""One finished game in numbers, from its log alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct

from events.commands import Choose
from events.commit import Commit
from events.types import DiceRolled
from events.values import PUBLIC
from rules.evolve import fold
from rules.explaining.find_facts import walk_facts
from rules.scoring import CHIP, totals
from rules.state import EMPTY, Seat, State

# Answers that make one step in the table of lengths.
LENGTH_STEP = 25


class Summary(Struct, frozen=True):
    """`who` says of each seat which bot or player it was; nothing of people who are nobody in particular."""

    edition: str
    who: tuple[str, ...]
    winners: tuple[int, ...]
    totals: tuple[int, ...]
    counts: Mapping[str, int]


def is_counted(state: State) -> bool:
    """Whoever takes all exports home finds the same games, but for forks: those begin with luck of others."""
    return state.status == "over" and state.visibility == PUBLIC and state.origin is None


def summarise(commits: Sequence[Commit], state: State) -> Summary:
    """`state` is the game's at its end."""
    winners = state.winners or ()
    table = f"{state.edition}/{len(state.seats)}"
    counts = Counter({f"{table}/{'finished' if winners else 'broken_off'}": 1})
    counts += _count_rolls(commits, state.edition)
    who = tuple(map(_who, state.seats))
    if winners:
        counts += _count_result(table, who, winners, _length(commits))
        counts += _count_tiles(commits, state.edition) if state.tiles_used else Counter()
    return Summary(state.edition, who, winners, totals(state) if winners else (), dict(counts))


def _who(seat: Seat) -> str:
    if seat.bot is not None:
        return f"bot:{seat.bot}"
    return f"player:{seat.player}" if seat.player else ""


def _length(commits: Sequence[Commit]) -> int:
    return sum(isinstance(commit.command, Choose) for commit in commits)


def _count_rolls(commits: Sequence[Commit], edition: str) -> Counter[str]:
    """Every die that was thrown, of whatever kind."""
    faces = Counter[str]()
    for commit in commits:
        for event in commit.events:
            if isinstance(event, DiceRolled):
                big = () if event.big is None else (event.big,)
                thrown = (*event.own, *big, *event.neutral, *event.black)
                faces.update(f"{edition}/face/{face}" for face in thrown)
    return faces


def _count_result(table: str, who: Sequence[str], winners: Sequence[int], length: int) -> Counter[str]:
    counts = Counter({f"{table}/answers": length, f"{table}/length/{length // LENGTH_STEP * LENGTH_STEP}": 1})
    for seat, name in enumerate(who):
        won = seat in winners
        counts[f"{table}/seat/{seat}/won"] += won
        if name.startswith("bot:"):
            counts[f"{table}/{name}/seats"] += 1
            counts[f"{table}/{name}/won"] += won
    return counts


def _count_tiles(commits: Sequence[Commit], edition: str) -> Counter[str]:
    """How often each lay at a casino, how often it paid and what."""
    counts, state = Counter[str](), EMPTY
    for commit in commits:
        for fact in walk_facts(state, commit.command, commit.events):
            worth = fact.gain + CHIP * fact.chips
            if fact.what == "tile_laid":
                counts[f"{edition}/tile/{fact.tile}/laid"] += 1
            if fact.what == "paid" and fact.tile and worth > 0:
                counts[f"{edition}/tile/{fact.tile}/paid"] += 1
                counts[f"{edition}/tile/{fact.tile}/dollars"] += worth
        state = fold(state, commit.events)
    return counts
