"""The simulator of editions in which a turn is a roll and a placement, without tiles."""

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
from workers.simulation.net import MONEY_UNIT, Floats, Net, Stakes, look
from workers.simulation.position import COLOURS, THOUSAND, Bandit, Chips, DicePosition, read_position
from workers.simulation.weights import load_net
from workers.simulation.winning import WHOLE, Chances, chances_to_win


def open_lanes(position: DicePosition, lanes: int) -> Lanes:
    """The same table so many times."""
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
    return np.repeat(np.array(row, np.int32)[None], lanes, axis=0)


def _note_rows(notes: tuple[tuple[int, ...], ...], owners: int) -> Ints:
    """As many ranks as can be paid, and one that gets nothing."""
    rows = np.zeros((1, len(notes), owners + 1), np.int32)
    for row, falling in zip(rows[0], notes, strict=True):
        paid = falling[:owners]
        row[: len(paid)] = paid
    return rows


def _open_bandit(bandit: Bandit, lanes: int) -> BanditLanes:
    merits = [_merit(dice) for dice in bandit.dice]
    taken = np.array(bandit.dice, np.int32).sum(axis=0) > 0
    notes = np.array([(*bandit.notes, 0, 0)[:2]], np.int32)
    return BanditLanes(_repeat(merits, lanes), np.repeat(taken[None], lanes, axis=0), notes)


def _merit(dice: tuple[int, ...]) -> int:
    pips = sum(face * weight for face, weight in enumerate(dice, 1))
    return merit(sum(dice), pips, max((face for face, weight in enumerate(dice, 1) if weight), default=0))


def _open_chips(chips: Chips, lanes: int) -> ChipLanes:
    return ChipLanes(_repeat(chips.lying, lanes), _repeat(chips.held, lanes), chips.white_counts)


def lay_roll(roll: Roll, lanes: int) -> Rolled:
    """The roll that lies on the table, in every lane."""
    small, white = (_repeat(_count(dice), lanes) for dice in (roll.own, roll.neutral))
    big = None if roll.big is None else _repeat(_count((roll.big,)), lanes)
    weight = small if big is None else small + 2 * big
    return Rolled(small, big, white if roll.neutral else None, weight)


def _count(dice: tuple[int, ...]) -> list[int]:
    return [dice.count(face) for face in range(1, 7)]


# Log odds are told apart to so small a part of one, up to so many.
_STEPS = 64
_MOST = 12


@cache
def _chance_table() -> Chances:
    steps = range(-_STEPS * _MOST, _STEPS * _MOST + 1)
    return np.array([round(WHOLE / (1 + exp(-step / _STEPS))) for step in steps], np.int64)


def to_chances(log_odds: Floats) -> Chances:
    """In whole numbers, by a table: machines do not agree on the last digit of a power."""
    steps = np.clip(np.round(log_odds * _STEPS), -_STEPS * _MOST, _STEPS * _MOST).astype(np.int64)
    return _chance_table().take(steps + _STEPS * _MOST)


def stakes_of(position: DicePosition) -> Stakes:
    """The same in every lane."""
    return Stakes(np.array([position.cash], np.int32), np.array([position.rounds_left], np.int32))


def judge_options(net: Net, position: DicePosition, roll: Roll, options: Ints) -> tuple[Chances, Ints]:
    """Of each option the chance to win, and the round's money in thousands."""
    stakes = stakes_of(position)
    lanes = open_lanes(position, 1)
    offers = lanes.offers(position.seat, lay_roll(roll, 1))
    value = net.value(look(lanes, position.seat, offers, stakes, (np.zeros_like(options), options)))
    return to_chances(value[:, 0]), np.maximum(np.round(value[:, 1] * MONEY_UNIT), 0).astype(np.int32)


# What each option is worth to the seat, by lane; money in thousands.
Policy = Callable[[Lanes, int, Offers, Ints], NDArray[Any]]
# Whatever is not legal is worth less than anything.
_NEVER = np.int32(-(10**8))


def play_out(lanes: Lanes, seat: int, playouts: int, chance: Random, policy: Policy, whim: int) -> None:
    """From the seat on, in turn, until nobody has dice; lanes of one playout have the same luck."""
    luck = Luck(chance, *count_turns(lanes, playouts), whim)
    number = np.tile(np.arange(playouts, dtype=np.int32), len(lanes.codes) // playouts)
    for turn in range(len(luck.small)):
        if turn % lanes.players == 0 and lanes.is_done():
            return
        take_turn(lanes, (seat + turn) % lanes.players, luck, turn, number, policy)


def count_turns(lanes: Lanes, playouts: int) -> tuple[int, int, tuple[int, int, int]]:
    """The most that can come, for so many playouts, and the most dice of each kind in a hand."""
    most = _most(lanes.small), _most(lanes.big), _most(lanes.white)
    return sum(most) * lanes.players, playouts, most


def take_turn(lanes: Lanes, seat: int, luck: Luck, turn: int, number: Ints, policy: Policy) -> None:
    rows = np.flatnonzero(lanes.has_dice(seat)).astype(np.int32)
    if not len(rows):
        return
    offers = lanes.offers(seat, roll(lanes, seat, luck, turn, number))
    worth = np.where(offers.legal, policy(lanes, seat, offers, luck.whims[turn].take(number, axis=0)), _NEVER)
    lanes.take(seat, offers, rows, worth.argmax(axis=1)[rows])


def _most(dice: Ints | None) -> int:
    return 0 if dice is None else int(dice.max())


def roll(lanes: Lanes, seat: int, luck: Luck, turn: int, number: Ints) -> Rolled:
    small = _fall(luck.small[turn], lanes.small[:, seat], number)
    white = None if lanes.white is None else _fall(luck.white[turn], lanes.white[:, seat], number)
    if lanes.big is None or luck.big is None:
        return Rolled(small, None, white, small)
    shown = luck.big[turn].take(number)[:, None] == np.arange(6)
    big = (shown & (lanes.big[:, seat, None] > 0)).astype(np.int32)
    return Rolled(small, big, white, small + 2 * big)


def _fall(counted: Ints, dice: Ints, number: Ints) -> Ints:
    """How many of so many dice show each face in the playout of this number."""
    width = counted.shape[1]
    return counted.reshape(-1, 6).take(number * width + dice, axis=0)


_NEVER_CHOSEN = -1e6


class NetPlayer:
    """How the net plays and judges for whoever is to move."""

    def __init__(self, net: Net, stakes: Stakes) -> None:
        self._net = net
        self._stakes = stakes

    def choose(self, lanes: Lanes, seat: int, offers: Offers) -> Ints:
        """Whoever has one option only need not think."""
        thinking = lanes.has_dice(seat) & (offers.legal.sum(axis=1) > 1)
        return self._log_odds(lanes, seat, offers, thinking).argmax(axis=1)

    def judge(self, lanes: Lanes, seat: int, offers: Offers) -> Chances:
        """What the best option is worth to the seat."""
        return to_chances(self._log_odds(lanes, seat, offers, lanes.has_dice(seat)).max(axis=1))

    def _log_odds(self, lanes: Lanes, seat: int, offers: Offers, thinking: Flags) -> Floats:
        """By lane and option."""
        pairs = np.nonzero(offers.legal & thinking[:, None])
        worth: Floats = np.where(offers.legal, 0.0, _NEVER_CHOSEN)
        if len(pairs[0]):
            worth[pairs] = self._net.value(look(lanes, seat, offers, self._stakes, pairs))[:, 0]
        return worth


class LookAhead:
    """Everybody else moves once; then lanes are judged by the best that the seat can do with its next roll.

    Lanes in which it has no dice left by then are played to the end of the round and judged by the outcome.
    """

    def __init__(self, lanes: Lanes, seat: int, playouts: int, chance: Random) -> None:
        """Lanes of one playout have the same luck."""
        self._lanes = lanes
        self._seat = seat
        self._luck = Luck(chance, *count_turns(lanes, playouts), whim=1)
        self._number = np.tile(np.arange(playouts), len(lanes.codes) // playouts)
        self._rows = np.arange(len(lanes.codes))
        self._found = np.zeros(len(lanes.codes), np.int64)

    def run(self, player: NetPlayer, stakes: Stakes, notes: Ints) -> Chances:
        """The seat's chance to win, by lane."""
        for turn in range(len(self._luck.small)):
            seat = (self._seat + 1 + turn) % self._lanes.players
            if turn == self._lanes.players - 1:
                self._judge(player, turn)
            if self._lanes.is_done():
                break
            self._step(player, seat, turn)
        self._settle(stakes, notes)
        return self._found

    def _step(self, player: NetPlayer, seat: int, turn: int) -> None:
        lanes = self._lanes
        rows = np.flatnonzero(lanes.has_dice(seat))
        if len(rows):
            offers = lanes.offers(seat, roll(lanes, seat, self._luck, turn, self._number[self._rows]))
            lanes.take(seat, offers, rows, player.choose(lanes, seat, offers)[rows])

    def _judge(self, player: NetPlayer, turn: int) -> None:
        """Those in which the seat moves are done with; the others go on."""
        moving = self._lanes.has_dice(self._seat)
        seat = self._seat
        rows = np.flatnonzero(moving)
        if len(rows):
            lanes = self._lanes.select(rows)
            there = self._rows[rows]
            offers = lanes.offers(seat, roll(lanes, seat, self._luck, turn, self._number[there]))
            self._found[there] = player.judge(lanes, seat, offers)
        self._rows = self._rows[~moving]
        self._lanes = self._lanes.select(np.flatnonzero(~moving))

    def _settle(self, stakes: Stakes, notes: Ints) -> None:
        """Where no dice are left the round's outcome says it."""
        if len(self._rows):
            money = self._lanes.won() + stakes.cash
            held = self._lanes.notes_won() + notes
            ended = chances_to_win(money, held, int(stakes.rounds_left[0]))
            self._found[self._rows] = ended[:, self._seat]


def read(question: Question) -> DicePosition:
    view = question.view
    # White dice earn chip cards since the second release.
    return read_position(view, question.seat, bool(view.options.get("neutral_dice")), view.release != "1")


def take_options(question: Question, position: DicePosition) -> Lanes:
    """One option after the other, each in as many lanes as the budget is."""
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
    """Casinos, then the bandit's faces; of chip cards the colour, or -1 for none."""
    return np.array([_number(option) for option in options], np.int32)


def _number(option: str) -> int:
    choice = read_choice(option)
    if choice.verb in ("take", "leave"):
        return COLOURS.index(choice.words[0]) if choice.words else -1
    return choice.number - 1 + 6 * (choice.verb == "bandit")


def _take_cards(lanes: Lanes, seat: int, casino: int, colours: Ints) -> None:
    if lanes.chips is not None:
        rows = np.flatnonzero(colours >= 0)
        lanes.chips.lying[rows, casino - 1, colours[rows]] -= 1
        lanes.chips.held[rows, seat, colours[rows]] += 1


# Thousands that a die is worth in hand, and that a whim is worth at most.
DIE = 8
WHIM = 8


def sensible(lanes: Lanes, seat: int, offers: Offers, whims: Ints) -> Ints:
    """Money for oneself and against the best of the others, and dice are worth something in hand."""
    after = lanes.won()[:, None] + offers.gain
    own = after[:, :, seat].copy()
    after[:, :, seat] = -1
    worth = 10 * own - 10 * after.max(axis=2) - after.sum(axis=2)
    cost = 10 * DIE * offers.rolled.weight
    return worth - np.tile(cost, worth.shape[1] // 6) + 10 * whims[:, : worth.shape[1]]


# The releases of each edition whose rules are done again here.
CLAIMED = {"classic": ("1", "2"), "modern": ("1",)}
# Who may play out less does without what was learned, so that levels differ: with it, few playouts do nearly
# as well as many.
FEWEST = 20
# Playouts for each simulation of theirs, with fewer of which they were hardly better than who does not look
# ahead. Big dice turn more, the more of them are still to come: where there are any, it is so many for each
# rival, which is less than without them against one, and more against two and more.
ALONE = 3
FOR_BIG = 2
# Who goes by what was learned, too, plays so many times as often to the end of the round, and that counts so
# much beside each of the two ways to ask: what was learned knows little of who is ahead by a single note.
# With one and one, one of four won 43 games in a hundred against three who take what pays now, and wins 50
# so; with big dice it won nothing. With chip cards, of which nothing was learned, the playouts decide alone.
TO_THE_END = 4
COUNTED = 2


class Weighed(Struct, frozen=True):
    """Of each option the chance to win in parts of WHOLE, and the money of the round in dollars."""

    wins: Sequence[float]
    money: Sequence[int]


def claims(question: Question) -> bool:
    view = question.view
    return view.release in CLAIMED.get(view.edition, ())


def weigh(question: Question) -> tuple[Candidate, ...]:
    """By playing out and, of placements on a budget that is worth it, by what was learned."""
    if question.budget < FEWEST:
        each = FOR_BIG * (len(question.view.seats) - 1) if has_big_dice(question.view) else ALONE
        return _list(question, play_options_out(replace(question, budget=each * question.budget)))
    view = question.view
    net = load_net(question.view.edition, len(question.view.seats))
    times, counted = (1, 1) if has_big_dice(view) else (TO_THE_END, COUNTED)
    played = play_options_out(replace(question, budget=times * question.budget))
    placing = view.ask is not None and view.ask.prompt == "turn.place"
    if net is None or view.roll is None or view.chip_cards or not placing:
        return _list(question, played)
    learned = look_ahead(question, net), ask_net(question, net, view.roll)
    return _list(question, _mean(*[played] * counted, *learned))


def has_big_dice(view: State) -> bool:
    return any(dice.big for heap in view.outfit.values() for dice in heap.values())


def ask_net(question: Question, net: Net, roll: Roll) -> Weighed:
    wins, thousands = judge_options(net, read(question), roll, number_options(question.options))
    return Weighed(wins.tolist(), [THOUSAND * money for money in thousands.tolist()])


def play_options_out(question: Question) -> Weighed:
    position = read(question)
    budget = question.budget
    lanes = take_options(question, position)
    play_out(lanes, question.seat + 1, budget, question.chance, sensible, WHIM)
    won = lanes.won()
    notes = lanes.notes_won() + np.array(position.notes_held, np.int32)
    chances = chances_to_win(won + np.array(position.cash, np.int32), notes, position.rounds_left)
    wins, gains = (found[:, question.seat].reshape(-1, budget).sum(axis=1) for found in (chances, won))
    return Weighed(
        [win / budget for win in wins.tolist()], [THOUSAND * gain // budget for gain in gains.tolist()]
    )


def look_ahead(question: Question, net: Net) -> Weighed:
    """To the seat's own next turn."""
    position = read(question)
    budget = question.budget
    stakes = stakes_of(position)
    notes = np.array(position.notes_held, np.int32)
    ahead = LookAhead(take_options(question, position), question.seat, budget, question.chance)
    found = ahead.run(NetPlayer(net, stakes), stakes, notes).reshape(-1, budget).sum(axis=1)
    return Weighed([win / budget for win in found.tolist()], [])


def _mean(first: Weighed, *others: Weighed) -> Weighed:
    """All count, for each is wrong in its own way; the money is that of the first."""
    wins = zip(first.wins, *(other.wins for other in others), strict=True)
    return Weighed([sum(some) / len(some) for some in wins], first.money)


def _list(question: Question, weighed: Weighed) -> tuple[Candidate, ...]:
    rows = zip(question.options, weighed.money, weighed.wins, strict=True)
    return tuple(Candidate(option, money, win / WHOLE) for option, money, win in rows)
