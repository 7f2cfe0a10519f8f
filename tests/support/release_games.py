"""Games under any editions, as the log keeps them: begun, carried on and exported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from events.chain import GENESIS, link
from events.commands import Choose, Command, Create, Sit
from events.commit import Commit, decode_raw, encode, logged_form
from events.types import OptionValue
from events.values import SeatPlan
from rules.decide import run_command
from rules.evolve import fold
from rules.legal import choices
from rules.releases import Editions
from rules.state import EMPTY, State
from service.fairness.dice import commitment, dice_for
from tests.support.games import sign

Raws = list[dict[str, Any]]

GAME = "g_" + "release".ljust(22, "0")
SEED = b"7" * 32
MOST_ANSWERS = 5_000
NAMES = ("Anna", "Ben", "Carla", "Denny", "Emily", "Fred")


def play_game(
    editions: Editions,
    edition: str,
    players: int,
    options: Mapping[str, OptionValue] | None = None,
    last_sits_down: bool = False,
    answers: int = MOST_ANSWERS,
    bots: int = 0,
    seed: int | None = None,
) -> list[Commit]:
    """A game of random players up to so many answers; the last of them may take an open seat.

    The first of them may be bots by name. Games of other seeds have other dice.
    """
    secret = SEED if seed is None else seed.to_bytes(32, "big")
    seats = [SeatPlan(name, entropy=f"luck of {name}") for name in NAMES[:players]]
    seats[:bots] = [SeatPlan(bot="random")] * bots
    if last_sits_down:
        seats[-1] = SeatPlan()
    create = Create(GAME, edition, tuple(seats), commitment(secret), dict(options or {}))
    begun = list(_commit([], [create], secret, editions))
    return play_on(begun, secret, editions, answers)


def play_on(
    commits: Sequence[Commit], seed: bytes, editions: Editions, answers: int = MOST_ANSWERS
) -> list[Commit]:
    """The same game with so many answers more, or to its end; whoever is missing sits down first."""
    played, rng = list(commits), Random(1)
    for seat, taken in enumerate(state_of(played).seats):
        if taken.name is None:
            played += _commit(played, [Sit(seat, NAMES[seat], "late luck")], seed, editions)
    state = state_of(played)
    while (ask := state.ask) is not None and answers:
        seat, answers = rng.choice(ask.awaited), answers - 1
        answer = Choose(ask.id, seat, rng.choice(choices(state, seat, editions)))
        (commit,) = _commit(played, [answer], seed, editions, state)
        played.append(commit)
        state = fold(state, commit.events)
    return played


def state_of(commits: Sequence[Commit]) -> State:
    return fold(EMPTY, (event for commit in commits for event in commit.events))


def export(commits: Sequence[Commit]) -> Raws:
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
        by, note = sign(command, reached)
        commit = link(Commit(version, at, by, table.state.release, logged, events, head, bot=note))
        yield commit
        reached, head = table.state, commit.hash
