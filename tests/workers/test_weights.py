"""What was learned, and how one learns it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from rules.editions import EDITIONS
from workers.simulation.dice import CLAIMED, to_chances
from workers.simulation.net import Floats, Net, NetInputs, widths
from workers.simulation.weights import (
    FOLDER,
    GRAIN,
    UnusableWeights,
    load_net,
    read_weights,
    unpack,
    write_weights,
)
from workers.simulation.winning import WHOLE
from workers.training.__main__ import main
from workers.training.course import VARIANTS, Adam, draw_net, gradient, share_won, study, take_lesson
from workers.training.rounds import Dealer, Variant

FILES = sorted(FOLDER.glob("*.json"))
SMALL = Variant("classic", 2, 12)


def some_sights(players: int, count: int, seed: int = 1) -> NetInputs:
    random, (place, hand, standing) = np.random.Generator(np.random.PCG64(seed)), widths(players)
    shapes = (count, 6, place), (count, hand), (count, standing)
    return NetInputs(*((random.integers(-64, 128, shape) / 64).astype(np.float32) for shape in shapes))


def test_there_are_weights_for_every_table_that_is_claimed() -> None:
    tables = {
        f"{edition}-{players}"
        for edition in CLAIMED
        for players in range(EDITIONS.newest[edition].seats[0], EDITIONS.newest[edition].seats[1] + 1)
    }
    assert {file.stem for file in FILES} == tables == {variant.name for variant in VARIANTS}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_weights_fit_the_build_and_say_what_made_them(file: Path) -> None:
    learned = read_weights(file)
    made, net = learned.made, unpack(learned)
    assert file.stem == f"{made.edition}-{made.players}"
    assert Variant(made.edition, made.players, made.batches, made.options) in VARIANTS
    assert net.place.shape == (widths(made.players)[0], made.hidden)
    assert made.share > 1 / made.players
    assert file.stat().st_size < 32_000


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_the_net_says_does_not_depend_on_who_adds_up(file: Path) -> None:
    """In whole numbers of any size it comes to the same."""
    learned = read_weights(file)
    net, inputs = unpack(learned), some_sights(learned.made.players, 20)
    exact = Net(**{name: (part * GRAIN).astype(object) for name, part in structs.asdict(net).items()})
    units = [(getattr(inputs, name) * 64).astype(object) for name in NetInputs.__struct_fields__]
    first = np.maximum(units[0] @ exact.place + (units[1] @ exact.hand + 64 * exact.first)[:, None], 0)
    second = first.sum(axis=1) @ exact.sum + GRAIN * (units[2] @ exact.standing + 64 * exact.second)
    value = np.maximum(second, 0) @ exact.out + 64 * GRAIN**2 * exact.last
    assert (net.value(inputs) == (value / (64 * GRAIN**3)).astype(float)).all()


def test_weights_for_other_inputs_are_refused(tmp_path: Path) -> None:
    made = structs.replace(read_weights(FILES[0]).made, players=4)
    file = write_weights(draw_net(3, 8, 1), made, tmp_path)
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
    net, inputs = draw_net(2, 4, 1), some_sights(2, 30)
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
    dealer, adam = Dealer(SMALL, 1, 30), Adam(draw_net(2, 16, 1), keep=0.5)
    for batch in range(batches):
        study(adam, take_lesson(adam.net, dealer, 0.3, batch, lanes=300), 5e-3, batch)
    return adam.average


def test_the_same_lessons_teach_the_same() -> None:
    first, again = learn(1), learn(1)
    assert all((part == getattr(again, name)).all() for name, part in structs.asdict(first).items())


@pytest.mark.long
def test_a_few_lessons_make_a_net_stronger() -> None:
    before, after = (share_won(learn(batches), SMALL, rounds=300) for batches in (0, SMALL.batches))
    assert after > before + 0.02


def test_only_nets_that_there_are_can_be_trained() -> None:
    with pytest.raises(SystemExit, match="no net is called chess-2; there are classic-2"):
        main(["chess-2"])
