"""Tickets: what opens a private stream once, for a browser that cannot send a header."""

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from io import BytesIO
from typing import Any, cast

import pytest
import redis
from werkzeug.test import TestResponse

from service.ops.redis_server import RedisServer
from tests.service.history.test_events import frames
from tests.support.api_client import ApiClient, Game, PlayerClient, project
from tests.support.app import EVE, Open, client_at, open_app_on

JSON, NDJSON, SSE = "application/json", "application/x-ndjson", "text/event-stream"
TICKETS = "/v1/tickets"


def take_ticket(api: ApiClient, body: dict[str, Any], token: str) -> str:
    reply = api.post(TICKETS, body, token)
    assert reply.status_code == 201, reply.data
    ticket: str = reply.get_json()["ticket"]
    return ticket


def open_stream(api: ApiClient, address: str, ticket: str, query: str = "", **headers: str) -> TestResponse:
    return api.get(f"{address}?ticket={ticket}{query}", Accept=SSE, **headers)


def read_commits(reply: TestResponse) -> list[dict[str, Any]]:
    assert reply.status_code == 200, reply.data
    return [json.loads(frame["data"]) for frame in frames(reply) if "id" in frame]


@pytest.fixture
def game(api: ApiClient) -> Game:
    """With cards in hand, which nobody else may see."""
    return api.create_for(2, edition="cards")


@pytest.fixture
def events(game: Game) -> str:
    return f"{game.address}/events"


@pytest.fixture
def anna(api: ApiClient) -> PlayerClient:
    return PlayerClient(api, "Anna")


def seen_with(game: Game, token: str | None) -> list[dict[str, Any]]:
    commits: list[dict[str, Any]] = game.api.get(f"{game.address}/events", token).get_json()["commits"]
    return commits


def test_a_ticket_shows_what_the_token_shows(api: ApiClient, game: Game, events: str) -> None:
    for seat in (0, 1):
        ticket = take_ticket(api, {"game": game.id}, game.tokens[seat])
        shown = read_commits(open_stream(api, events, ticket, f"&limit={game.version()}"))
        assert shown == seen_with(game, game.tokens[seat]) != seen_with(game, None)


def test_a_players_ticket_shows_what_the_players_token_shows(api: ApiClient, anna: PlayerClient) -> None:
    game = anna.set_up({"name": "Ben"}, edition="cards")
    ticket = take_ticket(api, {"game": game.id}, anna.token)
    shown = read_commits(open_stream(api, f"{game.address}/events", ticket, "&limit=1"))
    assert shown == seen_with(game, anna.token)[:1]


def test_a_ticket_is_good_once(api: ApiClient, game: Game, events: str) -> None:
    ticket = take_ticket(api, {"game": game.id}, game.tokens[0])
    open_stream(api, events, ticket, "&limit=1").close()
    again = open_stream(api, events, ticket, "&limit=1", Last_Event_ID="1")
    assert (again.status_code, again.get_json()["code"]) == (401, "unauthorized")
    assert "POST /v1/tickets" in again.get_json()["detail"]


def test_of_many_who_show_it_at_once_one_gets_in(redis_server: RedisServer) -> None:
    with open_app_on(redis_server.url) as app:
        api = ApiClient(app.test_client())
        game = api.create_for(2)
        ticket = take_ticket(api, {"game": game.id}, game.tokens[0])

        def show(_: int) -> int:
            own = ApiClient(app.test_client())
            with closing(open_stream(own, f"{game.address}/events", ticket, "&limit=1")) as reply:
                return reply.status_code

        with ThreadPoolExecutor(8) as threads:
            statuses = sorted(threads.map(show, range(8)))
    assert statuses == [200] + [401] * 7


def test_a_ticket_lasts_a_minute(api: ApiClient, memory: redis.Redis, game: Game, events: str) -> None:
    before = datetime.now(UTC)
    issued = api.post(TICKETS, {"game": game.id}, game.tokens[0]).get_json()
    lasts = datetime.fromisoformat(issued["expires"]) - before
    assert 59 < lasts.total_seconds() < 62
    (key,) = memory.keys("croupier:ticket:*")
    assert 55 < memory.ttl(key) <= 60
    memory.pexpire(key, 0)
    assert open_stream(api, events, issued["ticket"]).status_code == 401


def test_nothing_that_is_kept_or_logged_is_a_ticket(
    api: ApiClient, memory: redis.Redis, log: BytesIO, game: Game, events: str
) -> None:
    used, unused = (take_ticket(api, {"game": game.id}, game.tokens[0]) for _ in range(2))
    open_stream(api, events, used, "&limit=1").close()
    for query in ("", "&after=x"):
        assert open_stream(api, events, used, query).status_code == 401
    api.get(f"/v1/nothing?ticket={unused}")
    keys: Any = memory.keys()
    kept = b"".join(key + (memory.dump(key) or b"") for key in keys) + log.getvalue()
    assert b'"route":"/v1/tickets"' in log.getvalue()
    for secret in (used, unused, game.tokens[0]):
        assert secret.encode() not in kept


def test_a_ticket_opens_nothing_else_and_is_not_lost_by_trying(
    api: ApiClient, game: Game, events: str, anna: PlayerClient
) -> None:
    other = api.create_for(2)
    ticket, mine = (
        take_ticket(api, {"game": game.id}, game.tokens[0]),
        take_ticket(api, {"me": True}, anna.token),
    )
    for wrong, address in (
        (ticket, f"{other.address}/events"),
        (ticket, "/v1/me/events"),
        (mine, events),
        (ticket[:-1], events),
        ("", events),
    ):
        assert open_stream(api, address, wrong).status_code == 401
    assert api.get(events, ticket).status_code == 401
    for address in (game.address, "/v1/me"):
        assert api.get(f"{address}?ticket={ticket}").status_code in (401, 422)
    assert open_stream(api, events, ticket, "&limit=1").status_code == 200
    with closing(open_stream(api, "/v1/me/events", mine)) as reply:
        assert reply.status_code == 200


@pytest.mark.parametrize(
    ("query", "last", "status"),
    [
        ("&foo=1", "", 422),
        ("&after=-1", "", 422),
        ("&limit=0", "", 422),
        ("&after=99", "", 404),
        ("", "abc", 400),
    ],
)
@pytest.mark.parametrize("mine", [False, True])
def test_a_request_that_is_refused_costs_no_ticket(
    api: ApiClient, anna: PlayerClient, query: str, last: str, status: int, mine: bool
) -> None:
    game = anna.set_up({"name": "Ben"})
    body, address = ({"me": True}, "/v1/me/events") if mine else ({"game": game.id}, f"{game.address}/events")
    ticket = take_ticket(api, body, anna.token)
    refused = open_stream(api, address, ticket, query, Last_Event_ID=last)
    # A player's events are no versions: that id has no form of theirs.
    assert refused.status_code == (422 if mine and status == 404 else status)
    for left in (200, 401):
        with closing(open_stream(api, address, ticket)) as reply:
            assert reply.status_code == left


@pytest.mark.parametrize("mine", [False, True])
def test_a_look_at_the_head_costs_no_ticket(api: ApiClient, anna: PlayerClient, mine: bool) -> None:
    game = anna.set_up({"name": "Ben"})
    body, address = ({"me": True}, "/v1/me/events") if mine else ({"game": game.id}, f"{game.address}/events")
    ticket = take_ticket(api, body, anna.token)
    for method, status in (("HEAD", 200), ("HEAD", 200), ("GET", 200), ("HEAD", 401)):
        with closing(api.send(method, f"{address}?ticket={ticket}", Accept=SSE)) as reply:
            assert reply.status_code == status


def test_a_stream_for_which_there_is_no_room_costs_no_ticket(open_limited: Open) -> None:
    app = open_limited(open_streams=1)
    eve, doorbell = client_at(app, EVE), app.extensions["doorbell"]
    game = eve.create_for(2)
    events, ticket = f"{game.address}/events", take_ticket(eve, {"game": game.id}, game.tokens[0])
    with doorbell.listen(game.id, EVE):
        assert open_stream(eve, events, ticket).status_code == 429
    with closing(open_stream(eve, events, ticket, "&limit=1")) as reply:
        assert reply.status_code == 200


@pytest.mark.parametrize("media", [JSON, NDJSON, "*/*"])
def test_pages_and_lines_take_the_token_in_its_header(
    api: ApiClient, game: Game, events: str, media: str
) -> None:
    """The ticket is none the worse for it."""
    ticket = take_ticket(api, {"game": game.id}, game.tokens[0])
    reply = api.get(f"{events}?ticket={ticket}", Accept=media)
    assert (reply.status_code, reply.get_json()["code"]) == (401, "unauthorized")
    assert "text/event-stream" in reply.get_json()["detail"]
    both = api.get(f"{events}?ticket={ticket}", game.tokens[0], Accept=SSE)
    assert (both.status_code, "not both" in both.get_json()["detail"]) == (401, True)
    assert open_stream(api, events, ticket, "&limit=1").status_code == 200


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({}, "either"),
        ({"game": "g_" + "x" * 22, "me": True}, "either"),
        ({"me": False}, "true"),
        ({"game": "chess"}, "g_"),
        ({"game": 7}, "g_"),
        ({"games": "g_" + "x" * 22}, "game"),
    ],
)
def test_a_wish_that_is_none_is_refused(api: ApiClient, anna: PlayerClient, body: Any, told: str) -> None:
    reply = api.post(TICKETS, body, anna.token)
    assert (reply.status_code, reply.get_json()["code"]) == (422, "invalid_body")
    assert told in reply.get_json()["detail"]


def test_who_needs_a_ticket_shows_a_token(api: ApiClient, game: Game, anna: PlayerClient) -> None:
    """A spectator needs none; a private game is unknown to whoever does not sit there."""
    private = {"edition": "cards", "visibility": "private", "seats": [{"name": "Anna"}, {"name": "Ben"}]}
    hidden = api.post("/v1/games", private).get_json()["id"]
    missing = "g_" + "x" * 22
    for body, token, status in (
        ({"game": game.id}, None, 401),
        ({"game": game.id}, "junk", 401),
        ({"game": game.id}, anna.token, 403),
        ({"game": hidden}, anna.token, 404),
        ({"game": hidden}, game.tokens[0], 404),
        ({"game": missing}, game.tokens[0], 404),
        ({"me": True}, game.tokens[0], 401),
    ):
        assert api.post(TICKETS, body, token).status_code == status, (body, token)


@pytest.mark.parametrize("ending", ["POST /v1/me/token", "DELETE /v1/me"])
def test_a_ticket_ends_with_the_token(api: ApiClient, anna: PlayerClient, ending: str) -> None:
    game = anna.set_up({"name": "Ben"}, edition="cards")
    tickets = [take_ticket(api, body, anna.token) for body in ({"game": game.id}, {"me": True})]
    method, address = ending.split()
    assert api.send(method, address, None, anna.token).status_code in (201, 204)
    for ticket, stream in zip(tickets, (f"{game.address}/events", "/v1/me/events"), strict=True):
        assert open_stream(api, stream, ticket).status_code == 401


def test_a_ticket_ends_with_the_seat(api: ApiClient, game: Game, events: str) -> None:
    ticket = take_ticket(api, {"game": game.id}, game.tokens[0])
    assert api.post(f"{game.address}/leave", {"for_good": True}, game.tokens[0]).status_code == 200
    assert open_stream(api, events, ticket).status_code == 401


def test_a_ticket_ends_with_the_log_that_issued_the_token(
    api: ApiClient, memory: redis.Redis, game: Game, events: str
) -> None:
    """The log went back behind the seat's taking, and somebody else sits there now."""
    open_table = api.create({"name": "Anna"}, {"open": True}, edition="cards")
    before = {key: memory.dump(key) for key in memory.keys(f"*{open_table.id}*")}
    sat = api.post(f"{open_table.address}/seats", {"name": "Ben"}).get_json()
    ticket = take_ticket(api, {"game": open_table.id}, sat["token"])
    memory.delete(*memory.keys(f"*{open_table.id}*"))
    for key, kept in before.items():
        memory.restore(key, 0, kept)  # type: ignore[arg-type]
    assert api.post(f"{open_table.address}/seats", {"name": "Carla"}).status_code == 201
    assert open_stream(api, f"{open_table.address}/events", ticket).status_code == 401


def test_a_stream_goes_on_with_a_new_ticket_after_the_last_id(
    api: ApiClient, memory: redis.Redis, anna: PlayerClient
) -> None:
    """What a page does when its connection was cut: the same as with Last-Event-ID."""
    game = anna.set_up({"name": "Ben"})
    game.play()
    project(memory)
    mine = anna.get("/v1/me/events?limit=1000")["events"]
    for body, address, whole in (
        ({"game": game.id}, f"{game.address}/events", [str(one["version"]) for one in seen_with(game, None)]),
        ({"me": True}, "/v1/me/events", [event["id"] for event in mine]),
    ):
        found: list[str] = []
        while len(found) < len(whole):
            place = f"&after={found[-1] if found else 0}&limit={min(7, len(whole) - len(found))}"
            with closing(open_stream(api, address, take_ticket(api, body, anna.token), place)) as reply:
                found += [frame["id"] for frame in frames(reply) if "id" in frame]
        assert found == whole


def test_a_ticket_whose_reply_was_lost_is_told_again_and_opens_once(
    api: ApiClient, memory: redis.Redis, game: Game, events: str
) -> None:
    def take(body: dict[str, Any], seat: int) -> TestResponse:
        return api.post(TICKETS, body, game.tokens[seat], Idempotency_Key="k")

    first, again = (take({"game": game.id}, 0) for _ in range(2))
    assert (again.status_code, again.get_json()) == (201, first.get_json())
    assert again.headers["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first.headers
    ticket = first.get_json()["ticket"]
    assert take({"game": game.id}, 1).get_json()["ticket"] != ticket
    kept = [cast(bytes, memory.dump(key)) for key in memory.scan_iter("*")]
    assert not [one for one in kept if ticket.encode() in one]
    assert open_stream(api, events, ticket, "&limit=1").status_code == 200
    assert take({"game": game.id}, 0).get_json()["ticket"] == ticket
    assert open_stream(api, events, ticket, "&limit=1").status_code == 401
    other = api.create_for(2)
    reused = api.post(TICKETS, {"game": other.id}, game.tokens[0], Idempotency_Key="k")
    assert reused.status_code in (401, 422)


def test_a_key_of_another_ticket_is_refused(api: ApiClient, anna: PlayerClient) -> None:
    game = anna.set_up({"name": "Ben"})
    assert api.post(TICKETS, {"me": True}, anna.token, Idempotency_Key="k").status_code == 201
    reply = api.post(TICKETS, {"game": game.id}, anna.token, Idempotency_Key="k")
    assert (reply.status_code, reply.get_json()["code"]) == (422, "key_reused")
