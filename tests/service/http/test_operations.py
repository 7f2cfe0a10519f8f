"""What holds for every operation, whatever it does: asked of each one in the register."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import redis
from flask import Flask
from msgspec import Struct
from werkzeug.test import TestResponse

from service.config import Settings
from service.games.snapshots import SeatIdentity
from service.http.app import create_app
from service.http.auth import (
    FEED_READER,
    KEY_OPTIONAL,
    PLAYER_OPTIONAL,
    PLAYER_OR_ERASED,
    PLAYER_REQUIRED,
    PUBLIC_ACCESS,
    SPECTATOR_ALLOWED,
    STREAM_PLAYER,
    TASK_OWNER,
)
from service.http.headers import IDEMPOTENCY_KEY, IF_MATCH
from service.http.openapi.document import describe
from service.http.operation import Call, Operation, operation
from service.http.problems import CODES
from service.http.register import OPERATIONS
from service.http.responses import Reply
from service.http.views import make_blueprint
from service.players.players import Player
from service.webhooks.routes import WEBHOOK_OWNER
from tests.support.api_client import ApiClient, Game
from tests.support.app import HEALTHY_REDIS
from tests.support.contract import VARIABLES, contract

UNKNOWN = "g_0000000000000000000000"
BODIES: dict[str, Any] = {
    "NewGame": {"edition": "classic", "seats": [{"name": "Anna"}, {"name": "Ben"}]},
    "SitDown": {"name": "Carla"},
    "Choice": {"ask": 1, "choice": "place-1"},
    "FindGame": {"code": "K7MQ-29XH-4TRB"},
    "LeaveTable": {},
    "StartTable": {},
    "VoidGame": {},
    "NothingToSay": {},
    "NewFork": {"at": 1, "seats": [{"name": "Anna"}, {"name": "Ben"}, {"name": "Carla"}]},
    "NewPlayer": {"name": "Dora"},
    "NewTicket": {"game": UNKNOWN},
    "AdviceWanted": {"game": UNKNOWN},
    "NewWebhook": {"url": "https://example.org/hook"},
    "WebhookChange": {"format": "discord"},
    "Replay": {"after": "0"},
    "NewRemoteBot": {"name": "Carlo", "build": "1"},
    "RemoteBotChange": {"build": "2"},
}
OF_PLAYERS = (
    PLAYER_REQUIRED,
    PLAYER_OR_ERASED,
    PLAYER_OPTIONAL,
    STREAM_PLAYER,
    FEED_READER,
    WEBHOOK_OWNER,
)
KEY = "4a1f4f6e-6c0c-4b53-9f10-2d2b9f2f7c11"


def those(choose: Callable[[Operation], bool]) -> pytest.MarkDecorator:
    """A test for each operation of a kind."""
    chosen = [operation for operation in OPERATIONS if choose(operation)]
    assert chosen
    return pytest.mark.parametrize("operation", chosen, ids=lambda operation: operation.id)


@pytest.fixture
def game(api: ApiClient) -> Game:
    return api.create({"name": "Anna"}, {"name": "Ben"}, {"open": True})


def send(
    api: ApiClient, operation: Operation, game: str, token: str | None, query: str = "", **headers: str
) -> TestResponse:
    """The least that the operation takes."""
    address = operation.path.replace("{game}", game) + query
    if "{player}" in address:
        address = address.replace("{player}", make_player(api)["id"])
    if "{webhook}" in address:
        address = address.replace("{webhook}", make_webhook(api))
    if "{bot}" in address:
        address = address.replace("{bot}", make_remote_bot(api))
    for name, value in VARIABLES.items():
        address = address.replace(f"{{{name}}}", value)
    body = None if operation.body is None else dict(BODIES[operation.body.__name__])
    if body and "game" in body:
        body["game"] = game
    return api.send(operation.method, address, body, token, **headers)


def make_player(api: ApiClient) -> Any:
    """Always the same one."""
    return api.post("/v1/players", {"name": "Dora"}, Idempotency_Key=KEY).get_json()


def make_webhook(api: ApiClient) -> str:
    """Always the same one, of the player above."""
    body = BODIES["NewWebhook"]
    made = api.post("/v1/webhooks", body, make_player(api)["token"], Idempotency_Key=KEY).get_json()
    return str(made["id"])


def make_remote_bot(api: ApiClient) -> str:
    """Always the same one, of the player above."""
    body = BODIES["NewRemoteBot"]
    made = api.post("/v1/remote-bots", body, make_player(api)["token"], Idempotency_Key=KEY).get_json()
    return str(made["id"])


def good_token(game: Game, operation: Operation) -> str:
    """One that opens the door of this operation."""
    if operation.access not in OF_PLAYERS:
        return game.tokens[0]
    token: str = make_player(game.api)["token"]
    return token


def code_of(reply: TestResponse) -> tuple[int, str]:
    return reply.status_code, reply.get_json()["code"]


class Pong(Struct, frozen=True):
    game: str


@operation("GET /v1/games/{game}/ping", "Whether the game is there", Pong, access=SPECTATOR_ALLOWED)
def ping(call: Call[SeatIdentity | Player | None]) -> Reply:
    return Reply(Pong(call.game), call.services.games.snapshot(call.game).version)


def test_a_declaration_is_all_that_an_operation_needs(game: Game, memory: redis.Redis) -> None:
    """It is routed, read, authorised and documented from it."""
    described = describe((*OPERATIONS, ping))["paths"][ping.path]["get"]
    assert described["operationId"] == "ping"
    assert described["responses"].keys() == {"200", "304", "400", "401", "403", "404", "422", "429", "503"}
    app = create_app(Settings(), memory, lambda: HEALTHY_REDIS)
    app.register_blueprint(make_blueprint("toy", [ping]))
    toy = ApiClient(app.test_client())
    reply = send(toy, ping, game.id, game.tokens[1])
    assert (reply.status_code, reply.get_json(), reply.headers["ETag"]) == (200, {"game": game.id}, '"1"')
    assert send(toy, ping, game.id, None, If_None_Match='"1"').status_code == 304
    assert code_of(send(toy, ping, game.id, None, "?junk")) == (422, "invalid_query")
    assert code_of(send(toy, ping, game.id, "junk")) == (401, "unauthorized")
    assert code_of(send(toy, ping, "junk", None)) == (404, "unknown_game")


def test_every_route_is_in_the_register_once(app: Flask) -> None:
    routes = sorted(
        (method, re.sub(r"<(\w+)>", r"{\1}", rule.rule))
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    )
    assert routes == sorted((operation.method, operation.path) for operation in OPERATIONS)
    assert len(set(routes)) == len(routes)
    assert len({operation.id for operation in OPERATIONS}) == len(OPERATIONS)


@those(lambda operation: True)
def test_every_refusal_has_a_status_and_is_documented(operation: Operation) -> None:
    responses = contract()["paths"][operation.path][operation.method.lower()]["responses"]
    for code in operation.error_codes:
        assert f"`{code}`" in responses[str(CODES[code])]["description"]


@those(lambda operation: operation.query is not None)
def test_a_query_that_is_not_understood_is_refused(game: Game, operation: Operation) -> None:
    before = game.version()
    token = good_token(game, operation)
    for query in ("?junk=1", "?junk", "?%00=1"):
        assert code_of(send(game.api, operation, game.id, token, query)) == (422, "invalid_query"), query
    assert game.version() == before


@those(lambda operation: operation.query is None)
def test_a_probe_or_a_page_may_be_asked_for_with_any_query(game: Game, operation: Operation) -> None:
    assert send(game.api, operation, game.id, None, "?junk=1").status_code == 200


# Of a task a token is that which it was ordered with, or it opens nothing; see analysis/test_advice.
@those(lambda operation: operation.access not in (PUBLIC_ACCESS, KEY_OPTIONAL, TASK_OWNER))
def test_an_unknown_token_is_refused(game: Game, operation: Operation) -> None:
    before = game.version()
    of_another_game = game.api.create_for(2).tokens[0]
    for token in ("junk", "", "Bearer", UNKNOWN, "player_" + "x" * 43, of_another_game):
        assert code_of(send(game.api, operation, game.id, token)) == (401, "unauthorized"), token
    assert game.version() == before


@those(lambda operation: {} not in operation.access.security and operation.access is not PUBLIC_ACCESS)
def test_where_a_token_is_needed_none_is_refused(game: Game, operation: Operation) -> None:
    assert code_of(send(game.api, operation, game.id, None)) == (401, "unauthorized")


@those(lambda operation: operation.in_game)
def test_a_game_that_is_not_there_is_unknown(api: ApiClient, operation: Operation) -> None:
    for name in (UNKNOWN, "g_", "x", "g_0000000000000000000000x"):
        assert code_of(send(api, operation, name, None)) == (404, "unknown_game"), name


# What tells of a game that is over has tests of its own: test_analysis and test_decisions.
@those(lambda operation: operation.cached and operation.id not in ("analyseGame", "showDecision"))
def test_who_has_it_already_is_sent_nothing(game: Game, operation: Operation) -> None:
    token = good_token(game, operation) if operation.access in OF_PLAYERS else None
    first = send(game.api, operation, game.id, token)
    again = send(game.api, operation, game.id, token, If_None_Match=first.headers["ETag"])
    assert (first.status_code, again.status_code, again.data) == (200, 304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]


@those(lambda operation: not operation.cached)
def test_what_is_not_cached_is_answered_whatever_the_caller_has(game: Game, operation: Operation) -> None:
    reply = send(game.api, operation, game.id, good_token(game, operation), If_None_Match="*")
    assert reply.status_code != 304


@those(lambda operation: operation.body is not None)
def test_a_body_is_read_before_anything_is_done(game: Game, operation: Operation) -> None:
    address, before = operation.path.replace("{game}", game.id), game.version()
    token, method = good_token(game, operation), operation.method
    assert code_of(game.api.send(method, address, b"{", token)) == (400, "bad_json")
    assert code_of(game.api.send(method, address, {"junk": 1}, token)) == (422, "invalid_body")
    assert game.version() == before


@those(lambda operation: IDEMPOTENCY_KEY in operation.headers)
def test_a_key_that_is_none_is_refused(game: Game, operation: Operation) -> None:
    reply = send(game.api, operation, game.id, game.tokens[0], Idempotency_Key="a b")
    assert code_of(reply) == (400, "bad_header")


@those(lambda operation: IF_MATCH in operation.headers)
def test_an_if_match_that_is_none_is_refused(game: Game, operation: Operation) -> None:
    reply = send(game.api, operation, game.id, game.tokens[0], If_Match="1")
    assert code_of(reply) == (400, "bad_header")


@those(lambda operation: len(operation.replies) > 1 and not operation.any_accept)
def test_a_form_that_is_not_offered_is_refused(game: Game, operation: Operation) -> None:
    token = good_token(game, operation)
    assert code_of(send(game.api, operation, game.id, token, Accept="image/png")) == (406, "not_acceptable")


def test_whatever_writes_takes_a_key() -> None:
    """What only thinks, looks something up or calls off what the caller ordered leaves nothing to repeat."""
    harmless = {"advise", "findGame", "rerunDecision", "cancelTask"}
    writing = [operation for operation in OPERATIONS if operation.method != "GET"]
    assert {operation.id for operation in writing if not operation.repeatable} == harmless
