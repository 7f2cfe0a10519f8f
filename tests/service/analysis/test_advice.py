"""Advice for one's own seat and for any table: ranked options, each with a reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis

from service.container import build_backend
from tests.support.api_client import ApiClient
from tests.support.bots import open_worker
from tests.support.sent_tables import EVERY_TABLE, Sent, sent_tables, wooden_table
from tests.support.waiting import wait_until
from workers.jobs import play_shift


@pytest.fixture
def worker(memory: redis.Redis) -> Iterator[None]:
    with open_worker(memory):
        yield


def choices_of(listing: dict[str, Any]) -> set[str]:
    return {option["choice"] for option in listing["options"]}


@pytest.mark.parametrize("edition", ["classic", "royale", "cards"])
def test_a_seat_that_is_asked_gets_all_its_options_ranked(api: ApiClient, worker: None, edition: str) -> None:
    game = api.create_for(2, edition=edition)
    seat, ask = game.ask()
    advice = api.call("POST", "/v1/advice", {"game": game.id}, game.tokens[seat])
    assert advice["bot"] == "expert"
    assert {option["choice"] for option in advice["options"]} == {
        option["choice"] for option in ask["options"]
    }
    for option in advice["options"]:
        assert option["why"].endswith(".")
        assert option["label"]


def test_a_described_table_gets_the_same_advice_every_time(api: ApiClient, worker: None) -> None:
    """Three dice win the first casino, which two of another hold; nobody else can have it more surely."""
    wanted = {"table": wooden_table(), "seat": 0, "bot": "greedy"}
    advice = api.call("POST", "/v1/advice", wanted)
    assert advice["options"][0]["choice"] in ("place-1", "place-2")
    assert "better off if the casinos paid now" in advice["options"][0]["why"]
    assert len(advice["options"]) == 4
    assert api.call("POST", "/v1/advice", wanted) == advice


def test_what_people_are_called_and_agreed_on_changes_no_advice(api: ApiClient, worker: None) -> None:
    """Nor does the order in which notes are told."""
    wanted: dict[str, Any] = {"table": wooden_table(), "seat": 0, "bot": "steady"}
    advice = api.call("POST", "/v1/advice", wanted)
    wanted["table"]["seats"][1]["name"] = "Ben"
    wanted["table"]["options"] = {"turn_seconds": 60}
    wanted["table"]["casinos"][2]["notes"].reverse()
    assert api.call("POST", "/v1/advice", wanted) == advice


def test_what_the_service_shows_can_be_sent_by_a_stranger(api: ApiClient, worker: None) -> None:
    game = api.create_for(3, options={"neutral_dice": True})
    seat, ask = game.ask()
    wanted = {"table": game.table(seat), "seat": seat, "bot": "greedy"}
    advice = api.call("POST", "/v1/advice", wanted)
    assert {option["choice"] for option in advice["options"]} == {
        option["choice"] for option in ask["options"]
    }


def test_a_large_budget_is_a_task_with_progress_that_can_be_called_off(
    api: ApiClient, memory: redis.Redis
) -> None:
    """Whoever ordered it finds the result there when all is done."""
    wanted = {"table": wooden_table(), "seat": 0, "bot": "greedy", "budget": 600}
    backend = build_backend(memory)
    reply = api.post("/v1/advice", wanted)
    assert (reply.status_code, reply.get_json()["done"]) == (202, 0)
    task = reply.headers["Location"]
    while play_shift(backend):
        pass
    shown = api.call("GET", task)
    assert (shown["done"], shown["of"]) == (3, 3)
    advice = shown["result"]
    other = api.client.get(task, environ_overrides={"REMOTE_ADDR": "198.51.100.7"}).get_json()
    assert other == {name: value for name, value in shown.items() if name != "result"}
    assert (advice["budget"], len(advice["options"])) == (720, 4)
    assert api.send("DELETE", task).status_code == 204
    assert api.get(task).status_code == 404


def test_each_who_shows_no_token_has_a_task_of_their_own(api: ApiClient) -> None:
    wanted = {"table": wooden_table(), "seat": 0, "budget": 4000}
    first, second = (api.post("/v1/advice", wanted).headers["Location"] for _ in range(2))
    assert first != second
    assert api.send("DELETE", first).status_code == 204
    assert (api.get(first).status_code, api.get(second).status_code) == (404, 200)


def test_what_a_seat_has_ordered_is_opened_by_its_token_alone(api: ApiClient, memory: redis.Redis) -> None:
    """From wherever; and whoever repeats the order finds the same task."""
    game, backend = api.create_for(2), build_backend(memory)
    seat, _ = game.ask()
    own, wanted = game.tokens[seat], {"game": game.id, "seat": seat, "bot": "greedy", "budget": 600}
    task = api.post("/v1/advice", wanted, own).headers["Location"]
    assert api.post("/v1/advice", wanted, own).headers["Location"] == task
    for token in (None, game.tokens[1 - seat], "junk"):
        for method in ("GET", "DELETE"):
            reply = api.send(method, task, token=token)
            assert (reply.status_code, reply.get_json()["code"]) == (404, "unknown_task")
    while play_shift(backend):
        pass
    elsewhere = {"REMOTE_ADDR": "198.51.100.7"}
    headers = {"Authorization": f"Bearer {own}"}
    shown = api.client.get(task, headers=headers, environ_overrides=elsewhere).get_json()
    assert shown["result"] == api.call("POST", "/v1/advice", wanted, own)
    assert api.send("DELETE", task, token=own).status_code == 204
    assert api.send("GET", task, token=own).status_code == 404


def test_the_seat_that_is_named_is_the_one_whose_token_is_shown(api: ApiClient) -> None:
    game = api.create_for(2)
    seat, _ = game.ask()
    reply = api.post("/v1/advice", {"game": game.id, "seat": 1 - seat}, game.tokens[seat])
    assert (reply.status_code, reply.get_json()["code"]) == (403, "not_yours")


def test_a_task_that_is_called_off_stops(api: ApiClient, memory: redis.Redis) -> None:
    wanted = {"table": wooden_table(), "seat": 0, "bot": "greedy", "budget": 6000}
    task = api.post("/v1/advice", wanted).headers["Location"]
    with open_worker(memory):
        wait_until(lambda: api.call("GET", task)["done"] > 0, "the first step")
        assert api.send("DELETE", task).status_code == 204
        wait_until(lambda: build_backend(memory).queue.take() is None, "an empty lane")


@pytest.mark.parametrize("prompt", ["A1.guess", "H1.put", "chip_cards.take"])
def test_a_stranger_may_send_whatever_a_seat_can_be_asked(api: ApiClient, worker: None, prompt: str) -> None:
    sent = find_sent(prompt)
    advice = api.call("POST", "/v1/advice", {"table": sent.table, "seat": sent.seat})
    assert choices_of(advice) == choices_of(sent.table["asks"][0])
    for option in advice["options"]:
        assert isinstance(option["money"], int)
        assert 0 <= option["win"] <= 1
        assert re.search(r"[Ww]ins \d+% of the games", option["why"])


def find_sent(prompt: str) -> Sent:
    return next(
        sent
        for table in EVERY_TABLE
        for sent in sent_tables(*table, seed=2)
        if sent.table["asks"][0]["prompt"] == prompt
    )


def test_a_game_may_be_agreed_on_without_advice(api: ApiClient) -> None:
    """W11."""
    game = api.create_for(2, options={"advice": False})
    seat, _ = game.ask()
    reply = api.post("/v1/advice", {"game": game.id}, game.tokens[seat])
    assert (reply.status_code, reply.get_json()["code"]) == (403, "advice_off")


def test_advice_is_for_the_seat_that_is_asked(api: ApiClient) -> None:
    game = api.create_for(2)
    seat, _ = game.ask()
    refusals = {"unauthorized": None, "not_asked": game.tokens[1 - seat]}
    for code, token in (*refusals.items(), ("unauthorized", "junk")):
        assert api.post("/v1/advice", {"game": game.id}, token).get_json()["code"] == code
    lobby = api.create({"name": "Anna"}, {"open": True})
    assert api.post("/v1/advice", {"game": lobby.id}, lobby.tokens[0]).get_json()["code"] == "not_started"


WRONG: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "neither": (lambda body: body.pop("table"), ""),
    "seat missing": (lambda body: body.pop("seat"), "/seat"),
    "no such seat": (lambda body: body.update(seat=3), "/seat"),
    "no table": (lambda body: body.update(table=[]), "/table"),
    "over": (lambda body: body["table"].update(status="over"), "/table/status"),
    "asked something else": (
        lambda body: body["table"].update(asks=[{"prompt": "chip_cards.take"}]),
        "/table/asks/0/prompt",
    ),
    "sum": (lambda body: body["table"]["seats"][0].update(money=10), "/table/seats/0/money"),
    "face": (lambda body: body["table"]["roll"].update(own=[1, 1, 1, 2, 5, 7]), "/table/roll/own/5"),
    "half a die": (lambda body: body["table"]["seats"][0].update(dice=5.5), "/table/seats/0/dice"),
    "impossible": (lambda body: body["table"]["seats"][0].update(dice=7), "/table/roll/own"),
    "bot": (lambda body: body.update(bot="genius"), "/bot"),
    "budget": (lambda body: body.update(budget=10**9), "/budget"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_tables_are_refused_with_a_pointer_to_what_is_wrong(api: ApiClient, wrong: str) -> None:
    change, pointer = WRONG[wrong]
    body: dict[str, Any] = {"table": wooden_table(), "seat": 0}
    change(body)
    reply = api.post("/v1/advice", body)
    assert (reply.status_code, reply.get_json()["code"]) == (422, "invalid_body")
    assert pointer in [fault["pointer"] for fault in reply.get_json()["errors"]], reply.get_json()["errors"]
