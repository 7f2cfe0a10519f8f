"""What happens in all games of a player, told once each: by pages, lines and streams that resume."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import islice
from random import Random
from typing import Any, cast
from urllib.parse import quote

import msgspec
import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st

from events.redis_store import RedisStore
from rules.state import EMPTY
from service.container import build_backend
from service.http.doorbell import Doorbell
from service.http.streaming import RETRY, STREAM_ENDINGS, MyStreamEnd, MyStreams, frame_lines
from service.players.feed import PlayerEvent, PlayerFeed, PlayerReading, follow_events
from tests.service.history.test_events import frames
from tests.support.api_client import ApiClient, Game, PlayerClient, project
from tests.support.app import capture_log, open_app, open_memory
from tests.support.profiles import examples
from tests.support.stores import LAYOUT
from tests.support.waiting import wait_until

NDJSON, SSE = "application/x-ndjson", "text/event-stream"


@pytest.fixture
def anna(api: ApiClient) -> PlayerClient:
    return PlayerClient(api, "Anna")


@pytest.fixture
def ben(api: ApiClient) -> PlayerClient:
    return PlayerClient(api, "Ben")


def told(player: PlayerClient, query: str = "") -> list[tuple[str, int, str, int]]:
    events = player.get(f"/v1/me/events{query}")["events"]
    return [(event["game"], event["version"], event["type"], event["seat"]) for event in events]


def test_a_player_hears_of_every_turn_and_of_the_end(
    memory: redis.Redis, anna: PlayerClient, ben: PlayerClient
) -> None:
    game = anna.set_up({"open": True}, start_seat=1)
    project(memory)
    assert told(anna) == [(game.id, 1, "joined", 0)]
    ben.sit(game)
    project(memory)
    assert told(anna)[1:] == [(game.id, 2, "started", 0)]
    assert told(ben) == [(game.id, 2, what, 1) for what in ("joined", "started", "asked")]
    game.play()
    project(memory)
    whats = [what for _, _, what, _ in told(anna, "?limit=1000")]
    assert whats[:3] == ["joined", "started", "asked"]
    assert whats[-2:] == ["round_ended", "over"]
    assert whats.count("round_ended") == game.table()["rounds"]
    commits = anna.get(f"{game.address}/events?limit=1000")["commits"]
    answers = [commit for commit in commits if commit["by"] == "seat-0" and "choice" in commit["command"]]
    assert whats.count("asked") == len(answers)


@pytest.mark.parametrize(
    ("act", "whats"),
    [("leave", ["left"]), ("cancel", ["over"])],
)
def test_a_player_hears_of_the_end_of_a_lobby(
    memory: redis.Redis, anna: PlayerClient, act: str, whats: list[str]
) -> None:
    game = anna.set_up({"open": True})
    assert anna.api.post(f"{game.address}/{act}", {}, anna.token).status_code == 200
    project(memory)
    assert [what for _, _, what, _ in told(anna)] == ["joined", *whats]


def test_who_has_left_is_asked_again_once_they_are_back(memory: redis.Redis, anna: PlayerClient) -> None:
    game = anna.set_up({"name": "Carla"}, start_seat=0)
    for act in ("leave", "return"):
        assert anna.api.post(f"{game.address}/{act}", {}, anna.token).status_code == 200
        project(memory)
    whats = [what for _, _, what, _ in told(anna)]
    assert whats == ["joined", "started", "asked", "left", "asked"]


def test_a_player_hears_that_the_game_is_void(
    memory: redis.Redis, anna: PlayerClient, ben: PlayerClient
) -> None:
    game = anna.set_up({"open": True}, start_seat=1)
    ben.sit(game)
    for player in (anna, ben):
        assert player.api.post(f"{game.address}/void", {}, player.token).status_code == 200
    project(memory)
    assert [what for _, _, what, _ in told(anna)] == ["joined", "started", "voided"]


def test_pages_lead_on_without_loss_or_repeat(memory: redis.Redis, anna: PlayerClient) -> None:
    game = anna.set_up({"name": "Carla"})
    game.play()
    project(memory)
    whole, found, after = anna.get("/v1/me/events?limit=1000")["events"], [], "0"
    while page := anna.get(f"/v1/me/events?after={after}&limit=7"):
        found += page["events"]
        if page["next"] == after:
            break
        after = page["next"]
    assert found == whole
    assert [event["id"] for event in whole] == sorted({event["id"] for event in whole}, key=_order)
    lines = anna.api.get("/v1/me/events", anna.token, Accept=NDJSON).data.splitlines()
    assert [json.loads(line) for line in lines] == whole
    assert len(anna.api.get("/v1/me/events?limit=3", anna.token, Accept=NDJSON).data.splitlines()) == 3


def _order(event: str) -> tuple[int, ...]:
    return tuple(map(int, event.split("-")))


def test_a_stream_resumes_by_its_last_id(memory: redis.Redis, anna: PlayerClient) -> None:
    anna.set_up({"name": "Carla"}).play()
    project(memory)
    whole = [event["id"] for event in anna.get("/v1/me/events?limit=1000")["events"]]
    found: list[str] = []
    while len(found) < len(whole):
        last = {"Last_Event_ID": found[-1]} if found else {}
        some = min(Random(len(found)).randint(1, 9), len(whole) - len(found))
        with closing(anna.api.get("/v1/me/events", anna.token, Accept=SSE, **last)) as reply:
            ids = (frame["id"] for frame in frames(reply) if "id" in frame)
            found += islice(ids, some)
    assert found == whole


def test_a_stream_is_woken_by_what_happens(memory: redis.Redis, api: ApiClient, anna: PlayerClient) -> None:
    with closing(api.get("/v1/me/events", anna.token, Accept=SSE)) as reply:
        stream = frames(reply)
        assert next(stream) == {"retry": "2000"}
        game = anna.set_up({"open": True})
        project(memory)
        event = json.loads(next(stream)["data"])
        assert (event["game"], event["type"], event["what"]) == (game.id, "joined", "joined")


def test_a_long_poll_is_woken_by_what_happens(memory: redis.Redis, anna: PlayerClient) -> None:
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(anna.get, "/v1/me/events?wait=60")
        game = anna.set_up({"open": True})
        project(memory)
        assert [event["game"] for event in waiting.result()["events"]] == [game.id]


@pytest.mark.long
def test_a_cursor_that_is_no_longer_kept_is_told_so(memory: redis.Redis, anna: PlayerClient) -> None:
    backend = build_backend(memory)
    journal = PlayerFeed(memory, backend.store, most_events=100)
    first = anna.set_up({"open": True})
    journal.describe(first.id, backend.games.snapshot(first.id))
    lost = anna.get("/v1/me/events")["next"]
    for _ in range(300):
        game = anna.set_up({"open": True})
        journal.describe(game.id, backend.games.snapshot(game.id))
    page = anna.get(f"/v1/me/events?after={lost}")
    assert page["reset"]
    assert page["events"] == anna.get("/v1/me/events")["events"]
    assert page["events"][0]["game"] != first.id
    reply = anna.api.get(f"/v1/me/events?after={lost}", anna.token, Accept=NDJSON)
    assert (reply.status_code, reply.get_json()["code"]) == (410, "cursor_lost")
    stream = anna.api.get("/v1/me/events", anna.token, Accept=SSE, Last_Event_ID=lost)
    *_, last = frames(stream)
    assert last == {"id": "0", "event": "reset", "data": '{"next":"0"}'}
    assert "reset" not in anna.get(f"/v1/me/events?after={page['next']}")


@pytest.mark.parametrize("after", ["x", "-1", "1-", "1-x", "1-1-1", "", "9" * 30, "0\n", "1-1\n", "١-١"])
def test_a_cursor_that_is_none_is_refused(anna: PlayerClient, after: str) -> None:
    assert anna.api.get(f"/v1/me/events?after={quote(after)}", anna.token).status_code == 422
    # A line end cannot stand in a header, and whatever is not ASCII is refused before.
    if after.isascii() and after.isprintable() and after:
        reply = anna.api.get("/v1/me/events", anna.token, Accept=SSE, Last_Event_ID=after)
        assert reply.status_code == 400


@pytest.mark.parametrize("ending", ["POST /v1/me/token", "DELETE /v1/me"])
def test_a_stream_ends_with_the_token_that_opened_it(api: ApiClient, anna: PlayerClient, ending: str) -> None:
    method, address = ending.split()
    with closing(api.get("/v1/me/events", anna.token, Accept=SSE)) as reply:
        stream = frames(reply)
        assert next(stream) == {"retry": "2000"}
        assert api.send(method, address, None, anna.token).status_code in (201, 204)
        assert next(stream)["event"] == "bye"
        assert list(stream) == []


def test_a_stream_is_what_the_contract_makes_of_its_lines(memory: redis.Redis, anna: PlayerClient) -> None:
    """The example of the stream is made from that of the lines; so is what is said of its end."""
    game = anna.set_up({"name": "Carla"}, start_seat=0)
    project(memory)
    for address in ("/v1/me/events?limit=3", f"{game.address}/events?limit=1"):
        lines, stream = (
            anna.api.get(address, anna.token, Accept=media).get_data(as_text=True) for media in (NDJSON, SSE)
        )
        assert stream == frame_lines(lines)


def test_every_end_of_a_stream_is_as_the_contract_says(memory: redis.Redis, anna: PlayerClient) -> None:
    anna.set_up({"name": "Carla"})
    project(memory)
    lost = "1-1"
    for query, end, following in (("limit=1", "limit", None), (f"after={lost}", "reset", "0")):
        reply = anna.api.get(f"/v1/me/events?{query}", anna.token, Accept=SSE)
        last = [*frames(reply)][-1]
        told = msgspec.json.decode(last["data"], type=MyStreamEnd, strict=True)
        assert last["event"] == end
        assert end in STREAM_ENDINGS["MyEvent"].events
        assert following in (None, told.next)
    assert "over" not in STREAM_ENDINGS["MyEvent"].events


def test_a_player_makes_room_for_others_who_have_fewer_streams(
    memory: redis.Redis, anna: PlayerClient
) -> None:
    """Whoever is sent away hears of nothing any more, and is told so."""
    backend = build_backend(memory)
    with closing(Doorbell(memory, most=3)) as doorbell:
        streams = MyStreams(PlayerReading(memory), backend.players, doorbell)
        player = backend.players.find(anna.token)
        assert player is not None
        listeners = [doorbell.listen(player.id, "crowd") for _ in range(3)]
        following = streams.frames(player, "0", None, listeners[0])
        assert next(following) == RETRY
        doorbell.listen(player.id, "somebody else")
        assert listeners[0].is_dismissed
        assert list(following) == [b'event: bye\ndata: {"next":"0"}\n\n']


def test_whoever_waits_is_sent_away_as_well(memory: redis.Redis, anna: PlayerClient) -> None:
    backend = build_backend(memory)
    with closing(Doorbell(memory, most=3)) as doorbell, ThreadPoolExecutor(1) as pool:
        streams = MyStreams(PlayerReading(memory), backend.players, doorbell)
        player = backend.players.find(anna.token)
        assert player is not None
        waiting = pool.submit(streams.read, player, "0", None, 60.0, "crowd")
        wait_until(doorbell.all_listeners, "somebody waits")
        for _ in range(2):
            doorbell.listen(player.id, "crowd")
        doorbell.listen(player.id, "somebody else")
        assert waiting.result(timeout=30).events == []


# Told once


class Story:
    """A game of two players with every kind of news, and what each is to be told."""

    def __init__(self) -> None:
        self.memory = open_memory()
        with capture_log(), open_app(self.memory) as app:
            api = ApiClient(app.test_client())
            self.players = [PlayerClient(api, name) for name in ("Anna", "Ben")]
            anna, ben = self.players
            game = anna.set_up({"open": True}, {"name": "Carla"})
            ben.sit(game)
            game.play()
            self.game = game.id
            self.tokens = [game.tokens[seat] for seat in sorted(game.tokens)]
        self.store = RedisStore(self.memory)
        self.commits = self.store.read(self.game)
        self.news, _ = follow_events(EMPTY, self.commits)

    def copy(self) -> redis.Redis:
        copy = open_memory()
        for key in self.memory.scan_iter("*"):
            copy.restore(key, 0, cast(bytes, self.memory.dump(key)))
        return copy


@pytest.fixture(scope="module")
def story() -> Iterator[Story]:
    story = Story()
    yield story
    story.memory.close()


def told_to(memory: Any, player: str) -> list[PlayerEvent]:
    found = memory.xrange(f"croupier:{{players}}:events:{player}")
    return [
        PlayerEvent(
            player,
            int(entry[b"v"]),
            entry[b"w"].decode(),
            seat=int(entry[b"s"]),
            awaits=tuple(map(int, filter(None, entry[b"a"].decode().split(",")))),
            hash=entry[b"h"].decode(),
        )
        for _, entry in found
    ]


# How far back of what was handled it begins, how many commits it has, and who tells them.
deliveries = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 60), st.integers(0, 2)), max_size=8)


@pytest.mark.long
@examples(20, long=100)
@given(deliveries)
def test_everything_is_told_once_whoever_tells_it_how_often(
    story: Story, drawn: list[tuple[int, int, int]]
) -> None:
    """Deliveries repeat, overlap, and come from several processes, one of which has just been started."""
    with story.copy() as memory:
        backend = build_backend(memory)
        journals = [PlayerFeed(memory, backend.store) for _ in range(2)]
        snapshot, handled, total = backend.games.snapshot(story.game), 0, len(story.commits)
        for back, count, who in [*drawn, (0, total, 0)]:
            start = max(0, handled - back)
            journal = journals[who] if who < 2 else PlayerFeed(memory, backend.store)
            commits = story.commits[start : start + count]
            if commits:
                journal.record(story.game, commits, snapshot)
            handled = max(handled, min(total, start + count))
        for player in story.players:
            assert told_to(memory, player.id) == [one for one in story.news if one.player == player.id]


def test_a_projector_that_begins_anew_tells_nothing_twice(story: Story) -> None:
    with story.copy() as memory:
        for _ in range(2):
            project(memory)
            memory.delete("croupier:cursor:test")
        for player in story.players:
            assert told_to(memory, player.id) == [one for one in story.news if one.player == player.id]


def test_after_a_restore_the_new_turns_are_told(story: Story) -> None:
    """The log went back behind what was told, and goes on otherwise."""
    anna = story.players[0]
    with story.copy() as memory:
        project(memory)
        before = len(told_to(memory, anna.id))
        kept = memory.xrange(LAYOUT.game_key("game", story.game), count=3)
        memory.delete(LAYOUT.game_key("game", story.game), LAYOUT.game_key("requests", story.game))
        for position, entry in kept:
            memory.xadd(LAYOUT.game_key("game", story.game), entry, id=position)
        with open_app(memory) as app:
            api = ApiClient(app.test_client())
            table = api.get(f"/v1/games/{story.game}").get_json()
            assert (table["version"], table["status"]) == (3, "playing")
            game = Game(api, {"id": story.game, "seats": []})
            game.tokens |= dict(enumerate(story.tokens))
            seat, ask = game.ask()
            assert game.choose(seat, ask["ask"], ask["options"][-1]["choice"]).status_code == 200
        project(memory)
        commits = RedisStore(memory).read(story.game)
        news, _ = follow_events(EMPTY, commits)
        expected = [one for one in news if one.player == anna.id and one.version == 4]
        assert told_to(memory, anna.id)[before:] == expected
