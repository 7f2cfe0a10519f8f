"""Games of random players as logs of plain JSON, and ways to falsify them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any, TypeVar

from events.commit import Commit, encode, logged_form
from events.secrecy import redact
from rules.editions import EDITIONS
from rules.legal import choices
from rules.releases import Editions
from rules.ruleset import Options
from rules.state import State
from tests.playthroughs.plays import Play
from tests.playthroughs.story import play_story

Event = dict[str, Any]
Log = list[dict[str, Any]]
T = TypeVar("T")


def random_log(
    edition: str,
    options: Options,
    players: int,
    seed: int,
    covered: bool = False,
    editions: Editions = EDITIONS,
) -> Log:
    """A game of random players as it is stored, or as a spectator reads it while it is covered."""
    rng = Random(seed)

    def at_random(state: State) -> tuple[int, str]:
        seat = rng.choice(state.ask.awaited if state.ask else ())
        return seat, rng.choice(choices(state, seat, editions))

    play = Play(f"g_{edition}", edition, players, dict(options))
    release = str(editions.newest[edition].release)
    commits = (
        Commit(0, "", "", release, logged_form(move.command, move.events), move.events, "")
        for move in play_story(play, seed, at_random, editions)
    )
    told = (redact(commit, None) if covered else commit for commit in commits)
    return [{**json.loads(encode(commit)), "version": version} for version, commit in enumerate(told, 1)]


def events_in(log: Log, kind: str) -> Iterator[Event]:
    return (event for commit in log for event in commit["events"] if event["type"] == kind)


def change(kind: str, name: str, change: Callable[[Any], Any]) -> Callable[[Log], None]:
    def falsify(log: Log) -> None:
        *_, event = (event for event in events_in(log, kind) if name in event)
        event[name] = change(event[name])

    return falsify


def drop(kind: str) -> Callable[[Log], None]:
    def falsify(log: Log) -> None:
        commit = next(commit for commit in log if any(event["type"] == kind for event in commit["events"]))
        commit["events"] = [event for event in commit["events"] if event["type"] != kind]

    return falsify


def first(things: Iterable[T]) -> T:
    for thing in things:
        return thing
    raise LookupError


def asks(log: Log, prompt: str = "") -> Iterator[Event]:
    """Those of one prompt, or all."""
    agendas = (event["agenda"] for event in events_in(log, "agenda_changed") if event["agenda"])
    return (agenda[-1] for agenda in agendas if prompt in ("", agenda[-1]["prompt"]))
