"""Paths: many options, asked for in steps of six answers at most."""

from __future__ import annotations

from events.commands import Create
from events.types import OptionValue
from events.values import SeatPlan
from rules.decide import run_command
from rules.legal import legal
from rules.paths import join_lone_steps
from rules.prompt import Option, Path, PathStep, Target
from rules.state import EMPTY
from service.languages.catalogue import LANGUAGES
from tests.support.game_loop import NAMES, SeededChance
from tests.support.laws import check_paths


def first_options(
    edition: str, options: dict[str, OptionValue], players: int, seed: int
) -> tuple[Option, ...]:
    seats = tuple(SeatPlan(name) for name in NAMES[:players])
    create = Create("g_1", edition, seats, "c0" * 32, {"start_seat": 0, **options})
    return legal(run_command(EMPTY, create, SeededChance(seed)).state, 0)


def labels(option: Option, language: str = "en") -> list[str]:
    path = option.path
    assert isinstance(path, tuple)
    return [LANGUAGES[language].put(step.label) for step in path]


def steps(*labels: str) -> Path:
    return tuple(PathStep(None, label) for label in labels)


def seed_with_many(edition: str, options: dict[str, OptionValue], players: int) -> tuple[Option, ...]:
    """The options of the first turn that rolls all six numbers."""
    return next(
        found for seed in range(200) if len(found := first_options(edition, options, players, seed)) > 6
    )


def test_six_options_have_no_path() -> None:
    options = next(found for seed in range(200) if len(found := first_options("classic", {}, 2, seed)) == 6)
    assert all(not isinstance(option.path, tuple) for option in options)


def test_royale_asks_whether_dice_are_placed_before_it_asks_where() -> None:
    options = seed_with_many("royale", {"tiles": 0}, 3)
    check_paths(options)
    assert labels(options[-1]) == ["Pay one chip and keep all your dice"]
    first, second = labels(options[5])
    assert first == "Place dice"
    assert second.startswith("Sunset (6): ")


def test_with_the_bandit_the_number_comes_first() -> None:
    options = seed_with_many("modern", {"bandit": True}, 5)
    check_paths(options)
    at_bandit = next(option for option in options if option.choice == "bandit-1")
    assert labels(at_bandit)[-1] == "One-armed bandit"
    assert labels(at_bandit, "de")[-1] == "Einarmiger Bandit"
    placed = next(option for option in options if option.choice == "place-1")
    assert labels(placed)[0] == labels(at_bandit)[0]


def test_cards_are_taken_one_by_one() -> None:
    options = first_options("cards", {"sequential": True}, 2, 3)
    check_paths(options)
    pair = next(option for option in options if isinstance(option.targets, tuple))
    assert isinstance(pair.path, tuple)
    assert [step.target for step in pair.path][:2] == list(pair.targets)[:2]  # type: ignore[arg-type]


def test_a_question_with_one_answer_is_joined_to_the_one_before() -> None:
    paths = [steps("a", "x"), steps("b", "y"), steps("b", "z")]
    assert join_lone_steps(paths) == [steps("a: x"), steps("b", "y"), steps("b", "z")]


def test_a_joined_step_keeps_the_thing_to_tap() -> None:
    card = PathStep(Target(card="6"), "Take the 6")
    (joined,), _ = join_lone_steps([(card, PathStep(None, "Play this card alone")), steps("other")])
    assert joined.target == Target(card="6")
