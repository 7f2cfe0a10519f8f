"""Writes a backup into a Redis that is empty, or that has the same games: `croupier restore`.

Nothing is written before every file of the backup was checked, and compared with what is there. Each game and
each player is written at once, so that a restore that breaks off leaves none by halves, and can be repeated.
Lists are derived from the log: a reconciler builds them again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import TypeVar

from events.archive import NotArchived
from events.redis_store import ArchivedGame, StoredGame
from events.store import Conflict, Unavailable
from service.config import say
from service.container import Backend, open_backend
from service.games.creators import Creators
from service.games.idempotency import StoredResult, StoredResults
from service.lobby.transfer import LobbyTransfer, StoredMembers
from service.ops.backup import (
    DONE,
    NOT_DONE,
    NOT_VERIFIED,
    RECORD_TYPES,
    StoredWebhook,
    StoreRecord,
    choose_sample,
    count_games,
    describe_sample,
    find_fault,
    read_games,
)
from service.ops.backup_folder import BackupReader, BadBackup
from service.players.transfer import PlayerTransfer, StoredJournal, StoredPlayer, StoredRequest
from service.progress import Progress, describe_count
from service.remote_bots.remote_bots import RemoteBot
from service.text import escape, print_line
from service.webhooks.outbox import Outbox, StoredBacklog

T = TypeVar("T")

# How many games are written at once, and how many are read from the backup before.
AT_ONCE = 8
BATCH = 64
# How often a game is compared again that goes on while it is restored.
MOST_TRIES = 5
# How many games are named that stand in the way.
MOST_NAMED = 5
# What became of a game.
NEW = "new"
EXTENDED = "extended"
THERE = "there already"
AHEAD = "further on here, left as they are"


class NotRestorable(Exception):
    """Says why this backup cannot be written into this store."""


def main(url: str, folder: str, sample_size: int) -> int:
    """Run `croupier restore` and return the exit status."""
    started = monotonic()
    written = False
    try:
        reader = BackupReader(Path(folder))
        progress = Progress()
        total = sum(file.bytes for file in reader.manifest.files)
        reader.check(
            RECORD_TYPES,
            lambda checked: progress.show(f"checking: {describe_count(checked, total, 'bytes')}"),
        )
        progress.finish(f"checking: {describe_count(total, total, 'bytes')}")
        with open_backend(url) as backend:
            restore = Restore(backend, reader, progress)
            restore.check_store()
            written = True
            restore.run()
            faults = restore.verify_sample(sample_size)
    except (BadBackup, NotRestorable, Unavailable, OSError) as fault:
        state = "the restore broke off, repeat it" if written else "nothing was restored"
        say(f"{state}: {escape(str(fault))}")
        return NOT_DONE
    for line in restore.describe():
        print_line(line)
    print_line(describe_sample(min(sample_size, count_games(reader)), faults))
    for game in reader.manifest.missing:
        print_line(f"NOT IN THE BACKUP: {escape(game)}")
    print_line(f"restored {escape(folder)}, taken {reader.manifest.begun}, in {monotonic() - started:.1f} s")
    print_line("restart the service if it runs; it builds its lists from the log")
    return NOT_VERIFIED if faults else DONE


class Restore:
    """Writes one backup into one store. Every method raises Unavailable."""

    def __init__(self, backend: Backend, reader: BackupReader, progress: Progress) -> None:
        """Write into this backend what that reader reads; it has been checked."""
        self._backend = backend
        self._reader = reader
        self._progress = progress
        self._players = PlayerTransfer(backend.redis)
        self._games: Counter[str] = Counter()
        self._restored_players: Counter[str] = Counter()
        (self._record,) = reader.read("store", StoreRecord)
        assert backend.archiver is not None
        self._archiver = backend.archiver

    def check_store(self) -> None:
        """Compare the backup with what is there, and write nothing. Raises NotRestorable."""
        if self._is_empty():
            return
        if self._backend.store.secret() != self._record.secret:
            raise NotRestorable(
                "the store has games or players of another service; restore into an empty one"
            )
        others = [
            stored.game
            for stored in self._follow_games("comparing")
            if self._compare(stored, *self._backend.store.head(stored.game)) is None
        ]
        if others:
            named = ", ".join(others[:MOST_NAMED])
            raise NotRestorable(
                f"{len(others)} games have another log here than in the backup, such as {named}; restore "
                "into an empty store, or remove them with `croupier games remove`"
            )

    def _is_empty(self) -> bool:
        """Return whether the store has neither games, in Redis or the archive, nor players."""
        store = self._backend.store
        return not store.list_games() and not store.list_archived() and not self._players.list_players()

    def _compare(self, stored: StoredGame | ArchivedGame, there: int, head: str) -> str | None:
        """Return how a game compares with the log that is there; None if that is another one."""
        if there == 0:
            return NEW
        if stored.find_hash(there) == head:
            return THERE if stored.version == there else EXTENDED
        if there <= stored.version:
            return None
        same = self._backend.store.read_stored_hash(stored.game, stored.version)
        return AHEAD if same == stored.find_hash(stored.version) else None

    def run(self) -> None:
        """Write everything. Raises NotRestorable if a game has gone another way meanwhile."""
        # Before the first game: if this breaks off, a reconciler reads what was written.
        self._backend.lobby.mark_incomplete()
        # The secret comes first: it tells a repeated restore that this is the same store.
        self._backend.store.replace_secret(self._record.secret)
        Creators(self._backend.redis).replace_key(self._record.creators_key)
        self._restore_keys()
        # Players come before games: a seat whose player does not exist is given up.
        for player in self._follow("players", StoredPlayer):
            is_new = self._players.restore_player(player)
            self._restored_players[NEW if is_new else THERE] += 1
        for bot in self._reader.read("bots", RemoteBot):
            self._backend.remote_bots.register(bot, limited=False)
        for journal in self._follow("journals", StoredJournal):
            self._players.restore_journal(journal)
        self._players.restore_departures(self._record.departures)
        for request in self._reader.read("requests", StoredRequest):
            self._players.restore_request(request)
        results = StoredResults(self._backend.redis)
        for result in self._reader.read("results", StoredResult):
            results.restore(result)
        outbox = Outbox(self._backend.redis)
        for stored in self._reader.read("webhooks", StoredWebhook):
            backlog = StoredBacklog(stored.cursor, stored.waiting)
            outbox.restore(stored.webhook, backlog, self._backend.clock.timestamp())
        # Counts and ratings, too: a game that is not among them is counted again.
        LobbyTransfer(self._backend.redis).restore(self._reader.read("statistics", StoredMembers))
        self._restore_games()
        # Once more, now that all are there: the index may have been completed meanwhile.
        self._backend.lobby.mark_incomplete()

    def _restore_keys(self) -> None:
        """Write the API keys and public signing keys that are not there."""
        api_keys = self._backend.api_keys
        there = {key.id for key in api_keys.list()}
        for record in self._record.api_keys:
            if record.id not in there:
                api_keys.store(record)
        signing_keys = self._backend.signing_keys
        published = signing_keys.read_all()
        for key in self._record.signing_keys:
            if key.id not in published:
                signing_keys.store(key)

    def _restore_games(self) -> None:
        """Write all games, several at once: each waits until the disk has it."""
        games = self._follow_games("restoring")
        with ThreadPoolExecutor(AT_ONCE) as pool:
            while batch := list(islice(games, BATCH)):
                self._games.update(pool.map(self._restore_game, batch))

    def _restore_game(self, stored: StoredGame | ArchivedGame) -> str:
        """Write a game, or what is missing of it, and return what became of it."""
        for _ in range(MOST_TRIES):
            there, head = self._backend.store.head(stored.game)
            outcome = self._compare(stored, there, head)
            if outcome is None:
                raise NotRestorable(f"{stored.game} has another log here than in the backup")
            if outcome in (THERE, AHEAD) or self._write_game(stored, there, head):
                return outcome
        raise Unavailable(f"{stored.game} changes faster than it can be restored")

    def _write_game(self, stored: StoredGame | ArchivedGame, there: int, head: str) -> bool:
        """Write a game where that log is; return False if another one is there meanwhile."""
        try:
            if isinstance(stored, StoredGame):
                self._backend.store.restore(stored, there, head)
                return True
            return self._archiver.take_over(stored)
        except Conflict:
            return False
        except NotArchived as fault:
            raise NotRestorable(str(fault)) from fault

    def verify_sample(self, size: int) -> dict[str, str]:
        """Verify some games as they are stored now; return what is wrong, by the game."""
        chosen = choose_sample(self._reader, size)
        faults = {}
        done = 0
        for place, stored in enumerate(read_games(self._reader)):
            if place not in chosen:
                continue
            self._progress.show(f"verifying: {describe_count(done, len(chosen), 'games')}")
            there = self._backend.store.read_whole(stored.game)
            fault = find_fault(there) if there else "it is not there"
            if fault:
                faults[stored.game] = fault
            done += 1
        self._progress.finish(f"verifying: {describe_count(done, done, 'games')}")
        return faults

    def describe(self) -> Iterator[str]:
        """Yield lines that say what was done."""
        for noun, outcomes in (("players", self._restored_players), ("games", self._games)):
            told = ", ".join(f"{number:,} {outcome}" for outcome, number in outcomes.items())
            yield f"{noun}: {told or 'none'}"

    def _follow_games(self, doing: str) -> Iterator[StoredGame | ArchivedGame]:
        yield from self._follow("archived", ArchivedGame, doing)
        yield from self._follow("games", StoredGame, doing)

    def _follow(self, kind: str, record_type: type[T], doing: str = "restoring") -> Iterator[T]:
        """Yield the records of a kind and show how many are done."""
        total = self._reader.manifest.counts[kind]
        for number, record in enumerate(self._reader.read(kind, record_type)):
            self._progress.show(f"{doing}: {describe_count(number, total, kind)}")
            yield record
        if total:
            self._progress.finish(f"{doing}: {describe_count(total, total, kind)}")
