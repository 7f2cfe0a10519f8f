"""Every edition is an environment that PettingZoo's own tests accept."""

from __future__ import annotations

import warnings

import numpy
import pytest
from pettingzoo.test import api_test

from rules.ruleset import Options
from tests.support.bots import TABLES
from workers.gym import ACTIONS, TableEnv, make_env, number_options


def play(env: TableEnv, seed: int) -> list[float]:
    """To the end, with any legal action; what everybody won."""
    env.reset(seed=seed)
    chance, won = numpy.random.default_rng(seed), dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        seen, reward, over, _, info = env.last()
        won[agent] += reward
        legal = numpy.flatnonzero(seen["action_mask"])
        assert set(legal) == set(info["options"])
        env.step(None if over else int(chance.choice(legal)))
    return list(won.values())


@pytest.mark.parametrize(("edition", "options", "players"), TABLES)
def test_pettingzoo_accepts_it(edition: str, options: Options, players: int) -> None:
    with warnings.catch_warnings():
        # It warns of what it cannot judge, such as seats that are asked several times in a row.
        warnings.simplefilter("ignore")
        api_test(make_env(edition, players, **options), num_cycles=60)


@pytest.mark.parametrize(("edition", "players"), [("classic", 3), ("cards", 2)])
def test_somebody_wins_and_equal_seeds_give_equal_games(edition: str, players: int) -> None:
    env = make_env(edition, players)
    first = play(env, 1)
    assert sum(first) == pytest.approx(1)
    assert play(make_env(edition, players), 1) == first


def test_what_is_not_legal_is_refused() -> None:
    env = make_env()
    env.reset(seed=1)
    legal = env.observe(env.agent_selection)["action_mask"]
    with pytest.raises(ValueError, match="none of the legal actions"):
        env.step(int(numpy.flatnonzero(legal == 0)[0]))


def test_an_agent_that_is_not_asked_has_nothing_to_do() -> None:
    env = make_env()
    env.reset(seed=1)
    others = [agent for agent in env.agents if agent != env.agent_selection]
    assert not any(env.observe(agent)["action_mask"].any() for agent in others)


def test_common_choices_have_numbers_of_their_own() -> None:
    numbered = number_options(("place-3", "bandit-6", "pass", "keep", "bet-high"))
    assert numbered == {2: "place-3", 11: "bandit-6", 12: "pass", 13: "keep", 14: "bet-high"}
    assert max(number_options(tuple(f"play-{n}" for n in range(200)))) == ACTIONS - 1
