"""A player who wants a round to go on for ever."""

from __future__ import annotations

from random import Random

from rules.legal import choices
from rules.state import State

# Dice back before chips, chips before dice, and dice one at a time; what says nothing of dice comes last.
ORDER = ("take-", "use-5", "pass", "use-4", "activate-", "remove-", "set-", "place-", "leave")
# Tiles that may bring dice back, the most generous first.
GENEROUS = ("H2", "F2", "E2")


def choose_to_linger(state: State, seat: int, random: Random) -> str:
    options = choices(state, seat)
    return min(options, key=lambda choice: (_rank(state, choice), random.random()))


def _rank(state: State, choice: str) -> tuple[int, int, int]:
    way = next((place for place, word in enumerate(ORDER) if choice.startswith(word)), len(ORDER))
    return way, _tile(state, choice), _dice(state, choice)


def _tile(state: State, choice: str) -> int:
    """How much good the tile does whose casino a choice goes to; of HANDICAP's pictures the die is wanted."""
    last = choice.split("-")[-1]
    if choice.startswith("remove-"):
        return int(last != "die")
    if not last.isdigit() or not 1 <= int(last) <= len(state.tiles):
        return len(GENEROUS)
    code = state.tiles[int(last) - 1]
    return GENEROUS.index(code) if code in GENEROUS else len(GENEROUS)


def _dice(state: State, choice: str) -> int:
    if state.roll is None or not choice.startswith("place-"):
        return 0
    number = int(choice[6:])
    return state.roll.own.count(number) + (state.roll.big == number)
