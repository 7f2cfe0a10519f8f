"""Imports games that were played elsewhere, after verifying them: `Imports.take_in`."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from hmac import digest
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace
from redis import Redis

from events.chain import GENESIS, fits
from events.commit import ENDINGS, Commit, Unreadable, convert_raw, decode
from events.redis import translate_redis_errors
from events.store import Conflict, Store
from events.text import Text, as_text, grouped
from events.values import GameId
from service.fairness.export_file import (
    MOST_COMMITS,
    EncodedCommits,
    UnreadableCommit,
    arrange_options,
    read_export,
)
from service.fairness.signatures import Signature, read_signature
from service.fairness.verify import Verdict
from service.fairness.verify_files import verify_file
from service.games.command_limits import Repetitions
from service.games.heavy_work import CooperativeIterator, Stretch
from service.games.idempotency import name_game
from service.games.snapshots import Snapshot
from service.games.tokens import SEED, SIGNATURE_FIELD
from service.text import find_name_fault, find_text_fault
from service.timestamps import stamp

# The members of a commit that are checked; what the rules decided follows from them.
_TOLD = ("by", "command", "bot")
# How far the clock of another service may be ahead of ours.
AHEAD = timedelta(minutes=5)
# A larger file, or one with more lines, is verified in the background.
SMALL_FILE = 512 * 1024
FEW_COMMITS = 1_000
# The longest line of a game is that of its creation: some 30 KB where all names are escaped.
LONGEST_LINE = 64 * 1024
# The creation of a game for six has 30 objects; names and entropy may hold 2,016 opening braces.
MOST_OBJECTS = 4_096
# In a large file the objects of a game take some 60 bytes each.
LEAST_OBJECT = 8
_GAME = re.compile(r"g_[A-Za-z0-9_-]{22}", re.ASCII)


class BadFile(Exception):
    """Says that a file does not prove a game.

    `commit` is the first commit that is wrong, None if it is the file as a whole.
    """

    def __init__(self, why: str, commit: int | None = None) -> None:
        super().__init__(why)
        self.why = as_text(why)
        self.commit = commit


def is_small(file: bytes) -> bool:
    """Return whether a file is verified while its sender waits."""
    # One line is the header.
    return len(file) <= SMALL_FILE and file.rstrip().count(b"\n") <= FEW_COMMITS


def check_outline(file: bytes, stretch: Stretch) -> None:
    """Check number and length of the lines of a file, and the number of objects, before anything is parsed.

    Raises BadFile. A small file may be one JSON document, on one line or on many.
    """
    if len(file) <= SMALL_FILE:
        return
    if file.count(b"\n") > MOST_COMMITS + 1:
        raise BadFile(Text("The file must have at most {most} lines.", most=grouped(MOST_COMMITS)))
    stretch.pause()
    if file.count(b"{") * LEAST_OBJECT > len(file):
        raise BadFile("The file has more objects than a game of its size.")
    for number, line in enumerate(io.BytesIO(file), 1):
        stretch.pause()
        if len(line) > LONGEST_LINE:
            raise BadFile(
                Text(
                    "Line {number} must have at most {most} bytes.", number=number, most=grouped(LONGEST_LINE)
                )
            )
        if line.count(b"{") > MOST_OBJECTS:
            raise BadFile(
                Text(
                    "Line {number} must have at most {most} objects.",
                    number=number,
                    most=grouped(MOST_OBJECTS),
                )
            )


class CommitJudge:
    """Checks the commits of a file one after the other, before any of them is hashed or decided again.

    It checks what this service would not have accepted: their form, times, texts and repetitions (W14).
    """

    def __init__(self, now: datetime, stretch: Stretch) -> None:
        """Begin before the first commit."""
        self._latest = stamp(now + AHEAD)
        self._repetitions = Repetitions()
        self._stretch = stretch

    def check(self, number: int, written: bytes) -> None:
        """Check the commit of this number. Raises BadFile."""
        self._stretch.pause()
        try:
            commit = decode(written)
        except Unreadable as unreadable:
            raise BadFile(
                Text(
                    "Commit {number} cannot be read: {unreadable}", number=number, unreadable=str(unreadable)
                ),
                number,
            ) from unreadable
        for fault in self.find_faults(commit, number):
            raise BadFile(fault, number)

    def find_faults(self, commit: Commit, number: int) -> Iterator[str]:
        """Yield what is wrong with a commit, and count it."""
        if commit.version != number:
            yield Text(
                "Commit {number} says that it is version {version}.", number=number, version=commit.version
            )
        if fault := self._repetitions.find_fault(commit.command):
            yield fault
        self._repetitions.add(commit.command)
        if commit.at > self._latest:
            yield Text("`at` of commit {number} is in the future: {at}.", number=number, at=commit.at[:40])
        for member in _TOLD:
            for place, text in _walk(member, msgspec.to_builtins(getattr(commit, member))):
                if fault := _find_fault(place, text):
                    yield f"`{place}` {fault}"


def _find_fault(place: str, text: str) -> str:
    """Return what is wrong with a text, or an empty one; names of people have rules of their own.

    An empty name is that of an open seat, or of a player, whose name is in no file.
    """
    is_name = place.startswith("command.") and place.endswith(".name") and text
    return find_name_fault(text) if is_name else find_text_fault(text)


def _walk(place: str, thing: Any) -> Iterator[tuple[str, str]]:
    """Yield every text in a value, with the path to it."""
    if isinstance(thing, str):
        yield place, thing
    elif isinstance(thing, dict):
        for name, item in thing.items():
            yield from _walk(f"{place}.{name}", item)
    elif isinstance(thing, (list, tuple)):
        for number, item in enumerate(thing):
            yield from _walk(f"{place}[{number}]", item)


IMPORT_NOTE = Text(
    "This copy is read-only. It is in no list, statistic, rating or profile; keep its id to find it again."
)


class ImportReply(Struct, frozen=True):
    """`report` is the verification that came first; `new` is false where the very game was here before.

    `id` is that of the file (`report.game`), or one of its own where another game has that id here.
    """

    id: GameId
    version: int
    report: Verdict
    new: bool
    counted: Annotated[
        bool,
        Meta(description="Always `false`: an imported game is in no list, statistic, rating or profile."),
    ] = False
    note: Annotated[str, Meta(description="What the import means, in a sentence for people.")] = str(
        IMPORT_NOTE
    )

    def in_words(self) -> ImportReply:
        """Return the reply with a note that can be put into any language; a stored one is in English."""
        return replace(self, note=IMPORT_NOTE)


MOST_NAMESAKES = 20


class Namesakes:
    """Finds games whose logs name one id: the one that has it, and imports with ids of their own.

    Derived from the log.
    """

    def __init__(self, client: Redis, store: Store) -> None:
        """Use the sets in that client's Redis."""
        self._redis: Any = client
        self._store = store

    def record(self, snapshot: Snapshot) -> None:
        """Record a game that has an id of its own. May be called twice. Raises Unavailable."""
        named = snapshot.state.game
        if snapshot.imported_at and snapshot.game != named:
            at = datetime.fromisoformat(snapshot.imported_at).timestamp()
            with translate_redis_errors(), self._redis.pipeline(transaction=True) as pipe:
                pipe.zadd(_namesakes_key(named), {snapshot.game: at})
                # Files can be doctored in any number of ways; the first ones stay.
                pipe.zremrangebyrank(_namesakes_key(named), MOST_NAMESAKES, -1)
                pipe.execute()

    def find(self, game: str, named: str) -> tuple[str, ...]:
        """Return the other games whose logs name this id, the one that has it first. Raises Unavailable."""
        with translate_redis_errors():
            others = [game.decode() for game in self._redis.zrange(_namesakes_key(named), 0, -1)]
        games = [other for other in (named, *others) if other != game]
        present = self._store.find_present(games) if games else set()
        return tuple(other for other in games if other in present)

    def forget(self, snapshot: Snapshot) -> None:
        """Remove a game from the record. Raises Unavailable."""
        with translate_redis_errors():
            self._redis.zrem(_namesakes_key(snapshot.state.game), snapshot.game)


def _namesakes_key(game: str) -> str:
    """Return the Redis key of the games whose logs name this id."""
    return f"croupier:{{namesakes}}:{game}"


class Imports:
    """Takes in files of games that were played elsewhere."""

    def __init__(self, store: Store, clock: Callable[[], datetime]) -> None:
        """Store games in this store."""
        self._store = store
        self._clock = clock

    def read(self, file: bytes, stretch: Stretch) -> EncodedCommits:
        """Return the commits of a file, undecoded, after checking all that can be checked cheaply.

        Raises BadFile.
        """
        check_outline(file, stretch)
        judge = CommitJudge(self._clock(), stretch)
        try:
            return read_export(io.BytesIO(file), judge.check)
        except UnreadableCommit as fault:
            raise BadFile(fault.args[0], fault.commit) from fault
        except Unreadable as fault:
            raise BadFile(fault.args[0]) from fault

    def take_in(self, file: bytes, stretch: Stretch | None = None) -> ImportReply:
        """Verify a file and store its game; store nothing if any part of it is wrong.

        Decides the whole game again, which takes a while. Raises BadFile and Unavailable.
        """
        stretch = stretch or Stretch()
        export = self.read(file, stretch)
        verdict, commits = _read_verified(CooperativeIterator(export, stretch), export.header)
        signature = read_signature((export.header or {}).get("signature"))
        game, is_new = self._store_game(verdict, commits, signature, stretch)
        return ImportReply(game, len(commits), verdict, is_new)

    def _store_game(
        self, verdict: Verdict, commits: Sequence[Commit], signature: Signature | None, stretch: Stretch
    ) -> tuple[str, bool]:
        """Store a game; return its id, and whether it is new. The signature of its file stays with it.

        It keeps the id of its file, unless another game has that: then it gets an id of its own, the same
        each time the file comes. The secret of the store is in it, so that nobody can take it beforehand.
        """
        first, *others = commits
        marked = [replace(arrange_options(first), imported=stamp(self._clock())), *others]
        secrets = {SEED: _find_seed(commits)}
        if signature:
            secrets[SIGNATURE_FIELD] = signature.stored
        own_id = name_game(
            digest(self._store.secret(), f"import|{verdict.game}|{verdict.head}".encode(), "sha256")
        )
        if self._is_here(own_id, commits):
            return own_id, False
        for game in (verdict.game, own_id):
            try:
                self._store.create_with_history(game, CooperativeIterator(marked, stretch), secrets)
            except Conflict:
                if self._is_here(game, commits):
                    return game, False
            else:
                return game, True
        raise BadFile(Text("Another game already has the id {id}, which this file would get.", id=own_id))

    def _is_here(self, game: str, commits: Sequence[Commit]) -> bool:
        """Return whether the stored game is this one: the hash of the last commit covers all before it."""
        there = self._store.read(game, len(commits) - 1, 1)
        return bool(there) and there[0].hash == commits[-1].hash


def _read_verified(export: Sequence[Any], header: Any) -> tuple[Verdict, Sequence[Commit]]:
    """Return the verdict on a file, and its commits. Raises BadFile if it is not verified."""
    verdict = verify_file(export, header)
    if not verdict.ok:
        raise BadFile(
            verdict.fault
            or Text(
                "The file is incomplete: it ends at version {version}, before the game is over.",
                version=verdict.commits,
            ),
            verdict.version,
        )
    if not _GAME.fullmatch(verdict.game):
        raise BadFile("The id of the game must be g_ and 22 characters.", 1)
    commits = []
    head = GENESIS
    for version, raw in enumerate(export, 1):
        commit = convert_raw(raw)
        if not fits(commit, version, head):
            # The store would write it differently, as it does with one of an older format.
            raise BadFile("The file has a format that this server can verify but not import.", version)
        head = commit.hash
        commits.append(commit)
    return verdict, commits


def _find_seed(commits: Sequence[Commit]) -> str:
    """Return the seed that the end of the game reveals."""
    return next(event.seed for commit in commits for event in commit.events if isinstance(event, ENDINGS))
