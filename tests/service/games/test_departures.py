"""People go, come back, start with bots, call off, break off and play again."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from events.commands import Cancel, Leave, Return, Start, Void
from events.commit import ENDINGS, Commit, without_request
from events.store import KeyReused, MemoryStore
from events.types import GameClosed, RematchMade, RoundStarted, SeatLeft, SeatReturned, SeatTaken
from events.values import SeatPlan
from rules.errors import Reason, Rejected
from service.games.games import Games
from service.games.table_view import render_snapshot
from service.games.tokens import hash_token
from service.games.writer import Caller
from service.history.audits import Auditor
from tests.support.games import (
    choose,
    export_game,
    make_games,
    play_answers,
    play_game,
    seat_of_token,
    start_game,
    start_mixed_game,
    verify_stored,
    written_by,
)
from tests.support.second_opinion import is_fair

OPEN_TABLE = [SeatPlan(name="Anna"), SeatPlan(), SeatPlan()]


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def games(store: MemoryStore) -> Games:
    return make_games(store)


def refuse(act: Callable[[], object]) -> Reason:
    with pytest.raises(Rejected) as refused:
        act()
    return refused.value.reason


# The lobby


def test_who_leaves_the_lobby_opens_the_seat_and_loses_the_token(games: Games, store: MemoryStore) -> None:
    """W4; also for a process that has known the token all the time."""
    game = games.create("classic", {}, OPEN_TABLE).game
    elsewhere = Games(store)
    token = games.sit(game, "Ben").tokens[1]
    assert seat_of_token(elsewhere, game, token) == 1
    settled = games.execute(game, Caller(1), Leave(1, for_good=False))
    assert settled.commit is not None
    assert settled.commit.events == (SeatLeft(1),)
    assert settled.snapshot.state.seats[1].name is None
    assert seat_of_token(games, game, token) is None
    holder = elsewhere.find_holder(game, hash_token(token))
    if holder is not None:
        with pytest.raises(Exception, match="replaced"):
            elsewhere.snapshot(game, log_epoch=holder.log_epoch)
    assert seat_of_token(elsewhere, game, token) is None
    other = games.sit(game, "Carla").tokens
    assert (list(other), seat_of_token(elsewhere, game, other[1])) == ([1], 1)
    assert seat_of_token(games, game, token) is None


def test_the_host_is_who_has_been_there_longest(games: Games) -> None:
    """W5."""
    game = games.create("classic", {}, [SeatPlan(), SeatPlan(bot="random"), SeatPlan(), SeatPlan()]).game
    assert render_snapshot(games.snapshot(game), None).host is None
    games.sit(game, "Ben", seat=2)
    games.sit(game, "Anna", seat=0)
    assert games.snapshot(game).state.host == 2
    games.execute(game, Caller(2), Leave(2, for_good=False))
    assert render_snapshot(games.snapshot(game), None).host == 0


def test_the_host_starts_with_bots_in_the_empty_seats(games: Games, store: MemoryStore) -> None:
    """W5."""
    game = games.create("classic", {}, OPEN_TABLE).game
    settled = games.execute(game, Caller(0), Start(0, "random"))
    assert settled.commit is not None
    assert settled.commit.events[:2] == (
        SeatTaken(1, "random", bot="random"),
        SeatTaken(2, "random", bot="random"),
    )
    assert settled.snapshot.state.status == "playing"
    assert refuse(lambda: games.sit(game, "Ben")) == Reason.ALREADY_STARTED
    games.execute(game, Caller(0), Void(0, agrees=True))
    assert verify_stored(store, game).ok


def test_only_the_host_starts_or_cancels(games: Games) -> None:
    """W5, W6."""
    game = games.create("classic", {}, OPEN_TABLE).game
    games.sit(game, "Ben")
    assert refuse(lambda: games.execute(game, Caller(1), Start(1, "greedy"))) == Reason.NOT_HOST
    assert refuse(lambda: games.execute(game, Caller(1), Cancel(1))) == Reason.NOT_HOST


def test_a_lobby_can_be_cancelled(games: Games, store: MemoryStore) -> None:
    """W6."""
    game = games.create("royale", {}, OPEN_TABLE).game
    state = games.execute(game, Caller(0), Cancel(0)).snapshot.state
    assert (state.status, state.close_reason) == ("over", "cancelled")
    assert verify_stored(store, game).ok
    assert refuse(lambda: games.rematches.rematch(game, Caller(0))) == Reason.NOT_STARTED


def test_a_game_in_play_is_not_cancelled_nor_a_lobby_voided(games: Games) -> None:
    """W6, W7."""
    lobby, playing = games.create("classic", {}, OPEN_TABLE).game, start_game(games)
    assert refuse(lambda: games.execute(playing, Caller(0), Cancel(0))) == Reason.ALREADY_STARTED
    assert refuse(lambda: games.execute(lobby, Caller(0), Void(0, agrees=True))) == Reason.NOT_STARTED


# In play


def test_a_bot_answers_for_who_left_until_they_answer(games: Games, store: MemoryStore) -> None:
    """W4."""
    game = start_mixed_game(games, "Anna", "Ben")
    settled = games.execute(game, Caller(0), Leave(0, for_good=False))
    assert settled.snapshot.state.seats[0].stand_in == "greedy"
    assert settled.snapshot.people_asked == ()
    assert games.execute(game, Caller(0), Leave(0, for_good=False)).commit is None
    commit = written_by(choose(games, game, 0))
    assert commit.events[0] == SeatReturned(0)
    assert games.snapshot(game).state.seats[0].stand_in is None
    for _ in play_answers(games, game):
        pass
    assert verify_stored(store, game).ok


def test_who_says_so_is_back(games: Games) -> None:
    """W4."""
    game = start_mixed_game(games, "Anna", "Ben", options={"on_timeout": "takeover:random"})
    assert (
        games.execute(game, Caller(1), Leave(1, for_good=False)).snapshot.state.seats[1].stand_in == "random"
    )
    assert render_snapshot(games.snapshot(game), None).seats[1].stand_in == "random"
    assert games.execute(game, Caller(1), Return(1)).snapshot.state.seats[1].stand_in is None
    assert games.execute(game, Caller(1), Return(1)).commit is None


def test_who_leaves_for_good_hands_the_seat_to_the_bot(games: Games, store: MemoryStore) -> None:
    """W4."""
    seating = games.create("classic", {}, [SeatPlan(name="Anna"), SeatPlan(name="Ben")])
    game = seating.game
    games.execute(game, Caller(0), Leave(0, for_good=False))
    state = games.execute(game, Caller(0), Leave(0, for_good=True)).snapshot.state
    assert (state.seats[0].name, state.seats[0].bot, state.people) == ("greedy", "greedy", (1,))
    assert seat_of_token(games, game, seating.tokens[0]) is None
    assert seat_of_token(games, game, seating.tokens[1]) == 1
    assert games.execute(game, Caller(1), Void(1, agrees=True)).snapshot.state.close_reason == "voided"
    assert verify_stored(store, game).ok


@pytest.mark.parametrize("edition", ["classic", "modern", "royale", "cards"])
def test_a_game_is_void_when_all_people_agree(games: Games, store: MemoryStore, edition: str) -> None:
    """W7: those who are away are asked, too; bots are not."""
    game = start_mixed_game(games, "Anna", "random", "Ben", edition=edition)
    games.execute(game, Caller(0), Void(0, agrees=True))
    games.execute(game, Caller(2), Leave(2, for_good=False))
    assert render_snapshot(games.snapshot(game), None).void == (0,)
    games.execute(game, Caller(0), Void(0, agrees=False))
    games.execute(game, Caller(2), Void(2, agrees=True))
    assert games.snapshot(game).state.status == "playing"
    commit = games.execute(game, Caller(0), Void(0, agrees=True)).commit
    assert commit is not None
    assert isinstance(commit.events[-1], GameClosed)
    assert verify_stored(store, game).ok
    assert is_fair(export_game(games, game))
    assert refuse(lambda: games.choose(game, Caller(0), 1, "place-1")) == Reason.GAME_OVER


def test_who_stays_alone_and_had_agreed_ends_the_game_by_the_others_leaving(games: Games) -> None:
    """W7."""
    game = start_mixed_game(games, "Anna", "Ben")
    games.execute(game, Caller(0), Void(0, agrees=True))
    state = games.execute(game, Caller(1), Leave(1, for_good=True)).snapshot.state
    assert (state.status, state.close_reason) == ("over", "voided")


# Again


@pytest.mark.parametrize("edition", ["classic", "modern", "royale", "cards"])
def test_a_rematch_has_the_same_seats_and_the_next_start(
    games: Games, store: MemoryStore, edition: str
) -> None:
    """W8."""
    game = play_game(games, edition, {}, 3)
    first = games.rematches.rematch(game, Caller(2), creator="somebody")
    second = games.rematches.rematch(game, Caller(0))
    assert (first.game, first.made, second.made) == (second.game, True, False)
    assert not first.replayed
    assert not second.replayed
    assert seat_of_token(games, first.game, first.tokens[2]) == 2
    assert seat_of_token(games, first.game, second.tokens[0]) == 0
    assert games.rematches.rematch(game, Caller(0)).tokens == second.tokens
    old, new = games.snapshot(game).state, games.snapshot(first.game).state
    assert (old.rematch, new.rematch_of) == (first.game, game)
    assert starter_of(games, first.game) == (starter_of(games, game) + 1) % 3
    assert [seat.name for seat in new.seats] == [seat.name for seat in old.seats]
    assert {**new.options, "start_seat": None} == {**old.options, "start_seat": None}
    assert games.commits(game)[-1].events == (RematchMade(first.game),)
    assert verify_stored(store, game).ok
    assert is_fair(export_game(games, game))
    for _ in play_answers(games, first.game):
        pass
    assert verify_stored(store, first.game).ok
    assert Auditor(games).audit(game).seed


def starter_of(games: Games, game: str) -> int:
    events = [event for commit in games.commits(game) for event in commit.events]
    return next(event.starter for event in events if isinstance(event, RoundStarted))


class DyingStore(MemoryStore):
    """Whoever writes to it is gone right afterwards, if it says so."""

    dies = False

    def append(self, game: str, commit: Commit, vault: Mapping[str, str] | None = None) -> None:
        super().append(game, commit, vault)
        if self.dies:
            raise KeyboardInterrupt


def test_a_rematch_that_was_named_and_never_made_is_made_by_the_next() -> None:
    """W8: whoever named it may have died in that moment."""
    store = DyingStore()
    games = make_games(store)
    game = play_game(games, "classic", {}, 2)

    store.dies = True
    with pytest.raises(KeyboardInterrupt):
        games.rematches.rematch(game, Caller(0))
    store.dies = False
    named = games.snapshot(game).state.rematch
    assert named
    assert games.rematches.rematch(game, Caller(1)).game == named
    assert games.snapshot(named).state.status == "playing"


def test_a_game_is_repeated_only_once_it_is_over(games: Games) -> None:
    """W8."""
    game = start_game(games)
    assert refuse(lambda: games.rematches.rematch(game, Caller(0))) == Reason.NOT_OVER


def test_a_game_that_was_broken_off_can_be_repeated(games: Games) -> None:
    """W8: who was away is asked again, a seat left for good is the bot's."""
    game = start_mixed_game(games, "Anna", "Ben", "Carla")
    games.execute(game, Caller(1), Leave(1, for_good=False))
    games.execute(game, Caller(2), Leave(2, for_good=True))
    for seat in (0, 1):
        games.execute(game, Caller(seat), Void(seat, agrees=True))
    seats = games.rematches.rematch(game, Caller(0)).state.seats
    assert [(seat.name, seat.acting_bot) for seat in seats] == [
        ("Anna", None),
        ("Ben", None),
        ("greedy", "greedy"),
    ]


def test_nothing_but_a_rematch_follows_an_end(games: Games) -> None:
    """W8."""
    game = play_game(games, "classic", {}, 2)
    games.rematches.rematch(game, Caller(0))
    assert refuse(lambda: games.execute(game, Caller(0), Leave(0, for_good=True))) == Reason.GAME_OVER
    assert refuse(lambda: games.execute(game, Caller(0), Return(0))) == Reason.GAME_OVER
    assert refuse(lambda: games.execute(game, Caller(0), Void(0, agrees=True))) == Reason.GAME_OVER
    assert refuse(lambda: games.execute(game, Caller(0), Start(0, "greedy"))) == Reason.GAME_OVER
    assert refuse(lambda: games.execute(game, Caller(0), Cancel(0))) == Reason.GAME_OVER
    last, rematch = games.commits(game)[-2:]
    assert isinstance(last.events[-2], ENDINGS)
    assert rematch.command.__class__.__name__ == "Rematch"


# Repeats


def test_a_repeated_request_has_no_second_effect(games: Games) -> None:
    game = start_mixed_game(games, "Anna", "Ben")
    first = games.execute(game, Caller(0, key="k"), Leave(0, for_good=False))
    games.execute(game, Caller(0), Return(0))
    again = games.execute(game, Caller(0, key="k"), Leave(0, for_good=False))
    assert (again.replayed, again.commit) == (True, without_request(written_by(first)))
    assert games.snapshot(game).state.seats[0].stand_in is None
    with pytest.raises(KeyReused):
        games.execute(game, Caller(0, key="k"), Leave(0, for_good=True))
