"""Fists, covered piles and selections over HTTP: until the reveal no way out tells anybody else."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from copy import copy
from io import BytesIO
from itertools import islice
from random import Random
from typing import Any

import pytest
import redis
from msgspec import Struct

from events.secrecy import Secret
from tests.support.api_client import ApiClient, Game
from tests.support.app import open_copy
from tests.support.secrecy import collect_replies, sealed_choice

PLAYERS = 3
MOMENTS = 4
MOST_GAMES = 20
Asked = tuple[Game, int, dict[str, Any]]


class Hiding(Struct, frozen=True):
    """The ask for something to hide, and those choices that others must not tell from one another."""

    edition: str
    options: dict[str, Any]
    prompt: str
    alike: str


HIDING = {
    "fist": Hiding("royale", {"tile_codes": ["A1"]}, "A1.hide", r"hide-\d"),
    # The winner may count the tokens of each pile.
    "piles": Hiding("royale", {"tile_codes": ["G1"]}, "G1.part", r"part(-\d+){4}"),
    "selection": Hiding("cards", {}, "cards.select", r"play-.*"),
}
each_secret = pytest.mark.parametrize("hiding", HIDING.values(), ids=HIDING)
# Two services differ in these, whatever was chosen: commitments, hashes over them, times, names of requests.
OF_ONE_HOUSE = re.compile(r'[0-9a-f]{64}|\d{4}-\d\d-\d\dT[\d:.]+Z|"(?:ms|request_id)":"?[\w.]+"?')


def asked(game: Game) -> Iterator[tuple[int, dict[str, Any]]]:
    """Whoever is awaited, with the ask as they see it."""
    seats = [seat for ask in game.table()["asks"] for seat in ask["seats"]]
    return ((seat, game.table(seat)["asks"][0]) for seat in seats)


def choices(ask: dict[str, Any]) -> list[str]:
    return [option["choice"] for option in ask["options"]]


def hiding_asks(api: ApiClient, hiding: Hiding, random: Random) -> Iterator[Asked]:
    """Games played up to each ask for something to hide, which the taker answers."""
    for _ in range(MOST_GAMES):
        game = api.create_for(PLAYERS, edition=hiding.edition, options=hiding.options)
        while game.table()["status"] != "over":
            seat, ask = next(asked(game))
            if ask["prompt"] == hiding.prompt:
                yield game, seat, ask
            else:
                # The tiles lie at casino 1.
                wanted = [choice for choice in choices(ask) if choice == "place-1"]
                game.choose(seat, ask["ask"], random.choice(wanted or choices(ask)))


def others(game: Game, owner: int) -> list[int | None]:
    return [None, *(seat for seat in game.tokens if seat != owner)]


def token_of(game: Game, viewer: int | None) -> str | None:
    return None if viewer is None else game.tokens[viewer]


class Moment(Struct):
    """Something has just been hidden; `own` are the options that others had of their own."""

    game: Game
    owner: int
    own: dict[int | None, list[str]]
    secret: Secret[str]
    version: int

    def told(self, viewer: int | None) -> str:
        """Of the log, what it says since."""
        return collect_replies(self.game, token_of(self.game, viewer), self.version - 1)


def moments(api: ApiClient, memory: redis.Redis, hiding: Hiding) -> Iterator[Moment]:
    """Without those that the last of the answers reveals at once."""
    random, all_own = Random(1), defaultdict[object, dict[int | None, list[str]]](dict)
    for game, owner, ask in hiding_asks(api, hiding, random):
        # Of everybody asked the same: who has answered already still sees the own answer.
        own = all_own[game.id, ask["ask"]]
        own |= {seat: choices(theirs) for seat, theirs in asked(game)}
        reply = json.loads(game.choose(owner, ask["ask"], random.choice(choices(ask))).data)
        if all(event["type"] != "revealed" for event in reply["events"]):
            version = reply["version"]
            yield Moment(game, owner, own, sealed_choice(memory, game, version), version)


@each_secret
def test_no_way_out_tells_others_what_is_hidden(
    api: ApiClient, memory: redis.Redis, log: BytesIO, hiding: Hiding
) -> None:
    """T-A1, T-G1, C2 (S1): in tables, pages, lines, streams, refusals, the audit and the service's log."""
    seen = 0
    for moment in islice(moments(api, memory, hiding), MOMENTS):
        value, salt = f'"{moment.secret.contents}"', str(moment.secret.salt)
        for viewer in others(moment.game, moment.owner):
            told = moment.told(viewer)
            assert moment.secret.hidden in told
            assert salt not in told
            # In the card game the others may hold the same cards.
            assert value not in told or moment.secret.contents in moment.own.get(viewer, ())
        assert all(known in moment.told(moment.owner) for known in (value, salt))
        assert not any(known in log.getvalue().decode() for known in (moment.secret.contents, salt))
        seen += 1
    assert seen == MOMENTS


def told_in_a_twin(memory: redis.Redis, log: BytesIO, hidden: Asked, choice: str) -> dict[object, str]:
    """What everybody, and the log, is told by a service where this was hidden."""
    game, owner, ask = copy(hidden[0]), *hidden[1:]
    with open_copy(memory) as app:
        game.api = ApiClient(app.test_client())
        start = len(log.getvalue())
        assert game.choose(owner, ask["ask"], choice, Idempotency_Key="the-key").status_code == 200
        told: dict[object, str] = {
            seat: collect_replies(game, token_of(game, seat)) for seat in (None, *game.tokens)
        }
        told["log"] = log.getvalue()[start:].decode()
    return {listener: OF_ONE_HOUSE.sub("…", text) for listener, text in told.items()}


@each_secret
def test_what_is_hidden_makes_no_difference_to_what_others_are_told(
    api: ApiClient, memory: redis.Redis, log: BytesIO, hiding: Hiding
) -> None:
    """Non-interference (T-A1, T-G1, C2): services that differ in what is hidden say the same to others."""
    hidden = next(hiding_asks(api, hiding, Random(1)))
    game, owner, ask = hidden
    alike = [choice for choice in choices(ask) if re.fullmatch(hiding.alike, choice)]
    told = [told_in_a_twin(memory, log, hidden, choice) for choice in islice(alike, MOMENTS)]
    assert len(told) > 2
    for listener in (*others(game, owner), "log"):
        assert len({world[listener] for world in told}) == 1, listener
    assert len({world[owner] for world in told}) == len(told)
