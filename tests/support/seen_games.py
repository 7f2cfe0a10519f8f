"""Games brought to where something is to be seen, by a player who knows no rule."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from playwright.sync_api import BrowserContext

from tests.support.http_player import Call, HttpPlayer, SeatedGame

Seen = Callable[[Any], bool]
MOST_GAMES = 60
NAMES = ("Anna", "Ben", "Maximiliane-Sophie", "🦊 Fox & Co", "Emil", "Fred")


def seat_plan(
    edition: str, players: int, options: Mapping[str, Any] | None = None, bot: str = ""
) -> dict[str, Any]:
    """The first seat is Anna's, the others are people too, or bots of one level."""
    others = [{"bot": bot} if bot else {"name": name} for name in NAMES[1:players]]
    return {"edition": edition, "options": dict(options or {}), "seats": [{"name": "Anna"}, *others]}


def play_until(call: Call, plan: Mapping[str, Any], is_seen: Seen) -> tuple[SeatedGame, Any]:
    """A game of that plan and the table where it is seen; new games are begun until one shows it."""
    for number in range(MOST_GAMES):
        game, player = SeatedGame(call("POST", "/v1/games", plan)), HttpPlayer(call, Random(number))
        table = call("GET", game.address)
        while table["status"] != "over" and not is_seen(table):
            table = player.go_on(game, table)
        if is_seen(table):
            return game, table
    raise AssertionError(f"{MOST_GAMES} games and it was not seen")


def asks(prompt: str) -> Seen:
    return lambda table: any(ask["prompt"] == prompt for ask in table["asks"])


def keep_tokens(context: BrowserContext, tokens: Mapping[str, str]) -> None:
    """This browser holds these seats, by game."""
    kept = json.dumps(json.dumps(dict(tokens)))
    context.add_init_script(f"localStorage.setItem('croupier.seats', {kept})")
