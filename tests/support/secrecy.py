"""What callers are told of a game, and attempts to guess what is hidden."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from random import Random
from typing import Any

import msgspec
import redis
from msgspec import Struct
from msgspec.structs import replace
from werkzeug.test import TestResponse

from events.chain import digest, link, redact_commit
from events.commit import Commit, decode_raw, encode
from events.redis_store import RedisStore
from events.secrecy import Secret, commitment, seal
from events.store import MemoryStore
from events.types import CardsDealt, Chosen, Event, OptionValue
from rules.state import State
from service.games.games import Games
from service.games.table_view import render_table
from service.games.writer import Caller, CommandResult
from service.history.audits import Auditor
from service.http.doorbell import Doorbell
from service.http.streaming import Reader, Streams
from service.languages.catalogue import ENGLISH
from tests.support.api_client import Game, long_key
from tests.support.app import open_memory
from tests.support.games import answer_at_random, make_games, people

NDJSON, SSE = "application/x-ndjson", "text/event-stream"


def collect_replies(game: Game, token: str | None, after: int = 0) -> str:
    """Every way out, good and refused, to the holder of a token; of the log, what came after a version."""
    now = game.version()
    replies = [*_looks(game, token, now, after), *_refusals(game, token)]
    return "\n".join(reply.get_data(as_text=True) + reply.headers.get("ETag", "") for reply in replies)


def _looks(game: Game, token: str | None, now: int, after: int) -> list[TestResponse]:
    get, events = game.api.get, f"{game.address}/events?after={after}"
    tables = [
        get(game.address + query, token) for query in ("", f"?at={now}", f"?at={after or 1}", "?at=999")
    ]
    pages = [get(events, token), get(f"{events}&wait=1", token)]
    streams = [get(f"{events}&limit={now - after}", token, Accept=kind) for kind in (NDJSON, SSE)]
    return [*tables, *pages, *streams, get(f"{game.address}/audit", token), get("/v1/games", token)]


def _refusals(game: Game, token: str | None) -> list[TestResponse]:
    post, choices = game.api.post, f"{game.address}/choices"
    newest = game.table()["asks"][0]["ask"]
    bodies: list[Any] = [{"ask": ask, "choice": "no"} for ask in (0, 1, newest - 1, newest, newest + 1)]
    wrong = [post(choices, body, token) for body in (*bodies, {}, [])]
    stale = post(choices, bodies[0], token, If_Match='"1"')
    seat = post(f"{game.address}/seats", {"name": "Eve"}, token)
    return [*wrong, stale, seat, game.api.get(game.address, "a-wrong-token")]


def sealed_choice(memory: redis.Redis, game: Game, version: int) -> Secret[str]:
    """What was chosen in this commit, as the log keeps it."""
    (commit,) = RedisStore(memory).read(game.id, version - 1, 1)
    chosen = next(event for event in commit.events if isinstance(event, Chosen))
    assert isinstance(chosen.choice, Secret)
    return chosen.choice


A_COMMITMENT_OR_HASH = re.compile("[0-9a-f]{64}")


def guess_values(seen: str, values: Iterable[object], salts: Iterable[str]) -> list[object]:
    """The values that a bare hash, or one with one of these salts, betrays."""
    public, tried = {*A_COMMITMENT_OR_HASH.findall(seen)}, tuple(salts)
    return [value for value in values if not public.isdisjoint(_hashes(value, tried))]


def _hashes(value: object, salts: Iterable[str]) -> Iterator[str]:
    yield sha256(str(value).encode()).hexdigest()
    yield sha256(msgspec.json.encode(value)).hexdigest()
    yield from (commitment(salt, value) for salt in salts)


def guessable_salts(state: State) -> list[str]:
    """Made from what everybody knows: the seed's commitment, the game, running numbers."""
    known = [state.commitment, state.game, *(f"{number:x}" for number in range(state.drawn + 1))]
    spelt = [text.encode().hex() for text in known]
    return [text.zfill(32)[:32] for text in (*spelt, *known) if set(text) <= set("0123456789abcdef")]


def guess_plain_hash(commit: Commit, hidden: str, values: Iterable[object]) -> list[object]:
    """The values that give the commit's hash when they stand where the commitment stands."""
    form = decode_raw(encode(redact_commit(commit)))
    assert digest(form) == commit.hash
    return [value for value in values if digest(_replace_commitment(form, hidden, value)) == commit.hash]


def _replace_commitment(form: Any, hidden: str, value: object) -> Any:
    if isinstance(form, dict):
        same = form.keys() == {"hidden"} and form["hidden"] == hidden
        return (
            value if same else {name: _replace_commitment(item, hidden, value) for name, item in form.items()}
        )
    return [_replace_commitment(item, hidden, value) for item in form] if isinstance(form, list) else form


Hands = Mapping[int, tuple[str, ...]]


class World(Struct):
    games: Games
    game: str

    @property
    def state(self) -> State:
        return self.games.snapshot(self.game).state

    @property
    def awaited(self) -> tuple[int, ...]:
        ask = self.state.ask
        return () if ask is None else ask.awaited

    def others(self, owner: int) -> tuple[int | None, ...]:
        return (None, *(seat for seat in range(len(self.state.seats)) if seat != owner))

    def choose(self, seat: int, choice: str) -> CommandResult:
        return self.games.choose(self.game, Caller(seat), self.state.asked, choice)

    def play(self, answers: int, seed: int = 1) -> None:
        random = Random(seed)
        for _ in range(answers):
            answer_at_random(self.games, self.game, random)

    def told_to(self, viewer: int | None) -> str:
        """Everything that goes out to a viewer: table, events, export, audit."""
        now = self.games.snapshot(self.game)
        table = ENGLISH.encoder.encode(render_table(now.state, viewer, now.version))
        events = [encode(redact_commit(commit, viewer)) for commit in self.games.commits(self.game)]
        audit = ENGLISH.encoder.encode(Auditor(self.games).audit(self.game))
        return b"\n".join([table, *events, *self.export_lines(viewer), audit]).decode()

    def export_lines(self, viewer: int | None) -> list[bytes]:
        """NDJSON, as it is downloaded."""
        streams = Streams(self.games, Doorbell(open_memory()))
        reader = Reader(self.game, viewer, after=0, over=False)
        return list(streams.lines(reader, streams.read_tail(reader)))

    def shape_told_to(self, viewer: int | None) -> str:
        """The same without commitments and the hashes over them."""
        return A_COMMITMENT_OR_HASH.sub("…", self.told_to(viewer))


def make_world(
    options: Mapping[str, OptionValue], players: int, number: int, hands: Hands | None = None
) -> World:
    """Equal numbers are dealt equal games, but for the hands that are given."""
    first, store = MemoryStore(), MemoryStore()
    game = (
        make_games(first).create("cards", options, people(players), caller=Caller(key=long_key(number))).game
    )
    (created,) = first.read(game)
    store.append(game, deal_otherwise(created, hands or {}), first.vault(game))
    return World(make_games(store), game)


def deal_otherwise(created: Commit, hands: Hands) -> Commit:
    return link(replace(created, events=tuple(_deal_otherwise(event, hands) for event in created.events)))


def _deal_otherwise(event: Event, hands: Hands) -> Event:
    if not isinstance(event, CardsDealt) or event.seat not in hands or event.cards.salt is None:
        return event
    return replace(event, cards=seal(hands[event.seat], event.cards.salt, (event.seat,)))
