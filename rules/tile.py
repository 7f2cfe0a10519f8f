"""What a tile may do: optional hooks over the verbs of the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import force_setattr

from events.text import as_text
from rules.extension import Member
from rules.prompt import Prompt, StepWork

if TYPE_CHECKING:
    from events.values import Dice, Owner, Place
    from rules.state import State
    from rules.table import Table


def _always(state: State, seat: int, number: int) -> bool:
    return True


def _no_debtors(state: State) -> tuple[int, ...]:
    return ()


def _shows_nothing(state: State) -> dict[str, object]:
    return {}


def _restores_nothing(state: State, shown: Mapping[str, Any]) -> State:
    return state


class Tile(Struct, frozen=True):
    """One side of a tile; `other` is the code printed on its back, and `gist` its text in a few words.

    What it does:
    `activated(table, seat, number, placed)` runs when a seat placed dice on the tile's casino, unless
    `acts(state, seat, number)` says that nothing would come of it.
    `before_roll(table, seat)` may ask instead of rolling and then returns True.
    `record_counts` records what lies there when the round is over, and asks nothing; `before_payout` may
    still change the ranking.
    `payout(table, number, ranked)` comes right after its casino, `after_payout` when all casinos are paid.
    Steps and prompts are named `CODE.name`; a prompt that words other tiles is made from all of the edition.

    What clients see:
    `shows(state)` is its visible state, with all of its `members`. `restore(state, shown)` reads a described
    one back into a state where the tile was just laid, and raises InvalidPosition; members may be missing.

    What explanations say of it:
    `track` is what each space of its counter is worth, in dollars. `brings` are the imaginary players whose
    dice come with it. `paying_space` is a space of its own that pays like a casino, ties removed.
    `debtors(state)` are the seats that it has marked to pay after the payout.
    """

    code: str
    name: str
    text: str
    other: str
    gist: str = ""
    setup: Callable[[Table, int], None] | None = None
    activated: Callable[[Table, int, int, Dice], None] | None = None
    acts: Callable[[State, int, int], bool] = _always
    dice_changed: Callable[[Table, int], None] | None = None
    before_roll: Callable[[Table, int], bool] | None = None
    before_payout: Callable[[Table, int], None] | None = None
    record_counts: Callable[[Table, int], None] | None = None
    payout: Callable[[Table, int, tuple[Owner, ...]], None] | None = None
    after_payout: Callable[[Table, int], None] | None = None
    shows: Callable[[State], dict[str, object]] = _shows_nothing
    restore: Callable[[State, Mapping[str, Any]], State] = _restores_nothing
    members: Mapping[str, Member] = {}
    track: Sequence[int] = ()
    brings: tuple[Owner, ...] = ()
    paying_space: Place = ""
    debtors: Callable[[State], tuple[int, ...]] = _no_debtors
    steps: Mapping[str, StepWork] = {}
    prompts: Mapping[str, Prompt | Callable[[Mapping[str, Tile]], Prompt]] = {}

    def __post_init__(self) -> None:
        """Let the texts be translated."""
        force_setattr(self, "text", as_text(self.text))
        force_setattr(self, "gist", as_text(self.gist))

    def prompts_among(self, tiles: Mapping[str, Tile]) -> dict[str, Prompt]:
        return {
            name: prompt if isinstance(prompt, Prompt) else prompt(tiles)
            for name, prompt in self.prompts.items()
        }

    def responds(self, state: State, seat: int, number: int) -> bool:
        """Whether something would happen if the seat activated it now."""
        return self.activated is not None and self.acts(state, seat, number)
