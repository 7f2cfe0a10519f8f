"""Checks a finished game with nothing but its commits: chain, commitment, every event decided again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from events.chain import Broken, check_chain, link
from events.codec import Unreadable, convert_raw
from events.commands import Choose, Create
from events.commit import FORMAT, Commit, logged_form
from events.secrecy import Secret
from events.types import Event, GameEnded
from events.upcasting import upcast
from rules.decide import run_command
from rules.editions import EDITIONS
from rules.rejection import Rejected
from rules.releases import Editions, UnknownRelease
from rules.state import EMPTY, State
from rules.table import Table
from service.fairness.dice import SEED_BYTES, commitment, dice_for
from service.fairness.exported import read_export
from service.timestamps import is_stamp

LONGEST_TEXT = 500


class Verdict(Struct, frozen=True):
    """`version` names the commit at fault, where it is a single one's."""

    ok: bool
    commits: int
    events: int = 0
    game: str = ""
    head: str = ""
    version: int | None = None
    fault: str | None = None


def verify(raws: Sequence[Any], editions: Editions = EDITIONS) -> Verdict:
    """The commits as exported or as stored, from the first to the last."""
    try:
        head = check_chain(raws)
        commits = [_read(version, raw) for version, raw in enumerate(raws, 1)]
        _check_times(commits)
        state = _decide_again(raws, commits, _seed(commits), _find_release(commits, editions))
    except Broken as broken:
        return Verdict(False, len(raws), version=broken.version or None, fault=broken.why)
    except RecursionError:
        return Verdict(False, len(raws), fault="it is nested too deeply to be a game")
    return Verdict(True, len(raws), sum(len(commit.events) for commit in commits), state.game, head)


def _read(version: int, raw: dict[str, Any]) -> Commit:
    if raw.get("format", 1) not in range(FORMAT + 1):
        raise Broken(version, "it is written in a format that this program does not know")
    try:
        commit = convert_raw(raw)
    except Unreadable as fault:
        raise Broken(version, f"it is no commit: {fault}") from fault
    return commit


def _check_times(commits: Sequence[Commit]) -> None:
    before = ""
    for commit in commits:
        if not is_stamp(commit.at):
            raise Broken(commit.version, "its time is none that the service writes")
        if commit.at < before:
            raise Broken(commit.version, f"it was made at {commit.at}, before the commit that it follows")
        before = commit.at


def _seed(commits: Sequence[Commit]) -> bytes:
    """Revealed by the last event, and what the first one had promised."""
    ends = [event for commit in commits[-1:] for event in commit.events if isinstance(event, GameEnded)]
    if not ends:
        raise Broken(0, "the game is not over or its end is missing: nothing can be decided again before")
    first = commits[0].command
    if not isinstance(first, Create):
        raise Broken(1, "a game begins with its creation")
    seed = _bytes(ends[0].seed)
    if len(seed) != SEED_BYTES or commitment(seed) != first.commitment:
        raise Broken(len(commits), "the revealed seed is not the one that was committed to")
    return seed


def _bytes(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""


def _find_release(commits: Sequence[Commit], editions: Editions) -> Editions:
    """The rules that the game was created under, as if there were no newer ones."""
    created, release = commits[0].command, commits[0].rules
    for commit in commits:
        if commit.rules != release:
            raise Broken(commit.version, f"it names release {commit.rules} in a game of release {release}")
    edition = created.edition if isinstance(created, Create) else ""
    try:
        return Editions((editions.find(edition, release),))
    except UnknownRelease as unknown:
        raise Broken(1, f"it was decided by {unknown}, which this program does not know") from unknown


def _decide_again(raws: Sequence[Any], commits: Sequence[Commit], seed: bytes, editions: Editions) -> State:
    state = EMPTY
    for raw, commit in zip(raws, commits, strict=True):
        table = _table(state, commit, seed, editions)
        _compare(raw, commit, table.events)
        state = table.state
    return state


def _table(state: State, commit: Commit, seed: bytes, editions: Editions) -> Table:
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
    _same(commit.version, "its command", given["command"], ours.command)
    for number, (one, other) in enumerate(zip(given["events"], events, strict=False), 1):
        _same(commit.version, f"event {number}", one, other)
    if len(given["events"]) != len(events):
        raise Broken(commit.version, f"it has {len(given['events'])} events where {len(events)} follow")
    if raw.get("format", 1) == FORMAT and link(ours).hash != raw["hash"]:
        raise Broken(commit.version, "it has members that no commit has")


def _same(version: int, what: str, given: Any, ours: Any) -> None:
    expected = msgspec.json.decode(msgspec.json.encode(ours))
    if _covered_like(expected, given) != given:
        raise Broken(version, f"{what} should be {_text(expected)} and is {_text(given)}")


def _covered_like(ours: Any, given: Any) -> Any:
    """Ours with those secrets covered that the given form covers."""
    if isinstance(ours, dict) and isinstance(given, dict):
        if "hidden" in ours and given.keys() == {"hidden"}:
            return {"hidden": ours["hidden"]}
        return {name: _covered_like(item, given.get(name)) for name, item in ours.items()}
    if isinstance(ours, list) and isinstance(given, list) and len(ours) == len(given):
        return [_covered_like(one, other) for one, other in zip(ours, given, strict=True)]
    return ours


def _text(thing: Any) -> str:
    text = msgspec.json.encode(thing).decode()
    return text if len(text) < LONGEST_TEXT else text[:LONGEST_TEXT] + "…"


def main(path: str) -> int:
    """`croupier verify FILE`."""
    try:
        verdict = verify(read_export(Path(path).read_bytes()))
    except (OSError, Unreadable) as fault:
        print(f"{path}: cannot be read: {fault}")
        return 1
    print(f"{path}: {in_words(verdict)}")
    return 0 if verdict.ok else 1


def in_words(verdict: Verdict) -> str:
    if verdict.ok:
        return (
            f"verified. Game {verdict.game}: {verdict.commits} commits and {verdict.events} events, each "
            f"decided again from the seed that was committed to. Head {verdict.head}"
        )
    where = "" if verdict.version is None else f" at version {verdict.version}"
    return f"NOT verified{where}: {verdict.fault}"
