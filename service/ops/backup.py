"""Copies everything that is not derived from a running service into a folder: `croupier backup`.

A game is read at one version, while others go on. What is not in the log is read in this order: first what
waits for webhooks, then what players were told and what was counted, then the games, then the players. So no
copy tells or counts a version that it does not have, and every player of a game is in it.
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
from events.redis_store import ArchivedGame, StoredGame
from events.store import Unavailable
from service.config import say
from service.container import Backend, open_backend
from service.fairness.verify import verify
from service.games.creators import Creators
from service.games.idempotency import StoredResult, StoredResults
from service.keys.keys import KeyRecord
from service.keys.signing import PublicKey
from service.lobby.transfer import LobbyTransfer, StoredMembers
from service.ops.backup_folder import BackupReader, BackupWriter, BadBackup
from service.players.transfer import PlayerTransfer, StoredJournal, StoredPlayer, StoredRequest
from service.progress import Progress, count_things, describe_count
from service.remote_bots.remote_bots import RemoteBot
from service.text import escape, print_line
from service.timestamps import stamp
from service.webhooks.outbox import Outbox
from service.webhooks.sources import WebhookEvent
from service.webhooks.webhooks import Webhook

DONE = 0
NOT_DONE = 1
# Everything that is there was copied, but a game is not verified, or the archive has lost it.
NOT_VERIFIED = 3
# After so many games in a row that the archive does not give, it counts as away.
MOST_FAILURES = 10
# The types of the events that end a game.
_ENDS = frozenset(ending.__struct_config__.tag for ending in ENDINGS)


class StoredWebhook(Struct, frozen=True):
    """A webhook with its secret, how far the feed was read for it, and what waits to be delivered.

    Backups of former releases have no `waiting`.
    """

    webhook: Webhook
    cursor: str
    waiting: dict[str, list[WebhookEvent]] = {}


class StoreRecord(Struct, frozen=True):
    """What a store has once: its secret, the key of creators, and seats that erased players still have.

    Backups from before there were keys have none. Private signing keys are in a file, and not in a backup.
    """

    secret: bytes
    creators_key: bytes
    departures: list[str]
    api_keys: list[KeyRecord] = []
    signing_keys: list[PublicKey] = []


# The records of each kind of file.
RECORD_TYPES: dict[str, type[Struct]] = {
    "store": StoreRecord,
    "players": StoredPlayer,
    "requests": StoredRequest,
    "results": StoredResult,
    "webhooks": StoredWebhook,
    "bots": RemoteBot,
    "journals": StoredJournal,
    "statistics": StoredMembers,
    "archived": ArchivedGame,
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
        self._games: set[str] = set()
        self._archived: set[str] = set()
        self._missing: dict[str, str] = {}

    def run(self) -> None:
        """Copy everything and write the manifest. Raises Unavailable and OSError."""
        begun = stamp(self._backend.clock())
        # Before the journals: what comes after the cursor of a webhook must be there.
        self._writer.write("webhooks", self._read_webhooks())
        self._writer.write("journals", self._read_journals())
        # Before the games: what is counted here must be over there.
        self._writer.write("statistics", LobbyTransfer(self._backend.redis).read())
        self._list_games()
        self._writer.write("archived", self._read_archived())
        self._writer.write("games", self._read_games())
        self._writer.write("players", self._read_players())
        self._writer.write("bots", iter(self._backend.remote_bots.list_all()))
        self._writer.write("requests", self._players.read_requests())
        self._writer.write("results", StoredResults(self._backend.redis).read_all())
        self._writer.write("store", iter((self._read_store(),)))
        self._writer.finish(
            version("croupier"), begun, stamp(self._backend.clock()), missing=list(self._missing.values())
        )

    def _list_games(self) -> None:
        """List games in Redis and in the archive; between the two a game may move either way."""
        store = self._backend.store
        games = set(store.list_games())
        archived = set(store.list_archived())
        self._games = games | set(store.list_games())
        self._archived = archived - self._games

    def _read_archived(self) -> Iterator[ArchivedGame]:
        """Yield the games of the archive; those that it has lost are recorded."""
        failures = 0
        for game in self._follow(sorted(self._archived), "archived games"):
            try:
                archived = self._backend.store.read_archived_game(game)
            except Unavailable as fault:
                failures += 1
                if fault.cause != "archive" or failures > MOST_FAILURES:
                    raise
                self._missing[game] = f"{game}: {fault}"
                continue
            failures = 0
            if archived is None:
                # A rematch has put it back into Redis.
                self._games.add(game)
            else:
                yield archived

    def _read_store(self) -> StoreRecord:
        return StoreRecord(
            secret=self._backend.store.secret(),
            creators_key=Creators(self._backend.redis).read_key(),
            departures=self._players.read_departures(),
            api_keys=list(self._backend.api_keys.list()),
            signing_keys=list(self._backend.signing_keys.list()),
        )

    def _read_webhooks(self) -> Iterator[StoredWebhook]:
        outbox = Outbox(self._backend.redis)
        for webhook in self._backend.webhooks.list_all():
            backlog = outbox.read_waiting(webhook.id)
            waiting = {game: list(events) for game, events in backlog.games.items()}
            yield StoredWebhook(webhook, backlog.cursor, waiting)

    def _read_journals(self) -> Iterator[StoredJournal]:
        keys = [record.id for record in self._backend.api_keys.list()]
        for reader in self._follow([*self._players.list_players(), *keys], "journals"):
            journal = self._players.read_journal(reader)
            if journal.events or journal.marks:
                yield journal

    def _read_games(self) -> Iterator[StoredGame]:
        for game in self._follow(sorted(self._games), "games"):
            stored = self._backend.store.read_whole(game)
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
        if names:
            self._progress.finish(f"backup: {describe_count(len(names), len(names), noun)}")


def _report(folder: Path, sample_size: int, started: float) -> int:
    """Read the backup again, verify some of its games, and print what it holds; return the exit status."""
    reader = BackupReader(folder)
    progress = Progress()
    total = sum(file.bytes for file in reader.manifest.files)
    reader.check(
        RECORD_TYPES, lambda checked: progress.show(f"backup: {describe_count(checked, total, 'bytes read')}")
    )
    faults = verify_sample(reader, sample_size, progress)
    counts = reader.manifest.counts
    games = count_things(count_games(reader), "game")
    print_line(
        f"backup of {games} and {count_things(counts['players'], 'player')} in {escape(str(folder))}: "
        f"{total:,} bytes, {monotonic() - started:.1f} s"
    )
    if counts["archived"]:
        print_line(f"{count_things(counts['archived'], 'game')} of them from the archive")
    print_line(describe_sample(min(sample_size, count_games(reader)), faults))
    for game in reader.manifest.missing:
        print_line(f"NOT COPIED: {escape(game)}")
    return NOT_VERIFIED if faults or reader.manifest.missing else DONE


def count_games(reader: BackupReader) -> int:
    """Return how many games a backup has."""
    return reader.manifest.counts["games"] + reader.manifest.counts["archived"]


def read_games(reader: BackupReader) -> Iterator[StoredGame | ArchivedGame]:
    """Yield all games of a backup."""
    yield from reader.read("archived", ArchivedGame)
    yield from reader.read("games", StoredGame)


def verify_sample(reader: BackupReader, size: int, progress: Progress) -> dict[str, str]:
    """Verify so many games of a backup, drawn at random; return what is wrong, by the game."""
    chosen = choose_sample(reader, size)
    faults = {}
    done = 0
    for place, game in enumerate(read_games(reader)):
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
    number = count_games(reader)
    return set(sample(range(number), min(size, number)))


def find_fault(stored: StoredGame | ArchivedGame) -> str:
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
