"""Positions of a follower that writes to many slots of a cluster, each of which may go back alone.

Every slot has positions and epochs of its own, which vouch for what was written there. Feeds are read once
for all slots, from the least of their positions on. To store a position in each slot after each entry would
cost more than what is derived: that is done every few seconds, and what comes again meanwhile does no harm.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from time import monotonic
from typing import Any

from redis import Redis

from events.follower import Fence, Fenced, Fences, RedisCursor, cursor_key, parse_position
from events.redis import translate_redis_errors
from events.script_batch import ScriptCall
from events.store import Unavailable

# How often positions are stored.
SAVE_SECONDS = 5.0
# How often it is looked whether other servers have taken over, and a server is asked that was away.
LOOK_SECONDS = 1.0
ASK_SECONDS = 2.0
# Saves positions, unless what was written before is not there any more, or a new epoch has begun.
#   KEYS  cursor
#   ARGV  [number  epoch  position  position that was saved  place in the feed that was written  ...]
# Replies how many were refused.
_SAVE = """
local function is_before(position, other)
  local at, number = string.match(position, '^(%d+)-(%d+)$')
  local other_at, other_number = string.match(other, '^(%d+)-(%d+)$')
  if at ~= other_at then return tonumber(at) < tonumber(other_at) end
  return tonumber(number) < tonumber(other_number)
end
local function is_lost(stored, expected)
  return expected ~= '' and (not stored or is_before(stored, expected))
end
local refused = 0
for i = 1, #ARGV, 5 do
  local number = ARGV[i]
  local known = redis.call('HMGET', KEYS[1], number, 'e' .. number, 's' .. number)
  if (known[2] or '') ~= ARGV[i + 1] or is_lost(known[1], ARGV[i + 3]) or is_lost(known[3], ARGV[i + 4]) then
    refused = refused + 1
  elseif not known[1] or is_before(known[1], ARGV[i + 2]) then
    redis.call('HSET', KEYS[1], number, ARGV[i + 2])
  end
end
return refused
"""


class _Share:
    """What a follower knows of one slot.

    These are the positions and epochs that are stored there, the places in the feeds that it has written from
    since it began, and the server; `is_away` says that the server did not answer.
    """

    def __init__(self, key: str) -> None:
        self.key = key
        self.place: object = None
        self.is_away = False
        self.positions: dict[int, str] = {}
        self.epochs: dict[int, str] = {}
        self.reached: dict[int, str] = {}
        self.written: dict[int, str] = {}

    def read(self, stored: Mapping[bytes, bytes]) -> None:
        """Take over what is stored."""
        fields = {field.decode(): value.decode() for field, value in stored.items()}
        self.positions = {int(name): value for name, value in fields.items() if name.isdigit()}
        self.epochs = {int(name[1:]): value for name, value in fields.items() if name.startswith("e")}
        self.reached = {int(name[1:]): value for name, value in fields.items() if name.startswith("s")}
        self.written = {}
        self.is_away = False


class SpreadCursor(RedisCursor):
    """Positions and epochs in many slots. Where the server of a slot is away, the others go on."""

    def __init__(
        self,
        client: Redis,
        name: str,
        seconds: float,
        slots: Sequence[str],
        save_seconds: float = SAVE_SECONDS,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        super().__init__(client, name, seconds, slots)
        self._shares = {slot: _Share(cursor_key(slot, name)) for slot in slots}
        self._unsaved: dict[int, str] = {}
        self._save_seconds = save_seconds
        self._clock = clock
        self._saved_at = clock() - save_seconds
        self._looked_at = clock()
        self._asked_at = clock()
        self._save_checked = client.register_script(_SAVE)

    def positions(self) -> dict[int, str]:
        """Return the positions that all slots vouch for, but for those whose server is away.

        Raises Unavailable if no server answers.
        """
        self._unsaved = {}
        self._reached = {}
        faults: list[Unavailable] = []
        for share in self._shares.values():
            share.place = self._server_of(share.key)
        for shares in self._group().values():
            try:
                for share, stored in zip(shares, self._read(shares), strict=True):
                    share.read(stored)
            except Unavailable as fault:
                faults.append(fault)
                for share in shares:
                    share.is_away = True
        present = self._list_present()
        if faults and (not present or self._has_one_server()):
            raise faults[0]
        common = set.intersection(*(set(share.positions) for share in present))
        self._stored = {
            number: min((share.positions[number] for share in present), key=parse_position)
            for number in common
        }
        return dict(self._stored)

    def _has_one_server(self) -> bool:
        return any(share.place is None for share in self._shares.values())

    def _list_present(self) -> list[_Share]:
        return [share for share in self._shares.values() if not share.is_away]

    def _group(self) -> dict[object, list[_Share]]:
        """Return the slots by their servers."""
        found: dict[object, list[_Share]] = {}
        for share in self._shares.values():
            found.setdefault(share.place, []).append(share)
        return found

    def _read(self, shares: Sequence[_Share]) -> list[Mapping[bytes, bytes]]:
        """Return what is stored in slots of one server."""
        with translate_redis_errors(), self._redis.pipeline(transaction=False) as asking:
            for share in shares:
                asking.hgetall(share.key)
            found: list[Mapping[bytes, bytes]] = asking.execute()
        return found

    def find_lost(self) -> set[int]:
        reached = {
            (number, place)
            for share in self._list_present()
            for number, place in share.reached.items()
            if number in share.positions and parse_position(place) > parse_position(share.positions[number])
        }
        return self._find_gone(reached)

    def save(self, positions: Mapping[int, str]) -> None:
        self._unsaved |= positions
        self._save_now_and_then()

    def _save_now_and_then(self) -> None:
        now = self._clock()
        if self._unsaved and now >= self._saved_at + self._save_seconds:
            self._saved_at = now
            self._save_all()

    def _save_all(self) -> None:
        """Store how far each slot was written, unless its server is away. Raises Fenced."""
        self._check_servers()
        positions = self._unsaved
        self._unsaved = {}
        for shares in self._group().values():
            present = [share for share in shares if not share.is_away]
            try:
                self._save_some(present, positions)
            except Unavailable as fault:
                self._leave_out(present, fault)

    def _save_some(self, shares: Sequence[_Share], positions: Mapping[int, str]) -> None:
        """Store positions in slots of one server. Raises Fenced if what they vouch for is not there."""
        if not shares:
            return
        with translate_redis_errors(), self._redis.pipeline(transaction=False) as saving:
            for share in shares:
                arguments: list[int | str] = []
                for number, position in positions.items():
                    known = share.positions.get(number, ""), share.written.get(number, "")
                    arguments += (number, share.epochs.get(number, ""), position, *known)
                self._save_checked((share.key,), arguments, client=saving)
            refused = saving.execute()
        if any(refused):
            raise Fenced
        for share in shares:
            share.positions |= positions

    def begin_epochs(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self._unsaved.pop(number, None)
            self._reached.pop(number, None)
            for share in self._list_present():
                arguments = (secrets.token_hex(4), number, share.epochs.get(number, ""))
                try:
                    with translate_redis_errors():
                        epoch: Any = self._begin_epochs((share.key,), arguments)
                except Unavailable as fault:
                    self._leave_out([share], fault)
                    continue
                share.epochs[number] = epoch.decode()
                for known in (share.positions, share.reached, share.written):
                    known.pop(number, None)

    def forget(self) -> None:
        """Delete the positions: the follower reads all games when it starts next. Epochs stay."""
        self.positions()
        with translate_redis_errors():
            for share in self._list_present():
                if share.positions:
                    self._redis.hdel(share.key, *map(str, share.positions))

    def wait_for_entries(self, positions: Mapping[int, str], at_once: bool = False) -> list[int]:
        """Wait as other cursors do. Raises Fenced as well when the server of a slot is back."""
        if self._clock() >= self._looked_at + LOOK_SECONDS:
            self._looked_at = self._clock()
            self._check_servers()
            self._ask_absent()
        self._save_now_and_then()
        return super().wait_for_entries(positions, at_once)

    def _find_place(self) -> object:
        # Slots are looked at one by one.
        return None

    def _check_servers(self) -> None:
        """Raise Fenced if another server has taken over a slot, perhaps without what was written last."""
        if any(self._server_of(share.key) != share.place for share in self._shares.values()):
            raise Fenced

    def _ask_absent(self) -> None:
        """Raise Fenced if a server that was away answers: its slots are behind, and catch up."""
        absent = [share for share in self._shares.values() if share.is_away]
        if not absent or self._clock() < self._asked_at + ASK_SECONDS:
            return
        for share in {share.place: share for share in absent}.values():
            try:
                self._read([share])
            except Unavailable:
                continue
            raise Fenced
        self._asked_at = self._clock()

    def _leave_out(self, shares: Iterable[_Share], fault: Unavailable) -> None:
        """Write nothing more to slots whose server is away. Raises the fault where one server has all."""
        if self._has_one_server():
            raise fault
        for share in shares:
            share.is_away = True
        self._asked_at = self._clock()
        if not self._list_present():
            raise fault

    def player_fences(self, number: int) -> Fences:
        return _SpreadFences(self, number)

    def write(self, number: int, slot: str, prepare: Callable[[Fence], ScriptCall]) -> int:
        """Run a script that writes to a slot what follows from a partition; see `Fences.write`."""
        share = self._shares[slot]
        if share.is_away:
            return 0
        reached = self._reached.get(number, "")
        try:
            reply = prepare(Fence(share.key, number, share.epochs.get(number, ""), reached)).run()
        except Unavailable as fault:
            self._leave_out([share], fault)
            return 0
        if reply >= 0 and reached:
            share.written[number] = reached
        return reply

    def attempt(self, slot: str, action: Callable[[], None]) -> None:
        """Do something in a slot; see `Fences.attempt`."""
        share = self._shares[slot]
        if share.is_away:
            return
        try:
            action()
        except Unavailable as fault:
            self._leave_out([share], fault)


class _SpreadFences:
    """The views that a follower has of one partition, for all slots."""

    def __init__(self, cursor: SpreadCursor, number: int) -> None:
        self._cursor = cursor
        self._number = number

    def write(self, slot: str, prepare: Callable[[Fence], ScriptCall]) -> int:
        return self._cursor.write(self._number, slot, prepare)

    def attempt(self, slot: str, action: Callable[[], None]) -> None:
        self._cursor.attempt(slot, action)
