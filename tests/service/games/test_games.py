"""Games: played, joined, looked at and audited."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from events.chain import redact_commit
from events.commit import encode
from events.store import MemoryStore, Store
from events.types import Chosen
from events.values import SeatPlan
from rules.errors import Reason, Rejected
from rules.legal import choices
from service.games.snapshots import Outdated, UnknownGame, UnknownVersion
from service.games.writer import Caller
from service.history.audits import Auditor
from tests.support.games import (
    TABLES,
    answer_at_random,
    export_game,
    make_games,
    open_ask,
    people,
    play_answers,
    play_game,
    read_snapshot,
    refusal_reason,
    seat_of_token,
    start_game,
    written_by,
)
from tests.support.stores import CountingStore, ForgetfulStore, InterruptedStore

# Playing


@pytest.mark.parametrize(("edition", "options", "players"), TABLES)
def test_every_edition_is_played_to_its_end(edition: str, options: dict[str, Any], players: int) -> None:
    games = make_games()
    state = games.snapshot(play_game(games, edition, options, players)).state
    assert (state.status, state.ask) == ("over", None)
    assert state.winners


@pytest.mark.parametrize(("edition", "options", "players"), TABLES)
def test_running_numbers_have_no_gap_and_salts_no_twin(
    edition: str, options: dict[str, Any], players: int
) -> None:
    """A salt used twice would let a revealed secret open another one."""
    games = make_games()
    commits = export_game(games, play_game(games, edition, options, players))
    numbers = [event["chance"] for commit in commits for event in commit["events"] if "chance" in event]
    assert list(dict.fromkeys(numbers)) == list(range(numbers[-1] + 1))
    secrets = {(secret["salt"], secret["hidden"]) for secret in _opened(commits)}
    assert len(secrets) == len({salt for salt, _ in secrets})
    assert secrets or edition != "cards"
    assert not secrets or edition == "cards" or options.get("tiles")


def _opened(thing: Any) -> Iterator[dict[str, Any]]:
    if isinstance(thing, dict) and "salt" in thing and "type" not in thing:
        yield thing
    elif isinstance(thing, (dict, list)):
        for item in thing.values() if isinstance(thing, dict) else thing:
            yield from _opened(item)


def test_a_game_goes_on_in_another_process(store: Store) -> None:
    here, there = make_games(store), make_games(store)
    game = start_game(here, "cards", players=3)
    random = Random(1)
    for turn in range(30):
        answer_at_random((here, there)[turn % 2], game, random)
    assert read_snapshot(here, game) == read_snapshot(there, game) == read_snapshot(make_games(store), game)


def test_an_open_seat_is_taken_and_the_last_one_starts_the_game(store: Store) -> None:
    games = make_games(store)
    made = games.create(
        "classic", {}, [SeatPlan(name="Anna"), SeatPlan(), SeatPlan(bot="greedy"), SeatPlan()]
    )
    assert list(made.tokens) == [0]
    assert made.state.status == "lobby"
    first = games.sit(made.game, "Ben", "a long walk")
    assert list(first.tokens) == [1]
    last = games.sit(made.game, "Zoë")
    assert (list(last.tokens), last.state.status, last.version) == ([3], "playing", 3)
    assert [seat.name for seat in last.state.seats] == ["Anna", "Ben", "greedy", "Zoë"]
    with pytest.raises(Rejected) as refusal:
        games.sit(made.game, "Late")
    assert refusal.value.reason == Reason.ALREADY_STARTED


def test_a_named_seat_must_be_open() -> None:
    games = make_games()
    game = games.create("classic", {}, [SeatPlan(name="Anna"), SeatPlan(), SeatPlan()]).game
    assert list(games.sit(game, "Ben", seat=2).tokens) == [2]
    for seat, reason in ((0, Reason.SEAT_TAKEN), (2, Reason.SEAT_TAKEN), (3, Reason.UNKNOWN_SEAT)):
        with pytest.raises(Rejected) as refusal:
            games.sit(game, "Carla", seat=seat)
        assert refusal.value.reason == reason


def test_two_people_who_sit_down_at_once_get_two_seats() -> None:
    store = InterruptedStore()
    games, other = make_games(store), make_games(store)
    game = games.create("classic", {}, [SeatPlan(name="Anna"), SeatPlan(), SeatPlan()]).game
    store.interruptions.append(lambda: other.sit(game, "Ben"))
    seated = games.sit(game, "Carla")
    assert list(seated.tokens) == [2]
    assert seat_of_token(games, game, seated.tokens[2]) == 2
    assert [seat.name for seat in seated.state.seats] == ["Anna", "Ben", "Carla"]


def test_a_bot_that_nobody_plays_is_refused() -> None:
    with pytest.raises(Rejected) as refusal:
        make_games().create("classic", {}, [SeatPlan(name="Anna"), SeatPlan(bot="psychic")])
    assert (refusal.value.reason, refusal.value.where) == (Reason.BAD_SEATS, "/seats/1/bot")


def test_a_refused_command_leaves_no_trace(store: Store) -> None:
    games = make_games(store)
    with pytest.raises(Rejected):
        games.create("roulette", {}, people(2))
    assert list(store.list_games()) == []
    game = start_game(games)
    seat, ask, options = open_ask(games, game)
    assert refusal_reason(games, game, seat, ask, "place-7") == Reason.ILLEGAL_CHOICE
    assert refusal_reason(games, game, 1 - seat, ask, options[0]) == Reason.NOT_ASKED
    assert refusal_reason(games, game, seat, ask + 1, options[0]) == Reason.UNKNOWN_ASK
    assert store.head(game)[0] == 1


# Versions


def test_a_choice_may_insist_on_a_version(store: Store) -> None:
    games = make_games(store)
    game = start_game(games)
    seat, ask, options = open_ask(games, game)
    with pytest.raises(Outdated) as outdated:
        games.choose(game, Caller(seat, if_version=7), ask, options[0])
    assert (outdated.value.wanted, outdated.value.version) == (7, 1)
    assert games.choose(game, Caller(seat, if_version=1), ask, options[0]).version == 2
    assert games.choose(game, Caller(seat, if_version=1), ask, options[0]).replayed
    with pytest.raises(Outdated):
        games.choose(game, Caller(seat, if_version=1), ask, "place-9")


def test_the_table_as_it_was(store: Store) -> None:
    games = make_games(store)
    game = start_game(games)
    states = {1: games.snapshot(game).state} | {
        outcome.version: outcome.state for outcome in play_answers(games, game, 12)
    }
    fresh = make_games(store)
    assert {version: fresh.snapshot(game, version).state for version in states} == states
    for version in (0, -1, 14, 2**70):
        with pytest.raises(UnknownVersion):
            fresh.snapshot(game, version)


def test_a_snapshot_knows_its_times() -> None:
    games = make_games()
    game = start_game(games, "cards", players=2)
    state = games.snapshot(game).state
    games.choose(game, Caller(0), 1, choices(state, 0)[0])
    waiting = games.snapshot(game)
    assert waiting.ask_opened_at == waiting.created_at < waiting.changed_at
    games.choose(game, Caller(1), 1, choices(state, 1)[0])
    asked = games.snapshot(game)
    assert asked.ask_opened_at == asked.changed_at > waiting.changed_at


def test_an_unknown_game_is_unknown_everywhere(store: Store) -> None:
    games = make_games(store)
    calls = (
        lambda: games.snapshot("g_none"),
        lambda: games.snapshot("g_none", 1),
        lambda: games.commits("g_none", 0, 10),
        lambda: seat_of_token(games, "g_none", "token"),
        lambda: Auditor(games).audit("g_none"),
        lambda: games.sit("g_none", "Ben"),
        lambda: games.choose("g_none", Caller(0), 1, "place-1"),
    )
    for call in calls:
        with pytest.raises(UnknownGame):
            call()


def test_commits_are_read_in_pages() -> None:
    games = make_games()
    game = start_game(games)
    for _ in play_answers(games, game, 9):
        pass
    assert [commit.version for commit in games.commits(game, 3, 4)] == [4, 5, 6, 7]
    assert list(games.commits(game, 10)) == list(games.commits(game, 99)) == []


def test_what_a_process_remembers_does_not_outlive_the_log() -> None:
    """After a failover that lost commits the log is the truth, not the memory of them."""
    store = ForgetfulStore()
    games = make_games(store)
    game = start_game(games)
    seat, ask, options = open_ask(games, game)
    for _ in play_answers(games, game, 6):
        pass
    store.lose(game, 1)
    assert games.choose(game, Caller(seat), ask, options[-1]).version == 2
    for _ in play_answers(games, game, 6):
        pass
    store.lose(game, 3)
    assert read_snapshot(games, game) == read_snapshot(make_games(store), game)


# Cost


def test_a_choice_costs_one_append_and_no_read_while_nobody_else_writes() -> None:
    store = CountingStore()
    games = make_games(store)
    game = start_game(games)
    state = games.snapshot(game).state
    store.calls.clear()
    for _ in range(10):
        assert state.ask is not None
        seat = state.ask.awaited[0]
        state = games.choose(game, Caller(seat), state.ask.id, choices(state, seat)[0]).state
    assert store.calls == ["append"] * 10


def test_after_somebody_elses_commit_a_choice_reads_only_the_tail() -> None:
    store = CountingStore()
    here, there = make_games(store), make_games(store)
    game = start_game(here)
    for _ in play_answers(here, game, 10):
        pass
    seat_of_token(here, game, "nobody's")
    answer_at_random(there, game, Random(1))
    seat, ask, options = open_ask(there, game)
    store.calls.clear()
    here.choose(game, Caller(seat), ask, options[0])
    assert store.calls == ["read after 10", "append"]


# Secrets


def test_a_sealed_answer_is_sealed_in_the_log_as_well() -> None:
    """Each selection stays covered until the last has come (C2)."""
    games = make_games()
    game = start_game(games, "cards", players=3)
    choice = choices(games.snapshot(game).state, 0)[-1]
    commit = written_by(games.choose(game, Caller(0), 1, choice))
    event = commit.events[0]
    assert isinstance(event, Chosen)
    assert commit.command.choice is event.choice  # type: ignore[union-attr]
    for viewer in (None, 1, 2):
        assert choice.encode() not in encode(redact_commit(commit, viewer))
    assert choice.encode() in encode(redact_commit(commit, 0))


def test_a_sealed_answer_may_be_repeated_but_not_changed() -> None:
    games = make_games()
    game = start_game(games, "cards", players=2)
    first, *_, other = choices(games.snapshot(game).state, 0)
    games.choose(game, Caller(0), 1, first)
    assert games.choose(game, Caller(0), 1, first).replayed
    assert refusal_reason(games, game, 0, 1, other) == Reason.ALREADY_ANSWERED


@pytest.mark.parametrize(("edition", "options", "players"), TABLES)
def test_seed_spice_and_token_hashes_are_in_no_commit_before_the_end(
    edition: str, options: dict[str, Any], players: int
) -> None:
    store = MemoryStore()
    games = make_games(store)
    game = play_game(games, edition, options, players)
    *before, last = (encode(redact_commit(commit, everything=True)) for commit in games.commits(game))
    vault = store.vault(game)
    secrets = [*vault.values(), *(name.removeprefix("token:") for name in vault)]
    for secret in (secret for secret in secrets if len(secret) > 10):
        assert all(secret.encode() not in commit for commit in before)
    assert vault["seed"].encode() in last


# Audit


def test_the_audit_opens_the_seed_with_the_end() -> None:
    games = make_games()
    game = start_game(games)
    running = Auditor(games).audit(game)
    assert (running.version, running.seed, running.verified) == (1, None, None)
    for _ in play_answers(games, game):
        pass
    over = Auditor(games).audit(game)
    assert over.commitment == running.commitment
    assert over.seed is not None
    assert over.verified is not None
    assert (over.verified.ok, over.verified.commits, over.verified.head) == (
        True,
        over.version,
        over.head,
    )
