"""Who is answered for, in whose name, and when not."""

from __future__ import annotations

from datetime import datetime

import pytest
from msgspec.structs import replace

from events.secrecy import Secret
from events.store import KeyReused, MemoryStore
from rules.errors import Rejected
from rules.legal import choices
from rules.state import State, view
from service import metrics
from service.games.games import Games
from service.games.writer import Caller
from tests.service.ops.test_metrics import read_metric
from tests.support.bots import RANDOM, ladder_of
from tests.support.games import (
    ENDLESS,
    ManualClock,
    after,
    awaited_seats,
    choose,
    is_over,
    read_snapshot,
    start_mixed_game,
    verify_stored,
)
from tests.support.stores import CountingStore
from workers.bots.asking import BotFailed
from workers.bots.protocol import Decision, Question
from workers.turns import TurnPlayer, next_due_answer


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def games(clock: ManualClock) -> Games:
    return Games(MemoryStore(), clock)


def test_bots_answer_until_a_person_is_due(games: Games, clock: ManualClock) -> None:
    game = start_mixed_game(games, "Anna", "random", "greedy")
    choose(games, game, 0)
    assert not TurnPlayer(games, clock).play_turns(game, ENDLESS)
    assert awaited_seats(games, game) == (0,)
    assert [commit.by for commit in games.commits(game)] == ["creator", "seat-0", "seat-1", "seat-2"]


def test_nothing_is_answered_for_a_person_without_a_limit(games: Games, clock: ManualClock) -> None:
    game = start_mixed_game(games, "Anna", "Ben")
    clock.forward(1_000_000)
    assert not TurnPlayer(games, clock).play_turns(game, ENDLESS)
    assert games.snapshot(game).version == 1


def test_the_ask_that_is_open_is_answered_even_if_a_later_one_was_settled(games: Games) -> None:
    """No edition asks within an ask today; the agenda allows it."""
    snapshot = games.snapshot(start_mixed_game(games, "random", "Anna"))
    later = replace(snapshot, state=replace(snapshot.state, asked=7))
    duty = next_due_answer(later, datetime.fromisoformat(snapshot.ask_opened_at))
    assert duty is not None
    assert (duty.ask, duty.seat) == (1, 0)


def test_the_bots_of_a_game_read_it_once_however_many_answers_they_give() -> None:
    store = CountingStore()
    game = start_mixed_game(Games(store), "random", "greedy")
    store.calls.clear()
    assert TurnPlayer(Games(store)).play_turns(game, after(10))
    assert store.calls == ["read after 0", "vault", *["append"] * 10]


def test_a_bot_whose_answer_was_taken_before_plays_on_from_the_newest_table() -> None:
    """A worker that died between its commit and the end of its job is followed by another."""
    games, other = Games(store := MemoryStore()), Games(store)
    game = start_mixed_game(games, "random", "random", "Anna")

    def overtaken(question: Question) -> Decision:
        if games.snapshot(game).version == 1:
            TurnPlayer(other, chain=ladder_of(first_option)).play_turns(game, after(1))
        return first_option(question)

    assert not TurnPlayer(games, chain=ladder_of(overtaken)).play_turns(game, ENDLESS)
    assert [commit.by for commit in games.commits(game)] == ["creator", "seat-0", "seat-1"]


def test_a_long_game_is_played_in_slices() -> None:
    store = MemoryStore()
    games = Games(store)
    game = start_mixed_game(games, "random", "greedy", "random")
    assert TurnPlayer(games).play_turns(game, after(25))
    assert games.snapshot(game).version == 1 + 25
    while TurnPlayer(games).play_turns(game, after(25)):
        assert not is_over(games, game)
    assert is_over(games, game)
    assert verify_stored(store, game).ok


@pytest.mark.parametrize("edition", ["classic", "modern", "royale", "cards"])
def test_bots_of_both_levels_finish_every_edition_and_it_verifies(edition: str) -> None:
    store = MemoryStore()
    games = Games(store)
    game = start_mixed_game(games, "random", "greedy", "greedy", edition=edition)
    TurnPlayer(games).play_turns(game, ENDLESS)
    assert is_over(games, game)
    assert verify_stored(store, game).ok


def test_a_person_out_of_time_is_answered_for_by_the_clock(games: Games, clock: ManualClock) -> None:
    """W1."""
    game = start_mixed_game(games, "Anna", "Ben", options={"turn_seconds": 30})
    options = choices(games.snapshot(game).state, 0)
    clock.forward(29.9)
    assert not TurnPlayer(games, clock).play_turns(game, ENDLESS)
    assert games.snapshot(game).version == 1
    clock.forward(0.1)
    TurnPlayer(games, clock).play_turns(game, ENDLESS)
    commit = games.commits(game)[-1]
    assert (commit.version, commit.by) == (2, "clock")
    assert getattr(commit.command, "choice", None) in options


def test_how_late_the_clock_answers_is_measured(games: Games, clock: ManualClock) -> None:
    def lateness() -> tuple[float, float]:
        told, name = metrics.render_metrics(), "croupier_answer_lateness_seconds"
        return read_metric(told, f"{name}_count"), read_metric(told, f"{name}_sum")

    game = start_mixed_game(games, "Anna", "Ben", options={"turn_seconds": 30})
    count, total = lateness()
    clock.forward(32)
    TurnPlayer(games, clock).play_turns(game, ENDLESS)
    assert lateness()[0] == count + 1
    assert lateness()[1] == pytest.approx(total + 2)


def test_the_next_person_has_the_whole_time_again(games: Games, clock: ManualClock) -> None:
    """W1: the time is counted from the ask, and the seat that missed one plays on as before."""
    game = start_mixed_game(games, "Anna", "Ben", options={"turn_seconds": 30})
    clock.forward(30)
    TurnPlayer(games, clock).play_turns(game, ENDLESS)
    assert awaited_seats(games, game) == (1,)
    clock.forward(29)
    assert not TurnPlayer(games, clock).play_turns(game, ENDLESS)
    choose(games, game, 1)
    choose(games, game, 0)
    assert [commit.by for commit in games.commits(game)][2:] == ["seat-1", "seat-0"]


def test_in_simultaneous_play_the_clock_answers_only_for_those_who_have_not(clock: ManualClock) -> None:
    """W1, C2."""
    games = Games(MemoryStore(), clock)
    game = start_mixed_game(games, "Anna", "Ben", "random", edition="cards", options={"turn_seconds": 5})
    choose(games, game, 1)
    TurnPlayer(games, clock).play_turns(game, ENDLESS)
    assert awaited_seats(games, game) == (0,)
    clock.forward(5)
    TurnPlayer(games, clock).play_turns(game, after(1))
    assert [commit.by for commit in games.commits(game)] == ["creator", "seat-1", "seat-2", "clock"]


def test_an_answer_does_not_prolong_the_time_of_the_others_for_any_process(clock: ManualClock) -> None:
    """W1, C2: the time runs from the ask, also where the game is read from the log alone."""
    games, other = Games(store := MemoryStore(), clock), Games(store, clock)
    game = start_mixed_game(games, "Anna", "Ben", edition="cards", options={"turn_seconds": 30})
    clock.forward(20)
    choose(games, game, 0)
    clock.forward(10)
    assert read_snapshot(other, game) == read_snapshot(games, game)
    TurnPlayer(other, clock).play_turns(game, after(1))
    assert [commit.by for commit in games.commits(game)] == ["creator", "seat-0", "clock"]


def test_nobody_stops_the_clock_by_taking_its_keys_in_advance(games: Games, clock: ManualClock) -> None:
    """W1: a repeated answer gets a new key tied to it, whatever the key is."""
    game = start_mixed_game(games, "Anna", "Ben", options={"turn_seconds": 5})
    first = choices(games.snapshot(game).state, 0)[0]
    choose(games, game, 0)
    assert games.choose(game, Caller(0, key="clock-3-0"), 1, first).replayed
    choose(games, game, 1)
    assert awaited_seats(games, game) == (0,)
    clock.forward(5)
    TurnPlayer(games, clock).play_turns(game, ENDLESS)
    assert [commit.by for commit in games.commits(game)][3:] == ["clock"]


@pytest.mark.parametrize("by", ["clock", "seat-0"])
def test_a_key_counts_for_whoever_answers(games: Games, by: str) -> None:
    game = start_mixed_game(games, "Anna", "Ben", edition="cards")
    first, *_, other = choices(games.snapshot(game).state, 0)
    games.choose(game, Caller(0, key="k"), 1, first)
    with pytest.raises(KeyReused):
        games.choose(game, Caller(0, key="k"), 1, other)
    with pytest.raises(Rejected):
        games.choose(game, Caller(0, key="k", by=by), 1, other)


def test_whoever_comes_second_leaves_the_game_to_the_first() -> None:
    """Two workers at one game: the answer of the slower one is dropped, whatever it was."""
    games, other = Games(store := MemoryStore()), Games(store)
    game = start_mixed_game(games, "random", "Anna")

    def overtaken(question: Question) -> Decision:
        TurnPlayer(other, chain=ladder_of(first_option)).play_turns(game, after(1))
        return Decision(question.options[-1], ())

    assert not TurnPlayer(games, chain=ladder_of(overtaken)).play_turns(game, ENDLESS)
    assert [getattr(commit.command, "choice", "") for commit in games.commits(game)][1:] == [
        choices(games.snapshot(game, 1).state, 0)[0]
    ]


def first_option(question: Question) -> Decision:
    return Decision(question.options[0], ())


def test_bots_get_only_what_their_seat_sees() -> None:
    games, seen_by = Games(MemoryStore()), dict[int, State]()

    def watching(question: Question) -> Decision:
        seen_by[question.seat] = question.view
        return RANDOM.decide(question)

    game = start_mixed_game(games, "random", "random", "random", edition="cards")
    TurnPlayer(games, chain=ladder_of(watching)).play_turns(game, after(2))
    for seat, seen in seen_by.items():
        assert seen == view(seen, seat)
        assert [other for other, hand in seen.hands.items() if hand.value is not None] == [seat]
    sealed = [answer.choice for answer in seen_by[1].ask.answers] if seen_by[1].ask else []
    assert [isinstance(choice, Secret) and choice.value for choice in sealed] == [None]


def test_a_bot_that_breaks_the_rules_is_noticed() -> None:
    games = Games(MemoryStore())
    game = start_mixed_game(games, "random", "Anna")
    with pytest.raises(BotFailed, match="not allowed"):
        TurnPlayer(games, chain=ladder_of(lambda question: Decision("place-9", ()))).play_turns(game, ENDLESS)
    assert games.snapshot(game).version == 1
