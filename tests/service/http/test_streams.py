"""Streams and tails below HTTP: how far they reach, when they wait, what they read again."""

from collections.abc import Iterator
from itertools import count, islice
from random import Random

import pytest
import redis

from rules.legal import choices
from service.games.cache import FAR
from service.games.games import Games
from service.games.writer import Caller
from service.http.doorbell import Doorbell, Listener
from service.http.streaming import BATCH, RETRY, Reader, Streams
from tests.support.games import answer_at_random, make_games, play_answers, start_game
from tests.support.stores import CountingStore, ForgetfulStore


@pytest.fixture
def doorbell(memory: redis.Redis) -> Doorbell:
    return Doorbell(memory)


def quiet(doorbell: Doorbell, game: str) -> Listener:
    """Rung by the test alone."""
    return Listener(doorbell, game)


def played_slowly(games: Games, seed: int, most: int) -> str:
    """Whoever may pass does; so a game takes the most commits."""
    game, random = start_game(games, "royale", {"tiles": 6}, 5), Random(seed)
    while (state := games.snapshot(game)).version < most and state.state.ask is not None:
        seat = state.state.ask.awaited[0]
        options = choices(state.state, seat)
        choice = "pass" if "pass" in options else random.choice(options)
        games.choose(game, Caller(seat), state.state.ask.id, choice)
    return game


def longer_than_a_batch(games: Games, most: int, least: int = BATCH + 1) -> str:
    """How long a game takes is chance: the first that is long enough."""
    played = (played_slowly(games, seed, most) for seed in count())
    return next(game for game in played if games.snapshot(game).version >= least)


def open_stream(games: Games, doorbell: Doorbell, game: str, limit: int | None = None) -> Iterator[bytes]:
    streams = Streams(games, doorbell)
    opening = streams.open_log(game, None, 0, limit)
    return streams.frames(opening.reader, opening.tail, quiet(doorbell, game))


def ids(versions: range) -> list[bytes]:
    return [b"id: %d" % version for version in versions]


def first_lines(frames: list[bytes]) -> list[bytes]:
    return [frame.partition(b"\n")[0] for frame in frames]


def test_a_stream_reaches_the_newest_of_many_commits_without_a_pause(doorbell: Doorbell) -> None:
    games = make_games()
    game = longer_than_a_batch(games, BATCH + 2)
    newest = games.snapshot(game).version
    stream = open_stream(games, doorbell, game)
    assert next(stream) == RETRY
    assert first_lines(list(islice(stream, newest))) == ids(range(1, newest + 1))


def test_a_stream_of_a_long_game_that_is_over_has_all_of_it(doorbell: Doorbell) -> None:
    games = make_games()
    game = longer_than_a_batch(games, 10_000)
    newest = games.snapshot(game).version
    stream = open_stream(games, doorbell, game)
    assert next(stream) == RETRY
    assert first_lines(list(stream)) == [*ids(range(1, newest + 1)), b"event: over"]


@pytest.mark.parametrize(("left_out", "end"), [(0, b"event: over"), (1, b"event: limit")])
def test_a_stream_with_a_limit_says_over_only_at_the_end(
    doorbell: Doorbell, left_out: int, end: bytes
) -> None:
    games = make_games()
    game = played_slowly(games, 0, 10_000)
    most = games.snapshot(game).version - left_out
    stream = open_stream(games, doorbell, game, most)
    assert first_lines(list(stream))[1:] == [*ids(range(1, most + 1)), end]


def test_a_ring_for_more_than_others_have_read_is_followed_at_once(doorbell: Doorbell) -> None:
    """One ring may stand for several commits, of which another viewer has fetched the first."""
    store = CountingStore()
    streams, there = Streams(make_games(store), doorbell), make_games(store)
    game = start_game(there)
    answer_at_random(there, game, Random(1))
    reader = Reader(game, None, 1, over=False)
    tail = streams.read_tail(reader)
    assert tail.version == 2
    answer_at_random(there, game, Random(1))
    listener = quiet(doorbell, game)
    listener.ring(3)
    assert listener.wait(0)
    assert first_lines(list(islice(streams.frames(reader, tail, listener), 3)))[1:] == ids(range(2, 4))


def test_one_reading_of_the_log_serves_all_viewers_whom_a_ring_has_called(doorbell: Doorbell) -> None:
    store = CountingStore()
    games = make_games(store)
    streams, game = Streams(games, doorbell), start_game(games)
    answer_at_random(games, game, Random(1))
    store.calls.clear()
    tails = [streams.read_tail(Reader(game, None, 1, over=False), ring=0) for _ in range(5)]
    assert [tail.version for tail in tails] == [2] * 5
    assert store.calls == ["read after 0"]
    answer_at_random(games, game, Random(1))
    for ring in (1, None):
        assert streams.read_tail(Reader(game, None, 1, over=False), ring).version == 3


def test_a_stream_that_nobody_rang_for_does_not_stop_where_others_did(doorbell: Doorbell) -> None:
    store = ForgetfulStore()
    game = longer_than_a_batch(make_games(store), BATCH + 6, least=BATCH + 6)
    later = store.read(game, BATCH + 3)
    store.lose(game, BATCH + 3)
    streams = Streams(make_games(store), doorbell)
    assert len(follow(streams, doorbell, game, BATCH + 3)) == BATCH + 3
    for commit in later:
        store.append(game, commit)
    assert first_lines(follow(streams, doorbell, game, BATCH + 6)) == ids(range(1, BATCH + 7))


def test_a_stream_that_nobody_rang_for_shows_nothing_of_a_lost_branch(doorbell: Doorbell) -> None:
    store = ForgetfulStore()
    game = longer_than_a_batch(make_games(store), BATCH + 20, least=BATCH + 20)
    store.lose(game, BATCH + 3)
    games = make_games(store)
    streams = Streams(games, doorbell)
    lost = follow(streams, doorbell, game, BATCH + 3)
    store.lose(game, BATCH)
    for _ in play_answers(make_games(store), game, 3, seed=2):
        pass
    # Whoever looks at the table tells the process that the log is another.
    games.snapshot(game)
    shown = follow(streams, doorbell, game, BATCH + 3)
    assert shown[:BATCH] == lost[:BATCH]
    assert [store.read(game, BATCH)[at].hash.encode() in shown[BATCH + at] for at in range(3)] == [True] * 3


def follow(streams: Streams, doorbell: Doorbell, game: str, number: int) -> list[bytes]:
    """So many frames of a stream from the beginning."""
    opening = streams.open_log(game, None, 0, None)
    frames = streams.frames(opening.reader, opening.tail, quiet(doorbell, game))
    return list(islice(frames, 1, number + 1))


@pytest.mark.parametrize(
    ("after", "reads"), [(0, ["read after 0"]), (9, ["read after 8"]), (10, ["read after 9"])]
)
def test_a_reader_begins_with_one_reading_of_the_log(
    doorbell: Doorbell, after: int, reads: list[str]
) -> None:
    """Whether the game is over, its version and the first commits come from the same entries."""
    store = CountingStore()
    games = make_games(store)
    game = start_game(games)
    for _ in play_answers(games, game, 10):
        pass
    streams = Streams(games, doorbell)
    answer_at_random(make_games(store), game, Random(1))
    store.calls.clear()
    opening = streams.open_log(game, None, after, None)
    assert (opening.version, opening.tail.version, len(opening.tail.lines)) == (12, 12, 12 - after)
    assert store.calls == reads


def test_a_reader_far_behind_gets_its_page_without_the_log_between(doorbell: Doorbell) -> None:
    store = CountingStore()
    games = make_games(store)
    game = longer_than_a_batch(games, BATCH + 20, least=1 + FAR + 2)
    newest = games.snapshot(game).version
    store.calls.clear()
    opening = Streams(games, doorbell).open_log(game, None, 1, 5)
    assert (opening.version, opening.tail.version) == (newest, 6)
    assert store.calls == ["read after 0", f"read after {newest - 1}"]


def test_a_reader_ahead_of_the_game_gets_nothing_yet(doorbell: Doorbell) -> None:
    games = make_games()
    game = start_game(games)
    opening = Streams(games, doorbell).open_log(game, None, 99, None)
    assert (opening.version, list(opening.tail.lines)) == (1, [])


@pytest.mark.parametrize("written_since", [0, 1, 4, 9])
def test_a_log_that_went_another_way_is_read_anew(doorbell: Doorbell, written_since: int) -> None:
    """As after a failover that lost the newest commits, whether or not others wrote on."""
    store = ForgetfulStore()
    games = make_games(store)
    game = start_game(games)
    for _ in play_answers(games, game, 5):
        pass
    store.lose(game, 2)
    for _ in play_answers(make_games(store), game, written_since, seed=2):
        pass
    opening = Streams(games, doorbell).open_log(game, None, 1, None)
    assert opening.version == opening.tail.version == 2 + written_since
    assert opening.tail.head == store.head(game)[1] == games.snapshot(game).head
