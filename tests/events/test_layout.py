"""The number of partitions is a property of the store: written at its birth, read by all, never changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import redis

from events.archive import FOLDERS, Archive, folder_of
from events.chain import GENESIS
from events.cluster import SLOTS, slot_of
from events.commit import Commit
from events.layout import CLUSTER_PARTITIONS, LAYOUTS, PARTITIONS_KEY, Layout, find_layout, peek_layout
from events.objects import FolderObjects
from events.redis import connect
from events.redis_store import RedisStore
from events.store import PARTITIONS, Unavailable
from service.container import Backend, build_backend
from service.lobby.rebuild import adopt_archived, rebuild_lobby
from tests.support.app import open_memory
from tests.support.cluster import ClusterSet, run_cluster
from tests.support.event_samples import next_commit
from tests.support.finished_games import finished_log

GAMES = [f"g_{number:022d}" for number in range(2_000)]


def test_keys_of_64_partitions_are_what_they_were() -> None:
    layout = Layout()
    assert layout.game_key("game", "g_first") == "croupier:{61}:game:g_first"
    assert layout.feed_key(7) == "croupier:{07}:feed"
    assert layout.stubs_key(63) == "croupier:{63}:archived"


def test_no_key_of_one_number_is_a_key_of_the_other() -> None:
    tags = [{layout.tag(number) for number in range(layout.partitions)} for layout in LAYOUTS.values()]
    assert [len(some) for some in tags] == [PARTITIONS, CLUSTER_PARTITIONS]
    assert not set.intersection(*tags)


def test_partitions_of_a_cluster_are_shared_evenly() -> None:
    layout = LAYOUTS[CLUSTER_PARTITIONS]
    for masters in range(3, 33):
        slots = [slot_of(layout.feed_key(number)) for number in range(layout.partitions)]
        shares = Counter(slot * masters // SLOTS for slot in slots)
        assert max(shares.values()) <= 1.1 * layout.partitions / masters + 1
    spread = Counter(map(layout.partition, GAMES))
    assert len(spread) == CLUSTER_PARTITIONS


@pytest.mark.parametrize("layout", LAYOUTS.values())
def test_games_of_a_folder_of_the_archive_are_in_its_partitions(layout: Layout) -> None:
    """So one archive can serve a store with any number, and the folder says where stubs are."""
    assert {layout.partition(game) % FOLDERS - folder_of(game) for game in GAMES} == {0}


def test_one_server_has_64_partitions_unless_it_says_otherwise(memory: redis.Redis) -> None:
    assert peek_layout(memory) == find_layout(memory) == Layout(64)
    assert memory.keys("*") == []


def test_a_number_is_read_once(memory: redis.Redis) -> None:
    memory.set(PARTITIONS_KEY, 256)
    store = RedisStore(memory)
    assert store.partitions == 256
    memory.set(PARTITIONS_KEY, 64)
    assert RedisStore(memory).partitions == store.partitions == 256


@pytest.mark.parametrize("number", ["100", "", "many", "-64"])
def test_a_number_of_another_program_is_refused(memory: redis.Redis, number: str) -> None:
    memory.set(PARTITIONS_KEY, number)
    with pytest.raises(Unavailable, match="does not know") as refusal:
        RedisStore(memory).append("g", next_commit((0, GENESIS)))
    assert refusal.value.cause == "version"


@pytest.fixture
def memory() -> Iterator[redis.Redis]:
    with open_memory() as client:
        yield client


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClusterSet]:
    with run_cluster(tmp_path_factory.mktemp("cluster"), replicas=0) as cluster:
        yield cluster


@pytest.fixture
def url(cluster: ClusterSet) -> str:
    with connect(cluster.url) as client:
        client.flushall()
    return cluster.url


def test_a_store_that_is_born_on_a_cluster_has_256_partitions(url: str) -> None:
    with connect(url) as client, connect(url) as other:
        assert peek_layout(client).partitions == 256
        assert client.get(PARTITIONS_KEY) is None
        store = RedisStore(client)
        store.append("g_first", next_commit((0, GENESIS)))
        assert client.get(PARTITIONS_KEY) == b"256"
        assert client.exists("croupier:{175}:game:g_first")
        assert RedisStore(other).head("g_first")[0] == 1
        # If it is lost with a server, the games tell it.
        client.delete(PARTITIONS_KEY)
    with connect(url) as again:
        assert RedisStore(again).list_games() == ["g_first"]
        assert RedisStore(again).head("g_first")[0] == 1
        assert again.get(PARTITIONS_KEY) == b"256"


def test_a_store_that_had_games_on_a_cluster_before_keeps_64(url: str) -> None:
    with connect(url) as client:
        client.xadd("croupier:{61}:feed", {"g": "g_first", "v": 1})
        assert find_layout(client) == Layout(64)
        assert client.get(PARTITIONS_KEY) == b"64"


def open_store(memory: redis.Redis, folder: Path, partitions: int) -> Backend:
    memory.set(PARTITIONS_KEY, partitions)
    return build_backend(memory, archive=Archive(FolderObjects(folder)))


@pytest.mark.parametrize("numbers", [(64, 256), (256, 64)])
def test_an_archive_serves_a_store_with_another_number(
    memory: redis.Redis, tmp_path: Path, numbers: tuple[int, int]
) -> None:
    former = open_store(memory, tmp_path, numbers[0])
    game, commits, seed = finished_log()
    former.store.create_with_history(game, commits, {"seed": seed})
    rebuild_lobby(former)
    assert former.archiver
    assert former.archiver.archive(game)
    with open_memory() as another:
        check_adoption(open_store(another, tmp_path, numbers[1]), game, commits)


def check_adoption(later: Backend, game: str, commits: Sequence[Commit]) -> None:
    """A store that knows nothing finds the game in the archive."""
    for number in range(FOLDERS):
        adopt_archived(later, number, record_fault=lambda game, fault: pytest.fail(str(fault)))
    assert list(later.store.read(game)) == list(commits)
    assert later.store.list_archived() == [game]
    assert [row.id for row in later.lobby.page().games] == [game]
    verdict = later.auditor.audit(game).verified
    assert verdict
    assert verdict.ok
