"""What tiles keep on themselves and hand out: their tokens and counters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from events.tile_types import CounterMoved, TokenMoved
from events.values import OWNER, Owner, spot, tile_of
from rules.explaining.facts import Fact
from rules.explaining.ranks import standing_in
from rules.explaining.scene import Scene, casino_at, seat_at
from rules.tiles import a2_jackpot, b2_fifty_fifty, e1_no_entry

# What the space of a counter is worth, in dollars.
TRACKS: Mapping[str, Sequence[int]] = {
    a2_jackpot.CODE: a2_jackpot.SPACES,
    b2_fifty_fifty.CODE: b2_fifty_fifty.TRACK,
    e1_no_entry.CODE: e1_no_entry.TRACK,
}


def token_fact(event: TokenMoved, scene: Scene) -> Fact:
    """It is laid out, closes a casino, is taken by somebody, or goes back from who had it."""
    code, before = event.token, seat_at(scene.state.tokens.get(event.token))
    rule, taker = scene.cite_tile(code), seat_at(event.target)
    if taker is not None:
        here = scene.casino_of(code)
        weight = _weight_of(OWNER[taker], here, scene)
        return Fact("token_taken", rule, OWNER[taker], here, code, weight=weight)
    if before is not None:
        return Fact("token_back", rule, OWNER[before], scene.casino_of(code), code)
    return Fact("token", rule, casino=casino_at(event.target, scene), tile=code)


def counter_fact(event: CounterMoved, scene: Scene) -> Fact:
    """A counter has the name of its tile; any other is a mark on a seat that has to pay (T-C2)."""
    code = tile_of(event.counter)
    rule = scene.cite_tile(code)
    marked = [seat for seat in range(len(scene.state.seats)) if spot(code, seat) == event.counter]
    if marked:
        owner, here = OWNER[marked[0]], scene.casino_of(code)
        return Fact("fewest", rule, owner, here, code, weight=_weight_of(owner, here, scene))
    worth = TRACKS[code][event.value] if code in TRACKS else None
    return Fact("counter", rule, tile=code, number=event.value, worth=worth)


def _weight_of(owner: Owner, casino: int | None, scene: Scene) -> int:
    standing = () if casino is None else standing_in(scene, casino)
    return next((place.weight for place in standing if place.owner == owner), 0)
