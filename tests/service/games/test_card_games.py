"""The card game over HTTP: selections in any order, covered until the last one has come."""

import json
from io import BytesIO
from itertools import permutations
from typing import Any

import pytest
import redis

from events.secrecy import proves
from tests.support.api_client import ApiClient, Game
from tests.support.secrecy import collect_replies, sealed_choice

PLAYERS = 3
any_order = pytest.mark.parametrize("order", list(permutations(range(PLAYERS))))


@pytest.fixture
def game(api: ApiClient) -> Game:
    return api.create_for(PLAYERS, edition="cards")


def options(game: Game, seat: int) -> list[str]:
    (ask,) = game.table(seat)["asks"]
    return [option["choice"] for option in ask["options"]]


def select(game: Game, seat: int, choice: str) -> dict[str, Any]:
    reply = game.choose(seat, 1, choice)
    assert reply.status_code == 200
    body: dict[str, Any] = json.loads(reply.data)
    return body


def of_type(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event for event in events if event["type"] == kind]


def log_of(game: Game, token: str | None = None) -> list[dict[str, Any]]:
    commits: list[dict[str, Any]] = game.api.get(f"{game.address}/events", token).get_json()["commits"]
    return commits


@any_order
def test_selections_come_in_any_order_and_are_revealed_at_once(game: Game, order: tuple[int, ...]) -> None:
    """C2: by the commit that completes the turn, with the salts that prove the commitments."""
    picked = {seat: options(game, seat)[-1] for seat in order}
    replies = [select(game, seat, picked[seat]) for seat in order]
    assert [reply["table"]["asks"][0]["seats"] for reply in replies[:-1]] == [sorted(order[1:]), [order[2]]]
    commits = log_of(game)[1:]
    assert [[event["type"] for event in commit["events"]] for commit in commits[:-1]] == [["chosen"]] * 2
    hidden = {
        chosen["seat"]: chosen["choice"]["hidden"]
        for commit in commits
        for chosen in of_type(commit["events"], "chosen")
    }
    shown = of_type(commits[-1]["events"], "revealed")
    assert {event["seat"]: event["value"] for event in shown} == picked
    assert {event["seat"]: event["hidden"] for event in shown} == hidden
    assert all(proves(event["hidden"], event["salt"], event["value"]) for event in shown)
    laid = of_type(commits[-1]["events"], "cards_played")
    assert {event["seat"]: "-".join(("play", *event["cards"])) for event in laid} == picked


@any_order
def test_a_selection_changes_nothing_for_the_others_but_who_is_awaited(
    game: Game, order: tuple[int, ...]
) -> None:
    """C2: tables before and after are the same, and the log grows by a commitment."""
    for number, seat in enumerate(order[:-1]):
        viewers = [None, *(other for other in range(PLAYERS) if other != seat)]
        before = {viewer: game.table(viewer) for viewer in viewers}
        select(game, seat, options(game, seat)[-1])
        for viewer in viewers:
            awaited = sorted(order[number + 1 :])
            asks = [{**ask, "seats": awaited} for ask in before[viewer]["asks"]]
            assert game.table(viewer) == {**before[viewer], "version": number + 2, "asks": asks}
            commit = log_of(game, game.tokens.get(-1 if viewer is None else viewer))[-1]
            (chosen,) = commit["events"]
            assert chosen["choice"].keys() == {"hidden"}
            assert commit["command"] == {"type": "choose", "ask": 1, "seat": seat, "choice": chosen["choice"]}
            assert commit.keys() == {"version", "at", "by", "rules", "command", "events", "prev", "hash"}


def test_no_reply_and_no_log_line_tells_what_was_selected(
    game: Game, memory: redis.Redis, log: BytesIO
) -> None:
    """S1: to spectators and other seats; problem documents list the reader's own options and no others."""
    pick = options(game, 0)[-1]
    select(game, 0, pick)
    secret = sealed_choice(memory, game, 2)
    assert secret.contents == pick
    assert str(secret.salt) in collect_replies(game, game.tokens[0])
    spectator = collect_replies(game, None)
    assert secret.hidden in spectator
    assert "play-" not in spectator
    for seat in (1, 2):
        told = collect_replies(game, game.tokens[seat])
        assert str(secret.salt) not in told + spectator + log.getvalue().decode()
        assert pick in options(game, seat) or f'"{pick}"' not in told
        problem = game.choose(seat, 1, "play-9").get_json()
        assert [option["choice"] for option in problem["options"]] == options(game, seat)
    assert pick not in log.getvalue().decode()


def test_a_reloaded_client_still_sees_its_own_selection(game: Game) -> None:
    """C2: in the reply and in every later table of that seat, and in nobody else's."""
    (ask,) = game.table(0)["asks"]
    pick = {name: value for name, value in ask["options"][-1].items() if name != "path"}
    assert select(game, 0, pick["choice"])["table"]["asks"][0]["answer"] == pick
    select(game, 1, options(game, 1)[0])
    for query in ("", "?at=2", "?at=3"):
        assert game.table(0, query)["asks"][0]["answer"] == pick
        assert all("answer" not in game.table(viewer, query)["asks"][0] for viewer in (None, 2))


def test_an_identical_repeat_gives_the_same_reply_also_after_the_reveal(game: Game) -> None:
    """C2: nobody can tell from a lost reply that it was the first."""
    picked = [options(game, seat)[0] for seat in range(PLAYERS)]
    first = game.choose(0, 1, picked[0])
    again = game.choose(0, 1, picked[0], Idempotency_Key="a-key-of-its-own")
    assert (again.status_code, again.data, game.version()) == (200, first.data, 2)
    for seat in (1, 2):
        select(game, seat, picked[seat])
    late = game.choose(0, 1, picked[0])
    assert (late.status_code, late.data, late.headers["Idempotent-Replayed"]) == (200, first.data, "true")
    assert game.version() == 4


def test_nobody_changes_their_mind(game: Game) -> None:
    """C2: a second, different selection is refused before and after the reveal, and leaves no trace."""
    first, second, *_ = options(game, 0)
    select(game, 0, first)
    for answered in range(3):
        before = [collect_replies(game, token) for token in (None, *game.tokens.values())]
        problem = game.choose(0, 1, second).get_json()
        assert (problem["status"], problem["code"]) == (409, "already_answered")
        assert problem["version"] == game.version() == 2 + answered
        assert not {first, second} & {*problem["detail"].split()}
        assert [collect_replies(game, token) for token in (None, *game.tokens.values())] == before
        if answered < 2:
            select(game, answered + 1, options(game, answered + 1)[0])
    shown = of_type(log_of(game)[-1]["events"], "revealed")
    assert shown[0]["value"] == first


@pytest.mark.parametrize("sequential", [False, True])
def test_a_hand_is_shown_to_its_seat_alone(api: ApiClient, sequential: bool) -> None:
    """C2, C6: everybody else sees the commitment, in earlier tables too."""
    game = api.create_for(PLAYERS, edition="cards", options={"sequential": sequential, "start_seat": 0})
    select(game, 0, options(game, 0)[0])
    for viewer in (None, *range(PLAYERS)):
        for query in ("", "?at=1"):
            hands = [seat["hand"] for seat in game.table(viewer, query)["seats"]]
            shown = [seat for seat, hand in enumerate(hands) if isinstance(hand, list)]
            assert shown == ([] if viewer is None else [viewer])


def test_after_the_end_earlier_tables_are_open_to_everybody(api: ApiClient) -> None:
    """S1: under another ETag, since a reader may have kept the covered table."""
    game = api.create_for(2, edition="cards", options={"hide_money": True})
    covered = api.get(f"{game.address}?at=1")
    game.play()
    opened = api.get(f"{game.address}?at=1", If_None_Match=covered.headers["ETag"])
    seats = opened.get_json()["seats"]
    assert [len(seat["hand"]) for seat in seats] == [5, 5]
    assert [seat["money"] for seat in seats] == [0, 0]
    assert api.get(f"{game.address}?at=1", If_None_Match=opened.headers["ETag"]).status_code == 304


def test_in_sequence_the_options_are_for_the_seat_whose_turn_it_is(api: ApiClient) -> None:
    """C6: hands and options of others are in no reply, refusals included."""
    game = api.create_for(PLAYERS, edition="cards", options={"sequential": True, "start_seat": 0})
    for seat in (1, 2):
        told = collect_replies(game, game.tokens[seat])
        assert "play-" not in told
        problem = game.choose(seat, 1, options(game, 0)[0]).get_json()
        assert (problem["status"], problem["code"]) == (403, "not_asked")
        assert "options" not in problem
    assert "play-" not in collect_replies(game, None)
    assert "play-" in collect_replies(game, game.tokens[0])
