"""A server with many users that plays with an API key and our own Python client, in a process of its own.

It hears of turns from the feed of its key, and answers for its players. `python -m tests.support.key_backend`
reads what to do as lines of JSON, and writes a line of JSON for each.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Event, Lock, Thread
from time import monotonic, perf_counter
from typing import Any

CLIENT = Path(__file__).parents[2] / "clients" / "python"
sys.path.insert(0, str(CLIENT))

from croupier_client import Croupier, FeedReset, Refused  # noqa: E402

from tests.support.bot_flood import Waits  # noqa: E402

THREADS = 8
EDITION = "classic"
BOT = {"bot": "greedy"}


class Backend:
    """Players of a key and their games, each against a bot."""

    def __init__(self, base: str, key: str) -> None:
        self._base = base
        self._key = key
        self._players: list[str] = []
        self._owners: dict[str, str] = {}
        # Games in which one of our players is asked, and when a bot began to think in the others.
        self._ready: deque[str] = deque()
        self._thinking: dict[str, float] = {}
        # The version of each game at which one of our players was asked last.
        self._told: dict[str, int] = {}
        self._waits = Waits([], [])
        self._is_measured = False
        self._lock = Lock()

    def set_up(self, players: int, games: int) -> None:
        """Make players and games, follow the feed, and wait until a player is asked in every game."""
        self._each(players, lambda client, number: self._add_player(client, number))
        self._each(games, lambda client, number: self._add_game(client, self._players[number % players]))
        Thread(target=self._follow, daemon=True).start()
        while len(set(self._ready)) < games:
            Event().wait(0.1)

    def _each(self, number: int, work: Callable[[Croupier, int], None]) -> None:
        """Do something so often, in several threads, each with a client of its own."""

        def run(first: int) -> None:
            client = Croupier(self._base, self._key)
            for place in range(first, number, THREADS):
                work(client, place)

        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(run, range(THREADS)))

    def _add_player(self, client: Croupier, number: int) -> None:
        self._players.append(client.create_player(f"Player {number}")["id"])

    def _add_game(self, client: Croupier, player: str) -> None:
        made = client.create_game(EDITION, [{"player": player}, BOT])
        self._owners[made["id"]] = player

    def _follow(self) -> None:
        """Note in which games our players are asked; where events were missed, begin anew."""
        client = Croupier(self._base, self._key)
        after = "0"
        while True:
            try:
                for event in client.feed(after):
                    if event["type"] == "asked":
                        self._note_turn(event["game"], event["version"])
                    after = event["id"]
            except FeedReset as reset:
                after = reset.after

    def _note_turn(self, game: str, version: int) -> None:
        with self._lock:
            self._told[game] = version
            since = self._thinking.pop(game, None)
            if since is not None and self._is_measured:
                self._waits.bots.append(perf_counter() - since)
            self._ready.append(game)

    def measure(self, seconds: float, pace: float) -> Waits:
        """Play for so long, so many choices a second, or as many as possible for 0."""
        end = monotonic() + seconds
        self._waits = Waits([], [])
        self._is_measured = True
        slots = _Slots(pace)
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(lambda number: self._play(end, slots, Random(number)), range(THREADS)))
        self._is_measured = False
        return self._waits

    def _play(self, end: float, slots: _Slots, random: Random) -> None:
        client = Croupier(self._base, self._key)
        while slots.wait(end):
            with self._lock:
                game = self._ready.popleft() if self._ready else None
            if game is not None:
                self._answer(client, game, random)

    def _answer(self, client: Croupier, game: str, random: Random) -> None:
        """Answer in one game; one that is over is followed by another."""
        player = self._owners.get(game)
        if player is None:
            # The feed was quicker than the reply to the creation.
            self._ready.append(game)
            return
        seat = client.acting_for(player).seat(game)
        table = seat.table()
        asks = [ask for ask in table["asks"] if ask["yours"]]
        if not asks:
            return
        started = perf_counter()
        try:
            reply = seat.choose(asks[0], random.choice(asks[0]["options"])["choice"])
        except Refused:
            # The feed began anew, and told of this turn twice.
            return
        now = perf_counter()
        after = reply["table"]
        with self._lock:
            self._waits.choices.append(now - started)
            if after["status"] != "over" and not any(ask["yours"] for ask in after["asks"]):
                if self._told.get(game, 0) <= after["version"]:
                    self._thinking[game] = now
                elif self._is_measured:
                    # The bot has answered, and the feed has told of it, before this reply was read.
                    self._waits.bots.append(0.0)
        if after["status"] == "over":
            self._add_game(client, player)


class _Slots:
    """Lets through so many a second."""

    def __init__(self, pace: float) -> None:
        self._pause = 1 / pace if pace else 0.0
        self._next = monotonic()
        self._lock = Lock()

    def wait(self, end: float) -> bool:
        """Wait for the next turn; False if that is after the end."""
        with self._lock:
            self._next = max(self._next + self._pause, monotonic() + (0.0 if self._pause else 0.001))
            mine = self._next
        Event().wait(max(0.0, mine - monotonic()))
        return monotonic() < end


def main() -> None:
    base, key = sys.argv[1:]
    backend = Backend(base, key)
    for line in sys.stdin:
        wanted = json.loads(line)
        done: Any = None
        if wanted["do"] == "set_up":
            backend.set_up(wanted["players"], wanted["games"])
        else:
            waits = backend.measure(wanted["seconds"], wanted["pace"])
            done = {"choices": waits.choices, "bots": waits.bots}
        print(json.dumps(done), flush=True)


class KeyBackend:
    """The other end: a backend in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def set_up(self, players: int, games: int) -> None:
        self.start({"do": "set_up", "players": players, "games": games})
        self._finish()

    def measure(self, seconds: float, pace: float) -> Waits:
        """Play for so long, with so many choices a second, or as fast as it can for 0."""
        self.start({"do": "measure", "seconds": seconds, "pace": pace})
        return self.finish()

    def start(self, wanted: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(wanted) + "\n")
        self._process.stdin.flush()

    def finish(self) -> Waits:
        done = self._finish()
        return Waits(done["choices"], done["bots"])

    def _finish(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the backend has ended"
        return json.loads(line)


@contextmanager
def open_backend(base: str, key: str) -> Iterator[KeyBackend]:
    command: Sequence[str] = [sys.executable, "-m", "tests.support.key_backend", base, key]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield KeyBackend(process)
    finally:
        process.kill()
        process.communicate()


if __name__ == "__main__":
    main()
