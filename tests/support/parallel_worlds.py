"""The same game more than once, in worlds that differ in one hidden thing."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from events.chain import link, redact_commit
from events.commit import Commit, encode
from events.secrecy import seal
from events.store import MemoryStore
from events.types import CardsDealt, Event, OptionValue
from rules.state import State
from service.games.games import Games
from service.games.table_view import render_table
from service.games.writer import Outcome
from service.http.doorbell import Doorbell
from service.http.streaming import Reader, Streams
from tests.support.games import answer_at_random, make_games, people
from tests.support.hash_guessing import A_COMMITMENT_OR_HASH
from tests.support.keys import long_key
from tests.support.memory import open_memory

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

    def choose(self, seat: int, choice: str) -> Outcome:
        return self.games.choose(self.game, seat, self.state.asked, choice)

    def play(self, answers: int, seed: int = 1) -> None:
        random = Random(seed)
        for _ in range(answers):
            answer_at_random(self.games, self.game, random)

    def told_to(self, viewer: int | None) -> str:
        """Everything that goes out to a viewer: table, events, export, audit."""
        now = self.games.snapshot(self.game)
        table = msgspec.json.encode(render_table(now.state, viewer, now.version))
        events = [encode(redact_commit(commit, viewer)) for commit in self.games.commits(self.game)]
        audit = msgspec.json.encode(self.games.audit(self.game))
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
    game = make_games(first).create("cards", options, people(players), key=long_key(number)).game
    (created,) = first.read(game)
    store.append(game, deal_otherwise(created, hands or {}), first.vault(game))
    return World(make_games(store), game)


def deal_otherwise(created: Commit, hands: Hands) -> Commit:
    return link(replace(created, events=tuple(_deal_otherwise(event, hands) for event in created.events)))


def _deal_otherwise(event: Event, hands: Hands) -> Event:
    if not isinstance(event, CardsDealt) or event.seat not in hands or event.cards.salt is None:
        return event
    return replace(event, cards=seal(hands[event.seat], event.cards.salt, (event.seat,)))
