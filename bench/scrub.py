"""Every version of a long game is looked at, once each; the peer replays the game once, to its end."""

from __future__ import annotations

from itertools import product
from tempfile import TemporaryDirectory

from msgspec import UNSET

from bench.ratio import Ratio, measure_rates
from events.commands import Leave, Return
from events.redis import connect
from events.redis_store import RedisStore
from events.store import Store
from events.values import SeatPlan
from rules import State, legal
from rules.prompt import Option
from service.games.games import Games
from service.games.writer import Caller
from service.ops.redis_server import RedisServer

SIX_TILES = {"tile_codes": ["B2", "H2", "E1", "A1", "F2", "D1"]}


def dawdle(state: State, seat: int) -> str:
    """Whatever keeps most dice in hand."""
    options = legal(state, seat)
    passing = [option.choice for option in options if option.choice == "pass"]
    return passing[0] if passing else min(options, key=_count_dice).choice


def _count_dice(option: Option) -> int:
    return 0 if option.dice is UNSET else option.dice.small + option.dice.big + option.dice.neutral


def play(store: Store) -> tuple[str, int]:
    """Some four hundred commits: five who play for time, and get up and come back before they begin."""
    games = Games(store)
    game = games.create("royale", SIX_TILES, [SeatPlan(name=f"P{seat}") for seat in range(5)]).game
    for seat, _ in product(range(5), range(10)):
        games.execute(game, Caller(seat), Leave(seat, for_good=False))
        games.execute(game, Caller(seat), Return(seat))
    while (ask := (state := games.snapshot(game).state).ask) is not None:
        seat = ask.awaited[0]
        games.choose(game, Caller(seat), ask.id, dawdle(state, seat))
    return game, games.snapshot(game).version


def measure() -> Ratio:
    with (
        TemporaryDirectory(prefix="croupier-bench-") as folder,
        RedisServer(folder) as server,
        connect(server.url) as client,
    ):
        store = RedisStore(client)
        game, length = play(store)

        def scrub() -> int:
            return len(Games(store).read_versions(game, 1, length)) // length

        def look_one_by_one() -> int:
            """Each time Redis is asked whether the log goes on."""
            games = Games(store)
            for version in range(1, length + 1):
                games.snapshot(game, version)
            return 1

        def replay() -> int:
            Games(store).snapshot(game)
            return 1

        ours, peer, single = measure_rates(scrub, replay, look_one_by_one)
    remark = f"{length} commits; asked for one by one, each with a look at Redis: {1_000 / single:.1f} ms"
    return Ratio("all versions, against one replay", 1_000 / ours, 1_000 / peer, "ms", 2.0, True, remark)
