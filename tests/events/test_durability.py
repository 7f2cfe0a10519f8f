"""What is not derived counts only when replicas have it, also when it is repeated or found again."""

import signal
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
import redis

from events.chain import GENESIS
from events.durability import send_durably
from events.inspection import inspect_server
from events.redis import connect
from events.redis_store import RedisStore
from events.store import KeyReused, Repeated, Unavailable
from service.games.creators import Creators
from service.games.idempotency import StoredResults, identify_request
from service.players.players import PlayerChanges, Players
from tests.support.event_samples import next_commit, with_key
from tests.support.sentinel import PASSWORD_IN_URL, SentinelSet
from tests.support.waiting import wait_until

CONFIRM_SECONDS = 0.1
KEY = "a key that is hard to guess 1234"
FIRST = with_key(next_commit((0, GENESIS)), "k")


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SentinelSet]:
    servers = SentinelSet(tmp_path_factory.mktemp("servers"), replicas=1)
    try:
        servers.start_servers()
        yield servers
    finally:
        servers.stop()


def url_of(servers: SentinelSet) -> str:
    return f"redis://:{PASSWORD_IN_URL}@127.0.0.1:{servers.servers[0].port}"


@pytest.fixture
def client(servers: SentinelSet) -> Iterator[redis.Redis]:
    """A client that wants one replica to confirm what it writes; there is one."""
    with connect(url_of(servers), replicas=1, confirm_seconds=CONFIRM_SECONDS) as client:
        client.flushdb()
        wait_until(lambda: is_confirmed(client), "a replica that confirms what is written")
        yield client


def is_confirmed(client: redis.Redis) -> bool:
    with suppress(Unavailable):
        return bool(send_durably(client, "any", "PING"))
    return False


@pytest.fixture
def stopped_replica(servers: SentinelSet, client: redis.Redis) -> Iterator[None]:
    servers.servers[1].send_signal(signal.SIGSTOP)
    yield
    servers.servers[1].send_signal(signal.SIGCONT)


def create_with_history(client: redis.Redis) -> None:
    RedisStore(client).create_with_history("g", [FIRST], {"a": "b"})


def create_player(client: redis.Redis) -> None:
    Players(client).create("Anna", identify_request("players", KEY, "Anna"))


def store_result(client: redis.Redis) -> None:
    StoredResults(client).store(identify_request("imports", KEY, "x"), "g", 60)


TRUTHS: dict[str, Callable[[redis.Redis], object]] = {
    "a commit": lambda client: RedisStore(client).append("g", FIRST),
    "a game with its history": create_with_history,
    "secrets of a game": lambda client: RedisStore(client).add_to_vault("g", {"a": "b"}),
    "a removal": lambda client: RedisStore(client).remove("g"),
    "a request that is found": lambda client: RedisStore(client).find_request("g", FIRST.key, FIRST.request),
    "the secret of the store": lambda client: RedisStore(client).secret(),
    "the key of creators": lambda client: Creators(client).identify("10.0.0.0/24"),
    "the result of a request": store_result,
    "a player": create_player,
}


@pytest.mark.parametrize("name", TRUTHS)
def test_a_write_without_a_replica_is_unsure_however_often_it_is_repeated(
    client: redis.Redis, stopped_replica: None, name: str
) -> None:
    """Over other connections: of one that wrote before, the server knows what it waits for."""
    for _ in range(3):
        client.connection_pool.disconnect()
        with pytest.raises(Unavailable) as fault:
            TRUTHS[name](client)
        assert fault.value.cause == "replicas"


@pytest.mark.parametrize("name", ["rename", "token", "erase"])
def test_changes_of_a_player_wait_for_a_replica(client: redis.Redis, servers: SentinelSet, name: str) -> None:
    players = Players(client)
    changes = PlayerChanges(client, players)
    anna = players.create("Anna", identify_request("players", KEY, "Anna")).player
    calls: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "rename": (lambda: changes.rename(anna, "Ann", KEY), lambda: changes.rename(anna, "Ann", KEY)),
        "token": (
            lambda: changes.change_token(anna, KEY),
            lambda: changes.find_rotation(anna.credential, KEY),
        ),
        "erase": (lambda: changes.erase(anna, KEY), lambda: changes.was_erased(anna.credential, KEY)),
    }
    change, find = calls[name]
    servers.servers[1].send_signal(signal.SIGSTOP)
    try:
        for attempt in (change, find, find):
            client.connection_pool.disconnect()
            with pytest.raises(Unavailable, match="0 of 1 replicas"):
                attempt()
    finally:
        servers.servers[1].send_signal(signal.SIGCONT)
    assert find()


def test_a_repeat_is_told_once_a_replica_has_it(client: redis.Redis, servers: SentinelSet) -> None:
    store = RedisStore(client)
    servers.servers[1].send_signal(signal.SIGSTOP)
    attempts: list[Callable[[], None]] = [
        lambda: store.append("g", FIRST),
        lambda: store.append("g", FIRST),
        lambda: store.confirm("g", 1, FIRST.hash),
    ]
    for attempt in attempts:
        client.connection_pool.disconnect()
        with pytest.raises(Unavailable, match="0 of 1 replicas"):
            attempt()
    servers.servers[1].send_signal(signal.SIGCONT)
    with pytest.raises(Repeated):
        store.append("g", FIRST)
    store.confirm("g", 1, FIRST.hash)
    with pytest.raises(Unavailable, match="another version 1"):
        store.confirm("g", 1, GENESIS)


def test_refusals_are_told_as_without_replicas(client: redis.Redis) -> None:
    store = RedisStore(client)
    store.append("g", FIRST)
    with pytest.raises(KeyReused):
        store.find_request("g", FIRST.key, "another")


def test_a_client_that_wants_no_replica_does_not_wait(servers: SentinelSet, stopped_replica: None) -> None:
    with connect(url_of(servers)) as local:
        RedisStore(local).append("g", FIRST)
        RedisStore(local).confirm("g", 1, FIRST.hash)


def test_too_few_replicas_are_an_outage_and_none_to_spare_a_warning(
    servers: SentinelSet, client: redis.Redis
) -> None:
    inspection = inspect_server(client)
    assert (inspection.cause, inspection.is_short, inspection.replicas) == (None, True, 1)
    assert "add a replica" in inspection.warnings[0]
    with connect(url_of(servers), replicas=2) as wanting:
        inspection = inspect_server(wanting)
    assert inspection.cause == "replicas"
    assert inspection.troubles == ["1 of 2 replicas keep up with it: bring them back"]


def test_a_server_that_hides_its_settings_must_be_trusted(servers: SentinelSet, client: redis.Redis) -> None:
    rights = ["+@all", "-info", "-config"]
    client.acl_setuser("guest", enabled=True, nopass=True, keys=["*"], commands=rights)
    with connect(f"redis://guest:any@127.0.0.1:{servers.servers[0].port}") as guest:
        with pytest.raises(redis.ResponseError):
            inspect_server(guest)
        inspection = inspect_server(guest, trusted=True)
    assert (inspection.unfit, inspection.troubles, inspection.cause) == ([], [], None)
    assert "REDIS_SETTINGS=trusted" in inspection.warnings[0]


def test_a_trusted_server_may_keep_no_file_but_must_not_evict(client: redis.Redis) -> None:
    client.config_set("appendonly", "no")
    try:
        assert len(inspect_server(client).unfit) == 1
        assert inspect_server(client, trusted=True).unfit == []
        client.config_set("maxmemory-policy", "allkeys-lru")
        [fault] = inspect_server(client, trusted=True).unfit
    finally:
        client.config_set("maxmemory-policy", "noeviction")
        client.config_set("appendonly", "yes")
    assert "allkeys-lru" in fault
