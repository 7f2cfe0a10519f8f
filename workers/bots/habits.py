"""Decides as people do who play for fun; the levels `novice` and `casual` share it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from events.values import CASINO, CASINO_NUMBERS, OWNER, Owner
from rules import EDITIONS, State
from rules.extension import Standing
from rules.legal import prompt_of
from rules.lookahead import try_answer
from rules.scoring import total
from workers.bots.protocol import Decision, Question, name_candidates
from workers.bots.valuation import SampledChance

# Dollars. A note of this value attracts by what it is worth, a higher one by more, a lower one by less.
PLAIN_NOTE = 50_000


class Habits(Struct, frozen=True):
    """Describes how a person plays.

    `whim` is how often any option will do, and `oversight` how often the person forgets in a choice that the
    tied get nothing. `dreams` is the power by which high notes attract more than they are worth. `spite` is
    what a dollar counts that is taken from the rival who spoils most, and `thrift` what a die in hand counts,
    in dollars.
    """

    whim: float
    oversight: float
    dreams: float
    spite: float
    thrift: int


def decide_by_habit(question: Question, habits: Habits) -> Decision:
    """Return the option that attracts most, or any option on a whim or where something has to be guessed.

    At most `question.budget` options are looked at, each with one future that the person imagines.
    """
    chance = question.chance
    options = question.options
    seed = chance.getrandbits(32)
    forgetful = chance.random() < habits.oversight
    if len(options) == 1 or chance.random() < habits.whim or _is_guess(question.view):
        return name_candidates(question, chance.choice(options))
    if len(options) > question.budget:
        options = tuple(chance.sample(options, question.budget))
    rival = _find_spoiler(question.view, question.seat)

    def appeal(option: str) -> tuple[float, float]:
        after = try_answer(question.view, question.seat, option, SampledChance(seed)).state
        return _attract(after, question.seat, rival, habits, forgetful), chance.random()

    return name_candidates(question, max(options, key=appeal))


def _is_guess(view: State) -> bool:
    """Return whether something is hidden from a rival or guessed; selected cards do not count."""
    ask = view.ask
    if ask is None or len(ask.seats) > 1:
        return False
    prompt = prompt_of(view, ask)
    return (prompt.secret and not prompt.private) or prompt.guesses is not None


def _find_spoiler(view: State, seat: int) -> int | None:
    """Return the rival who wins most at casinos where the seat has dice and is behind; None without one."""
    spoiled = dict[int, int]()
    for notes, standings in _list_casinos(view):
        mine = _find(standings, OWNER[seat])
        for one in standings:
            if mine and one.seat is not None and one.weight > mine.weight and notes:
                spoiled[one.seat] = spoiled.get(one.seat, 0) + sum(one.notes)
    return max(spoiled, key=lambda rival: (spoiled[rival], -rival), default=None)


def _attract(state: State, seat: int, rival: int | None, habits: Habits, forgetful: bool) -> float:
    """Return how much the person likes a table."""
    liking = float(total(state, seat) + habits.thrift * EDITIONS.of(state).to_come(state, seat))
    for notes, standings in _list_casinos(state):
        note = _expect_note(OWNER[seat], notes, standings, forgetful)
        liking += note * (note / PLAIN_NOTE) ** habits.dreams
        liking -= sum(habits.spite * sum(one.notes) for one in standings if one.seat == rival)
    return liking


def _expect_note(
    owner: Owner, notes: tuple[int, ...], standings: tuple[Standing, ...], forgetful: bool
) -> int:
    """Return the note that the person expects at a casino; to the forgetful only more dice are ahead."""
    mine = _find(standings, owner)
    if mine is None:
        return 0
    if not forgetful:
        return sum(mine.notes)
    ahead = sum(one.weight > mine.weight for one in standings)
    return notes[ahead] if ahead < len(notes) else 0


def _find(standings: tuple[Standing, ...], owner: Owner) -> Standing | None:
    """Return the owner's standing; None if it has no dice there."""
    return next((one for one in standings if one.owner == owner), None)


def _list_casinos(state: State) -> Iterator[tuple[tuple[int, ...], tuple[Standing, ...]]]:
    """Yield the notes of each casino, the highest first, and the standings there, extra casinos included."""
    ruleset = EDITIONS.of(state)
    for number in CASINO_NUMBERS:
        notes = state.notes.get(CASINO[number], ())
        yield tuple(sorted(notes, reverse=True)), ruleset.standing(state, number)
    for extension in ruleset.extensions:
        for extra in extension.casinos(state):
            yield tuple(sorted(state.notes.get(extra.place, ()), reverse=True)), extra.standing
