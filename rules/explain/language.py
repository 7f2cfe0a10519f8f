"""What a language needs to tell facts in sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from rules.prompt import DiceToPlace


class Language(Struct, frozen=True):
    """`sentences` are by the kind of a fact; `starts` say why a seat starts, `ends` why a game was ended.

    `tie_breakers` are what is counted where money is level, `card_set` what so many chip cards of a colour
    are worth. `change` says who hands over what and gets what for it, `erased` is a player whose name is
    gone. `big_die`, `neutral_die` and `neutral_dice` tell faces that those dice of a roll show.
    """

    sentences: Mapping[str, str]
    starts: Mapping[str, str]
    ends: Mapping[str, str]
    imaginary: Mapping[str, str]
    colours: Mapping[str, str]
    ranks: Sequence[str]
    seat: str
    casino: str
    extra_casino: str
    conjunction: str
    nothing: str
    change: str
    big_die: str
    neutral_die: str
    neutral_dice: str
    erased: str
    tie_breakers: Mapping[str, str]
    card_set: Callable[[str, int, int], str]
    chips: Callable[[int], str]
    dice: Callable[[DiceToPlace], str]
    dollars: Callable[[int], str]

    def join(self, parts: Sequence[str]) -> str:
        return f" {self.conjunction} ".join([part for part in (", ".join(parts[:-1]), *parts[-1:]) if part])
