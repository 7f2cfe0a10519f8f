"""Copies everything that is not derived from a running service into a folder: `croupier backup`.

A game is read at one version, while others go on. What is not in the log is read in this order: first what
players were told and what was counted, then the games, then the players. So no copy tells or counts a version
that it does not have, and every player of a game is in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from random import sample
from time import monotonic

from msgspec import Struct

from events.chain import Broken, check_chain
from events.commit import ENDINGS, Unreadable, decode_raw
from events.redis_store import StoredGame
from events.store import Unavailable
from service.config import say
from service.container import Backend, open_backend
from service.fairness.verify import verify
from service.games.creators import Creators
from service.games.idempotency import StoredResult, StoredResults
from service.lobby.transfer import LobbyTransfer, StoredMembers
from service.ops.backup_folder import BackupReader, BackupWriter, BadBackup
from service.players.transfer import PlayerTransfer, StoredJournal, StoredPlayer, StoredRequest
from service.progress import Progress, count_things, describe_count
from service.text import escape, print_line
from service.timestamps import stamp

DONE = 0
NOT_DONE = 1
# Everything was copied, but a game of the sample is not verified.
NOT_VERIFIED = 3
# How many games are verified by default.
SAMPLE = 50
# The types of the events that end a game.
_ENDS = frozenset(ending.__struct_config__.tag for ending in ENDINGS)


class StoreRecord(Struct, frozen=True):
    """What a store has once: its secret, the key of creators, and seats that erased players still have."""

    secret: bytes
    creators_key: bytes
    departures: list[str]


# The records of each kind of file.
RECORD_TYPES: dict[str, type[Struct]] = {
    "store": StoreRecord,
    "players": StoredPlayer,
    "requests": StoredRequest,
    "results": StoredResult,
    "journals": StoredJournal,
    "statistics": StoredMembers,
    "games": StoredGame,
}


def main(url: str, folder: str, sample_size: int) -> int:
    """Run `croupier backup` and return the exit status."""
    started = monotonic()
    try:
        with open_backend(url) as backend:
            writer = BackupWriter(Path(folder))
            Backup(backend, writer, Progress()).run()
        return _report(Path(folder), sample_size, started)
    except (BadBackup, Unavailable, OSError) as fault:
        say(f"no backup was made: {escape(str(fault))}")
        return NOT_DONE


class Backup:
    """Writes one backup."""

    def __init__(self, backend: Backend, writer: BackupWriter, progress: Progress) -> None:
        """Copy from this backend."""
        self._backend = backend
        self._writer = writer
        self._progress = progress
        self._players = PlayerTransfer(backend.redis)

    def run(self) -> None:
        """Copy everything and write the manifest. Raises Unavailable and OSError."""
        begun = stamp(self._backend.clock())
        self._writer.write("journals", self._read_journals())
        # Before the games: what is counted here must be over there.
        self._writer.write("statistics", LobbyTransfer(self._backend.redis).read())
        self._writer.write("games", self._read_games())
        self._writer.write("players", self._read_players())
        self._writer.write("requests", self._players.read_requests())
        self._writer.write("results", StoredResults(self._backend.redis).read_all())
        self._writer.write("store", iter((self._read_store(),)))
        self._writer.finish(version("croupier"), begun, stamp(self._backend.clock()), notes=[])

    def _read_store(self) -> StoreRecord:
        return StoreRecord(
            secret=self._backend.store.secret(),
            creators_key=Creators(self._backend.redis).read_key(),
            departures=self._players.read_departures(),
        )

    def _read_journals(self) -> Iterator[StoredJournal]:
        for player in self._follow(self._players.list_players(), "journals"):
            journal = self._players.read_journal(player)
            if journal.events or journal.marks:
                yield journal

    def _read_games(self) -> Iterator[StoredGame]:
        store = self._backend.store
        for game in self._follow(sorted([*store.list_games(), *store.list_archived()]), "games"):
            stored = store.read_whole(game)
            # It may have been removed since they were listed.
            if stored is not None:
                yield stored

    def _read_players(self) -> Iterator[StoredPlayer]:
        for player in self._follow(self._players.list_players(), "players"):
            stored = self._players.read_player(player)
            if stored is not None:
                yield stored

    def _follow(self, names: list[str], noun: str) -> Iterator[str]:
        """Yield the names and show how many are done."""
        for number, name in enumerate(names):
            self._progress.show(f"backup: {describe_count(number, len(names), noun)}")
            yield name
        self._progress.finish(f"backup: {describe_count(len(names), len(names), noun)}")


def _report(folder: Path, sample_size: int, started: float) -> int:
    """Read the backup again, verify some of its games, and print what it holds; return the exit status."""
    reader = BackupReader(folder)
    progress = Progress()
    total = sum(file.bytes for file in reader.manifest.files)
    reader.check(
        RECORD_TYPES, lambda checked: progress.show(f"backup: {describe_count(checked, total, 'bytes read')}")
    )
    counts = reader.manifest.counts
    faults = verify_sample(reader, sample_size, progress)
    print_line(
        f"backup of {count_things(counts['games'], 'game')} and {count_things(counts['players'], 'player')} "
        f"in {escape(str(folder))}: {total:,} bytes, {monotonic() - started:.1f} s"
    )
    print_line(describe_sample(min(sample_size, counts["games"]), faults))
    return NOT_VERIFIED if faults else DONE


def verify_sample(reader: BackupReader, size: int, progress: Progress) -> dict[str, str]:
    """Verify so many games of a backup, drawn at random; return what is wrong, by the game."""
    chosen = choose_sample(reader, size)
    faults = {}
    done = 0
    for place, game in enumerate(reader.read("games", StoredGame)):
        if place in chosen:
            progress.show(f"verifying: {describe_count(done, len(chosen), 'games')}")
            fault = find_fault(game)
            if fault:
                faults[game.game] = fault
            done += 1
    progress.finish(f"verifying: {describe_count(done, len(chosen), 'games')}")
    return faults


def choose_sample(reader: BackupReader, size: int) -> set[int]:
    """Return the places of so many games of a backup, drawn at random."""
    number = reader.manifest.counts["games"]
    return set(sample(range(number), min(size, number)))


def find_fault(stored: StoredGame) -> str:
    """Return what is wrong with a game by the rules if it is over, else by its chain; empty if nothing is."""
    try:
        raws = [decode_raw(entry) for entry in stored.unpack()]
        head = check_chain(raws)
    except (Broken, Unreadable) as fault:
        return str(fault)
    if head != stored.find_hash(stored.version):
        return f"version {stored.version}: it is kept under a hash that is not its own"
    # After its end a game has one commit at most, that of its rematch.
    if not any(event["type"] in _ENDS for raw in raws[-2:] for event in raw["events"]):
        return ""
    verdict = verify(raws)
    return "" if verdict.ok is not False else f"version {verdict.version}: {verdict.fault}"


def describe_sample(size: int, faults: dict[str, str]) -> str:
    """Return what the verification of a sample found."""
    if not faults:
        return f"{count_things(size, 'game')} verified: by the rules what is over, by its hashes what is not"
    lines = [f"NOT VERIFIED: {escape(game)}: {escape(fault)}" for game, fault in faults.items()]
    return "\n".join(lines)
