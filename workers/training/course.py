"""Trains a net: plays rounds, computes gradients, and updates weights with Adam."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

import numpy as np
from msgspec import structs

from workers.simulation.card_net import CasinoNet
from workers.simulation.dice import Policy
from workers.simulation.net import Floats, Net, NetInputs, Stakes, widths
from workers.simulation.weights import Made, write_weights
from workers.training.lesson import NAMES, Course, Lesson, make_lesson
from workers.training.rounds import (
    Dealer,
    Learner,
    Variant,
    be_sensible,
    judge,
    play_round,
    seat_pool,
)
from workers.training.royale import EDITION as ROYALE
from workers.training.royale import RoyaleCourse

# How much an error of the money counts beside an error of the chance to win.
MONEY = 0.1
_DECAYS = 0.9, 0.999


def draw_net(inputs: tuple[int, int, int], hidden: int, seed: int) -> Net:
    """Return a net with random weights, which has learned nothing yet; it has so many inputs of each kind."""
    random = np.random.Generator(np.random.PCG64(seed))
    place, hand, standing = inputs

    def layer(inputs: int, outputs: int) -> Floats:
        """Return random weights of one layer."""
        return random.normal(0, np.sqrt(1.0 / inputs), (inputs, outputs)).astype(np.float32)

    return Net(
        place=layer(place, hidden),
        hand=layer(hand, hidden),
        first=np.zeros(hidden, np.float32),
        sum=layer(hidden, hidden) / 2,
        standing=layer(standing, hidden),
        second=np.zeros(hidden, np.float32),
        out=layer(hidden, 2) / 2,
        last=np.zeros(2, np.float32),
    )


def gradient(net: Net, inputs: NetInputs, win: Floats, money: Floats) -> Net:
    """Return the gradient of the loss with respect to every weight.

    The loss is the cross entropy of the chance to win, and MONEY times the squared error of the money.
    """
    places, joined, hidden, value = net.layers(inputs)
    count = len(win)
    off = np.stack([1 / (1 + np.exp(-value[:, 0])) - win, MONEY * (value[:, 1] - money)], axis=1) / count
    off = off.astype(np.float32)
    back = (off @ net.out.T) * (hidden > 0)
    spread = (back @ net.sum.T)[:, None] * (places > 0)
    shared = spread.sum(axis=1)
    width = inputs.places.shape[2]
    return Net(
        place=inputs.places.reshape(-1, width).T @ spread.reshape(-1, spread.shape[2]),
        hand=inputs.hand.T @ shared,
        first=shared.sum(axis=0),
        sum=joined.T @ back,
        standing=inputs.standing.T @ back,
        second=back.sum(axis=0),
        out=hidden.T @ off,
        last=off.sum(axis=0),
    )


AnyNet = TypeVar("AnyNet", Net, CasinoNet)


class Adam(Generic[AnyNet]):
    """Updates a net by the Adam method, and keeps a moving average of its weights, which plays better."""

    def __init__(self, net: AnyNet, keep: float) -> None:
        self.net: AnyNet = net
        self.average: AnyNet = net
        self._keep = keep
        self._step = 0
        self._mean = {name: np.zeros_like(part) for name, part in structs.asdict(net).items()}
        self._square = {name: np.zeros_like(part) for name, part in structs.asdict(net).items()}

    def step(self, slope: AnyNet, rate: float) -> None:
        """Update the net by this gradient, and the average."""
        self._step += 1
        moved = {name: self._move(name, part, rate) for name, part in structs.asdict(slope).items()}
        self.net = type(self.net)(**moved)
        averaged = {
            name: self._keep * part + (1 - self._keep) * moved[name]
            for name, part in structs.asdict(self.average).items()
        }
        self.average = type(self.net)(**averaged)

    def _move(self, name: str, slope: Floats, rate: float) -> Floats:
        """Return the new weights of one part."""
        mean, square = _DECAYS
        self._mean[name] = mean * self._mean[name] + (1 - mean) * slope
        self._square[name] = square * self._square[name] + (1 - square) * slope**2
        fair = self._mean[name] / (1 - mean**self._step)
        size = np.sqrt(self._square[name] / (1 - square**self._step)) + 1e-8
        return (getattr(self.net, name) - rate * fair / size).astype(np.float32)


_NEUTRAL = ((), ("neutral_dice",))
_BANDIT = ((), ("bandit",))
# More batches than these brought nothing; with more players each batch takes longer.
VARIANTS = (
    Variant("classic", 2, 2_500, _NEUTRAL),
    Variant("classic", 3, 2_000, _NEUTRAL),
    Variant("classic", 4, 3_000, _NEUTRAL),
    Variant("classic", 5, 2_000),
    Variant("modern", 2, 2_500, _NEUTRAL),
    Variant("modern", 3, 2_000, _NEUTRAL),
    Variant("modern", 4, 2_500, _NEUTRAL),
    Variant("modern", 5, 2_000, _BANDIT),
    Variant("modern", 6, 1_500, _BANDIT),
    Variant("royale", 2, 800),
    Variant("royale", 3, 400),
    Variant("royale", 4, 2_400),
    Variant("royale", 5, 300),
)

SEED = 1
LANES = 400
# 64 hidden units won 4 games in 100 more than 32, with four players.
HIDDEN = 64
SAMPLE = 512
# The learning rate and the randomness of play, at the beginning and at the end of training.
RATE = 2e-3
LEAST_RATE = 1e-4
WHIM = 0.6
LEAST_WHIM = 0.08
# How much of the moving average of weights is kept with every step.
KEPT = 0.999
# In one of so many batches some seats play by a policy of the pool.
POOLED = 3
# How often the average is tried against the pool; only the second half counts.
TRIALS = 8
TRIED_ROUNDS = 1_500
DEALT = 1_500


class DiceCourse:
    """Gives the lessons of editions in which a turn is a roll and a placement."""

    def __init__(self, variant: Variant) -> None:
        self._variant = variant
        self._dealer = Dealer(variant, SEED, DEALT)
        self.inputs = widths(variant.players)

    def take_lesson(self, net: Net, whim: float, batch: int) -> Lesson:
        """Return what can be learned from a batch of rounds that the net plays."""
        return take_lesson(net, self._dealer, whim, batch)

    def share_won(self, net: Net) -> float:
        """Return what the net wins alone against the pool."""
        return share_won(net, self._variant)


# The editions with a course of their own.
COURSES: Mapping[str, Callable[[Variant], Course]] = {
    ROYALE: lambda variant: RoyaleCourse(variant.players, SEED, LANES)
}


def open_course(variant: Variant) -> Course:
    """Return the course for this variant."""
    return COURSES.get(variant.edition, DiceCourse)(variant)


def train(variant: Variant) -> str:
    """Train the net of this variant and write its weights; return a line that says so."""
    begun = time.monotonic()
    net, share = _learn(variant)
    file = write_weights(net, _describe_training(variant, share))
    return f"wrote {file} after {time.monotonic() - begun:.0f} s"


def _describe_training(variant: Variant, share: float) -> Made:
    """Return how the weights were made."""
    return Made(
        edition=variant.edition,
        players=variant.players,
        options=variant.options,
        seed=SEED,
        batches=variant.batches,
        lanes=LANES,
        hidden=HIDDEN,
        share=round(share, 4),
        numpy=np.__version__,
    )


def _learn(variant: Variant) -> tuple[Net, float]:
    """Return the best net found in training, and what it won against the pool."""
    course = open_course(variant)
    adam = Adam(draw_net(course.inputs, HIDDEN, SEED), KEPT)
    best = adam.average
    most = 0.0
    batches = variant.batches
    for batch in range(batches):
        done = batch / batches
        lesson = course.take_lesson(adam.net, WHIM * (1 - done) ** 2 + LEAST_WHIM, batch)
        study(adam, lesson, RATE * (1 - done) + LEAST_RATE, batch)
        if (batch + 1) % (batches // TRIALS) == 0:
            share = course.share_won(adam.average)
            print(
                f"{variant.name}: {batch + 1} of {batches} batches, {share:.1%}", file=sys.stderr, flush=True
            )
            if done > 1 / 2 and share > most:
                best = adam.average
                most = share
    return best, most


def take_lesson(net: Net, dealer: Dealer, whim: float, batch: int, lanes: int = LANES) -> Lesson:
    """Play a batch of rounds with the net and return what can be learned from them."""
    table, stakes = dealer.lay(lanes)
    learner = Learner(net, stakes, whim)
    play_round(table, _choose_policies(learner, table.players, stakes, batch), dealer.luck())
    dealer.remember(table.won())
    return make_lesson(learner.seen, judge(table, stakes), table.won())


def _choose_policies(learner: Learner, players: int, stakes: Stakes, batch: int) -> list[Policy]:
    """Return a policy for each seat: mostly the learner, in one of POOLED batches also some of the pool."""
    turn, by_itself = divmod(batch, POOLED)
    return [learner.choose] * players if by_itself else seat_pool(learner.choose, stakes, players, turn)


def study(adam: Adam[Net], lesson: Lesson, rate: float, batch: int) -> None:
    """Update the net with the lesson, in random samples of SAMPLE rows."""
    order = np.random.Generator(np.random.PCG64(batch)).permutation(len(lesson.win))
    for first in range(0, len(order), SAMPLE):
        rows = order[first : first + SAMPLE]
        inputs = NetInputs(*(getattr(lesson.inputs, name)[rows] for name in NAMES))
        adam.step(gradient(adam.net, inputs, lesson.win[rows], lesson.money[rows]), rate)


def share_won(net: Net, variant: Variant, rounds: int = TRIED_ROUNDS) -> float:
    """Return what the net wins alone against the pool, as the mean over all seats of the same rounds.

    The sets of options have equal parts of the rounds.
    """
    dealer = Dealer(variant, SEED + 1, rounds // 3)
    shares = list[Floats]()
    for seat in range(variant.players):
        dealer.restart()
        shares += [_share(net, dealer, seat, rounds // len(variant.options)) for _ in variant.options]
    return float(np.mean(shares))


def _share(net: Net, dealer: Dealer, seat: int, rounds: int) -> Floats:
    """Return what the net wins from this seat."""
    lanes, stakes = dealer.lay(rounds)
    policies = [be_sensible(stakes)] * lanes.players
    policies[seat] = Learner(net, stakes).choose
    play_round(lanes, policies, dealer.luck())
    return judge(lanes, stakes)[:, seat].mean()
