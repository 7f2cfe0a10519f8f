"""Tokens: shown once, hashed at rest, good for one seat of one game."""

from base64 import urlsafe_b64decode
from hashlib import sha256

from events.store import MemoryStore
from events.values import SeatPlan
from service.games.tokens import (
    TOKEN_PREFIX,
    hash_token,
    new_token_key,
    seat_behind,
    token_for,
    token_hashes,
    tokens_for,
)
from service.games.writer import Caller
from tests.support.api_client import long_key
from tests.support.games import make_games, people, seat_of_token

KEY = long_key("a client of its own")


def test_a_token_is_256_bits_and_never_the_same() -> None:
    vault = new_token_key()
    tokens = [token_for(vault, None, 0) for _ in range(100)] + [token_for(vault, "key", 0)]
    assert len(set(tokens)) == 101
    assert {len(urlsafe_b64decode(token.removeprefix(TOKEN_PREFIX) + "=")) for token in tokens} == {32}


def test_a_repeat_of_a_request_from_before_the_prefix_gets_its_token_again() -> None:
    vault = new_token_key()
    token = token_for(vault, "key", 0).removeprefix(TOKEN_PREFIX)
    assert token_for({**vault, **token_hashes({0: token})}, "key", 0) == token


def test_the_vault_keeps_hashes_only() -> None:
    assert token_hashes({1: "the token"}) == {"token:" + sha256(b"the token").hexdigest(): "1"}


def test_a_token_opens_its_seat_and_nothing_else() -> None:
    tokens = tokens_for(new_token_key(), None, (0, 2))
    vault = token_hashes(tokens)
    assert [seat_behind(vault, hash_token(tokens[seat])) for seat in (0, 2)] == [0, 2]
    hashes = [name.removeprefix("token:") for name in vault]
    for wrong in ("", "nonsense", "ünïcödé", "\ud800", tokens[0][:-1], tokens[0] + "A", *hashes, *vault):
        assert seat_behind(vault, hash_token(wrong)) is None


def test_with_a_key_the_same_request_gets_the_same_token() -> None:
    vault = new_token_key()
    assert token_for(vault, "key", 1) == token_for(vault, "key", 1)
    assert len({token_for(vault, key, seat) for key in ("key", "other") for seat in range(3)}) == 6
    assert token_for(vault, "key", 1) != token_for(new_token_key(), "key", 1)


def test_a_token_of_one_game_opens_no_other() -> None:
    games = make_games()
    one, other = (games.create("classic", {}, people(2)) for _ in range(2))
    assert [seat_of_token(games, one.game, token) for token in one.tokens.values()] == [0, 1]
    assert [seat_of_token(games, other.game, token) for token in one.tokens.values()] == [None, None]


def test_a_token_made_elsewhere_is_known_here() -> None:
    store = MemoryStore()
    here, there = make_games(store), make_games(store)
    game = here.create("classic", {}, [SeatPlan(name="Anna"), SeatPlan()]).game
    assert seat_of_token(there, game, "none") is None
    token = here.sit(game, "Ben").tokens[1]
    assert seat_of_token(there, game, token) == seat_of_token(here, game, token) == 1


def test_tokens_are_nowhere_in_the_store() -> None:
    store = MemoryStore()
    games = make_games(store)
    seated = games.create("classic", {}, people(2), caller=Caller(key=KEY))
    everything = repr(store.read_stored(seated.game)) + repr(store.vault(seated.game))
    assert not any(token in everything for token in seated.tokens.values())
    assert KEY not in everything
