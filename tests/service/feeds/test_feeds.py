"""One feed for players, API keys and everybody: each thing once, resumed anywhere, and no game of others."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from random import Random
from typing import Any, cast

import pytest
import redis

from events.redis_store import BELL, RedisStore
from rules.state import EMPTY
from service.container import build_backend
from service.feeds.journals import PUBLIC, KeyFeed, PublicFeed, follow_game, journal_of, public_journal
from service.feeds.reading import CURSOR, FeedEvent, FeedPage, Feeds, Position, decode_cursor, encode_cursor
from service.http.doorbell import Doorbell
from service.http.streaming import FeedStreams, Subscription
from service.keys.keys import SCOPES, ApiKeys
from service.lobby.rebuild import rebuild_lobby
from service.lobby.removal import remove_game
from service.players.feed import BEGINNING, PlayerFeed
from service.players.names import Names
from service.players.transfer import PlayerTransfer
from tests.service.history.test_events import frames
from tests.support.api_client import ApiClient, Game, PlayerClient
from tests.support.restores import dump_everything, dump_game, restore_everything, restore_game
from tests.support.waiting import wait_until
from workers.projector import make_cursor, make_projector

NDJSON, SSE = "application/x-ndjson", "text/event-stream"
KINDS = ["player", "key", "public"]


class House:
    """A service with a key, a player of it, and a projector that is started anew for every use."""

    def __init__(self, memory: redis.Redis, api: ApiClient) -> None:
        self.memory, self.api = memory, api
        key = ApiKeys(memory).create("arcade", SCOPES)
        self.key, self.key_id = key.key, key.record.id
        made = self.send("POST", "/v1/players", {"name": "Anna"})
        self.player, self.token = made["id"], made["token"]
        self.readers = {"player": self.player, "key": self.key_id, "public": PUBLIC}

    def send(self, method: str, address: str, body: Any = None, **headers: str) -> Any:
        reply = self.api.send(method, address, body, self.key, **headers)
        assert reply.status_code in (200, 201), reply.data
        return reply.get_json()

    def create(self, *others: dict[str, Any], **plan: Any) -> Game:
        """A game of the key's player and others."""
        seats = [{"player": self.player}, *(others or ({"name": "Ben"},))]
        made = self.send("POST", "/v1/games", {"edition": "classic", "seats": seats, **plan})
        game = Game(self.api, made)
        game.tokens |= {0: self.token, -1: self.token}
        return game

    def choose(self, game: Game) -> bool:
        """Answer the next ask of a game; False when it is over."""
        table = game.table(0)
        if table["status"] == "over":
            return False
        seat, ask = game.asked(table)
        assert game.choose(seat, ask["ask"], ask["options"][0]["choice"]).status_code == 200
        return True

    def project(self, steps: int = 4) -> None:
        """Run a projector that has just been started, through everything that has happened."""
        projector = make_projector(build_backend(self.memory), make_cursor(self.memory, 0.01))
        for _ in range(steps):
            projector.step()

    def ask(self, kind: str, query: str = "", **headers: str) -> Any:
        """Read the feed of a kind of reader."""
        token = None if kind == "public" else self.key
        acting = {"Croupier-Player": self.player} if kind == "player" else {}
        return self.api.get(f"/v1/feed{query}", token, **acting, **headers)

    def page(self, kind: str, query: str = "") -> Any:
        reply = self.ask(kind, query)
        assert reply.status_code == 200, reply.data
        return reply.get_json()

    def expected(self, kind: str, *games: str) -> list[tuple[Any, ...]]:
        """What the logs of games mean for a kind of reader, in no order."""
        store = RedisStore(self.memory)
        found = []
        for game in games:
            for event in follow_game(EMPTY, store.read(game))[0]:
                if kind != "player":
                    found.append((game, event.version, event.what, event.seat))
                elif event.seat in (None, 0):
                    found.append((game, event.version, event.what, 0))
        return found


def facts(events: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(event["game"], event["version"], event["type"], event["seat"]) for event in events]


@pytest.fixture
def house(memory: redis.Redis, api: ApiClient) -> House:
    return House(memory, api)


def test_a_feed_tells_of_a_whole_game(house: House) -> None:
    game = house.create({"name": "Ben"}, {"name": "Carla"})
    house.project()
    count = 0
    while house.choose(game):
        count += 1
        if count % 9 == 0:
            house.project()
    house.project()
    for kind in KINDS:
        events = house.page(kind, "?limit=1000")["events"]
        assert facts(events) == house.expected(kind, game.id)
        assert {event["edition"] for event in events} == {"classic"}
        assert events[-1]["type"] == "over"
        assert events[-1]["awaits"] == []
        asked = [event for event in events if event["type"] == "asked"]
        assert all(event["seat"] in event["awaits"] for event in asked)


def test_sentences_are_in_the_callers_language_and_name_the_others(house: House) -> None:
    house.create()
    house.project()
    told = {kind: [event["sentence"] for event in house.page(kind)["events"]] for kind in KINDS}
    assert told["public"][:3] == ["Anna has sat down.", "Ben has sat down.", "The game has begun."]
    assert told["key"] == told["public"]
    assert told["player"][:2] == ["You have sat down.", "The game has begun."]
    for headers in ({"Accept": NDJSON}, {"Accept": SSE}, {}):
        reply = house.ask("public", "?language=de&limit=1", **headers)
        assert "hat sich gesetzt." in reply.get_data(as_text=True)
        assert reply.headers["Content-Language"] == "de"


def test_who_was_erased_is_named_no_more(house: House) -> None:
    house.create()
    house.project()
    reply = house.api.send("DELETE", "/v1/me", None, house.key, **{"Croupier-Player": house.player})
    assert reply.status_code == 204
    sentences = [event["sentence"] for event in house.page("public")["events"]]
    assert not any("Anna" in sentence for sentence in sentences)


def test_a_key_hears_of_its_requests_and_of_its_players_elsewhere(house: House) -> None:
    """Of a private game of others it hears from when its player sits down, until the player is gone."""
    of_key = house.send("POST", "/v1/games", {"edition": "classic", "seats": [{"name": "A"}, {"name": "B"}]})
    other = PlayerClient(house.api, "Carla")
    plan = {"edition": "classic", "seats": [{"me": True}, {"open": True}, {"open": True}]}
    made = house.api.call("POST", "/v1/games", {**plan, "visibility": "private"}, other.token)
    house.project()
    assert {event["game"] for event in house.page("key")["events"]} == {of_key["id"]}
    body = {"code": made["code"]}
    house.send("POST", f"/v1/games/{made['id']}/seats", body, **{"Croupier-Player": house.player})
    house.project()
    after = house.page("key")["next"]
    heard = [event for event in house.page("key")["events"] if event["game"] == made["id"]]
    assert facts(heard) == [(made["id"], 2, "joined", 1)]
    house.send("POST", f"/v1/games/{made['id']}/leave", {}, **{"Croupier-Player": house.player})
    PlayerClient(house.api, "Dora")
    house.api.call("POST", f"/v1/games/{made['id']}/seats", {**body, "name": "Eva"})
    house.project()
    assert facts(house.page("key", f"?after={after}")["events"]) == [(made["id"], 3, "left", 1)]


@pytest.mark.parametrize("kind", KINDS)
def test_pages_lines_and_streams_resume_anywhere(house: House, kind: str) -> None:
    games = [house.create(), house.create()]
    for game in games * 15:
        house.choose(game)
    house.project()
    whole = house.page(kind, "?limit=1000")["events"]
    draw = Random(7)
    found: list[dict[str, Any]] = []
    after = BEGINNING
    while len(found) < len(whole):
        some = draw.randint(1, 9)
        how = draw.choice(["page", NDJSON, SSE])
        if how == "page":
            page = house.page(kind, f"?after={after}&limit={some}")
            events, after = page["events"], page["next"]
        elif how == NDJSON:
            lines = house.ask(kind, f"?after={after}&limit={some}", Accept=NDJSON).data.splitlines()
            events = [json.loads(line) for line in lines]
        else:
            last = {"Last-Event-ID": after}
            with closing(house.ask(kind, f"?limit={some}", Accept=SSE, **last)) as reply:
                told = [frame for frame in frames(reply) if "data" in frame and "event" not in frame]
            events = [json.loads(frame["data"]) for frame in told]
            assert [frame["id"] for frame in told] == [event["id"] for event in events]
        found += events
        after = events[-1]["id"] if events else after
    assert found == whole
    assert len({event["id"] for event in whole}) == len(whole)


@pytest.mark.parametrize("kind", KINDS)
def test_a_long_poll_and_a_stream_are_woken(house: House, kind: str) -> None:
    with ThreadPoolExecutor(1) as pool, closing(house.ask(kind, Accept=SSE)) as reply:
        stream = frames(reply)
        assert next(stream) == {"retry": "2000"}
        waiting = pool.submit(house.page, kind, "?wait=60")
        game = house.create()
        house.project()
        assert waiting.result()["events"][0]["game"] == game.id
        assert json.loads(next(stream)["data"])["type"] == "joined"


def test_a_ticket_opens_the_feed_of_its_player(house: House) -> None:
    player = PlayerClient(house.api, "Carla")
    game = player.set_up({"open": True})
    house.project()
    ticket = house.api.call("POST", "/v1/tickets", {"me": True}, player.token)["ticket"]
    with closing(house.api.get(f"/v1/feed?ticket={ticket}&limit=1", Accept=SSE)) as reply:
        told = [frame for frame in frames(reply) if "id" in frame]
    assert json.loads(told[0]["data"])["game"] == game.id
    assert house.api.get(f"/v1/feed?ticket={ticket}", Accept=SSE).status_code == 401
    assert house.api.get("/v1/feed", "seat_" + "x" * 43).status_code == 401
    weak = ApiKeys(house.memory).create("weak", ["export"]).key
    assert house.api.get("/v1/feed", weak).status_code == 403


@pytest.mark.parametrize("kind", ["player", "key"])
def test_a_stream_ends_with_the_right_to_it(house: House, kind: str) -> None:
    with closing(house.ask(kind, Accept=SSE)) as reply, ThreadPoolExecutor(1) as pool:
        stream = frames(reply)
        assert next(stream) == {"retry": "2000"}
        rest = pool.submit(list, stream)
        if kind == "key":
            ApiKeys(house.memory).revoke("arcade")
        else:
            house.api.send("DELETE", "/v1/me", None, house.key, **{"Croupier-Player": house.player})

        def has_ended() -> bool:
            # A process remembers a key for a second; it looks again when there is news.
            house.memory.publish(BELL, f"{house.readers[kind]}|0")
            return rest.done()

        wait_until(has_ended, "the stream ends")
        assert [frame["event"] for frame in rest.result()] == ["bye"]


HIDDEN: list[dict[str, Any]] = [
    {"visibility": "private"},
    {"visibility": "unlisted"},
    {"sandbox": {"seed": "any"}},
]


@pytest.mark.long
def test_hidden_games_are_in_no_reply_to_others(house: House) -> None:
    """Walked over every form of every other reader's feed, with the rematch, a fork and an import."""
    other_key = ApiKeys(house.memory).create("other", SCOPES).key
    other = PlayerClient(house.api, "Carla")
    hidden = [house.create(**plan) for plan in HIDDEN]
    shown = house.create()
    for game in (*hidden, shown):
        while house.choose(game):
            pass
    names = {game.id for game in hidden}
    for game in hidden:
        again = house.send("POST", f"{game.address}/rematch", {}, **{"Croupier-Player": house.player})
        names.add(again["id"])
        acting = {"Croupier-Player": house.player}
        fork = house.send("POST", f"{game.address}/forks", {"at": 5, "seats": [{"name": "X"}] * 2}, **acting)
        names.add(fork["id"])
    house.project(12)
    for token in (None, other.token, other_key):
        for query in ("?limit=1000", "?limit=1000&language=de", "?after=1-1&limit=1000"):
            for media in ("application/json", NDJSON, SSE):
                # A stream ends by itself only after as many events as were asked for.
                told = len(house.api.get(f"/v1/feed{query}", token).get_json()["events"])
                if media == SSE and not told:
                    continue
                address = f"/v1/feed{query}".replace("limit=1000", f"limit={told or 1}")
                text = house.api.get(address, token, Accept=media).get_data(as_text=True)
                assert not any(name in text for name in names)
    assert shown.id in json.dumps(house.page("public", "?limit=1000"))
    assert names <= {event["game"] for event in house.page("key", "?limit=1000")["events"]}


def test_an_imported_game_is_told_to_no_reader(house: House) -> None:
    game = house.create()
    while house.choose(game):
        pass
    file = house.api.get(f"{game.address}/export", Accept=NDJSON).data
    remove_game(build_backend(house.memory), game.id)
    headers = {"Content-Type": NDJSON}
    reply = house.api.client.post(
        "/v1/imports", data=file, headers={**headers, "Authorization": f"Bearer {house.key}"}
    )
    assert reply.status_code == 201
    house.project()
    for kind in KINDS:
        assert house.page(kind)["events"] == []


# What is told once


def read_on(house: House, kind: str, after: str) -> tuple[list[tuple[Any, ...]], str, bool]:
    """All events after a cursor, in pages, and whether one of them begins anew."""
    found: list[tuple[Any, ...]] = []
    is_reset = False
    while True:
        page = house.page(kind, f"?after={after}&limit=7")
        if page.get("reset"):
            is_reset = True
            found = []
        found += facts(page["events"])
        if page["next"] == after:
            return found, after, is_reset
        after = page["next"]


@pytest.mark.long
def test_projectors_that_are_killed_and_rebuilds_repeat_nothing(house: House) -> None:
    """Each step may be run by another process, again, or by several at once; a rebuild tells nothing anew."""
    games = [house.create(), house.create({"name": "Ben"}, {"name": "Carla"})]
    draw = Random(3)
    heard: dict[str, list[tuple[Any, ...]]] = {kind: [] for kind in KINDS}
    after = dict.fromkeys(KINDS, BEGINNING)
    for _ in range(12):
        for game in games:
            for _ in range(draw.randint(0, 4)):
                house.choose(game)
        how = draw.choice(["whole", "cursor lost", "rebuild"])
        if how == "cursor lost":
            make_cursor(house.memory).forget()
        elif how == "rebuild":
            assert not rebuild_lobby(build_backend(house.memory))
        house.project()
        for kind in KINDS:
            found, after[kind], is_reset = read_on(house, kind, after[kind])
            assert not is_reset
            heard[kind] += found
    for kind in KINDS:
        assert sorted(heard[kind], key=repr) == sorted(house.expected(kind, *(g.id for g in games)), key=repr)
        assert facts(house.page(kind, "?limit=1000")["events"]) == heard[kind]


@pytest.mark.parametrize("ahead", [0, 1, 9])
def test_a_log_that_went_back_is_told_as_it_is_now(house: House, ahead: int) -> None:
    """What is gone is taken back; readers who have read it begin anew, others go on."""
    game, still = house.create(), house.create()
    for _ in range(5):
        house.choose(game)
    house.project()
    early = {kind: read_on(house, kind, BEGINNING)[1] for kind in KINDS}
    kept = dump_game(house.memory, game.id)
    for _ in range(6):
        house.choose(game)
    house.choose(still)
    house.project()
    late = {kind: read_on(house, kind, BEGINNING)[1] for kind in KINDS}
    restore_game(house.memory, game.id, kept)
    for _ in range(ahead):
        house.choose(game)
    house.choose(still)
    rebuild_lobby(build_backend(house.memory))
    house.project(6)
    for kind in KINDS:
        expected = sorted(house.expected(kind, game.id, still.id), key=repr)
        found, _, is_reset = read_on(house, kind, late[kind])
        assert is_reset, kind
        assert sorted(found, key=repr) == expected
        before, *_ = read_on(house, kind, BEGINNING)
        assert before == found
        rest, _, is_reset = read_on(house, kind, early[kind])
        assert not is_reset, kind
        assert set(rest) <= set(before)


@pytest.mark.parametrize("choices", [0, pytest.param(5, marks=pytest.mark.long)])
def test_what_is_taken_back_may_stand_far_apart_in_a_journal(house: House, choices: int) -> None:
    """Much is told of other games between; a game may be lost but for its creation, or removed."""
    game = house.create()
    for _ in range(choices):
        house.choose(game)
    house.project()
    kept = dump_game(house.memory, game.id)
    of_others = {"g": "g_other", "v": 1, "w": "started", "s": "", "e": "classic", "a": "", "h": "00000000"}
    journals = {kind: journal_of(house.memory, house.readers[kind]) for kind in ("player", "key")}
    journals["public"] = public_journal(house.memory, 0)
    for journal in journals.values():
        for _ in range(3):
            house.choose(game)
            house.project()
            with house.memory.pipeline() as batch:
                for number in range(400):
                    batch.xadd(journal.events, cast(Any, {**of_others, "i": 1_000 + number}))
                batch.execute()
    restore_game(house.memory, game.id, kept)
    house.choose(game)
    rebuild_lobby(build_backend(house.memory))
    house.project(6)

    def read(kind: str) -> list[tuple[Any, ...]]:
        stored = [fields for _, fields in cast(Any, house.memory.xrange(journals[kind].events))]
        return [
            (game.id, int(fields[b"v"]), fields[b"w"].decode(), int(fields[b"s"]) if fields[b"s"] else None)
            for fields in stored
            if fields[b"g"] == game.id.encode()
        ]

    for kind in KINDS:
        assert sorted(read(kind), key=repr) == sorted(house.expected(kind, game.id), key=repr)
    remove_game(build_backend(house.memory), game.id)
    for kind in KINDS:
        assert read(kind) == []


def test_a_restored_copy_of_everything_begins_anew(house: House) -> None:
    game = house.create()
    house.choose(game)
    house.project()
    copy = dump_everything(house.memory)
    middle = {kind: read_on(house, kind, BEGINNING)[1] for kind in KINDS}
    for _ in range(4):
        house.choose(game)
    house.project()
    late = {kind: read_on(house, kind, BEGINNING)[1] for kind in KINDS}
    restore_everything(house.memory, copy)
    for _ in range(6):
        house.choose(game)
    house.project()
    for kind in KINDS:
        found, _, is_reset = read_on(house, kind, late[kind])
        assert is_reset
        assert found == house.expected(kind, game.id)
        stream = [*frames(house.ask(kind, f"?after={late[kind]}", Accept=SSE))]
        assert stream[-1] == {"id": "0", "event": "reset", "data": '{"next":"0"}'}
        assert house.ask(kind, f"?after={late[kind]}", Accept=NDJSON).status_code == 410
        rest, _, is_reset = read_on(house, kind, middle[kind])
        assert not is_reset
        assert found[-len(rest) :] == rest


def test_a_removed_game_is_taken_back(house: House) -> None:
    game, still = house.create(), house.create()
    house.project()
    late = {kind: read_on(house, kind, BEGINNING)[1] for kind in KINDS}
    remove_game(build_backend(house.memory), game.id)
    house.project()
    for kind in KINDS:
        found, _, is_reset = read_on(house, kind, late[kind])
        assert is_reset
        assert {fact[0] for fact in found} == {still.id}


@pytest.mark.long
def test_a_cursor_that_is_too_old_begins_anew(house: House) -> None:
    """Also one from before there was any event: nothing is missed unnoticed."""
    backend = build_backend(house.memory)
    writers: list[Any] = [
        PlayerFeed(house.memory, backend.store, most_events=100),
        KeyFeed(house.memory, backend.store, backend.players, backend.games.api_key_of, most_events=100),
        PublicFeed(house.memory, backend.store, most_events=100),
    ]
    feeds = Feeds(house.memory, backend.games, Names(house.memory))
    empty = {kind: feeds.find_end(house.readers[kind]) for kind in KINDS}
    assert set(empty.values()) == {"0"}

    def play() -> None:
        game = house.create({"open": True})
        for writer in writers:
            writer.describe(game.id, backend.games.snapshot(game.id))

    play()
    old = {kind: feeds.find_end(house.readers[kind]) for kind in KINDS}
    for _ in range(210):
        play()
    for kind in KINDS:
        page = house.page(kind, f"?after={old[kind]}")
        assert page["reset"]
        assert page["events"] == house.page(kind)["events"]
        following = house.page(kind, f"?after={page['next']}")
        assert "reset" not in following


@pytest.mark.parametrize(
    "after", ["x", "-1", "1-", "1-x", "1-1-1", "", "v", "v!", "1-1.", "1-1.x", "9" * 30, "0\n"]
)
def test_a_cursor_that_is_none_is_refused(house: House, after: str) -> None:
    reply = house.api.client.get("/v1/feed", query_string={"after": after})
    assert reply.status_code == 422
    assert reply.get_json()["errors"][0]["parameter"] == "after"


@pytest.mark.parametrize(
    "after", ["1-1", "1-1.5", "v" + "A" * 3000, "vAAAA", "v_-_-", "999999999999999-999999999.9"]
)
def test_a_made_up_cursor_begins_anew(house: House, after: str) -> None:
    house.create()
    house.project()
    for kind in KINDS:
        page = house.page(kind, f"?after={after}")
        assert page["reset"]
        assert page["events"] == house.page(kind)["events"]


def test_events_of_older_releases_are_told_as_well(house: House) -> None:
    game = house.create()
    house.project()
    journal = journal_of(house.memory, house.player).events
    entries = cast(Any, house.memory.xrange(journal))
    expected = house.page("player")["events"]
    house.memory.delete(journal)
    for position, entry in entries:
        house.memory.xadd(journal, {field: entry[field] for field in (b"g", b"v", b"w", b"s")}, id=position)
    assert house.page("player")["events"] == expected
    assert expected[0]["game"] == game.id


@pytest.mark.parametrize("kind", ["player", "key"])
def test_a_backup_of_a_journal_goes_on_from_every_cursor(house: House, kind: str) -> None:
    house.create()
    house.project()
    after = house.page(kind, "?limit=1")["next"]
    told = house.page(kind)
    here = PlayerTransfer(house.memory)
    journal = here.read_journal(house.readers[kind])
    house.memory.delete(*journal_keys(house.memory, house.readers[kind]))
    assert house.page(kind)["events"] == []
    assert here.restore_journal(journal)
    assert not here.restore_journal(journal)
    assert house.page(kind) == told
    assert house.page(kind, f"?after={after}")["events"] == told["events"][1:]
    rebuild_lobby(build_backend(house.memory))
    assert house.page(kind) == told


def journal_keys(client: Any, reader: str) -> tuple[str, str]:
    journal = journal_of(client, reader)
    return journal.events, journal.marks


# Cursors


def test_cursors_of_several_journals_are_read_back() -> None:
    draw = Random(1)
    for journals in (2, 64, 256):
        positions = [
            Position(
                (draw.randint(1_700_000_000_000, 1_800_000_000_000), draw.randint(0, 99)), draw.randint(0, 3)
            )
            for _ in range(journals)
        ]
        positions[0] = Position()
        cursor = encode_cursor(positions)
        assert CURSOR.fullmatch(cursor)
        assert decode_cursor(cursor, journals) == positions
        assert decode_cursor(cursor, journals + 1) is None
        assert len(cursor) < 3_900


def test_lines_end_where_the_feed_begins_anew(memory: redis.Redis) -> None:
    """What a reset page has was sent before; the next request is told of the reset."""
    event = FeedEvent("1-0", "g_1", "classic", 1, "joined", 0, (), "Anna has sat down.")
    pages = [FeedPage([event], "1-0"), FeedPage([event], "1-0", reset=True)]
    streams = FeedStreams(Doorbell(memory))
    to = Subscription(bell="public", read=lambda *place: pages.pop(0), is_welcome=lambda: True)
    assert len(list(streams.lines(to, pages.pop(0), None))) == 1
