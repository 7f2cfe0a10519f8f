"""Hands and selections of the card game: what others learn before the reveal is nothing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.agenda import Ask
from events.chain import redact_commit
from events.commit import Commit
from events.secrecy import Secret, proves
from events.types import AgendaChanged, Chosen, Revealed
from rules.editions.cards import DECK
from rules.extension import HiddenValue
from rules.legal import choices
from rules.mechanics.card_turn import HAND
from rules.state import view
from service.games.idempotency import identify_request
from service.games.table_view import render_table
from tests.support.games import written_by
from tests.support.profiles import examples
from tests.support.secrecy import World, guess_plain_hash, guess_values, guessable_salts, make_world
from workers.bots import BOTS
from workers.bots.protocol import Level

VARIANTS: tuple[dict[str, bool], ...] = ({}, {"sequential": True}, {"sequential": True, "chip_cards": True})
ANSWERS = 8

numbers = st.integers(0, 10_000)
hands = st.permutations(DECK).map(lambda deck: tuple(sorted(deck[:HAND])))
two_hands = st.lists(hands, min_size=2, max_size=2, unique=True)
each_variant = pytest.mark.parametrize(
    "options", VARIANTS, ids=lambda options: "-".join(options) or "at-once"
)
some = examples(6, long=100)


def alike(worlds: Sequence[World], owner: int) -> bool:
    """Whether everybody but the owner sees the same and may answer the same."""
    first, second = worlds
    looks = all(first.shape_told_to(viewer) == second.shape_told_to(viewer) for viewer in first.others(owner))
    awaited = [seat for seat in first.awaited if seat != owner]
    return looks and all(choices(first.state, seat) == choices(second.state, seat) for seat in awaited)


def revealed(commit: Commit) -> dict[int, Revealed]:
    return {event.seat: event for event in commit.events if isinstance(event, Revealed)}


# Selections


@some
@given(data=st.data(), number=numbers, players=st.integers(2, 4), before=st.integers(0, 9))
def test_a_hidden_selection_makes_no_difference_until_it_is_revealed(
    data: st.DataObject, number: int, players: int, before: int
) -> None:
    """C2: others and spectators see the same, whatever was selected and whoever came first."""
    worlds = [make_world({}, players, number) for _ in range(2)]
    for each in worlds:
        each.play(before)
    order = data.draw(st.permutations(worlds[0].awaited))
    owner = data.draw(st.sampled_from(order))
    options = st.sampled_from(choices(worlds[0].state, owner))
    picked = data.draw(st.lists(options, min_size=2, max_size=2, unique=True))
    for seat in order[:-1]:
        answer(worlds, seat, owner, picked)
        assert alike(worlds, owner)
    for commit, choice in zip(answer(worlds, order[-1], owner, picked), picked, strict=True):
        shown = revealed(commit)[owner]
        assert shown.value == choice
        assert proves(shown.hidden, shown.salt, choice)
    assert not alike(worlds, owner)


def answer(worlds: Sequence[World], seat: int, owner: int, picked: Sequence[str]) -> list[Commit]:
    """The owner's selections differ, all others answer the same everywhere."""
    same = choices(worlds[0].state, seat)[0]
    return [
        written_by(world.choose(seat, choice if seat == owner else same))
        for world, choice in zip(worlds, picked, strict=True)
    ]


def test_trying_all_selections_finds_none() -> None:
    """S1: neither a commitment nor a hash over one is made from the selection and public things alone."""
    table = make_world({}, 3, number=1)
    owner, mine = table.awaited[0], choices(table.state, table.awaited[0])[0]
    commit = written_by(table.choose(owner, mine))
    sealed = next(event.choice for event in commit.events if isinstance(event, Chosen))
    assert isinstance(sealed, Secret)
    seen, every = table.told_to(None), all_selections()
    prints = [
        identify_request(f"seat-{owner}", None, (table.state.asked, choice)).fingerprint for choice in every
    ]
    assert mine in every
    assert guess_values(seen, every, guessable_salts(table.state)) == []
    assert guess_plain_hash(commit, sealed.hidden, every) == []
    assert commit.request in prints
    assert not any(known in seen for known in prints)
    assert guess_values(seen, every, [str(sealed.salt)]) == [mine]


def all_selections() -> list[str]:
    cards = [combinations(sorted(DECK), count) for count in (1, 2)]
    for number in {card[0] for card in DECK}:
        cards += [combinations(sorted(c for c in DECK if c[0] == number), count) for count in (3, 4, 5)]
    return sorted({"-".join(("play", *selection)) for found in cards for selection in found})


# Hands and what lies under the glass


@each_variant
@some
@given(number=numbers, players=st.integers(2, 4), pair=two_hands, data=st.data())
def test_a_hidden_hand_makes_no_difference_to_the_others(
    options: dict[str, bool],
    number: int,
    players: int,
    pair: list[tuple[str, ...]],
    data: st.DataObject,
) -> None:
    """C2, C6: nor do the cards under the glass and the pile, as long as the same is laid."""
    owner = data.draw(st.integers(0, players - 1))
    worlds = [make_world(options, players, number, {owner: hand}) for hand in pair]
    assert worlds[0].shape_told_to(owner) != worlds[1].shape_told_to(owner)
    for _ in range(ANSWERS):
        assert alike(worlds, owner)
        seat = worlds[0].awaited[0]
        shared = [
            choice for choice in choices(worlds[0].state, seat) if choice in choices(worlds[1].state, seat)
        ]
        if not shared:
            break
        for each in worlds:
            each.choose(seat, shared[-1])


def test_trying_all_hands_finds_none() -> None:
    """S1: there are a few thousand hands, which is nothing to try."""
    table = make_world({}, 2, number=2)
    every, seen = sorted({*combinations(sorted(DECK), HAND)}), table.told_to(None)
    (created,) = table.games.commits(table.game)
    assert guess_values(seen, every, guessable_salts(table.state)) == []
    for hand in table.state.hands.values():
        assert guess_plain_hash(created, hand.hidden, every[::20]) == []
        assert guess_values(seen, every, [str(hand.salt)]) == [hand.contents]


@each_variant
def test_what_a_seat_holds_and_may_lay_is_shown_to_no_other(options: dict[str, bool]) -> None:
    """C6: to the end of the game, in every table and in every ask of the log."""
    table = make_world(options, 3, number=3)
    while table.state.status != "over":
        for viewer in (None, 0, 1, 2):
            shown = render_table(table.state, viewer, 1)
            for seat in range(3):
                hand, glass = shown.seats[seat].hand, shown.seats[seat].glass
                assert isinstance(glass, tuple)
                assert seat == viewer or all(
                    not cards or isinstance(cards, HiddenValue) for cards in (hand, *glass)
                )
            assert viewer in table.awaited or not any(ask.options for ask in shown.asks)
        table.play(1, seed=table.state.drawn)
    for commit in table.games.commits(table.game):
        agendas = [event.agenda for event in redact_commit(commit).events if isinstance(event, AgendaChanged)]
        asks = [item for agenda in agendas for item in agenda if isinstance(item, Ask)]
        assert not any(ask.options for ask in asks if ask.prompt.startswith("cards."))


# Bots


@pytest.mark.parametrize("bot", BOTS.values(), ids=BOTS)
@examples(5, long=60)
@given(number=numbers, pair=two_hands)
def test_bots_are_not_moved_by_what_they_cannot_see(
    bot: Level, number: int, pair: list[tuple[str, ...]]
) -> None:
    """Another hand, and another selection from it, sealed before the bot is asked."""
    worlds = [make_world({}, 3, number, {0: hand}) for hand in pair]
    for each in worlds:
        each.choose(0, choices(each.state, 0)[-1])
    for seat in (1, 2):
        picked = {bot.choose(view(each.state, seat), seat, Random(number)) for each in worlds}
        assert len(picked) == 1
