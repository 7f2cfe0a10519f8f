"""Plays a game with dice from a seed, and tells it from the first line to the last."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from random import Random
from textwrap import fill

from msgspec import Struct

from events.commands import Choose, Create
from events.values import SeatPlan
from rules.choice import read_choice
from rules.editions import EDITIONS
from rules.legal import choices
from rules.releases import Editions
from rules.state import State, view
from service.fairness.dice import SEED_BYTES, FairDice, commitment
from tests.playthroughs.lines import SEED_LINE, Lines
from tests.playthroughs.plays import Play
from tests.support.game_loop import Answer, Move, play_commands
from workers.bots import BOTS

ANSWERS = "Answers, by seat: "
WIDTH = 110


class Story(Struct, frozen=True):
    text: str
    asked: frozenset[str]


def play_story(play: Play, seed: int, players: Answer, editions: Editions = EDITIONS) -> Iterator[Move]:
    """A whole game; seats are named by their number, as the lines name them."""
    secret = seed.to_bytes(SEED_BYTES, "big")
    seats = tuple(SeatPlan(name=f"seat {seat}") for seat in range(play.players))
    dice = FairDice(secret, play.name, [plan.entropy for plan in seats])
    create = Create(play.name, play.edition, seats, commitment(secret), dict(play.options))
    return play_commands([create], players, dice, editions)


def bots(play: Play, seed: int) -> Answer:
    """The play's bots, in any order where several are asked."""
    rng = Random(seed)

    def answer(state: State) -> tuple[int, str]:
        seat = rng.choice(state.ask.awaited if state.ask else ())
        return seat, BOTS[play.bots[seat]].choose(view(state, seat), seat, rng)

    return answer


def repeat_answers(text: str) -> Answer:
    """The answers of a story told before, so that it does not change with the bots."""
    answers = iter(_answers_in(text))
    return lambda state: next(answers)


def adapt_answers(play: Play, text: str) -> Answer:
    """The same answers as far as they are still asked for and legal; for the others, those of the bots."""
    answers, instead = _answers_in(text), bots(play, _seed_in(text))

    def answer(state: State) -> tuple[int, str]:
        if not answers:
            return instead(state)
        seat, choice = answers[0]
        legal = choices(state, seat)
        if any(read_choice(option).verb == read_choice(choice).verb for option in legal):
            del answers[0]
        return (seat, choice) if choice in legal else instead(state)

    return answer


def tell_story(play: Play, seed: int, players: Answer, editions: Editions = EDITIONS) -> Story:
    lines, asked, answers = Lines(play, seed), set[str](), list[str]()
    for move in play_story(play, seed, players, editions):
        ask, command = move.before.ask, move.command
        if ask is not None and isinstance(command, Choose):
            asked.add(ask.prompt)
            answers.append(f"{command.seat} {command.choice}")
        if not lines.add(move):
            break
    said = fill(ANSWERS + ", ".join(answers), WIDTH, break_on_hyphens=False)
    return Story("\n".join([*lines.lines, "", said, ""]), frozenset(asked))


def seek_story(play: Play) -> Story:
    """The story with the first seed that shows everything the play is there for."""
    tries = (tell_story(play, seed, bots(play, seed)) for seed in ([play.seed] if play.seed else count(1)))
    return next(told for told in tries if shows_all(play, told))


def repeat_story(play: Play, text: str, editions: Editions = EDITIONS) -> Story:
    return tell_story(play, _seed_in(text), repeat_answers(text), editions)


def adapt_story(play: Play, text: str) -> Story:
    """A story of before by the rules of now, changed no more than they make it change."""
    return tell_story(play, _seed_in(text), adapt_answers(play, text))


def shows_all(play: Play, told: Story) -> bool:
    return set(play.asks) <= told.asked and all(sight in told.text for sight in play.sights)


def _answers_in(text: str) -> list[tuple[int, str]]:
    answers = (answer.split(" ") for answer in " ".join(text.partition(ANSWERS)[2].split()).split(", "))
    return [(int(seat), choice) for seat, choice in answers]


def _seed_in(text: str) -> int:
    line = next(line for line in text.splitlines() if line.startswith(SEED_LINE))
    return int(line.removeprefix(SEED_LINE))
