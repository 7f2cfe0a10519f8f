"""Seed, tokens and their hashes are looked for in everything that leaves a running running."""

from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable
from hashlib import sha256
from random import Random
from typing import Any

from tests.support.api_client import long_key
from tests.support.http_client import HttpPlayer, HttpService, Reply, SeatedGame
from tests.support.parallel_players import create_game
from tests.support.service_process import RunningService

KINDS = ("application/json", "application/x-ndjson", "text/event-stream")
ENOUGH = 10


class Recorder(HttpService):
    """Remembers every reply, its headers too."""

    def __init__(self, base: str) -> None:
        super().__init__(base)
        self.said: list[bytes] = []

    def call(self, *request: Any, **more: Any) -> Reply:
        reply = super().call(*request, **more)
        self.said.append(bytes(reply.headers) + reply.body)
        return reply


def shapes(secret: bytes) -> set[bytes]:
    """A secret as it is, and as it could be written."""
    written = {secret, secret.hex().encode(), secret.hex().upper().encode()}
    return written | {encoded(secret).rstrip(b"=") for encoded in (b64encode, urlsafe_b64encode)}


def kept_apart(running: RunningService, game: SeatedGame) -> tuple[set[bytes], set[bytes]]:
    """The seed, and what nobody may learn even after the end, in every shape."""
    vault = running.store.vault(game.id)
    tokens = [token.encode() for token in game.tokens.values()]
    for_ever = [bytes.fromhex(vault["spice"]), *tokens, *(sha256(token).digest() for token in tokens)]
    return shapes(bytes.fromhex(vault["seed"])), {shape for secret in for_ever for shape in shapes(secret)}


def look_around(http: HttpService, game: SeatedGame, token: str | None) -> None:
    """Every way to read, and ways to be refused."""
    for path in ("", "?at=1", "?at=999", "/audit", f"?key={token}", f"/{token}"):
        http.call("GET", game.address + path, token=token)
    for kind in KINDS:
        http.call("GET", f"{game.address}/events?limit=5", token=token, headers={"Accept": kind})
    http.call("POST", f"{game.address}/choices", {"ask": 1, "choice": "no"}, token)
    http.call("POST", f"{game.address}/choices", {"ask": token}, token)
    http.call("POST", f"{game.address}/seats", {"name": "Eve"}, token)
    http.call("GET", f"/v1/games/{token}", token=token)
    http.call("GET", game.address, token=f"{token}x")
    http.call("GET", "/v1/games")


def leaks(secrets: set[bytes], places: Iterable[bytes]) -> list[bytes]:
    return [place for place in places if any(secret in place for secret in secrets)]


def test_no_reply_and_no_log_line_tells_the_seed_a_token_or_its_hash(running: RunningService) -> None:
    people = ({"name": "Anna", "entropy": "her own"}, {"bot": "greedy"}, {"name": "Ben"}, {"bot": "random"})
    game = create_game(running.http, *people, edition="cards", key=long_key("a canary"))
    recorder = Recorder(running.http.base)
    player = HttpPlayer(recorder.insist, Random(1))
    table = recorder.insist("GET", game.address)
    while len(player.promises) < ENOUGH:
        table = player.go_on(game, table)
    for token in (None, *game.tokens.values()):
        look_around(recorder, game, token)
    seed, for_ever = kept_apart(running, game)
    assert leaks({game.id.encode()}, running.logs()), "the log has nothing of this game"
    assert leaks(seed | for_ever, [*recorder.said, *running.logs()]) == []
    player.play(game)
    look_around(recorder, game, None)
    assert leaks(for_ever, [*recorder.said, *running.logs()]) == []
    assert leaks(seed, recorder.said), "the seed is told at the end, and the test would have seen it"
