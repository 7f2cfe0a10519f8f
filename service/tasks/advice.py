"""Advice: what a bot thinks of somebody's options."""

from typing import Annotated

from msgspec import Meta, Struct

from rules.state import State
from service.tasks.decisions import WeighedOption


class AdviceOrder(Struct, frozen=True):
    """What the seat sees, and nothing else; a budget of 0 is the bot's own."""

    view: State
    seat: int
    bot: str
    budget: int


class Advice(Struct, frozen=True):
    """First what the bot would take, the others by their chance to win."""

    options: tuple[WeighedOption, ...]
    bot: str
    build: str
    budget: Annotated[int, Meta(description="Simulations of each option.")]
    instead_of: Annotated[
        str, Meta(description="The level that gave no answer, so that the next lower one did; else empty.")
    ] = ""
    fault: Annotated[str, Meta(description="What was wrong with that level; else empty.")] = ""
