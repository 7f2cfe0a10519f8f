"""Games that nobody goes on with are closed by the clock, and what they leave behind is cleared away."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace
from redis import Redis

from events.commit import decode_raw
from events.redis_store import RedisStore
from events.store import KeyReused
from events.types import GameClosed
from events.values import SeatPlan
from rules.errors import Reason, Rejected
from service.container import build_backend
from service.games.deadlines import REPEATABLE, TimeLimits
from service.games.games import Games
from service.games.table_view import ClosedShown, render_snapshot
from service.games.writer import Caller
from service.history.audits import Auditor
from service.lobby.filters import GameFilter
from tests.support.api_client import long_key
from tests.support.games import ManualClock, after, choose, seat_of_token, start_mixed_game, verify_stored
from tests.support.second_opinion import is_fair
from tests.support.stores import LAYOUT
from workers.projector import projection_handler
from workers.reconciler import Reconciler
from workers.turns import TurnPlayer

HOUR = 3600.0
PATIENCE = TimeLimits(lobby_hours=2, abandon_hours=10, archive_hours=0)
OPEN_TABLE = [SeatPlan(name="Anna"), SeatPlan()]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime.now(UTC) - timedelta(days=30))


@pytest.fixture
def games(fake: Redis, clock: ManualClock) -> Games:
    return Games(RedisStore(fake), clock)


@pytest.fixture
def look(fake: Redis, clock: ManualClock) -> Callable[[str], None]:
    return make_look(fake, clock, PATIENCE)


def make_look(fake: Redis, clock: ManualClock, patience: TimeLimits) -> Callable[[str], None]:
    """The projector sees a game's commits, and the reconciler what is due then."""
    backend = replace(build_backend(fake, patience), games=Games(RedisStore(fake), clock))
    project, reconciler = projection_handler(backend, clock), Reconciler(backend, clock)

    def look(game: str) -> None:
        project(game, backend.store.read(game))
        reconciler.step()

    return look


def status_of(games: Games, game: str) -> str:
    return games.snapshot(game).state.status


def test_a_lobby_that_never_fills_is_closed(
    fake: Redis, games: Games, clock: ManualClock, look: Callable[[str], None]
) -> None:
    """W2; it reveals its seed, and what it decided until then is verified."""
    seating = games.create("classic", {}, OPEN_TABLE)
    game = seating.game
    clock.forward(2 * HOUR - 1)
    look(game)
    assert status_of(games, game) == "lobby"
    clock.forward(1)
    look(game)
    commit = games.commits(game)[-1]
    assert commit.by == "clock"
    assert commit.events == (GameClosed("not_filled", games.snapshot(game).state.seed),)
    table = render_snapshot(games.snapshot(game), None)
    assert (table.status, table.winners, table.asks) == ("over", None, ())
    assert table.closed == ClosedShown("not_filled")
    with pytest.raises(Rejected) as refusal:
        games.sit(game, "Ben")
    assert refusal.value.reason == Reason.GAME_OVER
    assert seat_of_token(games, game, seating.tokens[0]) == 0
    assert verify_stored(RedisStore(fake), game).ok
    assert Auditor(games).audit(game).verified == verify_stored(RedisStore(fake), game)
    assert [line.id for line in build_backend(fake).lobby.page(GameFilter(status="lobby")).games] == [game]
    look(game)
    assert [line.id for line in build_backend(fake).lobby.page(GameFilter(status="over")).games] == [game]


@pytest.mark.parametrize("edition", ["classic", "modern", "royale", "cards"])
def test_a_game_whose_people_fell_silent_is_closed(
    fake: Redis, games: Games, clock: ManualClock, look: Callable[[str], None], edition: str
) -> None:
    """W3, counted from the last answer of a person; S1, all that was covered is open."""
    game = start_mixed_game(games, "Anna", "Ben", edition=edition)
    clock.forward(9 * HOUR)
    choose(games, game, games.snapshot(game).people_asked[0])
    clock.forward(9 * HOUR)
    look(game)
    assert status_of(games, game) == "playing"
    clock.forward(HOUR)
    look(game)
    store = RedisStore(fake)
    assert render_snapshot(games.snapshot(game), None).closed == ClosedShown("abandoned")
    assert verify_stored(store, game).ok
    assert is_fair([decode_raw(entry) for entry in store.read_stored(game)])
    for_nobody = render_snapshot(games.snapshot(game), None)
    assert replace(for_nobody, you=0) == render_snapshot(games.snapshot(game), 0)
    hands = [seat.hand for seat in for_nobody.seats if edition == "cards"]
    assert all(isinstance(hand, tuple) for hand in hands)


def test_answers_of_the_clock_are_no_sign_of_life(
    games: Games, clock: ManualClock, look: Callable[[str], None]
) -> None:
    """W3."""
    game = start_mixed_game(games, "Anna", "Ben", options={"turn_seconds": 600})
    stand_in = TurnPlayer(games, clock)
    for _ in range(10):
        clock.forward(HOUR - 1)
        look(game)
        assert status_of(games, game) == "playing"
        stand_in.play_turns(game, after(1))
    clock.forward(HOUR)
    look(game)
    assert games.snapshot(game).state.close_reason == "abandoned"


def test_zero_hours_mean_never(fake: Redis, games: Games, clock: ManualClock) -> None:
    """W2, W3."""
    look = make_look(fake, clock, TimeLimits(0, 0))
    waiting, silent = games.create("classic", {}, OPEN_TABLE).game, start_mixed_game(games, "Anna", "Ben")
    clock.forward(10_000 * HOUR)
    for game in (waiting, silent):
        look(game)
    assert (status_of(games, waiting), status_of(games, silent)) == ("lobby", "playing")


def test_who_comes_in_the_last_moment_plays_on(games: Games) -> None:
    game = start_mixed_game(games, "Anna", "Ben")
    choose(games, game, 0)
    assert not games.close(game, "abandoned", "clock", 1)
    assert status_of(games, game) == "playing"
    assert games.close(game, "abandoned", "clock", 2)
    assert not games.close(game, "abandoned", "clock", 3)


def test_a_game_that_is_over_forgets_its_requests_after_a_while(
    fake: Redis, games: Games, clock: ManualClock, look: Callable[[str], None]
) -> None:
    """A repeat gets a clear answer then, and has no second effect."""
    key = "6c1f2f0e-5a0e-4c8e-9d8c-0d1d7cf4ab8e"
    seats = [SeatPlan(name="Anna"), SeatPlan(name="Ben")]
    seating = games.create("classic", {"start_seat": 0}, seats, caller=Caller(key=key))
    game = seating.game
    options = games.snapshot(game).state.ask
    assert options is not None
    games.choose(game, Caller(0, key="a-key"), options.id, options.options[0])
    clock.forward(10 * HOUR)
    look(game)
    clock.forward(REPEATABLE.total_seconds() - 1)
    look(game)
    assert games.create("classic", {"start_seat": 0}, seats, caller=Caller(key=key)).replayed
    clock.forward(1)
    look(game)
    version = games.snapshot(game).version
    assert not fake.exists(LAYOUT.game_key("requests", game))
    vault = RedisStore(fake).vault(game)
    assert {field.partition(":")[0] for field in vault} == {"seed", "token"}
    later = Games(RedisStore(fake), clock)
    with pytest.raises(KeyReused):
        later.create("classic", {"start_seat": 0}, seats, caller=Caller(key=key))
    assert later.choose(game, Caller(0, key="a-key"), options.id, options.options[0]).replayed
    with pytest.raises(Rejected):
        later.sit(game, "Carla", caller=Caller(key=long_key("another")))
    assert seat_of_token(later, game, seating.tokens[1]) == 1
    assert later.snapshot(game).version == version
    assert not fake.exists(LAYOUT.game_key("requests", game))
    assert build_backend(fake).due.take(clock() + timedelta(days=99)).games == ()


@pytest.mark.parametrize("before", [TimeLimits(lobby_hours=24), TimeLimits(lobby_hours=0)])
def test_less_patience_reaches_games_that_were_made_with_more(
    fake: Redis, games: Games, clock: ManualClock, before: TimeLimits
) -> None:
    game = games.create("classic", {}, OPEN_TABLE).game
    for patience in (PATIENCE, before):
        make_look(fake, clock, patience)(game)
        let_others_rebuild(fake)
    clock.forward(3 * HOUR)
    backend = replace(build_backend(fake, PATIENCE), games=Games(RedisStore(fake), clock))
    reconciler = Reconciler(backend, clock)
    for _ in range(2):
        reconciler.step()
    assert games.snapshot(game).state.status == "over"


def let_others_rebuild(fake: Redis) -> None:
    """As some seconds after the last one began."""
    fake.delete("croupier:{lobby}:rebuilder")
