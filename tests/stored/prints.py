"""Whole games that pin what each release does: `python -m tests.stored.prints --add` adds what is missing.

One file a release, `prints/EDITION-RELEASE.ndjson.xz`, one game a line: its name, and of every commit the
command and its events. A game that is there is never written again; new ones are appended behind it.
"""

from __future__ import annotations

import lzma
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from events.commands import Command
from events.types import Event, GameCreated, GameStarted
from rules.decide import run_command
from rules.editions import EDITIONS
from rules.errors import Rejected
from rules.options import complete_options
from rules.releases import Editions, restrict
from rules.ruleset import Options, Ruleset
from rules.state import EMPTY
from service.fairness.dice import SEED_BYTES, dice_for
from tests.support.json_logs import random_log

FOLDER = Path(__file__).parent / "prints"
SEED = 1

Json = dict[str, Any]


class Move(msgspec.Struct, frozen=True):
    """The command of a commit, and its events as they were written."""

    command: Command
    events: tuple[Json, ...]


class Print(msgspec.Struct, frozen=True):
    name: str
    moves: tuple[Move, ...]


def path_of(ruleset: Ruleset, folder: Path = FOLDER) -> Path:
    return folder / f"{ruleset.id}-{ruleset.release}.ndjson.xz"


def read_prints(path: Path) -> list[Print]:
    if not path.exists():
        return []
    return [msgspec.json.decode(line, type=Print) for line in lzma.decompress(path.read_bytes()).splitlines()]


# Replaying


def find_differences(stored: Print, editions: Editions = EDITIONS) -> Iterator[str]:
    """Where the rules do something else now: which commit, which event, and both values."""
    known, state = rules_of(stored, editions), EMPTY
    seed = SEED.to_bytes(SEED_BYTES, "big")
    for version, move in enumerate(stored.moves, 1):
        where = f"{stored.name}, commit {version} ({to_text(move.command)})"
        try:
            table = run_command(state, move.command, dice_for(seed, state, move.command), known)
        except Rejected as refusal:
            yield f"{where}\n  is refused: {refusal.detail}"
            return
        differences = list(compare(move.events, [to_json(event) for event in table.events]))
        yield from (f"{where}, {difference}" for difference in differences)
        if differences:
            return
        state = table.state


def compare(then: tuple[Json, ...], now: list[Json]) -> Iterator[str]:
    for number in range(max(len(then), len(now))):
        one = then[number] if number < len(then) else None
        other = now[number] if number < len(now) else None
        if one != other:
            yield f"event {number + 1}\n  then: {to_text(one)}\n  now:  {to_text(other)}"


def rules_of(stored: Print, editions: Editions) -> Editions:
    """The release that the game was made under, without what was added to it since."""
    events = [
        msgspec.convert(event, Event)
        for move in stored.moves
        for event in move.events
        if event["type"] in ("game_created", "game_started")
    ]
    (created,) = (event for event in events if isinstance(event, GameCreated))
    (started,) = (event for event in events if isinstance(event, GameStarted))
    known = editions.find(created.edition, created.rules, created.options, started.tiles)
    return Editions((restrict(known, created.options, started.tiles),))


def to_json(event: Event) -> Json:
    written: Json = msgspec.json.decode(msgspec.json.encode(event))
    return written


def to_text(thing: Any) -> str:
    return msgspec.json.encode(thing).decode()


# Adding


def variants(ruleset: Ruleset) -> Iterator[tuple[str, Options, int]]:
    """Each option and each tile of a release, for every number of players."""
    for players in range(ruleset.seats[0], ruleset.seats[1] + 1):
        for options in _options(ruleset):
            if _fits(ruleset, players, options):
                yield _name(ruleset.id, options, players), options, players


def _options(ruleset: Ruleset) -> Iterator[Options]:
    yield {}
    flags = [spec for spec in ruleset.options if spec.kind == "flag"]
    for spec in flags:
        yield {spec.name: True} | ({spec.needs: True} if spec.needs else {})
    if len(flags) > 1:
        yield {spec.name: True for spec in flags}
    for spec in ruleset.options:
        if spec.kind == "number":
            yield {spec.name: spec.most}
        if spec.kind == "codes":
            yield from ({spec.name: (code,)} for code in spec.codes)


def _fits(ruleset: Ruleset, players: int, options: Options) -> bool:
    try:
        complete_options(ruleset, players, options)
    except Rejected:
        return False
    return True


def _name(edition: str, options: Options, players: int) -> str:
    values = (value if isinstance(value, tuple) else (option,) for option, value in options.items())
    return "-".join((edition, str(players), *(str(part) for value in values for part in value)))


def find_missing(ruleset: Ruleset, folder: Path = FOLDER) -> list[tuple[str, Options, int]]:
    """What the release has no print of."""
    known = {stored.name for stored in read_prints(path_of(ruleset, folder))}
    return [variant for variant in variants(ruleset) if variant[0] not in known]


def add_missing(ruleset: Ruleset, folder: Path = FOLDER) -> list[str]:
    """Plays and appends the games that the release has no print of; returns their names."""
    missing = find_missing(ruleset, folder)
    lines = [_play(ruleset, *variant) for variant in missing]
    if lines:
        with path_of(ruleset, folder).open("ab") as file:
            file.write(lzma.compress(b"".join(lines), preset=9))
    return [name for name, _, _ in missing]


def _play(ruleset: Ruleset, name: str, options: Options, players: int) -> bytes:
    log = random_log(ruleset.id, options, players, SEED, editions=Editions((ruleset,)))
    moves = [{"command": commit["command"], "events": commit["events"]} for commit in log]
    return msgspec.json.encode({"name": name, "moves": moves}) + b"\n"


def main(arguments: list[str]) -> int:
    if arguments != ["--add"]:
        print(__doc__)
        return 2
    for ruleset in EDITIONS.releases:
        for name in add_missing(ruleset):
            print(f"{ruleset.id} {ruleset.release}: {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
