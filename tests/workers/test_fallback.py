"""A bot that raises, hangs or is killed: the game goes on with the next lower level, and the log says so."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from events.chain import Broken, check_chain
from events.commit import BotNote, decode_raw
from events.store import MemoryStore
from events.values import SeatPlan
from rules.state import view
from service.fairness.dice import luck_of_bot
from service.games.games import Games
from service.games.writer import Caller
from tests.support.api_client import long_key
from tests.support.app import capture_log
from tests.support.failing_bots import BOTS as FAILING
from tests.support.games import ENDLESS, after, start_mixed_game, verify_stored
from workers.bots import BOTS
from workers.bots.fallback import REST, FallbackChain, hash_view
from workers.bots.protocol import Level
from workers.bots.subprocess import BotSubprocess, SubprocessLimits
from workers.turns import TurnPlayer

# Long enough for a process that is asked for the first time, short enough for a test.
LONGEST = SubprocessLimits(2.0, 2.0)
# As with us, where the processor is all that limits a choice.
BUSY = SubprocessLimits(0.3, 60.0)
WHY = {
    "raising": "raised ZeroDivisionError",
    "hanging": "took too long",
    "brooding": "took too long",
    "dying": "ended with exit code -9",
    "cheating": "gave an answer that is not allowed",
}


@pytest.fixture(scope="module")
def process() -> Iterator[BotSubprocess]:
    apart = BotSubprocess("tests.support.failing_bots", LONGEST)
    yield apart
    apart.stop()


def notes_of(games: Games, game: str) -> list[BotNote]:
    return [commit.bot for commit in games.commits(game) if commit.bot is not None]


def below(bot: Level) -> dict[str, Level]:
    """A ladder on which the seat's level is this one."""
    return {"random": BOTS["random"], "greedy": bot}


def on_top(bot: Level) -> dict[str, Level]:
    """A ladder of three."""
    return {"random": BOTS["random"], "greedy": FAILING["greedy"], "expert": bot}


@pytest.mark.parametrize("bot", WHY)
def test_the_next_lower_level_answers_for_one_that_fails(process: BotSubprocess, bot: str) -> None:
    games = Games(store := MemoryStore())
    game = start_mixed_game(games, "greedy", "greedy")
    with capture_log() as log:
        TurnPlayer(games, chain=FallbackChain(process.ask, below(FAILING[bot]))).play_turns(game, after(3))
    told = [(note.name, note.instead_of, note.fault) for note in notes_of(games, game)]
    assert told == [("random", "greedy", WHY[bot])] * 3
    assert log.getvalue().count(b"bot_failed") == 1
    assert check_chain([decode_raw(entry) for entry in store.read_stored(game)])


@pytest.mark.long
def test_a_bot_that_thinks_for_too_long_fails_by_the_time_of_the_processor() -> None:
    games, apart = Games(MemoryStore()), BotSubprocess("tests.support.failing_bots", BUSY)
    game = start_mixed_game(games, "greedy", "greedy")
    patient = FallbackChain(apart.ask, below(FAILING["brooding"]), seconds=100)
    TurnPlayer(games, chain=patient).play_turns(game, after(1))
    apart.stop()
    assert [(note.name, note.fault) for note in notes_of(games, game)] == [("random", "took too long")]


@pytest.mark.parametrize("bot", ["hanging", "dying", "raising"])
def test_the_next_lower_level_is_asked_though_the_process_is_gone(process: BotSubprocess, bot: str) -> None:
    games = Games(MemoryStore())
    game = games.create("classic", {}, [SeatPlan(bot="expert")] * 2).game
    chain = FallbackChain(process.ask, on_top(FAILING[bot]), seconds=60)
    TurnPlayer(games, chain=chain).play_turns(game, after(2))
    told = [(note.name, note.instead_of, note.fault) for note in notes_of(games, game)]
    assert told == [("greedy", "expert", WHY[bot])] * 2


@pytest.mark.long
def test_where_no_time_is_left_the_lowest_level_answers() -> None:
    """One bot hangs for a second, and then half a one is not left."""
    games, apart = (
        Games(MemoryStore()),
        BotSubprocess("tests.support.failing_bots", SubprocessLimits(1.0, 1.0)),
    )
    first, second = (games.create("classic", {}, [SeatPlan(bot="expert")] * 2).game for _ in range(2))
    TurnPlayer(games, chain=FallbackChain(apart.ask, on_top(FAILING["raising"]))).play_turns(first, after(1))
    hasty = FallbackChain(apart.ask, on_top(FAILING["hanging"]), seconds=1.45)
    TurnPlayer(games, chain=hasty).play_turns(second, after(1))
    TurnPlayer(games, chain=FallbackChain(apart.ask, on_top(FAILING["raising"]))).play_turns(second, after(1))
    apart.stop()
    assert [(note.name, note.fault) for note in notes_of(games, second)] == [
        ("random", "took too long"),
        ("greedy", "raised ZeroDivisionError"),
    ]


@pytest.mark.long
@pytest.mark.parametrize(("bot", "times"), [("dying", 2), ("hanging", 1), ("raising", 1)])
def test_only_a_level_that_died_is_asked_again_later_in_the_game(
    process: BotSubprocess, bot: str, times: int
) -> None:
    games = Games(MemoryStore())
    game = start_mixed_game(games, "greedy", "greedy")
    chain = FallbackChain(process.ask, below(FAILING[bot]))
    with capture_log() as log:
        TurnPlayer(games, chain=chain).play_turns(game, after(REST + 1))
        assert log.getvalue().count(b"bot_failed") == 1
        TurnPlayer(games, chain=chain).play_turns(game, after(REST + 1))
    assert log.getvalue().count(b"bot_failed") == times


def test_after_a_failure_the_process_answers_again(process: BotSubprocess) -> None:
    games = Games(MemoryStore())
    first, second = (start_mixed_game(games, "greedy", "greedy") for _ in range(2))
    TurnPlayer(games, chain=FallbackChain(process.ask, below(FAILING["dying"]))).play_turns(first, after(1))
    TurnPlayer(games, chain=FallbackChain(process.ask, below(FAILING["greedy"]))).play_turns(second, after(2))
    assert [note.name for note in notes_of(games, second)] == ["greedy", "greedy"]


def play_with(store: MemoryStore, chain: FallbackChain) -> str:
    """A game that is the same whoever asks the bots."""
    games = Games(store, seeds=lambda: bytes(32))
    plans = [SeatPlan(bot=bot) for bot in ("greedy", "random", "greedy")]
    game = games.create("modern", {}, plans, caller=Caller(key=long_key(1))).game
    TurnPlayer(games, chain=chain).play_turns(game, ENDLESS)
    return game


def test_bots_answer_the_same_in_a_process_of_their_own(process: BotSubprocess) -> None:
    here, there = MemoryStore(), MemoryStore()
    game = play_with(here, FallbackChain())
    # How long it takes to start beside other tests is not what is asked here.
    assert play_with(there, FallbackChain(process.ask, seconds=60.0)) == game
    told = [[(commit.command, commit.bot) for commit in store.read(game, 0)] for store in (here, there)]
    assert told[0] == told[1]
    assert verify_stored(here, game).ok


def test_an_answer_can_be_found_again_from_the_log_and_the_seed() -> None:
    """All that a bot goes by: what it saw, its budget, and chance that the seed gives it."""
    game = play_with(store := MemoryStore(), FallbackChain())
    games = Games(store)
    for commit in games.commits(game)[1:]:
        note, seat = commit.bot, getattr(commit.command, "seat", -1)
        assert note is not None
        before = view(games.snapshot(game, commit.version - 1).state, seat)
        assert note == BotNote(note.name, BOTS[note.name].build, BOTS[note.name].budget, hash_view(before))
        luck = luck_of_bot(bytes(32), before, commit.version - 1, seat, note.build)
        assert BOTS[note.name].choose(before, seat, Random(luck)) == getattr(commit.command, "choice", "")


def test_the_chain_covers_which_bot_answered() -> None:
    game = play_with(store := MemoryStore(), FallbackChain())
    raws = [decode_raw(entry) for entry in store.read_stored(game)]
    raws[3]["bot"]["name"] = "genius"
    with pytest.raises(Broken, match="version 4"):
        check_chain(raws)


def test_people_who_answer_are_no_bots() -> None:
    games = Games(MemoryStore())
    game = start_mixed_game(games, "Anna", "random")
    state = games.snapshot(game).state
    assert state.ask is not None
    games.choose(game, Caller(0), state.ask.id, state.ask.options[0])
    assert [commit.bot for commit in games.commits(game)] == [None, None]
