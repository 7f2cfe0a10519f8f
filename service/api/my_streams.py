"""What happens in a player's games, on its way out: pages, lines, and a stream that never ends by itself."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic

import msgspec

from events.store import Unavailable
from service.api.doorbell import Doorbell, Listener
from service.api.streams import BATCH, HEARTBEAT, RETRY, STILL_HERE
from service.players.players import Player, Players
from service.players.reading import BEGINNING, MyEvents, PlayerReading

# With an id, so that a browser which comes back by itself begins anew.
RESET = f'id: {BEGINNING}\nevent: reset\ndata: {{"next":"{BEGINNING}"}}\n\n'.encode()
_encoder = msgspec.json.Encoder()


class MyStreams:
    def __init__(self, reading: PlayerReading, players: Players, doorbell: Doorbell) -> None:
        self._reading, self._players, self.doorbell = reading, players, doorbell

    def read(
        self, player: Player, after: str, limit: int | None, seconds: float, caller: str = ""
    ) -> MyEvents:
        """One batch, or where there is none the first within that time. Raises Unavailable."""
        most, end = min(limit or BATCH, BATCH if limit is None else limit), monotonic() + seconds
        page = self._reading.events(player.id, after, most)
        if page.events or page.reset or not seconds:
            return page
        with self.doorbell.listen(player.id, caller) as listener:
            while not ((page := self._reading.events(player.id, after, most)).events or page.reset):
                if monotonic() >= end or not self._goes_on(player, listener):
                    break
                listener.wait(end - monotonic())
        return page

    def _goes_on(self, player: Player, listener: Listener) -> bool:
        """Whether we are there, and hear of news, and the token with which all this began is still good."""
        heard = self.doorbell.is_open and not listener.is_dismissed
        return heard and self._players.is_current(player.id, player.credential)

    def lines(self, player: Player, page: MyEvents, limit: int | None) -> Iterator[bytes]:
        """NDJSON, from a first page on until there is nothing more."""
        left = limit
        while page.events:
            yield b"".join(_encoder.encode(event) + b"\n" for event in page.events)
            left = None if left is None else left - len(page.events)
            if left == 0:
                return
            page = self._reading.events(player.id, page.next, BATCH if left is None else left)

    def frames(self, player: Player, after: str, limit: int | None, listener: Listener) -> Iterator[bytes]:
        """Server-sent events until the token, the server or the limit ends them, or others need the room;
        the id resumes."""
        yield RETRY
        left = limit
        try:
            while self._goes_on(player, listener):
                page = self._reading.events(player.id, after, BATCH if left is None else min(left, BATCH))
                if page.reset:
                    yield RESET
                    return
                yield from _frames(page)
                after, left = page.next, None if left is None else left - len(page.events)
                if left == 0:
                    yield _frame("limit", after)
                    return
                if len(page.events) < BATCH and not listener.wait(HEARTBEAT):
                    yield STILL_HERE
        except Unavailable:
            # Whoever listens comes back with the last id and finds us, or the problem, then.
            pass
        yield _frame("bye", after)


def _frames(page: MyEvents) -> Iterator[bytes]:
    for event in page.events:
        yield b"id: %b\ndata: %b\n\n" % (event.id.encode(), _encoder.encode(event))


def _frame(name: str, after: str) -> bytes:
    return f'event: {name}\ndata: {{"next":"{after}"}}\n\n'.encode()
