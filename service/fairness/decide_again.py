"""Every command of a stored game decided again, by the rules of then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from events.chain import Broken, link
from events.commands import Choose, Create
from events.commit import FORMAT, Commit, logged_form
from events.secrecy import Secret
from events.types import Event, GameCreated, GameStarted
from events.upcasting import upcast
from rules.decide import run_command
from rules.rejection import Rejected
from rules.releases import Editions, restrict
from rules.state import EMPTY, State
from rules.table import Table
from service.fairness.authors import check_author
from service.fairness.clocks import NO_LIMIT, check_clock, spend_time
from service.fairness.dice import dice_for

LONGEST_TEXT = 500


def find_rules(commits: Sequence[Commit], created: GameCreated, editions: Editions) -> Editions:
    """The rules that the game was created under, as if nothing had come after. Raises UnknownRules."""
    started = (event for commit in commits for event in commit.events if isinstance(event, GameStarted))
    tiles = next((event.tiles for event in started), ())
    known = editions.find(created.edition, created.rules, created.options, tiles)
    return Editions((restrict(known, created.options, tiles),))


def decide_again(
    raws: Sequence[Any], commits: Sequence[Commit], seeds: Sequence[bytes], editions: Editions
) -> None:
    """With the seed that each was decided with. Raises Broken at the first commit that does not follow."""
    state, asked, clocks = EMPTY, "", NO_LIMIT
    for raw, commit, seed in zip(raws, commits, seeds, strict=True):
        table = _run_again(state, commit, seed, editions)
        _compare(raw, commit, table.events)
        check_author(commit, state)
        check_clock(commit, state, asked, clocks.left)
        clocks = spend_time(clocks, asked, state, commit, table.state)
        same = (table.state.asked, table.state.game) == (state.asked, state.game)
        asked = asked if same else commit.at
        state = table.state


def _run_again(state: State, commit: Commit, seed: bytes, editions: Editions) -> Table:
    command = commit.command
    if isinstance(command, Choose) and isinstance(command.choice, Secret) and command.choice.value is None:
        raise Broken(commit.version, "its answer is covered: the export was made before the end")
    if isinstance(command, Create) != (commit.version == 1):
        raise Broken(commit.version, "a game begins with its creation and is created once")
    try:
        return run_command(state, command, dice_for(seed, state, command), editions)
    except Rejected as refusal:
        raise Broken(commit.version, f"its command is not allowed there: {refusal.detail}") from refusal


def _compare(raw: dict[str, Any], commit: Commit, events: Sequence[Event]) -> None:
    """Byte for byte, as far as the given form is open; the hash covers what is left."""
    given, ours = (
        upcast(raw),
        replace(commit, command=logged_form(commit.command, events), events=tuple(events)),
    )
    _check_same(commit.version, "its command", given["command"], ours.command)
    for number, (one, other) in enumerate(zip(given["events"], events, strict=False), 1):
        _check_same(commit.version, f"event {number}", one, other)
    if len(given["events"]) != len(events):
        raise Broken(commit.version, f"it has {len(given['events'])} events where {len(events)} follow")
    if raw.get("format", 1) == FORMAT and link(ours).hash != raw["hash"]:
        raise Broken(commit.version, "it has members that no commit has")


def _check_same(version: int, what: str, given: Any, ours: Any) -> None:
    expected = msgspec.json.decode(msgspec.json.encode(ours))
    if _cover_like(expected, given) != given:
        raise Broken(version, f"{what} should be {_text(expected)} and is {_text(given)}")


def _cover_like(ours: Any, given: Any) -> Any:
    """Ours with those secrets covered that the given form covers."""
    if isinstance(ours, dict) and isinstance(given, dict):
        if "hidden" in ours and given.keys() == {"hidden"}:
            return {"hidden": ours["hidden"]}
        return {name: _cover_like(item, given.get(name)) for name, item in ours.items()}
    if isinstance(ours, list) and isinstance(given, list) and len(ours) == len(given):
        return [_cover_like(one, other) for one, other in zip(ours, given, strict=True)]
    return ours


def _text(thing: Any) -> str:
    text = msgspec.json.encode(thing).decode()
    return text if len(text) < LONGEST_TEXT else text[:LONGEST_TEXT] + "…"
