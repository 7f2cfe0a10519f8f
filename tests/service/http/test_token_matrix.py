"""Every operation of openapi.yaml with every kind of token that is none of the caller's, or no longer."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
import redis
from msgspec import Struct
from werkzeug.test import TestResponse

from service.keys.keys import SCOPES, ApiKeys
from tests.support.api_client import ApiClient, Game
from tests.support.app import capture_log, open_app, open_copy, open_memory
from tests.support.contract import Described, described_operations
from tests.support.finished_games import say_that_all_are_listed
from tests.support.waiting import wait_until

# A caller who is let in by a right of their own, or as a spectator: what is refused is not the token.
LET_IN = {200, 201, 202, 204, 403, 404, 409, 412, 422}
GAMES = ("public", "private")
TICKETS = "/v1/tickets"


class World(Struct, frozen=True):
    """Two games in play with hidden hands, and tokens of all kinds."""

    memory: redis.Redis
    api: ApiClient
    games: dict[str, Game]
    players: dict[str, Any]
    wrong: dict[str, str]
    secrets: set[str]
    ended_keys: dict[str, str]
    other_key: str
    other_player: str

    def stored(self) -> dict[bytes, bytes | None]:
        keys: Any = self.memory.keys()
        return {key: self.memory.dump(key) for key in keys}


def make_player(api: ApiClient, name: str) -> dict[str, Any]:
    made: dict[str, Any] = api.post("/v1/players", {"name": name}).get_json()
    return made


def seat_people(api: ApiClient, visibility: str, token: str) -> Game:
    """Anna by a seat's token, Ben by a player's; the cards in their hands are hidden from each other."""
    seats = [{"name": "Anna"}, {"player": True}]
    plan = {"edition": "cards", "visibility": visibility, "seats": seats}
    made = api.post("/v1/games", plan, token)
    assert made.status_code == 201, made.data
    game = Game(api, made.get_json())
    game.tokens[1] = token
    return game


def find_secrets(game: Game) -> set[str]:
    """What only the holder of the first seat may learn: nobody guesses a salt."""
    log = game.api.get(f"{game.address}/events?limit=1000", game.tokens[0]).get_data(as_text=True)
    secrets = set(re.findall(r'"salt":"([0-9a-f]{32})"', log))
    assert secrets
    return secrets | {game.tokens[0]}


def use_ticket(api: ApiClient, game: Game) -> dict[str, str]:
    """One that has been shown once."""
    ticket = api.post(TICKETS, {"game": game.id}, game.tokens[0]).get_json()["ticket"]
    stream = api.get(f"{game.address}/events?limit=1&ticket={ticket}", Accept="text/event-stream")
    assert stream.status_code == 200
    stream.close()
    return {"used ticket": ticket}


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with capture_log(), open_memory() as memory, open_app(memory) as app:
        say_that_all_are_listed(memory)
        api = ApiClient(app.test_client())
        ben, carla = make_player(api, "Ben"), make_player(api, "Carla")
        games = {name: seat_people(api, name, ben["token"]) for name in GAMES}
        rotated = make_player(api, "Dora")["token"]
        assert api.post("/v1/me/token", b"", rotated).status_code == 201
        seat, other = games["public"].tokens[0], api.create_for(2)
        wrong = {
            "junk": "junk",
            "truncated": seat[:-1],
            "truncated player": ben["token"][:-1],
            "another game": other.tokens[0],
            "rotated": rotated,
            **use_ticket(api, games["public"]),
        }
        secrets = set.union(*map(find_secrets, games.values()))
        other_key = ApiKeys(memory).create("other", SCOPES).key
        yield World(
            memory=memory,
            api=api,
            games=games,
            players={"seated": ben, "another": carla},
            wrong=wrong,
            secrets=secrets,
            ended_keys=end_keys(memory),
            other_key=other_key,
            other_player=api.post("/v1/players", {"name": "Eve"}, other_key).get_json()["id"],
        )


def end_keys(memory: redis.Redis) -> dict[str, str]:
    """API keys that work no longer, or never did."""
    keys = ApiKeys(memory)
    revoked = keys.create("revoked", SCOPES).key
    keys.revoke("revoked")
    expired = ApiKeys(memory, lambda: datetime.now(UTC) - timedelta(days=2))
    good = keys.create("good", SCOPES).key
    return {
        "revoked": revoked,
        "expired": expired.create("expired", SCOPES, timedelta(days=1)).key,
        "truncated": good[:-1],
        "of another secret": good[:-4] + ("aaaa" if good[-4:] != "aaaa" else "bbbb"),
    }


def send(
    world: World,
    api: ApiClient,
    described: Described,
    game: str,
    token: str | None,
    acting_for: str | None = None,
) -> TestResponse:
    known = {"game": world.games[game].id, "player": world.players["seated"]["id"]}
    reply = api.client.open(
        described.address(known),
        method=described.method,
        data=described.body(known),
        headers={
            **described.headers(token),
            **({"Croupier-Player": acting_for} if acting_for else {}),
        },
    )
    assert not {secret for secret in world.secrets if secret.encode() in reply.data}
    return reply


@contextmanager
def try_out(world: World, described: Described) -> Iterator[ApiClient]:
    """The same service, or where something may be done a copy of it."""
    if described.method == "GET":
        yield world.api
        return
    with open_copy(world.memory) as copy:
        yield ApiClient(copy.test_client())


def games_of(described: Described) -> tuple[str, ...]:
    return GAMES if described.is_about_game else GAMES[:1]


def every_operation() -> pytest.MarkDecorator:
    return pytest.mark.parametrize("described", [*described_operations()], ids=lambda described: described.id)


@every_operation()
def test_without_a_token_only_what_is_open_is_done(world: World, described: Described) -> None:
    with try_out(world, described) as api:
        replies = {game: send(world, api, described, game, None) for game in games_of(described)}
    assert replies["public"].status_code in (LET_IN if described.is_open else {401})
    if "private" in replies and described.id != "takeSeat":
        assert replies["private"].status_code == (404 if "{game}" in described.path else 401)


def refusal_of(described: Described) -> dict[int, str]:
    """A task is there for the token that it was ordered with alone."""
    return {404: "unknown_task"} if "{task}" in described.path else {401: "unauthorized"}


@every_operation()
def test_a_wrong_token_opens_nothing(world: World, described: Described) -> None:
    """What takes any token refuses every other; a private game is not there for whoever has none of it."""
    calls = [(game, kind, token) for game in games_of(described) for kind, token in world.wrong.items()]
    with try_out(world, described) as api:
        replies = {(game, kind): send(world, api, described, game, token) for game, kind, token in calls}
    for call, reply in replies.items():
        refused = {404: "unknown_game"} if call[0] == "private" else refusal_of(described)
        assert reply.status_code in (refused if described.schemes else LET_IN), (call, reply.data)
        if described.schemes:
            assert json.loads(reply.data)["code"] == refused[reply.status_code]


@every_operation()
def test_another_player_is_a_spectator(world: World, described: Described) -> None:
    token, needs_seat = (
        world.players["another"]["token"],
        "seat" in described.schemes and not described.is_open,
    )
    with try_out(world, described) as api:
        replies = {game: send(world, api, described, game, token) for game in games_of(described)}
    assert replies["public"].status_code in ({403} if needs_seat else LET_IN)
    if "private" in replies and described.id != "takeSeat":
        assert replies["private"].status_code == 404


@every_operation()
def test_an_api_key_that_has_ended_opens_nothing(world: World, described: Described) -> None:
    """Not even what is open to callers without any token: it is told that it has ended."""
    if not described.path.startswith("/v1/"):
        return
    for kind, key in world.ended_keys.items():
        reply = send(world, world.api, described, "private", key)
        assert (reply.status_code, json.loads(reply.data)["code"]) == (401, "unauthorized"), kind


@pytest.mark.long
@every_operation()
def test_another_api_key_is_a_spectator(world: World, described: Described) -> None:
    """With all scopes, for itself and for a player of its own; and it never acts for players of others."""
    for acting_for in (None, world.other_player):
        with try_out(world, described) as api:
            for game in games_of(described):
                reply = send(world, api, described, game, world.other_key, acting_for)
                assert reply.status_code in LET_IN | {401}, (game, reply.data)
                if game == "private" and "{game}" in described.path and described.id != "takeSeat":
                    assert reply.status_code in {401, 404}
    with try_out(world, described) as api:
        seated = world.players["seated"]["id"]
        reply = send(world, api, described, "private", world.other_key, seated)
        if {"player", "seat"} & set(described.schemes):
            unknown = {"unknown_player", "unknown_game", "unknown_task"}
            assert reply.status_code == 404
            assert json.loads(reply.data)["code"] in unknown


def tell_second_seat(world: World, api: ApiClient, described: Described, game: str) -> bool:
    """Whether it was told something: where a bot has to think first, there is nothing to look through yet."""
    status = send(world, api, described, game, world.games[game].tokens[1]).status_code
    assert status in LET_IN
    return status != 202


@every_operation()
def test_another_seat_learns_nothing_of_this_one(world: World, described: Described) -> None:
    """The reply is looked through for what only the first seat may see."""
    with try_out(world, described) as api:
        for game in games_of(described):
            told = partial(tell_second_seat, world, api, described, game)
            wait_until(told, "a reply that says more than to come back later")


def take_ticket(world: World, body: dict[str, Any], token: str) -> str:
    ticket: str = world.api.post(TICKETS, body, token).get_json()["ticket"]
    return ticket


def open_stream(world: World, described: Described, game: str, ticket: str) -> TestResponse:
    address = described.address({"game": world.games[game].id})
    return world.api.get(f"{address}?limit=1&ticket={ticket}", Accept="text/event-stream")


def open_and_close(world: World, described: Described, ticket: str) -> int:
    """Nothing may ever be told in it, so nobody waits for that."""
    with open_stream(world, described, "public", ticket) as stream:
        return stream.status_code


def show_ticket(world: World, described: Described, game: str, ticket: str) -> TestResponse:
    reply = open_stream(world, described, game, ticket)
    assert not {secret for secret in world.secrets if secret.encode() in reply.data}
    return reply


def with_ticket() -> pytest.MarkDecorator:
    chosen = [described for described in described_operations() if "ticket" in described.schemes]
    assert len(chosen) == 3
    return pytest.mark.parametrize("described", chosen, ids=lambda described: described.id)


@with_ticket()
def test_a_used_or_foreign_ticket_opens_nothing(world: World, described: Described) -> None:
    """In the address, where tickets belong: one of another game, of another's own events, or of this kind."""
    public, other = world.games["public"], world.api.create_for(2)
    seated, another = (world.players[who]["token"] for who in ("seated", "another"))
    foreign = {
        "used": world.wrong["used ticket"],
        "junk": "ticket_" + "x" * 43,
        "another game": take_ticket(world, {"game": other.id}, other.tokens[0]),
        "a token": public.tokens[0],
    }
    if "{game}" in described.path:
        foreign["own events"] = take_ticket(world, {"me": True}, seated)
    else:
        foreign["a game"] = take_ticket(world, {"game": public.id}, seated)
    for game in games_of(described):
        for kind, ticket in foreign.items():
            reply = show_ticket(world, described, game, ticket)
            assert (reply.status_code, json.loads(reply.data)["code"]) == (401, "unauthorized"), (game, kind)
    own = {"game": world.games["public"].id} if "{game}" in described.path else {"me": True}
    good = take_ticket(world, own, seated if "game" in own else another)
    assert [open_and_close(world, described, good) for _ in range(2)] == [200, 401]


def test_whoever_is_refused_has_changed_nothing(world: World) -> None:
    """All calls with a wrong token to what takes none of them, one after the other."""
    before = world.stored()
    for described in described_operations():
        if described.schemes:
            for token in world.wrong.values():
                refused = send(world, world.api, described, "public", token).status_code
                assert refused in refusal_of(described)
    assert world.stored() == before


def test_the_matrix_would_notice(world: World) -> None:
    """The holder of the first seat sees what is looked for, and is let in."""
    game = world.games["private"]
    reply = world.api.get(f"{game.address}/events?limit=1000", game.tokens[0])
    assert reply.status_code == 200
    assert any(secret.encode() in reply.data for secret in world.secrets)
