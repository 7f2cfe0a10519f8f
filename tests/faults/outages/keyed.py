"""A backend with an API key plays for its users, while strangers flood and while another key plays."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from pathlib import Path

from events.redis import connect
from service import logs
from service.container import build_backend
from service.keys.keys import SCOPES, ApiKeys
from service.lobby.filters import GameFilter
from service.lobby.removal import remove_game
from service.ops.redis_server import find_running_url
from tests.support.bot_flood import DEAR_PLAN, Waits, percentile_95
from tests.support.key_backend import open_backend
from tests.support.request_flood import flood_bad_bodies, flood_creations, flood_reads, put_games
from tests.support.service_process import run_service

STRANGER = "127.0.0.2"
PLAYERS, GAMES = 500, 2_000
# The other key: a small one.
FEW_PLAYERS, FEW_GAMES = 20, 60
# Choices a second of each, well below what two cores can do beside a flood.
PACE, SLOW_PACE = 6.0, 3.0
# Quiet and crowded times take turns: what else the machine has to do falls on both.
ROUNDS = 4
SECONDS = 12.0
FINISHED = 60
MOST = 3.0
# Shorter waits than these are quick, whatever they are compared with.
QUICK_CHOICE, QUICK_BOT = 0.02, 0.05


def run(
    folder: Path,
    players: int = PLAYERS,
    games: int = GAMES,
    seconds: float = SECONDS,
    rounds: int = ROUNDS,
    most: float = MOST,
) -> bool:
    """With the limits as they are by default; waits may grow by `most`."""
    # Else each game that is removed would be told here.
    logs.configure("error")
    quiet, flooded, alone, beside = (Waits([], []) for _ in range(4))
    told: Counter[str] = Counter()
    with ExitStack() as stack:
        base, _ = stack.enter_context(run_service(folder / "data", RATE_LIMITS="on"))
        url = find_running_url(folder / "data") or ""
        with connect(url) as client:
            keys = [ApiKeys(client).create(name, SCOPES).key for name in ("arcade", "other")]
        finished = put_games(url, FINISHED)
        arcade, other = (stack.enter_context(open_backend(base, key)) for key in keys)
        arcade.set_up(players, games)
        other.set_up(FEW_PLAYERS, FEW_GAMES)
        print(f"  {players} players of one key in {games:,} games", flush=True)
        for _ in range(rounds):
            _add(quiet, arcade.measure(seconds, PACE))
            _add(alone, other.measure(seconds, SLOW_PACE))
            arcade.start({"do": "measure", "seconds": seconds, "pace": 4 * PACE})
            _add(beside, other.measure(seconds, SLOW_PACE))
            arcade.finish()
        print(f"  quiet: {quiet}", flush=True)
        print(f"  another key: {alone}", flush=True)
        print(f"  another key beside four times the pace of the first: {beside}", flush=True)
        for _ in range(rounds):
            with (
                flood_creations(base, STRANGER) as created,
                flood_reads(base, STRANGER, finished) as read,
                flood_bad_bodies(base, STRANGER) as refused,
            ):
                _add(flooded, arcade.measure(seconds, PACE))
            told += created + read + refused
            _remove_games(url, str(DEAR_PLAN["edition"]))
            _add(quiet, arcade.measure(seconds, PACE))
        print(f"  flooded: {flooded}; the strangers were told {dict(told)}", flush=True)
        print(f"  quiet, before and between: {quiet}", flush=True)
    held = _compare("the flood", quiet, flooded, most)
    return _compare("the other key", alone, beside, most) and held


def _remove_games(url: str, edition: str) -> None:
    """Remove what a flood has left, whose bots play on for minutes: after it the quiet is quiet."""
    with connect(url) as client:
        backend = build_backend(client)
        wanted = GameFilter(status="playing", edition=edition)
        while games := backend.lobby.page(wanted, limit=100).games:
            for game in games:
                remove_game(backend, game.id)


def _add(waits: Waits, more: Waits) -> None:
    waits.choices.extend(more.choices)
    waits.bots.extend(more.bots)


def _compare(what: str, before: Waits, after: Waits, most: float) -> bool:
    """Say by how much 95 % of the waits grew, and whether that is little enough."""
    choices = percentile_95(after.choices) / percentile_95(before.choices)
    bots = percentile_95(after.bots) / percentile_95(before.bots)
    print(f"  {what}: choices {choices:.2f} ×, bots {bots:.2f} ×", flush=True)
    is_quick = choices <= most or percentile_95(after.choices) < QUICK_CHOICE
    return is_quick and (bots <= most or percentile_95(after.bots) < QUICK_BOT)
