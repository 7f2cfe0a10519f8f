"""Trains the nets of the card game: plays rounds in lanes, and learns what casinos pay after a selection."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
from msgspec import Struct

from rules import EDITIONS
from workers.simulation.card_lanes import (
    CASINOS,
    HAND,
    MOST_TURNS,
    OWN,
    SELF,
    CardCounts,
    CardLanes,
    Hand,
    Selection,
    index_sets,
    winners,
)
from workers.simulation.card_net import (
    MONEY_UNIT,
    CardPlayer,
    CasinoNet,
    Floats,
    Indices,
    Mood,
    Outlook,
    compute_inputs,
    count_inputs,
    round_weights,
)
from workers.simulation.cards import (
    COLOURS,
    EDITION,
    PATIENT,
    SWAY,
    count_stocks,
    list_decks,
    select,
    sort_hands,
)
from workers.simulation.weights import Made, write_weights
from workers.simulation.winning import THOUSAND
from workers.training.course import Adam


class CardVariant(Struct, frozen=True):
    """Describes what one net is for: a number of players. It is trained with so many `batches`."""

    players: int
    batches: int

    @property
    def name(self) -> str:
        """Return the name, as in the name of the file of weights."""
        return f"{EDITION}-{self.players}"


# More batches than these brought little.
VARIANTS = (CardVariant(2, 1_200), CardVariant(3, 700), CardVariant(4, 1_000), CardVariant(5, 500))

SEED = 1
LANES = 600
# With two players, 16 hidden units learned far less than 32.
HIDDEN = 32
SAMPLE = 4_096
SAMPLES = 8
# The learning rate at the beginning and at the end of training.
RATE = 4e-3
LEAST_RATE = 2e-4
# The randomness of play at the beginning and at the end, in thousands: of casinos, and of a card kept.
WHIM = 60
LEAST_WHIM = 8
UNSURE = 30
LEAST_UNSURE = 4
# At the beginning a card laid costs so many thousands. Else no seat learns what the last word in a round is
# worth: all lay their cards too soon to see it.
THRIFT = 20
# How much of the moving average of weights is kept with every step.
KEPT = 0.999
# In one of so many batches, and in the FIRST ones, every other seat is patient.
POOLED = 4
FIRST = 10
# In one of so many batches seats select one after the other.
SEQUENTIAL = 3
TRIALS = 8
TRIED_ROUNDS = 3_000


class CardRound(Struct, frozen=True):
    """Holds dealt rounds: the table, the hands of each seat, and the stocks that come after each hand."""

    table: CardLanes
    cards: list[list[Hand]]
    stocks: list[list[CardCounts]]


def deal_round(players: int, lanes: int, random: np.random.Generator) -> CardRound:
    """Return new rounds to learn from, one in each lane, as the rules deal them."""
    notes = random.permuted(np.tile(np.array(EDITIONS.newest[EDITION].notes) // THOUSAND, (lanes, 1)), axis=1)
    pairs = np.sort(notes[:, : 2 * CASINOS].reshape(lanes, CASINOS, 2))[:, :, ::-1].astype(np.int16)
    shuffled = [random.permuted(np.tile(deck, (lanes, 1)), axis=1) for deck in list_decks(players)]
    hands = [sort_hands(deck.reshape(lanes, MOST_TURNS, HAND)) for deck in shuffled]
    table = CardLanes(
        dice=np.zeros((lanes, players, CASINOS), np.int16),
        laid=np.zeros((lanes, players), np.int16),
        notes=pairs,
        lying=np.zeros((lanes, CASINOS, len(COLOURS)), np.int16),
        owned=np.zeros((lanes, players, len(COLOURS)), np.int16),
    )
    return CardRound(table, hands, [count_stocks(own) for own in hands])


# Selects for a seat, which sees the table, from its hand, with this outlook.
CardPolicy = Callable[[CardLanes, int, Hand, Outlook], Selection]


def play_round(dealt: CardRound, policies: list[CardPolicy], in_turn: bool = False) -> None:
    """Play the rounds to their ends, with one policy for each seat."""
    players = len(policies)
    for turn in range(MOST_TURNS):
        selected = list[Selection]()
        for seat, policy in enumerate(policies):
            late = [other > seat if in_turn else other != seat for other in range(players)]
            to_come = tuple(MOST_TURNS - 1 - turn + still for still in late)
            outlook = Outlook(to_come, dealt.stocks[seat][turn])
            selected.append(policy(dealt.table, seat, dealt.cards[seat][turn], outlook))
            if in_turn:
                dealt.table.lay(seat, selected[seat].dice, selected[seat].cards)
        if not in_turn:
            for seat, selection in enumerate(selected):
                dealt.table.lay(seat, selection.dice, selection.cards)


def pay_casinos(table: CardLanes) -> Floats:
    """Return what each casino pays each seat, in units of the net's money, by lane, seat and casino."""
    seats = range(table.dice.shape[1])
    taken = [winners()[index_sets(table.dice, seat)] == SELF for seat in seats]
    return np.stack([(mine * table.notes).sum(axis=2) / MONEY_UNIT for mine in taken], axis=1)


def be_patient(random: np.random.Generator) -> CardPolicy:
    """Return the policy of the simple rule that keeps a card for each turn to come."""

    def choose(lanes: CardLanes, seat: int, hand: Hand, outlook: Outlook) -> Selection:
        mood = random.integers(0, OWN * SWAY, (len(lanes.dice), CASINOS), np.int16)
        return select(lanes, seat, hand, outlook.turns[seat], mood, style=PATIENT)

    return choose


class Moods(Struct, frozen=True):
    """Says how randomly a learner plays, in thousands: at casinos, and whether it keeps a card."""

    whim: float
    thrift: float
    unsure: float


class SeenCasinos(Struct, frozen=True):
    """Holds the inputs that one seat had right after a selection, and their lanes: a row for each casino."""

    seat: int
    lanes: Indices
    inputs: Floats


class CardLearner:
    """Plays by a net with some randomness, and keeps the inputs of what it selected."""

    def __init__(self, net: CasinoNet, players: int, moods: Moods, random: np.random.Generator) -> None:
        self._player = CardPlayer(net, players)
        self._moods = moods
        self._random = random
        self.seen = list[SeenCasinos]()

    def choose(self, lanes: CardLanes, seat: int, hand: Hand, outlook: Outlook) -> Selection:
        """Return the selection of the seat, and keep its inputs."""
        selection = self._player.select(lanes, seat, hand, outlook, self._draw_mood(len(lanes.dice)))
        rows = np.flatnonzero(lanes.plays_on(seat))
        self.seen.append(SeenCasinos(seat, rows, compute_inputs(lanes, seat, selection, outlook, rows)))
        return selection

    def _draw_mood(self, lanes: int) -> Mood:
        """Return a random mood."""
        casinos = self._random.random((lanes, CASINOS), np.float32) * self._moods.whim
        sway = (2 * self._random.random(lanes, np.float32) - 1) * self._moods.unsure
        return Mood(casinos / MONEY_UNIT, (sway + self._moods.thrift) / MONEY_UNIT)


def train(variant: CardVariant) -> str:
    """Train the net of this variant and write its weights; return a line that says so."""
    begun = time.monotonic()
    net = _learn(variant)
    made = Made(
        edition=EDITION,
        players=variant.players,
        options=((), ("sequential",)),
        seed=SEED,
        batches=variant.batches,
        lanes=LANES,
        hidden=HIDDEN,
        share=round(share_won(net, variant.players), 4),
        numpy=np.__version__,
    )
    file = write_weights(net, made)
    return f"wrote {file} after {time.monotonic() - begun:.0f} s"


def _learn(variant: CardVariant) -> CasinoNet:
    """Return the net at the end of training, in whole grains."""
    random = np.random.Generator(np.random.PCG64(SEED))
    adam = Adam(draw_casino_net(variant.players, HIDDEN, SEED), KEPT)
    for batch in range(variant.batches):
        left = 1 - batch / variant.batches
        moods = Moods(WHIM * left**2 + LEAST_WHIM, THRIFT * left, UNSURE * left + LEAST_UNSURE)
        teach(adam, variant.players, moods, batch, random, rate=RATE * left + LEAST_RATE)
        if (batch + 1) % (variant.batches // TRIALS) == 0:
            share = share_won(adam.average, variant.players)
            told = f"{variant.name}: {batch + 1} of {variant.batches} batches, {share:.1%}"
            print(told, file=sys.stderr, flush=True)
    average = adam.average
    return CasinoNet(
        first=round_weights(average.first),
        shift=round_weights(average.shift),
        out=round_weights(average.out),
        last=round_weights(average.last),
    )


def draw_casino_net(players: int, hidden: int, seed: int) -> CasinoNet:
    """Return a net with random weights, which has learned nothing yet."""
    random = np.random.Generator(np.random.PCG64(seed))
    return CasinoNet(
        first=random.normal(0, 0.25, (count_inputs(players), hidden)).astype(np.float32),
        shift=np.zeros(hidden, np.float32),
        out=random.normal(0, np.sqrt(1.0 / hidden), (hidden, 2)).astype(np.float32),
        last=np.full(2, 0.5, np.float32),
    )


def teach(
    adam: Adam[CasinoNet],
    players: int,
    moods: Moods,
    batch: int,
    random: np.random.Generator,
    rate: float,
    lanes: int = LANES,
) -> None:
    """Play a batch of rounds, and update the net with some of what was seen in them."""
    dealt = deal_round(players, lanes, random)
    learner = CardLearner(adam.net, players, moods, random)
    play_round(dealt, _seat_policies(learner, players, batch, random), batch % SEQUENTIAL == 0)
    paid = pay_casinos(dealt.table)
    inputs = np.concatenate([one.inputs for one in learner.seen])
    own = np.concatenate([paid[one.lanes, one.seat].ravel() for one in learner.seen])
    everyone = np.concatenate([paid[one.lanes].sum(axis=1).ravel() for one in learner.seen])
    pay = np.stack([own, everyone - own], axis=1).astype(np.float32)
    order = random.permutation(len(pay))
    for first in range(0, SAMPLES * SAMPLE, SAMPLE):
        rows = order[first : first + SAMPLE]
        if len(rows):
            adam.step(gradient(adam.net, inputs[rows], pay[rows]), rate)


def _seat_policies(
    learner: CardLearner, players: int, batch: int, random: np.random.Generator
) -> list[CardPolicy]:
    """Return a policy for each seat: mostly the learner, in some batches every other seat is patient."""
    if batch >= FIRST and batch % POOLED:
        return [learner.choose] * players
    patient = be_patient(random)
    return [patient if (seat + batch // POOLED) % 2 else learner.choose for seat in range(players)]


def gradient(net: CasinoNet, inputs: Floats, pay: Floats) -> CasinoNet:
    """Return the gradient of half the squared error with respect to every weight."""
    hidden, found = net.layers(inputs)
    off = (found - pay) / len(pay)
    back = (off @ net.out.T) * (hidden > 0)
    return CasinoNet(first=inputs.T @ back, shift=back.sum(axis=0), out=hidden.T @ off, last=off.sum(axis=0))


def share_won(net: CasinoNet, players: int, rounds: int = TRIED_ROUNDS) -> float:
    """Return what the net wins alone among patient seats, of single rounds, as the mean over all seats."""
    random = np.random.Generator(np.random.PCG64(SEED + 1))
    calm = Moods(0, 0, 0)
    found = list[float]()
    for seat in range(players):
        dealt = deal_round(players, rounds // players, random)
        policies = [be_patient(random)] * players
        policies[seat] = CardLearner(net, players, calm, random).choose
        play_round(dealt, policies)
        won, _ = dealt.table.pay_out()
        best = won == won.max(axis=1, keepdims=True)
        found.append(float((best[:, seat] / best.sum(axis=1)).mean()))
    return sum(found) / players
