"""What processes remember of the games they serve, and for how long."""

from events.recently_used import RecentlyUsed
from service.games.cache import Snapshots
from service.games.tokens import SecretsCache, without_tokens
from tests.support.games import make_games, start_game
from tests.support.stores import CountingStore


def test_what_was_not_used_for_longest_is_forgotten_first() -> None:
    things: RecentlyUsed[int] = RecentlyUsed(2)
    things.keep("one", 1)
    things.keep("two", 2)
    assert things.find("one") == 1
    things.keep("three", 3)
    assert [things.find(name) for name in ("one", "two", "three")] == [1, None, 3]


def test_what_is_kept_again_is_kept_once() -> None:
    things: RecentlyUsed[int] = RecentlyUsed(2)
    for number in (1, 2, 3):
        things.keep("one", number)
    things.keep("two", 2)
    assert [things.find(name) for name in ("one", "two")] == [3, 2]


def test_a_game_beyond_the_most_is_read_again_from_its_first_commit() -> None:
    store = CountingStore()
    snapshots, games = Snapshots(store, most=1), [start_game(make_games(store)) for _ in range(2)]
    for game in games:
        snapshots.load(game)
    assert [snapshots.find(game) is None for game in games] == [True, False]
    store.calls.clear()
    assert [snapshots.load(game).version for game in reversed(games)] == [1, 1]
    assert store.calls == ["read after 0", "read after 0"]


def test_a_vault_is_read_once_until_an_unknown_token_comes() -> None:
    store = CountingStore()
    game = start_game(make_games(store))
    snapshots = Snapshots(store)
    vaults, log_epoch, vault = (
        SecretsCache(store, snapshots),
        snapshots.load(game).log_epoch,
        store.vault(game),
    )
    store.calls.clear()
    assert [vaults.load(game, log_epoch) for _ in range(3)] == [without_tokens(vault)] * 3
    assert store.calls.count("vault") == 1
    assert vaults.find_holder(game, "nobody's") is None
    assert store.calls.count("vault") == 2
