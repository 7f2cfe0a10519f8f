"""One contract for every store."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from events.chain import GENESIS, check_chain
from events.commit import Commit, decode_raw, encode
from events.store import MOST_KEYS, PARTITIONS, Conflict, FeedEntry, KeyReused, Repeated, Store, partition
from tests.support.event_samples import SEED, next_commit, sample_log, with_key

GAME = "g_first"


def fill(store: Store, game: str, count: int) -> list[Commit]:
    commits = []
    for _ in range(count):
        commits.append(next_commit(store.head(game)))
        store.append(game, commits[-1])
    return commits


def test_what_was_appended_is_read_back(store: Store) -> None:
    for commit in sample_log():
        store.append(GAME, commit)
    assert list(store.read(GAME)) == sample_log()
    assert store.head(GAME) == (len(sample_log()), sample_log()[-1].hash)


def test_an_unknown_game_is_empty(store: Store) -> None:
    assert not store.read("g_none")
    assert not store.read_stored("g_none")
    assert store.head("g_none") == (0, GENESIS)
    assert (store.vault("g_none"), store.find_request("g_none", "k", "r"), list(store.list_games())) == (
        {},
        None,
        [],
    )


def test_a_tail_and_a_page_are_read_by_version(store: Store) -> None:
    commits = fill(store, GAME, 6)
    assert list(store.read(GAME, after=4)) == commits[4:]
    assert list(store.read(GAME, after=1, limit=2)) == commits[1:3]
    assert list(store.read(GAME, after=6)) == list(store.read(GAME, after=60)) == []


def test_the_stored_form_is_what_was_encoded_and_its_chain_holds(store: Store) -> None:
    commits = fill(store, GAME, 3)
    assert list(store.read_stored(GAME, after=1, limit=1)) == [encode(commits[1])]
    assert check_chain(decode_raw(entry) for entry in store.read_stored(GAME)) == store.head(GAME)[1]


def test_a_game_is_founded_with_all_its_commits_or_not_at_all(store: Store) -> None:
    *before, last = sample_log()
    store.create_with_history(GAME, [*before, with_key(last, "k", "r")], {"seed": SEED, "token:x": "0"})
    assert list(store.read(GAME)) == sample_log()
    assert store.head(GAME) == (len(sample_log()), last.hash)
    assert store.vault(GAME) == {"seed": SEED, "token:x": "0"}
    assert store.find_request(GAME, "k", "r") == last.version
    (entry,) = store.read_feed(partition(GAME, store.partitions), "", 10)
    assert (entry.game, entry.version) == (GAME, last.version)


def test_what_is_there_is_not_founded_again(store: Store) -> None:
    *before, last = sample_log()
    store.create_with_history(GAME, [*before, with_key(last, "k", "r")], {})
    with pytest.raises(Conflict):
        store.create_with_history(GAME, sample_log(), {"seed": "another"})
    with pytest.raises(Repeated) as repeated:
        store.create_with_history(GAME, [*before, with_key(last, "k", "r")], {})
    assert repeated.value.version == last.version
    with pytest.raises(KeyReused):
        store.create_with_history(GAME, [*before, with_key(last, "k", "other")], {})
    assert (store.head(GAME)[0], store.vault(GAME)) == (len(sample_log()), {})
    store.append(GAME, next_commit(store.head(GAME)))
    assert store.head(GAME)[0] == len(sample_log()) + 1


@pytest.mark.parametrize("version", [1, 2, 4, 9])
def test_a_version_that_does_not_follow_is_a_conflict(store: Store, version: int) -> None:
    head = fill(store, GAME, 2)[-1].hash
    with pytest.raises(Conflict):
        store.append(GAME, next_commit((version - 1, head)))
    assert store.head(GAME) == (2, head)


def test_the_first_commit_has_version_1_and_follows_nothing(store: Store) -> None:
    for head in ((1, GENESIS), (0, "f" * 64)):
        with pytest.raises(Conflict):
            store.append(GAME, next_commit(head))
    assert list(store.list_games()) == []


def test_the_right_version_on_another_head_is_a_conflict(store: Store) -> None:
    """A writer that remembers a branch which a failover lost must not go on from it."""
    fill(store, GAME, 2)
    with pytest.raises(Conflict):
        store.append(GAME, next_commit((2, "f" * 64)))
    assert store.head(GAME)[0] == 2


def test_a_refused_commit_leaves_nothing_behind(store: Store) -> None:
    fill(store, GAME, 1)
    before = store.read_feed(partition(GAME), "", 10)
    with pytest.raises(Conflict):
        store.append(GAME, with_key(next_commit((5, GENESIS)), "k"), {"seed": SEED})
    assert store.find_request(GAME, "k", "the request") is None
    assert (store.vault(GAME), store.read_feed(partition(GAME), "", 10)) == ({}, before)


def test_the_same_request_under_its_key_is_told_its_version(store: Store) -> None:
    fill(store, GAME, 1)
    commit = with_key(next_commit(store.head(GAME)), "k", "a:b:c")
    store.append(GAME, commit)
    fill(store, GAME, 1)
    for again in (commit, with_key(next_commit(store.head(GAME)), "k", "a:b:c")):
        with pytest.raises(Repeated) as known:
            store.append(GAME, again)
        assert known.value.version == 2
    assert (store.find_request(GAME, "k", "a:b:c"), store.head(GAME)[0]) == (2, 3)


def test_a_key_belongs_to_one_request(store: Store) -> None:
    store.append(GAME, with_key(next_commit((0, GENESIS)), "k", "one"))
    with pytest.raises(KeyReused):
        store.append(GAME, with_key(next_commit(store.head(GAME)), "k", "other"))
    with pytest.raises(KeyReused):
        store.find_request(GAME, "k", "other")
    assert store.head(GAME)[0] == 1


def test_a_key_that_came_later_belongs_to_its_request_too(store: Store) -> None:
    store.append(GAME, with_key(next_commit((0, GENESIS)), "own", "one"))
    store.append(GAME, with_key(next_commit(store.head(GAME)), "other", "two"))
    for _ in range(2):
        store.remember_request(GAME, "k", "one", 1)
    assert store.find_request(GAME, "k", "one") == 1
    with pytest.raises(Repeated):
        store.append(GAME, with_key(next_commit(store.head(GAME)), "k", "one"))
    with pytest.raises(KeyReused):
        store.remember_request(GAME, "k", "two", 2)
    with pytest.raises(KeyReused):
        store.find_request(GAME, "k", "two")


def test_one_commit_takes_so_many_keys_and_no_more(store: Store) -> None:
    """Else whoever repeats one answer under ever new keys fills the memory of the server."""
    store.append(GAME, with_key(next_commit((0, GENESIS)), "own", "one"))
    store.append(GAME, with_key(next_commit(store.head(GAME)), "other", "two"))
    keys = [f"k{number}" for number in range(MOST_KEYS)]
    for key in keys:
        store.remember_request(GAME, key, "one", 1)
    assert [store.find_request(GAME, key, "one") for key in keys] == [1] * (MOST_KEYS - 1) + [None]
    store.remember_request(GAME, "late", "two", 2)
    assert store.find_request(GAME, "late", "two") == 2
    with pytest.raises(KeyReused):
        store.remember_request(GAME, "k0", "two", 2)


def test_a_key_belongs_to_one_game(store: Store) -> None:
    for game in ("g_a", "g_b"):
        store.append(game, with_key(next_commit((0, GENESIS)), "k", game))
    assert [store.head(game)[0] for game in ("g_a", "g_b")] == [1, 1]


def test_commits_without_a_key_are_no_repeats_of_each_other(store: Store) -> None:
    assert [commit.key for commit in fill(store, GAME, 2)] == ["", ""]


def test_the_vault_is_kept_apart_from_the_log(store: Store) -> None:
    store.append(GAME, next_commit((0, GENESIS)), {"seed": SEED, "token-0": "hash of Zoë's token"})
    store.add_to_vault(GAME, {"token-1": "another"})
    store.add_to_vault(GAME, {})
    assert store.vault(GAME) == {"seed": SEED, "token-0": "hash of Zoë's token", "token-1": "another"}
    assert SEED.encode() not in b"".join(store.read_stored(GAME))
    assert list(store.list_games()) == [GAME]


def test_a_removed_game_is_unknown_and_can_be_created_again(store: Store) -> None:
    commits = fill(store, "g_1", 3)
    fill(store, "g_2", 1)
    store.add_to_vault("g_1", {"seed": "s"})
    store.remember_request("g_1", "key", "request", 2)
    store.remove("g_1")
    assert (store.read("g_1"), dict(store.vault("g_1")), store.list_games()) == ([], {}, ["g_2"])
    assert store.find_request("g_1", "key", "request") is None
    store.create_with_history("g_1", commits, {})
    assert store.head("g_1")[0] == 3


def test_a_game_is_known_by_any_name(store: Store) -> None:
    names = {"g_a", "g:b", "g_{7}", "Zoë's game", "g_a:feed"}
    for name in names:
        store.append(name, next_commit((0, GENESIS)))
    assert set(store.list_games()) == names
    assert [store.head(name)[0] for name in names] == [1] * len(names)


def neighbours(count: int) -> list[str]:
    """Games that share the partition of the first."""
    names = (f"g_{number}" for number in range(100_000))
    shared = (name for name in names if partition(name) == partition(GAME))
    return [next(shared) for _ in range(count)]


def test_the_feed_names_every_commit_of_its_partition_in_order(store: Store) -> None:
    one, other = neighbours(2)
    for game in (one, other, one, one, other):
        fill(store, game, 1)
    entries = store.read_feed(partition(one), "", 10)
    assert [(e.game, e.version) for e in entries] == [(one, 1), (other, 1), (one, 2), (one, 3), (other, 2)]


@pytest.mark.parametrize("size", [1, 2])
def test_the_feed_is_read_on_from_a_position(store: Store, size: int) -> None:
    number = partition(GAME)
    fill(store, GAME, 5)
    whole = list(store.read_feed(number, "", 10))
    page: list[FeedEntry] = list(store.read_feed(number, "", size))
    while more := store.read_feed(number, page[-1].position, size):
        assert len(more) <= size
        page += more
    assert page == whole


def test_a_bookmark_is_where_the_feed_goes_on(store: Store) -> None:
    number = partition(GAME)
    for _ in range(2):
        position = store.add_bookmark(number)
        assert list(store.read_feed(number, position, 10)) == []
        version = fill(store, GAME, 1)[0].version
        assert [(e.game, e.version) for e in store.read_feed(number, position, 10)] == [(GAME, version)]


def test_of_writers_at_once_exactly_one_wins(store: Store) -> None:
    fill(store, GAME, 1)
    head, start = store.head(GAME), Barrier(8)

    def write(number: int) -> bool:
        start.wait()
        return succeeds(lambda: store.append(GAME, with_key(next_commit(head), f"k{number}")))

    with ThreadPoolExecutor(8) as writers:
        assert Counter(writers.map(write, range(8))) == {True: 1, False: 7}
    assert store.head(GAME)[0] == 2


def test_of_equal_requests_at_once_one_is_carried_out_and_all_learn_its_version(store: Store) -> None:
    start = Barrier(8)

    def write(_: int) -> int:
        start.wait()
        try:
            store.append(GAME, with_key(next_commit((0, GENESIS)), "k"))
        except Repeated as known:
            return known.version
        return 1

    with ThreadPoolExecutor(8) as writers:
        assert set(writers.map(write, range(8))) == {1}
    assert len(store.read(GAME)) == len(store.read_feed(partition(GAME), "", 10)) == 1


def test_writers_that_try_again_leave_one_chain_without_gaps(store: Store) -> None:
    def write(key: str) -> None:
        while not succeeds(lambda: store.append(GAME, with_key(next_commit(store.head(GAME)), key))):
            pass

    with ThreadPoolExecutor(4) as writers:
        list(writers.map(write, map(str, range(20))))
    assert check_chain(decode_raw(entry) for entry in store.read_stored(GAME)) == store.head(GAME)[1]
    assert store.head(GAME)[0] == 20


def succeeds(append: Callable[[], None]) -> bool:
    try:
        append()
    except Conflict:
        return False
    return True


def test_games_spread_over_all_partitions() -> None:
    spread = Counter(partition(f"g_{number:06d}") for number in range(200))
    assert len(spread) > PARTITIONS * 0.8
    assert max(spread.values()) <= 12


def test_a_partition_never_changes() -> None:
    """It is in the key of every stored game."""
    assert [partition(game) for game in ("g_first", "g_second", "Zoë")] == [61, 31, 42]
