"""Whatever is tried in whatever order, Redis answers as the store in memory does."""

from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from events.redis_store import RedisStore
from events.store import PARTITIONS, Conflict, KeyReused, MemoryStore, Repeated, Store, partition
from tests.support.app import open_memory
from tests.support.event_samples import next_commit, with_key
from tests.support.profiles import examples

GAMES = ("g_1", "g_2")
Attempt = tuple[str, int, bool, str, str]

attempts: st.SearchStrategy[Attempt] = st.tuples(
    st.sampled_from(GAMES),
    st.integers(-2, 2),
    st.booleans(),
    st.sampled_from(["", "k1", "k2", "k3"]),
    st.sampled_from(["r1", "r2"]),
)


def outcome(action: Callable[[], Any]) -> Any:
    try:
        return action()
    except (Conflict, KeyReused) as refusal:
        return type(refusal)
    except Repeated as known:
        return known.version


def tried(store: Store, attempt: Attempt) -> Any:
    """An append that may be ahead, behind, on another head, or under a used key."""
    game, ahead, own_head, key, request = attempt
    version, head = store.head(game)
    commit = with_key(next_commit((max(version + ahead, 0), head if own_head else "f" * 64)), key, request)
    return outcome(lambda: store.append(game, commit, {key: request} if key else None))


def seen(store: Store) -> Any:
    feeds = [[(e.game, e.version) for e in store.read_feed(partition(game), "", 999)] for game in GAMES]
    return (
        feeds,
        [(list(store.read_stored(game)), store.vault(game)) for game in GAMES],
        sorted(store.list_games()),
        store.find_present([*GAMES, "another"]),
    )


@examples(40, long=200)
@given(st.lists(attempts, max_size=25))
def test_redis_and_memory_give_the_same_answers(script: list[Attempt]) -> None:
    memory = MemoryStore(PARTITIONS)
    with open_memory() as client:
        stored = RedisStore(client)
        for attempt in script:
            assert tried(stored, attempt) == tried(memory, attempt)
        assert seen(stored) == seen(memory)
