"""Moves games that are over from Redis to the archive: `Archiver`.

A game is written, read back and compared before one script drops it and leaves a stub, so that a crash at any
step leaves it whole in one place or the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Raw
from msgspec.structs import replace

from events.archive import FOLDERS, Archive, NotArchived, PrivatePart, Stub
from events.chain import GENESIS
from events.commit import Commit, decode, encode, without_request
from events.redis_store import ArchivedGame, Beside, RedisStore
from service import logs
from service.fairness.export_file import cut_at_end, write_file
from service.feeds.journals import KeyFeed, PublicFeed
from service.games.cache import Snapshots
from service.games.snapshots import Snapshot
from service.history.export import find_signature
from service.lobby.archived_games import SealedGame, decode_sealed
from service.lobby.lobby import Lobby
from service.lobby.rows import write_line
from service.players.feed import PlayerFeed
from service.stats.counts import Stats

log = logs.logger()


class Archiver:
    """Moves games to the archive, with what was derived from them."""

    def __init__(
        self,
        store: RedisStore,
        snapshots: Snapshots,
        archive: Archive,
        lobby: Lobby,
        stats: Stats,
        feed: PlayerFeed,
        key_feed: KeyFeed,
        public_feed: PublicFeed,
    ) -> None:
        """Move games from this store to that archive."""
        self._store = store
        self._snapshots = snapshots
        self._archive = archive
        self._lobby = lobby
        self._stats = stats
        self._feed = feed
        self._key_feed = key_feed
        self._public_feed = public_feed

    def is_ready(self, snapshot: Snapshot) -> bool:
        """Return whether all that is derived from a game is there: it is listed, counted and rated.

        Raises Unavailable.
        """
        listed = self._lobby.is_listed(snapshot.game, snapshot.version)
        return listed and self._stats.is_settled(snapshot.game)

    def archive(self, game: str) -> bool:
        """Move a game to the archive; return False if it has changed meanwhile.

        A game that is there already stays so. Raises UnknownGame, BrokenLog, NotArchived and Unavailable.
        """
        is_moved = self._store.is_archived(game) or self.adopt(game) or self._move(game)
        if is_moved:
            self.seal(game)
        return is_moved

    def _move(self, game: str) -> bool:
        """Write a game, compare what was written, and drop it from Redis."""
        self._snapshots.check_whole(game)
        snapshot = self._snapshots.load(game)
        beside = self._store.read_beside(game)
        commits = [without_request(commit) for commit in self._store.read(game)]
        if not commits or commits[-1].hash != snapshot.head:
            return False
        former = self._archive.find_derived(game)
        derived = self._describe(snapshot, decode_sealed(former) if former else None)
        private = _make_private_part(commits, beside, derived)
        signature = find_signature(beside.vault)
        self._archive.write(game, write_file(commits, signature=signature), private)
        written = [decode(commit) for commit in self._archive.find_log(game) or ()]
        if written != commits:
            raise NotArchived(f"{game} cannot be read from the archive as it was")
        stub = Stub(commits[-1].version, commits[-1].hash)
        return self._store.move_to_archive(game, stub, stub, beside)

    def _describe(self, snapshot: Snapshot, former: SealedGame | None) -> SealedGame:
        """Return what was derived from a game.

        Of a game that was archived before and has come back, counts and places are those of that time.
        """
        line = write_line(snapshot)
        if former is not None and former.line != line:
            # It is listed as a game that is not archived until it is sealed again.
            self._stats.unlist(former)
        if former is not None:
            return replace(former, line=line)
        return SealedGame(line, self._stats.read_counts_of(line.id), self._lobby.find_places(line))

    def seal(self, game: str) -> None:
        """List an archived game as one, and remove its rows from the lists of others. May be called twice.

        A game that comes back meanwhile is announced, so that it is listed as the others are. Raises
        Unavailable.
        """
        sealed = self.find_sealed(game)
        if sealed is None:
            return
        self._stats.seal(sealed)
        self._feed.seal(sealed.line)
        self._key_feed.seal(game, [seat.player for seat in sealed.line.seats if seat.player])
        self._public_feed.seal(game)
        self._lobby.remove_archived(game, sealed.exports)
        if not self._store.is_archived(game):
            self._store.announce(game)

    def find_sealed(self, game: str) -> SealedGame | None:
        """Return what was derived from an archived game; None of another one. Raises Unavailable."""
        derived = self._store.read_derived([game]).get(game)
        return decode_sealed(derived) if derived else None

    def adopt(self, game: str) -> bool:
        """Let the archive win where its log goes on from the older one in Redis; return whether it did.

        Raises Unavailable.
        """
        commits = [decode(commit) for commit in self._archive.find_log(game) or ()]
        version, head = self._store.head(game)
        if len(commits) <= version:
            return False
        before = commits[version - 1].hash if version else GENESIS
        if before != head:
            log.error(
                "archive_differs",
                game=game,
                meaning="the archive has another log under the name of this game; the one in Redis is served",
            )
            return False
        archived = Stub(commits[-1].version, commits[-1].hash)
        if version:
            beside = self._store.read_beside(game)
            return self._store.move_to_archive(game, Stub(version, head), archived, beside)
        self._store.add_stub(game, archived)
        return True

    def take_over(self, archived: ArchivedGame) -> bool:
        """Store a game of another archive; return False if Redis has another log meanwhile.

        Raises NotArchived and Unavailable.
        """
        self._archive.write(archived.game, archived.export.encode(), archived.private)
        if not self.adopt(archived.game):
            return False
        self.seal(archived.game)
        return True

    def find_missing(self, number: int) -> Sequence[str]:
        """Return the games of a folder of the archive of which Redis has no stub. Raises Unavailable."""
        # Both are remainders of one number, and every number of partitions is a multiple of that of folders.
        partitions = range(number, self._store.partitions, FOLDERS)
        known = {game for partition in partitions for game in self._store.list_stubs(partition)}
        return [game for game in self._archive.list_games(number) if game not in known]


def _make_private_part(commits: Sequence[Commit], beside: Beside, derived: SealedGame) -> PrivatePart:
    """Return what the export of these commits does not hold."""
    tail = commits[len(cut_at_end(commits)) :]
    return PrivatePart(
        vault=dict(beside.vault),
        requests=dict(beside.requests),
        imported=commits[0].imported,
        tail=tuple(Raw(encode(commit)) for commit in tail),
        derived=derived.encode(),
    )
