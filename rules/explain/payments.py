"""Facts about payments: who was ranked where at a casino, who was tied, and what the bank paid."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from events.types import ChipsMoved, DiceReturned, NotesMoved
from events.values import BANK, OWNER, PURSE, Owner, Place, plays_for, seat_of
from rules.explain.scene import Fact, Scene, casino_at
from rules.extension import Standing
from rules.lookahead import standing_of
from rules.mechanics.ranking import ranking, tied_players, weights
from rules.prompt import Casino
from rules.scoring import CHIP
from rules.wording import SMALLEST_PRIZE_IN_NOTES


def standing_in(scene: Scene, casino: Casino) -> tuple[Standing, ...]:
    return standing_of(scene.state, scene.ruleset, casino)


def find_ties(event: DiceReturned, scene: Scene) -> list[Fact]:
    """The tied players of a casino, who take their dice back."""
    casino = casino_at(event.place, scene)
    assert casino is not None
    tied = {place.owner: place.weight for place in standing_in(scene, casino) if place.tied}
    owners = dict.fromkeys(plays_for(owner) for owner in event.owners)
    imaginary = any(seat_of(owner) is None for owner in tied)
    rule = f"{scene.ruleset.sources.ties}, D3" if imaginary else scene.ruleset.sources.ties
    return [
        Fact("tied", rule, owner, casino=casino, weight=tied[owner], others=others)
        for owner in owners
        for others in [_level_with(owner, tied)]
    ]


def _level_with(owner: Owner, tied: dict[Owner, int]) -> tuple[Owner, ...]:
    return tuple(other for other, weight in tied.items() if weight == tied[owner] and other != owner)


def find_prize(event: NotesMoved, scene: Scene, casino: Casino) -> Fact:
    """A note that a casino pays, or one that is left over."""
    sources = scene.ruleset.sources
    owner = event.winner or _owner_of(event.target)
    if owner is None:
        return Fact("left_over", sources.leftovers, casino=casino, notes=event.notes, text=event.target)
    order = [place for place in standing_in(scene, casino) if not place.tied]
    rank, place = next((rank, place) for rank, place in enumerate(order, 1) if place.owner == owner)
    rule = sources.payout if isinstance(casino, int) else sources.extra
    if seat_of(owner) is None:
        rule = f"{scene.cite_imaginary(owner)}, D3"
    won = Fact("won", rule, owner, casino=casino, rank=rank, weight=place.weight, notes=event.notes)
    level = [other.owner for other in order if other.weight == place.weight]
    return _say_what_decided(won, level, scene) if len(level) > 1 else won


def _say_what_decided(won: Fact, level: Sequence[Owner], scene: Scene) -> Fact:
    """Add what decided between equal numbers of dice at the bandit: pips, then the highest number (D6)."""
    extra = [found for extension in scene.ruleset.extensions for found in extension.casinos(scene.state)]
    stacks = next(found.stacks for found in extra if found.number == won.casino)
    brought = {
        owner: {face: scene.state.dice_of(owner, place).weight for face, place in stacks} for owner in level
    }
    pips = {owner: sum(face * weight for face, weight in faces.items()) for owner, faces in brought.items()}
    highest = max(face for face, weight in brought[won.owner].items() if weight)
    is_level = list(pips.values()).count(pips[won.owner]) > 1
    return replace(won, pips=pips[won.owner], number=highest if is_level else None)


def _owner_of(place: Place) -> Owner | None:
    return OWNER[PURSE.index(place)] if place in PURSE else None


def find_ties_on_tile(code: str, scene: Scene) -> list[Fact]:
    """Ties on a tile that pays like a casino of its own (T-G2); none for any other tile, and without one."""
    space = scene.ruleset.tiles[code].paying_space if code else ""
    if not space:
        return []
    heap = scene.state.heap(space)
    tied = tied_players(heap)
    level = {owner: weight for owner, weight in weights(heap).items() if owner in tied}
    return [
        Fact("tied", scene.cite_tile(code), owner, tile=code, weight=weight, others=_level_with(owner, level))
        for owner, weight in level.items()
    ]


def rank_on_space(payment: Fact, space: Place, scene: Scene) -> Fact:
    """Add the rank of its owner there, if it is a prize and not the change for a fine that comes after."""
    order = ranking(scene.state, space)
    if payment.owner not in order:
        return payment
    weighed = weights(scene.state.heap(space))
    return replace(payment, rank=order.index(payment.owner) + 1, weight=weighed[payment.owner])


def find_payment(event: NotesMoved | ChipsMoved, scene: Scene) -> Fact | None:
    """A payment between a purse and the bank; None for any other move."""
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
    """Whether `part` continues the payment before it; handing over after a gain begins a new one."""
    same = before.what == part.what == "paid" and before.owner == part.owner
    begins = bool(part.handed or part.chips < 0) and bool(before.notes or before.chips > 0)
    return same and not begins


def join(before: Fact, part: Fact) -> Fact:
    """Join two parts of one payment.

    A seat that gains is paid by the source of the second part; one that loses pays to that of the first.
    """
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


# How a debt is paid, and who pays first; how the bank pays what its notes alone do not make up.
_DEBT = "M6, T12"
_EXCHANGE = "M4, M9"


def cite_way_of_paying(payment: Fact) -> Fact:
    """Add the rulings on how a tile's payment was made: a debt, or a reward in other than exact notes."""
    if payment.what != "paid" or payment.tile is None:
        return payment
    balance = payment.gain + CHIP * payment.chips
    if balance < 0:
        return replace(payment, rule=f"{payment.rule}, {_DEBT}")
    in_other = payment.handed or (payment.chips and balance >= SMALLEST_PRIZE_IN_NOTES)
    return replace(payment, rule=f"{payment.rule}, {_EXCHANGE}") if in_other else payment


def attribute(payment: Fact, scene: Scene) -> Fact:
    """Add the tile that made the payment, if one did, and the rule."""
    code = _find_tile(payment, scene)
    if not code:
        sources = scene.ruleset.sources
        handed_out = sources.chips if scene.state.round == 1 else sources.more_chips
        return replace(payment, rule=scene.rule or handed_out)
    space = scene.ruleset.tiles[code].paying_space
    if space:
        payment = rank_on_space(payment, space, scene)
    return replace(payment, tile=code, rule=scene.cite_tile(code))


def _find_tile(payment: Fact, scene: Scene) -> str:
    """The tile behind a payment: a gain comes from the tile of the casino that was paid last, if that pays.

    A loss goes to the tile that has marked debtors.
    """
    received = payment.gain + CHIP * payment.chips > 0
    if not received and (takes := _find_taker(scene)):
        return takes
    gives = scene.tile_at(scene.casino)
    return gives if gives and scene.ruleset.tiles[gives].payout else scene.tile


def _find_taker(scene: Scene) -> str:
    """The tile that has marked seats that have to pay: it does so when the payout begins (T-C2)."""
    tiles = scene.ruleset.tiles
    return next((code for code in scene.state.tiles if tiles[code].debtors(scene.state)), "")
