"""The fist of LUCKY PUNCH and the piles of BLACK BOX: what others learn before the reveal is nothing."""

from __future__ import annotations

from random import Random

import pytest
from msgspec import Struct

from events.chain import redact_commit
from events.commands import Choose
from events.commit import Commit, encode
from events.secrecy import Secret, proves
from events.types import Chosen, Event, Revealed
from rules.errors import Rejected
from rules.state import State
from rules.tiles.g1_black_box import FIRST_PILES
from service.games.games import Games
from service.games.table_view import render_table
from service.games.writer import Caller, CommandResult
from service.languages.catalogue import ENGLISH
from tests.support.api_client import long_key
from tests.support.games import answer_at_random, make_games, people, written_by
from tests.support.secrecy import A_COMMITMENT_OR_HASH, guess_plain_hash, guess_values, guessable_salts

FISTS = ("hide-1", "hide-2", "hide-3")
# The winner may count the tokens, so only partings of the same sizes have to look alike.
PILES = {size: tuple(name for name, pile in FIRST_PILES.items() if len(pile) == size) for size in (3, 4, 5)}
CASES = [("A1", "A1.hide", FISTS), *(("G1", "G1.part", names) for names in PILES.values())]
SECRETS = [(code, prompt, value) for code, prompt, values in CASES for value in values]


class Sealed(Struct):
    """A game in which a seat has just hidden this value."""

    games: Games
    game: str
    owner: int
    value: str
    outcome: CommandResult

    @property
    def commit(self) -> Commit:
        return written_by(self.outcome)

    @property
    def secret(self) -> Secret[str]:
        chosen = next(event for event in self.commit.events if isinstance(event, Chosen))
        assert isinstance(chosen.choice, Secret)
        return chosen.choice

    @property
    def others(self) -> tuple[int | None, ...]:
        seats = range(len(self.outcome.state.seats))
        return (None, *(seat for seat in seats if seat != self.owner))

    def seen(self, viewer: int | None) -> str:
        """The commit and the table as they go out to a viewer."""
        commit = encode(redact_commit(self.commit, viewer)).decode()
        table = render_table(self.outcome.state, viewer, self.outcome.version)
        return commit + ENGLISH.encoder.encode(table).decode()


def sealed(code: str, prompt: str, value: str) -> Sealed:
    """The same seed and the same answers lead every value to the same ask."""
    games, random = make_games(), Random(7)
    game = games.create(
        "royale", {"tile_codes": [code, "H2"]}, people(3), caller=Caller(key=long_key("secrets"))
    ).game
    while asked(games.snapshot(game).state) != prompt:
        answer_at_random(games, game, random)
    ask = games.snapshot(game).state.ask
    assert ask is not None
    return Sealed(games, game, ask.seats[0], value, games.choose(game, Caller(ask.seats[0]), ask.id, value))


def asked(state: State) -> str:
    assert state.ask is not None
    return state.ask.prompt


def revealed(hidden: Sealed) -> tuple[Event, ...]:
    """The next answer opens it."""
    return written_by(answer_at_random(hidden.games, hidden.game, Random(1))).events


@pytest.mark.parametrize(("code", "prompt", "value"), SECRETS)
def test_neither_value_nor_salt_reaches_another_viewer(code: str, prompt: str, value: str) -> None:
    """T-A1, T-G1 (S1): in the commit, its events and the table, for seats and spectators."""
    hidden = sealed(code, prompt, value)
    assert value in hidden.seen(hidden.owner)
    for viewer in hidden.others:
        text = hidden.seen(viewer)
        assert hidden.secret.hidden in text
        assert f'"{value}"' not in text
        assert str(hidden.secret.salt) not in text


@pytest.mark.parametrize(("code", "prompt", "values"), CASES)
def test_what_is_hidden_makes_no_difference_to_the_others(
    code: str, prompt: str, values: tuple[str, ...]
) -> None:
    """Non-interference (T-A1, T-G1): commitments and the hashes over them aside, all looks the same."""
    tables = [sealed(code, prompt, value) for value in values]
    for viewer in tables[0].others:
        assert len({A_COMMITMENT_OR_HASH.sub("…", table.seen(viewer)) for table in tables}) == 1
    assert len({A_COMMITMENT_OR_HASH.sub("…", table.seen(table.owner)) for table in tables}) == len(values)


@pytest.mark.parametrize(("code", "prompt", "values"), CASES)
def test_trying_every_value_without_the_salt_finds_none(
    code: str, prompt: str, values: tuple[str, ...]
) -> None:
    """Few values are possible, so a bare hash, or one with a salt that can be guessed, would tell."""
    hidden = sealed(code, prompt, values[0])
    seen, salts = hidden.seen(None), guessable_salts(hidden.outcome.state)
    assert guess_values(seen, values, salts) == []
    assert guess_plain_hash(hidden.commit, hidden.secret.hidden, values) == []
    assert guess_values(seen, values, [str(hidden.secret.salt)]) == [values[0]]


@pytest.mark.parametrize(("code", "prompt", "value"), SECRETS)
def test_the_reveal_proves_what_was_hidden(code: str, prompt: str, value: str) -> None:
    """T-A1, T-G1: the guess, or taking a pile, opens the commitment for everybody."""
    hidden = sealed(code, prompt, value)
    shown = next(event for event in revealed(hidden) if isinstance(event, Revealed))
    assert (shown.seat, shown.value, shown.hidden) == (hidden.owner, value, hidden.secret.hidden)
    assert proves(shown.hidden, shown.salt, shown.value)


@pytest.mark.parametrize(("code", "prompt", "values"), CASES)
def test_a_refusal_does_not_tell_what_was_hidden(code: str, prompt: str, values: tuple[str, ...]) -> None:
    """S1: a second, different answer is refused without naming the first."""
    hidden = sealed(code, prompt, values[0])
    given = hidden.commit.command
    assert isinstance(given, Choose)
    with pytest.raises(Rejected) as refusal:
        hidden.games.choose(hidden.game, Caller(hidden.owner), given.ask, values[1])
    assert values[0] not in str(refusal.value)
