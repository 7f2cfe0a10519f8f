"""Simulates editions in which a turn is a roll and a placement, without tiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import exp
from random import Random
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from rules import State
from rules.choice import read_choice
from rules.state import Roll
from workers.bots.protocol import Candidate, Question
from workers.simulation.endgame import CERTAIN, Dice, Endgame, Wide, weigh_exactly
from workers.simulation.lanes import (
    BanditLanes,
    ChipLanes,
    Flags,
    Ints,
    Lanes,
    Luck,
    Offers,
    Rolled,
    merit,
    place_values,
)
from workers.simulation.net import Floats, Net, Stakes, compute_inputs
from workers.simulation.position import COLOURS, THOUSAND, Bandit, Chips, DicePosition, Row, read_position
from workers.simulation.racing import Stage, race, scale
from workers.simulation.weights import load_net
from workers.simulation.winning import WHOLE, Chances, chances_to_win


def open_lanes(position: DicePosition, lanes: int) -> Lanes:
    """Return lanes that all begin with this table."""
    codes = np.array(position.weights, np.int32) @ place_values(position.owners)
    small, big, white = (_repeat(hand, lanes) for hand in (position.small, position.big, position.white))
    hands = small, big if big.any() else None, white if white.any() else None
    found = Lanes(position.players, _repeat(codes, lanes), hands, _note_rows(position.notes, position.owners))
    if position.bandit is not None:
        found.add_bandit(_open_bandit(position.bandit, lanes))
    if position.chips is not None:
        found.chips = _open_chips(position.chips, lanes)
    return found


def _repeat(row: object, lanes: int) -> Ints:
    """Return the row so many times, as an array by lane."""
    return np.repeat(np.array(row, np.int32)[None], lanes, axis=0)


def _note_rows(notes: tuple[tuple[int, ...], ...], owners: int) -> Ints:
    """Return the notes by casino and rank, with a last rank that gets nothing."""
    rows = np.zeros((1, len(notes), owners + 1), np.int32)
    for row, falling in zip(rows[0], notes, strict=True):
        paid = falling[:owners]
        row[: len(paid)] = paid
    return rows


def _open_bandit(bandit: Bandit, lanes: int) -> BanditLanes:
    """Return the bandit in so many lanes."""
    merits = [_merit(dice) for dice in bandit.dice]
    taken = np.array(bandit.dice, np.int32).sum(axis=0) > 0
    notes = np.array([(*bandit.notes, 0, 0)[:2]], np.int32)
    return BanditLanes(_repeat(merits, lanes), np.repeat(taken[None], lanes, axis=0), notes)


def _merit(dice: tuple[int, ...]) -> int:
    """Return the merit of a seat's dice at the bandit, given by face."""
    pips = sum(face * weight for face, weight in enumerate(dice, 1))
    return merit(sum(dice), pips, max((face for face, weight in enumerate(dice, 1) if weight), default=0))


def _open_chips(chips: Chips, lanes: int) -> ChipLanes:
    """Return the chip cards in so many lanes."""
    return ChipLanes(_repeat(chips.lying, lanes), _repeat(chips.held, lanes), chips.white_counts)


def lay_roll(roll: Roll, lanes: int) -> Rolled:
    """Return the roll that lies on the table, in every lane."""
    small, white = (_repeat(_count(dice), lanes) for dice in (roll.own, roll.neutral))
    big = None if roll.big is None else _repeat(_count((roll.big,)), lanes)
    weight = small if big is None else small + 2 * big
    return Rolled(small, big, white if roll.neutral else None, weight)


def _count(dice: tuple[int, ...]) -> list[int]:
    """Return how many of the dice show each face."""
    return [dice.count(face) for face in range(1, 7)]


# Log odds are rounded to 1/_STEPS, and limited to _MOST in both directions.
_STEPS = 64
_MOST = 12


@cache
def _chance_table() -> Chances:
    """Return the chance for each step of log odds, in parts of WHOLE."""
    steps = range(-_STEPS * _MOST, _STEPS * _MOST + 1)
    return np.array([round(WHOLE / (1 + exp(-step / _STEPS))) for step in steps], np.int64)


def to_chances(log_odds: Floats) -> Chances:
    """Return log odds as chances in parts of WHOLE.

    A table is used, because machines do not agree on the last digit of a power.
    """
    steps = np.clip(np.round(log_odds * _STEPS), -_STEPS * _MOST, _STEPS * _MOST).astype(np.int64)
    return _chance_table().take(steps + _STEPS * _MOST)


def stakes_of(position: DicePosition) -> Stakes:
    """Return the stakes of this position, which are equal in all lanes."""
    return Stakes(np.array([position.cash], np.int32), np.array([position.rounds_left], np.int32))


# What each option is worth to the seat, by lane; money in thousands.
Policy = Callable[[Lanes, int, Offers, Ints], NDArray[Any]]
# The worth of an option that is not legal: less than that of any other.
_NEVER = np.int32(-(10**8))


def play_out(lanes: Lanes, seat: int, playouts: int, chance: Random, policy: Policy, whim: int) -> None:
    """Play the lanes to the end of the round, from this seat on in turn.

    Lanes of the same playout have the same luck, so that options are compared with equal dice.
    """
    luck = Luck(chance, *count_turns(lanes, playouts), whim)
    number = np.tile(np.arange(playouts, dtype=np.int32), len(lanes.codes) // playouts)
    for turn in range(len(luck.small)):
        if turn % lanes.players == 0 and lanes.is_done():
            return
        take_turn(lanes, (seat + turn) % lanes.players, luck, turn, number, policy)


def count_turns(lanes: Lanes, playouts: int) -> tuple[int, int, tuple[int, int, int]]:
    """Return the most turns that can come, the playouts, and the most dice of each kind in a hand."""
    most = _most(lanes.small), _most(lanes.big), _most(lanes.white)
    return sum(most) * lanes.players, playouts, most


def take_turn(lanes: Lanes, seat: int, luck: Luck, turn: int, number: Ints, policy: Policy) -> None:
    """Play one turn of the seat in all lanes in which it has dice; `policy` values its options."""
    rows = np.flatnonzero(lanes.has_dice(seat)).astype(np.int32)
    if not len(rows):
        return
    offers = lanes.offers(seat, roll(lanes, seat, luck, turn, number))
    worth = np.where(offers.legal, policy(lanes, seat, offers, luck.whims[turn].take(number, axis=0)), _NEVER)
    lanes.take(seat, offers, rows, worth.argmax(axis=1)[rows])


def _most(dice: Ints | None) -> int:
    """Return the most dice of this kind that any hand has."""
    return 0 if dice is None else int(dice.max())


def roll(lanes: Lanes, seat: int, luck: Luck, turn: int, number: Ints) -> Rolled:
    """Return the seat's roll of this turn, by lane."""
    small = _fall(luck.small[turn], lanes.small[:, seat], number)
    white = None if lanes.white is None else _fall(luck.white[turn], lanes.white[:, seat], number)
    if lanes.big is None or luck.big is None:
        return Rolled(small, None, white, small)
    shown = luck.big[turn].take(number)[:, None] == np.arange(6)
    big = (shown & (lanes.big[:, seat, None] > 0)).astype(np.int32)
    return Rolled(small, big, white, small + 2 * big)


def _fall(counted: Ints, dice: Ints, number: Ints) -> Ints:
    """Return how many of the dice show each face in the playout of each lane."""
    width = counted.shape[1]
    return counted.reshape(-1, 6).take(number * width + dice, axis=0)


_NEVER_CHOSEN = -1e6


class NetPlayer:
    """Plays and judges by the net, for any seat."""

    def __init__(self, net: Net, stakes: Stakes) -> None:
        self._net = net
        self._stakes = stakes

    def choose(self, lanes: Lanes, seat: int, offers: Offers, whims: Ints) -> Floats:
        """Return what each option is worth, by lane. It is a policy: the net has no whims.

        The net is not asked where there is only one option.
        """
        return self.log_odds(lanes, seat, offers, lanes.has_dice(seat) & (offers.legal.sum(axis=1) > 1))

    def log_odds(self, lanes: Lanes, seat: int, offers: Offers, thinking: Flags) -> Floats:
        """Return the log odds to win, by lane and option; 0 in lanes that are not `thinking`."""
        pairs = np.nonzero(offers.legal & thinking[:, None])
        worth: Floats = np.where(offers.legal, 0.0, _NEVER_CHOSEN)
        if len(pairs[0]):
            worth[pairs] = self._net.value(compute_inputs(lanes, seat, offers, self._stakes, pairs))[:, 0]
        return worth


class NetPlayouts:
    """Plays the rest of the round with the net on the asked seat, and its rivals by a policy.

    At the seat's next turn the net also judges the best that the seat can do with its roll. A mixture of that
    judgement and of the outcome is better than either: the judgement has less noise, and the outcome shows
    what the net overlooks. The more playouts, the less noise matters: the outcome counts OUTCOME of PARTS.
    """

    PARTS = 3
    OUTCOME = 2

    def __init__(self, lanes: Lanes, seat: int, playouts: int, chance: Random) -> None:
        """Draw the luck of all turns; lanes of one playout share it."""
        self._lanes = lanes
        self._seat = seat
        self._luck = Luck(chance, *count_turns(lanes, playouts), whim=WHIM)
        self._number = np.tile(np.arange(playouts, dtype=np.int32), len(lanes.codes) // playouts)
        self._moving = np.zeros(len(lanes.codes), np.bool_)
        self._judged = np.zeros(len(lanes.codes), np.int64)

    def run(self, player: NetPlayer, rivals: Policy, stakes: Stakes, notes: Ints) -> Chances:
        """Play all lanes to the end of the round; return the seat's chances in parts of PARTS * WHOLE."""
        lanes = self._lanes
        for turn in range(len(self._luck.small)):
            if turn % lanes.players == 0 and lanes.is_done():
                break
            seat = (self._seat + 1 + turn) % lanes.players
            if turn == lanes.players - 1:
                self._judge_next_turn(player, turn)
            policy = player.choose if seat == self._seat else rivals
            take_turn(lanes, seat, self._luck, turn, self._number, policy)
        ended = chances_to_win(
            lanes.won() + stakes.cash, lanes.notes_won() + notes, int(stakes.rounds_left[0])
        )[:, self._seat]
        return self.OUTCOME * ended + (self.PARTS - self.OUTCOME) * np.where(
            self._moving, self._judged, ended
        )

    def _judge_next_turn(self, player: NetPlayer, turn: int) -> None:
        """Keep the chance to win that the best option of the seat's next turn gives, where it has dice."""
        lanes = self._lanes
        offers = lanes.offers(self._seat, roll(lanes, self._seat, self._luck, turn, self._number))
        self._moving = lanes.has_dice(self._seat)
        self._judged = to_chances(player.log_odds(lanes, self._seat, offers, self._moving).max(axis=1))


def read_question(question: Question) -> DicePosition:
    """Return the position of the question."""
    view = question.view
    # White dice earn chip cards since the second release.
    return read_position(view, question.seat, bool(view.options.get("neutral_dice")), view.release != "1")


def take_options(question: Question, position: DicePosition) -> Lanes:
    """Return lanes in which the options are carried out, as many lanes for each as the budget."""
    options = question.options
    view = question.view
    lanes = open_lanes(position, len(options) * question.budget)
    taken = np.repeat(number_options(options), question.budget)
    if view.ask is not None and view.ask.prompt == "chip_cards.take":
        _take_cards(lanes, question.seat, view.ask.number or 0, taken)
    elif view.roll is not None:
        offers = lanes.offers(question.seat, lay_roll(view.roll, len(taken)))
        lanes.take(question.seat, offers, np.arange(len(taken), dtype=np.int32), taken)
    return lanes


def number_options(options: tuple[str, ...]) -> Ints:
    """Return the number of each option: casinos, then the bandit's faces.

    For chip cards it is the colour, or -1 for none.
    """
    return np.array([_number(option) for option in options], np.int32)


def _number(option: str) -> int:
    """Return the number of one option."""
    choice = read_choice(option)
    if choice.verb in ("take", "leave"):
        return COLOURS.index(choice.words[0]) if choice.words else -1
    return choice.number - 1 + 6 * (choice.verb == "bandit")


def _take_cards(lanes: Lanes, seat: int, casino: int, colours: Ints) -> None:
    """Take a chip card of these colours at this casino, by lane; -1 takes none."""
    if lanes.chips is not None:
        rows = np.flatnonzero(colours >= 0)
        lanes.chips.lying[rows, casino - 1, colours[rows]] -= 1
        lanes.chips.held[rows, seat, colours[rows]] += 1


# In thousands: the price of a die in hand, and the most that a random whim adds.
DIE = 8
WHIM = 8


def sensible(lanes: Lanes, seat: int, offers: Offers, whims: Ints) -> Ints:
    """Return what each option is worth by a simple rule, by lane and option.

    Own money of the round counts, and less of it for the best rival; dice in hand have a price.
    """
    return _value_sensibly(lanes.won(), lanes, seat, offers, whims)


def know_standing(cash: Row) -> Policy:
    """Return the policy that is sensible and knows what every seat has from earlier rounds, in thousands.

    As a player it wins one last round in a hundred more, with four players.
    """

    def choose(lanes: Lanes, seat: int, offers: Offers, whims: Ints) -> Ints:
        return _value_sensibly(lanes.won() + np.array(cash, np.int32), lanes, seat, offers, whims)

    return choose


def _value_sensibly(money: Ints, lanes: Lanes, seat: int, offers: Offers, whims: Ints) -> Ints:
    """Return what each option is worth to a seat that looks at this money, by lane and option."""
    after = money[:, None] + offers.gain
    own = after[:, :, seat].copy()
    after[:, :, seat] = -1
    worth = 10 * own - 10 * after.max(axis=2) - after.sum(axis=2)
    cost = 10 * DIE * offers.rolled.weight
    return worth - np.tile(cost, worth.shape[1] // 6) + 10 * whims[:, : worth.shape[1]]


# The releases of each edition whose rules this module copies.
CLAIMED = {"classic": ("1", "2"), "modern": ("1",)}
# With a smaller budget the net is not used, so that levels differ: with the net, few playouts do nearly as
# well as many.
FEWEST = 20
# Without the net: playouts for each one of the budget. With fewer, the bot was hardly better than one that
# does not look ahead. Big dice change more, the more of them are still to come: with big dice it is FOR_BIG
# for each rival, which is fewer than ALONE against one rival, and more against several.
ALONE = 3
FOR_BIG = 2
# With a larger one: options that are played out, and playouts of each for a budget of ENOUGH. In half of them
# rivals play by the net, in the other half by the sensible rule: against rivals of one kind, playouts with
# the other kind lose twice as much by a choice, and with both kinds the bot does well against both. With big
# dice all rivals play by the net, which handles them better.
ENOUGH = 60
STAGES = (Stage(99, 80), Stage(4, 80), Stage(3, 140), Stage(2, 200))
# The work grows with the options and the dice to place, and is half as much again at a table with a bandit:
# where their product is larger than MUCH_WORK, playouts are fewer. Where it is smaller, they are more, until
# it is LITTLE_WORK.
MUCH_WORK = 192
FOR_BIG_MUCH_WORK = 144
LITTLE_WORK = 64


class Weighed(Struct, frozen=True):
    """Holds each option's chance to win in parts of WHOLE, and the money of the round in dollars."""

    wins: Sequence[float]
    money: Sequence[int]


def claims(question: Question) -> bool:
    """Return whether the question is of an edition and release that is simulated here."""
    view = question.view
    return view.release in CLAIMED.get(view.edition, ())


def weigh(question: Question) -> tuple[Candidate, ...]:
    """Return each option with its expected money and chance to win.

    With a large budget a placement is judged by playouts and by the trained net; else by playouts alone.
    """
    if question.budget < FEWEST:
        each = FOR_BIG * (len(question.view.seats) - 1) if has_big_dice(question.view) else ALONE
        question = replace(question, budget=each * question.budget)
        return _to_candidates(question, play_options_out(question, sensible))
    exact = weigh_endgame(question)
    if exact is not None:
        return exact

    def play(asked: Question, playouts: int) -> tuple[Candidate, ...]:
        asked = replace(asked, budget=playouts)
        return _to_candidates(asked, play_options_well(asked))

    return race(question, plan_stages(question), play)


def plan_stages(question: Question) -> tuple[Stage, ...]:
    """Return the stages of the race, which take about as long whatever the options and the dice are."""
    position = read_question(question)
    work = len(question.options) * count_dice(position)
    if position.bandit is not None:
        work += work // 2
    much = FOR_BIG_MUCH_WORK if has_big_dice(question.view) else MUCH_WORK
    return scale(STAGES, question.budget * much, ENOUGH * max(work, LITTLE_WORK))


def count_dice(position: DicePosition) -> int:
    """Return how many dice all seats have in hand."""
    return sum((*position.small, *position.big, *position.white))


def play_options_well(question: Question) -> Weighed:
    """Return the means of each option over playouts in which the net plays the asked seat.

    Chip cards, which the net was not trained on, are played by the sensible rule alone.
    """
    view = question.view
    position = read_question(question)
    sensibly = know_standing(position.cash)
    net = load_net(view.edition, len(view.seats))
    placing = view.ask is not None and view.ask.prompt == "turn.place"
    if net is None or position.chips is not None or not placing:
        return play_options_out(question, sensibly)
    player = NetPlayer(net, stakes_of(position))
    if has_big_dice(view):
        return play_by_net(question, position, player, player.choose)
    half = replace(question, budget=-(-question.budget // 2))
    return _average(
        play_by_net(half, position, player, player.choose), play_by_net(half, position, player, sensibly)
    )


def weigh_endgame(question: Question) -> tuple[Candidate, ...] | None:
    """Return each option with exact figures if few dice are left; else None.

    It is also None with a bandit and with chip cards, which are not enumerated.
    """
    view = question.view
    roll = view.roll
    placing = view.ask is not None and view.ask.prompt == "turn.place"
    position = read_question(question)
    if roll is None or not placing or position.bandit is not None or position.chips is not None:
        return None
    seat = question.seat

    def judge(money: Wide, notes: Wide) -> Wide:
        return chances_to_win(money, notes, position.rounds_left, CERTAIN)[:, seat]

    endgame = Endgame(
        seat=seat,
        weights=position.weights,
        notes=position.notes,
        small=position.small,
        big=position.big,
        white=position.white,
        chips=(0,) * position.players,
        money=position.cash,
        held=position.notes_held,
        judge=judge,
    )
    faces = [read_choice(option).number for option in question.options]
    moves = [(face - 1, _count_shown(roll, face)) for face in faces]
    return weigh_exactly(endgame, question.options, moves)


def _count_shown(roll: Roll, face: int) -> Dice:
    """Return the dice of the roll that show this face."""
    return Dice(roll.own.count(face), int(roll.big == face), roll.neutral.count(face))


def has_big_dice(view: State) -> bool:
    """Return whether big dice are in play."""
    return any(dice.big for heap in view.outfit.values() for dice in heap.values())


def play_options_out(question: Question, policy: Policy) -> Weighed:
    """Return the means of each option over playouts to the end of the round, by this policy."""
    position = read_question(question)
    budget = question.budget
    lanes = take_options(question, position)
    play_out(lanes, question.seat + 1, budget, question.chance, policy, WHIM)
    won = lanes.won()
    notes = lanes.notes_won() + np.array(position.notes_held, np.int32)
    chances = chances_to_win(won + np.array(position.cash, np.int32), notes, position.rounds_left)
    wins, gains = (found[:, question.seat].reshape(-1, budget).sum(axis=1) for found in (chances, won))
    return Weighed(
        [win / budget for win in wins.tolist()], [THOUSAND * gain // budget for gain in gains.tolist()]
    )


def play_by_net(question: Question, position: DicePosition, player: NetPlayer, rivals: Policy) -> Weighed:
    """Return the means of each option over playouts with the net on the asked seat."""
    budget = question.budget
    lanes = take_options(question, position)
    playouts = NetPlayouts(lanes, question.seat, budget, question.chance)
    notes = np.array(position.notes_held, np.int32)
    chances = playouts.run(player, rivals, stakes_of(position), notes)
    wins, gains = (
        found.reshape(-1, budget).sum(axis=1) for found in (chances, lanes.won()[:, question.seat])
    )
    return Weighed(
        [win / (NetPlayouts.PARTS * budget) for win in wins.tolist()],
        [THOUSAND * gain // budget for gain in gains.tolist()],
    )


def _average(first: Weighed, second: Weighed) -> Weighed:
    """Return the means of two kinds of playouts."""
    wins = [(one + other) / 2 for one, other in zip(first.wins, second.wins, strict=True)]
    money = [(one + other) // 2 for one, other in zip(first.money, second.money, strict=True)]
    return Weighed(wins, money)


def _to_candidates(question: Question, weighed: Weighed) -> tuple[Candidate, ...]:
    """Return the candidates for these figures."""
    rows = zip(question.options, weighed.money, weighed.wins, strict=True)
    return tuple(Candidate(option, money, win / WHOLE) for option, money, win in rows)
