"""Plans the seats of a new game: which are open, which are taken, and by which bots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from events.commands import Create
from events.text import Text
from events.values import SeatPlan
from rules import Rejected, State
from rules.decide import find_plan_faults
from rules.errors import Reason
from rules.options import ON_TIMEOUT
from rules.ruleset import Options
from service.catalog.bots import BOT_NAMES, TIMEOUT_POLICIES
from service.fairness.verify import CREATOR as CREATOR
from service.games.tokens import SEED, new_token_key, tokens_for
from service.games.writer import PendingCommit


class Seating(Struct, frozen=True):
    """Holds the seats that a request took, in a game that it created or joined.

    `tokens` are by seat, for people without a player. `code` is that of a private game, and with `watch_code`
    one only looks on there. `made` is False for a rematch that another request had created before.
    """

    game: str
    version: int
    state: State
    tokens: dict[int, str]
    replayed: bool = False
    seats: tuple[int, ...] = ()
    code: str = ""
    watch_code: str = ""
    made: bool = True


def seats_of_people(seats: Sequence[SeatPlan]) -> list[int]:
    """Return the seats that get a token at once."""
    return [seat for seat, plan in enumerate(seats) if plan.name is not None and plan.bot is None]


def without_salts(seats: Sequence[SeatPlan]) -> tuple[SeatPlan, ...]:
    """Return the seats of a sandbox game: without commitments to names, which differ with every salt."""
    return tuple(replace(plan, name_commitment="") for plan in seats)


def find_faults(edition: str, players: int, options: Options) -> Iterator[Rejected]:
    """Yield all faults of a planned game: those of the rules, and unknown bots."""
    yield from find_plan_faults(edition, players, options)
    policy = options.get(ON_TIMEOUT.name)
    if isinstance(policy, str) and policy not in TIMEOUT_POLICIES:
        known = ", ".join(TIMEOUT_POLICIES)
        yield Rejected(
            Reason.BAD_OPTION,
            Text("`options.on_timeout` must be one of {choices}", choices=known),
            "/options/on_timeout",
            "W9",
        )


def check_bots(seats: Sequence[SeatPlan]) -> None:
    """Raise Rejected for an unknown bot."""
    for seat, plan in enumerate(seats):
        if plan.bot is not None and plan.bot not in BOT_NAMES:
            known = ", ".join(sorted(BOT_NAMES))
            raise Rejected(
                Reason.BAD_SEATS,
                Text("`seats[{seat}].bot` must be one of {choices}", seat=seat, choices=known),
                f"/seats/{seat}/bot",
            )


def draft_game(command: Create, seed: bytes, key: str | None, creator: Mapping[str, str]) -> PendingCommit:
    """Return the commit that creates a game, ready to be written, with its secrets and tokens.

    `creator` is what `describe_creator` says.
    """
    vault = {SEED: seed.hex(), **creator, **new_token_key()}
    return PendingCommit(
        command, CREATOR, tokens=tokens_for(vault, key, seats_of_people(command.seats)), vault=vault
    )
