"""What the tools do: each asks the service over HTTP and returns text for a language model.

Nothing here knows the rules or the Model Context Protocol. A function gets a client of the service that acts
for one player, and raises what the client raises.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from croupier_client import Croupier

# How often a task of advice is looked at, and for how long.
_ADVICE_PAUSE = 0.5
_ADVICE_SECONDS = 20.0


def list_games(croupier: Croupier, which: str, edition: str | None, limit: int) -> str:
    """Return games as lines: `mine`, those where it is `my_turn`, or public ones of a status."""
    if which in ("mine", "my_turn"):
        awaiting = "true" if which == "my_turn" else "false"
        games = croupier.call("GET", "/me/games", awaiting=awaiting, limit=limit)["games"]
    else:
        games = croupier.call("GET", "/games", status=which, edition=edition, limit=limit)["games"]
    lines = [_format_game(game) for game in games if edition in (None, game["edition"])]
    return "\n".join(lines) or "There are no such games."


def _format_game(game: Mapping[str, Any]) -> str:
    seats = ", ".join(_format_seat(seat) for seat in game["seats"])
    parts = [game["id"], game["edition"], game["status"], f"seats: {seats}"]
    if game.get("awaiting"):
        parts.append("waits for you")
    return " | ".join(parts)


def _format_seat(seat: Mapping[str, Any]) -> str:
    if seat.get("open"):
        return "open"
    name = " ".join((seat.get("name") or "").split())
    return f"{name} (bot {seat['bot']})" if seat.get("bot") else name


def create_game(
    croupier: Croupier,
    edition: str,
    *,
    bots: Sequence[str],
    remote_bots: Sequence[str],
    open_seats: int,
    options: Mapping[str, Any],
    visibility: str,
) -> str:
    """Create a game in which the player has seat 0, and return its table."""
    seats: list[dict[str, Any]] = [{"me": True}]
    seats += [{"bot": bot} for bot in bots]
    seats += [{"remote": {"player": bot}} for bot in remote_bots]
    seats += [{"open": True}] * open_seats
    game = croupier.create_game(edition, seats, options, visibility=visibility)
    lines = [croupier.table_text(game["id"])]
    if "code" in game:
        lines.append(f"Others sit down with the code {game['code']}")
    return "\n".join(lines)


def sit_down(croupier: Croupier, game: str, code: str | None) -> str:
    """Take an open seat and return the table."""
    croupier.sit_down(game, code=code)
    return croupier.table_text(game)


def choose(croupier: Croupier, game: str, ask: int, choice: str) -> str:
    """Answer an ask and return the table after it."""
    croupier.call("POST", f"/games/{game}/choices", {"ask": ask, "choice": choice})
    return croupier.table_text(game)


def ask_advice(croupier: Croupier, game: str) -> str:
    """Return the player's options as a bot ranks them."""
    reply = croupier.call("POST", "/advice", {"game": game})
    end = time.monotonic() + _ADVICE_SECONDS
    while "options" not in reply:
        if time.monotonic() > end:
            return "The bot is still thinking. Call ask_advice again in some seconds."
        time.sleep(_ADVICE_PAUSE)
        task = croupier.call("GET", f"/tasks/{reply['id']}")
        reply = task.get("result") or task
    lines = [f"Advice of the bot {reply['bot']}, best first:"]
    lines += [
        f"{option['choice']} wins {option['win']:.0%} of games and ${option['money']:,.0f} in this round."
        f" {option['why']}"
        for option in reply["options"]
    ]
    return "\n".join(lines)


def explain(croupier: Croupier, game: str, version: int | None) -> str:
    """Return in sentences what the commit of a version did, and by which rules; by default the newest."""
    at = croupier.table(game)["version"] if version is None else version
    reply = croupier.call("GET", f"/games/{game}/explain/{at}")
    rules = sorted({fact["rule"] for fact in reply["facts"] if fact.get("rule")})
    return "\n".join([f"Version {at}:", *reply["sentences"], *(f"Rule: {rule}" for rule in rules)])


def show_history(croupier: Croupier, game: str, after: int, limit: int) -> str:
    """Return what happened after a version, a line for each commit."""
    reply = croupier.call("GET", f"/games/{game}/events", after=after, limit=limit, sentences="true")
    lines = [f"{commit['version']}: {' '.join(commit['sentences'])}" for commit in reply["commits"]]
    if not lines:
        return f"Nothing happened after version {after}."
    if len(lines) == limit:
        lines.append(f"There may be more after version {reply['commits'][-1]['version']}.")
    return "\n".join(lines)


def is_due(table: Mapping[str, Any]) -> bool:
    """Return whether there is nothing to wait for: the player is asked, or the game is over."""
    return table["status"] == "over" or any(ask["yours"] for ask in table["asks"])
