"""What the bank pays and collects: several moves of notes and chips that are one payment."""

from __future__ import annotations

from msgspec.structs import replace

from events.types import ChipsMoved, NotesMoved
from events.values import BANK, OWNER, PURSE, tile_of
from rules.explaining.facts import Fact
from rules.explaining.ranks import rank_on_tile
from rules.explaining.scene import Scene
from rules.scoring import CHIP
from rules.tiles import g2_double_down


def find_payment(event: NotesMoved | ChipsMoved, scene: Scene) -> Fact | None:
    """None where no purse and bank are concerned."""
    if event.source == BANK and event.target in PURSE:
        return _to_purse(event, scene)
    if event.source in PURSE and event.target == BANK:
        return _to_bank(event, scene)
    return None


def _to_purse(event: NotesMoved | ChipsMoved, scene: Scene) -> Fact:
    owner = OWNER[PURSE.index(event.target)]
    if isinstance(event, ChipsMoved):
        return Fact("paid", owner=owner, chips=event.chips)
    return Fact("paid", owner=owner, notes=event.notes)


def _to_bank(event: NotesMoved | ChipsMoved, scene: Scene) -> Fact:
    owner = OWNER[PURSE.index(event.source)]
    if isinstance(event, ChipsMoved):
        return Fact("paid", owner=owner, chips=-event.chips)
    return Fact("paid", owner=owner, handed=event.notes)


def belongs_to(before: Fact, part: Fact) -> bool:
    """Whether it goes on with the payment before it: whoever hands something over begins a new one."""
    same = before.what == part.what == "paid" and before.owner == part.owner
    begins = bool(part.handed or part.chips < 0) and bool(before.notes or before.chips > 0)
    return same and not begins


def join(before: Fact, part: Fact) -> Fact:
    """Whoever gets more than they hand over is paid by what gives, and else pays to what takes."""
    gains = before.gain + part.gain + CHIP * (before.chips + part.chips) > 0
    source = part if gains else before
    return replace(
        before,
        tile=source.tile,
        rule=source.rule,
        rank=source.rank,
        weight=source.weight,
        notes=before.notes + part.notes,
        handed=before.handed + part.handed,
        chips=before.chips + part.chips,
    )


def attribute(payment: Fact, scene: Scene) -> Fact:
    """With the tile that made it, if one did, and the rule."""
    code = _find_tile(payment, scene)
    if code == g2_double_down.CODE:
        payment = rank_on_tile(payment, scene)
    if code:
        return replace(payment, tile=code, rule=scene.cite_tile(code))
    return replace(payment, rule=scene.rule or scene.ruleset.sources.set_up)


def _find_tile(payment: Fact, scene: Scene) -> str:
    """After a casino was paid its own tile gives; what is collected then, the one that comes last takes."""
    received = payment.gain + CHIP * payment.chips > 0
    if not received and (takes := _find_taker(scene)):
        return takes
    gives = scene.tile_at(scene.casino)
    return gives if gives and scene.ruleset.tiles[gives].payout else scene.tile


def _find_taker(scene: Scene) -> str:
    """The one that has marked whoever has to pay: it does so when the payout begins (T-C2)."""
    marks = {tile_of(counter) for counter in scene.state.counters if tile_of(counter) != counter}
    return next((code for code in scene.state.tiles if code in marks), "")
