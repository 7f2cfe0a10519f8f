"""The service answers for archived games what it answered before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import redis
from msgspec.structs import replace

from bench.games import copy_game
from events.archive import Archive
from events.follower import RedisCursor
from events.objects import FolderObjects
from events.redis_store import RedisStore
from service.container import Backend, build_backend
from service.games.deadlines import TimeLimits
from service.history.archiving import Archiver
from service.lobby.archived_games import SealedGame
from service.lobby.rebuild import describe_game, rebuild_lobby
from service.lobby.removal import remove_game
from service.ops.redis_server import RedisServer
from service.stats.counts import summarise
from tests.support.api_client import ApiClient, PlayerClient
from tests.support.app import open_app, open_app_on
from tests.support.games import ManualClock
from workers.projector import make_projector, projection_handler
from workers.reconciler import Reconciler

HOURS = 2.0


class House:
    """A service with an archive, whose processes take a step when they are told."""

    def __init__(self, memory: redis.Redis, api: ApiClient, folder: Path) -> None:
        self.memory, self.api, self.folder = memory, api, folder
        self.backend = self.open_backend()
        self._projector = make_projector(self.backend, RedisCursor(memory, "test", 0.01))

    def open_backend(self) -> Backend:
        limits = TimeLimits(archive_hours=HOURS)
        return build_backend(self.memory, limits, archive=Archive(FolderObjects(self.folder)))

    def project(self) -> None:
        self._projector.step()

    def settle(self, hours: float = 0.0) -> None:
        """Everything that is due after so many hours is done."""
        self.project()
        clock = ManualClock(self.backend.clock())
        clock.forward(hours * 3600)
        reconciler = Reconciler(self.backend, clock)
        for _ in range(200):
            reconciler.step()
            clock.forward(0.3)

    def archive_all(self) -> None:
        self.settle()
        self.settle(HOURS + 0.1)

    def archive_now(self, game: str) -> None:
        """The game is listed, counted and archived, without the hours before."""
        self.project()
        self.backend.stats.count(game)
        assert self.backend.archiver
        assert self.backend.archiver.archive(game)


@pytest.fixture
def house(memory: redis.Redis, tmp_path: Path) -> Iterator[House]:
    folder = tmp_path / "archive"
    with open_app(memory, f"file://{folder}") as app:
        yield House(memory, ApiClient(app.test_client()), folder)


READ = (
    "",
    "?version=5",
    "/events",
    "/events?after=3&limit=4",
    "/export",
    "/audit",
    "/timeline",
    "/diff?from=2&to=6",
    "/explain/7",
    "/knowledge",
)
LISTS = (
    "/v1/games",
    "/v1/games?status=over",
    "/v1/games?order=changed",
    "/v1/games?name=Anna",
    "/v1/games?edition=classic&status=over&limit=1",
    "/v1/exports",
    "/v1/stats",
)
FORMS = ("application/json", "application/x-ndjson", "text/event-stream")


def read_all(house: House, game: str, token: str | None = None) -> dict[str, tuple[int, bytes]]:
    """What the service says of a game, in every form."""
    told = {}
    for path in READ:
        for form in FORMS if path.startswith("/events") else FORMS[:1]:
            reply = house.api.get(f"/v1/games/{game}{path}", token, Accept=form)
            told[f"{path} {form}"] = reply.status_code, reply.data
    return told


def read_lists(house: House) -> dict[str, Any]:
    return {path: house.api.get(path).data for path in LISTS}


@pytest.mark.long
def test_replies_about_an_archived_game_are_what_they_were(house: House) -> None:
    game = house.api.create_for(2)
    game.play()
    other = house.api.create_for(3, edition="modern")
    house.settle()
    told = read_all(house, game.id)
    own = read_all(house, game.id, game.tokens[0])
    listed = read_lists(house)
    house.archive_all()
    assert house.backend.store.list_archived() == [game.id]
    assert read_all(house, game.id) == told
    assert read_all(house, game.id, game.tokens[0]) == own
    assert read_lists(house) == listed
    assert house.api.get(f"/v1/games/{game.id}", "wrong").status_code == 401
    assert other.table()["status"] == "playing"
    forked = house.api.post(f"/v1/games/{game.id}/forks", {"at": 9, "seats": [{"name": "Eve"}] * 2})
    assert forked.status_code == 201
    rebuild_lobby(house.open_backend())
    assert house.api.get("/v1/stats").data == listed["/v1/stats"]


@pytest.mark.long
def test_exports_of_a_player_have_archived_games(house: House) -> None:
    anna = PlayerClient(house.api, "Anna")
    game = anna.set_up({"name": "Ben"})
    game.play()
    house.settle()
    rebuild_lobby(house.open_backend())
    addresses = (f"/v1/exports?player={anna.id}", "/v1/me/export")
    before = [house.api.get(address, anna.token).data for address in addresses]
    house.archive_all()
    assert house.backend.store.list_archived() == [game.id]
    assert [house.api.get(address, anna.token).data for address in addresses] == before
    assert all(game.id.encode() in file for file in before)


@pytest.mark.long
def test_all_pages_of_the_lists_have_archived_games_in_their_places(house: House) -> None:
    made = [house.api.create_for(2, edition=edition) for edition in ("classic", "modern") * 4]
    for game in made[::2]:
        game.play()
    house.settle()
    wanted = {
        path: walk(house, path) for path in ("/v1/games", "/v1/games?order=changed", "/v1/games?status=over")
    }
    assert len(wanted["/v1/games"]) == len(made)
    house.archive_all()
    assert len(house.backend.store.list_archived()) == 4
    for path, games in wanted.items():
        assert walk(house, path) == games


def walk(house: House, path: str, limit: int = 3) -> list[dict[str, Any]]:
    """All rows of a list, page by page."""
    rows, cursor = [], ""
    while True:
        joint = "&" if "?" in path else "?"
        page = house.api.call("GET", f"{path}{joint}limit={limit}{cursor}")
        rows += page["games"]
        if page["cursor"] is None:
            return rows
        cursor = f"&cursor={page['cursor']}"


@pytest.mark.long
def test_a_lost_cursor_and_a_lost_lobby_are_caught_up_without_reading_logs(house: House) -> None:
    game = house.api.create_for(2)
    game.play()
    house.settle()
    listed = read_lists(house)
    house.archive_all()
    for place in house.folder.glob("*/*.ndjson.gz"):
        place.unlink()
    make_projector(house.open_backend(), RedisCursor(house.memory, "another", 0.01)).step()
    assert read_lists(house)["/v1/games"] == listed["/v1/games"]
    assert rebuild_lobby(house.open_backend()) == {}
    assert read_lists(house)["/v1/games"] == listed["/v1/games"]
    for key in house.memory.keys("croupier:{lobby}:*"):
        house.memory.delete(key)
    house.memory.delete("croupier:due:{lobby}")
    house.settle()
    now = read_lists(house)
    assert now["/v1/games"] == listed["/v1/games"]
    assert now["/v1/stats"] == listed["/v1/stats"]


@pytest.mark.long
def test_a_rematch_of_an_archived_game_counts_and_lists_it_once(house: House) -> None:
    game = house.api.create_for(2)
    game.play()
    house.settle()
    stats = read_lists(house)["/v1/stats"]
    house.archive_all()
    made = house.api.post(f"/v1/games/{game.id}/rematch", None, game.tokens[0])
    assert made.status_code == 201
    house.settle()
    assert read_lists(house)["/v1/stats"] == stats
    for path in ("/v1/games", "/v1/games?order=changed"):
        assert [row["id"] for row in walk(house, path)].count(game.id) == 1
    house.archive_all()
    assert game.id in house.backend.store.list_archived()
    for path in ("/v1/games", "/v1/games?order=changed"):
        assert [row["id"] for row in walk(house, path)].count(game.id) == 1
    again = house.api.post(f"/v1/games/{game.id}/rematch", None, game.tokens[1])
    assert again.get_json()["id"] == made.get_json()["id"]


@pytest.mark.long
def test_a_removed_game_leaves_no_trace(house: House) -> None:
    house.settle()
    nothing = read_lists(house)
    game = house.api.create_for(2)
    game.play()
    house.archive_all()
    remove_game(house.open_backend(), game.id)
    assert read_lists(house) == nothing
    assert house.api.get(f"/v1/games/{game.id}").status_code == 404
    assert list(house.folder.glob("*/*.gz")) == []
    assert house.memory.keys(f"*{game.id}*") == []


@pytest.mark.long
def test_lists_and_profiles_of_players_have_archived_games(house: House) -> None:
    anna = PlayerClient(house.api, "Anna")
    games = [anna.set_up({"name": "Ben"}) for _ in range(3)]
    for game in games:
        game.play()
    house.settle()
    mine = anna.get("/v1/me/games")
    events = anna.get("/v1/me/events")
    profile = house.api.get(f"/v1/players/{anna.id}").data
    listed = walk(house, f"/v1/games?player={anna.id}")
    rows: Any = house.memory.hvals(f"croupier:{{players}}:rows:{anna.id}")
    house.archive_all()
    assert len(rows) == 3
    assert not house.memory.exists(f"croupier:{{players}}:rows:{anna.id}")

    def check() -> None:
        assert anna.get("/v1/me/games") == mine
        assert anna.get("/v1/me/events") == events
        assert house.api.get(f"/v1/players/{anna.id}").data == profile
        assert walk(house, f"/v1/games?player={anna.id}") == listed

    check()
    assert anna.get(f"/v1/games/{games[0].id}")["you"] == 0
    rebuild_lobby(house.open_backend())
    check()
    remove_game(house.open_backend(), games[0].id)
    assert len(anna.get("/v1/me/games")["games"]) == 2


@pytest.mark.long
def test_a_rematch_tells_players_of_nothing_twice(house: House) -> None:
    anna = PlayerClient(house.api, "Anna")
    game = anna.set_up({"name": "Ben"})
    game.play()
    house.archive_all()
    events = anna.get("/v1/me/events")["events"]
    profile = house.api.get(f"/v1/players/{anna.id}").get_json()
    assert house.api.post(f"/v1/games/{game.id}/rematch", None, game.tokens[1]).status_code == 201
    house.settle()
    told = anna.get("/v1/me/events")["events"]
    assert [event for event in told if event["game"] == game.id] == events
    now = house.api.get(f"/v1/players/{anna.id}").get_json()
    assert now["games"]["over"] == profile["games"]["over"] == 1


@pytest.mark.long
def test_private_games_stay_private(house: House) -> None:
    plan = {"edition": "classic", "visibility": "private", "seats": [{"name": "Anna"}, {"name": "Ben"}]}
    made = house.api.post("/v1/games", plan).get_json()
    house.api.post(f"/v1/games/{made['id']}/void", {"agrees": True}, made["seats"][0]["token"])
    house.api.post(f"/v1/games/{made['id']}/void", {"agrees": True}, made["seats"][1]["token"])
    house.archive_all()
    assert house.backend.store.list_archived() == [made["id"]]
    assert house.api.get(f"/v1/games/{made['id']}").status_code == 404
    assert house.api.get(f"/v1/games/{made['id']}", made["seats"][0]["token"]).status_code == 200
    assert walk(house, "/v1/games") == []


class StoppedStore(RedisStore):
    """A store whose caller is stopped after each question whether a game is archived."""

    def __init__(
        self, client: redis.Redis, archive: Archive, interruptions: list[Callable[[], None]]
    ) -> None:
        super().__init__(client, archive=archive)
        self._interruptions = interruptions

    def is_archived(self, game: str) -> bool:
        answer = super().is_archived(game)
        if self._interruptions:
            self._interruptions.pop(0)()
        return answer


class Killed(BaseException):
    """The process is gone."""


def copy_derived(memory: redis.Redis) -> dict[bytes, Any]:
    """What is derived from games, as it is stored."""
    keys: Any = memory.keys("croupier:*")
    passing = (b"cursor", b"clock", b"feed", b"rebuilder", b"{limits}")
    return {key: memory.dump(key) for key in sorted(keys) if not any(part in key for part in passing)}


def read_games(house: House) -> dict[str, Any]:
    return {path: house.api.get(path).get_json()["games"] for path in LISTS if path.startswith("/v1/games")}


def kill() -> None:
    raise Killed


@pytest.mark.parametrize(
    ("is_killed", "work"),
    [
        (False, "projector"),
        (True, "projector"),
        (False, "rebuild"),
        (True, "rebuild"),
    ],
)
def test_a_process_that_is_stopped_while_a_game_is_archived_lists_it_only_once(
    house: House, is_killed: bool, work: str
) -> None:
    anna = PlayerClient(house.api, "Anna")
    game = anna.set_up({"name": "Ben"})
    game.play()
    backend = house.open_backend()
    archived: list[dict[bytes, Any]] = []

    def archive_meanwhile() -> None:
        house.archive_now(game.id)
        archived.append(copy_derived(house.memory))

    interruptions = [archive_meanwhile, *([kill] if is_killed else [])]
    archive = Archive(FolderObjects(house.folder))
    stopped = replace(backend, store=StoppedStore(house.memory, archive, interruptions))
    commits = backend.store.read(game.id)

    def do_work(backend: Backend) -> None:
        if work == "projector":
            projection_handler(backend)(game.id, commits[-1:])
        else:
            describe_game(backend, game.id)

    with pytest.raises(Killed) if is_killed else nullcontext():
        do_work(stopped)
    if is_killed:
        assert copy_derived(house.memory) != archived[0]
        do_work(house.open_backend())
    # What the reconciler does with a game on its list, and has done before.
    backend.stats.count(game.id)
    assert backend.store.list_archived() == [game.id]
    assert copy_derived(house.memory) == archived[0]


def test_a_count_that_comes_after_the_archive_counts_nothing(house: House) -> None:
    game = house.api.create_for(2)
    game.play()
    backend = house.open_backend()
    summary = summarise(backend.games.commits(game.id), backend.games.snapshot(game.id).state)
    house.archive_now(game.id)
    counted = house.api.get("/v1/stats").data
    backend.stats.store(game.id, summary, 0.0)
    assert house.api.get("/v1/stats").data == counted


def test_a_game_that_comes_back_while_it_is_sealed_is_listed(house: House) -> None:
    game = house.api.create_for(2)
    game.play()
    house.archive_now(game.id)
    listed = read_games(house)
    backend = house.open_backend()
    sealed = backend.archiver.find_sealed(game.id) if backend.archiver else None
    assert sealed
    backend.store.add_to_vault(game.id, {"token:late": "0"})
    house.project()
    assert backend.lobby.find(game.id)

    class LateArchiver(Archiver):
        def find_sealed(self, game: str) -> SealedGame | None:
            return sealed

    late = LateArchiver(
        backend.store,
        backend.games.snapshots,
        Archive(FolderObjects(house.folder)),
        lobby=backend.lobby,
        stats=backend.stats,
        feed=backend.feed,
        key_feed=backend.key_feed,
        public_feed=backend.public_feed,
    )
    late.seal(game.id)
    assert not backend.lobby.find(game.id)
    house.project()
    assert backend.lobby.find(game.id)
    assert read_games(house) == listed


def test_a_damaged_object_does_not_hold_up_the_projector(house: House) -> None:
    broken = house.api.create_for(2)
    broken.play()
    house.archive_now(broken.id)
    for path in house.folder.glob("*/*.gz"):
        path.write_bytes(b"damaged")
    house.open_backend().store.announce(broken.id)
    game = house.api.create_for(2)
    house.project()
    assert house.backend.lobby.find(game.id)


# Over 2,000 games it is below 600; of fewer, the sorted sets of the lists are not as full.
MOST_BYTES = 650


@pytest.mark.long
def test_an_archived_game_of_four_registered_players_takes_little_room(
    real_redis: redis.Redis, redis_server: RedisServer, tmp_path: Path
) -> None:
    """In all keys together, but for what has a bound: feeds, and the events of players."""
    with open_app_on(redis_server.url) as app:
        api = ApiClient(app.test_client())
        players = [PlayerClient(api, name) for name in ("Anna", "Ben", "Carla", "Dora")]
        game = players[0].set_up(*[{"open": True}] * 3)
        for player in players[1:]:
            assert api.post(f"/v1/games/{game.id}/seats", {}, player.token).status_code < 300
        play_as(api, game.id, [player.token for player in players])
    backend = build_backend(real_redis, archive=Archive(FolderObjects(tmp_path / "archive")))
    assert backend.archiver
    commits = backend.store.read(game.id)
    vault = backend.store.vault(game.id)
    measured = []
    for start in (0, 200):
        for number in range(start, start + 200):
            copy = f"g_{number:022d}"
            backend.store.create_with_history(copy, copy_game(commits, copy), vault)
            describe_game(backend, copy)
            backend.stats.count(copy)
            assert backend.archiver.archive(copy)
        measured.append(measure_keys(real_redis))
    assert [seat.player for seat in backend.lobby.page().games[0].seats] == [one.id for one in players]
    assert (measured[1] - measured[0]) / 200 < MOST_BYTES


def play_as(api: ApiClient, game: str, tokens: list[str]) -> None:
    """Everybody takes their first option until the game is over."""
    while api.get(f"/v1/games/{game}").get_json()["status"] != "over":
        for token in tokens:
            table = api.get(f"/v1/games/{game}", token).get_json()
            for ask in [ask for ask in table["asks"] if ask.get("options")][:1]:
                answer = {"ask": ask["ask"], "choice": ask["options"][0]["choice"]}
                assert api.post(f"/v1/games/{game}/choices", answer, token).status_code == 200


def measure_keys(client: redis.Redis) -> int:
    bounded = (b":feed", b":events:", b":stats:")
    keys: Any = [key for key in client.scan_iter() if not any(part in key for part in bounded)]
    return sum(client.memory_usage(key, samples=0) or 0 for key in keys)
