"""The log over HTTP: pages, lines, long polls and streams, each as its reader may see it."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import redis
from flask import Flask
from werkzeug.test import TestResponse

from events.chain import check_chain
from service.fairness.verify_files import main as verify
from service.http.app import DOORBELL
from service.http.doorbell import MOST_LISTENERS, Doorbell, TooManyListeners
from tests.support.api_client import ApiClient, Game, PlayerClient
from tests.support.waiting import PATIENCE, wait_until

JSON, NDJSON, SSE = "application/json", "application/x-ndjson", "text/event-stream"


@pytest.fixture
def game(api: ApiClient) -> Game:
    return api.create_for(2)


def move(game: Game, times: int = 1) -> None:
    for _ in range(times):
        seat, ask = game.ask()
        assert game.choose(seat, ask["ask"], ask["options"][0]["choice"]).status_code == 200


def frames(reply: TestResponse) -> Iterator[dict[str, str]]:
    """Server-sent events as a browser reads them."""
    pending = b""
    for chunk in reply.iter_encoded():
        *whole, pending = (pending + chunk).split(b"\n\n")
        for block in whole:
            yield dict(line.split(": ", 1) for line in block.decode().splitlines())


def count_listeners(app: Flask) -> int:
    doorbell: Doorbell = app.extensions[DOORBELL]
    return len(doorbell.all_listeners())


# Pages


def test_pages_lead_from_one_to_the_next_through_the_whole_log(game: Game) -> None:
    move(game, 6)
    address, commits = f"{game.address}/events?limit=3", []
    while page := game.api.get(address).get_json()["commits"]:
        assert len(page) <= 3
        commits += page
        address = game.api.get(address).get_json()["next"]
    assert [commit["version"] for commit in commits] == [1, 2, 3, 4, 5, 6, 7]
    assert check_chain(commits) == game.api.get(f"{game.address}/audit").get_json()["head"]


def test_a_page_that_was_read_before_has_what_came_since(game: Game) -> None:
    """Pages and streams from the start alike, in a game that somebody follows from its first commit."""
    for newest in (1, 2, 3):
        page = game.api.get(f"{game.address}/events")
        assert [commit["version"] for commit in page.get_json()["commits"]] == [*range(1, newest + 1)]
        assert page.headers["ETag"] == f'"{newest}"'
        stream = game.api.get(f"{game.address}/events?limit={newest}", Accept=SSE)
        assert [frame.get("id") for frame in frames(stream)] == [None, *map(str, range(1, newest + 1)), None]
        move(game)


def test_a_page_after_the_newest_version_is_empty_and_says_where_to_ask_again(game: Game) -> None:
    page = game.api.get(f"{game.address}/events?after=1").get_json()
    assert page == {"commits": [], "next": f"{game.address}/events?after=1"}


def test_a_commit_says_who_did_what_and_what_came_of_it(game: Game) -> None:
    move(game)
    (commit,) = game.api.get(f"{game.address}/events?after=1").get_json()["commits"]
    assert commit["by"] in ("seat-0", "seat-1")
    assert commit["command"]["choice"].startswith("place-")
    assert commit["events"][0]["type"] == "dice_placed"
    assert commit["at"].endswith("Z")
    assert not {"key", "request"} & commit.keys()


# Lines


def test_lines_hold_the_whole_game_and_pass_verification(game: Game, tmp_path: Path) -> None:
    game.play()
    reply = game.api.get(f"{game.address}/events", Accept=NDJSON)
    assert reply.mimetype == NDJSON
    file = tmp_path / "game.ndjson"
    file.write_bytes(reply.data)
    assert len(reply.data.splitlines()) == game.version()
    assert verify([str(file)]) == 0


def test_lines_keep_to_a_limit(game: Game) -> None:
    move(game, 4)
    reply = game.api.get(f"{game.address}/events?after=1&limit=2", Accept=NDJSON)
    assert [json.loads(line)["version"] for line in reply.data.splitlines()] == [2, 3]
    assert game.api.get(f"{game.address}/events?after=5", Accept=NDJSON).data == b""


# Choosing between them


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        *(("*/*", "application/json"), ("", "application/json"), ("application/*", "application/json")),
        *((f"{NDJSON}, application/json;q=0.5", NDJSON), ("text/html;q=0.9, */*;q=0.1", "application/json")),
        *(("a/b;q=nan, */*", "application/json"),),
    ],
)
def test_the_reader_chooses_the_form(game: Game, accept: str, kind: str) -> None:
    assert game.api.get(f"{game.address}/events", Accept=accept).mimetype == kind


@pytest.mark.parametrize("accept", ["text/html", "image/*", "x", "application/json;q=0", ";;;,,,q="])
def test_a_form_that_is_not_there_is_refused(game: Game, accept: str) -> None:
    reply = game.api.get(f"{game.address}/events", Accept=accept)
    assert (reply.status_code, reply.get_json()["code"]) == (406, "not_acceptable")


# Long polls


def test_a_long_poll_returns_with_the_first_news(app: Flask, game: Game) -> None:
    with ThreadPoolExecutor(1) as pool:
        twin = ApiClient(app.test_client())
        poll = pool.submit(twin.get, f"{game.address}/events?after=1&wait=60")
        wait_until(lambda: count_listeners(app), "a poll that waits")
        move(game)
        page = poll.result(PATIENCE).get_json()
    assert [commit["version"] for commit in page["commits"]] == [2]
    assert count_listeners(app) == 0


def fill(app: Flask) -> None:
    """Takes every place there is to wait in: from here on, whoever waits is refused."""
    doorbell: Doorbell = app.extensions[DOORBELL]
    for number in range(MOST_LISTENERS - count_listeners(app)):
        doorbell.listen("g_full", f"caller-{number}")


@pytest.mark.parametrize("accept", [JSON, NDJSON])
def test_without_a_place_nobody_waits(app: Flask, game: Game, accept: str) -> None:
    fill(app)
    reply = game.api.get(f"{game.address}/events?after=1&wait=60", Accept=accept)
    assert (reply.status_code, reply.get_json()["code"]) == (503, "too_many_streams")


@pytest.mark.parametrize("accept", [JSON, NDJSON])
def test_a_long_poll_that_has_news_already_does_not_wait(app: Flask, game: Game, accept: str) -> None:
    fill(app)
    reply = game.api.get(f"{game.address}/events?after=0&wait=60", Accept=accept)
    assert b'"version":1' in reply.data


@pytest.mark.parametrize("accept", [JSON, NDJSON])
def test_a_plain_read_takes_no_place(app: Flask, game: Game, accept: str) -> None:
    fill(app)
    assert game.api.get(f"{game.address}/events?after=1", Accept=accept).status_code == 200


def test_a_long_poll_ends_empty_when_its_time_is_over(game: Game) -> None:
    assert game.api.get(f"{game.address}/events?after=1&wait=1").get_json()["commits"] == []


@pytest.mark.parametrize("accept", [JSON, NDJSON])
def test_nobody_waits_for_a_game_that_is_over(app: Flask, game: Game, accept: str) -> None:
    game.play()
    fill(app)
    reply = game.api.get(f"{game.address}/events?after={game.version()}&wait=60", Accept=accept)
    assert reply.status_code == 200


# Streams


def test_a_stream_tells_what_was_and_then_what_comes(app: Flask, game: Game) -> None:
    move(game, 2)
    with closing(ApiClient(app.test_client()).get(f"{game.address}/events", Accept=SSE)) as reply:
        assert reply.headers["Cache-Control"] == "no-store, no-transform"
        stream = frames(reply)
        assert next(stream) == {"retry": "2000"}
        assert [next(stream)["id"] for _ in range(3)] == ["1", "2", "3"]
        move(game)
        frame = next(stream)
        assert (frame["id"], json.loads(frame["data"])["version"]) == ("4", 4)
    assert count_listeners(app) == 0


def test_a_stream_goes_on_after_the_last_id(app: Flask, game: Game) -> None:
    move(game, 3)
    reply = ApiClient(app.test_client()).get(f"{game.address}/events?after=1", Accept=SSE, Last_Event_ID="3")
    with closing(reply):
        stream = frames(reply)
        next(stream)
        assert next(stream)["id"] == "4"


def test_a_stream_ends_with_the_game_and_is_not_to_be_opened_again(app: Flask, game: Game) -> None:
    with closing(ApiClient(app.test_client()).get(f"{game.address}/events", Accept=SSE)) as reply:
        game.play()
        *_, last, end = frames(reply)
    assert last["id"] == str(game.version())
    assert end["event"] == "over"
    again = game.api.get(f"{game.address}/events", Accept=SSE, Last_Event_ID=last["id"])
    assert again.status_code == 204


def test_a_stream_ends_at_its_limit(game: Game) -> None:
    move(game, 4)
    reply = game.api.get(f"{game.address}/events?limit=2", Accept=SSE)
    assert [frame.get("id") for frame in frames(reply)] == [None, "1", "2", None]


def test_every_stream_ends_when_the_server_stops(app: Flask, game: Game) -> None:
    with closing(ApiClient(app.test_client()).get(f"{game.address}/events", Accept=SSE)) as reply:
        stream = frames(reply)
        assert [next(stream).get("id") for _ in range(2)] == [None, "1"]
        app.extensions[DOORBELL].serving = lambda: False
        assert next(stream)["event"] == "bye"
        assert list(stream) == []


def test_a_stream_that_is_only_asked_about_is_not_opened(app: Flask, game: Game) -> None:
    reply = game.api.client.head(f"{game.address}/events", headers={"Accept": SSE})
    reply.close()
    assert (reply.status_code, count_listeners(app)) == (200, 0)


def test_the_longest_last_id_is_one_of_nine_digits(game: Game) -> None:
    """It is beyond any game, so there is nothing left of one that is over."""
    game.play()
    assert game.api.get(f"{game.address}/events", Accept=SSE, Last_Event_ID="9" * 9).status_code == 204


@pytest.mark.parametrize("last", ["x", "-1", "1.5", "٣", "9" * 10, "9" * 20])
def test_an_odd_last_id_is_refused(game: Game, last: str) -> None:
    for media in (JSON, NDJSON, SSE):
        reply = game.api.get(f"{game.address}/events", Accept=media, Last_Event_ID=last)
        assert (reply.status_code, reply.get_json()["code"]) == (400, "bad_header")


def test_more_streams_than_fit_are_refused(memory: redis.Redis) -> None:
    doorbell = Doorbell(memory, most=1)
    with doorbell.listen("g_1"), pytest.raises(TooManyListeners):
        doorbell.listen("g_2")
    doorbell.listen("g_2").close()
    doorbell.close()


# Secrets


def test_the_cards_of_others_are_commitments_until_the_game_is_over(api: ApiClient) -> None:
    game = api.create_for(2, edition="cards")
    mine, theirs = (dealt(game, seat) for seat in (0, 1))
    assert (set(mine[0]), set(mine[1])) == ({"hidden", "value", "salt", "audience"}, {"hidden"})
    assert (set(theirs[0]), set(theirs[1])) == (set(mine[1]), set(mine[0]))
    assert all(set(hand) == {"hidden"} for hand in dealt(game, None).values())
    game.play()
    assert all("value" in hand for hand in dealt(game, None).values())


def dealt(game: Game, viewer: int | None) -> dict[int, dict[str, Any]]:
    """The first hands, as they look in the log that a viewer reads."""
    token = None if viewer is None else game.tokens[viewer]
    reply = game.api.get(f"{game.address}/events?limit=1", token)
    (commit,) = reply.get_json()["commits"]
    return {event["seat"]: event["cards"] for event in commit["events"] if event["type"] == "cards_dealt"}


# Whose stream it is


def test_a_stream_ends_with_the_seat(app: Flask, game: Game) -> None:
    """What the bot does there from now on is for the bot to know, however much is read at once."""
    reply = ApiClient(app.test_client()).get(f"{game.address}/events", game.tokens[0], Accept=SSE)
    with closing(reply):
        stream = frames(reply)
        assert [next(stream).get("id") for _ in range(2)] == [None, "1"]
        assert game.api.post(f"{game.address}/leave", {"for_good": True}, game.tokens[0]).status_code == 200
        seat, ask = 1, game.table(1)["asks"][0]
        if ask["yours"]:
            assert game.choose(seat, ask["ask"], ask["options"][0]["choice"]).status_code == 200
        assert [(frame.get("id"), frame.get("event")) for frame in stream] == [("2", None), (None, "bye")]


def test_a_stream_does_not_end_where_somebody_else_had_left_the_seat(api: ApiClient) -> None:
    game = api.create({"name": "Anna"}, {"open": True}, {"open": True})
    first = api.post(f"{game.address}/seats", {"name": "Ben"}).get_json()["token"]
    assert api.post(f"{game.address}/leave", {}, first).status_code == 200
    token = api.post(f"{game.address}/seats", {"name": "Carla"}).get_json()["token"]
    reply = api.get(f"{game.address}/events?limit=4", token, Accept=SSE)
    assert [frame.get("id") for frame in frames(reply)][1:-1] == ["1", "2", "3", "4"]
    lines = api.get(f"{game.address}/events", token, Accept=NDJSON).data.splitlines()
    assert len(lines) == 4


@pytest.mark.parametrize("ending", ["POST /v1/me/token", "DELETE /v1/me"])
def test_a_stream_shows_nothing_more_once_its_token_has_ended(
    app: Flask, api: ApiClient, ending: str
) -> None:
    anna, method, address = PlayerClient(api, "Anna"), *ending.split()
    game = anna.set_up({"name": "Ben"}, edition="cards")
    reply = ApiClient(app.test_client()).get(f"{game.address}/events", anna.token, Accept=SSE)
    with closing(reply):
        stream = frames(reply)
        assert [next(stream).get("id") for _ in range(2)] == [None, "1"]
        assert api.send(method, address, None, anna.token).status_code in (201, 204)
        ask = game.table(1)["asks"][0]
        assert game.choose(1, ask["ask"], ask["options"][0]["choice"]).status_code == 200
        assert [frame.get("event") for frame in stream] == ["bye"]
