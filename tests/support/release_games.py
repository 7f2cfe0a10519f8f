"""Games under any editions, as the log keeps them: begun, carried on and exported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from events.chain import GENESIS, link
from events.codec import decode_raw, encode
from events.commands import Choose, Command, Create, Sit
from events.commit import Commit, logged_form
from events.types import OptionValue
from events.values import SeatPlan
from rules.decide import run_command
from rules.evolve import fold
from rules.legal import choices
from rules.releases import Editions
from rules.state import EMPTY, State
from service.fairness.dice import commitment, dice_for

SEED = b"7" * 32
NAMES = ("Anna", "Ben", "Carla", "Denny", "Emily", "Fred")


def play_game(
    editions: Editions,
    edition: str,
    players: int,
    options: dict[str, OptionValue] | None = None,
    last_sits_down: bool = False,
) -> list[Commit]:
    """A whole game of random players; the last of them may take an open seat, with entropy."""
    seats = [SeatPlan(name, entropy=f"luck of {name}") for name in NAMES[:players]]
    if last_sits_down:
        seats[-1] = SeatPlan()
    create = Create("g_release", edition, tuple(seats), commitment(SEED), options or {})
    sit = Sit(players - 1, NAMES[players - 1], "late luck")
    begun = list(_commit([], [create, *([sit] if last_sits_down else [])], SEED, editions))
    return play_on(begun, SEED, editions)


def play_on(commits: Sequence[Commit], seed: bytes, editions: Editions, rng_seed: int = 1) -> list[Commit]:
    """The same game to its end."""
    played, rng = list(commits), Random(rng_seed)
    state = state_of(played)
    while (ask := state.ask) is not None:
        seat = rng.choice(ask.awaited)
        answer = Choose(ask.id, seat, rng.choice(choices(state, seat, editions)))
        (commit,) = _commit(played, [answer], seed, editions, state)
        played.append(commit)
        state = fold(state, commit.events)
    return played


def state_of(commits: Sequence[Commit]) -> State:
    return fold(EMPTY, (event for commit in commits for event in commit.events))


def export(commits: Sequence[Commit]) -> list[Any]:
    return [decode_raw(encode(commit)) for commit in commits]


def _commit(
    commits: Sequence[Commit],
    commands: Sequence[Command],
    seed: bytes,
    editions: Editions,
    state: State | None = None,
) -> Iterator[Commit]:
    """What the commands add to the log."""
    reached = state_of(commits) if state is None else state
    head = commits[-1].hash if commits else GENESIS
    at = commits[-1].at if commits else "2026-11-15T12:00:00.000Z"
    for version, command in enumerate(commands, len(commits) + 1):
        table = run_command(reached, command, dice_for(seed, reached, command), editions)
        logged, events = logged_form(command, table.events), tuple(table.events)
        commit = link(Commit(version, at, "somebody", table.state.release, logged, events, head))
        yield commit
        reached, head = table.state, commit.hash
