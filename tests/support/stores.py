"""Stores with one fault each, or one eye."""

from collections.abc import Callable, Mapping
from typing import Any

from events.commit import Commit
from events.layout import Layout
from events.store import MemoryStore, Unavailable

# The keys of a store on one server.
LAYOUT = Layout()


class InterruptedStore(MemoryStore):
    """Somebody else's commit comes between reading and writing, as often as there are interruptions."""

    def __init__(self) -> None:
        super().__init__()
        self.interruptions: list[Callable[[], object]] = []

    def append(self, game: str, commit: Commit, vault: Mapping[str, str] | None = None) -> None:
        if self.interruptions:
            self.interruptions.pop(0)()
        super().append(game, commit, vault)


class FalteringStore(MemoryStore):
    """A store that goes away before or after it has written."""

    def __init__(self) -> None:
        super().__init__()
        self.before = self.after = 0

    def append(self, game: str, commit: Commit, vault: Mapping[str, str] | None = None) -> None:
        if self.before:
            self.before -= 1
            raise Unavailable("the request got lost")
        super().append(game, commit, vault)
        if self.after:
            self.after -= 1
            raise Unavailable("the reply got lost")


class ForgetfulStore(MemoryStore):
    """A store that comes back without its latest commits, as after a failover."""

    def lose(self, game: str, after: int) -> None:
        del self._streams[game][after:]
        self._requests = {key: known for key, known in self._requests.items() if known[1] <= after}


class CountingStore(MemoryStore):
    """Notes every call."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[str] = []

    def append(self, game: str, commit: Commit, vault: Mapping[str, str] | None = None) -> None:
        self.calls.append("append")
        super().append(game, commit, vault)

    def read_stored(self, game: str, after: int = 0, limit: int | None = None) -> Any:
        self.calls.append("stored")
        return super().read_stored(game, after, limit)

    def vault(self, game: str) -> Mapping[str, str]:
        self.calls.append("vault")
        return super().vault(game)

    def read(self, game: str, after: int = 0, limit: int | None = None) -> Any:
        self.calls.append(f"read after {after}")
        return super().read(game, after, limit)
