"""What was learned, and how one learns it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from rules.editions import EDITIONS
from workers.simulation import card_net
from workers.simulation.card_net import CardPlayer, CasinoNet, count_inputs
from workers.simulation.cards import EDITION
from workers.simulation.dice import CLAIMED, to_chances
from workers.simulation.net import Floats, Net, NetInputs
from workers.simulation.weights import (
    FOLDER,
    GRAIN,
    UnusableWeights,
    load_net,
    read_weights,
    unpack,
    unpack_casino_net,
    widths,
    write_weights,
)
from workers.simulation.winning import WHOLE
from workers.training import card_course
from workers.training.card_course import CardLearner, Moods, deal_round, draw_casino_net, play_round, teach
from workers.training.course import VARIANTS, Adam, draw_net, gradient, share_won, study, take_lesson
from workers.training.rounds import Dealer, Variant
from workers.training.royale import EDITION as ROYALE
from workers.training.royale import RoyaleCourse

CARD_FILES = sorted(FOLDER.glob("cards-*.json"))
FILES = sorted(set(FOLDER.glob("*.json")) - set(CARD_FILES))
each_card_file = pytest.mark.parametrize("file", CARD_FILES, ids=lambda file: file.stem)
SMALL = Variant("classic", 2, 12)
INPUTS = widths("classic", 2)


def some_sights(inputs: tuple[int, int, int], count: int, seed: int = 1) -> NetInputs:
    random, (place, hand, standing) = np.random.Generator(np.random.PCG64(seed)), inputs
    shapes = (count, 6, place), (count, hand), (count, standing)
    return NetInputs(*((random.integers(-64, 128, shape) / 64).astype(np.float32) for shape in shapes))


def tables_of(editions: Iterable[str]) -> set[str]:
    seats = {edition: EDITIONS.newest[edition].seats for edition in editions}
    return {
        f"{edition}-{players}"
        for edition, (fewest, most) in seats.items()
        for players in range(fewest, most + 1)
    }


def test_there_are_weights_for_every_table_that_is_claimed() -> None:
    named = {variant.name for variant in VARIANTS}
    assert {file.stem for file in FILES} == tables_of((*CLAIMED, ROYALE)) == named
    of_cards = {variant.name for variant in card_course.VARIANTS}
    assert {file.stem for file in CARD_FILES} == tables_of([EDITION]) == of_cards


@each_card_file
def test_weights_of_cards_fit_the_build_and_say_what_made_them(file: Path) -> None:
    learned = read_weights(file)
    made = learned.made
    net = unpack_casino_net(learned)
    assert file.stem == f"{made.edition}-{made.players}"
    assert card_course.CardVariant(made.players, made.batches) in card_course.VARIANTS
    assert net.first.shape == (count_inputs(made.players), made.hidden)
    assert made.share > 1.4 / made.players
    assert file.stat().st_size < 32_000


@each_card_file
def test_what_a_net_of_cards_says_does_not_depend_on_who_adds_up(file: Path) -> None:
    """Whole numbers of any size come to the same as sums in 32 bits, in any order."""
    learned = read_weights(file)
    players = learned.made.players
    net = unpack_casino_net(learned)
    player = CardPlayer(net, players)
    random = np.random.Generator(np.random.PCG64(players))
    dealt = deal_round(players, 50, random)
    learner = CardLearner(net, players, Moods(whim=8, thrift=0, unsure=8), random)
    play_round(dealt, [learner.choose] * players)
    inputs = np.concatenate([seen.inputs for seen in learner.seen])
    first, shift, out = (
        (part * card_net.CARD_GRAIN).astype(np.int64) for part in (net.first, net.shift, player.out)
    )
    whole = np.maximum((inputs * 8).astype(np.int64) @ first + 8 * shift, 0)
    assert (np.abs(whole) @ np.abs(out)).max() < 1 << 24
    assert ((whole @ out) / (8 * card_net.CARD_GRAIN**2) == net.layers(inputs)[0] @ player.out).all()


def test_weights_of_cards_for_other_inputs_are_refused(tmp_path: Path) -> None:
    made = structs.replace(read_weights(CARD_FILES[0]).made, players=4)
    file = write_weights(draw_casino_net(3, 8, 1), made, tmp_path)
    with pytest.raises(UnusableWeights, match="4 players"):
        unpack_casino_net(read_weights(file))


def test_gradients_of_cards_are_those_of_the_loss() -> None:
    random = np.random.Generator(np.random.PCG64(1))
    net = CasinoNet(
        **{name: part.astype(float) for name, part in structs.asdict(draw_casino_net(2, 4, 1)).items()}
    )
    inputs = random.random((30, count_inputs(2)))
    pay = random.random((30, 2))
    slope = card_course.gradient(net, inputs, pay)

    def loss(net: CasinoNet) -> float:
        return float(((net.layers(inputs)[1] - pay) ** 2).sum() / 2 / len(pay))

    for name, part in structs.asdict(net).items():
        step = np.zeros_like(part)
        step.flat[0] = 1e-5
        higher, lower = (loss(structs.replace(net, **{name: part + sign * step})) for sign in (1, -1))
        assert getattr(slope, name).flat[0] == pytest.approx((higher - lower) / 2e-5, rel=1e-3, abs=1e-5)


def learn_cards(batches: int) -> CasinoNet:
    random = np.random.Generator(np.random.PCG64(1))
    adam = Adam(draw_casino_net(2, 16, 1), keep=0.5)
    for batch in range(batches):
        teach(adam, 2, Moods(whim=30, thrift=20, unsure=20), batch, random, rate=5e-3, lanes=200)
    return adam.average


def test_the_same_lessons_of_cards_teach_the_same() -> None:
    first, again = learn_cards(2), learn_cards(2)
    assert all((part == getattr(again, name)).all() for name, part in structs.asdict(first).items())


@pytest.mark.long
def test_a_few_lessons_make_a_net_of_cards_stronger() -> None:
    before, after = (card_course.share_won(learn_cards(batches), 2, rounds=600) for batches in (0, 30))
    assert after > before + 0.02


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_weights_fit_the_build_and_say_what_made_them(file: Path) -> None:
    learned = read_weights(file)
    made, net = learned.made, unpack(learned)
    assert file.stem == f"{made.edition}-{made.players}"
    assert Variant(made.edition, made.players, made.batches, made.options) in VARIANTS
    assert net.place.shape == (widths(made.edition, made.players)[0], made.hidden)
    assert made.share > 1 / made.players
    assert file.stat().st_size < 32_000


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_the_net_says_does_not_depend_on_who_adds_up(file: Path) -> None:
    """In whole numbers of any size it comes to the same."""
    learned = read_weights(file)
    net, inputs = unpack(learned), some_sights(widths(learned.made.edition, learned.made.players), 20)
    exact = Net(**{name: (part * GRAIN).astype(object) for name, part in structs.asdict(net).items()})
    units = [(getattr(inputs, name) * 64).astype(object) for name in NetInputs.__struct_fields__]
    first = np.maximum(units[0] @ exact.place + (units[1] @ exact.hand + 64 * exact.first)[:, None], 0)
    second = first.sum(axis=1) @ exact.sum + GRAIN * (units[2] @ exact.standing + 64 * exact.second)
    value = np.maximum(second, 0) @ exact.out + 64 * GRAIN**2 * exact.last
    assert (net.value(inputs) == (value / (64 * GRAIN**3)).astype(float)).all()


def test_weights_for_other_inputs_are_refused(tmp_path: Path) -> None:
    made = structs.replace(read_weights(FILES[0]).made, players=4)
    file = write_weights(draw_net(widths("classic", 3), 8, 1), made, tmp_path)
    with pytest.raises(UnusableWeights, match="4 players"):
        unpack(read_weights(file))


def test_nothing_is_loaded_where_nothing_was_learned() -> None:
    assert load_net("chess", 2) is None


def test_chances_grow_with_the_odds() -> None:
    chances = to_chances(np.linspace(-20, 20, 401))
    assert (np.diff(chances) >= 0).all()
    assert 0 <= chances[0] < WHOLE // 1000
    assert chances[200] == WHOLE // 2


def test_gradients_are_those_of_the_loss() -> None:
    """Each part is moved a little, and the loss follows."""
    net, inputs = draw_net(INPUTS, 4, 1), some_sights(INPUTS, 30)
    win, money = np.linspace(0, 1, 30), np.linspace(0, 3, 30)
    exact = Net(**{name: part.astype(np.float64) for name, part in structs.asdict(net).items()})
    slope = gradient(exact, inputs, win, money)
    for name, part in structs.asdict(exact).items():
        step = np.zeros_like(part)
        step.flat[0] = 1e-5
        higher, lower = (
            loss(structs.replace(exact, **{name: part + sign * step}), inputs, win, money) for sign in (1, -1)
        )
        assert getattr(slope, name).flat[0] == pytest.approx((higher - lower) / 2e-5, rel=1e-3, abs=1e-5)


def loss(net: Net, inputs: NetInputs, win: Floats, money: Floats) -> float:
    odds, guess = net.value(inputs).T
    chance = 1 / (1 + np.exp(-odds))
    missed = -(win * np.log(chance) + (1 - win) * np.log(1 - chance)) + 0.05 * (guess - money) ** 2
    return float(missed.mean())


def learn(batches: int) -> Net:
    dealer, adam = Dealer(SMALL, 1, 30), Adam(draw_net(INPUTS, 16, 1), keep=0.5)
    for batch in range(batches):
        study(adam, take_lesson(adam.net, dealer, 0.3, batch, lanes=300), 5e-3, batch)
    return adam.average


def test_the_same_lessons_teach_the_same() -> None:
    first, again = learn(1), learn(1)
    assert all((part == getattr(again, name)).all() for name, part in structs.asdict(first).items())


def learn_royale(batches: int) -> tuple[Net, float]:
    course = RoyaleCourse(2, seed=1, lanes=200, dealt=30)
    adam = Adam(draw_net(course.inputs, 16, 1), keep=0.5)
    for batch in range(batches):
        study(adam, course.take_lesson(adam.net, 0.3, batch), 5e-3, batch)
    return adam.average, course.share_won(adam.average)


def test_the_same_lessons_of_royale_teach_the_same() -> None:
    (first, _), (again, _) = learn_royale(1), learn_royale(1)
    assert all((part == getattr(again, name)).all() for name, part in structs.asdict(first).items())


@pytest.mark.long
def test_a_few_lessons_make_a_net_of_royale_stronger() -> None:
    (_, before), (_, after) = learn_royale(0), learn_royale(12)
    assert after > before + 0.02


@pytest.mark.long
def test_a_few_lessons_make_a_net_stronger() -> None:
    before, after = (share_won(learn(batches), SMALL, rounds=300) for batches in (0, SMALL.batches))
    assert after > before + 0.02


def test_only_nets_that_there_are_can_be_trained() -> None:
    """In a process of its own, as `make train` starts it: there nothing of ours was imported before."""
    command = [sys.executable, "-m", "workers.training", "chess-2"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("no net is called chess-2; there are classic-2")
