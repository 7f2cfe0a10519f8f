"""What an option does, in words: every sentence is true of the position, in every edition."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Struct, convert

from events.types import OptionValue
from events.values import GREY, NEUTRAL, OWNER, Owner
from rules.editions import EDITIONS
from rules.extension import Standing
from rules.legal import legal
from rules.lookahead import standing_of
from rules.ruleset import Ruleset
from rules.state import view
from rules.tiles import TILES
from tests.support.bots import TABLES
from tests.support.example_book import FILE as EXAMPLES
from tests.support.game_loop import Plan, plans, play_moves, seeds
from tests.support.profiles import examples
from workers.analysis.reasons import describe_outcome, find_casino

# Both sides of no tile lie out at once.
SIDES = [tuple(tile.code for tile in TILES[start::2][:6]) for start in (0, 1)] + [("G1", "H1"), ("H2", "G2")]
GAMES = [
    *(
        Plan(edition, convert(options, dict[str, OptionValue]), players)
        for edition, options, players in TABLES
    ),
    *(Plan("royale", {"tile_codes": codes}, players) for codes in SIDES for players in (2, 5)),
]
RANKS = ("first", "second", "third", "fourth", "fifth", "sixth")
COUNTS = {"a rival": 1, "two rivals": 2, "three rivals": 3, "four rivals": 4, "five rivals": 5}
IMAGINARY = {"the neutral dice": NEUTRAL, "the grey dice": GREY}


class Told(Struct, frozen=True):
    """What is said of an option to a seat, and how its casino stands before and after."""

    own: Owner
    place: str
    before: Sequence[Standing]
    after: Sequence[Standing]
    parts: list[str]

    def was(self) -> Standing:
        return find(self.before, self.own)

    def will_be(self) -> Standing:
        return find(self.after, self.own)

    def cost(self) -> int:
        return sum(self.was().notes) - sum(self.will_be().notes)

    def growth(self) -> int:
        return self.will_be().weight - self.was().weight

    def changes(self) -> dict[Owner, int]:
        others = {one.owner for one in (*self.before, *self.after)} - {self.own}
        return {
            other: sum(find(self.after, other).notes) - sum(find(self.before, other).notes)
            for other in others
        }


def find(standings: Iterable[Standing], owner: Owner) -> Standing:
    return {one.owner: one for one in standings}.get(owner, Standing(owner, 0, False, ()))


def has_lost(told: Told, amount: str) -> bool:
    return told.cost() == read_money(amount) > 0


def has_lost_all(told: Told, amount: str) -> bool:
    return has_lost(told, amount) and not told.will_be().notes


def lost_by_a_tie(told: Told, amount: str, who: str) -> bool:
    return has_lost_all(told, amount) and is_tied_with(told, who)


def is_tied_with(told: Told, who: str) -> bool:
    own = told.will_be()
    level = {one.owner for one in told.after if one.weight == own.weight} - {told.own}
    return own.tied and are(level, who)


def is_newly_tied(told: Told, who: str) -> bool:
    return is_tied_with(told, who) and not (told.was().tied and told.growth() == 0)


def is_still_tied(told: Told, who: str) -> bool:
    return is_tied_with(told, who) and told.was().tied


def is_ranked(told: Told, rank: str, amount: str) -> bool:
    own = told.will_be()
    return told.after[RANKS.index(rank)] == own and own.notes == (read_money(amount),)


def has_less(told: Told, loss: str, rank: str, amount: str) -> bool:
    return has_lost(told, loss) and is_ranked(told, rank, amount)


def has_more(told: Told, rank: str, amount: str, before: str) -> bool:
    new = told.before.index(told.was()) != told.after.index(told.will_be())
    return new and told.was().notes == (read_money(before),) and is_ranked(told, rank, amount)


def has_something(told: Told, rank: str, amount: str) -> bool:
    return not told.was().notes and is_ranked(told, rank, amount)


def keeps(told: Told, amount: str) -> bool:
    return told.was().notes == told.will_be().notes == (read_money(amount),)


def has_nothing(told: Told) -> bool:
    return not told.was().notes and not told.will_be().notes and not told.will_be().tied


# Each way to say what becomes of the seat itself, and when that is so. P is the place, D money, W others.
OWN: dict[str, Callable[..., bool]] = {
    "costs you your D at P": has_lost_all,
    "costs you your D at P: you would tie with W": lost_by_a_tie,
    "costs you D at P, where you would be R for D": has_less,
    "ties you, for nothing, with W at P": is_newly_tied,
    "leaves you tied, for nothing, with W at P": is_still_tied,
    "makes you R at P for D": has_something,
    "makes you R at P for D instead of D": has_more,
    "makes your D at P safer": lambda told, amount: keeps(told, amount) and told.growth() > 0,
    "makes your D at P less safe": lambda told, amount: keeps(told, amount) and told.growth() < 0,
    "leaves you your D at P": lambda told, amount: keeps(told, amount) and told.growth() == 0,
    "wins nothing yet at P": lambda told: has_nothing(told) and told.growth() > 0,
    "still wins you nothing at P": lambda told: has_nothing(told) and told.will_be().weight > 0,
    "leaves you without dice at P": lambda told: has_nothing(told) and not told.will_be().weight,
}


def match(form: str, text: str, place: str) -> re.Match[str] | None:
    parts = {"P": re.escape(place), "D": r"\$([0-9,]+)", "W": "([a-z, ]+)", "R": f"({'|'.join(RANKS)})"}
    return re.fullmatch(re.sub(r"\b[PDWR]\b", lambda letter: parts[letter[0]], form), text)


def read_money(text: str) -> int:
    return int(text.replace(",", ""))


def are(owners: set[Owner], who: str) -> bool:
    """A rival is a seat; the dice that nobody plays are called what they are."""
    names = re.split(", | and ", who)
    dice = {IMAGINARY[name] for name in names if name in IMAGINARY}
    rivals = sum(COUNTS[name] for name in names if name not in IMAGINARY)
    return owners - {*OWNER} == dice and len(owners & {*OWNER}) == rivals


def check_own(told: Told) -> str:
    """In which form it is said."""
    (form, found), *more = [
        (form, found) for form in OWN if (found := match(form, told.parts[0], told.place)) is not None
    ]
    assert not more
    assert OWN[form](told, *found.groups()), told
    assert ("costs you" in told.parts[0]) == (told.cost() > 0), told
    return form


def check_others(told: Told) -> None:
    """All that changes for them is said, and nothing else."""
    lost = {owner for owner, change in told.changes().items() if change < 0}
    won = {owner for owner, change in told.changes().items() if change > 0}
    taken = [found for part in told.parts[1:] if (found := match("takes D there from W", part, ""))]
    given = [found for part in told.parts[1:] if (found := match("gives W D there", part, ""))]
    assert (len(taken), len(given)) == (bool(lost), bool(won)), told
    assert len(taken) + len(given) == len(told.parts) - 1, told
    for amount, who in (found.groups() for found in taken):
        assert are(lost, who), told
        assert read_money(amount) == -sum(told.changes()[owner] for owner in lost), told
    for who, amount in (found.groups() for found in given):
        assert are(won, who), told
        assert read_money(amount) == sum(told.changes()[owner] for owner in won), told


def everything_told(plan: Plan, seed: int) -> Iterator[Told]:
    """Of every option of every seat that is asked."""
    for state in (move.after for move in play_moves(plan, seed)):
        for seat in () if state.ask is None else state.ask.awaited:
            seen = view(state, seat)
            for option in legal(seen, seat):
                parts, casino = list(describe_outcome(seen, seat, option)), find_casino(seen, seat, option)
                assert bool(parts) == (option.standing is not UNSET)
                if option.standing is not UNSET and casino is not None:
                    place = "the bandit" if casino == "bandit" else f"casino {casino}"
                    before = standing_of(seen, EDITIONS.of(seen), casino)
                    yield Told(OWNER[seat], place, before, option.standing, parts)


def check(plan: Plan, seed: int) -> set[str]:
    forms = set()
    for told in everything_told(plan, seed):
        forms.add(check_own(told))
        check_others(told)
    return forms


@pytest.mark.parametrize("ruleset", EDITIONS.newest.values(), ids=lambda ruleset: ruleset.id)
@examples(5, long=60)
@given(data=st.data(), seed=seeds)
def test_what_is_said_of_an_option_is_true(ruleset: Ruleset, data: st.DataObject, seed: int) -> None:
    check(data.draw(plans(ruleset)), seed)


@pytest.mark.long
def test_everything_that_can_be_said_is_said_somewhere_and_is_true_there() -> None:
    forms = set().union(*(check(plan, seed) for plan in GAMES for seed in range(2)))
    assert forms == {*OWN}


def test_at_the_bandit_who_has_fewer_pips_is_behind() -> None:
    """D6: so many dice of each may lie there, and nobody is tied."""
    level = [
        told
        for told in everything_told(Plan("modern", {"bandit": True}, 6), 1)
        if told.place == "the bandit" and told.will_be().notes
        if any(one.weight == told.will_be().weight for one in told.after[: told.after.index(told.will_be())])
    ]
    assert level
    for told in level:
        assert "you first" not in told.parts[0]


def test_the_contract_shows_what_is_said() -> None:
    """Where an example is out of date, delete it and `make examples`."""
    replies = json.loads(EXAMPLES.read_text("utf-8"))["replies"]
    for operation in ("advise", "rerunDecision", "showDecision"):
        placements = [
            option
            for option in replies[operation]["application/json"]["options"]
            if option["choice"].startswith("place-")
        ]
        assert placements
        for option in placements:
            part, place = option["why"].partition(";")[0], f"casino {option['choice'][-1]}"
            assert any(match(form, part[0].lower() + part[1:], place) for form in OWN), part
