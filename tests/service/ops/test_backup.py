"""What `croupier backup` copies, what `croupier restore` writes, and what both refuse."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from hashlib import sha256
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any

import pytest
from msgspec import json as msgspec_json
from redis import Redis

from events.redis import connect
from events.redis_store import RedisStore, StoredGame
from service import cli
from service.container import build_backend, open_backend
from service.fairness.export_file import write_file
from service.games.creators import Creators
from service.games.writer import Caller
from service.lobby.rebuild import rebuild_lobby
from service.ops.backup import find_fault
from service.ops.backup_folder import MANIFEST, BackupReader, BackupWriter, BadBackup
from service.ops.redis_server import RedisServer
from service.players.transfer import PlayerTransfer
from service.remote_bots.remote_bots import RemoteBots
from tests.stored.test_stored_data import unpack_data
from tests.support.api_client import ApiClient, Game, PlayerClient, long_key, project
from tests.support.app import open_app_on
from tests.support.cluster import run_cluster
from tests.support.games import answer_at_random, make_served_games, play_answers, start_game
from tests.support.parallel_players import EDITIONS
from tests.support.profiles import examples
from tests.support.restores import alter_commit, alter_log
from tests.support.service_process import CROUPIER
from tests.support.stores import LAYOUT
from tests.support.waiting import wait_until

REPLAYED = "Idempotent-Replayed"


class Croupier:
    """Runs commands on a server, each with an archive of its own, and keeps what they print."""

    def __init__(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path
    ) -> None:
        self._capsys = capsys
        self._environment = monkeypatch
        self._folder = folder
        self.told = ""

    def use(self, url: str) -> None:
        """Set the environment of this process for a server."""
        self._environment.setenv("REDIS_URL", url)
        self._environment.setenv(
            "DATA_DIR", str(self._folder / f"data-{sha256(url.encode()).hexdigest()[:8]}")
        )

    def run(self, url: str, *arguments: str) -> int:
        self.use(url)
        status = cli.main(arguments)
        printed = self._capsys.readouterr()
        self.told = printed.out + printed.err
        return status


@pytest.fixture
def croupier(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Croupier:
    return Croupier(capsys, monkeypatch, tmp_path)


@pytest.fixture
def source(redis_server: RedisServer, real_redis: Redis) -> str:
    """The address of a server whose games are backed up."""
    return redis_server.url


@pytest.fixture
def target(spare_redis: RedisServer) -> str:
    """The address of an empty server."""
    return spare_redis.url


def read_games(url: str) -> dict[str, StoredGame]:
    """Every game as it is stored."""
    with connect(url) as client:
        store = RedisStore(client)
        found = {game: store.read_whole(game) for game in store.list_games()}
    return {game: stored for game, stored in found.items() if stored is not None}


def read_kept(url: str) -> dict[str, Any]:
    """Everything that is not derived, by its key, and what players were told."""
    kept: dict[str, Any] = {}
    patterns = (
        "croupier:{[0-9]*}:game:*",
        "croupier:{[0-9]*}:vault:*",
        "croupier:{[0-9]*}:requests:*",
        "croupier:{players}:player:*",
        "croupier:{players}:token:*",
        "croupier:{players}:request:*",
        "croupier:{players}:renames:*",
        "croupier:{players}:events:*",
        "croupier:{players}:marks:*",
        "croupier:{players}:departures",
        "croupier:{lobby}:stats:*",
        "croupier:{lobby}:exports:*",
        "croupier:{secret}:ids",
        "croupier:{lanes}:key",
        "croupier:request:*",
    )
    with Redis.from_url(url) as client:
        for pattern in patterns:
            for key in client.keys(pattern):
                kept[key.decode()] = (_read_value(client, key), client.ttl(key) > 0)
    return kept


def _read_value(client: Redis, key: bytes) -> Any:
    match client.type(key):
        case b"stream":
            return client.xrange(key)
        case b"hash" if b":marks:" in key:
            # Each store has epochs of its own.
            marks: Any = client.hgetall(key)
            return {game: mark.split(b":")[:2] for game, mark in marks.items()}
        case b"hash":
            return client.hgetall(key)
        case b"set":
            return client.smembers(key)
        case b"zset":
            return client.zrange(key, 0, -1, withscores=True)
        case _:
            return client.get(key)


def read_all(api: ApiClient, tables: list[tuple[str, str]]) -> list[bytes]:
    replies = [
        api.get(address + path, seat, Accept=form)
        for address, token in tables
        for seat in (None, token)
        for path, form in (("", "*/*"), ("/events", "application/x-ndjson"), ("/export", "*/*"))
    ]
    return [reply.data for reply in replies]


@pytest.mark.long
def test_a_restored_service_goes_on_as_the_old_one(
    source: str, target: str, croupier: Croupier, tmp_path: Path
) -> None:
    folder = tmp_path / "backup"
    tables = []
    with open_app_on(source) as app, connect(source) as client:
        api = ApiClient(app.test_client())
        anna = PlayerClient(api, "Anna")
        renamed = {"name": "Anne"}, anna.token
        assert api.send("PATCH", "/v1/me", *renamed, Idempotency_Key=long_key("renamed")).status_code == 200
        for edition in EDITIONS:
            over = api.create_for(3, edition=edition, Idempotency_Key=long_key(edition))
            over.play()
            waiting = anna.set_up({"name": "Ben"}, {"open": True}, {"open": True}, edition=edition)
            api.post(f"{waiting.address}/seats", {"name": "Eve"}, Idempotency_Key=long_key("Eve"))
            tables += [(over.address, over.tokens[0]), (waiting.address, waiting.tokens[1])]
        going_on = anna.set_up({"name": "Ben"})
        answered = play_one(going_on)
        tables.append((going_on.address, anna.token))
        project(client)
        count_finished(client)
        before = read_all(api, tables)
        counted = api.get("/v1/stats").get_json()
        told = anna.get("/v1/me/events?after=0")
        mine = anna.get("/v1/me/games")
        kept = read_kept(source)
    assert croupier.run(source, "backup", str(folder)) == 0, croupier.told
    assert f"{len(tables)} games and 1 player in" in croupier.told
    assert croupier.run(target, "restore", str(folder)) == 0, croupier.told
    assert f"games: {len(tables)} new" in croupier.told
    assert read_kept(target) == kept
    with open_app_on(target) as app, connect(target) as client:
        rebuild_lobby(build_backend(client))
        count_finished(client)
        api = ApiClient(app.test_client())
        assert api.get("/v1/stats").get_json() == counted
        assert any(":stats:" in key for key in kept)
        assert read_all(api, tables) == before
        restored = PlayerClient.__new__(PlayerClient)
        restored.api, restored.token = api, anna.token
        assert restored.get("/v1/me")["name"] == "Anne"
        assert restored.get("/v1/me/events?after=0") == told
        assert restored.get("/v1/me/games") == mine
        assert len(api.get("/v1/games").get_json()["games"]) == len(tables)
        for edition in EDITIONS:
            seats = [{"name": name} for name in ("Anna", "Ben", "Carla")]
            plan = {"edition": edition, "options": {}, "seats": seats}
            repeat = api.post("/v1/games", plan, Idempotency_Key=long_key(edition))
            assert (repeat.status_code, REPLAYED in repeat.headers) == (201, True)
        address, body, token, key = answered
        repeat = api.post(address, body, token, Idempotency_Key=key)
        assert (repeat.status_code, REPLAYED in repeat.headers) == (200, True)
        again = api.send("PATCH", "/v1/me", *renamed, Idempotency_Key=long_key("renamed"))
        assert (again.status_code, REPLAYED in again.headers) == (200, True)
        going_on.api = api
        play_one(going_on)


def count_finished(client: Redis) -> None:
    stats = build_backend(client).stats
    while game := stats.find_waiting():
        stats.count(game)


def play_one(game: Game) -> tuple[str, dict[str, Any], str, str]:
    """Answer once; the request."""
    seat, ask = game.ask()
    body = {"ask": ask["ask"], "choice": ask["options"][0]["choice"]}
    key = long_key(game.version())
    reply = game.api.post(f"{game.address}/choices", body, game.tokens[seat], Idempotency_Key=key)
    assert reply.status_code == 200, reply.data
    return f"{game.address}/choices", body, game.tokens[seat], key


def test_a_backup_can_be_read_by_its_owner_alone(source: str, croupier: Croupier, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "backup"
    fill(source, 2)
    assert croupier.run(source, "backup", str(folder)) == 0
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def fill(url: str, number: int, answers: int = 5) -> list[str]:
    """So many games that have begun."""
    with connect(url) as client:
        games = make_served_games(client)
        made = []
        for _ in range(number):
            game = start_game(games)
            made.append(game)
            for _ in play_answers(games, game, answers):
                pass
    return made


def test_a_backup_is_whole_while_people_play(
    source: str, target: str, croupier: Croupier, tmp_path: Path
) -> None:
    names = fill(source, 30)
    stopped = Event()

    def play() -> None:
        with connect(source) as client:
            games = make_served_games(client, process=1)
            random = Random(1)
            while not stopped.is_set():
                game = random.choice(names)
                if games.snapshot(game).state.status == "over":
                    game = start_game(games)
                    names.append(game)
                answer_at_random(games, game, random)

    player = Thread(target=play)
    player.start()
    try:
        assert croupier.run(source, "backup", str(tmp_path / "backup")) == 0, croupier.told
    finally:
        stopped.set()
        player.join()
    assert croupier.run(target, "restore", str(tmp_path / "backup")) == 0, croupier.told
    now = read_games(source)
    for game, stored in read_games(target).items():
        assert find_fault(stored) == ""
        assert list(stored.entries) == list(now[game].entries)[: len(stored.entries)]
        versions = {int(value.partition(":")[0]) for value in stored.requests.values()}
        assert versions == {entry.version for entry in stored.entries}


def test_stored_data_of_an_earlier_release_travels(target: str, croupier: Croupier, tmp_path: Path) -> None:
    with RedisServer(unpack_data(tmp_path / "earlier"), None) as earlier:
        kept = read_kept(earlier.url)
        assert croupier.run(earlier.url, "backup", str(tmp_path / "backup")) == 0, croupier.told
        kept = read_kept(earlier.url)
    assert croupier.run(target, "restore", str(tmp_path / "backup")) == 0, croupier.told
    assert len(kept) > 20
    assert read_kept(target) == kept


def test_a_long_log_is_copied_page_by_page(real_redis: Redis) -> None:
    store = RedisStore(real_redis)
    with real_redis.pipeline(transaction=True) as at_once:
        for version in range(1, 1_002):
            at_once.xadd(LAYOUT.game_key("game", "g"), {"e": str(version), "h": bytes(32)}, f"{version}-0")
        at_once.execute()
    stored = store.read_whole("g")
    assert stored is not None
    assert [entry.version for entry in stored.entries] == list(range(1, 1_002))
    assert store.read_whole("other") is None


def test_a_folder_with_anything_else_is_refused(source: str, croupier: Croupier, tmp_path: Path) -> None:
    fill(source, 1)
    (tmp_path / "notes.txt").write_text("mine")
    assert croupier.run(source, "backup", str(tmp_path)) == 1
    assert "notes.txt" in croupier.told
    assert (tmp_path / "notes.txt").read_text() == "mine"
    folder = tmp_path / "backup"
    assert croupier.run(source, "backup", str(folder)) == 0
    taken = {path: path.read_bytes() for path in folder.iterdir()}
    assert croupier.run(source, "backup", str(folder)) == 1
    assert "it holds a backup already" in croupier.told
    assert {path: path.read_bytes() for path in folder.iterdir()} == taken


def test_a_backup_that_was_not_finished_is_refused_and_begun_again(
    source: str, target: str, croupier: Croupier, tmp_path: Path
) -> None:
    fill(source, 2)
    folder = tmp_path / "backup"
    assert croupier.run(source, "backup", str(folder)) == 0
    (folder / MANIFEST).unlink()
    assert croupier.run(target, "restore", str(folder)) == 1
    assert "manifest.json" in croupier.told
    assert croupier.run(source, "backup", str(folder)) == 0
    assert croupier.run(target, "restore", str(folder)) == 0


def flip(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes((content[middle] ^ 1,)) + content[middle + 1 :]


def test_a_tampered_file_is_named_and_nothing_is_written(
    source: str, target: str, croupier: Croupier, tmp_path: Path
) -> None:
    folder = tmp_path / "backup"
    with open_app_on(source) as app:
        PlayerClient(ApiClient(app.test_client()), "Anna").set_up({"name": "Ben"})
    assert croupier.run(source, "backup", str(folder)) == 0
    files = sorted(folder.iterdir())
    assert len(files) == 11
    for path in files:
        content = path.read_bytes()
        for changed in (flip(content), content[:-1], b"", b"{}"):
            path.write_bytes(changed)
            assert croupier.run(target, "restore", str(folder)) == 1
            assert path.name in croupier.told
        path.unlink()
        assert croupier.run(target, "restore", str(folder)) == 1
        assert path.name in croupier.told
        path.write_bytes(content)
    with Redis.from_url(target) as client:
        assert client.dbsize() == 0
    assert croupier.run(target, "restore", str(folder)) == 0


def test_a_manifest_of_a_later_release_is_refused(source: str, croupier: Croupier, tmp_path: Path) -> None:
    assert croupier.run(source, "backup", str(tmp_path / "backup")) == 0
    manifest = json.loads((tmp_path / "backup" / MANIFEST).read_text())
    (tmp_path / "backup" / MANIFEST).write_text(json.dumps({**manifest, "format": 2}))
    with pytest.raises(BadBackup, match="format 2"):
        BackupReader(tmp_path / "backup")


def test_a_file_outside_the_folder_is_not_read(tmp_path: Path) -> None:
    writer = BackupWriter(tmp_path / "backup")
    writer.write("../outside", iter(()))
    writer.finish("0.3.0", "", "", [])
    with pytest.raises(BadBackup, match="outside"):
        BackupReader(tmp_path / "backup")


def test_the_store_of_another_service_is_refused(
    source: str, target: str, croupier: Croupier, tmp_path: Path
) -> None:
    fill(source, 2)
    assert croupier.run(source, "backup", str(tmp_path / "backup")) == 0
    (other,) = fill(target, 1)
    before = read_kept(target)
    assert croupier.run(target, "restore", str(tmp_path / "backup")) == 1
    assert "nothing was restored: the store has games or players of another service" in croupier.told
    with connect(target) as client:
        assert RedisStore(client).list_games() == [other]
    assert read_games(target)[other].entries
    assert {key: value for key, value in read_kept(target).items() if "{secret}" not in key} == before


def test_a_store_with_the_same_games_gets_what_is_missing(
    source: str, target: str, croupier: Croupier, tmp_path: Path
) -> None:
    _, extended, ahead = fill(source, 3)
    first = tmp_path / "first"
    second = tmp_path / "second"
    assert croupier.run(source, "backup", str(first)) == 0
    with connect(source) as client:
        games = make_served_games(client)
        for _ in play_answers(games, extended, 3):
            pass
        start_game(games)
    assert croupier.run(source, "backup", str(second)) == 0
    assert croupier.run(target, "restore", str(first)) == 0
    with connect(target) as client:
        for _ in play_answers(make_served_games(client), ahead, 2):
            pass
    kept = read_games(target)[ahead]
    assert croupier.run(target, "restore", str(second)) == 0, croupier.told
    for words in ("1 there already", "1 extended", "1 further on here", "1 new"):
        assert words in croupier.told
    assert read_games(target) == {**read_games(source), ahead: kept}
    assert croupier.run(target, "restore", str(second)) == 0
    assert "3 there already, 1 further on here" in croupier.told


def test_a_game_with_another_log_stops_the_restore(
    source: str, target: str, croupier: Croupier, tmp_path: Path
) -> None:
    game, other = fill(source, 2)
    assert croupier.run(source, "backup", str(tmp_path / "first")) == 0
    assert croupier.run(target, "restore", str(tmp_path / "first")) == 0
    for url, seed in ((source, 2), (target, 3)):
        with connect(url) as client:
            games = make_served_games(client)
            for _ in play_answers(games, game, 4, seed=seed):
                pass
    with connect(source) as client:
        for _ in play_answers(make_served_games(client), other, 4):
            pass
    assert croupier.run(source, "backup", str(tmp_path / "second")) == 0
    before = read_games(target)
    assert before[game].entries != read_games(source)[game].entries
    assert croupier.run(target, "restore", str(tmp_path / "second")) == 1
    assert game in croupier.told
    assert read_games(target) == before


def test_a_game_that_was_altered_is_copied_and_told(
    source: str, target: str, croupier: Croupier, tmp_path: Path
) -> None:
    (game,) = fill(source, 1)
    with connect(source) as client:
        alter_log(client, game, alter_commit(2, lambda commit: commit.update(at="2026-01-01T00:00:00.000Z")))
    assert croupier.run(source, "backup", str(tmp_path / "backup")) == 3
    assert f"NOT VERIFIED: {game}: version 2" in croupier.told
    assert croupier.run(target, "restore", str(tmp_path / "backup")) == 3
    assert read_games(target) == read_games(source)


def test_derived_data_are_built_again_after_a_restore(
    source: str, target: str, croupier: Croupier, tmp_path: Path
) -> None:
    fill(source, 2)
    assert croupier.run(source, "backup", str(tmp_path / "backup")) == 0
    with open_backend(target) as backend:
        rebuild_lobby(backend)
        assert backend.lobby.is_whole()
        assert croupier.run(target, "restore", str(tmp_path / "backup")) == 0
        assert not backend.lobby.is_whole()


def test_keys_of_creators_and_the_secret_travel(
    source: str, target: str, croupier: Croupier, tmp_path: Path
) -> None:
    with connect(source) as client, connect(target) as other:
        creator = Creators(client).identify("192.0.2.1")
        secret = RedisStore(client).secret()
        RedisStore(other).secret()
        assert croupier.run(source, "backup", str(tmp_path / "backup")) == 0
        assert croupier.run(target, "restore", str(tmp_path / "backup")) == 0
        assert Creators(other).identify("192.0.2.1") == creator
        assert RedisStore(other).secret() == secret


def archive_games(croupier: Croupier, url: str, number: int) -> list[str]:
    """So many games that are over and in the archive."""
    croupier.use(url)
    with open_backend(url) as backend:
        made = []
        for _ in range(number):
            game = start_game(backend.games)
            for _ in play_answers(backend.games, game):
                pass
            assert backend.archiver is not None
            assert backend.archiver.archive(game)
            made.append(game)
    return made


def export_all(croupier: Croupier, url: str, games: list[str]) -> list[bytes]:
    croupier.use(url)
    with open_backend(url) as backend:
        return [write_file(backend.games.commits(game)) for game in games]


def test_games_of_the_archive_travel_to_another_archive(
    source: str, target: str, croupier: Croupier, tmp_path: Path
) -> None:
    folder = str(tmp_path / "backup")
    archived = archive_games(croupier, source, 3)
    fill(source, 1)
    exports = export_all(croupier, source, archived)
    assert croupier.run(source, "backup", folder) == 0, croupier.told
    assert "backup of 4 games" in croupier.told
    assert "3 games of them from the archive" in croupier.told
    assert croupier.run(target, "restore", folder) == 0, croupier.told
    assert export_all(croupier, target, archived) == exports
    with open_backend(target) as backend:
        assert sorted(backend.store.list_archived()) == sorted(archived)
        assert len(backend.store.list_games()) == 1
        for game in archived:
            assert backend.auditor.audit(game).verified
    assert croupier.run(target, "restore", folder) == 0, croupier.told
    assert "4 there already" in croupier.told


def test_an_archived_game_extends_the_one_that_is_there(
    source: str, target: str, croupier: Croupier, tmp_path: Path
) -> None:
    (game,) = fill(source, 1)
    assert croupier.run(source, "backup", str(tmp_path / "first")) == 0
    assert croupier.run(target, "restore", str(tmp_path / "first")) == 0
    croupier.use(source)
    with open_backend(source) as backend:
        for _ in play_answers(backend.games, game):
            pass
        assert backend.archiver is not None
        assert backend.archiver.archive(game)
    assert croupier.run(source, "backup", str(tmp_path / "second")) == 0
    assert croupier.run(target, "restore", str(tmp_path / "second")) == 0, croupier.told
    assert "1 extended" in croupier.told
    assert export_all(croupier, target, [game]) == export_all(croupier, source, [game])
    # An older backup changes nothing: the game is further on.
    assert croupier.run(target, "restore", str(tmp_path / "first")) == 0, croupier.told
    assert "1 further on here" in croupier.told


def test_a_game_that_left_the_archive_again_extends_it(
    source: str, target: str, croupier: Croupier, tmp_path: Path
) -> None:
    (game,) = archive_games(croupier, source, 1)
    assert croupier.run(source, "backup", str(tmp_path / "first")) == 0
    assert croupier.run(target, "restore", str(tmp_path / "first")) == 0
    croupier.use(source)
    with open_backend(source) as backend:
        backend.games.rematches.rematch(game, Caller(0))
        assert not backend.store.is_archived(game)
    assert croupier.run(source, "backup", str(tmp_path / "second")) == 0
    assert croupier.run(target, "restore", str(tmp_path / "second")) == 0, croupier.told
    assert "1 extended, 1 new" in croupier.told or "1 new, 1 extended" in croupier.told
    assert read_games(target) == read_games(source)


def test_a_lost_object_is_named_and_the_rest_is_copied(
    source: str, target: str, croupier: Croupier, tmp_path: Path
) -> None:
    kept, lost = archive_games(croupier, source, 2)
    (path,) = tmp_path.rglob(f"{lost}.ndjson.gz")
    path.unlink()
    assert croupier.run(source, "backup", str(tmp_path / "backup")) == 3
    assert f"NOT COPIED: {lost}" in croupier.told
    assert croupier.run(target, "restore", str(tmp_path / "backup")) == 0
    assert f"NOT IN THE BACKUP: {lost}" in croupier.told
    with open_backend(target) as backend:
        assert backend.store.list_archived() == [kept]


@pytest.mark.long
def test_a_backup_of_one_redis_is_restored_into_a_cluster(
    source: str, target: str, croupier: Croupier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(tmp_path / "backup")
    with open_app_on(source) as app, connect(source) as client:
        api = ApiClient(app.test_client())
        anna = PlayerClient(api, "Anna")
        api.post("/v1/remote-bots", {"name": "Carlo", "build": "1"}, anna.token)
        games = [anna.set_up({"name": "Ben"}, edition=edition) for edition in EDITIONS]
        for game in games:
            play_one(game)
        project(client)
    archived = archive_games(croupier, source, 2)
    fill(source, 20)
    assert croupier.run(source, "backup", folder) == 0, croupier.told
    # Queue and counts of requests are no part of a backup.
    monkeypatch.setenv("QUEUE_URL", target)
    with run_cluster(tmp_path / "cluster", replicas=0) as cluster:
        for words in ("26 new", "26 there already"):
            assert croupier.run(cluster.url, "restore", folder) == 0, croupier.told
            assert words in croupier.told
        assert read_games(cluster.url) == read_games(source)
        assert export_all(croupier, cluster.url, archived) == export_all(croupier, source, archived)
        with connect(cluster.url) as client, connect(source) as single:
            there = PlayerTransfer(client)
            here = PlayerTransfer(single)
            assert there.read_player(anna.id) == here.read_player(anna.id)
            assert there.read_journal(anna.id) == here.read_journal(anna.id)
            (bot,) = RemoteBots(client).list_of(anna.id)
            assert [bot] == RemoteBots(single).list_all() == list(RemoteBots(client).list_open("", 10))
            assert RedisStore(client).secret() == RedisStore(single).secret()
        # And back again, from a cluster to one Redis.
        assert croupier.run(cluster.url, "backup", str(tmp_path / "back")) == 0, croupier.told
    assert croupier.run(target, "restore", str(tmp_path / "back")) == 0, croupier.told
    assert read_games(target) == read_games(source)


def start(url: str, *arguments: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "REDIS_URL": url}
    return subprocess.Popen([*CROUPIER, *arguments], env=environment, stderr=subprocess.DEVNULL)


@pytest.mark.long
def test_a_killed_restore_leaves_no_half_game_and_can_be_repeated(
    source: str, target: str, croupier: Croupier, tmp_path: Path
) -> None:
    fill(source, 60, answers=2)
    assert croupier.run(source, "backup", str(tmp_path / "backup")) == 0
    wanted = read_games(source)
    random = Random(1)
    with connect(target) as client:
        store = RedisStore(client)
        for _ in range(examples(1, 20).max_examples):
            client.flushall()
            enough = random.randrange(1, 50)
            process = start(target, "restore", str(tmp_path / "backup"))
            wait_until(lambda enough=enough: len(store.list_games()) >= enough, "some games")  # type: ignore[misc]
            process.send_signal(signal.SIGKILL)
            process.wait()
            for game, stored in read_games(target).items():
                assert stored == wanted[game]
            assert croupier.run(target, "restore", str(tmp_path / "backup")) == 0, croupier.told
            assert read_games(target) == wanted


@pytest.mark.long
def test_a_killed_backup_has_no_manifest(source: str, croupier: Croupier, tmp_path: Path) -> None:
    fill(source, 60, answers=2)
    folder = tmp_path / "backup"
    for name in ("journals", "games"):
        process = start(source, "backup", str(folder))
        wait_until((folder / f"{name}-00001.ndjson.gz").exists, "the first file")
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not (folder / MANIFEST).exists()
    assert croupier.run(source, "backup", str(folder)) == 0
    assert msgspec_json.decode((folder / MANIFEST).read_bytes())["counts"]["games"] == 60
