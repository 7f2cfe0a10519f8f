"""However projectors are stopped, and wherever a log goes back: what is derived ends as the log says.

Two projectors run in turn, each for as many commands to Redis as Hypothesis says. Between any two commands
the log may go on, or a server with an older copy of one partition may take over, which both notice some time
later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from random import Random
from threading import Event
from typing import Any

import greenlet
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from redis import Redis
from redis.client import Pipeline
from redis.exceptions import ConnectionError, ResponseError

from events.follower import PROJECTOR, RedisCursor
from events.redis import connect
from events.redis_store import RedisStore
from events.store import partition
from events.values import SeatPlan
from service.container import Backend, build_backend
from service.fairness.clocks import CLOCK
from service.games.deadlines import ABANDONED
from service.games.games import Games
from service.games.idempotency import identify_request
from service.lobby.lobby import MARK
from service.lobby.rebuild import rebuild_lobby
from service.lobby.removal import forget_derived
from service.ops.redis_server import RedisServer
from tests.support.games import answer_at_random
from tests.support.profiles import examples
from workers.projector import make_projector

NUMBER = 7
PLACE = f"{{{NUMBER:02d}}}"
TAG = f"croupier:{PLACE}:*"
GAMES = [name for name in (f"g_{number:022d}" for number in range(1_000)) if partition(name) == NUMBER][:5]
# So many steps without news, one after the other, and a projector has done what there was to do.
QUIET = 3
MOST_COMMANDS = 20_000


class PausingRedis(Redis):
    """A client that lets somebody else go on before each command."""

    pause: Callable[[tuple[Any, ...]], None]

    def execute_command(self, *args: Any, **options: Any) -> Any:
        self.pause(args)
        return super().execute_command(*args, **options)  # type: ignore[no-untyped-call]

    def pipeline(self, transaction: Any = True, shard_hint: Any = None) -> Any:
        """Others go on between the commands of a pipeline, too, unless they are a transaction."""
        if transaction:
            return super().pipeline(transaction, shard_hint)
        made = PausingPipeline(self.connection_pool, self.response_callbacks, transaction, shard_hint)
        made.sender = self
        return made


class PausingPipeline(Pipeline):
    """A pipeline whose commands are sent one by one; another may send commands between them."""

    sender: PausingRedis

    def execute(self, raise_on_error: bool = True) -> list[Any]:
        if self.scripts:
            self.load_scripts()  # type: ignore[no-untyped-call]
        commands = self.command_stack
        self.reset()
        replies: list[Any] = []
        for arguments, options in commands:
            try:
                replies.append(self.sender.execute_command(*arguments, **options))
            except ResponseError as refusal:
                if raise_on_error:
                    raise
                replies.append(refusal)
        return replies


class QuietCursor(RedisCursor):
    """Waits for nothing, and counts how often there was no news."""

    quiet = 0

    def wait_for_entries(self, positions: Mapping[int, str], at_once: bool = False) -> list[int]:
        found = super().wait_for_entries(positions, at_once=True)
        self.quiet = 0 if found or at_once else self.quiet + 1
        return found


class NeverStopped(Event):
    """Waits for nothing."""

    def wait(self, timeout: float | None = None) -> bool:
        return False


class StoppedProjector:
    """A projector that runs when it is told to, for as many commands as it is told."""

    def __init__(self, url: str) -> None:
        self._connection = connect(url)
        client = PausingRedis(connection_pool=self._connection.connection_pool)
        client.pause = self._pause
        self._is_cut = False
        self._cursor = QuietCursor(client, PROJECTOR, 0.001)
        projector = make_projector(build_backend(client), self._cursor)
        self._main = greenlet.getcurrent()
        self._running = greenlet.greenlet(lambda: projector.run(NeverStopped()))

    def _pause(self, command: tuple[Any, ...]) -> None:
        self._main.switch()
        if self._is_cut and any(PLACE in str(word) for word in command):
            self._is_cut = False
            raise ConnectionError("another server has taken over")

    def run(self, commands: int) -> None:
        for _ in range(commands):
            self._running.switch()

    def cut_off(self) -> None:
        """The next command to the server of the partition fails; what is derived lies on others."""
        self._is_cut = True
        self._cursor.quiet = 0

    @property
    def is_quiet(self) -> bool:
        return self._cursor.quiet >= QUIET and not self._is_cut

    def await_news(self) -> None:
        self._cursor.quiet = 0

    def close(self) -> None:
        self._running.throw(greenlet.GreenletExit)
        self._connection.close()


class World:
    """A log of a few games in one partition, older copies of it, and two projectors that follow it."""

    def __init__(self, url: str, client: Redis) -> None:
        self.client: Any = client
        self.backend = build_backend(client)
        ids = count()
        self._games = Games(RedisStore(client), ids=lambda: GAMES[next(ids) % len(GAMES)])
        players = self.backend.players
        made = [players.create(name, identify_request("test", None, name)).player for name in ("Anna", "Ben")]
        self._seats = [SeatPlan(player=one.id, name_commitment=one.name_commitment) for one in made]
        self.players = [one.id for one in made]
        self.projectors = [StoppedProjector(url) for _ in range(2)]
        self.settle()
        self._copies = [self._copy()]

    def _copy(self) -> dict[bytes, bytes]:
        return {key: self.client.dump(key) for key in self.client.keys(TAG)}

    def act(self, what: str, number: int) -> None:
        """Do one thing with the log, or let a projector run."""
        match what:
            case "run":
                self.projectors[number % 2].run(1 + number // 2)
            case "create" if len(self._list()) < len(GAMES):
                game = self._games.create("classic", {}, self._seats, creator="somebody").game
                assert game in GAMES
            case "answer" | "close":
                self._change(what, number)
            case "copy":
                self._copies.append(self._copy())
            case "lose":
                self._lose(self._copies[number % len(self._copies)])
            case _:
                pass

    def _list(self) -> list[str]:
        return sorted(self.backend.store.list_games())

    def _change(self, what: str, number: int) -> None:
        open_games = [game for game in self._list() if self._read(game).state.status != "over"]
        if not open_games:
            return
        game = open_games[number % len(open_games)]
        if what == "answer":
            answer_at_random(self._games, game, Random(number))
        else:
            assert self._games.close(game, ABANDONED, CLOCK, self._read(game).version)

    def _read(self, game: str) -> Any:
        return self._games.snapshot(game)

    def _lose(self, copy: Mapping[bytes, bytes]) -> None:
        """A server takes over that has this copy of the partition, and everything else."""
        for key in self.client.keys(TAG):
            self.client.delete(key)
        for key, value in copy.items():
            self.client.restore(key, 0, value)
        for projector in self.projectors:
            projector.cut_off()

    def settle(self) -> None:
        """Let both projectors run until neither finds anything new."""
        for projector in self.projectors:
            projector.await_news()
        for _ in range(MOST_COMMANDS):
            if all(projector.is_quiet for projector in self.projectors):
                return
            for projector in self.projectors:
                projector.run(1)
        raise AssertionError("the projectors do not come to rest")

    def close(self) -> None:
        for projector in self.projectors:
            projector.close()


@contextmanager
def open_world(server: RedisServer) -> Iterator[World]:
    with connect(server.url) as client:
        client.flushall()
        world = World(server.url, client)
        try:
            yield world
        finally:
            world.close()


def count_all(backend: Backend) -> None:
    while (game := backend.stats.find_waiting()) is not None:
        backend.stats.count(game)


def read_derived(client: Any, players: list[str]) -> dict[str, Any]:
    """All that is derived but times of writing, the order of late exports, and what was told to players."""
    found = {key.decode(): read_key(client, key.decode()) for key in client.scan_iter("croupier:{lobby}:*")}
    for player in players:
        for kind in ("rows", "counts", "games", "awaiting"):
            key = f"croupier:{{players}}:{kind}:{player}"
            found[key] = read_key(client, key)
    due = client.zrange(f"croupier:{PLACE}:due", 0, -1, withscores=True)
    found["due"] = [entry for entry in due if not entry[0].startswith(b"*")]
    return {name: value for name, value in found.items() if value}


def read_key(client: Any, key: str) -> Any:
    match client.type(key):
        case b"hash":
            fields = {name: value for name, value in client.hgetall(key).items() if value != b"0"}
            return {name: READERS.get(key, bytes)(value) for name, value in fields.items()}
        case b"zset":
            is_late = any(part in key for part in (":open", ":exports:", ":stats:"))
            return set(client.zrange(key, 0, -1, withscores=not is_late)) - {MARK.encode()}
        case b"set":
            return client.smembers(key)
    return None


# A row begins with its epoch, and the lists of a game are in no order.
READERS: Mapping[str, Callable[[bytes], Any]] = {
    "croupier:{lobby}:games": lambda row: msgspec.json.decode(row[row.index(b"{") :]),
    "croupier:{lobby}:lists": lambda lists: set(lists.split(b"\n")),
}


def read_rebuilt(world: World) -> dict[str, Any]:
    """What a rebuild derives from the log, with nothing else to begin with."""
    backend = build_backend(world.client)
    for key in world.client.keys("croupier:{lobby}:stats:*"):
        world.client.delete(key)
    for game in GAMES:
        forget_derived(backend, game, None, ())
        backend.feed.remove(game, world.players)
    rebuild_lobby(backend)
    count_all(backend)
    return read_derived(world.client, world.players)


ACTIONS = st.tuples(
    st.sampled_from(["run", "run", "run", "create", "answer", "answer", "close", "copy", "lose"]),
    st.integers(0, 60),
)


@pytest.mark.long
@examples(5, 300)
@given(actions=st.lists(ACTIONS, max_size=40))
def test_what_two_projectors_derive_is_what_a_rebuild_derives(
    redis_server: RedisServer, actions: list[tuple[str, int]]
) -> None:
    with open_world(redis_server) as world:
        for what, number in actions:
            world.act(what, number)
        world.settle()
        backend = build_backend(world.client)
        count_all(backend)
        found = read_derived(world.client, world.players)
        assert found == read_rebuilt(world)
