"""A game in the archive is what it was in Redis; whatever breaks off, it is whole in one of the two."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
import redis
from msgspec.structs import replace

from events.archive import Archive, Damaged, NotArchived, Stub, object_name
from events.chain import GENESIS
from events.commit import Commit, decode
from events.objects import FolderObjects
from events.redis_store import RedisStore
from events.store import Conflict, KeyReused, Repeated, Unavailable, partition
from service.container import Backend, build_backend
from service.games.writer import Caller
from service.history.archiving import Archiver
from service.lobby.rebuild import adopt_archived
from tests.support.finished_games import KINDS, evening_file, finished_log
from tests.support.games import make_games, play_game

VAULT = {"seed": "00" * 32, "token:abc": "0", "creator": "someone"}


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(FolderObjects(tmp_path / "archive"))


@pytest.fixture
def backend(memory: redis.Redis, archive: Archive) -> Backend:
    return build_backend(memory, archive=archive)


@pytest.fixture
def archiver(backend: Backend) -> Archiver:
    assert backend.archiver is not None
    return backend.archiver


def game_keys(memory: redis.Redis, game: str) -> list[bytes | str]:
    return memory.keys(f"croupier:*:{game}")


@pytest.mark.parametrize("kind", KINDS)
def test_everything_is_read_from_the_archive_as_it_was(
    kind: str, backend: Backend, archiver: Archiver, memory: redis.Redis, tmp_path: Path
) -> None:
    header, *lines = evening_file(kind).splitlines()
    game = json.loads(header)["game"]
    backend.store.create_with_history(game, [decode(line) for line in lines], VAULT)
    before = backend.store.read(game), backend.store.read_stored(game), backend.store.head(game)
    exported = backend.files.export(game)
    assert archiver.archive(game)
    assert game_keys(memory, game) == []
    again = build_backend(memory, archive=Archive(FolderObjects(tmp_path / "archive")))
    assert (again.store.read(game), again.store.read_stored(game), again.store.head(game)) == before
    assert again.files.export(game) == exported
    assert again.store.vault(game) == VAULT
    assert again.store.find_present([game, "g_none"]) == {game}
    assert (again.store.list_games(), again.store.list_archived()) == ([], [game])
    stored = (tmp_path / "archive" / object_name(game)).read_bytes()
    assert gzip.decompress(stored) == exported.file == evening_file(kind)


def put(store: RedisStore) -> tuple[str, Sequence[Commit]]:
    game, commits, seed = finished_log()
    store.create_with_history(game, commits, {**VAULT, "seed": seed})
    return game, commits


def test_pages_of_an_archived_log_are_those_of_a_stored_one(backend: Backend, archiver: Archiver) -> None:
    game, _ = put(backend.store)
    asked = [(0, None), (0, 3), (7, 5), (40, None), (10_000, None), (10_000, 1)]
    before = [backend.store.read(game, after, limit) for after, limit in asked]
    archiver.archive(game)
    assert [backend.store.read(game, after, limit) for after, limit in asked] == before


def test_no_game_is_created_or_goes_on_under_the_name_of_an_archived_one(
    backend: Backend, archiver: Archiver, memory: redis.Redis
) -> None:
    game, commits = put(backend.store)
    archiver.archive(game)
    for refused in (commits[0], commits[5], commits[-1]):
        with pytest.raises(Conflict):
            backend.store.append(game, refused)
    with pytest.raises(Conflict):
        backend.store.create_with_history(game, commits, VAULT)
    assert game_keys(memory, game) == []


def test_keys_of_requests_go_with_the_game(backend: Backend, archiver: Archiver) -> None:
    games = make_games(backend.store)
    game = play_game(games, "classic", {}, 2)
    last = backend.store.read(game)[-1]
    known = backend.store.read_beside(game).requests
    key, (version, request) = next((key, told.split(":")) for key, told in known.items())
    archiver.archive(game)
    assert backend.store.find_request(game, key, request) == int(version)
    with pytest.raises(KeyReused):
        backend.store.find_request(game, key, "another")
    with pytest.raises(Repeated):
        backend.store.create_with_history(game, [_keyed(last, key, request)], {})
    backend.store.forget_private(game, ["creator"])
    assert backend.store.find_request(game, key, request) is None
    assert "seed" in backend.store.vault(game)


def _keyed(commit: Commit, key: str, request: str) -> Commit:
    return replace(commit, key=key, request=request)


def test_a_game_that_goes_on_stays(backend: Backend, archiver: Archiver, memory: redis.Redis) -> None:
    """The script compares version, head and what is beside the log."""
    game, commits = put(backend.store)
    beside = backend.store.read_beside(game)
    backend.store.add_to_vault(game, {"token:new": "1"})
    stub = Stub(commits[-1].version, commits[-1].hash)
    assert not backend.store.move_to_archive(game, stub, stub, beside)
    beside = backend.store.read_beside(game)
    for other in (Stub(stub.version - 1, stub.head), Stub(stub.version, GENESIS)):
        assert not backend.store.move_to_archive(game, other, stub, beside)
    assert len(backend.store.read(game)) == len(commits)
    assert archiver.archive(game)
    assert backend.store.vault(game)["token:new"] == "1"


def test_a_rematch_brings_an_archived_game_back(
    backend: Backend, archiver: Archiver, memory: redis.Redis
) -> None:
    games = make_games(backend.store)
    game = play_game(games, "classic", {}, 2)
    exported = backend.files.export(game)
    archiver.archive(game)
    made = games.rematches.rematch(game, Caller(0))
    assert not backend.store.is_archived(game)
    assert games.snapshot(game).state.rematch == made.game
    assert games.rematches.rematch(game, Caller(1)).game == made.game
    assert archiver.archive(game)
    assert game_keys(memory, game) == []
    again = build_backend(memory, archive=archiver._archive)
    assert again.games.snapshot(game).state.rematch == made.game
    assert again.files.export(game) == exported


def test_an_archive_that_goes_on_from_an_older_log_wins(
    backend: Backend, archiver: Archiver, memory: redis.Redis
) -> None:
    game, commits = put(backend.store)
    archiver.archive(game)
    for known in (0, 7, len(commits)):
        memory.flushall()
        if known:
            backend.store.create_with_history(game, commits[:known], VAULT)
        assert archiver.find_missing(partition(game)) == [game]
        assert archiver.adopt(game) is (known < len(commits))
        assert archiver.archive(game)
        assert backend.store.read(game) == list(commits)
        assert archiver.find_missing(partition(game)) == []


def test_another_game_in_the_archive_is_not_touched(
    backend: Backend, archiver: Archiver, archive: Archive, memory: redis.Redis
) -> None:
    game, _ = put(backend.store)
    archiver.archive(game)
    kept = archive.read_export(game)
    memory.flushall()
    other = finished_log(seed=2)[1]
    backend.store.create_with_history(game, other, VAULT)
    with pytest.raises(NotArchived):
        archiver.archive(game)
    assert archive.read_export(game) == kept
    assert backend.store.read(game) == list(other)


def test_what_is_missing_or_spoilt_is_not_there_now(
    backend: Backend, archiver: Archiver, tmp_path: Path, memory: redis.Redis
) -> None:
    game, _ = put(backend.store)
    archiver.archive(game)
    place = tmp_path / "archive" / object_name(game)
    kept = place.read_bytes()
    for spoilt in (b"", kept[:-9], gzip.compress(b"{}\n"), None):
        place.unlink()
        if spoilt is not None:
            place.write_bytes(spoilt)
        store = RedisStore(memory, archive=Archive(FolderObjects(tmp_path / "archive")))
        with pytest.raises(Unavailable) as refusal:
            store.read(game)
        assert refusal.value.cause == "archive"
        assert store.head(game)[0]
        place.write_bytes(kept)


def test_a_damaged_object_holds_up_no_other_game(
    backend: Backend, archiver: Archiver, tmp_path: Path, memory: redis.Redis
) -> None:
    game, commits = put(backend.store)
    archiver.archive(game)
    memory.flushall()
    (tmp_path / "archive" / object_name(game)).write_bytes(b"damaged")
    faults: dict[str, Exception] = {}
    adopt_archived(backend, partition(game), faults.__setitem__)
    assert [*faults] == [game]
    backend.store.create_with_history(game, commits, VAULT)
    with pytest.raises(Damaged):
        archiver.archive(game)
    assert backend.store.read(game) == list(commits)


def test_a_removed_game_is_gone_from_the_archive(
    backend: Backend, archiver: Archiver, archive: Archive
) -> None:
    game, _ = put(backend.store)
    archiver.archive(game)
    backend.store.remove(game)
    assert backend.store.head(game) == (0, GENESIS)
    assert archive.find_log(game) is None
    assert list(archive.list_games(partition(game))) == []
