"""Each slot of players may go back alone: what was derived there is derived again, and nothing twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any

import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st
from redis.exceptions import ConnectionError

from events.follower import PROJECTOR, Fenced, Projector, RedisCursor, cursor_key
from events.layout import CLUSTER_PARTITIONS, PARTITIONS_KEY, find_layout
from events.redis import connect, connect_blocking
from events.spread_cursor import SpreadCursor
from events.values import SeatPlan
from rules.state import EMPTY
from service.container import Backend, build_backend
from service.games.idempotency import identify_request
from service.players.feed import follow_events
from service.players.places import find_keys
from service.players.players import Player
from tests.laws.test_projectors import PausingRedis
from tests.support.cluster import run_cluster
from tests.support.games import answer_at_random
from tests.support.profiles import examples
from tests.support.waiting import wait_until
from workers.projector import make_projectors, projection_handler

# So many steps, and a follower has done what there was to do.
QUIET = 12


class Steps(Event):
    """Is set after so many looks, and waits for nothing."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._left = number + 1

    def is_set(self) -> bool:
        self._left -= 1
        return self._left <= 0

    def wait(self, timeout: float | None = None) -> bool:
        return False


class Servers:
    """Which server has each slot: one that took over has a higher number."""

    def __init__(self) -> None:
        self.numbers: Counter[str] = Counter()


class OneCursor(RedisCursor):
    """Waits for nothing."""

    def wait_for_entries(self, positions: Mapping[int, str], at_once: bool = False) -> list[int]:
        return super().wait_for_entries(positions, at_once=True)


class Follower:
    """A projector of players that learns that a server has taken over when it sends a command there.

    Then the command fails, or it is carried out, as after MOVED.
    """

    def __init__(self, url: str, servers: Servers, is_spread: bool = True) -> None:
        self._connection = connect(url)
        client = PausingRedis(connection_pool=self._connection.connection_pool)
        client.pause = self._pause
        self._servers = servers
        self._seen: Counter[str] = Counter()
        self._failing: set[str] = set()
        backend = build_backend(client)
        ticks = count()
        follower = self

        class Cursor(SpreadCursor):
            def _server_of(self, key: str) -> object:
                slot = slot_in(key)
                return slot, follower._seen[slot]

            def wait_for_entries(self, positions: Mapping[int, str], at_once: bool = False) -> list[int]:
                return super().wait_for_entries(positions, at_once=True)

        slots = find_keys(client).slots
        cursor: RedisCursor = Cursor(client, PROJECTOR, 0.001, slots, 5.0, clock=lambda: float(next(ticks)))
        if not is_spread:
            cursor = OneCursor(client, PROJECTOR, slots=("players",))
        handler = projection_handler(backend, cursor=cursor, slots=("players",))
        self.projector = Projector(backend.store, cursor, handler)

    def _pause(self, command: tuple[Any, ...]) -> None:
        text = "".join(map(str, command))
        for slot, number in self._servers.numbers.items():
            if number > self._seen[slot] and f"{{{slot}}}" in text:
                self._seen[slot] = number
                if slot in self._failing:
                    self._failing.discard(slot)
                    raise ConnectionError("another server has taken over")

    def fail_at(self, slot: str) -> None:
        """The next command to the slot fails."""
        self._failing.add(slot)

    def look_at_map(self) -> None:
        """Learn of all servers that have taken over."""
        self._seen |= self._servers.numbers

    def step(self, number: int = 1) -> None:
        self.projector.run(Steps(number))

    def close(self) -> None:
        self._connection.close()


def slot_in(key: str) -> str:
    return key.partition("{")[2].partition("}")[0]


class World:
    """Some players in several slots, their games, older copies of the slots, and two followers."""

    def __init__(self, url: str, client: redis.Redis, followers: int = 2, is_spread: bool = True) -> None:
        self.client: Any = client
        self.client.set(PARTITIONS_KEY, CLUSTER_PARTITIONS)
        self.backend = build_backend(client)
        self.keys = find_keys(client)
        self.players = self._draw_players(3)
        self.slots = [self.keys.slot_of(player.id) for player in self.players]
        self.games: list[str] = []
        self._servers = Servers()
        self.followers = [Follower(url, self._servers, is_spread) for _ in range(followers)]
        self.settle()
        self._copies = {slot: [self._copy(slot)] for slot in self.slots}

    def _draw_players(self, number: int) -> list[Player]:
        """Make players of different slots."""
        made: dict[str, Player] = {}
        for name in map(str, count()):
            if len(made) == number:
                return list(made.values())
            player = self.backend.players.create(name, identify_request("test", None, name)).player
            made[self.keys.slot_of(player.id)] = player
        raise AssertionError

    def _copy(self, slot: str) -> dict[bytes, bytes]:
        return {key: self.client.dump(key) for key in self.client.keys(f"*{{{slot}}}*")}

    def act(self, what: str, number: int) -> None:
        slot = self.slots[number % len(self.slots)]
        match what:
            case "step":
                self.followers[number % len(self.followers)].step()
            case "create" if len(self.games) < 5:
                self.create(number)
            case "answer" if self.games:
                self.answer(number)
            case "copy":
                self._copies[slot].append(self._copy(slot))
            case "lose" | "lose silently":
                copies = self._copies[slot]
                self.lose(slot, copies[number % len(copies)], is_silent=what == "lose silently")
            case _:
                pass

    def create(self, number: int = 0) -> str:
        pair = [self.players[(number + place) % len(self.players)] for place in range(2)]
        seats = [SeatPlan(player=one.id, name_commitment=one.name_commitment) for one in pair]
        self.games.append(self.backend.games.create("classic", {}, seats, creator="somebody").game)
        return self.games[-1]

    def answer(self, number: int) -> None:
        game = self.games[number % len(self.games)]
        if self.backend.games.snapshot(game).state.status != "over":
            answer_at_random(self.backend.games, game, Random(number))

    def copy(self, slot: str) -> dict[bytes, bytes]:
        return self._copy(slot)

    def lose(self, slot: str, copy: Mapping[bytes, bytes], is_silent: bool) -> None:
        """A server takes over that has this copy of the slot; all others lose nothing."""
        self.go_back(slot, copy)
        self._servers.numbers[slot] += 1
        for follower in self.followers:
            if not is_silent:
                follower.fail_at(slot)

    def go_back(self, slot: str, copy: Mapping[bytes, bytes]) -> None:
        """The server of a slot has an older copy, and the same address."""
        for key in self.client.keys(f"*{{{slot}}}*"):
            self.client.delete(key)
        for key, value in copy.items():
            self.client.restore(key, 0, value)

    def settle(self) -> None:
        for follower in self.followers:
            follower.look_at_map()
            follower.step(QUIET)

    def check(self) -> None:
        """Check that every player was told everything once, and has the newest row of each game."""
        for player in self.players:
            told, rows = read_journal(self.backend, player.id)
            expected, newest = read_logs(self.backend, player.id, self.games)
            assert Counter(told) == Counter(expected)
            assert rows == newest

    def close(self) -> None:
        for follower in self.followers:
            follower.close()


def read_journal(backend: Backend, player: str) -> tuple[list[Any], dict[str, int]]:
    """What a player was told, and the version of each row."""
    rows, _, _, events, _, _ = find_keys(backend.redis).derived(player)
    client: Any = backend.redis
    told = [
        (entry[b"g"].decode(), int(entry[b"v"]), entry[b"w"].decode()) for _, entry in client.xrange(events)
    ]
    return told, {game.decode(): int(row.split(b"|")[1]) for game, row in client.hgetall(rows).items()}


def read_logs(backend: Backend, player: str, games: list[str]) -> tuple[list[Any], dict[str, int]]:
    """What the logs tell of a player, and the version of each of their games."""
    told = []
    versions = {}
    for game in games:
        commits = backend.store.read(game)
        news, state = follow_events(EMPTY, commits)
        told += [(game, one.version, one.what) for one in news if one.player == player]
        if any(seat.player == player for seat in state.seats):
            versions[game] = commits[-1].version
    return told, versions


@contextmanager
def open_world(real_redis: redis.Redis, url: str, **options: Any) -> Iterator[World]:
    with connect(url) as client:
        real_redis.flushall()
        world = World(url, client, **options)
        try:
            yield world
        finally:
            world.close()


ACTIONS = st.tuples(
    st.sampled_from(["step", "step", "step", "create", "answer", "answer", "copy", "lose", "lose silently"]),
    st.integers(0, 60),
)


@pytest.mark.long
@examples(3, 150)
@given(actions=st.lists(ACTIONS, min_size=10, max_size=40))
def test_players_are_told_everything_once_whichever_slots_go_back(
    redis_server: Any, actions: list[tuple[str, int]]
) -> None:
    with redis.Redis.from_url(redis_server.url) as client, open_world(client, redis_server.url) as world:
        for what, number in actions:
            world.act(what, number)
        world.settle()
        world.check()


@pytest.mark.long
@pytest.mark.parametrize("is_spread", [True, False])
def test_what_a_slot_loses_is_lost_for_ever_unless_its_cursor_goes_back_with_it(
    redis_server: Any, real_redis: redis.Redis, is_spread: bool
) -> None:
    """With the cursor in another slot, the follower is past what is missing."""
    with open_world(real_redis, redis_server.url, followers=1, is_spread=is_spread) as world:
        world.create()
        world.settle()
        behind = world.copy(world.slots[0])
        world.create()
        world.settle()
        world.check()
        world.lose(world.slots[0], behind, is_silent=True)
        world.followers[0].close()
        world.followers = [Follower(redis_server.url, Servers(), is_spread)]
        world.settle()
        if is_spread:
            world.check()
        else:
            assert len(read_journal(world.backend, world.players[0].id)[1]) == 1


def test_a_follower_notices_that_another_server_has_a_slot(
    redis_server: Any, real_redis: redis.Redis
) -> None:
    """No command failed, and nothing happens any more."""
    with open_world(real_redis, redis_server.url, followers=1) as world:
        world.create()
        world.settle()
        behind = world.copy(world.slots[0])
        world.answer(0)
        world.settle()
        world.lose(world.slots[0], behind, is_silent=True)
        world.settle()
        world.check()


@pytest.mark.parametrize("is_saved", [False, True])
def test_a_cursor_is_not_saved_over_what_was_lost(
    redis_server: Any, real_redis: redis.Redis, is_saved: bool
) -> None:
    """The server has the same address, and less than was written, or than was saved."""
    with open_world(real_redis, redis_server.url, followers=0) as world:
        game = world.create()
        number = find_layout(world.client).partition(game)
        cursor = SpreadCursor(world.client, PROJECTOR, 0.001, world.keys.slots, save_seconds=0.0)
        cursor.positions()
        cursor.save({number: "1-0"})
        behind = world.copy(world.slots[0])
        cursor.reach(number, "5-0")
        commits = world.backend.store.read(game)
        snapshot = world.backend.games.snapshot(game)
        world.backend.feed.record(game, commits, snapshot, cursor.player_fences(number))
        if is_saved:
            cursor.save({number: "5-0"})
        world.go_back(world.slots[0], behind)
        with pytest.raises(Fenced):
            cursor.save({number: "6-0"})
        cursor.positions()
        cursor.save({number: "6-0"})


@pytest.mark.long
def test_other_slots_are_written_while_the_server_of_one_is_away(
    redis_server: Any, real_redis: redis.Redis
) -> None:
    with open_world(real_redis, redis_server.url, followers=1) as world:
        world.create()
        (follower,) = world.followers
        for _ in range(3):
            # Each time the command to the first slot fails, and the slot is left out for a while.
            world.lose(world.slots[0], world.copy(world.slots[0]), is_silent=False)
            follower.step()
        assert read_journal(world.backend, world.players[1].id)[1] == {world.games[0]: 1}
        world.settle()
        world.check()
        # Every slot vouches for every partition within seconds, whether or not it has players.
        for slot in world.keys.slots:
            fields = world.client.hkeys(cursor_key(slot, PROJECTOR))
            assert sum(field.isdigit() for field in fields) == CLUSTER_PARTITIONS


def test_an_epoch_begins_in_every_slot(redis_server: Any, real_redis: redis.Redis) -> None:
    """What was read before the log went back is written to none of them."""
    with open_world(real_redis, redis_server.url, followers=0) as world:
        game = world.create()
        number = find_layout(world.client).partition(game)
        slots = world.keys.slots
        cursor = SpreadCursor(world.client, PROJECTOR, 0.001, slots)
        cursor.positions()
        stale = SpreadCursor(world.client, PROJECTOR, 0.001, slots)
        stale.positions()
        cursor.begin_epochs([number])
        epochs = {world.client.hget(cursor_key(slot, PROJECTOR), f"e{number}") for slot in slots}
        assert None not in epochs
        assert len(epochs) == len(slots)
        snapshot = world.backend.games.snapshot(game)
        commits = world.backend.store.read(game)
        with pytest.raises(Fenced):
            world.backend.feed.record(game, commits, snapshot, stale.player_fences(number))
        with pytest.raises(Fenced):
            stale.save({number: "1-1"})
        world.backend.feed.record(game, commits, snapshot, cursor.player_fences(number))
        world.check()


@pytest.mark.long
def test_a_follower_that_is_behind_alarms_no_other(redis_server: Any, real_redis: redis.Redis) -> None:
    """The place in the feed that is noted with a write never goes back by itself."""
    with open_world(real_redis, redis_server.url) as world:
        first, second = world.followers
        for number in range(6):
            world.create() if number < 2 else world.answer(number)
            first.step()
        second.step(2)
        for number in range(3):
            world.answer(number)
            first.projector.step()
            second.projector.step()
        world.check()


@pytest.mark.long
def test_journals_of_a_cluster_go_on_where_a_master_is_lost(tmp_path: Path, real_redis: redis.Redis) -> None:
    """While the master of one player is away, players of others are told; then all is as the log says."""
    with (
        run_cluster(tmp_path, masters=3, replicas=1) as cluster,
        connect(cluster.url) as client,
        connect_blocking(cluster.url, 0.05) as waiting,
    ):
        backend = build_backend(client, queue_client=real_redis)
        stopped = Event()
        projectors = make_projectors(backend, waiting, 0.05)
        threads = [Thread(target=one.run, args=(stopped,), daemon=True) for one in projectors]
        for thread in threads:
            thread.start()
        try:
            _play_through_a_loss(cluster, backend)
        finally:
            stopped.set()
            for thread in threads:
                thread.join()


def _play_through_a_loss(cluster: Any, backend: Backend) -> None:
    keys = find_keys(backend.redis)
    created = [
        backend.players.create(str(number), identify_request("test", None, number)).player
        for number in range(12)
    ]
    by_master: dict[Any, list[Player]] = {}
    for player in created:
        by_master.setdefault(cluster.master_of(keys.record(player.id)), []).append(player)
    assert len(by_master) == 3
    (lost, away), *others = by_master.items()
    games: list[str] = []

    def play(*players: Player) -> str:
        seats = [SeatPlan(player=one.id, name_commitment=one.name_commitment) for one in players]
        while True:
            game: str = backend.games.create("classic", {}, seats, creator="somebody").game
            if cluster.master_of(backend.store.layout.game_key("game", game)) is not lost:
                games.append(game)
                return game
            games.append(game)

    for _ in range(3):
        play(away[0], others[0][1][0])
    wait_until(lambda: is_told(backend, created, games), "the first games")
    lost.kill()
    present = others[1][1][0]
    # Its own server and that of the game are there.
    game = None
    while game is None:
        try:
            game = play(present, others[0][1][0])
        except Exception:
            continue
    wait_until(lambda: game in read_journal(backend, present.id)[1], "a player of another master")
    wait_until(lambda: is_told(backend, created, games), "all games in all journals")


def is_told(backend: Backend, players: list[Player], games: list[str]) -> bool:
    try:
        for player in players:
            told, rows = read_journal(backend, player.id)
            expected, newest = read_logs(backend, player.id, games)
            if Counter(told) != Counter(expected) or rows != newest:
                return False
    except Exception:
        return False
    return True
