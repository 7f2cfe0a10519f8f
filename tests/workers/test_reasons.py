"""What is said of an option agrees with the figures of the same reply, whatever level is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pytest
from msgspec import UNSET, convert

from events.types import OptionValue
from events.values import OWNER
from rules.editions import EDITIONS
from rules.extension import Standing
from rules.legal import choices, legal
from rules.lookahead import standing_of, try_answer
from rules.prompt import Option
from rules.state import State, view
from service.analysis.results import WeighedOption
from tests.support.bots import RANDOM, TABLES, states_of_game
from workers.analysis.reasons import find_casino, weigh_options
from workers.bots import BOTS
from workers.bots.asking import BotRequest, ask_here
from workers.bots.evaluator import DIE_IN_HAND
from workers.bots.protocol import Candidate
from workers.bots.valuation import SampledChance

# Every sentence of a reason is read back over many positions.
pytestmark = pytest.mark.long

# Of each game, few enough to be quick.
EVERY = 13
POINTS = re.compile(r"(\d+\.\d) points (less|more) than (the best|the one that the bot takes)")
# A tenth of a point is told, of figures that have four digits.
ROUNDED, NOTEWORTHY = 0.0501, 0.000499
COUNTS = [(table, bot) for table in TABLES for bot in BOTS]


def moments(table: tuple[str, dict[str, OptionValue], int], seed: int) -> Iterator[tuple[State, int]]:
    """In which a seat has several options."""
    edition, _, players = table
    options = convert(table[1], dict[str, OptionValue])
    asked = (
        (view(state, seat), seat)
        for state in states_of_game(edition, options, [RANDOM] * players, seed)
        for seat in (state.ask.awaited if state.ask else ())[:1]
        if len(choices(state, seat)) > 1
    )
    return (moment for number, moment in enumerate(asked) if number % EVERY == seed % EVERY)


def weigh(bot: str, seen: State, seat: int) -> tuple[WeighedOption, ...]:
    request = BotRequest(bot, seen, seat, bytes(32), budget=2 if BOTS[bot].budget else 0, thorough=True)
    return weigh_options(seen, seat, ask_here(BOTS[bot], request).candidates)


@pytest.mark.parametrize(("table", "bot"), COUNTS)
def test_points_of_a_chance_are_those_between_the_figures(
    table: tuple[str, dict[str, OptionValue], int], bot: str
) -> None:
    for seen, seat in moments(table, seed=3):
        check_points(weigh(bot, seen, seat))


def check_points(options: Sequence[WeighedOption]) -> None:
    wins = [option.win for option in options if option.win is not None]
    assert len(wins) == len(options)
    for option, win in zip(options, wins, strict=True):
        assert f"ins {win:.0%} of the games" in option.why
        told = {f"{more} than {other}": float(points) for points, more, other in POINTS.findall(option.why)}
        apart = {"less than the best": max(wins) - win, "more than the one that the bot takes": win - wins[0]}
        assert told == pytest.approx(
            {words: 100 * chance for words, chance in apart.items() if chance >= NOTEWORTHY}, abs=ROUNDED
        )
        assert ("as good as" in option.why) == any(0 < chance < NOTEWORTHY for chance in apart.values())


def test_a_better_chance_than_that_of_what_is_taken_is_told() -> None:
    seen, seat = next(moments(TABLES[0], seed=0))
    taken, good, best, *rest = choices(seen, seat)
    wins = (0.4, 0.45, 0.5, *[0.4002] * len(rest))
    pairs = zip((taken, good, best, *rest), wins, strict=True)
    found = weigh_options(seen, seat, [Candidate(choice, win=win) for choice, win in pairs])
    said = [option.why.split("wins ", 1)[1] for option in found]
    less, more = "points less than the best", "points more than the one that the bot takes."
    assert said[:3] == [
        f"40% of the games from here, 10.0 {less}.",
        f"45% of the games from here, 5.0 {less}, 5.0 {more}",
        f"50% of the games from here, 10.0 {more}",
    ]
    assert all(one.endswith("as good as the one that the bot takes.") for one in said[3:])


# Where a placement changes nothing but what its casino pays.
PLAIN = [
    table for table in TABLES if table[0] in ("classic", "modern") and not {*table[1]} - {"neutral_dice"}
]
GAIN = re.compile(r"ou would be \$([\d,]+) (better|worse) off if|hanges nothing for you if")
HARM = re.compile(r"others together would be \$([\d,]+) (better|worse) off")
HAND = re.compile(r"the bot (takes off|adds) \$([\d,]+) for what (leaves|comes to) your hand")


@pytest.mark.parametrize("table", PLAIN)
def test_money_that_is_named_is_what_the_casino_would_pay(
    table: tuple[str, dict[str, OptionValue], int],
) -> None:
    """And what dice are worth to the bot is told apart from it."""
    for seen, seat in moments(table, seed=5):
        offered = {option.choice: option for option in legal(seen, seat)}
        for option in weigh("greedy", seen, seat):
            before, after = money_before_and_after(seen, seat, offered[option.choice])
            own, others = after.pop(seat) - before.pop(seat), sum(after.values()) - sum(before.values())
            assert signed(GAIN, option.why) == own, option
            assert signed(HARM, option.why) == others, option
            check_hand(seen, seat, option)


def money_before_and_after(seen: State, seat: int, option: Option) -> tuple[dict[int, int], dict[int, int]]:
    """By seat, at the casino of the option."""
    casino = find_casino(seen, seat, option)
    assert casino is not None
    assert option.standing is not UNSET
    before = standing_of(seen, EDITIONS.of(seen), casino)
    return paid_by(seen, before), paid_by(seen, option.standing)


def paid_by(seen: State, standings: Sequence[Standing]) -> dict[int, int]:
    found = {one.owner: sum(one.notes) for one in standings}
    return {seat: found.get(OWNER[seat], 0) for seat in range(len(seen.seats))}


def signed(pattern: re.Pattern[str], why: str) -> int:
    found = pattern.search(why)
    assert found or pattern is HARM
    if not found or found[1] is None:
        return 0
    return int(found[1].replace(",", "")) * (1 if found[2] == "better" else -1)


def check_hand(seen: State, seat: int, option: WeighedOption) -> None:
    to_come = EDITIONS.of(seen).to_come
    then = try_answer(seen, seat, option.choice, SampledChance(1)).state
    left = to_come(seen, seat) - to_come(then, seat)
    price = [int(dollars.replace(",", "")) for _, dollars, _ in HAND.findall(option.why)]
    assert price == [DIE_IN_HAND * left] * (left > 0)


@pytest.mark.parametrize("bot", ["random", "expert"])
def test_only_the_bot_that_sets_a_price_on_dice_is_said_to(bot: str) -> None:
    """Others are told of the money alone, where it is worked out for whoever asks."""
    said = [
        option.why for moment in moments(("royale", {"tiles": 6}, 4), 1) for option in weigh(bot, *moment)
    ]
    assert any(GAIN.search(why) for why in said)
    assert not any(HAND.search(why) for why in said)
