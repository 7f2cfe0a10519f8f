"""Simulates the card game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from math import prod
from random import Random

import numpy as np

from events.agenda import Ask, Step
from events.values import CASINO, CASINO_NUMBERS, PURSE, Place
from rules import EDITIONS, State
from rules.choice import read_choice
from rules.scoring import money
from workers.bots.protocol import Candidate, Question
from workers.simulation.card_lanes import (
    CASINOS,
    DICE,
    DOUBLE,
    ENOUGH_CARDS,
    ENOUGH_DICE,
    HAND,
    MOST_TURNS,
    OWN,
    SELECTION_SIZES,
    WAYS,
    CardCounts,
    CardLanes,
    Hand,
    Selection,
    gains,
    index_sets,
    playable,
)
from workers.simulation.card_net import MONEY_UNIT, CardPlayer, Mood, Outlook
from workers.simulation.racing import Stage, race, scale
from workers.simulation.weights import load_card_player
from workers.simulation.winning import (
    LEARNED_TEMPERATURES,
    TEMPERATURES,
    THOUSAND,
    Figures,
    Temperatures,
    Whole,
    chance_to_win,
    list_candidates,
)

NEVER = -20_000
# Styles of play. A hasty seat lays cards as long as they bring something; a patient one keeps one for each
# turn to come. Each style: what a card and a turn to come are worth, in thousands, and cards a turn.
# A patient seat wins more against both: of 100 rounds among hasty seats 73 of two players, and 38 of four. So
# the rivals of a large budget are patient; those of a small one are hasty, so that levels differ.
HASTY = 0
PATIENT = 1
STYLES = ((14, 0, 2), (80, 25, 1))


@cache
def prices() -> CardCounts:
    """Return what cards laid now cost later.

    The table is by style, turns to come, cards left to lay, and cards laid now.
    """
    shape = (len(STYLES), MOST_TURNS, ENOUGH_CARDS + 1, HAND + 1)
    return np.array([_price(*index) for index in np.ndindex(*shape)], np.int16).reshape(shape)


def _price(style: int, turns: int, left: int, cards: int) -> int:
    """Return what these cards cost later, for one entry of the table."""
    return OWN * (_to_come(style, turns, left) - _to_come(style, turns, left - cards))


def _to_come(style: int, turns: int, left: int) -> int:
    """Return what the cards left and the turns to come are worth to a style of play."""
    card, turn, cards_a_turn = STYLES[style]
    return card * min(left, cards_a_turn * turns) + turn * turns if left > 0 else 0


def select(lanes: CardLanes, seat: int, hand: Hand, turns: int, mood: CardCounts, style: int) -> Selection:
    """Return what the seat plays from its hand; nothing in lanes in which it is out.

    `turns` come after this one. `mood` adds a random value to each casino, so that playouts differ.
    """
    left = np.maximum(ENOUGH_CARDS - lanes.laid[:, seat], 0)
    price = prices()[style, turns][left]
    ways = np.where(playable(hand), (_gain(lanes, seat) + mood[..., None])[:, :, DICE], NEVER)
    one = _one_number(ways, price)
    two = _two_numbers(ways, price)
    better = two[1] > one[1]
    on = lanes.plays_on(seat)
    dice = np.where(better[:, None], two[0].dice, one[0].dice) * on[:, None]
    return Selection(dice, np.where(better, two[0].cards, one[0].cards) * on)


def _one_number(ways: CardCounts, price: CardCounts) -> tuple[Selection, CardCounts]:
    """Return the best way to play one number, and what it brings."""
    worth = (ways - price[:, None, SELECTION_SIZES]).reshape(len(ways), -1)
    rows = np.arange(len(ways))
    pick = worth.argmax(axis=1)
    dice = np.zeros((len(ways), CASINOS), np.int16)
    dice[rows, pick // WAYS] = DICE[pick % WAYS]
    return Selection(dice, SELECTION_SIZES[pick % WAYS]), worth[rows, pick]


def _two_numbers(ways: CardCounts, price: CardCounts) -> tuple[Selection, CardCounts]:
    """Return the best way to play one card each at two casinos, and what it brings.

    These are the two casinos where one card brings most: what lies at one changes nothing at the other.
    """
    rows = np.arange(len(ways))
    single = ways[:, :, 0]
    double = ways[:, :, DOUBLE]
    card = np.maximum(single, double)
    weight = np.where(double > single, 2, 1).astype(np.int16)
    first, second = card.argsort(axis=1, kind="stable")[:, :-3:-1].T
    dice = np.zeros((len(ways), CASINOS), np.int16)
    dice[rows, first] = weight[rows, first]
    dice[rows, second] = weight[rows, second]
    worth = np.maximum(card[rows, first].astype(np.int32) + card[rows, second], NEVER) - price[:, 2]
    return Selection(dice, np.full(len(ways), 2, np.int16)), worth.astype(np.int16)


def _gain(lanes: CardLanes, seat: int) -> CardCounts:
    """Return what dice bring, by lane, casino and number of added dice."""
    tables = gains(lanes.dice.shape[1] - 1)
    index = index_sets(lanes.dice, seat)
    gain: CardCounts = tables[0][index] * lanes.notes[..., :1] + tables[1][index] * lanes.notes[..., 1:]
    if lanes.has_chips:
        _, more = lanes.best_chips(seat)
        gain[:, :, ENOUGH_DICE:] += OWN * more[..., None]
    return gain


CARDS = tuple(f"{number}{double}" for number in CASINO_NUMBERS for double in ("", "d"))


def turns_taken(view: State, seat: int) -> int:
    """Return how many turns the seat has had this round."""
    return len(view.glasses.get(seat, ()))


def laid_cards(view: State, seat: int) -> Counter[str]:
    """Return the cards that the seat has laid this round."""
    found = Counter[str]()
    for number in CASINO_NUMBERS:
        lot = view.own_dice(seat, number)
        found += Counter({f"{number}": lot.small, f"{number}d": lot.big})
    return found


def cards_to_come(view: State, seat: int) -> tuple[str, ...]:
    """Return the seat's cards that are neither laid nor seen; a hidden hand may hold any of them."""
    left = Counter(view.decks[seat]) - laid_cards(view, seat)
    for seen in (*view.glasses.get(seat, ()), *filter(None, (view.hands.get(seat),))):
        left -= Counter(seen.value or ())
    return tuple(left.elements())


def deal(view: State, seat: int, lanes: int, chance: Random) -> list[Hand]:
    """Return random hands of one seat for its turns to come, in so many lanes."""
    cards = cards_to_come(view, seat)
    turns = min(MOST_TURNS - turns_taken(view, seat), len(cards) // HAND)
    kinds = np.array([CARDS.index(card) for card in cards], np.int16)
    luck = np.frombuffer(chance.randbytes(4 * lanes * len(cards)), "<u4").reshape(lanes, len(cards))
    order = luck.argsort(axis=1, kind="stable")[:, : turns * HAND]
    return sort_hands(kinds[order].reshape(lanes, turns, HAND)) if turns else []


def sort_hands(dealt: CardCounts) -> list[Hand]:
    """Return the dealt cards as hands, one for each turn."""
    counts = np.zeros((*dealt.shape[:2], 2 * CASINOS), np.int16)
    lane, turn = np.indices(dealt.shape[:2])
    for card in range(HAND):
        counts[lane, turn, dealt[:, :, card]] += 1
    return [Hand(counts[:, turn, ::2], counts[:, turn, 1::2]) for turn in range(dealt.shape[1])]


def even_numbers(shape: tuple[int, ...], bound: int, chance: Random) -> CardCounts:
    """Return random numbers below the bound, each as likely as the next to within a thousandth."""
    drawn = np.frombuffer(chance.randbytes(2 * prod(shape)), "<u2").reshape(shape)
    return (drawn % bound).astype(np.int16)


# How far a mood sways a choice inside a playout, in thousands of dollars.
SWAY = 10


class CardRest:
    """Plays the rest of the round after the asked seat's answer.

    A lane has the same cards and moods for all options, so that options are compared with the same luck.
    """

    def __init__(self, table: CardLanes, question: Question, lanes: int) -> None:
        self._table = table
        self._question = question
        self._lanes = lanes
        view = question.view
        self._chance = question.chance
        self._hands = [deal(view, seat, lanes, self._chance) for seat in range(len(view.seats))]
        self._rivals = PATIENT if question.budget >= FEWEST else HASTY

    def play(self, at_once: bool) -> None:
        """Play the round to its end; `at_once` if all seats select at the same time."""
        if at_once:
            self._play_at_once()
        else:
            self._play_in_turn()

    def _play_at_once(self) -> None:
        """Play turns in which all seats select before any card is laid."""
        for turn in range(MOST_TURNS):
            selected = {seat: self._select(seat, number) for seat, number in self._playing(turn)}
            for seat, selection in selected.items():
                self._table.lay(seat, selection.dice, selection.cards)

    def _play_in_turn(self) -> None:
        """Play turns in which each seat sees what the seats before it laid."""
        for turn in range(MOST_TURNS):
            for seat, number in self._playing(turn):
                selection = self._select(seat, number)
                self._table.lay(seat, selection.dice, selection.cards)
                if self._table.has_chips:
                    self._table.take_chips(seat, selection.dice >= ENOUGH_DICE)

    def _playing(self, turn: int) -> list[tuple[int, int]]:
        """Return the seats in order from the asked one, each with the number of its hand for this turn."""
        view = self._question.view
        asked = self._question.seat
        numbered = [(seat, turn - (seat == asked)) for seat in view.clockwise(asked)]
        return [(seat, number) for seat, number in numbered if 0 <= number < len(self._hands[seat])]

    def _select(self, seat: int, number: int) -> Selection:
        """Return what the seat plays from the hand of this number."""
        options = len(self._question.options)
        hand = self._hands[seat][number]
        mood = even_numbers((self._lanes, len(CASINO_NUMBERS)), OWN * SWAY, self._chance)
        singles, doubles, swayed = (
            np.tile(part, (options, 1)) for part in (hand.singles, hand.doubles, mood)
        )
        turns = len(self._hands[seat]) - number - 1
        style = PATIENT if seat == self._question.seat else self._rivals
        return select(self._table, seat, Hand(singles, doubles), turns, mood=swayed, style=style)


# How far a mood sways a choice by the net, in thousands of dollars; it is drawn in parts of 1/FINE.
NET_SWAY = 4
FINE = 16


class LearnedRest:
    """Plays the rest of the round by the net, for all seats.

    Seats that select at the same time as the asked one do not see its answer. A lane has the same cards and
    moods for all options.
    """

    def __init__(self, player: CardPlayer, before: CardLanes, table: CardLanes, question: Question) -> None:
        """Deal the hands: `before` is the table before the answer, in one lane for each playout."""
        self._player = player
        self._before = before
        self._table = table
        self._question = question
        self._lanes = len(before.dice)
        view = question.view
        self._chance = question.chance
        self._hands = [deal(view, seat, self._lanes, self._chance) for seat in range(len(view.seats))]
        self._stocks = [count_stocks(hands) for hands in self._hands]
        self._to_come = [len(hands) for hands in self._hands]

    def play(self, at_once: bool) -> None:
        """Play the round to its end; `at_once` if all seats select at the same time."""
        asked = self._question.seat
        others = self._question.view.clockwise(asked)[1:]
        if at_once:
            self._to_come[asked] += 1
            self._lay_at_once(others, self._before)
            self._to_come[asked] -= 1
        else:
            self._lay_in_turn(others)
        for _ in range(max(self._to_come)):
            if at_once:
                self._lay_at_once((asked, *others), self._table)
            else:
                self._lay_in_turn((asked, *others))

    def _lay_at_once(self, seats: Sequence[int], seen: CardLanes) -> None:
        """Play a turn of these seats, who see this table."""
        playing = [seat for seat in seats if self._to_come[seat]]
        selected = [self._select(seat, seen) for seat in playing]
        for seat, selection in zip(playing, selected, strict=True):
            self._to_come[seat] -= 1
            self._table.lay(seat, self._for_all(selection.dice), self._for_all(selection.cards))

    def _lay_in_turn(self, seats: Sequence[int]) -> None:
        """Play a turn of these seats, each of whom sees what the seats before it laid."""
        for seat in seats:
            if self._to_come[seat]:
                self._lay_at_once((seat,), self._table)

    def _for_all(self, part: CardCounts) -> CardCounts:
        """Return the part of a selection for the lanes of all options."""
        times = len(self._table.dice) // len(part)
        return np.tile(part, (times, 1) if part.ndim > 1 else times)

    def _select(self, seat: int, seen: CardLanes) -> Selection:
        """Return what the seat plays from its next hand, if it sees this table."""
        number = len(self._hands[seat]) - self._to_come[seat]
        hand = self._hands[seat][number]
        drawn = even_numbers((self._lanes, CASINOS), FINE * NET_SWAY, self._chance)
        sway = drawn.astype(np.float32) / (FINE * MONEY_UNIT)
        times = (len(seen.dice) // self._lanes, 1)
        turns = tuple(count - (other == seat) for other, count in enumerate(self._to_come))
        return self._player.select(
            seen,
            seat,
            Hand(np.tile(hand.singles, times), np.tile(hand.doubles, times)),
            outlook=Outlook(turns, np.tile(self._stocks[seat][number], times)),
            mood=Mood(np.tile(sway, times), np.zeros(len(seen.dice), np.float32)),
        )


def list_decks(players: int) -> list[CardCounts]:
    """Return the deck of each player, as numbers of cards."""
    decks = EDITIONS.newest[EDITION].decks(players)
    return [np.array([CARDS.index(card) for card in deck], np.int16) for deck in decks]


def count_stocks(hands: Sequence[Hand]) -> list[CardCounts]:
    """Return the dice of each number that come after each hand, by lane and casino."""
    found = list[CardCounts]()
    later = np.zeros_like(hands[0].singles) if hands else np.zeros(0, np.int16)
    for hand in reversed(hands):
        found.append(later)
        later = later + hand.singles + 2 * hand.doubles
    return found[::-1]


COLOURS = ("gold", "pink", "blue", "green", "red")
AT_ONCE = "cards.select"
IN_TURN = "cards.lay"
TAKE = "chip_cards.take"
OFFER = "chip_cards.offer"
PROMPTS = (AT_ONCE, IN_TURN, TAKE)


def read_table(view: State) -> CardLanes:
    """Return the table that a seat sees as one lane."""
    seats = range(len(view.seats))
    return CardLanes(
        dice=_whole([[[view.own_dice(seat, number).weight for number in CASINO_NUMBERS] for seat in seats]]),
        laid=_whole([[laid_cards(view, seat).total() for seat in seats]]),
        notes=_whole([_two_notes(view.notes_at(number)) for number in CASINO_NUMBERS]),
        lying=_whole([[_count_colours(view, CASINO[number]) for number in CASINO_NUMBERS]]),
        owned=_whole([[_count_colours(view, PURSE[seat]) for seat in seats]]),
    )


def _whole(numbers: Sequence[object]) -> CardCounts:
    """Return the numbers as an array."""
    return np.array(numbers, np.int16)


def _two_notes(notes: Sequence[int]) -> tuple[int, ...]:
    """Return the two highest notes in thousands, the higher one first; 0 for a missing one."""
    return (*sorted((note // THOUSAND for note in notes), reverse=True), 0, 0)[:2]


def _count_colours(view: State, place: Place) -> list[int]:
    """Return how many chip cards of each colour lie at this place."""
    return [view.chip_cards.get(place, ()).count(colour) for colour in COLOURS]


def answer(view: State, ask: Ask, seat: int, options: Sequence[str]) -> CardLanes:
    """Return a lane for each option, in which only that option is carried out."""
    table = read_table(view).repeat(len(options))
    if ask.prompt == TAKE:
        _take(table, seat, (ask.number or 0) - 1, options)
    else:
        dice, cards = zip(*map(read_selection, options), strict=True)
        table.lay(seat, _whole(dice), _whole(cards))
    return table


def read_selection(choice: str) -> tuple[list[int], int]:
    """Return the dice by casino and the number of cards that a choice names.

    A double has a name of two letters and counts as two dice.
    """
    cards = read_choice(choice).words
    dice = Counter[str]()
    for card in cards:
        dice[card[0]] += len(card)
    return [dice[f"{number}"] for number in CASINO_NUMBERS], len(cards)


def _take(table: CardLanes, seat: int, casino: int, options: Sequence[str]) -> None:
    """Take the chip card that each option names, in the lane of that option."""
    for lane, choice in enumerate(options):
        for colour in read_choice(choice).words:
            table.take_chip(seat, casino, np.array([lane]), COLOURS.index(colour))


def accept_offers(table: CardLanes, view: State, ask: Ask, seat: int, options: Sequence[str]) -> None:
    """Take the chip cards that the answer earned, or that are still offered after the one in question."""
    if ask.prompt == TAKE:
        table.take_chips(seat, np.tile(_still_offered(view), (len(options), 1)))
    elif table.has_chips:
        table.take_chips(seat, _whole([read_selection(choice)[0] for choice in options]) >= ENOUGH_DICE)


def _still_offered(view: State) -> list[bool]:
    """Return for each casino whether a chip card is still to be offered there."""
    steps = [item for item in view.agenda if isinstance(item, Step) and item.name == OFFER]
    return [any(step.number == number for step in steps) for number in CASINO_NUMBERS]


EDITION = "cards"
# The releases whose rules this module copies.
RELEASES = ("1",)
# From a budget of FEWEST on: options that are played out, and playouts of each for a budget of ENOUGH. By the
# bot's own estimate, chance makes a choice of two players worse by a game in 1,000.
FEWEST = 20
ENOUGH = 60
STAGES = (Stage(99, 24), Stage(8, 40), Stage(4, 80), Stage(2, 160))
# Without the net a playout takes less time.
QUICK_STAGES = (Stage(99, 40), Stage(8, 80), Stage(4, 160), Stage(2, 320))
SPARING = 30


def claims(question: Question) -> bool:
    """Return whether the question is one of the card game that is simulated here."""
    view = question.view
    ask = question.view.ask
    known = view.edition == EDITION and view.release in RELEASES
    return known and ask is not None and ask.prompt in PROMPTS


def weigh(question: Question) -> tuple[Candidate, ...]:
    """Return each option with its expected money and chance to win."""
    budget = question.budget
    if budget < FEWEST:
        return _play_so_often(question, count_lanes(budget))
    stages = QUICK_STAGES if find_player(question) is None else STAGES
    return race(question, scale(stages, budget, ENOUGH), _play_so_often)


def find_player(question: Question) -> CardPlayer | None:
    """Return the player by the net for a large budget.

    It is None with chip cards, which the net was not trained on: with them, it won no more games.
    """
    view = question.view
    if question.budget < FEWEST or view.chip_cards:
        return None
    return load_card_player(len(view.seats))


def _play_so_often(question: Question, playouts: int) -> tuple[Candidate, ...]:
    """Return each option with the means over so many playouts."""
    table = play_out(question, playouts)
    temperatures = TEMPERATURES if find_player(question) is None else LEARNED_TEMPERATURES
    return list_candidates(question, *_outcome(table, question.view, question.seat, temperatures))


def count_lanes(budget: int) -> int:
    """Return the number of playouts of each option on a small budget.

    A few playouts tell much in this game: with its whole budget, `steady` would play almost like `expert`.
    """
    return max(1, min(budget, budget * budget // SPARING))


def play_out(question: Question, lanes: int) -> CardLanes:
    """Return the table at the end of the round, in so many lanes for each option.

    Raises ValueError if no seat is asked.
    """
    view = question.view
    ask = question.view.ask
    seat = question.seat
    options = question.options
    if ask is None:
        raise ValueError("nothing is asked")
    table = answer(view, ask, seat, options)
    accept_offers(table, view, ask, seat, options)
    table = table.repeat(lanes)
    player = find_player(question)
    if player is None:
        CardRest(table, question, lanes).play(at_once=ask.prompt == AT_ONCE)
    else:
        before = read_table(view).repeat(lanes)
        LearnedRest(player, before, table, question).play(at_once=ask.prompt == AT_ONCE)
    return table


def _outcome(table: CardLanes, view: State, seat: int, temperatures: Temperatures) -> tuple[Whole, Figures]:
    """Return what the seat gets from this round, and its chance to win the game, by lane."""
    seats = range(len(view.seats))
    won, notes = table.pay_out()
    sets = table.sets()
    totals = won + sets + np.array([money(view, other) // THOUSAND for other in seats], np.int16)
    counts = notes + np.array([len(view.notes_of(other)) for other in seats], np.int16)
    rounds = EDITIONS.of(view).rounds - view.round
    own = won + sets - read_table(view).sets()
    return own[:, seat], chance_to_win(totals, counts, seat, rounds, temperatures)
