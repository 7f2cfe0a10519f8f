"""A game that is to be created: what the log gets of it, and what its vault keeps."""

from __future__ import annotations

from events.commands import Create
from service.fairness.authors import CREATOR as CREATOR
from service.play.creators import CREATOR_FIELD
from service.play.seating import seats_of_people
from service.play.tokens import new_spice, tokens_for
from service.play.vaults import SEED
from service.play.writer import Draft


def draft_game(command: Create, seed: bytes, key: str | None, creator: str) -> Draft:
    vault = {SEED: seed.hex(), CREATOR_FIELD: creator, **new_spice()}
    return Draft(command, CREATOR, tokens=tokens_for(vault, key, seats_of_people(command.seats)), vault=vault)
