"""Repeats, conflicts and lost replies: every command is carried out once."""

from functools import partial
from random import Random
from threading import Thread

import pytest
import redis
from msgspec.structs import replace

from events.commit import without_request
from events.redis_store import RedisStore
from events.store import MOST_KEYS, KeyReused, MemoryStore, Store, Unavailable
from events.types import DiceRolled
from events.values import SeatPlan
from rules.errors import Reason
from rules.legal import choices
from service.games.games import Games
from service.games.idempotency import FIRST_PAGE
from service.games.writer import Caller
from tests.support.api_client import long_key
from tests.support.games import (
    answer_at_random,
    make_games,
    open_ask,
    people,
    play_answers,
    read_snapshot,
    refusal_reason,
    seat_of_token,
    start_game,
    written_by,
)
from tests.support.stores import LAYOUT, CountingStore, FalteringStore, InterruptedStore

# Answering twice


def test_the_same_answer_again_gives_the_first_result(store: Store) -> None:
    games = make_games(store)
    game = start_game(games)
    seat, ask, options = open_ask(games, game)
    first = games.choose(game, Caller(seat), ask, options[0])
    for _ in play_answers(games, game, 5):
        pass
    again = make_games(store).choose(game, Caller(seat), ask, options[0])
    assert again.commit == without_request(written_by(first))
    assert (again.version, again.state) == (first.version, first.state)
    assert (first.replayed, again.replayed) == (False, True)


def test_a_repeat_without_a_key_reads_the_end_of_the_log_alone() -> None:
    store = CountingStore()
    games = make_games(store)
    game = start_game(games, players=3)
    assert len(list(play_answers(games, game, 60))) == 60
    seat, ask, options = open_ask(games, game)
    games.choose(game, Caller(seat), ask, options[0])
    store.calls.clear()
    assert games.choose(game, Caller(seat), ask, options[0]).replayed
    assert {call for call in store.calls if call.startswith("read")} == {
        "read after 61",
        f"read after {62 - FIRST_PAGE}",
    }


def test_another_answer_is_refused_however_late(store: Store) -> None:
    games = make_games(store)
    game = start_game(games)
    seat, ask, options = open_ask(games, game)
    games.choose(game, Caller(seat), ask, options[0])
    assert refusal_reason(games, game, seat, ask, options[-1] + "9") == Reason.ALREADY_ANSWERED
    assert refusal_reason(games, game, 1 - seat, ask, options[0]) == Reason.STALE_ASK
    for _ in play_answers(games, game):
        pass
    assert refusal_reason(games, game, seat, ask, "place-9") == Reason.ALREADY_ANSWERED
    assert games.choose(game, Caller(seat), ask, options[0]).replayed


def test_of_two_different_answers_at_once_one_wins() -> None:
    store = InterruptedStore()
    games, other = make_games(store), make_games(store)
    game = start_game(games)
    seat, ask, options = open_ask(games, game)
    store.interruptions.append(lambda: other.choose(game, Caller(seat), ask, options[0]))
    assert refusal_reason(games, game, seat, ask, options[-1]) == Reason.ALREADY_ANSWERED
    assert store.head(game)[0] == 2


def test_of_two_equal_answers_at_once_both_get_the_one_result() -> None:
    store = InterruptedStore()
    games, other = make_games(store), make_games(store)
    game = start_game(games)
    seat, ask, options = open_ask(games, game)
    store.interruptions.append(lambda: other.choose(game, Caller(seat), ask, options[0]))
    assert games.choose(game, Caller(seat), ask, options[0]).version == 2
    assert store.head(game)[0] == 2


def test_simultaneous_answers_do_not_disturb_each_other() -> None:
    """One ask goes to all seats, and they answer in any order (C2)."""
    store = InterruptedStore()
    games, other = make_games(store), make_games(store)
    game = start_game(games, "cards", players=3)
    state = games.snapshot(game).state
    store.interruptions += [
        partial(other.choose, game, Caller(seat), 1, choices(state, seat)[0]) for seat in (2, 0)
    ]
    outcome = games.choose(game, Caller(1), 1, choices(state, 1)[0])
    assert outcome.version == 4
    assert outcome.state.ask is not None
    assert outcome.state.ask.id == 2


def test_many_threads_answer_one_game_and_every_answer_counts_once(store: Store) -> None:
    game = start_game(make_games(store), "cards", players=5)
    state = make_games(store).snapshot(game).state
    hands = [choices(state, seat)[0] for seat in range(5)]
    threads = [
        Thread(target=make_games(store).choose, args=(game, Caller(seat), 1, hands[seat]))
        for seat in range(5)
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    commits = store.read(game)
    assert sorted(commit.by for commit in commits[1:]) == [f"seat-{seat}" for seat in range(5)]
    assert make_games(store).snapshot(game).version == 6


# Chance


def test_a_conflict_never_rolls_again() -> None:
    """The same seed and running number give the same hands and salts, however often it takes."""
    logs = []
    for store in (MemoryStore(), InterruptedStore()):
        games, other = make_games(store), make_games(store)
        game = games.create("cards", {}, people(2), caller=Caller(key=long_key("the same key"))).game
        first, second = (choices(games.snapshot(game).state, seat)[0] for seat in (0, 1))
        interruption = partial(other.choose, game, Caller(0), 1, first)
        if isinstance(store, InterruptedStore):
            store.interruptions.append(interruption)
        else:
            interruption()
        games.choose(game, Caller(1), 1, second)
        logs.append([commit.events for commit in store.read(game)])
    assert logs[0] == logs[1]


def test_a_lost_request_and_a_lost_reply_never_roll_again() -> None:
    rolls = []
    for before, after in ((0, 0), (1, 0), (0, 1)):
        store = FalteringStore()
        games = make_games(store)
        game = games.create("classic", {}, people(2), caller=Caller(key=long_key("the same key"))).game
        seat, ask, options = open_ask(games, game)
        store.before, store.after = before, after
        outcome = games.choose(game, Caller(seat), ask, options[0])
        assert (outcome.version, outcome.replayed) == (2, False)
        rolls.append(written_by(outcome).events)
    assert any(isinstance(event, DiceRolled) for event in rolls[0])
    assert rolls[0] == rolls[1] == rolls[2]


def test_a_store_that_stays_away_is_said_to_be_away() -> None:
    store = FalteringStore()
    games = make_games(store)
    game = start_game(games)
    seat, ask, options = open_ask(games, game)
    store.before = 2
    with pytest.raises(Unavailable):
        games.choose(game, Caller(seat), ask, options[0])
    assert games.choose(game, Caller(seat), ask, options[0]).version == 2


def test_a_creation_that_another_process_was_faster_with_is_the_one_in_the_log() -> None:
    """Our own attempt got lost and has another seed: it must never be acknowledged."""
    store = InterruptedStore()
    games, other = make_games(store), make_games(store)
    start_game(other)

    def overtaken() -> None:
        other.create("classic", {}, people(2), caller=Caller(key=long_key("the same key")))
        raise Unavailable("the request got lost")

    store.interruptions.append(overtaken)
    seated = games.create("classic", {}, people(2), caller=Caller(key=long_key("the same key")))
    assert seated.replayed
    assert read_snapshot(games, seated.game) == read_snapshot(make_games(store), seated.game)
    assert [seat_of_token(make_games(store), seated.game, seated.tokens[seat]) for seat in (0, 1)] == [0, 1]


def test_an_answer_that_another_process_was_faster_with_is_the_one_in_the_log() -> None:
    store = InterruptedStore()
    games, other = make_games(store), make_games(store)
    game = start_game(games)
    seat, ask, options = open_ask(games, game)

    def overtaken() -> None:
        other.choose(game, Caller(seat, key="the same key"), ask, options[0])
        raise Unavailable("the request got lost")

    store.interruptions.append(overtaken)
    outcome = games.choose(game, Caller(seat, key="the same key"), ask, options[0])
    assert (outcome.commit, outcome.replayed) == (store.read(game)[1], True)
    assert read_snapshot(games, game) == read_snapshot(make_games(store), game)


def test_a_seat_taken_while_the_reply_was_lost_keeps_its_token() -> None:
    store = FalteringStore()
    games = make_games(store)
    game = games.create("classic", {}, [SeatPlan(name="Anna"), SeatPlan()]).game
    store.after = 1
    seated = games.sit(game, "Ben")
    assert (
        seat_of_token(games, game, seated.tokens[1])
        == seat_of_token(make_games(store), game, seated.tokens[1])
        == 1
    )


# Keys


def test_a_repeated_creation_gives_the_same_reply(store: Store) -> None:
    games = make_games(store)
    first = games.create("classic", {}, people(2), caller=Caller(key=long_key("key-1")))
    answer_at_random(games, first.game, Random(1))
    again = make_games(store).create("classic", {}, people(2), caller=Caller(key=long_key("key-1")))
    assert replace(again, replayed=False) == first
    assert again.replayed
    assert len(store.list_games()) == 1


def test_a_repeated_sitting_gives_the_same_seat_and_token(store: Store) -> None:
    games = make_games(store)
    game = games.create("classic", {}, [SeatPlan(name="Anna"), SeatPlan(), SeatPlan()]).game
    first = games.sit(game, "Ben", "luck", caller=Caller(key=long_key("key-2")))
    again = make_games(store).sit(game, "Ben", "luck", caller=Caller(key=long_key("key-2")))
    assert (again.tokens, again.version, again.replayed) == (first.tokens, first.version, True)
    games.sit(game, "Carla")
    assert (
        make_games(store).sit(game, "Ben", "luck", caller=Caller(key=long_key("key-2"))).tokens
        == first.tokens
    )


def test_a_repeated_choice_gives_the_same_reply_even_when_the_game_is_over(store: Store) -> None:
    games = make_games(store)
    game = start_game(games)
    seat, ask, options = open_ask(games, game)
    first = games.choose(game, Caller(seat, key="key-3"), ask, options[0])
    for _ in play_answers(games, game):
        pass
    again = make_games(store).choose(game, Caller(seat, key="key-3"), ask, options[0])
    assert again.commit == without_request(written_by(first))
    assert (again.state, again.replayed) == (first.state, True)


def test_a_key_belongs_to_one_request(store: Store) -> None:
    games = make_games(store)
    game = games.create(
        "classic", {}, [SeatPlan(name="Anna"), SeatPlan(), SeatPlan()], caller=Caller(key=long_key("key"))
    ).game
    with pytest.raises(KeyReused):
        games.create("classic", {}, people(3), caller=Caller(key=long_key("key")))
    games.sit(game, "Ben", "", caller=Caller(key=long_key("key")))
    with pytest.raises(KeyReused):
        games.sit(game, "Carla", "", caller=Caller(key=long_key("key")))
    games.sit(game, "Carla")
    with pytest.raises(KeyReused):
        games.sit(game, "Denny", "", caller=Caller(key=long_key("key")))
    seat, ask, options = open_ask(games, game)
    games.choose(game, Caller(seat, key="key"), ask, options[0])
    with pytest.raises(KeyReused):
        games.choose(game, Caller(seat, key="key"), ask, "place-9")
    next_seat, next_ask, next_options = open_ask(games, game)
    assert not games.choose(game, Caller(next_seat, key="key"), next_ask, next_options[0]).replayed


def test_a_key_that_comes_with_the_repeat_only_belongs_to_that_answer(store: Store) -> None:
    games = make_games(store)
    game = start_game(games)
    seat, ask, options = open_ask(games, game)
    first = games.choose(game, Caller(seat), ask, options[0])
    for _ in range(2):
        again = games.choose(game, Caller(seat, key="late"), ask, options[0])
        assert (again.version, again.replayed) == (first.version, True)
    with pytest.raises(KeyReused):
        games.choose(game, Caller(seat, key="late"), ask, "place-9")


def test_a_repeat_under_ever_new_keys_gets_its_reply_and_leaves_few_traces(memory: redis.Redis) -> None:
    store = RedisStore(memory)
    games = make_games(store)
    game = start_game(games)
    seat, ask, options = open_ask(games, game)
    first = games.choose(game, Caller(seat, key="k"), ask, options[0])
    repeats = [games.choose(game, Caller(seat, key=f"k{number}"), ask, options[0]) for number in range(20)]
    assert {repeat.version for repeat in repeats} == {first.version}
    assert memory.hlen(LAYOUT.game_key("requests", game)) == 1 + MOST_KEYS


def test_games_without_a_key_are_all_different() -> None:
    games = Games(MemoryStore())
    made = [games.create("classic", {}, people(2)) for _ in range(20)]
    assert len({seated.game for seated in made}) == 20
    assert all(seated.game.startswith("g_") and len(seated.game) == 24 for seated in made)
